// Monitors of sequential consistency (Burnim, Sen, Stergiou: "Sound and Complete Monitoring of Sequential Consistency
// in Relaxed Memory Models"). They ride on the executions under SC and tell whether the program has an execution under
// TSO or PSO that SC does not have: some store e of one thread, seen by nobody yet and so still in a buffer as far as
// the others can tell, happens before the last access of another thread, whose next access f is of e's memory. Then
// f could have come before e lands, against the order in which the two stand under SC.
//
// The papers' monitors follow an execution event by event, and find or miss an alarm depending on the order of events
// that could as well have come in another. Here it is asked of the past of f's thread alone: what lies in it a vector
// clock tells, and that tells as well which of its stores must have landed. That is the paper's monitor on the shortest
// execution that can raise this alarm, so that one execution per trace is enough.
#pragma once

#include "memory/Configuration.h"

#include <atomic>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
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

/// What monitoring found, for one exploration after the other. Whether there is an alarm may be asked by other threads,
/// and several may raise one.
class ScMonitor {
public:
  enum Which : uint8_t { Tso, Pso };

  bool alarmed(Which W) const { return Alarmed[W].load(std::memory_order_acquire); }
  /// The alarm with the shortest past so far. To be asked when exploration is over.
  const std::optional<RobustnessAlarm> &alarm(Which W) const { return Alarms[W]; }

  /// Whether an alarm with a past of this length, with its fences, would be the shortest so far.
  bool wants(Which W, size_t Length) const { return Length < Shortest[W].load(std::memory_order_relaxed); }
  void raise(Which W, RobustnessAlarm Alarm, size_t Length) {
    {
      std::lock_guard<std::mutex> Guard(Lock);
      if (!wants(W, Length))
        return;
      Shortest[W] = Length;
      Alarms[W] = std::move(Alarm);
    }
    if (!Alarmed[W].exchange(true, std::memory_order_acq_rel) && OnAlarm)
      OnAlarm();
  }
  std::function<void()> OnAlarm; // hears of the first alarm of each kind; may be empty

  /// Forgets what it found: operations may be counted differently from now on.
  void clear() {
    for (Which W : {Tso, Pso}) {
      Alarms[W].reset();
      Shortest[W] = None;
      Alarmed[W].store(false, std::memory_order_release);
    }
  }

private:
  static constexpr size_t None = std::numeric_limits<size_t>::max();
  std::mutex Lock; // of Alarms, while several explore
  std::optional<RobustnessAlarm> Alarms[2];
  std::atomic<size_t> Shortest[2] = {None, None}; // lengths of their pasts
  std::atomic<bool> Alarmed[2] = {false, false};
};

} // namespace picket
