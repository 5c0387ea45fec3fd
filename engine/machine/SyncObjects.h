// The synchronisation objects of POSIX threads as pure state machines. An object's whole state lies in the bytes of
// the C object itself, so static initialisers need no registration and going back in time is restoring bytes.
#pragma once

#include "machine/Bug.h"

#include <cstdint>
#include <optional>

namespace picket {

/// One atomic step of a synchronisation object. What `Argument` and `SyncResult::Value` mean is said per step; where
/// nothing is said, the argument is ignored and the value is what the C function returns.
enum class SyncOp : uint8_t {
  MutexInit, // Argument: one of MutexKind
  MutexDestroy,
  MutexLock,
  MutexTryLock,
  MutexTimedLock, // never blocks: a mutex that is not free times out immediately
  MutexUnlock,

  SpinInit,
  SpinDestroy,
  SpinLock,
  SpinTryLock,
  SpinUnlock,

  // pthread_cond_wait(c, m) is CondEnqueue(c); MutexUnlock(m); CondWake(c); MutexLock(m). One that wakes for no reason
  // has CondSpuriousWake instead. Which waiter a signal wakes is left open: all that were waiting when it was sent race
  // for it.
  CondInit,
  CondDestroy, // Blocked while threads that were signalled have yet to wake; Misuse if one was not signalled
  CondEnqueue,
  CondWake,
  CondTimedWake,    // never blocks: 0 if woken by a signal, else the wait is given up and the value is ETIMEDOUT
  CondSpuriousWake, // never blocks: WokenForNoReason, or 0 if woken by a signal
  CondSignal,
  CondBroadcast,

  RwInit,
  RwDestroy,
  RwReadLock,
  RwTryReadLock,
  RwWriteLock,
  RwTryWriteLock,
  RwUnlock,

  // Failures have the value -1 and an error number in SyncResult::Errno.
  SemInit, // Argument: the initial value
  SemDestroy,
  SemWait,
  SemTryWait,
  SemTimedWait, // never blocks: a semaphore at zero times out immediately
  SemPost,
  SemGetValue, // Value: the semaphore's value

  // pthread_barrier_wait(b) is t = BarrierArrive(b); BarrierLeave(b, t), and returns what BarrierLeave returns.
  BarrierInit,    // Argument: the number of threads
  BarrierDestroy, // Blocked while threads of a full round have yet to leave; Misuse if a round is incomplete
  BarrierArrive,  // Value: a ticket; bit 63 (LastArriver) is set if the caller completed the round
  BarrierLeave,   // Argument: the ticket. For LastArriver a step without effect that may as well be left out

  // A wait on a futex is FutexLock, reading the word, and then FutexUnlock or FutexEnqueue and FutexWait: on a queue that
  // serves one word at a time, each with the address of the word as argument. Which waiter a FutexWake wakes is left open,
  // as for condition variables.
  FutexLock,
  FutexUnlock,
  FutexEnqueue, // unlocks, too
  FutexWait,
  FutexTimedWait,    // never blocks: 0 if woken, else the wait is given up and the value is ETIMEDOUT
  FutexSpuriousWait, // never blocks: WokenForNoReason, or 0 if woken
  FutexWake,         // Value: whether there was a waiter to wake. Blocked while another thread has locked the queue
  FutexWakeAll,      // Value: how many waiters there were to wake. Blocked in the same way

  OnceBegin, // Value: 1 if the caller has to run the routine and then OnceEnd, 0 if that is done already
  OnceEnd
};

/// The kinds of mutex, as glibc numbers them and its static initialisers store them.
enum class MutexKind : uint32_t { Normal = 0, Recursive = 1, ErrorChecking = 2, Adaptive = 3 };

/// Set in the ticket of the thread whose arrival completed a round of a barrier.
constexpr uint64_t LastArriver = 1ull << 63;
constexpr int64_t BarrierSerialThread = -1; // PTHREAD_BARRIER_SERIAL_THREAD

/// What CondSpuriousWake and FutexSpuriousWait answer where no signal woke the thread.
constexpr int64_t WokenForNoReason = 1;

/// Error numbers of the simulated system (Linux), which need not be the host's.
namespace linux_errno {
constexpr int64_t Perm = 1, Again = 11, Busy = 16, Inval = 22, Deadlock = 35, Overflow = 75, TimedOut = 110;
}

struct SyncResult {
  enum Kind : uint8_t {
    Done,
    Blocked, // not now; asking again makes sense once another thread has changed the object
    Misuse   // a bug of the program, or (without a BugKind) more threads than the object has room for
  };
  Kind Outcome = Done;
  int64_t Value = 0;
  const char *Phrase = nullptr;           // Misuse only: what is wrong, to go on from "thread x: "
  std::optional<picket::BugKind> BugKind; // Misuse only; none: Picket cannot follow the program, which may be right
  int64_t Errno = 0;                      // what the C function leaves in errno, 0 if it leaves errno alone
};

/// Bytes of the object the step works on, as glibc lays it out on x86-64.
uint32_t sizeOf(SyncOp Op);

/// Whether the step releases a lock that one thread can hold.
constexpr bool isUnlock(SyncOp Op) { return Op == SyncOp::MutexUnlock || Op == SyncOp::SpinUnlock; }

/// Whether the step can ever answer Blocked.
bool isBlocking(SyncOp Op);

/// Takes the step for a thread (a dense id that does not change) on the sizeOf(Op) bytes at State. The bytes change
/// only if the outcome is Done. Equal inputs give equal results: nothing but State remembers anything, and steps
/// whose order cannot be observed leave the same bytes in either order.
SyncResult apply(SyncOp Op, uint8_t *State, uint32_t Thread, uint64_t Argument = 0);

} // namespace picket
