// The sentences for what a program does wrong.
#pragma once

#include "machine/Bug.h"
#include "machine/Memory.h"
#include "machine/ThreadTable.h"

#include <string>
#include <utility>

namespace picket {

/// Why an access of [A, A + Size) is wrong, for an access that is.
std::pair<BugKind, std::string> describeBadAccess(const Program &Prog, const Memory &Mem, Address A, uint32_t Size,
                                                  bool Write);

/// What it means that control reaches an Opcode::Unreachable.
const char *describe(BrokenPromise What);

/// "signed addition overflows"
const char *describe(OverflowKind What);

/// What is wrong with a read of bytes that nothing has written.
std::string describeUnwritten(const Program &Prog, const Object &O, Address Where, uint32_t Size);

/// That an access of an object races with another one, of the named thread.
std::string describeRace(const Program &Prog, const Object &O, uint32_t Slot, bool Writes, const RacingAccess &Other,
                         const std::string &Thread);

/// "'x'", "a heap block of 16 bytes", "a local variable": how to speak of an object.
std::string describeObject(const Program &Prog, const Object &O, uint32_t Slot);

/// Which threads wait for what, where none can go on.
std::string describeDeadlock(const Program &Prog, const Memory &Mem, const ThreadTable &Threads);

} // namespace picket
