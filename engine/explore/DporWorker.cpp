#include "explore/DporWorker.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace picket {

DporWorker::DporWorker(const Surroundings &Here, unsigned Number, ExplorationResult &Result)
    : C(Here.C), E(Here.E), Shared(Here.Shared), Memory(Here.Memory), Options(Here.Options), Observer(Here.Observer),
      Team(Here.Team), LookForOthers(Here.LookForOthers), Number(Number), Result(Result), Trees(Team.Nodes),
      Random(Options.Shuffle) {
  C.watch([this] { return lookAtLimits(); });
}

bool DporWorker::asleep(ProcessId P) const {
  const Prefix &Here = Prefixes.back();
  for (size_t K = 0; K < Here.NumSleepers; ++K)
    if (Sleepers[Here.FirstSleeper + K].Process == P)
      return true;
  return false;
}

/// A step to explore from a prefix where nothing is planned: the running thread goes on, emptying its buffer first,
/// since executions with few switches and delays are the easiest to read.
std::optional<ProcessId> DporWorker::choose() {
  if (Options.Shuffle)
    return chooseAtRandom();
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

std::optional<ProcessId> DporWorker::chooseAtRandom() {
  C.enabled(Enabled);
  std::vector<ProcessId> Awake;
  std::copy_if(Enabled.begin(), Enabled.end(), std::back_inserter(Awake), [&](ProcessId P) { return !asleep(P); });
  return Awake.empty() ? std::nullopt : std::optional(Awake[Random() % Awake.size()]);
}

void DporWorker::take(ProcessId P) {
  E.append(P);
  ++Result.Steps;
  LastProcess = P;
  const Footprint &Done = E[E.length() - 1].Touched;
  Prefix Next;
  Prefix &Here = Prefixes.back();
  if (Here.Guided)
    Next.Wakeup = Trees.child(*Here.Wakeup);
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

/// Extends the current execution to its end, unless exploration is over.
void DporWorker::forward() {
  while (!isOver()) {
    Prefix &Here = Prefixes.back();
    if (Here.Wakeup) {
      ProcessId P = Here.Wakeup->Process;
      if (!C.isEnabled(P)) {
        ++Result.FailedWakeups;
        return;
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
      return;
    }
    if (!Options.Exhaustive && !C.machine().bugs().empty()) {
      executionEnded();
      return;
    }
  }
}

void DporWorker::executionEnded() {
  const Ending How = C.ending();
  Team.tellEnding(
      How, Options.Exhaustive, Result, [&] { return !Observer.mustKnow(E, How); }, [&] { Observer.ended(E, How); });
  if (How != Ending::Buggy || Options.Exhaustive)
    settleRaces();
}

/// A footprint with other accesses of the same cells.
Footprint &DporWorker::adapted(const Footprint &Touched, CellAccess::Mode How) {
  Footprint &Other = Adapted.emplace_back(Touched);
  for (uint32_t A = 0; A < Other.size(); ++A)
    Other[A].How = How;
  return Other;
}

/// v = notdep(e, E).e' of the race (e, e'): the steps after e that do not happen after it, with e' directly behind
/// those that come before it. The steps up to e' are the same in all executions in which the two race this way.
size_t DporWorker::findSequence(const Race &R) {
  Sequence.clear();
  if (!Adapted.empty())
    Adapted.clear();
  const bool Buffered = C.buffering() != Buffering::None;
  SequenceDiffers = false;
  const Execution::Past Before = E.pastWith(R.First);
  auto AddIndependent = [&](uint32_t From, uint32_t To) {
    for (uint32_t K = From; K < To; ++K) {
      if (Before.happensBefore(K) || (R.Also && E.isOut(R, K)))
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
    // One that begins to write conflicts with reads of cells that its first event has not written. They come before it:
    // the other order is what the race with them leads to.
    if (R.SecondWrites && Second.Touched.size() > 1 && Second.Touched[0].How != CellAccess::Write) {
      SequenceDiffers = true;
      const size_t CommonSteps = Sequence.size();
      AddIndependent(R.Second + 1, E.length());
      Sequence.push_back({Second.Process, WakeupStep::NoEvent, &adapted(Second.Touched, CellAccess::Write)});
      return CommonSteps;
    }
    const CellAccess::Mode How = R.SecondWrites ? CellAccess::Write : CellAccess::Read;
    Sequence.push_back({Second.Process, WakeupStep::NoEvent, &adapted(Second.Touched, How)});
  } else { // one that waits is no event
    Sequence.push_back({Second.Process, R.Second < E.length() ? R.Second : WakeupStep::NoEvent, &Second.Touched});
  }
  const size_t CommonSteps = Sequence.size();
  AddIndependent(R.Second + 1, E.length());
  return CommonSteps;
}

/// Whether the process need not be looked at any more for the race whose sequence was found last: it goes first in all
/// executions with the race. `Covered`: in this one it does, at least.
bool DporWorker::settles(const Sleeper &S, size_t CommonSteps, bool &Covered) const {
  const Initial How = WakeupTrees::canGoFirst(S.Process, S.Touched, Sequence, CommonSteps);
  Covered |= How == Initial::Weak;
  return How == Initial::InPrefix;
}

/// Makes sure that the race's reversal is explored, unless something explored or planned covers it.
void DporWorker::settle(Race &R) {
  if (R.First < SharedLevels.size())
    return settleShared(R, *SharedLevels[R.First].Prefix);
  Prefix &Before = Prefixes[R.First];
  size_t CommonSteps = findSequence(R);
  bool Covered = false;
  for (size_t K = 0; K < Before.NumSleepers; ++K)
    if (settles(Sleepers[Before.FirstSleeper + K], CommonSteps, Covered)) {
      R.Status = Race::CoveredForGood;
      return;
    }
  R.Status = Race::Covered;
  if (Covered)
    return;
  // The tree that is being explored is not a place to put more: its steps have been taken.
  if (Trees.insert(plannedFrom(Before), Sequence, CommonSteps) && Options.SettleRaces && !SequenceDiffers)
    R.Status = Race::CoveredForGood;
}

/// The same where others explore from the same prefix.
void DporWorker::settleShared(Race &R, SharedPrefix &Before) {
  const size_t CommonSteps = findSequence(R);
  const ProcessId Own = E[R.First].Process; // what is explored here goes the other way round
  std::lock_guard<std::mutex> Guard(Before.Lock);
  bool Covered = false;
  auto Settles = [&](const Sleeper &S) { return S.Process != Own && settles(S, CommonSteps, Covered); };
  if (std::any_of(Before.Asleep.begin(), Before.Asleep.end(), Settles) ||
      std::any_of(Before.Branches.begin(), Before.Branches.end(),
                  [&](const SharedPrefix::Branch &B) { return !B.Early && Settles(B.First); })) {
    R.Status = Race::CoveredForGood;
    return;
  }
  R.Status = Race::Covered;
  if (Covered)
    return;
  if (Trees.insert(Before.Planned, Sequence, CommonSteps, Own) && Options.SettleRaces && !SequenceDiffers)
    R.Status = Race::CoveredForGood;
}

void DporWorker::settleRaces() {
  Trees.newExecution();
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
    if (R.Status == Race::CoveredForGood)
      continue;
    settle(R);
    if (stopNow(Sequence.size()))
      return;
  }
}

void DporWorker::addSleeper(ProcessId P, const Footprint &Touched) {
  if (SleepersInUse == Sleepers.size())
    Sleepers.emplace_back();
  Sleepers[SleepersInUse].Process = P;
  Sleepers[SleepersInUse].Touched = Touched;
  ++SleepersInUse;
  ++Prefixes.back().NumSleepers;
}

/// Goes back to the latest prefix from which something is left to explore. False if there is none.
bool DporWorker::backtrack() {
  while (E.length() > 0) {
    Prefixes.pop_back();
    const uint32_t Last = E.length() - 1;
    const bool IsShared = Last < SharedLevels.size();
    Prefix &Here = Prefixes.back();
    SleepersInUse = Here.FirstSleeper + Here.NumSleepers;
    if (!IsShared)
      addSleeper(E[Last].Process, E[Last].Touched);
    ++Here.Done;
    E.removeLast();
    if (Here.Guided) {
      Trees.dropFirst(Here.Wakeup);
      Here.Guided = false;
    }
    if (IsShared) {
      SharedLevels.resize(E.length() + 1);
      leaveShared();
    }
    if (IsShared ? takeShared() : Here.Wakeup != nullptr)
      return true;
  }
  return false;
}

/// The first of the trees planned from a prefix whose first step conflicts with these, and with those of the trees
/// before it; none if there is none.
static WakeupNode *findApart(WakeupNode *First, std::vector<const Footprint *> &Others) {
  for (WakeupNode *N = First; N; N = N->Next) {
    if (N->Mark)
      continue;
    const Footprint &Mine = N->Touched;
    if (std::all_of(Others.begin(), Others.end(), [&](const Footprint *F) { return F->conflictsWith(Mine); }))
      return N;
    Others.push_back(&Mine);
  }
  return nullptr;
}

/// The first of the trees planned from a prefix that can be begun now; none if none can.
static WakeupNode *findPossible(const SharedPrefix &From) {
  if (std::none_of(From.Branches.begin(), From.Branches.end(),
                   [](const SharedPrefix::Branch &B) { return B.Inside > 0; })) {
    WakeupNode *First = From.Planned;
    while (First && First->Mark)
      First = First->Next;
    return First;
  }
  std::vector<const Footprint *> Others;
  for (const SharedPrefix::Branch &B : From.Branches)
    if (B.Inside)
      Others.push_back(&B.First.Touched);
  return findApart(From.Planned, Others);
}

/// Begins one of the branches that are planned from the present prefix, which is shared. False if none can be begun:
/// what is left is for those who are still in the others.
bool DporWorker::takeShared() {
  SharedPrefix &From = *SharedLevels.back().Prefix;
  std::lock_guard<std::mutex> Guard(From.Lock);
  for (;;) {
    WakeupNode *Possible = findPossible(From);
    if (!Possible)
      return false;
    Prefix &Here = Prefixes.back();
    const bool Early = Possible != From.Planned;
    Here.Wakeup = Trees.takeTree(From.Planned, Possible);
    const ProcessId P = Here.Wakeup->Process;
    if (!C.isEnabled(P)) {
      ++Result.FailedWakeups;
      LostItsWay = true;
      Trees.dropFirst(Here.Wakeup);
      continue;
    }
    Here.Guided = true;
    SleepersInUse = Here.FirstSleeper;
    Here.NumSleepers = 0;
    for (const Sleeper &S : From.Asleep)
      addSleeper(S.Process, S.Touched);
    for (const SharedPrefix::Branch &B : From.Branches)
      addSleeper(B.First.Process, B.First.Touched);
    take(P);
    SharedLevels.back().Branch = From.Branches.size();
    From.Branches.push_back({{P, E[E.length() - 1].Touched}, 1, Early});
    return true;
  }
}

/// The branch that was explored from the present prefix is left.
void DporWorker::leaveShared() {
  const SharedLevel &Here = SharedLevels.back();
  std::lock_guard<std::mutex> Guard(Here.Prefix->Lock);
  --Here.Prefix->Branches[Here.Branch].Inside;
}

/// Shares the first prefixes of the current execution, as many as `Levels`: what is planned from them is anybody's.
void DporWorker::share(size_t Levels) {
  while (SharedLevels.size() < Levels) {
    const size_t Level = SharedLevels.size();
    Prefix &Here = Prefixes[Level];
    auto New = std::make_shared<SharedPrefix>();
    New->Asleep.assign(Sleepers.begin() + static_cast<ptrdiff_t>(Here.FirstSleeper),
                       Sleepers.begin() + static_cast<ptrdiff_t>(Here.FirstSleeper + Here.NumSleepers));
    const Event &Own = E[static_cast<uint32_t>(Level)];
    New->Branches.push_back({{Own.Process, Own.Touched}, 1, false});
    New->DoneBefore = Here.Done;
    New->Planned = std::exchange(plannedFrom(Here), nullptr);
    SharedLevels.push_back({std::move(New), 0});
  }
}

/// Whether a worker could begin something that is planned from a prefix of the current execution.
bool DporWorker::hasPossible(size_t Level) {
  if (Level < SharedLevels.size()) {
    SharedPrefix &From = *SharedLevels[Level].Prefix;
    std::lock_guard<std::mutex> Guard(From.Lock);
    return findPossible(From) != nullptr;
  }
  std::vector<const Footprint *> Others{&E[static_cast<uint32_t>(Level)].Touched};
  return findApart(plannedFrom(Prefixes[Level]), Others) != nullptr;
}

/// Gives away what is planned from the shortest prefix from which something can be begun.
void DporWorker::offerSomething() {
  size_t Level = 0;
  while (Level < E.length() && !hasPossible(Level))
    ++Level;
  if (Level == E.length())
    return;
  share(Level + 1);
  DporJob Job;
  Job.Levels.assign(SharedLevels.begin(), SharedLevels.begin() + static_cast<ptrdiff_t>(Level + 1));
  for (uint32_t K = 0; K < Level; ++K) {
    Job.Steps.push_back(E[K].Process);
    const SharedLevel &On = SharedLevels[K];
    std::lock_guard<std::mutex> Guard(On.Prefix->Lock);
    ++On.Prefix->Branches[On.Branch].Inside;
  }
  Team.offer(std::move(Job));
}

/// Goes to where a job begins. False if there is no way: what this worker takes to be shared differs from what the
/// other does, and exploration must start over.
bool DporWorker::follow(const DporJob &Job) {
  Prefixes.assign(1, Prefix());
  SleepersInUse = 0;
  SharedLevels = Job.Levels;
  for (ProcessId P : Job.Steps) {
    if (!C.isEnabled(P)) {
      LostItsWay = true;
      return false;
    }
    E.append(P);
    LastProcess = P;
    Prefixes.emplace_back();
  }
  return true;
}

/// Between two executions: whether others want work, or (the first worker) can be had.
void DporWorker::lookAround() {
  EventsSeen += E.length();
  if (EventsSeen < EventsAtLook)
    return;
  EventsAtLook = EventsSeen + Options.EventsBetweenOffers;
  if (LookForOthers && EventsSeen >= Options.EventsAlone)
    LookForOthers();
  if (Team.someoneWaits())
    offerSomething();
}

/// The share of the tree of executions that lies behind the present one, if all branches that are known from a prefix
/// were equally large (as in Knuth: "Estimating the Efficiency of Backtrack Programs"). Branches that will only be
/// found later are not in it.
double DporWorker::explored() const {
  double Share = 0, Weight = 1; // of the subtree below the prefix
  for (size_t Level = 0; Level < Prefixes.size(); ++Level) {
    const Prefix &Here = Prefixes[Level];
    double Done = Here.Done;
    uint32_t Branches = Here.Done + (Here.Guided ? 0 : 1);
    for (const WakeupNode *N = Here.Wakeup; N; N = N->Next)
      ++Branches;
    if (Level < SharedLevels.size()) {
      SharedPrefix &With = *SharedLevels[Level].Prefix;
      std::unique_lock<std::mutex> Guard(With.Lock, std::try_to_lock); // this worker may hold it
      if (!Guard)
        break;
      Branches = With.DoneBefore + static_cast<uint32_t>(With.Branches.size());
      Done = With.DoneBefore;
      for (size_t K = 0; K < With.Branches.size(); ++K)
        if (K != SharedLevels[Level].Branch)
          Done += With.Branches[K].Inside ? .5 : 1; // others are somewhere in it
      for (const WakeupNode *N = With.Planned; N; N = N->Next)
        Branches += !N->Mark;
    }
    Weight /= Branches;
    Share += Weight * Done;
    if (Weight < 1e-9)
      break;
  }
  return Share;
}

/// Whether the observer has what it needs. It may take its time for that, and hears of nothing meanwhile.
bool DporWorker::isEnough() {
  std::unique_lock<std::mutex> Guard(Team.Telling, std::defer_lock);
  if (Team.hasSeveral())
    Guard.lock();
  return Observer.isEnough(Result);
}

/// What this worker has for itself.
uint64_t DporWorker::bytes() const {
  return Prefixes.capacity() * sizeof(Prefix) + Sleepers.capacity() * sizeof(Sleeper) + E.bytes() + C.bytes() +
         C.machine().undo().bytes() + C.machine().memory().bytesAllocated() + C.machine().pointBytes() +
         C.machine().numThreads() * Machine::BytesPerThread;
}

bool DporWorker::lookAtLimits() {
  if (Result.Ended != ExplorationResult::End::Everything)
    return true;
  WorkDone = 0;
  Team.Executions += Result.Executions - ExecutionsTold;
  ExecutionsTold = Result.Executions;
  const uint64_t Own = bytes();
  const uint64_t Bytes = (Team.Bytes += Own - BytesTold) + Team.Nodes.bytes();
  BytesTold = Own;
  Result.Bytes = Bytes;
  Team.tellProgress(Result, [&](ExplorationResult &SoFar) {
    SoFar.Explored = explored();
    Observer.progress(SoFar);
  });
  auto Stop = [&](const char *Why) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = Why;
    return true;
  };
  if (Team.stopped())
    return Stop(""); // another knows why
  if (Options.Cancel && *Options.Cancel)
    return Stop("the check was cancelled");
  if (Number == 0 && isEnough())
    return Stop("what was asked for is known");
  if (Options.Deadline && std::chrono::steady_clock::now() > *Options.Deadline)
    return Stop("the time limit was reached");
  if (Bytes > Options.MaxMemoryBytes - Options.MaxMemoryBytes / 16) // a table that grows is there twice for a moment
    return Stop("the memory limit was reached");
  return false;
}

void DporWorker::work() {
  C.start();
  E.started();
  Prefixes.emplace_back();
  for (bool Begun = Number == 0;;) {
    while (Begun) {
      forward();
      if (isOver())
        return;
      lookAround();
      Begun = backtrack();
    }
    std::optional<DporJob> Job = Team.take();
    if (!Job || !follow(*Job))
      return;
    Begun = takeShared() || backtrack();
  }
}

void DporWorker::run() {
  try {
    work();
  } catch (const Configuration::Interrupted &) { // a limit, which is in the result
  } catch (const VectorClocks::TooManyProcesses &) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = "more than " + std::to_string(VectorClocks::MaxProcesses) +
                    " threads, or (PSO) locations in contention, are too many for this model";
  } catch (const MachineStop &Stop) {
    const bool Unsupported = Stop.Why == MachineStop::Unsupported;
    Result.Ended = Unsupported ? ExplorationResult::End::Unsupported : ExplorationResult::End::Limit;
    Result.Reason = Stop.Message;
    Result.ReasonPc = Stop.Pc;
    Result.HasReasonPc = true;
  } catch (const std::bad_alloc &) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = "memory ran out";
  }
  C.watch(nullptr); // who records what was found is not stopped by the end of the exploration
  Team.stop();
}

} // namespace picket
