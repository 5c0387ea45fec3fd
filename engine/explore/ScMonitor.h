// What monitors of sequential consistency have found: alarms, each of which shows that a program is not robust. The
// monitors ride on executions under SC (ExecutionMonitor).
#pragma once

#include "memory/Configuration.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace picket {

/// An access in terms that hold in every run.
struct MonitoredAccess {
  std::vector<uint32_t> Thread; // path of creation, see Machine::pathOf
  uint32_t Operation = 0;       // which one of the thread
  uint32_t Pc = 0;
};

/// Why a program is not robust.
struct RobustnessAlarm {
  std::vector<MonitoredAccess> Past; // of the observing thread, in an order of SC: contains Delayed and Overtaker
  MonitoredAccess Delayed;           // a store
  MonitoredAccess Overtaker;         // a later access of its thread, which it is delayed past
  MonitoredAccess Observer;          // comes next, and before the store lands
};

/// The instructions of an alarm. The paper counts two alarms as one if store, previous access and observer are the
/// same.
struct AlarmInstructions {
  static constexpr uint32_t None = ~0u;
  uint32_t Store = None, Overtaker = None;
  uint32_t Previous = None; // the observing thread's last access before the observer
  uint32_t Observer = None;
  auto operator<=>(const AlarmInstructions &) const = default;
};

/// All alarms with the same store and the same observer, as instructions.
struct AlarmedPair {
  size_t Length = std::numeric_limits<size_t>::max(); // of the shortest alarm's past, with its fences
  RobustnessAlarm Shortest;                           // its past is empty where `HasPast` is false
  bool HasPast = false;
  std::set<uint32_t> Overtakers, Previous; // of all of them
};

/// The alarms of all monitors of an exploration, for one exploration after the other. Whether there is one may be asked
/// by other threads, and several may raise one.
class ScMonitor {
public:
  using Pairs = std::map<std::pair<uint32_t, uint32_t>, AlarmedPair>; // by the pcs of store and observer

  bool alarmed(MemoryModel M) const { return Alarmed[indexOf(M)].load(std::memory_order_acquire); }
  /// All that were raised so far. To be asked when exploration is over.
  const Pairs &alarms(MemoryModel M) const { return Raised[indexOf(M)]; }
  /// The same, those with the shortest past first.
  std::vector<const AlarmedPair *> sorted(MemoryModel M) const {
    std::vector<const AlarmedPair *> Result;
    for (const auto &[Instructions, Pair] : Raised[indexOf(M)])
      Result.push_back(&Pair);
    std::stable_sort(Result.begin(), Result.end(), [](const AlarmedPair *A, const AlarmedPair *B) {
      return std::pair(!A->HasPast, A->Length) < std::pair(!B->HasPast, B->Length);
    });
    return Result;
  }

  /// `MakeAlarm` is called if the alarm's past is the shortest for its store and observer so far.
  template <typename Make>
  void raise(MemoryModel M, const AlarmInstructions &At, size_t Length, const Make &MakeAlarm) {
    {
      std::lock_guard<std::mutex> Guard(Lock);
      AlarmedPair &Pair = Raised[indexOf(M)][{At.Store, At.Observer}];
      Pair.Overtakers.insert(At.Overtaker);
      if (At.Previous != AlarmInstructions::None)
        Pair.Previous.insert(At.Previous);
      if (Length < Pair.Length) {
        const bool Room = Pair.HasPast || NumPasts[indexOf(M)] < MostPasts;
        NumPasts[indexOf(M)] += Room && !Pair.HasPast;
        Pair.Length = Length;
        Pair.Shortest = MakeAlarm();
        Pair.HasPast = Room;
        if (!Room)
          Pair.Shortest.Past.clear();
      }
    }
    if (!Alarmed[indexOf(M)].exchange(true, std::memory_order_acq_rel) && OnAlarm)
      OnAlarm();
  }
  std::function<void()> OnAlarm; // hears of the first alarm of each kind; may be empty

  /// Forgets what it found: operations may be counted differently from now on. Executions that raise alarms must be
  /// made anew, since they remember what they have raised.
  void clear() {
    for (size_t M = 0; M < MemoryModels.size(); ++M) {
      Raised[M].clear();
      NumPasts[M] = 0;
      Alarmed[M].store(false, std::memory_order_release);
    }
  }

private:
  static size_t indexOf(MemoryModel M) { return static_cast<size_t>(M); }

  static constexpr size_t MostPasts = 512; // that are kept: these take up the memory
  std::mutex Lock;                         // of Raised and NumPasts, while several explore
  // By model.
  Pairs Raised[MemoryModels.size()];
  size_t NumPasts[MemoryModels.size()] = {};
  std::atomic<bool> Alarmed[MemoryModels.size()] = {};
};

} // namespace picket
