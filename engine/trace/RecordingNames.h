// Converts operations, locations and objects of the machine to those of a recording.
#pragma once

#include "base/Diagnostic.h"
#include "machine/SyncObjects.h"
#include "program/Program.h"
#include "trace/Recording.h"

#include <string>

namespace picket {

/// "relaxed", "seq_cst"; empty for accesses that are not atomic.
const char *nameOf(Order O);
std::string fenceText(FenceKind Kind);
/// What a step on a synchronisation object does. State: the object's bytes before the step, if it has any.
SyncAction syncActionOf(SyncOp Op, const uint8_t *State, uint32_t Thread, uint64_t Argument);

/// The place to show for a location, line 0 if there is none.
SourceLocation locationOf(const Program &P, const ProgramLocation &L);

} // namespace picket
