// What can be wrong with an execution, and the sentence that says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace picket {

/// Each has its name, its group and its sentence in Checks.cpp.
enum class BugKind : uint8_t {
  Assertion,
  Abort,
  Deadlock,
  Hang, // a spin loop that can never end
  NullAccess,
  InvalidAccess,
  OutOfBounds,
  UseAfterFree,
  DoubleFree,
  InvalidFree,
  DivisionByZero,
  UnlockNotHeld,
  DestroyedObject,
  BadSynchronisation, // other misuse of a lock, condition variable, ...
  StackOverflow,
  Unreachable,
  InitialisedInUse, // a lock that is held, a barrier that a thread waits at, ... is initialised anew
  InvalidAlignment, // of an allocation
  Leak,
  Uninitialised, // a read of memory that nothing has written
  Overflow,      // of signed arithmetic; also shifts that are too wide
  DataRace       // under C11: two accesses in conflict, at least one of them plain, that nothing orders
};

/// "assertion", "use-after-free", ...: stable names for reports.
const char *nameOf(BugKind Kind);

/// The access that another one is in a data race with.
struct RacingAccess {
  uint32_t Thread, Pc;
  bool Writes, IsAtomic;
};

struct BugReport {
  BugKind Kind;
  uint32_t Thread;
  uint32_t Pc; // of the instruction to blame
  std::string Message;
  bool GoesRound = false;                 // a livelock: the execution goes on, and comes back to where it was
  std::optional<RacingAccess> Other = {}; // a data race: the access that came first
};

/// Whether two reports are of the same bug, be it found in different executions. A data race is the same one whichever
/// of its accesses came first.
inline bool isSame(const BugReport &A, const BugReport &B) {
  if (A.Kind != B.Kind || A.Other.has_value() != B.Other.has_value())
    return false;
  auto Is = [](const auto &X, const auto &Y) { return X.Thread == Y.Thread && X.Pc == Y.Pc; };
  if (!A.Other)
    return Is(A, B);
  return (Is(A, B) && Is(*A.Other, *B.Other)) || (Is(A, *B.Other) && Is(*A.Other, B));
}

} // namespace picket
