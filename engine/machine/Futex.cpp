// Futexes. The kernel keeps the threads that wait on a word in a queue, of which it has fewer than there are words; so do the
// models of the C library (source/models/Futex.c). A queue serves one word at a time.
#include "machine/SyncState.h"
#include "machine/WaiterQueue.h"

namespace picket::sync {
namespace {

constexpr uint32_t MaxWaiters = 40;

struct Futex {
  uint64_t Word;   // the address that threads wait on; 0: no thread waits
  uint32_t Holder; // thread + 1; 0: the queue is not locked
  uint8_t Waiters[MaxWaiters];
  uint8_t Unused[4];
};
static_assert(sizeof(Futex) == FutexSize);

SyncResult changeFutex(Futex &F, SyncOp Op, uint32_t Self, uint64_t Word) {
  WaiterQueue Queue(F.Waiters, MaxWaiters);
  const bool IsHeld = F.Holder != 0 && F.Holder != Self;
  int64_t Woken = 0;
  switch (Op) {
  case SyncOp::FutexLock:
    if (IsHeld)
      return blocked();
    F.Holder = Self;
    return done();
  case SyncOp::FutexUnlock: F.Holder = 0; return done();
  case SyncOp::FutexEnqueue:
    if (F.Word != 0 && F.Word != Word)
      return noRoom("threads wait on two futexes that share a queue of Picket's");
    F.Word = Word;
    F.Holder = 0;
    return Queue.enqueue(Self) ? done() : noRoom("too many threads wait on one futex");
  case SyncOp::FutexWake: return IsHeld ? blocked() : done(F.Word == Word && Queue.signal());
  case SyncOp::FutexWakeAll:
    if (IsHeld)
      return blocked();
    while (F.Word == Word && Queue.signal())
      ++Woken;
    return done(Woken);
  default: break;
  }
  switch (Queue.wake(Self, /*Leaves=*/Op != SyncOp::FutexWait)) {
  case WaiterQueue::Woken::NotWaiting:
    return misuse(BugKind::BadSynchronisation, "the queue of a futex was overwritten during a wait");
  case WaiterQueue::Woken::Yes: return done();
  case WaiterQueue::Woken::No: break;
  }
  return Op == SyncOp::FutexWait ? blocked()
                                 : done(Op == SyncOp::FutexSpuriousWait ? WokenForNoReason : linux_errno::TimedOut);
}

} // namespace

SyncResult applyFutex(SyncOp Op, uint8_t *State, uint32_t Self, uint64_t Word) {
  Futex F = load<Futex>(State);
  SyncResult Result = changeFutex(F, Op, Self, Word);
  if (Result.Outcome == SyncResult::Done) {
    WaiterQueue Queue(F.Waiters, MaxWaiters);
    Queue.normalise();
    if (Queue.count() == 0)
      F.Word = 0;
    store(State, F);
  }
  return Result;
}

} // namespace picket::sync
