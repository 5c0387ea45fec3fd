// Workers that explore one tree of executions together, each with a machine of its own (work stealing): who takes part,
// the jobs that are there to be stolen, and what they tell the observer.
#pragma once

#include "explore/Exploration.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace picket {

/// Job: where there is something left to explore.
template <typename Job> class Team {
public:
  /// Whether somebody would take a job now.
  bool someoneWaits() const { return Wanted.load(std::memory_order_relaxed) > 0; }

  void offer(Job New) {
    std::lock_guard<std::mutex> Guard(Lock);
    Jobs.push_back(std::move(New));
    --Wanted;
    Changed.notify_one();
  }

  /// Waits for a job to steal. None: nobody has work left, or all are to stop.
  std::optional<Job> take() {
    std::unique_lock<std::mutex> Guard(Lock);
    ++Waiting;
    ++Wanted;
    if (Waiting == Members && Jobs.empty())
      Stopped = true;
    if (Stopped)
      Changed.notify_all();
    Changed.wait(Guard, [&] { return Stopped || !Jobs.empty(); });
    if (Stopped)
      return std::nullopt;
    --Waiting;
    Job First = std::move(Jobs.front());
    Jobs.pop_front();
    return First;
  }

  void stop() {
    std::lock_guard<std::mutex> Guard(Lock);
    Stopped = true;
    Changed.notify_all();
  }
  bool stopped() const { return Stopped.load(std::memory_order_relaxed); }

  /// One more will take part.
  void addMember() {
    std::lock_guard<std::mutex> Guard(Lock);
    ++Members; // before the new one begins, since others look without the lock
  }
  bool hasSeveral() const { return Members > 1; }

  /// Counts an execution and tells of it. The observer hears of one execution at a time, and of one bug only where the
  /// first ends the exploration. CanDoWithout: asked of an execution without a bug, whether the observer need not hear
  /// of it.
  template <typename NeedNot, typename Tell>
  void tellEnding(Ending How, bool Exhaustive, ExplorationResult &Result, NeedNot CanDoWithout, Tell TellOf) {
    std::unique_lock<std::mutex> Guard(Telling, std::defer_lock);
    const bool Tells = !hasSeveral() || How == Ending::Buggy || !CanDoWithout();
    if (Tells && hasSeveral())
      Guard.lock();
    const bool Last = How == Ending::Buggy && !Exhaustive;
    if (Last && stopped())
      return;
    switch (How) {
    case Ending::Complete:
    case Ending::Buggy: ++Result.Executions; break;
    case Ending::Blocked: ++Result.Blocked; break;
    case Ending::Cut: ++Result.Cut; break;
    case Ending::Unchecked: ++Result.Unchecked; break;
    }
    if (Tells)
      TellOf();
    if (Last) {
      Result.Ended = ExplorationResult::End::FirstBug;
      stop();
    }
  }

  /// Lets one of them tell how far all are, if it is time again and nobody tells anything else.
  template <typename Tell> void tellProgress(const ExplorationResult &Result, Tell TellOf) {
    constexpr std::chrono::milliseconds TellEvery{100};
    std::unique_lock<std::mutex> Guard(Telling, std::try_to_lock);
    const auto Now = std::chrono::steady_clock::now();
    if (!Guard || Now - LastTold < TellEvery)
      return;
    LastTold = Now;
    ExplorationResult SoFar = Result;
    SoFar.Executions = Executions;
    TellOf(SoFar);
  }

  std::mutex Telling;                              // held while the observer is told something
  std::atomic<uint64_t> Executions = 0, Bytes = 0; // of all, as far as they have told

private:
  std::chrono::steady_clock::time_point LastTold = std::chrono::steady_clock::now();
  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<Job> Jobs;
  std::atomic<uint32_t> Members = 1;
  uint32_t Waiting = 0;
  std::atomic<int32_t> Wanted = 0; // jobs: the members that wait, less the jobs that there are
  std::atomic<bool> Stopped = false;
};

/// The workers besides the first: each with all it needs, `run()`, and a `Thread` to run in.
template <typename Helper> class Helpers {
public:
  explicit Helpers(SpareCores *Spare) : Spare(Spare) {}

  /// Recruits a worker, if a core is free and there is memory. `Bytes`: of all workers; a new one will need as much as
  /// each of those that are there.
  template <typename Team, typename Make> void add(Team &With, uint64_t Bytes, uint64_t MaxBytes, Make MakeOne) {
    if (Bytes + Bytes / (All.size() + 1) > MaxBytes || !Spare->take())
      return;
    try {
      All.push_back(MakeOne(static_cast<unsigned>(All.size()) + 1));
    } catch (...) {
      Spare->giveBack();
      throw;
    }
    With.addMember();
    Helper &New = *All.back();
    New.Thread = std::thread([&New] { New.run(); });
  }

  /// Runs the first worker, in this thread, and waits for the others.
  template <typename Team, typename Worker> void runWith(Team &With, Worker &First) {
    try {
      First.run();
    } catch (...) { // the observer has seen enough
      With.stop();
      join();
      throw;
    }
    join();
  }

  bool empty() const { return All.empty(); }
  auto begin() const { return All.begin(); }
  auto end() const { return All.end(); }

private:
  void join() {
    for (const std::unique_ptr<Helper> &H : All) {
      H->Thread.join();
      Spare->giveBack();
    }
  }

  SpareCores *const Spare;
  std::vector<std::unique_ptr<Helper>> All;
};

/// Adds what another worker has found out.
inline void addResult(ExplorationResult &To, const ExplorationResult &From) {
  To.Executions += From.Executions;
  To.Blocked += From.Blocked;
  To.Cut += From.Cut;
  To.Unchecked += From.Unchecked;
  To.Steps += From.Steps;
  To.SleepSetBlocked += From.SleepSetBlocked;
  To.FailedWakeups += From.FailedWakeups;
  To.RejectedBranches += From.RejectedBranches;
  if (To.takeStronger(From))
    To.NotAsGraph = From.NotAsGraph;
}

} // namespace picket
