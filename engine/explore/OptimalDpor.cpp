#include "explore/OptimalDpor.h"

#include "explore/WakeupTree.h"

#include <deque>

namespace picket {

namespace {

/// Sets of processes that need not be explored from a prefix, with what their next step touches.
struct Sleeper {
  ProcessId Process;
  Footprint Touched;
};

class OptimalDpor {
public:
  OptimalDpor(Configuration &C, Execution &E, Sharing &Shared, Cells &Memory, const ExplorationOptions &Options,
              ExplorationResult &Result, ExplorationObserver &Observer)
      : C(C), E(E), Shared(Shared), Memory(Memory), Options(Options), Result(Result), Observer(Observer) {
    C.watch([this] { return lookAtLimits(); });
  }
  ~OptimalDpor() { C.watch(nullptr); }
  OptimalDpor(const OptimalDpor &) = delete;
  OptimalDpor &operator=(const OptimalDpor &) = delete;

  /// Explores everything. False: what is shared turned out differently; start over.
  bool run();

private:
  /// The state of exploration at a prefix of the current execution.
  struct Prefix {
    size_t FirstSleeper = 0, NumSleepers = 0; // in Sleepers
    WakeupTree::NodeId Wakeup =
        WakeupTree::None; // what is still to be explored from here, the step being explored first
    bool Guided = false;  // the step being explored is the first tree of Wakeup
    uint32_t Done = 0;    // steps that were explored from here before this one
  };

  void exploreAll();
  bool forward();
  bool backtrack();
  void executionEnded();
  void take(ProcessId P);
  bool asleep(ProcessId P) const;
  std::optional<ProcessId> choose();
  void settleRaces();
  void settle(Race &R);
  size_t findSequence(const Race &R);
  /// Looks at the limits after every so much work. True once one is reached.
  bool stopNow(size_t Work) {
    WorkDone += Work;
    return WorkDone >= WorkBetweenLooks || Result.Ended != ExplorationResult::End::Everything ? lookAtLimits() : false;
  }
  bool lookAtLimits();
  void tellProgress();
  double explored() const;

  Configuration &C;
  Execution &E;
  Sharing &Shared;
  Cells &Memory;
  const ExplorationOptions &Options;
  ExplorationResult &Result;
  ExplorationObserver &Observer;

  WakeupTree Tree;
  std::vector<Prefix> Prefixes;
  std::vector<Sleeper> Sleepers;
  size_t SleepersInUse = 0;
  std::vector<ProcessId> Enabled;
  std::vector<WakeupStep> Sequence; // of the race being looked at
  std::deque<Footprint> Adapted;    // footprints in it that differ from the events' own
  Footprint Changed;
  std::vector<Race> Stuck;
  static constexpr size_t WorkBetweenLooks = 20'000; // some milliseconds
  size_t WorkDone = 0;
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds TellEvery{100};
  Clock::time_point LastTold = Clock::now();
  ProcessId LastProcess = 0;
};

bool OptimalDpor::asleep(ProcessId P) const {
  const Prefix &Here = Prefixes.back();
  for (size_t K = 0; K < Here.NumSleepers; ++K)
    if (Sleepers[Here.FirstSleeper + K].Process == P)
      return true;
  return false;
}

/// A step to explore from a prefix where nothing is planned: the running thread goes on, emptying its buffer first,
/// since executions with few switches and delays are the easiest to read.
std::optional<ProcessId> OptimalDpor::choose() {
  auto Yields = [&](ProcessId P) { return C.machine().pending(C.threadOf(P)).Kind == OperationKind::Yield; };
  if (E.length()) {
    ThreadId Running = C.threadOf(LastProcess);
    if (!C.bufferEmpty(Running))
      for (ProcessId P : C.updatesOf(Running))
        if (C.isEnabled(P) && !asleep(P))
          return P;
    ProcessId P = C.processOf(Running);
    if (!asleep(P) && C.isEnabled(P) && !Yields(P))
      return P;
  }
  C.enabled(Enabled); // in order of preference
  for (ProcessId P : Enabled)
    if (!asleep(P))
      return P;
  return std::nullopt;
}

void OptimalDpor::take(ProcessId P) {
  E.append(P);
  LastProcess = P;
  const Footprint &Done = E[E.length() - 1].Touched;
  Prefix Next;
  Prefix &Here = Prefixes.back();
  if (Here.Guided)
    Next.Wakeup = Tree.child(Here.Wakeup);
  Next.FirstSleeper = SleepersInUse;
  for (size_t K = 0; K < Here.NumSleepers; ++K) {
    if (Sleepers[Here.FirstSleeper + K].Process == P || Sleepers[Here.FirstSleeper + K].Touched.conflictsWith(Done))
      continue;
    if (SleepersInUse == Sleepers.size())
      Sleepers.emplace_back();
    Sleeper &Still = Sleepers[SleepersInUse++];
    Still = Sleepers[Here.FirstSleeper + K];
    Still.Touched.after(Done);
    ++Next.NumSleepers;
  }
  Prefixes.push_back(Next);
}

/// Extends the current execution to its end. False if exploration is over.
bool OptimalDpor::forward() {
  for (;;) {
    if (Shared.changed() || Memory.changed() || stopNow(1))
      return false;
    Prefix &Here = Prefixes.back();
    if (Here.Wakeup != WakeupTree::None) {
      ProcessId P = Tree.process(Here.Wakeup);
      if (!C.isEnabled(P)) {
        ++Result.FailedWakeups;
        return true;
      }
      Here.Guided = true;
      take(P);
    } else if (std::optional<ProcessId> P = choose()) {
      Here.Guided = false;
      take(*P);
    } else {
      if (!Enabled.empty())
        ++Result.SleepSetBlocked;
      else
        executionEnded();
      return true;
    }
    if (!Options.Exhaustive && !C.machine().bugs().empty()) {
      executionEnded();
      return true;
    }
  }
}

void OptimalDpor::executionEnded() {
  Ending How = C.ending();
  switch (How) {
  case Ending::Complete:
  case Ending::Buggy: ++Result.Executions; break;
  case Ending::Blocked: ++Result.Blocked; break;
  case Ending::Cut: ++Result.Cut; break;
  }
  Observer.ended(E, How);
  if (How == Ending::Buggy && !Options.Exhaustive) {
    Result.Ended = ExplorationResult::End::FirstBug;
    return;
  }
  settleRaces();
}

/// v = notdep(e, E).e' of the race (e, e'): the steps after e that do not happen after it, with e' directly behind
/// those that come before it. The steps up to e' are the same in all executions in which the two race this way.
size_t OptimalDpor::findSequence(const Race &R) {
  Sequence.clear();
  if (!Adapted.empty())
    Adapted.clear();
  const bool Buffered = C.buffering() != Buffering::None;
  const Execution::Past Before = E.pastWith(R.First);
  auto AddIndependent = [&](uint32_t From, uint32_t To) {
    for (uint32_t K = From; K < To; ++K) {
      if (Before.happensBefore(K))
        continue;
      if (Buffered && E.footprintWithout(R, K, Changed))
        Sequence.push_back({E[K].Process, WakeupStep::NoEvent, &Adapted.emplace_back(Changed)});
      else
        Sequence.push_back({E[K].Process, K, &E[K].Touched});
    }
  };
  AddIndependent(R.First + 1, R.Second);
  const Event &Second = E[R.Second];
  if (Second.Kind == OperationKind::CmpXchg) { // may fail where it succeeded, and the other way round
    Footprint &Other = Adapted.emplace_back(Second.Touched);
    for (uint32_t A = 0; A < Other.size(); ++A)
      Other[A].How = R.SecondWrites ? CellAccess::Write : CellAccess::Read;
    Sequence.push_back({Second.Process, WakeupStep::NoEvent, &Other});
  } else { // one that waits is no event
    Sequence.push_back({Second.Process, R.Second < E.length() ? R.Second : WakeupStep::NoEvent, &Second.Touched});
  }
  const size_t CommonSteps = Sequence.size();
  AddIndependent(R.Second + 1, E.length());
  return CommonSteps;
}

/// Makes sure that the race's reversal is explored, unless something explored or planned covers it.
void OptimalDpor::settle(Race &R) {
  Prefix &Before = Prefixes[R.First];
  size_t CommonSteps = findSequence(R);
  bool Covered = false;
  for (size_t K = 0; K < Before.NumSleepers; ++K) {
    const Sleeper &S = Sleepers[Before.FirstSleeper + K];
    Initial How = WakeupTree::canGoFirst(S.Process, S.Touched, Sequence, CommonSteps);
    if (How == Initial::InPrefix) {
      R.Status = Race::Settled;
      return;
    }
    Covered |= How == Initial::Weak;
  }
  R.Status = Race::Weak;
  if (Covered)
    return;
  // The tree that is being explored is not a place to put more: its steps have been taken.
  WakeupTree::NodeId Planned = Before.Guided ? Tree.next(Before.Wakeup) : Before.Wakeup;
  Initial Led = Tree.insert(Planned, Sequence, CommonSteps);
  if (Before.Guided)
    Tree.setNext(Before.Wakeup, Planned);
  else
    Before.Wakeup = Planned;
  if (Led != Initial::Weak)
    R.Status = Race::Settled;
}

void OptimalDpor::settleRaces() {
  Tree.newExecution();
  // What waits in vain here could have happened elsewhere.
  for (ThreadId T = 0; C.anyUnfinished() && T < C.machine().numThreads(); ++T) {
    ProcessId P = C.processOf(T);
    if (!C.machine().exists(T) || C.machine().status(T) != ThreadStatus::Ready || !C.canWait(P))
      continue;
    Stuck.clear();
    E.racesOfStuck(P, Stuck);
    for (Race &R : Stuck)
      settle(R);
  }
  for (Race &R : E.races()) {
    if (R.Status == Race::Settled)
      continue;
    settle(R);
    if (stopNow(Sequence.size()))
      return;
  }
}

/// Goes back to the latest prefix from which something is left to explore. False if there is none.
bool OptimalDpor::backtrack() {
  while (E.length() > 0) {
    Prefixes.pop_back();
    uint32_t Last = E.length() - 1;
    Prefix &Here = Prefixes.back();
    SleepersInUse = Here.FirstSleeper + Here.NumSleepers;
    if (SleepersInUse == Sleepers.size())
      Sleepers.emplace_back();
    Sleepers[SleepersInUse].Process = E[Last].Process;
    Sleepers[SleepersInUse].Touched = E[Last].Touched;
    ++SleepersInUse;
    ++Here.NumSleepers;
    ++Here.Done;
    E.removeLast();
    if (Here.Guided) {
      Tree.takeFirst(Here.Wakeup);
      Here.Guided = false;
    }
    if (Here.Wakeup != WakeupTree::None)
      return true;
  }
  return false;
}

/// The share of the tree of executions that lies behind the present one, if all branches that are known from a prefix
/// were equally large (as in Knuth: "Estimating the Efficiency of Backtrack Programs"). Branches that will only be
/// found later are not in it.
double OptimalDpor::explored() const {
  double Share = 0, Weight = 1; // of the subtree below the prefix
  for (const Prefix &Here : Prefixes) {
    uint32_t Branches = Here.Done + (Here.Guided ? 0 : 1);
    for (WakeupTree::NodeId N = Here.Wakeup; N != WakeupTree::None; N = Tree.next(N))
      ++Branches;
    Weight /= Branches;
    Share += Weight * Here.Done;
    if (Weight < 1e-9)
      break;
  }
  return Share;
}

void OptimalDpor::tellProgress() {
  const Clock::time_point Now = Clock::now();
  if (Now - LastTold < TellEvery)
    return;
  LastTold = Now;
  Result.Explored = explored();
  Observer.progress(Result);
}

bool OptimalDpor::lookAtLimits() {
  if (Result.Ended != ExplorationResult::End::Everything)
    return true;
  WorkDone = 0;
  tellProgress();
  auto Stop = [&](const char *Why) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = Why;
    return true;
  };
  if (Options.Cancel && *Options.Cancel)
    return Stop("the check was cancelled");
  if (Observer.isEnough(Result))
    return Stop("what was asked for is known");
  if (Options.Deadline && std::chrono::steady_clock::now() > *Options.Deadline)
    return Stop("the time limit was reached");
  const size_t Own = Prefixes.capacity() * sizeof(Prefix) + Sleepers.capacity() * sizeof(Sleeper);
  if (Own + E.bytes() + Tree.bytes() + C.machine().undo().bytes() + C.machine().memory().bytesAllocated() >
      Options.MaxMemoryBytes)
    return Stop("the memory limit was reached");
  return false;
}

void OptimalDpor::exploreAll() {
  C.start();
  E.started();
  Prefixes.emplace_back();
  do
    forward();
  while (!Shared.changed() && !Memory.changed() && !stopNow(1) && backtrack());
}

bool OptimalDpor::run() {
  try {
    exploreAll();
  } catch (const Configuration::Interrupted &) { // a limit, which is in the result
  }
  return !Shared.changed() && !Memory.changed();
}

} // namespace

ExplorationResult exploreOptimally(const Program &P, const ExplorationOptions &Options, ExplorationObserver &Observer) {
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  Cells Memory;
  MachineOptions Machine = Options.Machine;
  Machine.StopAtFences |= Options.Monitor != nullptr;
  for (;;) {
    ExplorationResult Result;
    if (Options.Monitor)
      Options.Monitor->clear();
    Shared.takeChanged();
    Memory.takeChanged();
    Configuration C(P, Shared, Machine, Options.Buffers);
    Execution E(C, Memory, Options.Monitor);
    try {
      if (OptimalDpor(C, E, Shared, Memory, Options, Result, Observer).run()) {
        Observer.finished(C);
        return Result;
      }
    } catch (const Execution::TooManyProcesses &) {
      Result.Ended = ExplorationResult::End::Limit;
      Result.Reason = "more than " + std::to_string(Execution::MaxProcesses) +
                      " threads, or (PSO) locations in contention, are too many for this model";
      return Result;
    } catch (const MachineStop &Stop) {
      if (!Shared.changed() && !Memory.changed()) {
        bool Unsupported = Stop.Why == MachineStop::Unsupported;
        Result.Ended = Unsupported ? ExplorationResult::End::Unsupported : ExplorationResult::End::Limit;
        Result.Reason = Stop.Message;
        Result.ReasonPc = Stop.Pc;
        Result.HasReasonPc = true;
        Observer.finished(C);
        return Result;
      }
    }
    Observer.restarted();
    if ((Options.Cancel && *Options.Cancel) ||
        (Options.Deadline && std::chrono::steady_clock::now() > *Options.Deadline)) {
      Result = ExplorationResult();
      Result.Ended = ExplorationResult::End::Limit;
      Result.Reason = Options.Cancel && *Options.Cancel ? "the check was cancelled" : "the time limit was reached";
      return Result;
    }
  }
}

} // namespace picket
