// Condition variables.
//
// The state is the list of waiters in order of arrival; each may carry a token, i.e. a signal that was sent when it
// was waiting. A token may be taken by its carrier and by every waiter before it in the list: these are the ones that
// were waiting when the signal was sent.
//
// - A signal gives a token to the last waiter that has none. (With the token at the end of the list instead, the
//   waiters after that one could not be more eligible than they are: each of them has a token to itself.) If every
//   waiter has a token, the signal is lost.
// - A waiter that wakes takes the first token at or after its own position: the one fewest others may take. Hence no
//   token is ever left with nobody to take it.
// - In a run of waiters without tokens followed by a run with tokens, order makes no difference; it is kept sorted by
//   thread so that signalling and waiting in another order with the same effect gives the same bytes.

#include "machine/SyncState.h"

#include <algorithm>

namespace picket::sync {
namespace {

using namespace linux_errno;

constexpr uint32_t MaxWaiters = 44;
constexpr uint8_t Token = 0x80;

constexpr uint32_t WaitedOn = 0x77616974; // the status while there are waiters

struct Cond {
  uint32_t Status;
  uint8_t Waiters[MaxWaiters]; // thread + 1, plus Token; 0 beyond the last
};
static_assert(sizeof(Cond) == CondSize);

uint32_t waitersOf(const Cond &C) {
  return static_cast<uint32_t>(std::find(C.Waiters, C.Waiters + MaxWaiters, 0) - C.Waiters);
}

bool hasToken(uint8_t Waiter) { return (Waiter & Token) != 0; }

/// Sorts the threads of each run of waiters without tokens and then with tokens; the tokens stay where they are.
void normalise(Cond &C) {
  uint32_t Count = waitersOf(C);
  for (uint32_t Begin = 0; Begin < Count;) {
    uint32_t End = Begin;
    while (End < Count && !hasToken(C.Waiters[End]))
      ++End;
    uint32_t FirstToken = End;
    while (End < Count && hasToken(C.Waiters[End]))
      C.Waiters[End++] &= ~Token;
    std::sort(C.Waiters + Begin, C.Waiters + End);
    for (uint32_t I = FirstToken; I < End; ++I)
      C.Waiters[I] |= Token;
    Begin = End;
  }
}

SyncResult wake(Cond &C, SyncOp Op, uint32_t Self) {
  uint32_t Count = waitersOf(C);
  uint8_t *End = C.Waiters + Count;
  uint8_t *Mine = std::find_if(C.Waiters, End, [&](uint8_t W) { return (W & ~Token) == static_cast<int>(Self); });
  if (Mine == End)
    return misuse(BugKind::BadSynchronisation,
                  "the condition variable was initialised again or overwritten during a wait on it");
  uint8_t *Taken = std::find_if(Mine, End, hasToken);
  bool Woken = Taken != End;
  if (!Woken && Op == SyncOp::CondWake)
    return blocked();
  if (Woken)
    *Taken &= ~Token;
  std::copy(Mine + 1, End, Mine);
  End[-1] = 0;
  return done(Woken ? 0 : Op == SyncOp::CondSpuriousWake ? WokenForNoReason : TimedOut);
}

SyncResult changeCond(Cond &C, SyncOp Op, uint32_t Self) {
  uint32_t Count = waitersOf(C);
  uint8_t *End = C.Waiters + Count;
  switch (Op) {
  case SyncOp::CondDestroy:
    if (!std::all_of(C.Waiters, End, hasToken))
      return misuse(BugKind::BadSynchronisation, "destruction of a condition variable that a thread waits on");
    if (Count != 0)
      return blocked();
    C.Status = Destroyed;
    return done();
  case SyncOp::CondEnqueue:
    if (Count == MaxWaiters || Self >= Token)
      return noRoom("too many threads wait on one condition variable");
    *End = static_cast<uint8_t>(Self);
    return done();
  case SyncOp::CondSignal:
    for (uint32_t I = Count; I-- > 0;) {
      if (!hasToken(C.Waiters[I])) {
        C.Waiters[I] |= Token;
        break;
      }
    }
    return done();
  case SyncOp::CondBroadcast:
    for (uint32_t I = 0; I < Count; ++I)
      C.Waiters[I] |= Token;
    return done();
  default: return wake(C, Op, Self);
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
    normalise(C);
    if (C.Status != Destroyed)
      C.Status = waitersOf(C) ? WaitedOn : AliveByInitialiser;
    store(State, C);
  }
  return Result;
}

} // namespace picket::sync
