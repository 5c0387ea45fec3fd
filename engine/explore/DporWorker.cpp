#include "explore/DporWorker.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace picket {

DporWorker::DporWorker(const DporContext &Context, unsigned Number, std::function<void()> RecruitWorkers,
                       ExplorationResult &Result)
    : DporContext(Context), Number(Number), Result(Result), Stealing(Team, Options, std::move(RecruitWorkers)),
      Trees(Team.Nodes), Random(Options.Shuffle) {
  Config.watch([this] { return checkLimits(); });
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
  auto Yields = [&](ProcessId P) { return Config.machine().pending(Config.threadOf(P)).Kind == OperationKind::Yield; };
  if (Exec.length()) {
    ThreadId Running = Config.threadOf(LastProcess);
    if (!Config.bufferEmpty(Running))
      for (ProcessId P : Config.updatesOf(Running))
        if (Config.isEnabled(P) && !asleep(P))
          return P;
    ProcessId P = Config.processOf(Running);
    if (!asleep(P) && Config.isEnabled(P) && !Yields(P))
      return P;
  }
  Config.enabled(Enabled); // in order of preference
  for (ProcessId P : Enabled)
    if (!asleep(P))
      return P;
  return std::nullopt;
}

std::optional<ProcessId> DporWorker::chooseAtRandom() {
  Config.enabled(Enabled);
  std::vector<ProcessId> Awake;
  std::copy_if(Enabled.begin(), Enabled.end(), std::back_inserter(Awake), [&](ProcessId P) { return !asleep(P); });
  return Awake.empty() ? std::nullopt : std::optional(Awake[Random() % Awake.size()]);
}

void DporWorker::take(ProcessId P) {
  Exec.append(P);
  ++Result.Steps;
  LastProcess = P;
  const Footprint &Done = Exec[Exec.length() - 1].Touched;
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
      assert(!asleep(P) && "a planned step is not explored elsewhere");
      if (!Config.isEnabled(P)) {
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
    if (!Options.Exhaustive && !Config.machine().bugs().empty()) {
      executionEnded();
      return;
    }
  }
}

void DporWorker::executionEnded() {
  const Ending How = Config.ending();
  Team.tellEnding(
      How, Options.Exhaustive, Result, [&] { return !Observer.mustKnow(Exec, How); },
      [&] { Observer.ended(Exec, How); });
  if (How != Ending::Buggy || Options.Exhaustive)
    coverRaces();
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
  while (Exec.length() > 0) {
    assert(Prefixes.size() == Exec.length() + size_t(1));
    assert((!Prefixes.back().Wakeup || Result.FailedWakeups || Team.stopped()) && "all that was planned is explored");
    Prefixes.pop_back();
    const uint32_t Last = Exec.length() - 1;
    const bool IsShared = Last < SharedLevels.size();
    Prefix &Here = Prefixes.back();
    SleepersInUse = Here.FirstSleeper + Here.NumSleepers;
    if (!IsShared)
      addSleeper(Exec[Last].Process, Exec[Last].Touched);
    ++Here.Done;
    Exec.removeLast();
    if (Here.Guided) {
      Trees.dropFirst(Here.Wakeup);
      Here.Guided = false;
    }
    if (IsShared) {
      SharedLevels.resize(Exec.length() + 1);
      leaveShared();
    }
    if (IsShared ? takeShared() : Here.Wakeup != nullptr)
      return true;
  }
  return false;
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
  return Prefixes.capacity() * sizeof(Prefix) + Sleepers.capacity() * sizeof(Sleeper) + Exec.bytes() + Config.bytes() +
         Config.machine().undo().bytes() + Config.machine().memory().bytesAllocated() + Config.machine().pointBytes() +
         Config.machine().numThreads() * Machine::BytesPerThread;
}

bool DporWorker::checkLimits() {
  if (Result.Ended != ExplorationResult::End::Everything)
    return true;
  WorkDone = 0;
  const uint64_t Bytes = Stealing.report(Result.Executions, bytes()) + Team.Nodes.bytes();
  Result.Bytes = Bytes;
  Team.tellProgress(Result, [&](ExplorationResult &SoFar) {
    SoFar.Explored = explored();
    Observer.progress(SoFar);
  });
  auto Stop = [&](const char *Why) {
    Result.reachLimit(Why);
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
  Config.start();
  Exec.started();
  Prefixes.emplace_back();
  for (bool Begun = Number == 0;;) {
    while (Begun) {
      forward();
      if (isOver())
        return;
      Stealing.afterExecution(Exec.length(), [this] { offerWork(); });
      Begun = backtrack();
    }
    std::optional<DporJob> Job = Team.take();
    if (!Job || !replay(*Job))
      return;
    Begun = takeShared() || backtrack();
  }
}

void DporWorker::run() {
  try {
    work();
  } catch (const Configuration::Interrupted &) { // a limit, which is in the result
  } catch (const VectorClocks::TooManyProcesses &) {
    Result.reachLimit("more than " + std::to_string(VectorClocks::MaxProcesses) +
                      " threads, or (PSO) locations in contention, are too many for this model");
  } catch (const MachineStop &Stop) {
    Result.stoppedBy(Stop);
  } catch (const std::bad_alloc &) {
    Result.memoryRanOut();
  }
  Config.watch(nullptr); // recording what was found is not stopped by the end of the exploration
  Team.stop();
}

} // namespace picket
