#include "fences/FencePlacement.h"

#include "fences/OrderEdits.h"
#include "fences/ProgramEdit.h"
#include "fences/SlotEdits.h"

#include <algorithm>

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

} // namespace

std::vector<PlacedChange> placeAlternatives(const CompileRequest &Request,
                                            const std::vector<std::vector<SourceChange>> &Alternatives,
                                            EditStyle Style) {
  std::vector<Diagnostic> Diagnostics;
  std::vector<PlacedChange> Result;
  const bool Read = readTree(Request, Diagnostics, [&](const SourceTree &Tree) {
    const FenceIdiom Idiom(Tree, Style);
    std::vector<PlacedChange> Placed;
    for (const std::vector<SourceChange> &Changes : Alternatives)
      Placed.push_back(Placing(Tree, Idiom).run(Changes));
    Result = std::move(Placed);
  });
  if (!Read || Result.empty())
    Result.assign(Alternatives.size(), {{}, "the file does not compile", {Request.File, 0, 0}});
  return Result;
}

PlacedChange placeChanges(const CompileRequest &Request, const std::vector<SourceChange> &Changes) {
  return placeAlternatives(Request, {Changes}).front();
}

} // namespace picket
