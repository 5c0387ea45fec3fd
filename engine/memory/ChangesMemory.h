// What a read-modify-write does to memory, before it is done.
#pragma once

#include "machine/Machine.h"

namespace picket {

/// Whether an access that finds `Old` leaves something else.
inline bool changesMemory(const Operation &Op, uint64_t Old) {
  if (Op.Kind == OperationKind::Rmw)
    return applyRmw(Op.Rmw, Old, Op.Value, Op.Width) != Old;
  return Op.Kind == OperationKind::CmpXchg && Old == Op.Value2 && Op.Value != Old && !Op.Fails;
}

} // namespace picket
