// Condition variables: a queue of waiters (WaiterQueue.h), and whether it is in use.
#include "machine/SyncState.h"
#include "machine/WaiterQueue.h"

namespace picket::sync {
namespace {

using namespace linux_errno;

constexpr uint32_t MaxWaiters = 44;

constexpr uint32_t WaitedOn = 0x77616974; // the status while there are waiters

struct Cond {
  uint32_t Status;
  uint8_t Waiters[MaxWaiters];
};
static_assert(sizeof(Cond) == CondSize);

SyncResult wake(WaiterQueue Queue, SyncOp Op, uint32_t Self) {
  switch (Queue.wake(Self, /*Leaves=*/Op != SyncOp::CondWake)) {
  case WaiterQueue::Woken::NotWaiting:
    return misuse(BugKind::BadSynchronisation,
                  "the condition variable was initialised again or overwritten during a wait on it");
  case WaiterQueue::Woken::Yes: return done();
  case WaiterQueue::Woken::No: break;
  }
  return Op == SyncOp::CondWake ? blocked() : done(Op == SyncOp::CondSpuriousWake ? WokenForNoReason : TimedOut);
}

SyncResult changeCond(Cond &C, SyncOp Op, uint32_t Self) {
  WaiterQueue Queue(C.Waiters, MaxWaiters);
  switch (Op) {
  case SyncOp::CondDestroy:
    if (!Queue.allHaveTokens())
      return misuse(BugKind::BadSynchronisation, "destruction of a condition variable that a thread waits on");
    if (Queue.count() != 0)
      return blocked();
    C.Status = Destroyed;
    return done();
  case SyncOp::CondEnqueue:
    return Queue.enqueue(Self) ? done() : noRoom("too many threads wait on one condition variable");
  case SyncOp::CondSignal: Queue.signal(); return done();
  case SyncOp::CondBroadcast:
    while (Queue.signal())
      ;
    return done();
  default: return wake(Queue, Op, Self);
  }
}

} // namespace

SyncResult applyCond(SyncOp Op, uint8_t *State, uint32_t Self) {
  Cond C = load<Cond>(State);
  if (Op == SyncOp::CondInit) {
    if (C.Status == WaitedOn)
      return inUse("initialisation of a condition variable that a thread waits on");
    store(State, Cond{});
    return done();
  }
  if (C.Status == Destroyed)
    return misuse(BugKind::DestroyedObject, "use of a condition variable that was destroyed");
  if (C.Status != AliveByInitialiser && C.Status != WaitedOn)
    return misuse(BugKind::BadSynchronisation, "use of memory that does not hold a condition variable");

  SyncResult Result = changeCond(C, Op, Self);
  if (Result.Outcome == SyncResult::Done) {
    WaiterQueue Queue(C.Waiters, MaxWaiters);
    Queue.normalise();
    if (C.Status != Destroyed)
      C.Status = Queue.count() ? WaitedOn : AliveByInitialiser;
    store(State, C);
  }
  return Result;
}

} // namespace picket::sync
