// The sentences for what a program does wrong.
#pragma once

#include "machine/Machine.h"

namespace picket {

/// Why an access of [A, A + Size) is wrong, for an access that is.
std::pair<BugKind, std::string> describeBadAccess(Machine &M, Address A, uint32_t Size, bool Write);

/// What it means that control reaches an Opcode::Unreachable.
const char *describe(BrokenPromise What);

/// "signed addition overflows"
const char *describe(OverflowKind What);

/// What is wrong with a read of bytes that nothing has written.
std::string describeUnwritten(Machine &M, const Object &O, Address Where, uint32_t Size);

/// That an access races with one of another thread.
std::string describeRace(Machine &M, Address Where, bool Writes, ThreadId Other, uint32_t OtherPc, bool OtherWrites,
                         bool OtherIsAtomic);

/// "'x'", "a heap block of 16 bytes", "a local variable": how to speak of an object.
std::string describeObject(Machine &M, const Object &O, uint32_t Slot);

} // namespace picket
