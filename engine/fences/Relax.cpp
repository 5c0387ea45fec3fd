#include "fences/Relax.h"

#include "fences/TextDiff.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <tuple>

namespace picket {

namespace {

/// The orders below one that an access can have, the weakest first.
std::vector<Order> ordersBelow(Opcode Op, Order From) {
  std::vector<Order> Below;
  for (Order O : {Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel}) {
    const bool Possible = Op == Opcode::Load    ? O != Order::Release && O != Order::AcqRel
                          : Op == Opcode::Store ? O != Order::Acquire && O != Order::AcqRel
                                                : true;
    if (Possible && O != From && atLeast(From, O))
      Below.push_back(O);
  }
  return Below;
}

/// C11 fences by their order; the others have no weaker form.
Order orderOf(FenceKind Kind) {
  switch (Kind) {
  case FenceKind::Full: return Order::SeqCst;
  case FenceKind::AcqRel: return Order::AcqRel;
  case FenceKind::Release: return Order::Release;
  case FenceKind::Acquire: return Order::Acquire;
  default: return Order::Relaxed;
  }
}

void addFence(Weakenable &W, FenceKind Kind) {
  ProgramEdit Without;
  Without.Removed = W.Copies;
  W.Steps.push_back(Without);
  W.Changes.emplace_back(RemoveFence{W.Where});
  for (FenceKind Weaker : {FenceKind::Acquire, FenceKind::Release, FenceKind::AcqRel}) {
    if (orderOf(Weaker) == orderOf(Kind) || !atLeast(orderOf(Kind), orderOf(Weaker)))
      continue;
    ProgramEdit Edit = Without;
    for (uint32_t Pc : W.Copies)
      Edit.Fences.push_back({{Pc, false}, Weaker});
    W.Steps.push_back(std::move(Edit));
    W.Changes.emplace_back(ChangeOrder{W.Where, orderOf(Kind), orderOf(Weaker)});
  }
  W.Cost = Kind == FenceKind::Full ? 4 : 2;
}

void addAccess(Weakenable &W, Opcode Op, Order From) {
  for (Order To : ordersBelow(Op, From)) {
    ProgramEdit Edit;
    for (uint32_t Pc : W.Copies)
      Edit.Orders.push_back({Pc, To});
    W.Steps.push_back(std::move(Edit));
    W.Changes.emplace_back(ChangeOrder{W.Where, From, To});
  }
  W.Cost = From == Order::SeqCst ? 3 : 1;
}

ProgramEdit together(const std::vector<const ProgramEdit *> &Edits) {
  ProgramEdit All;
  for (const ProgramEdit *E : Edits) {
    All.Fences.insert(All.Fences.end(), E->Fences.begin(), E->Fences.end());
    All.Orders.insert(All.Orders.end(), E->Orders.begin(), E->Orders.end());
    All.Removed.insert(All.Removed.end(), E->Removed.begin(), E->Removed.end());
  }
  return All;
}

/// The same text in the programs that have it.
struct Weakest {
  SourceLocation Where;
  std::vector<SourceChange> Changes;
  Opcode Op;
  uint32_t Cost;
  std::vector<std::pair<size_t, std::vector<ProgramEdit>>> Steps; // by program
};

std::vector<Weakest> weakest(const CheckedPrograms &Programs, const EditScope &Scope) {
  std::vector<Weakest> All;
  for (size_t P = 0; P < Programs.All.size(); ++P)
    for (Weakenable &W : weakenable(*Programs.All[P].Code, Scope)) {
      auto Known = std::find_if(All.begin(), All.end(), [&](const Weakest &Other) {
        return isSame(Other.Where, W.Where) && Other.Changes == W.Changes;
      });
      if (Known == All.end())
        Known =
            All.insert(Known, Weakest{W.Where, W.Changes, Programs.All[P].Code->Code[W.Copies.front()].Op, W.Cost, {}});
      if (Known->Steps.empty() || Known->Steps.back().first != P)
        Known->Steps.emplace_back(P, std::move(W.Steps));
    }
  std::stable_sort(All.begin(), All.end(), [](const Weakest &A, const Weakest &B) { return A.Cost > B.Cost; });
  return All;
}

class Relaxing : EditSearch {
public:
  Relaxing(const CompileRequest &Text, const CheckedPrograms &Programs, const FixOptions &Options,
           const std::atomic<bool> *Cancel)
      : EditSearch(Text, Programs, Options, Cancel), Items(weakest(Programs, Options.Scope)),
        Taken(Items.size(), Unchanged) {
    for (const CheckedProgram &P : Programs.All)
      Checkers.push_back(checker(P.Check, Thoroughness::Cycle));
  }

  RelaxReport run() {
    const RoundReport AsIs = check([](size_t) { return ProgramEdit(); });
    if (AsIs.What != RoundReport::Result::Passed) {
      const bool GaveUp = AsIs.What == RoundReport::Result::GaveUp;
      Report.What = GaveUp ? EditOutcome::GaveUp : EditOutcome::Refused;
      Report.Reason = GaveUp || !AsIs.Found ? AsIs.Reason : "the program does not pass as it is";
      Report.Shown = AsIs.Found;
      Report.ShownUnder = AsIs.Under;
      return std::move(Report);
    }
    addSkipped(Report.Skipped, AsIs.Models);
    addSkipped(Report.Skipped, Programs.Left);
    Covered = modelsChecked(AsIs.Models);
    std::sort(Covered.begin(), Covered.end());
    weaken();
    write();
    Report.Texts = std::move(Text.Unsaved);
    return std::move(Report);
  }

private:
  static constexpr size_t Unchanged = ~size_t(0);

  /// All programs, each with its edit.
  template <typename Edits> RoundReport check(Edits EditOf) {
    ++Report.Rounds;
    RoundReport All;
    for (size_t P = 0; P < Programs.All.size(); ++P) {
      RoundReport Round = Checkers[P](edited(*Programs.All[P].Code, EditOf(P)).Code, secondsLeft());
      if (Round.What != RoundReport::Result::Passed)
        return Round;
      std::move(Round.Models.begin(), Round.Models.end(), std::back_inserter(All.Models));
    }
    return All;
  }

  bool passes() {
    const RoundReport::Result What = check([this](size_t P) {
                                       std::vector<const ProgramEdit *> Edits;
                                       for (size_t K = 0; K < Items.size(); ++K)
                                         for (const auto &[Of, Steps] : Items[K].Steps)
                                           if (Of == P && Taken[K] != Unchanged)
                                             Edits.push_back(&Steps[Taken[K]]);
                                       return together(Edits);
                                     }).What;
    Report.Complete &= What != RoundReport::Result::GaveUp;
    return What == RoundReport::Result::Passed;
  }

  void weaken() {
    if (Items.empty()) {
      Report.Reason = "there is no fence and no memory order that could be weaker";
      return;
    }
    // Often nothing at all is needed.
    std::fill(Taken.begin(), Taken.end(), 0);
    if (passes())
      return;
    std::fill(Taken.begin(), Taken.end(), Unchanged);
    for (size_t K = 0; K < Items.size(); ++K)
      for (size_t Step = 0; Step < Items[K].Changes.size() && Taken[K] == Unchanged; ++Step) {
        if (isOver()) {
          Report.Complete = false;
          return;
        }
        Taken[K] = Step;
        if (!passes())
          Taken[K] = Unchanged;
      }
  }

  std::string sentence(const Weakest &Item, const SourceChange &Change) const {
    const std::string Models = titlesOf(Covered);
    if (std::holds_alternative<RemoveFence>(Change))
      return "this fence is not needed under " + Models;
    const auto &Other = std::get<ChangeOrder>(Change);
    const char *const What = Item.Op == Opcode::Fence   ? "fence"
                             : Item.Op == Opcode::Load  ? "load"
                             : Item.Op == Opcode::Store ? "store"
                                                        : "read-modify-write";
    return std::string("this ") + nameOf(Other.From) + " " + What + " can be " + nameOf(Other.To) + " under " + Models;
  }

  /// Writes what is not needed into the text, as far as that can be done, and checks it.
  void write() {
    std::vector<std::pair<Weakening, size_t>> Found; // with the first program that has it
    for (size_t K = 0; K < Items.size(); ++K)
      if (Taken[K] != Unchanged)
        Found.push_back({{Items[K].Changes[Taken[K]], sentence(Items[K], Items[K].Changes[Taken[K]]), Items[K].Where},
                         Items[K].Steps.front().first});
    std::stable_sort(Found.begin(), Found.end(), [](const auto &A, const auto &B) {
      return std::tie(A.first.Where.File, A.first.Where.Line, A.first.Where.Column) <
             std::tie(B.first.Where.File, B.first.Where.Line, B.first.Where.Column);
    });
    if (Found.empty()) {
      if (!Report.Complete) {
        Report.What = EditOutcome::GaveUp;
        Report.Reason = limit();
      } else if (!Items.empty()) {
        Report.Reason = "all fences and memory orders are needed";
      }
      return;
    }
    std::vector<ChangesPerProgram> Single;
    for (const auto &[W, P] : Found) {
      Single.emplace_back(Programs.All.size());
      Single.back()[P] = {W.Change};
    }
    const std::vector<PlacedChange> Alone = place(Single);
    ChangesPerProgram Written(Programs.All.size());
    bool Any = false;
    for (size_t K = 0; K < Found.size(); ++K) {
      auto &[W, P] = Found[K];
      W.Edits = Alone[K].Edits;
      (Alone[K].placed() ? Report.Weaker : Report.Unwritten).push_back(W);
      if (!Alone[K].placed())
        continue;
      Written[P].push_back(W.Change);
      Any = true;
    }
    Report.What = EditOutcome::Found;
    if (!Any)
      return;
    const PlacedChange Placed = place({Written}).front();
    if (Placed.placed() && prove(Placed.Edits)) {
      Report.Edits = Placed.Edits;
      return;
    }
    // Nothing is said that was not checked on the text itself.
    Report.Weaker.clear();
    Report.Unwritten.clear();
    Report.What = EditOutcome::GaveUp;
    Report.Reason = isOver() ? limit() : "what could be weaker was edited, and the text did not pass its check";
  }

  std::string limit() const { return isCancelled() ? "cancelled" : "the time limit was reached first"; }

  bool prove(const std::vector<TextEdit> &Edits) {
    RoundReport Round = EditSearch::prove(Edits, Thoroughness::Cycle);
    Report.Models = std::move(Round.Models);
    return Round.What == RoundReport::Result::Passed;
  }

  std::vector<RoundChecker> Checkers; // of each program
  const std::vector<Weakest> Items;
  std::vector<size_t> Taken;        // per item: which step
  std::vector<MemoryModel> Covered; // the models that were not skipped
  RelaxReport Report;
};

} // namespace

std::vector<Weakenable> weakenable(const Program &Compiled, const EditScope &Scope) {
  const Candidates Texts(Compiled, {}, false, Scope);
  std::vector<Weakenable> Items;
  for (uint32_t Pc = 0; Pc < Compiled.Code.size(); ++Pc) {
    const Instruction &I = Compiled.Code[Pc];
    const std::vector<uint32_t> &Copies = Texts.copiesOf(Pc);
    if (Copies.front() != Pc || Texts.textOf(Pc).Line == 0)
      continue;
    Weakenable W{Copies, Texts.textOf(Pc), {}, {}, 0};
    const auto Ordering = static_cast<Order>(I.Flags & OrderMask);
    if (I.Op == Opcode::Fence)
      addFence(W, static_cast<FenceKind>(I.C));
    else if (I.Op == Opcode::Load || I.Op == Opcode::Store || I.Op == Opcode::Rmw || I.Op == Opcode::CmpXchg)
      addAccess(W, I.Op, Ordering);
    if (!W.Steps.empty())
      Items.push_back(std::move(W));
  }
  std::stable_sort(Items.begin(), Items.end(),
                   [](const Weakenable &A, const Weakenable &B) { return A.Cost > B.Cost; });
  return Items;
}

RelaxReport relax(const CompileRequest &Given, const FixOptions &Options, const std::atomic<bool> *Cancel) {
  return searchEdits<RelaxReport>(Given, Options, [&](const CompileRequest &Text, const CheckedPrograms &Programs) {
    return Relaxing(Text, Programs, Options, Cancel).run();
  });
}

} // namespace picket
