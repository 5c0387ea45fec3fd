#include "fences/FencePlacement.h"

#include "fences/OrderEdits.h"
#include "fences/ProgramEdit.h"
#include "fences/SlotEdits.h"

#include <algorithm>
#include <utility>

namespace picket {

namespace {

/// One set of changes on its way into the text.
class Placing {
public:
  Placing(const SourceTree &Tree, const FenceIdiom &Idiom) : Tree(Tree), Idiom(Idiom), Fences(Tree, Idiom) {}

  PlacedChange run(const std::vector<SourceChange> &Changes) {
    for (const SourceChange &Change : arranged(Changes))
      if (std::optional<Refusal> No = std::visit([&](const auto &C) { return place(C); }, Change))
        return {{}, No->Why, No->Where, No->SharedMacro};
    PlacedChange Result;
    Result.Edits = Fences.write(NeedInclude);
    Result.Edits.insert(Result.Edits.end(), Others.begin(), Others.end());
    for (auto &[File, First] : NeedInclude)
      Result.Edits.push_back(Idiom.include(File, First));
    std::stable_sort(Result.Edits.begin(), Result.Edits.end(), [](const TextEdit &A, const TextEdit &B) {
      return std::tie(A.File, A.Begin, A.End) < std::tie(B.File, B.Begin, B.End);
    });
    for (size_t K = 1; K < Result.Edits.size(); ++K)
      if (Result.Edits[K].File == Result.Edits[K - 1].File && Result.Edits[K].Begin < Result.Edits[K - 1].End)
        return {{}, "two changes affect the same piece of text", {Result.Edits[K].File, 0, 0}};
    return Result;
  }

private:
  /// Several orders for one access add up. Orders come last, those of operands (which are further behind in the text)
  /// first, so that what is put around them goes around it all.
  static std::vector<SourceChange> arranged(const std::vector<SourceChange> &Changes) {
    std::vector<SourceChange> Result;
    std::vector<ChangeOrder> Orders;
    for (const SourceChange &Change : Changes) {
      auto *New = std::get_if<ChangeOrder>(&Change);
      if (!New) {
        if (std::find(Result.begin(), Result.end(), Change) == Result.end())
          Result.push_back(Change);
        continue;
      }
      auto Known = std::find_if(Orders.begin(), Orders.end(), [&](const ChangeOrder &Other) {
        return Other.Access == New->Access && Other.Call == New->Call;
      });
      if (Known == Orders.end())
        Orders.push_back(*New);
      else
        Known->To = joined(Known->To, New->To);
    }
    std::stable_sort(Orders.begin(), Orders.end(), [](const ChangeOrder &A, const ChangeOrder &B) {
      auto Place = [](const ChangeOrder &Change) {
        const SourceLocation &At = Change.Call.Line ? Change.Call : Change.Access;
        return std::pair(At.Line, At.Column);
      };
      return Place(A) > Place(B);
    });
    Result.insert(Result.end(), Orders.begin(), Orders.end());
    return Result;
  }

  std::optional<Refusal> place(const InsertFence &Wanted) {
    auto Found = findSlot(Tree, Wanted);
    if (auto *No = std::get_if<Refusal>(&Found))
      return *No;
    Fences.add(std::get<FenceSlot>(Found), Wanted.Kind);
    return std::nullopt;
  }
  std::optional<Refusal> place(const ChangeOrder &Wanted) { return keep(changeOrder(Tree, Idiom, Wanted)); }
  std::optional<Refusal> place(const RemoveFence &Wanted) { return keep(removeFence(Tree, Wanted)); }

  std::optional<Refusal> keep(std::variant<OrderEdit, Refusal> Made) {
    if (auto *No = std::get_if<Refusal>(&Made))
      return *No;
    OrderEdit &Edit = std::get<OrderEdit>(Made);
    // A change in the body of a macro is the same for all its uses.
    auto IsKnown = [&](const TextEdit &E) {
      return std::any_of(Others.begin(), Others.end(), [&](const TextEdit &O) {
        return O.File == E.File && O.Begin == E.Begin && O.End == E.End && O.Text == E.Text;
      });
    };
    if (!std::all_of(Edit.Edits.begin(), Edit.Edits.end(), IsKnown))
      Others.insert(Others.end(), Edit.Edits.begin(), Edit.Edits.end());
    if (Edit.NeedsInclude) {
      auto [File, At] = *Edit.NeedsInclude;
      uint32_t &First = NeedInclude.try_emplace(File, At).first->second;
      First = std::min(First, At);
    }
    return std::nullopt;
  }

  const SourceTree &Tree;
  const FenceIdiom &Idiom;
  SlotEdits Fences;
  std::vector<TextEdit> Others;
  std::map<clang::FileID, uint32_t> NeedInclude;
};

/// The places of the accesses that a change is about.
std::vector<SourceLocation> placesOf(const SourceChange &Change) {
  if (const auto *New = std::get_if<InsertFence>(&Change))
    return {New->Earlier, New->Later};
  if (const auto *Other = std::get_if<ChangeOrder>(&Change))
    return {Other->Call.Line ? Other->Call : Other->Access};
  return {std::get<RemoveFence>(Change).Fence};
}

bool isIn(const SourceTree &Tree, const SourceChange &Change) {
  const std::vector<SourceLocation> Places = placesOf(Change);
  return std::any_of(Places.begin(), Places.end(),
                     [&](const SourceLocation &At) { return At.Line && !Tree.accessesAt(At).empty(); });
}

/// Places what `Take` takes of each alternative. One that nothing is taken of has no part.
using Parts = std::vector<std::vector<PlacedChange>>; // of each alternative
bool placeInFile(
    const CompileRequest &File, size_t Alternatives, EditStyle Style, Parts &Into,
    llvm::function_ref<std::optional<std::vector<SourceChange>>(const SourceTree &Tree, size_t Alternative)> Take) {
  std::vector<Diagnostic> Diagnostics;
  std::vector<std::optional<PlacedChange>> Result;
  const bool Read = readTree(File, Diagnostics, [&](const SourceTree &Tree) {
    const FenceIdiom Idiom(Tree, Style);
    std::vector<std::optional<PlacedChange>> Placed(Alternatives);
    for (size_t K = 0; K < Alternatives; ++K)
      if (std::optional<std::vector<SourceChange>> Changes = Take(Tree, K))
        Placed[K] = Placing(Tree, Idiom).run(*Changes);
    Result = std::move(Placed);
  });
  if (!Read || Result.size() != Alternatives)
    return false;
  for (size_t K = 0; K < Alternatives; ++K)
    if (std::optional<PlacedChange> &One = Result[K])
      Into[K].push_back(std::move(*One));
  return true;
}

} // namespace

PlacedChange together(std::vector<PlacedChange> Several) {
  PlacedChange All;
  auto IsSame = [](const TextEdit &A, const TextEdit &B) {
    return A.File == B.File && A.Begin == B.Begin && A.End == B.End && A.Text == B.Text;
  };
  for (PlacedChange &Part : Several) {
    if (!Part.placed())
      return std::move(Part);
    const std::vector<TextEdit> Before = All.Edits;
    for (TextEdit &Edit : Part.Edits)
      if (std::none_of(Before.begin(), Before.end(), [&](const TextEdit &Known) { return IsSame(Known, Edit); }))
        All.Edits.push_back(std::move(Edit));
  }
  // Insertions of one part at one place stay in their order.
  std::stable_sort(All.Edits.begin(), All.Edits.end(), [](const TextEdit &A, const TextEdit &B) {
    return std::tie(A.File, A.Begin, A.End) < std::tie(B.File, B.Begin, B.End);
  });
  for (size_t K = 1; K < All.Edits.size(); ++K)
    if (All.Edits[K].File == All.Edits[K - 1].File && All.Edits[K].Begin < All.Edits[K - 1].End)
      return {{}, "two changes affect the same piece of text", {All.Edits[K].File, 0, 0}};
  return All;
}

std::vector<PlacedChange> placeAlternatives(const CompileRequest &Request,
                                            const std::vector<std::vector<SourceChange>> &Alternatives,
                                            EditStyle Style) {
  const std::vector<CompileRequest> Files = requestsOfFiles(Request);
  std::vector<std::vector<SourceChange>> Left = Alternatives;
  auto All = [&](const SourceTree &, size_t K) { return std::optional(std::exchange(Left[K], {})); };
  auto OfFile = [&](const SourceTree &Tree, size_t K) {
    const auto Others = std::stable_partition(Left[K].begin(), Left[K].end(),
                                              [&](const SourceChange &Change) { return isIn(Tree, Change); });
    std::vector<SourceChange> Mine(Left[K].begin(), Others);
    Left[K].erase(Left[K].begin(), Others);
    return Mine.empty() ? std::nullopt : std::optional(std::move(Mine));
  };
  Parts Placed(Alternatives.size());
  auto AnyLeft = [&] { return std::any_of(Left.begin(), Left.end(), [](const auto &Some) { return !Some.empty(); }); };
  for (const CompileRequest &File : Files) {
    const bool Read = Files.size() == 1 ? placeInFile(File, Alternatives.size(), Style, Placed, All)
                      : AnyLeft()       ? placeInFile(File, Alternatives.size(), Style, Placed, OfFile)
                                        : true;
    if (!Read)
      return std::vector<PlacedChange>(Alternatives.size(), {{}, "the file does not compile", {File.File, 0, 0}});
  }
  std::vector<PlacedChange> Result;
  for (size_t K = 0; K < Alternatives.size(); ++K)
    if (!Left[K].empty())
      Result.push_back({{}, "no access is known at this position in the text", placesOf(Left[K].front()).front()});
    else
      Result.push_back(Placed[K].size() == 1 ? std::move(Placed[K].front()) : together(std::move(Placed[K])));
  return Result;
}

PlacedChange placeChanges(const CompileRequest &Request, const std::vector<SourceChange> &Changes) {
  return placeAlternatives(Request, {Changes}).front();
}

} // namespace picket
