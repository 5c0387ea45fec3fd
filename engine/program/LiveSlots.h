// Live slots: per instruction, the slots of a frame that a later instruction may read before they are written. Two
// threads that differ only in the other slots behave alike.
//
// The counters that bound loops are not live: callers run loops without a bound.
#pragma once

#include "program/Program.h"

#include <span>

namespace picket {

class LiveSlots {
public:
  explicit LiveSlots(const Program &P);

  /// A slot in the lists below that only says whether the thread had an effect since its SpinHead: what matters is
  /// whether it equals the thread's effect count.
  static constexpr uint32_t OfSpin = 1u << 31;

  /// Of a frame that stands in front of the instruction.
  std::span<const uint32_t> before(uint32_t Pc) const { return list(Before[Pc]); }
  /// Of a frame that waits for the call at Pc to return.
  std::span<const uint32_t> during(uint32_t CallPc) const { return list(During[CallPc]); }

private:
  struct Range {
    uint32_t First = 0, Count = 0;
  };
  std::span<const uint32_t> list(Range R) const { return {Slots.data() + R.First, R.Count}; }
  void analyse(const Program &P, const Function &F);
  Range keep(const std::vector<bool> &Live, uint32_t NumSlots);

  std::vector<uint32_t> Slots;
  std::vector<Range> Before, During; // per instruction
};

} // namespace picket
