// The team of workers that walk through the states of a program together, each with a configuration of its own, and the
// jobs that they steal. They have one table of states: the worker that first comes to a state takes the steps from it.
//
// A step that was put off (the reduction) must not be put off for ever. So every circle of states must have one from
// which all steps are taken. Here is why it has: a state is open until its worker goes back from it, and all steps are
// taken from a state if one of them leads to a state that is open, in whichever worker. Only states from which all
// steps are taken anyway are those that steps are given away from. Take a circle of others, and in it the state that is
// left first. The next one on the circle was entered from there, and left earlier, since the same worker did both; or
// it was known, and if it was not open it was left earlier as well. So it was open, and all steps were taken.
#pragma once

#include "explore/ByteTable.h"
#include "explore/Team.h"

#include <deque>

namespace picket {

struct Choice {
  ProcessId Process;
  uint8_t How = 0; // for the rules to tell apart
};

/// A step that was given away: the last of these. The others lead to the state it is taken from.
struct StateJob {
  std::vector<Choice> Way;
  uint32_t From = 0;
};

/// What the workers have in common. As long as there is one, nothing is locked.
class StateTeam {
public:
  using OpenFlag = std::atomic<bool>;
  struct Known {
    uint32_t State;
    bool IsNew, IsOpen;
    OpenFlag *Flag; // to be cleared by the worker that leaves the state
  };
  Known insert(std::string_view Bytes) {
    const uint32_t Hash = ByteTable::hashOf(Bytes); // as little as possible is done while others wait
    const std::unique_lock<std::mutex> Guard = lock();
    const auto [State, IsNew] = States.insert(Bytes, Hash);
    if (IsNew)
      Open.emplace_back(true);
    if (Guard && IsNew)
      tellBytes();
    return {State, IsNew, Open[State], &Open[State]};
  }
  /// The number of a part of states.
  uint32_t part(std::string_view Bytes) {
    std::lock_guard<std::mutex> Guard(TableLock);
    const auto [Number, IsNew] = Parts.insert(Bytes);
    if (IsNew)
      tellBytes();
    return Number;
  }
  uint64_t bytesWithGrowth() const {
    return Work->hasSeveral() ? TableBytes.load(std::memory_order_relaxed) : countBytes();
  }
  uint64_t bytes() const {
    return Work->hasSeveral() ? TableBytes.load(std::memory_order_relaxed) : States.bytes() + Parts.bytes();
  }

  /// A walk begins.
  void clear() {
    States.clear();
    Open.clear();
    TableBytes = 0;
    Work.emplace();
    NumStates = NumTransitions = StatesWhenGrown = 0;
    Stale = Unfinished = ReplayDiverged = false;
  }
  /// Ends the walk for good.
  void stop() {
    Stopped = true;
    Work->stop();
  }

  std::optional<Team<StateJob>> Work{std::in_place};
  std::atomic<uint64_t> NumStates = 0, NumTransitions = 0; // of all, as far as they have told
  std::atomic<uint64_t> StatesWhenGrown = 0;
  std::atomic<bool> Stale = false;          // what was relied on has turned out to be too little
  std::atomic<bool> Unfinished = false;     // somebody has steps left
  std::atomic<bool> ReplayDiverged = false; // the steps of a stolen job were not possible
  std::atomic<bool> Stopped = false;        // the walk does not begin again
  std::chrono::steady_clock::time_point LastTold = std::chrono::steady_clock::now(); // while somebody tells

private:
  /// Whoever has the lock has it for less time than it takes to go to sleep.
  std::unique_lock<std::mutex> lock() {
    if (!Work->hasSeveral())
      return {};
    constexpr int Tries = 200;
    std::unique_lock<std::mutex> Guard(TableLock, std::defer_lock);
    for (int K = 0; K < Tries; ++K)
      if (Guard.try_lock())
        return Guard;
    Guard.lock();
    return Guard;
  }
  uint64_t countBytes() const {
    return States.bytesWithGrowth() + Parts.bytesWithGrowth() + Open.size() * sizeof(OpenFlag);
  }
  /// All read it at each step: it is written only when it changes by much.
  void tellBytes() {
    constexpr uint64_t Little = 1 << 12;
    const uint64_t Now = countBytes();
    if (Now >= TableBytes.load(std::memory_order_relaxed) + Little)
      TableBytes.store(Now, std::memory_order_relaxed);
  }

  // What is written at each step stays away from what is only read (the size of a cache line).
  std::atomic<uint64_t> TableBytes = 0;
  alignas(64) std::mutex TableLock;
  ByteTable States, Parts;   // Parts: once there are several
  std::deque<OpenFlag> Open; // per state; they stay where they are
};

} // namespace picket
