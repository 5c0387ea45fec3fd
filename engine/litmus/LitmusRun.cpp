#include "litmus/LitmusRun.h"

#include "explore/OptimalDpor.h"
#include "explore/Rsmc.h"

#include <algorithm>
#include <deque>
#include <set>

namespace picket {

std::vector<MemoryModel> modelsFor(LitmusArchitecture A) {
  switch (A) {
  case LitmusArchitecture::PPC: return {MemoryModel::Power, MemoryModel::SC};
  case LitmusArchitecture::X86:
  case LitmusArchitecture::X86_64: return {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
  case LitmusArchitecture::AArch64: return {MemoryModel::Armv8, MemoryModel::SC};
  case LitmusArchitecture::C: return {MemoryModel::C11, MemoryModel::SC};
  }
  return {MemoryModel::SC};
}

namespace {

using Clock = std::chrono::steady_clock;

/// Sorts executions by their final states. Both explorers report here.
class Tally {
public:
  Tally(const LitmusTest &Test, LitmusResult &Result, uint64_t MaxBytes)
      : Test(Test), Result(Result), MaxBytes(MaxBytes) {}

  /// ReadRegister(thread of the machine, slot), ReadMemory(address, bytes).
  template <typename Register, typename Memory> void add(Register ReadRegister, Memory ReadMemory) {
    LitmusState State;
    State.reserve(Test.Observed.size());
    for (const LitmusItem &Item : Test.Observed)
      State.push_back(Test.valueOf(Item.Thread == LitmusItem::Memory
                                       ? ReadMemory(globalAddress(Item.Index), Test.Code.Globals[Item.Index].Size)
                                       : ReadRegister(Item.Thread + 1, Item.Index),
                                   Item.Width));
    (Test.Condition.holdsIn(State) ? Result.Satisfying : Result.Others) += 1;
    // A node of the map, with what the allocator adds.
    const uint64_t Size = 96 + State.capacity() * sizeof(State[0]);
    if (auto [At, New] = Result.States.try_emplace(std::move(State), 0); ++At->second == 1)
      Bytes += Size;
    if (Bytes + OfExplorer.load(std::memory_order_relaxed) > MaxBytes) {
      Full = true;
      throw std::bad_alloc();
    }
  }
  /// Whether the states took up all the memory there is for them.
  bool isFull() const { return Full; }

  void noteExplorer(uint64_t Takes) { OfExplorer.store(Takes, std::memory_order_relaxed); }

  void fail(const BugReport &Bug) {
    if (!Result.Reason.empty())
      return;
    Result.Reason = Bug.Message;
    if (uint32_t Line = Test.Code.locationOf(Bug.Pc).Line)
      Result.Reason += " (line " + std::to_string(Line) + ")";
  }

  void clear() {
    Result.Satisfying = Result.Others = 0;
    Result.States.clear();
    Result.Reason.clear();
    Bytes = 0;
  }

private:
  const LitmusTest &Test;
  LitmusResult &Result;
  const uint64_t MaxBytes;
  uint64_t Bytes = 0; // of the states
  bool Full = false;
  std::atomic<uint64_t> OfExplorer = 0; // told a few times a second
};

class InOrderTally : public ExplorationObserver {
public:
  explicit InOrderTally(Tally &Into) : Into(Into) {}

  void ended(Execution &E, Ending How) override {
    Machine &M = E.configuration().machine();
    if (How == Ending::Buggy && !M.bugs().empty())
      Into.fail(M.bugs().front());
    if (How == Ending::Complete)
      Into.add([&](ThreadId T, uint32_t Slot) { return M.finalSlot(T, Slot); },
               [&](Address Where, unsigned Bytes) { return Memory::readWord(M.memory().bytes(Where), Bytes); });
  }
  void progress(const ExplorationResult &SoFar) override { Into.noteExplorer(SoFar.Bytes); }
  void restarted() override { Into.clear(); }

private:
  Tally &Into;
};

class GraphTally : public GraphObserver {
public:
  explicit GraphTally(Tally &Into) : Into(Into) {}

  void ended(GraphRun &Run, Ending How) override {
    if (How == Ending::Buggy && !Run.machine().bugs().empty())
      Into.fail(Run.machine().bugs().front());
    if (How == Ending::Complete)
      Into.add([&](ThreadId T, uint32_t Slot) { return Run.finalRegister(T, Slot); },
               [&](Address Where, unsigned Bytes) { return Run.finalValue(Where, Bytes); });
  }
  void progress(const ExplorationResult &SoFar) override { Into.noteExplorer(SoFar.Bytes); }
  void restarted() override { Into.clear(); }

private:
  Tally &Into;
};

ExplorationResult explore(const LitmusTest &Test, MemoryModel Which, const LitmusOptions &Given,
                          ExplorationOptions Options, Tally &Into) {
  if (Given.Axioms) {
    GraphTally Observer(Into);
    return exploreGraphs(Test.Code, *Given.Axioms, Options, Observer);
  }
  if (!Given.Graphs && !isExploredAsGraphs(Which) && !Test.UsesReservations) {
    Options.Model = Which;
    InOrderTally Observer(Into);
    return exploreOptimally(Test.Code, Options, Observer);
  }
  GraphTally Observer(Into);
  return exploreGraphs(Test.Code, Which, Options, Observer);
}

Verdict coverageOf(const ExplorationResult &Explored, bool WentWrong) {
  if (WentWrong || Explored.Ended == ExplorationResult::End::Unsupported ||
      Explored.Ended == ExplorationResult::End::FirstBug)
    return Verdict::Unsupported;
  if (Explored.Ended == ExplorationResult::End::Limit)
    return Verdict::Inconclusive;
  return Explored.Cut ? Verdict::Bounded : Verdict::Verified;
}

double secondsSince(Clock::time_point Start) { return std::chrono::duration<double>(Clock::now() - Start).count(); }

/// The executions in which exactly the operations of Test.Code.Failures fail for no reason.
LitmusResult runRound(const LitmusTest &Test, MemoryModel Which, const LitmusOptions &Options,
                      Clock::time_point Start) {
  LitmusResult Result;
  ExplorationOptions E;
  E.Exhaustive = true;
  E.Machine.Unroll = Options.Unroll;
  E.Machine.Looked.set(CheckGroup::Race, false); // a test has final states all the same
  E.Machine.MaxMemoryBytes = E.MaxMemoryBytes = Options.MaxMemoryBytes;
  E.Cancel = Options.Cancel;
  if (Options.TimeoutSeconds > 0)
    E.Deadline =
        Start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(Options.TimeoutSeconds));

  Tally Into(Test, Result, Options.MaxMemoryBytes);
  ExplorationResult Explored;
  try {
    Explored = explore(Test, Which, Options, E, Into);
  } catch (const std::bad_alloc &) {
    Explored.Ended = ExplorationResult::End::Limit;
    Explored.Reason = "memory ran out";
  }
  if (Into.isFull())
    Explored.Reason = "the memory limit was reached";
  Result.Executions = Explored.Executions;
  Result.Blocked = Explored.Blocked + Explored.RejectedBranches;
  Result.Cut = Explored.Cut;
  Result.Coverage = coverageOf(Explored, !Result.Reason.empty());
  if (!Explored.Reason.empty()) {
    Result.Reason = Explored.Reason;
    if (Explored.HasReasonPc)
      if (uint32_t Line = Test.Code.locationOf(Explored.ReasonPc).Line)
        Result.Reason += " (line " + std::to_string(Line) + ")";
  }
  return Result;
}

bool isComplete(Verdict Coverage) { return Coverage == Verdict::Verified || Coverage == Verdict::Bounded; }

/// What a round blocks belongs to other rounds.
void addRound(LitmusResult &All, LitmusResult Round) {
  All.Satisfying += Round.Satisfying;
  All.Others += Round.Others;
  All.Executions += Round.Executions;
  All.Cut += Round.Cut;
  for (const auto &[State, Number] : Round.States)
    All.States[State] += Number;
  if (Round.Coverage == Verdict::Verified)
    return;
  All.Coverage = Round.Coverage;
  All.Reason = std::move(Round.Reason);
}

/// Weak compare_exchanges may fail spuriously. The test is run once for every set of them that can do so together,
/// as programs are that have such operations (check/FailureRounds.h).
void runFailureRounds(const LitmusTest &Test, MemoryModel Which, const LitmusOptions &Options, Clock::time_point Start,
                      LitmusResult &All) {
  constexpr size_t MaxRounds = 10'000;
  LitmusTest Now = Test;
  Now.Code.Reached = std::make_shared<FailurePoints>();
  std::deque<std::vector<FailurePoint>> Left = {{}};
  std::set<std::vector<FailurePoint>> Known = {{}};
  for (bool First = true; !Left.empty() && isComplete(All.Coverage); First = false) {
    if (Known.size() > MaxRounds) {
      All.Coverage = Verdict::Inconclusive;
      All.Reason =
          "there are more than " + std::to_string(MaxRounds) + " ways in which operations can fail for no reason";
      return;
    }
    Now.Code.Failures = std::move(Left.front());
    Left.pop_front();
    LitmusResult Round = runRound(Now, Which, Options, Start);
    if (First)
      All = std::move(Round);
    else
      addRound(All, std::move(Round));
    for (const FailurePoint &Point : Now.Code.Reached->take()) {
      std::vector<FailurePoint> More = Now.Code.Failures;
      More.insert(std::upper_bound(More.begin(), More.end(), Point), Point);
      if (Known.insert(More).second)
        Left.push_back(std::move(More));
    }
  }
}

} // namespace

LitmusResult runLitmus(const LitmusTest &Test, MemoryModel Which, const LitmusOptions &Options) {
  const Clock::time_point Start = Clock::now();
  LitmusResult Result;
  if (Test.Code.FailsForNoReason)
    runFailureRounds(Test, Which, Options, Start, Result);
  else
    Result = runRound(Test, Which, Options, Start);
  Result.Which = Which;
  Result.Seconds = secondsSince(Start);
  if (isComplete(Result.Coverage) && !Result.Executions && !Result.Cut)
    Result.Coverage = Verdict::Inconclusive;
  if (!Result.Executions && Result.Reason.empty())
    Result.Reason = Result.Cut ? "every execution was cut at the bound of " + std::to_string(Options.Unroll) +
                                     " iterations, so that no final state is known"
                               : "no execution came to an end";
  switch (Test.Quantifier) {
  case LitmusQuantifier::Exists: Result.Holds = Result.Satisfying > 0; break;
  case LitmusQuantifier::NotExists: Result.Holds = Result.Satisfying == 0; break;
  case LitmusQuantifier::Forall: Result.Holds = Result.Others == 0; break;
  }
  return Result;
}

} // namespace picket
