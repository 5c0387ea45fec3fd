// The sentences for what a program does wrong.
#pragma once

#include "machine/Machine.h"

namespace picket {

/// Why an access of [A, A + Size) is wrong, for an access that is.
std::pair<BugKind, std::string> describeBadAccess(Machine &M, Address A, uint32_t Size, bool Write);

/// The bug behind a misuse of a synchronisation object.
BugKind bugKindOf(const SyncResult &Misuse);

/// "'x'", "a heap block of 16 bytes", "a local variable": how to speak of an object.
std::string describeObject(Machine &M, const Object &O, uint32_t Slot);

} // namespace picket
