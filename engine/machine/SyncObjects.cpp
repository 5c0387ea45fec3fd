#include "machine/SyncObjects.h"
#include "machine/SyncState.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace picket {
namespace {

using namespace linux_errno;
using namespace sync;

// Mutexes. Lock takes what is free and lets the owner in again only where the kind says so.

struct Mutex {
  uint32_t Status;
  uint32_t Count; // how often a recursive mutex is held; 1 for a held mutex of another kind
  uint32_t Owner; // thread + 1, 0 if free
  uint32_t Unused;
  MutexKind Kind; // glibc's place for it: static initialisers put it here
  uint8_t Rest[20];
};
static_assert(sizeof(Mutex) == 40);

SyncResult unlockNotHeld(bool Held) {
  return misuse(BugKind::UnlockNotHeld,
                Held ? "unlock of a mutex that another thread holds" : "unlock of a mutex that is not held");
}

SyncResult lockMutex(Mutex &M, SyncOp Op, uint32_t Self) {
  if (M.Owner == 0) {
    assert(Self != 0);
    M.Owner = Self;
    M.Count = 1;
    return done();
  }
  if (M.Owner == Self && M.Kind == MutexKind::Recursive) {
    if (M.Count == UINT32_MAX)
      return done(Again);
    ++M.Count;
    return done();
  }
  if (Op == SyncOp::MutexTryLock)
    return done(Busy);
  if (M.Owner == Self && M.Kind == MutexKind::ErrorChecking)
    return done(Deadlock);
  return Op == SyncOp::MutexTimedLock ? done(TimedOut) : blocked();
}

SyncResult unlockMutex(Mutex &M, uint32_t Self) {
  if (M.Owner != Self)
    return M.Kind == MutexKind::ErrorChecking ? done(Perm) : unlockNotHeld(M.Owner != 0);
  if (--M.Count == 0)
    M.Owner = 0;
  return done();
}

SyncResult applyMutex(SyncOp Op, uint8_t *State, uint32_t Self, uint64_t Argument) {
  Mutex M = load<Mutex>(State);
  if (Op == SyncOp::MutexInit) {
    if (M.Status == Held)
      return inUse("initialisation of a mutex that is held");
    if (Argument > static_cast<uint64_t>(MutexKind::Adaptive))
      return done(Inval);
    M = Mutex{};
    M.Kind = static_cast<MutexKind>(Argument);
    store(State, M);
    return done();
  }
  if (M.Status == Destroyed)
    return misuse(BugKind::DestroyedObject, "use of a mutex that was destroyed");
  if ((M.Status != AliveByInitialiser && M.Status != Held) || M.Kind > MutexKind::Adaptive)
    return misuse(BugKind::BadSynchronisation, "use of memory that does not hold a mutex");

  SyncResult Result;
  switch (Op) {
  case SyncOp::MutexDestroy:
    if (M.Owner != 0)
      return misuse(BugKind::BadSynchronisation, "destruction of a mutex that is held");
    M = Mutex{};
    M.Status = Destroyed;
    break;
  case SyncOp::MutexUnlock: Result = unlockMutex(M, Self); break;
  default: Result = lockMutex(M, Op, Self);
  }
  if (M.Status != Destroyed)
    M.Status = M.Owner ? Held : AliveByInitialiser;
  assert((Op != SyncOp::MutexUnlock || Result.Outcome != SyncResult::Done || Result.Value != 0 || M.Owner == 0 ||
          M.Owner == Self) &&
         "nobody unlocks what another thread holds");
  if (Result.Outcome == SyncResult::Done)
    store(State, M);
  return Result;
}

// Spin locks. One word: a mark, or that it is held and by whom. There is no static initialiser.

constexpr uint32_t HeldBy = 0x68000000; // plus the holder's thread + 1
constexpr uint32_t MaxHolder = 0xffff;

SyncResult applySpin(SyncOp Op, uint8_t *State, uint32_t Self) {
  uint32_t Word = load<uint32_t>(State);
  if (Op == SyncOp::SpinInit) {
    if (Word > HeldBy && Word <= HeldBy + MaxHolder)
      return inUse("initialisation of a spin lock that is held");
    store(State, AliveByInit);
    return done();
  }
  if (Word == Destroyed)
    return misuse(BugKind::DestroyedObject, "use of a spin lock that was destroyed");
  if (Word == 0)
    return misuse(BugKind::BadSynchronisation, "use of a spin lock that was not initialised");

  bool Free = Word == AliveByInit;
  switch (Op) {
  case SyncOp::SpinDestroy:
    if (!Free)
      return misuse(BugKind::BadSynchronisation, "destruction of a spin lock that is held");
    store(State, Destroyed);
    return done();
  case SyncOp::SpinUnlock:
    if (Word != HeldBy + Self)
      return misuse(BugKind::UnlockNotHeld, Free ? "unlock of a spin lock that is not held"
                                                 : "unlock of a spin lock that another thread holds");
    store(State, AliveByInit);
    return done();
  default:
    if (!Free)
      return Op == SyncOp::SpinTryLock ? done(Busy) : blocked();
    if (Self > MaxHolder)
      return noRoom("too many threads use one spin lock");
    store(State, HeldBy + Self);
    return done();
  }
}

// Reader-writer locks. A thread that holds the lock and wants it for writing, or holds it for writing and wants it
// again, waits for itself: POSIX allows an error as well, but what the program should be told of is the deadlock.

constexpr uint32_t MaxReadHolds = 40;

struct RwLock {
  uint32_t Status;
  uint32_t Writer;               // thread + 1, 0 if not held for writing
  uint8_t Readers[MaxReadHolds]; // thread + 1 for each hold, ascending, a recursive one repeated; then 0
  uint8_t Rest[8];               // glibc's static initialisers may set flags here
};
static_assert(sizeof(RwLock) == 56);

SyncResult lockRead(RwLock &L, uint32_t Self) {
  if (L.Writer != 0)
    return blocked();
  uint8_t *End = std::find(L.Readers, L.Readers + MaxReadHolds, 0);
  if (End == L.Readers + MaxReadHolds || Self > UINT8_MAX)
    return noRoom("too many threads hold one reader-writer lock");
  *End = static_cast<uint8_t>(Self);
  std::sort(L.Readers, End + 1);
  return done();
}

SyncResult lockWrite(RwLock &L, uint32_t Self) {
  if (L.Writer != 0 || L.Readers[0] != 0)
    return blocked();
  L.Writer = Self;
  assert(L.Readers[0] == 0 && "a writer is alone");
  return done();
}

SyncResult unlockRw(RwLock &L, uint32_t Self) {
  if (L.Writer == Self) {
    L.Writer = 0;
    return done();
  }
  uint8_t *End = L.Readers + MaxReadHolds;
  uint8_t *Hold = std::find_if(L.Readers, End, [&](uint8_t R) { return R == Self; });
  if (Hold == End)
    return misuse(BugKind::UnlockNotHeld, "unlock of a reader-writer lock that the thread does not hold");
  std::copy(Hold + 1, End, Hold);
  End[-1] = 0;
  return done();
}

SyncResult changeRw(RwLock &L, SyncOp Op, uint32_t Self) {
  switch (Op) {
  case SyncOp::RwDestroy:
    if (L.Writer != 0 || L.Readers[0] != 0)
      return misuse(BugKind::BadSynchronisation, "destruction of a reader-writer lock that is held");
    L.Status = Destroyed;
    return done();
  case SyncOp::RwReadLock:
  case SyncOp::RwTryReadLock: return lockRead(L, Self);
  case SyncOp::RwWriteLock:
  case SyncOp::RwTryWriteLock: return lockWrite(L, Self);
  default: return unlockRw(L, Self);
  }
}

SyncResult applyRw(SyncOp Op, uint8_t *State, uint32_t Self) {
  RwLock L = load<RwLock>(State);
  if (Op == SyncOp::RwInit) {
    if (L.Status == Held)
      return inUse("initialisation of a reader-writer lock that is held");
    store(State, RwLock{});
    return done();
  }
  if (L.Status == Destroyed)
    return misuse(BugKind::DestroyedObject, "use of a reader-writer lock that was destroyed");
  if (L.Status != AliveByInitialiser && L.Status != Held)
    return misuse(BugKind::BadSynchronisation, "use of memory that does not hold a reader-writer lock");

  SyncResult Result = changeRw(L, Op, Self);
  if (L.Status != Destroyed)
    L.Status = L.Writer != 0 || L.Readers[0] != 0 ? Held : AliveByInitialiser;
  if (Result.Outcome == SyncResult::Done)
    store(State, L);
  if (Result.Outcome == SyncResult::Blocked && (Op == SyncOp::RwTryReadLock || Op == SyncOp::RwTryWriteLock))
    return done(Busy);
  return Result;
}

// Semaphores. There is no static initialiser.

constexpr uint32_t MaxSemValue = 0x7fffffff; // SEM_VALUE_MAX

struct Semaphore {
  uint32_t Status;
  uint32_t Value;
  uint8_t Rest[24];
};
static_assert(sizeof(Semaphore) == 32);

SyncResult failed(int64_t Errno) { return {SyncResult::Done, -1, nullptr, std::nullopt, Errno}; }

SyncResult changeSem(Semaphore &S, SyncOp Op) {
  switch (Op) {
  case SyncOp::SemDestroy:
    S = Semaphore{};
    S.Status = Destroyed;
    return done();
  case SyncOp::SemPost:
    if (S.Value == MaxSemValue)
      return failed(Overflow);
    ++S.Value;
    return done();
  case SyncOp::SemGetValue: return done(S.Value);
  default:
    if (S.Value == 0)
      return Op == SyncOp::SemWait ? blocked() : failed(Op == SyncOp::SemTryWait ? Again : TimedOut);
    --S.Value;
    return done();
  }
}

SyncResult applySem(SyncOp Op, uint8_t *State, uint64_t Argument) {
  Semaphore S = load<Semaphore>(State);
  if (Op == SyncOp::SemInit) {
    if (Argument > MaxSemValue)
      return failed(Inval);
    store(State, Semaphore{AliveByInit, static_cast<uint32_t>(Argument), {}});
    return done();
  }
  if (S.Status == Destroyed)
    return misuse(BugKind::DestroyedObject, "use of a semaphore that was destroyed");
  if (S.Status == 0)
    return misuse(BugKind::BadSynchronisation, "use of a semaphore that was not initialised");
  if (S.Status != AliveByInit)
    return misuse(BugKind::BadSynchronisation, "use of memory that does not hold a semaphore");

  SyncResult Result = changeSem(S, Op);
  if (Result.Outcome == SyncResult::Done)
    store(State, S);
  return Result;
}

// Barriers. The last thread to arrive opens the round by moving on to the next one. The others leave one by one, and
// may be overtaken by arrivals of the next round; no round but the last two can have threads in it.

struct Barrier {
  uint32_t Status;
  uint32_t Count;   // threads per round
  uint32_t Arrived; // in the present round
  uint32_t Round;
  uint32_t Leaving; // threads of an earlier round that have yet to leave
  uint8_t Rest[12];
};
static_assert(sizeof(Barrier) == 32);

SyncResult changeBarrier(Barrier &B, SyncOp Op, uint64_t Argument) {
  switch (Op) {
  case SyncOp::BarrierDestroy:
    if (B.Arrived != 0)
      return misuse(BugKind::BadSynchronisation, "destruction of a barrier that a thread waits at");
    if (B.Leaving != 0)
      return blocked();
    B = Barrier{};
    B.Status = Destroyed;
    return done();
  case SyncOp::BarrierArrive: {
    uint64_t Ticket = B.Round;
    if (++B.Arrived == B.Count) {
      B.Leaving += B.Count - 1;
      B.Arrived = 0;
      ++B.Round;
      Ticket |= LastArriver;
    }
    return done(static_cast<int64_t>(Ticket));
  }
  default:
    if ((Argument & LastArriver) != 0)
      return done(BarrierSerialThread);
    if (Argument == B.Round)
      return blocked();
    if (B.Leaving == 0)
      return misuse(BugKind::BadSynchronisation,
                    "the barrier was initialised again or overwritten while a thread waited at it");
    --B.Leaving;
    return done();
  }
}

SyncResult applyBarrier(SyncOp Op, uint8_t *State, uint64_t Argument) {
  Barrier B = load<Barrier>(State);
  if (Op == SyncOp::BarrierInit) {
    if (Argument == 0 || Argument > UINT32_MAX)
      return done(Inval);
    if (B.Status == AliveByInit && (B.Arrived != 0 || B.Leaving != 0))
      return inUse("initialisation of a barrier that a thread waits at");
    B = Barrier{};
    B.Status = AliveByInit;
    B.Count = static_cast<uint32_t>(Argument);
    store(State, B);
    return done();
  }
  // The step without effect: by now another thread may have destroyed the barrier, rightly.
  if (Op == SyncOp::BarrierLeave && (Argument & LastArriver) != 0)
    return done(BarrierSerialThread);
  if (B.Status == Destroyed)
    return misuse(BugKind::DestroyedObject, "use of a barrier that was destroyed");
  if (B.Status == 0)
    return misuse(BugKind::BadSynchronisation, "use of a barrier that was not initialised");
  if (B.Status != AliveByInit)
    return misuse(BugKind::BadSynchronisation, "use of memory that does not hold a barrier");

  SyncResult Result = changeBarrier(B, Op, Argument);
  if (Result.Outcome == SyncResult::Done)
    store(State, B);
  return Result;
}

// pthread_once. Its static initialiser is zero, and it cannot be destroyed.

enum class Once : uint32_t { Fresh = 0, Running = 1, Finished = 2 };

SyncResult applyOnce(SyncOp Op, uint8_t *State) {
  Once O = load<Once>(State);
  if (O > Once::Finished || (Op == SyncOp::OnceEnd && O != Once::Running))
    return misuse(BugKind::BadSynchronisation, "use of memory that does not hold a once flag");
  if (Op == SyncOp::OnceEnd) {
    store(State, Once::Finished);
    return done();
  }
  if (O == Once::Running)
    return blocked(); // also for the thread that runs it: it waits for itself
  if (O == Once::Finished)
    return done(0);
  store(State, Once::Running);
  return done(1);
}

} // namespace

uint32_t sizeOf(SyncOp Op) {
  if (Op <= SyncOp::MutexUnlock)
    return sizeof(Mutex);
  if (Op <= SyncOp::SpinUnlock)
    return sizeof(uint32_t);
  if (Op <= SyncOp::CondBroadcast)
    return CondSize;
  if (Op <= SyncOp::RwUnlock)
    return sizeof(RwLock);
  if (Op <= SyncOp::SemGetValue)
    return sizeof(Semaphore);
  if (Op <= SyncOp::BarrierLeave)
    return sizeof(Barrier);
  if (Op <= SyncOp::FutexWakeAll)
    return FutexSize;
  return sizeof(Once);
}

bool isBlocking(SyncOp Op) {
  switch (Op) {
  case SyncOp::MutexLock:
  case SyncOp::SpinLock:
  case SyncOp::CondDestroy:
  case SyncOp::CondWake:
  case SyncOp::RwReadLock:
  case SyncOp::RwWriteLock:
  case SyncOp::SemWait:
  case SyncOp::BarrierDestroy:
  case SyncOp::BarrierLeave:
  case SyncOp::FutexLock:
  case SyncOp::FutexWait:
  case SyncOp::FutexWake:
  case SyncOp::FutexWakeAll:
  case SyncOp::OnceBegin: return true;
  default: return false;
  }
}

static SyncResult applyToObject(SyncOp Op, uint8_t *State, uint32_t Self, uint64_t Argument) {
  if (Op <= SyncOp::MutexUnlock)
    return applyMutex(Op, State, Self, Argument);
  if (Op <= SyncOp::SpinUnlock)
    return applySpin(Op, State, Self);
  if (Op <= SyncOp::CondBroadcast)
    return sync::applyCond(Op, State, Self);
  if (Op <= SyncOp::RwUnlock)
    return applyRw(Op, State, Self);
  if (Op <= SyncOp::SemGetValue)
    return applySem(Op, State, Argument);
  if (Op <= SyncOp::BarrierLeave)
    return applyBarrier(Op, State, Argument);
  if (Op <= SyncOp::FutexWakeAll)
    return sync::applyFutex(Op, State, Self, Argument);
  return applyOnce(Op, State);
}

SyncResult apply(SyncOp Op, uint8_t *State, uint32_t Thread, uint64_t Argument) {
  assert(Thread < AliveByInit - 1 && "thread ids are dense and must not look like a mark");
#ifndef NDEBUG
  const std::vector<uint8_t> Before(State, State + sizeOf(Op));
#endif
  const SyncResult Result = applyToObject(Op, State, Thread + 1, Argument); // zero bytes mean "nobody"
  assert((Result.Outcome == SyncResult::Done || std::equal(Before.begin(), Before.end(), State)) &&
         "the bytes change only if the outcome is Done");
  assert((Result.Outcome != SyncResult::Misuse) == (Result.Phrase == nullptr));
  assert((Result.Outcome != SyncResult::Blocked || isBlocking(Op)) && "only steps that may block do");
  return Result;
}

} // namespace picket
