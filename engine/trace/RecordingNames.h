// Words for what machine and memory do.
#pragma once

#include "machine/SyncObjects.h"
#include "program/Program.h"
#include "source/Diagnostic.h"

#include <string>

namespace picket {

/// "relaxed", "seq_cst"; empty for accesses that are not atomic.
const char *nameOf(Order O);
std::string fenceText(FenceKind Kind);
/// "locks", "unlocks", "tries to lock in vain", ... State: the object's bytes before the step, if it has any.
std::string syncText(SyncOp Op, const uint8_t *State, uint32_t Thread, uint64_t Argument);

/// The place to show for a location, line 0 if there is none.
Place placeOf(const Program &P, const SourceLocation &L);

} // namespace picket
