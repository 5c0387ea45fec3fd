// Operations that may fail for no reason (a weak compare-and-swap, a wait for a condition): which of them are to fail in
// this program, and which others might have. Program::Failures names those that are to fail.
#pragma once

#include "machine/RunEffects.h"
#include "machine/ThreadTable.h"

namespace picket {

class SpuriousFailures {
public:
  SpuriousFailures(const Program &Prog, const ThreadTable &Threads, const RunEffects &Effects)
      : Prog(Prog), Threads(Threads), Effects(Effects) {}

  /// Whether the operation at which T stands is to fail for no reason.
  bool failsNow(const Thread &T) const;
  /// The operation at which T stands might have failed, and does not. Each fails at most once in a thread.
  void noteNone(const Thread &T) const;
  /// The value that the choice at which T stands is to have; none: the first one.
  std::optional<int64_t> chosenNow(const Thread &T, uint32_t Pc) const;
  /// The choice at which T stands might have been one of these.
  void noteChoices(const Thread &T, uint32_t Pc, int64_t From, int64_t To) const;
  /// Whether some operation that is to fail for no reason has not done so.
  bool areMissing() const;

private:
  const Program &Prog;
  const ThreadTable &Threads;
  const RunEffects &Effects;
};

} // namespace picket
