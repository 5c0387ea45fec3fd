// Failure points: operations that may fail spuriously, which are weak compare-and-swaps and waits on condition
// variables.
#pragma once

#include <compare>
#include <cstdint>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace picket {

/// An operation that may fail for no reason, a weak compare-and-swap or a wait on a condition variable, as a thread
/// comes to it (instructions with the flag MayFail). Or a value from outside (Builtin::Choose, Builtin::Nondet): there a
/// value other than the first one counts as the failure.
struct FailurePoint {
  std::vector<uint32_t> Thread;             // its path of creation indices from main
  uint32_t Arrival = 0;                     // how often the thread had come to such an operation before
  static constexpr uint32_t Anywhere = ~0u; // a recording fails at this arrival, whatever the instruction there is now
  uint32_t Pc = Anywhere;
  bool IsChoice = false;
  int64_t Value = 0; // of a choice
  auto operator<=>(const FailurePoint &) const = default;
};

/// Collects the operations that did not fail and might have. Shared by all machines that run a program.
class FailurePoints {
public:
  void add(FailurePoint Point) {
    std::lock_guard<std::mutex> Guard(Lock);
    All.insert(std::move(Point));
  }
  std::set<FailurePoint> take() {
    std::lock_guard<std::mutex> Guard(Lock);
    return std::exchange(All, {});
  }

private:
  std::mutex Lock;
  std::set<FailurePoint> All;
};

} // namespace picket
