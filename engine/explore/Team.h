// Workers that explore one tree of executions together, each with a machine of its own: who takes part, what is left
// for whoever comes next, and what they tell the observer.
#pragma once

#include "explore/Exploration.h"

#include <condition_variable>
#include <deque>
#include <mutex>

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

  /// Waits for a job. None: nobody has work left, or all are to stop.
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
    ++Members; // also in those who look without the lock: before the new one begins
  }
  bool hasSeveral() const { return Members > 1; }

  std::mutex Telling; // held while the observer is told something
  std::chrono::steady_clock::time_point LastTold = std::chrono::steady_clock::now();
  std::atomic<uint64_t> Executions = 0, Bytes = 0; // of all, as far as they have told

private:
  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<Job> Jobs;
  std::atomic<uint32_t> Members = 1;
  uint32_t Waiting = 0;
  std::atomic<int32_t> Wanted = 0; // jobs: those who wait, less what there is for them
  std::atomic<bool> Stopped = false;
};

/// What one worker has found out besides the others.
inline void addResult(ExplorationResult &To, const ExplorationResult &From) {
  using End = ExplorationResult::End;
  To.Executions += From.Executions;
  To.Blocked += From.Blocked;
  To.Cut += From.Cut;
  To.Steps += From.Steps;
  To.SleepSetBlocked += From.SleepSetBlocked;
  To.FailedWakeups += From.FailedWakeups;
  To.RejectedBranches += From.RejectedBranches;
  // One bug is an answer; something unsupported is a reason that stays; workers that were told to stop have none.
  auto Weight = [](const ExplorationResult &R) {
    return R.Ended == End::FirstBug      ? 4
           : R.Ended == End::Unsupported ? 3
           : R.Ended == End::Limit       ? (R.Reason.empty() ? 0 : 2)
                                         : 1;
  };
  if (Weight(From) <= Weight(To))
    return;
  To.Ended = From.Ended;
  To.Reason = From.Reason;
  To.ReasonPc = From.ReasonPc;
  To.HasReasonPc = From.HasReasonPc;
  To.NotAsGraph = From.NotAsGraph;
}

} // namespace picket
