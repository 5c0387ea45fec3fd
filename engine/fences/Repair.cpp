#include "fences/Repair.h"

#include "fences/HittingSet.h"

#include <algorithm>
#include <tuple>

namespace picket {

bool Repair::isBounded() const {
  return std::any_of(Models.begin(), Models.end(), [](const ModelReport &M) { return M.Result == Verdict::Bounded; });
}

SourceLocation locationOf(const SourceChange &Change) {
  if (const auto *New = std::get_if<InsertFence>(&Change))
    return New->NearLater ? New->Later : New->Earlier;
  if (const auto *Other = std::get_if<ChangeOrder>(&Change))
    return Other->Call.Line != 0 ? Other->Call : Other->Access;
  return std::get<RemoveFence>(Change).Fence;
}

Repairer::Repairer(const Program &Compiled, RoundChecker Check, const RepairOptions &Options,
                   const std::atomic<bool> *Cancel)
    : Compiled(Compiled), Check(std::move(Check)), Options(Options), Cancel(Cancel),
      Start(std::chrono::steady_clock::now()), Table(Compiled, Options.Costs, Options.Assembly, Options.Scope) {}

double Repairer::secondsLeft() const {
  const double Passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  return Options.TimeoutSeconds * TimeShare - Passed;
}

bool Repairer::isOver() const { return (Cancel && *Cancel) || (Options.TimeoutSeconds > 0 && secondsLeft() <= 0); }

RepairResult Repairer::gaveUp() const {
  RepairResult Result;
  Result.What = RepairResult::Outcome::GaveUp;
  Result.Reason = Cancel && *Cancel ? "cancelled" : "the time limit was reached before a repair was proved";
  return Result;
}

bool Repairer::allowed(uint32_t Candidate, bool Fences, bool Orders) const {
  return (Table[Candidate].IsFence ? Fences : Orders) && !Forbidden.contains(Candidate);
}

void Repairer::forbid(const SourceChange &Change) {
  for (uint32_t K = 0; K < Table.size(); ++K)
    if (Table[K].Change == Change ||
        std::any_of(Table[K].Atomic.begin(), Table[K].Atomic.end(),
                    [&](const ChangeOrder &Access) { return SourceChange(Access) == Change; }))
      Forbidden.insert(K);
}

/// The cheapest set of allowed candidates that prevents every execution seen so far.
std::optional<std::vector<uint32_t>> Repairer::cheapest(bool Fences, bool Orders) const {
  std::vector<uint64_t> Costs(Table.size());
  for (uint32_t K = 0; K < Table.size(); ++K)
    Costs[K] = Table[K].Cost;
  std::vector<std::vector<uint32_t>> Allowed;
  for (const Clause &C : Clauses) {
    Allowed.emplace_back();
    for (uint32_t K : C.Elements)
      if (allowed(K, Fences, Orders))
        Allowed.back().push_back(K);
  }
  return cheapestHittingSet(Costs, Allowed, [this] { return isOver(); });
}

Repair Repairer::made(const std::vector<uint32_t> &Chosen) const {
  Repair R;
  R.Chosen = Chosen;
  std::map<std::vector<ProgramPoint>, ChangeOrder> Orders; // several for one access are one
  for (uint32_t K : Chosen) {
    const Candidate &C = Table[K];
    C.addTo(R.Edit);
    R.Cost += C.Cost % TestCost;
    if (C.IsFence) {
      R.Changes.push_back(C.Change);
      continue;
    }
    for (const ChangeOrder &Change : C.Atomic) // accesses may be in several races
      if (std::find(R.Changes.begin(), R.Changes.end(), SourceChange(Change)) == R.Changes.end())
        R.Changes.push_back(Change);
    if (!C.Atomic.empty())
      continue;
    auto [Known, IsNew] = Orders.try_emplace(C.Where, std::get<ChangeOrder>(C.Change));
    if (!IsNew)
      Known->second.To = joined(Known->second.To, C.To);
  }
  for (const auto &[Where, Change] : Orders)
    R.Changes.push_back(Change);
  auto Place = [](const SourceChange &Change) {
    const SourceLocation At = locationOf(Change);
    return std::tuple(At.File, At.Line, At.Column);
  };
  std::stable_sort(R.Changes.begin(), R.Changes.end(),
                   [&](const SourceChange &A, const SourceChange &B) { return Place(A) < Place(B); });
  return R;
}

RoundReport Repairer::check(const std::vector<uint32_t> &Chosen) {
  if (auto Known = Tried.find(Chosen); Known != Tried.end())
    return Known->second;
  if (isOver()) {
    RoundReport NotChecked;
    NotChecked.What = RoundReport::Result::GaveUp;
    return NotChecked;
  }
  ++Rounds;
  const EditedProgram Edited = edited(Compiled, made(Chosen).Edit);
  RoundReport Round = Check(Edited.Code, Options.TimeoutSeconds > 0 ? std::max(secondsLeft(), 0.001) : 0);
  for (Violation &V : Round.Violations)
    for (DelayPath &Path : V.Delays)
      for (DelayPath::CallStack &Stack : Path.Accesses)
        for (uint32_t &Pc : Stack)
          Pc = Edited.OriginalPc[Pc];
  for (Violation &V : Round.Violations)
    for (DelayPath::CallStack &Stack : V.Race)
      for (uint32_t &Pc : Stack)
        Pc = Edited.OriginalPc[Pc];
  learn(Round, Chosen);
  Round.Violations.clear();
  if (Round.What == RoundReport::Result::Violated)
    LastViolated = Round;
  if (Round.What != RoundReport::Result::GaveUp)
    Tried[Chosen] = Round;
  return Round;
}

/// What is chosen already did not prevent the executions.
void Repairer::learn(const RoundReport &Round, const std::vector<uint32_t> &Chosen) {
  for (const Violation &V : Round.Violations) {
    Clause C{Table.against(V), V.Complete};
    std::erase_if(C.Elements, [&](uint32_t K) {
      return std::any_of(Chosen.begin(), Chosen.end(), [&](uint32_t Had) { return Table[Had].covers(Table[K]); });
    });
    if (V.StillHappens) {
      std::stable_sort(C.Elements.begin(), C.Elements.end(),
                       [&](uint32_t A, uint32_t B) { return Table[A].Cost < Table[B].Cost; });
      std::vector<uint32_t> Idle = Chosen;
      if (std::vector<uint32_t> Left = helpful(V, Idle, C.Elements); V.Complete || !Left.empty())
        C.Elements = std::move(Left);
    }
    Clauses.push_back(std::move(C));
  }
}

/// Those asked about without which the execution still happens, however many of the others there are: one of them is
/// needed. `Idle` are changes that do not prevent it, all together; those that are found to be so come to them.
std::vector<uint32_t> Repairer::helpful(const Violation &V, std::vector<uint32_t> &Idle,
                                        const std::vector<uint32_t> &Asked) const {
  if (Asked.empty() || isOver())
    return Asked;
  std::vector<uint32_t> More = Idle;
  More.insert(More.end(), Asked.begin(), Asked.end());
  if (V.StillHappens(edited(Compiled, made(More).Edit).Code)) {
    Idle = std::move(More);
    return {};
  }
  if (Asked.size() == 1)
    return Asked;
  const auto Middle = Asked.begin() + static_cast<ptrdiff_t>(Asked.size() / 2);
  std::vector<uint32_t> Result = helpful(V, Idle, {Asked.begin(), Middle});
  const std::vector<uint32_t> Rest = helpful(V, Idle, {Middle, Asked.end()});
  Result.insert(Result.end(), Rest.begin(), Rest.end());
  return Result;
}

/// Tries to do without each of them. Weaker programs have more executions, so that this proves that no subset works.
void Repairer::minimise(Repair &R) {
  std::vector<uint32_t> Left = R.Chosen;
  std::stable_sort(Left.begin(), Left.end(), [&](uint32_t A, uint32_t B) { return Table[A].Cost > Table[B].Cost; });
  for (uint32_t Out : Left) {
    std::vector<uint32_t> Without = R.Chosen;
    std::erase(Without, Out);
    const RoundReport Round = check(Without);
    if (Round.What == RoundReport::Result::GaveUp)
      return;
    if (Round.What == RoundReport::Result::Passed) {
      R = made(Without);
      R.Models = Round.Models;
    }
  }
  R.Minimal = true;
}

RepairResult Repairer::refusal(const RoundReport &Round) const {
  RepairResult Result;
  Result.What = RepairResult::Outcome::Refused;
  Result.Reason = Round.Reason;
  Result.Shown = Round.Found;
  Result.ShownUnder = Round.Under;
  return Result;
}

/// After a check that did not pass.
RepairResult Repairer::unfinished(const RoundReport &Round) const {
  if (Round.What == RoundReport::Result::NotFenceable)
    return refusal(Round);
  RepairResult Result = gaveUp();
  if (!isOver())
    Result.Reason = Round.Reason;
  return Result;
}

/// Nothing that is allowed prevents all executions seen.
RepairResult Repairer::usedUp() const {
  if (isOver())
    return gaveUp();
  RepairResult Result = refusal(LastViolated);
  Result.Reason =
      Table.files().isNarrowed()
          ? "Picket finds no place in the files that may be changed where a fence or a stronger order would "
            "prevent this execution"
          : "Picket finds no place in the text where a fence or a stronger order would prevent this execution";
  return Result;
}

RepairResult Repairer::repaired(const std::vector<uint32_t> &Chosen, const RoundReport &Passed) {
  RepairResult Result;
  Result.What = RepairResult::Outcome::Repaired;
  Result.Found = made(Chosen);
  Result.Found->Models = Passed.Models;
  minimise(*Result.Found);
  return Result;
}

RepairResult Repairer::find(bool Fences, bool Orders) {
  std::optional<RepairResult> Found = findCheapest(Fences, Orders);
  const bool OutOfTime = Found && Found->What == RepairResult::Outcome::GaveUp && isOver();
  TimeShare = 1;
  return Found && (!OutOfTime || isOver()) ? std::move(*Found) : findByLeavingOut(Fences, Orders);
}

std::optional<RepairResult> Repairer::findCheapest(bool Fences, bool Orders) {
  for (unsigned Round = 0; Options.MaxRounds == 0 || Round < Options.MaxRounds; ++Round) {
    TimeShare = Clauses.empty() ? 1 : Options.ShareOfSearch; // to leave out, something must be there
    const std::optional<std::vector<uint32_t>> Chosen = cheapest(Fences, Orders);
    if (!Chosen)
      return usedUp();
    const RoundReport Last = check(*Chosen);
    if (Last.What == RoundReport::Result::Violated)
      continue;
    if (Last.What != RoundReport::Result::Passed)
      return unfinished(Last);
    if (Chosen->empty())
      return RepairResult();
    const bool Cheapest = Fences && Orders && Forbidden.empty() &&
                          std::all_of(Clauses.begin(), Clauses.end(), [](const Clause &C) { return C.Complete; });
    TimeShare = 1;
    RepairResult Result = repaired(*Chosen, Last);
    Result.Found->Cheapest = Cheapest;
    return Result;
  }
  return std::nullopt;
}

RepairResult Repairer::findByLeavingOut(bool Fences, bool Orders) {
  std::vector<uint32_t> All;
  RoundReport Last;
  do {
    const size_t Before = All.size();
    All.clear();
    for (uint32_t K = 0; K < Table.size(); ++K)
      if (allowed(K, Fences, Orders))
        All.push_back(K);
    if (All.size() == Before)
      return usedUp();
    Last = check(All);
  } while (Last.What == RoundReport::Result::Violated); // there may be candidates now that were not known before
  if (Last.What != RoundReport::Result::Passed)
    return unfinished(Last);
  std::stable_sort(All.begin(), All.end(), [&](uint32_t A, uint32_t B) { return Table[A].Cost < Table[B].Cost; });
  std::vector<uint32_t> Chosen = needed({}, All, false);
  std::sort(Chosen.begin(), Chosen.end());
  Last = check(Chosen);
  return Last.What == RoundReport::Result::Passed ? repaired(Chosen, Last) : unfinished(Last);
}

/// Which of those asked about are needed beside those that are given, if all of both are enough: of those that come
/// last as few as possible. Junker, "QuickXplain". `Unknown`: whether those given are enough was not asked before.
std::vector<uint32_t> Repairer::needed(std::vector<uint32_t> Given, const std::vector<uint32_t> &Asked, bool Unknown) {
  std::sort(Given.begin(), Given.end());
  if (isOver() || (Unknown && check(Given).What == RoundReport::Result::Passed))
    return {};
  if (Asked.size() == 1)
    return Asked;
  const auto Middle = Asked.begin() + static_cast<ptrdiff_t>(Asked.size() / 2);
  const std::vector<uint32_t> First(Asked.begin(), Middle), Second(Middle, Asked.end());
  auto With = [&](const std::vector<uint32_t> &More) {
    std::vector<uint32_t> Both = Given;
    Both.insert(Both.end(), More.begin(), More.end());
    return Both;
  };
  std::vector<uint32_t> Result = needed(With(First), Second, true);
  const std::vector<uint32_t> OfFirst = needed(With(Result), First, !Result.empty());
  Result.insert(Result.end(), OfFirst.begin(), OfFirst.end());
  return Result;
}

} // namespace picket
