#include "machine/SyncObjects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace picket {
namespace {

using namespace linux_errno;
using enum SyncOp;

/// The bytes of one C object, all zero as a static initialiser leaves them, and a short way to take steps on them.
/// Every step is checked against the promise that bytes change only if it is done.
struct Object {
  std::array<uint8_t, 56> Bytes{};

  SyncResult step(SyncOp Op, uint32_t Thread, uint64_t Argument = 0) {
    auto Before = Bytes;
    SyncResult Result = apply(Op, Bytes.data(), Thread, Argument);
    EXPECT_TRUE(Result.Outcome == SyncResult::Done || Before == Bytes);
    EXPECT_TRUE(Result.Outcome != SyncResult::Blocked || isBlocking(Op));
    EXPECT_EQ(Result.Outcome == SyncResult::Misuse, Result.Phrase != nullptr);
    EXPECT_TRUE(std::equal(Before.begin() + sizeOf(Op), Before.end(), Bytes.begin() + sizeOf(Op)));
    return Result;
  }
  int64_t value(SyncOp Op, uint32_t Thread, uint64_t Argument = 0) {
    SyncResult Result = step(Op, Thread, Argument);
    EXPECT_EQ(Result.Outcome, SyncResult::Done);
    return Result.Value;
  }
  bool blocks(SyncOp Op, uint32_t Thread, uint64_t Argument = 0) {
    return step(Op, Thread, Argument).Outcome == SyncResult::Blocked;
  }
  std::string misuse(SyncOp Op, uint32_t Thread, uint64_t Argument = 0) {
    SyncResult Result = step(Op, Thread, Argument);
    if (Result.Outcome != SyncResult::Misuse)
      return "none";
    return Result.BugKind ? nameOf(*Result.BugKind) : "unsupported";
  }
};

Object mutexOf(MutexKind Kind) {
  Object M;
  M.value(MutexInit, 0, static_cast<uint64_t>(Kind));
  return M;
}

constexpr uint64_t Word = 0x100000004, OtherWord = 0x100000008;

TEST(Futex, AWakeUpIsForThoseThatWait) {
  Object F;
  EXPECT_EQ(F.value(FutexWake, 0, Word), 0); // nobody: it is lost
  F.value(FutexLock, 1, Word);
  F.value(FutexEnqueue, 1, Word);
  EXPECT_TRUE(F.blocks(FutexWait, 1, Word));
  EXPECT_EQ(F.value(FutexWake, 0, OtherWord), 0);
  EXPECT_TRUE(F.blocks(FutexWait, 1, Word));
  EXPECT_EQ(F.value(FutexWake, 0, Word), 1);
  EXPECT_EQ(F.value(FutexWake, 0, Word), 0);
  EXPECT_EQ(F.value(FutexWait, 1, Word), 0);
  EXPECT_EQ(F.Bytes, Object().Bytes); // nothing is left of it
}

TEST(Futex, AnyOfTheWaitersMayBeWoken) {
  for (uint32_t Woken : {1u, 2u}) {
    Object F;
    F.value(FutexEnqueue, 1, Word);
    F.value(FutexEnqueue, 2, Word);
    EXPECT_EQ(F.value(FutexWake, 0, Word), 1);
    EXPECT_EQ(F.value(FutexWait, Woken, Word), 0);
    EXPECT_TRUE(F.blocks(FutexWait, 3 - Woken, Word));
    EXPECT_EQ(F.value(FutexTimedWait, 3 - Woken, Word), TimedOut);
  }
}

TEST(Futex, AllThatWaitMayBeWokenAtATime) {
  Object F;
  EXPECT_EQ(F.value(FutexWakeAll, 0, Word), 0);
  F.value(FutexEnqueue, 1, Word);
  F.value(FutexEnqueue, 2, Word);
  EXPECT_EQ(F.value(FutexWake, 0, Word), 1);
  F.value(FutexEnqueue, 3, Word);
  EXPECT_EQ(F.value(FutexWakeAll, 0, Word), 2); // one of the three has been counted
  for (uint32_t Thread : {2u, 3u, 1u})
    EXPECT_EQ(F.value(FutexWait, Thread, Word), 0);
  EXPECT_EQ(F.Bytes, Object().Bytes);
}

TEST(Futex, NobodyIsWokenBetweenReadingTheWordAndWaiting) {
  Object F;
  F.value(FutexLock, 1, Word);
  EXPECT_TRUE(F.blocks(FutexLock, 2, Word));
  EXPECT_TRUE(F.blocks(FutexWake, 2, Word));
  EXPECT_TRUE(F.blocks(FutexWakeAll, 2, Word));
  F.value(FutexUnlock, 1, Word);
  EXPECT_EQ(F.value(FutexWake, 2, Word), 0);
  EXPECT_EQ(F.Bytes, Object().Bytes);
}

TEST(Futex, AQueueServesOneWordAtATime) {
  Object F;
  F.value(FutexEnqueue, 1, Word);
  EXPECT_EQ(F.misuse(FutexEnqueue, 2, OtherWord), "unsupported");
  EXPECT_EQ(F.value(FutexSpuriousWait, 1, Word), WokenForNoReason);
  EXPECT_EQ(F.value(FutexEnqueue, 2, OtherWord), 0);
}

TEST(SyncObjects, SizesAreThoseOfGlibcOnX86) {
  EXPECT_EQ(sizeOf(MutexLock), 40u);
  EXPECT_EQ(sizeOf(SpinLock), 4u);
  EXPECT_EQ(sizeOf(CondWake), 48u);
  EXPECT_EQ(sizeOf(RwUnlock), 56u);
  EXPECT_EQ(sizeOf(SemPost), 32u);
  EXPECT_EQ(sizeOf(BarrierArrive), 32u);
  EXPECT_EQ(sizeOf(OnceEnd), 4u);
}

TEST(Mutex, ZeroBytesAreAFreeMutexThatOneThreadHoldsAtATime) {
  Object M;
  EXPECT_EQ(M.value(MutexLock, 0), 0);
  EXPECT_TRUE(M.blocks(MutexLock, 1));
  EXPECT_EQ(M.value(MutexTryLock, 1), Busy);
  EXPECT_EQ(M.value(MutexTimedLock, 1), TimedOut);
  EXPECT_EQ(M.value(MutexUnlock, 0), 0);
  EXPECT_EQ(M.value(MutexTimedLock, 1), 0);
  EXPECT_EQ(M.value(MutexUnlock, 1), 0);
  EXPECT_EQ(M.Bytes, Object{}.Bytes);
}

TEST(Mutex, RelockingANormalOneWaitsForEver) {
  Object M;
  M.value(MutexLock, 3);
  EXPECT_TRUE(M.blocks(MutexLock, 3));
  EXPECT_EQ(M.value(MutexTryLock, 3), Busy);
}

TEST(Mutex, ARecursiveOneIsFreeAfterAsManyUnlocksAsLocks) {
  Object M;
  M.Bytes[16] = 1; // PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
  EXPECT_EQ(M.value(MutexLock, 0), 0);
  EXPECT_EQ(M.value(MutexTryLock, 0), 0);
  EXPECT_EQ(M.value(MutexTimedLock, 0), 0);
  M.value(MutexUnlock, 0);
  M.value(MutexUnlock, 0);
  EXPECT_TRUE(M.blocks(MutexLock, 1));
  M.value(MutexUnlock, 0);
  EXPECT_EQ(M.value(MutexLock, 1), 0);
  EXPECT_EQ(M.misuse(MutexUnlock, 0), "unlock-not-held");
}

TEST(Mutex, AnErrorCheckingOneAnswersWithErrors) {
  Object M;
  M.Bytes[16] = 2; // PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
  EXPECT_EQ(M.value(MutexUnlock, 0), Perm);
  EXPECT_EQ(M.value(MutexLock, 0), 0);
  EXPECT_EQ(M.value(MutexLock, 0), Deadlock);
  EXPECT_EQ(M.value(MutexTryLock, 0), Busy);
  EXPECT_EQ(M.value(MutexUnlock, 1), Perm);
  EXPECT_TRUE(M.blocks(MutexLock, 1));
}

TEST(Mutex, InitSetsTheKindAndRefusesAnUnknownOne) {
  EXPECT_EQ(mutexOf(MutexKind::Recursive).Bytes[16], 1);
  Object M = mutexOf(MutexKind::Adaptive);
  M.value(MutexLock, 0);
  EXPECT_TRUE(M.blocks(MutexLock, 0));
  EXPECT_EQ(Object{}.value(MutexInit, 0, 7), Inval);
}

TEST(Mutex, UnlockWithoutHoldingItIsMisuse) {
  Object M;
  EXPECT_EQ(M.misuse(MutexUnlock, 0), "unlock-not-held");
  M.value(MutexLock, 0);
  EXPECT_EQ(M.misuse(MutexUnlock, 1), "unlock-not-held");
}

TEST(Mutex, MayBeDestroyedOnlyWhenFreeAndUsedAgainOnlyAfterInit) {
  Object M;
  M.value(MutexLock, 0);
  EXPECT_EQ(M.misuse(MutexDestroy, 0), "bad-synchronisation");
  M.value(MutexUnlock, 0);
  EXPECT_EQ(M.value(MutexDestroy, 0), 0);
  for (SyncOp Op : {MutexLock, MutexTryLock, MutexTimedLock, MutexUnlock, MutexDestroy})
    EXPECT_EQ(M.misuse(Op, 1), "destroyed-object");
  EXPECT_EQ(M.value(MutexInit, 0), 0);
  EXPECT_EQ(M.value(MutexLock, 1), 0);
}

TEST(Mutex, OtherBytesAreNotAMutex) {
  Object M;
  M.Bytes.fill(0x55);
  EXPECT_EQ(M.misuse(MutexLock, 0), "bad-synchronisation");
}

TEST(Spin, MustBeInitialisedAndIsHeldByOneThread) {
  Object S;
  EXPECT_EQ(S.misuse(SpinLock, 0), "bad-synchronisation");
  S.value(SpinInit, 0);
  EXPECT_EQ(S.misuse(SpinUnlock, 0), "unlock-not-held");
  EXPECT_EQ(S.value(SpinLock, 0), 0);
  EXPECT_TRUE(S.blocks(SpinLock, 1));
  EXPECT_TRUE(S.blocks(SpinLock, 0));
  EXPECT_EQ(S.value(SpinTryLock, 1), Busy);
  EXPECT_EQ(S.misuse(SpinUnlock, 1), "unlock-not-held");
  EXPECT_EQ(S.misuse(SpinDestroy, 0), "bad-synchronisation");
  EXPECT_EQ(S.value(SpinUnlock, 0), 0);
  EXPECT_EQ(S.value(SpinTryLock, 1), 0);
  S.value(SpinUnlock, 1);
  S.value(SpinDestroy, 0);
  EXPECT_EQ(S.misuse(SpinLock, 0), "destroyed-object");
}

TEST(Cond, ASignalBeforeTheWaitIsLost) {
  Object C;
  EXPECT_EQ(C.value(CondSignal, 0), 0);
  EXPECT_EQ(C.value(CondBroadcast, 0), 0);
  C.value(CondEnqueue, 1);
  EXPECT_TRUE(C.blocks(CondWake, 1));
}

TEST(Cond, ASignalWakesAnyOneOfTheWaiters) {
  for (uint32_t First : {1u, 2u, 3u}) {
    Object C;
    for (uint32_t Thread : {3u, 1u, 2u})
      C.value(CondEnqueue, Thread);
    C.value(CondSignal, 0);
    EXPECT_EQ(C.value(CondWake, First), 0);
    for (uint32_t Other : {1u, 2u, 3u}) {
      if (Other != First) {
        EXPECT_TRUE(C.blocks(CondWake, Other));
      }
    }
  }
}

TEST(Cond, SignalsBeyondTheNumberOfWaitersAreLost) {
  Object C;
  C.value(CondEnqueue, 1);
  C.value(CondSignal, 0);
  C.value(CondSignal, 0);
  C.value(CondWake, 1);
  C.value(CondEnqueue, 1);
  EXPECT_TRUE(C.blocks(CondWake, 1));
}

TEST(Cond, ASignalIsNotForThoseWhoCameAfterIt) {
  Object C;
  C.value(CondEnqueue, 1);
  C.value(CondSignal, 0);
  C.value(CondEnqueue, 2);
  EXPECT_TRUE(C.blocks(CondWake, 2));
  EXPECT_EQ(C.value(CondWake, 1), 0);
  EXPECT_TRUE(C.blocks(CondWake, 2));
}

TEST(Cond, AThreadThatWaitsAgainCannotStealAnOlderSignal) {
  Object C;
  C.value(CondEnqueue, 1);
  C.value(CondEnqueue, 2);
  C.value(CondSignal, 0);
  C.value(CondSignal, 0);
  C.value(CondWake, 1);
  C.value(CondEnqueue, 1);
  EXPECT_TRUE(C.blocks(CondWake, 1));
  EXPECT_EQ(C.value(CondWake, 2), 0);
  EXPECT_TRUE(C.blocks(CondWake, 1));
}

TEST(Cond, ABroadcastWakesAllWhoWaitAndNobodyElse) {
  Object C;
  for (uint32_t Thread : {1u, 2u, 3u})
    C.value(CondEnqueue, Thread);
  C.value(CondSignal, 0);
  C.value(CondBroadcast, 0);
  C.value(CondEnqueue, 4);
  EXPECT_TRUE(C.blocks(CondWake, 4));
  for (uint32_t Thread : {2u, 3u, 1u})
    EXPECT_EQ(C.value(CondWake, Thread), 0);
  EXPECT_TRUE(C.blocks(CondWake, 4));
}

TEST(Cond, ATimedWaitTakesASignalIfItCanAndElseGivesUp) {
  Object C;
  C.value(CondEnqueue, 1);
  EXPECT_EQ(C.value(CondTimedWake, 1), TimedOut);
  C.value(CondSignal, 0);
  C.value(CondEnqueue, 1);
  C.value(CondEnqueue, 2);
  C.value(CondSignal, 0);
  EXPECT_EQ(C.value(CondTimedWake, 1), 0);
  EXPECT_EQ(C.value(CondTimedWake, 2), TimedOut);
  EXPECT_EQ(C.Bytes, Object{}.Bytes);
}

TEST(Cond, DestroyWaitsForSignalledThreadsAndIsMisuseWhileOthersWait) {
  Object C;
  C.value(CondEnqueue, 1);
  C.value(CondEnqueue, 2);
  C.value(CondSignal, 0);
  EXPECT_EQ(C.misuse(CondDestroy, 0), "bad-synchronisation");
  C.value(CondBroadcast, 0);
  EXPECT_TRUE(C.blocks(CondDestroy, 0));
  C.value(CondWake, 1);
  C.value(CondWake, 2);
  EXPECT_EQ(C.value(CondDestroy, 0), 0);
  EXPECT_EQ(C.misuse(CondSignal, 0), "destroyed-object");
  C.value(CondInit, 0);
  EXPECT_EQ(C.value(CondSignal, 0), 0);
}

TEST(Cond, InitDuringAWaitIsMisuseAndSoIsOverwriting) {
  Object C;
  C.value(CondEnqueue, 1);
  EXPECT_EQ(C.misuse(CondInit, 0), "initialised-in-use");
  C.Bytes = {}; // by hand
  EXPECT_EQ(C.misuse(CondWake, 1), "bad-synchronisation");
}

TEST(Cond, MoreWaitersThanThereIsRoomForAreRefused) {
  Object C;
  for (uint32_t Thread = 0; Thread < 44; ++Thread)
    C.value(CondEnqueue, Thread);
  EXPECT_EQ(C.misuse(CondEnqueue, 44), "unsupported");
  EXPECT_EQ(Object{}.misuse(CondEnqueue, 127), "unsupported");
  EXPECT_EQ(Object{}.value(CondEnqueue, 126), 0);
}

/// The definition the compact state stands for: each signal is a token with the set of threads that may take it.
struct CondByDefinition {
  std::set<uint32_t> Waiters;
  std::vector<std::set<uint32_t>> Tokens;

  auto tokenFor(uint32_t Thread) {
    auto Best = Tokens.end();
    for (auto It = Tokens.begin(); It != Tokens.end(); ++It)
      if (It->count(Thread) && (Best == Tokens.end() || It->size() < Best->size()))
        Best = It;
    return Best;
  }
  bool canWake(uint32_t Thread) { return tokenFor(Thread) != Tokens.end(); }
  void signal() {
    if (Tokens.size() < Waiters.size())
      Tokens.push_back(Waiters);
  }
  void leave(uint32_t Thread) {
    if (auto Taken = tokenFor(Thread); Taken != Tokens.end())
      Tokens.erase(Taken);
    Waiters.erase(Thread);
    for (auto &Eligible : Tokens)
      Eligible.erase(Thread);
  }
};

TEST(Cond, CompactStateAgreesWithTheDefinitionOnRandomHistories) {
  std::mt19937 Random(20);
  for (int History = 0; History < 2000; ++History) {
    Object C;
    CondByDefinition D;
    for (int Step = 0; Step < 60; ++Step) {
      uint32_t Thread = Random() % 7;
      switch (Random() % 8) {
      case 0:
      case 1:
        C.value(CondSignal, 7);
        D.signal();
        break;
      case 2:
        if (Random() % 4 == 0) {
          C.value(CondBroadcast, 7);
          for (size_t Sent = D.Tokens.size(); Sent < D.Waiters.size(); ++Sent)
            D.Tokens.push_back(D.Waiters);
        }
        break;
      default:
        if (!D.Waiters.count(Thread)) {
          C.value(CondEnqueue, Thread);
          D.Waiters.insert(Thread);
        } else if (Random() % 3 == 0) {
          EXPECT_EQ(C.value(CondTimedWake, Thread), D.canWake(Thread) ? 0 : TimedOut);
          D.leave(Thread);
        } else if (D.canWake(Thread)) {
          EXPECT_EQ(C.value(CondWake, Thread), 0);
          D.leave(Thread);
        }
      }
      for (uint32_t Waiter : D.Waiters) {
        Object Copy = C;
        ASSERT_EQ(Copy.blocks(CondWake, Waiter), !D.canWake(Waiter)) << "history " << History << " step " << Step;
      }
      ASSERT_LE(D.Tokens.size(), D.Waiters.size());
    }
  }
}

TEST(Cond, WaitsInEitherOrderLeaveTheSameBytes) {
  Object A, B;
  A.value(CondEnqueue, 1);
  A.value(CondEnqueue, 2);
  B.value(CondEnqueue, 2);
  B.value(CondEnqueue, 1);
  EXPECT_EQ(A.Bytes, B.Bytes);
  A.value(CondBroadcast, 0);
  A.value(CondEnqueue, 0); // a wait after the broadcast is another matter: it stays behind the others
  B.value(CondEnqueue, 0);
  B.value(CondBroadcast, 0);
  EXPECT_NE(A.Bytes, B.Bytes);
}

TEST(Rw, ReadersShareAndAWriterIsAlone) {
  Object L;
  EXPECT_EQ(L.value(RwReadLock, 0), 0);
  EXPECT_EQ(L.value(RwTryReadLock, 1), 0);
  EXPECT_TRUE(L.blocks(RwWriteLock, 2));
  EXPECT_EQ(L.value(RwTryWriteLock, 2), Busy);
  L.value(RwUnlock, 0);
  EXPECT_TRUE(L.blocks(RwWriteLock, 2));
  L.value(RwUnlock, 1);
  EXPECT_EQ(L.value(RwWriteLock, 2), 0);
  EXPECT_TRUE(L.blocks(RwReadLock, 0));
  EXPECT_EQ(L.value(RwTryReadLock, 0), Busy);
  L.value(RwUnlock, 2);
  EXPECT_EQ(L.Bytes, Object{}.Bytes);
}

TEST(Rw, ARecursiveReaderUnlocksAsOftenAsItLocked) {
  Object L;
  L.value(RwReadLock, 5);
  L.value(RwReadLock, 1);
  L.value(RwReadLock, 5);
  L.value(RwUnlock, 5);
  L.value(RwUnlock, 1);
  EXPECT_TRUE(L.blocks(RwWriteLock, 1));
  L.value(RwUnlock, 5);
  EXPECT_EQ(L.misuse(RwUnlock, 5), "unlock-not-held");
  EXPECT_EQ(L.value(RwTryWriteLock, 1), 0);
}

TEST(Rw, AThreadThatUpgradesWaitsForItself) {
  Object L;
  L.value(RwReadLock, 0);
  EXPECT_TRUE(L.blocks(RwWriteLock, 0));
  L.value(RwUnlock, 0);
  L.value(RwWriteLock, 0);
  EXPECT_TRUE(L.blocks(RwReadLock, 0));
  EXPECT_TRUE(L.blocks(RwWriteLock, 0));
}

TEST(Rw, MisuseIsFound) {
  Object L;
  L.value(RwInit, 0);
  EXPECT_EQ(L.misuse(RwUnlock, 0), "unlock-not-held");
  L.value(RwWriteLock, 0);
  EXPECT_EQ(L.misuse(RwUnlock, 1), "unlock-not-held");
  EXPECT_EQ(L.misuse(RwDestroy, 0), "bad-synchronisation");
  L.value(RwUnlock, 0);
  L.value(RwDestroy, 0);
  EXPECT_EQ(L.misuse(RwReadLock, 0), "destroyed-object");
  L.value(RwInit, 0);
  for (int Hold = 0; Hold < 40; ++Hold)
    L.value(RwReadLock, 1);
  EXPECT_EQ(L.misuse(RwReadLock, 2), "unsupported");
}

TEST(Sem, CountsDownAndWaitsAtZero) {
  Object S;
  EXPECT_EQ(S.misuse(SemPost, 0), "bad-synchronisation");
  EXPECT_EQ(S.value(SemInit, 0, 2), 0);
  EXPECT_EQ(S.value(SemWait, 0), 0);
  EXPECT_EQ(S.value(SemTryWait, 1), 0);
  EXPECT_TRUE(S.blocks(SemWait, 2));
  EXPECT_EQ(S.value(SemTryWait, 2), -1);
  EXPECT_EQ(S.value(SemTimedWait, 2), -1);
  EXPECT_EQ(S.value(SemPost, 3), 0);
  EXPECT_EQ(S.value(SemGetValue, 3), 1);
  EXPECT_EQ(S.value(SemTimedWait, 2), 0);
  S.value(SemDestroy, 0);
  EXPECT_EQ(S.misuse(SemWait, 1), "destroyed-object");
}

TEST(Sem, FailuresSayWhyInErrno) {
  Object S;
  EXPECT_EQ(S.step(SemInit, 0, 0x80000000u).Errno, Inval);
  S.value(SemInit, 0, 0);
  EXPECT_EQ(S.step(SemTryWait, 0).Errno, Again);
  EXPECT_EQ(S.step(SemTimedWait, 0).Errno, TimedOut);
  EXPECT_EQ(S.step(SemPost, 0).Errno, 0);
}

TEST(Sem, DoesNotOverflow) {
  Object S;
  EXPECT_EQ(S.value(SemInit, 0, 0x80000000u), -1);
  EXPECT_EQ(S.value(SemInit, 0, 0x7fffffffu), 0);
  EXPECT_EQ(S.value(SemPost, 0), -1);
  EXPECT_EQ(S.value(SemGetValue, 0), 0x7fffffff);
}

TEST(Barrier, OpensWhenTheLastThreadArrives) {
  Object B;
  EXPECT_EQ(B.misuse(BarrierArrive, 0), "bad-synchronisation");
  EXPECT_EQ(B.value(BarrierInit, 0, 0), Inval);
  EXPECT_EQ(B.value(BarrierInit, 0, 3), 0);
  auto First = static_cast<uint64_t>(B.value(BarrierArrive, 0));
  auto Second = static_cast<uint64_t>(B.value(BarrierArrive, 1));
  EXPECT_TRUE(B.blocks(BarrierLeave, 0, First));
  EXPECT_TRUE(B.blocks(BarrierLeave, 1, Second));
  auto Last = static_cast<uint64_t>(B.value(BarrierArrive, 2));
  EXPECT_EQ(First & LastArriver, 0u);
  EXPECT_EQ(Second & LastArriver, 0u);
  EXPECT_EQ(Last & LastArriver, LastArriver);
  EXPECT_EQ(B.value(BarrierLeave, 2, Last), BarrierSerialThread);
  EXPECT_EQ(B.value(BarrierLeave, 1, Second), 0);
  EXPECT_EQ(B.value(BarrierLeave, 0, First), 0);
}

TEST(Barrier, TheNextRoundMayBeginBeforeAllHaveLeft) {
  Object B;
  B.value(BarrierInit, 0, 2);
  auto Slow = static_cast<uint64_t>(B.value(BarrierArrive, 0));
  B.value(BarrierArrive, 1);
  auto Fast = static_cast<uint64_t>(B.value(BarrierArrive, 1));
  EXPECT_TRUE(B.blocks(BarrierLeave, 1, Fast));
  EXPECT_EQ(B.value(BarrierLeave, 0, Slow), 0);
  EXPECT_TRUE(B.blocks(BarrierLeave, 1, Fast));
  EXPECT_NE(static_cast<uint64_t>(B.value(BarrierArrive, 0)) & LastArriver, 0u);
  EXPECT_EQ(B.value(BarrierLeave, 1, Fast), 0);
}

TEST(Barrier, OfOneThreadNeverWaits) {
  Object B;
  B.value(BarrierInit, 0, 1);
  for (int Round = 0; Round < 3; ++Round) {
    auto Ticket = static_cast<uint64_t>(B.value(BarrierArrive, 0));
    EXPECT_EQ(B.value(BarrierLeave, 0, Ticket), BarrierSerialThread);
  }
}

TEST(Barrier, DestroyWaitsForThoseWhoLeaveAndIsMisuseInARound) {
  Object B;
  B.value(BarrierInit, 0, 2);
  auto Ticket = static_cast<uint64_t>(B.value(BarrierArrive, 0));
  EXPECT_EQ(B.misuse(BarrierDestroy, 1), "bad-synchronisation");
  auto Last = static_cast<uint64_t>(B.value(BarrierArrive, 1));
  EXPECT_TRUE(B.blocks(BarrierDestroy, 1));
  B.value(BarrierLeave, 0, Ticket);
  EXPECT_EQ(B.value(BarrierDestroy, 0), 0);
  EXPECT_EQ(B.value(BarrierLeave, 1, Last), BarrierSerialThread);
  EXPECT_EQ(B.misuse(BarrierArrive, 1), "destroyed-object");
}

TEST(Once, OneThreadRunsItAndTheOthersWaitUntilItIsDone) {
  Object O;
  EXPECT_EQ(O.value(OnceBegin, 0), 1);
  EXPECT_TRUE(O.blocks(OnceBegin, 1));
  EXPECT_TRUE(O.blocks(OnceBegin, 0));
  O.value(OnceEnd, 0);
  EXPECT_EQ(O.value(OnceBegin, 1), 0);
  EXPECT_EQ(O.misuse(OnceEnd, 1), "bad-synchronisation");
}

} // namespace
} // namespace picket
