// What a read-modify-write does to memory, before it is done. Values of 16 bytes have a second word, which is 0 otherwise.
#pragma once

#include "machine/Arithmetic.h"
#include "machine/Operation.h"

namespace picket {

/// Whether a compare-and-swap that finds this value finds what it expects.
inline bool findsExpected(const Operation &Op, uint64_t Low, uint64_t High) {
  return Low == Op.Expected && High == Op.Expected2;
}

/// What a read-modify-write that finds `Low` and `High` leaves, unless it is a compare-and-swap that fails.
inline void updateWord(const Operation &Op, uint64_t &Low, uint64_t &High) {
  if (Op.Kind == OperationKind::CmpXchg) {
    Low = Op.Value;
    High = Op.Value2;
  } else if (Op.Width <= 8) {
    Low = applyRmw(Op.Rmw, Low, Op.Value, Op.Width);
  } else {
    const Wide New = applyWideRmw(Op.Rmw, makeWide(Low, High), makeWide(Op.Value, Op.Value2));
    Low = static_cast<uint64_t>(New);
    High = static_cast<uint64_t>(New >> 64);
  }
}

/// Whether an access that finds `Low` and `High` leaves something else.
inline bool changesMemory(const Operation &Op, uint64_t Low, uint64_t High) {
  if (Op.Kind == OperationKind::CmpXchg ? Op.Fails || !findsExpected(Op, Low, High) : Op.Kind != OperationKind::Rmw)
    return false;
  uint64_t NewLow = Low, NewHigh = High;
  updateWord(Op, NewLow, NewHigh);
  return NewLow != Low || NewHigh != High;
}

} // namespace picket
