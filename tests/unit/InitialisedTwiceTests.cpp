// Synchronisation objects that are initialised anew while they are in use, and allocations with wrong alignments.
#include "support/Kinds.h"

#include "machine/SyncObjects.h"

namespace picket {
namespace {

using testing::expectBugs;

const std::string Head =
    "#include <errno.h>\n#include <malloc.h>\n#include <pthread.h>\n#include <stdlib.h>\n#line 1\n";

TEST(InitialisedTwice, AMutexThatIsHeld) {
  expectBugs("default",
             Head + "pthread_mutex_t m;\nint main(void) {\n  pthread_mutex_init(&m, 0);\n  pthread_mutex_lock(&m);\n"
                    "  pthread_mutex_init(&m, 0);\n  return 0; }",
             {"initialised-in-use:5"});
  expectBugs("default",
             Head + "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint main(void) {\n  pthread_mutex_lock(&m);\n"
                    "  pthread_mutex_unlock(&m);\n  pthread_mutex_init(&m, 0);\n  pthread_mutex_lock(&m);\n"
                    "  pthread_mutex_unlock(&m);\n  return 0; }",
             {});
}

TEST(InitialisedTwice, AMutexThatAnotherThreadMayHold) {
  expectBugs("default",
             Head + "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                    "void *f(void *p) { pthread_mutex_lock(&m); pthread_mutex_trylock(&m); return p; }\n"
                    "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n"
                    "  pthread_mutex_init(&m, 0); pthread_join(t, 0); return 0; }",
             {"initialised-in-use:4"});
}

TEST(InitialisedTwice, ABarrierThatAThreadWaitsAt) {
  expectBugs("default",
             Head + "pthread_barrier_t b; volatile int there;\n"
                    "void *f(void *p) { pthread_barrier_wait(&b); return p; }\n"
                    "int main(void) { pthread_t t; pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, f, 0);\n"
                    "  pthread_barrier_init(&b, 0, 2);\n  pthread_barrier_wait(&b); pthread_join(t, 0); return 0; }",
             {"initialised-in-use:4"});
}

TEST(InitialisedTwice, EveryObjectThatKnowsItsUsers) {
  struct Use {
    SyncOp Init, Take, Release;
    uint64_t Argument;
  };
  for (const Use &U : {Use{SyncOp::MutexInit, SyncOp::MutexLock, SyncOp::MutexUnlock, 1},
                       Use{SyncOp::SpinInit, SyncOp::SpinLock, SyncOp::SpinUnlock, 0},
                       Use{SyncOp::RwInit, SyncOp::RwReadLock, SyncOp::RwUnlock, 0},
                       Use{SyncOp::RwInit, SyncOp::RwWriteLock, SyncOp::RwUnlock, 0},
                       Use{SyncOp::CondInit, SyncOp::CondEnqueue, SyncOp::CondTimedWake, 0},
                       Use{SyncOp::BarrierInit, SyncOp::BarrierArrive, SyncOp::BarrierArrive, 2}}) {
    alignas(8) uint8_t Bytes[64] = {};
    EXPECT_EQ(apply(U.Init, Bytes, 0, U.Argument).Outcome, SyncResult::Done);
    EXPECT_EQ(apply(U.Init, Bytes, 0, U.Argument).Outcome, SyncResult::Done) << "nobody uses it";
    EXPECT_EQ(apply(U.Take, Bytes, 0, 0).Outcome, SyncResult::Done);
    const SyncResult Again = apply(U.Init, Bytes, 1, U.Argument);
    ASSERT_EQ(Again.Outcome, SyncResult::Misuse) << static_cast<int>(U.Init);
    EXPECT_EQ(Again.BugKind, BugKind::InitialisedInUse);
    EXPECT_EQ(apply(U.Release, Bytes, 0, 0).Outcome, SyncResult::Done);
    if (U.Init != SyncOp::BarrierInit) {
      EXPECT_EQ(apply(U.Init, Bytes, 1, U.Argument).Outcome, SyncResult::Done) << static_cast<int>(U.Init);
    }
  }
}

TEST(InitialisedTwice, MemoryThatHeldSomethingElseIsNotInUse) {
  for (uint8_t Byte : {1, 2, 7, 0xff})
    for (SyncOp Init : {SyncOp::MutexInit, SyncOp::SpinInit, SyncOp::RwInit, SyncOp::CondInit, SyncOp::BarrierInit}) {
      alignas(8) uint8_t Bytes[64];
      std::fill(std::begin(Bytes), std::end(Bytes), Byte);
      EXPECT_EQ(apply(Init, Bytes, 0, 1).Outcome, SyncResult::Done);
      std::fill(std::begin(Bytes), std::end(Bytes), 0);
      for (size_t K = 0; K < sizeof Bytes; K += 4)
        Bytes[K] = static_cast<uint8_t>(K ? Byte : 0);
      EXPECT_EQ(apply(Init, Bytes, 0, 1).Outcome, SyncResult::Done);
    }
}

TEST(InitialisedTwice, EndsTheExecutionWhereMisuseIsNotLookedFor) {
  for (const auto &Way : testing::waysToCheck()) {
    const ModelReport M = testing::checkFor(
        "no-misuse",
        Head + "pthread_mutex_t m;\nint main(void) { pthread_mutex_lock(&m); pthread_mutex_init(&m, 0); return 0; }",
        Way);
    EXPECT_EQ(M.Result, Verdict::Verified) << Way.Name;
    EXPECT_EQ(M.Unchecked, 1u) << Way.Name;
  }
}

TEST(AlignedAlloc, AnAlignmentThatIsNoPowerOfTwo) {
  for (const char *Wrong : {"aligned_alloc(3, 9)", "aligned_alloc(0, 8)", "memalign(12, 24)"})
    expectBugs("default", Head + "int main(void) {\n  char *p = " + std::string(Wrong) + ";\n  free(p);\n  return 0; }",
               {"invalid-alignment:2"});
}

TEST(AlignedAlloc, ASizeThatIsNoMultipleOfTheAlignmentIsAllowed) {
  expectBugs("default", Head + "int main(void) {\n  char *p = aligned_alloc(16, 9);\n  free(p);\n  return 0; }", {});
}

TEST(AlignedAlloc, PosixMemalignAnswersWithAnError) {
  expectBugs("default",
             Head + "int main(void) {\n  void *p = 0;\n  if (posix_memalign(&p, 3, 8) != EINVAL) abort();\n"
                    "  if (posix_memalign(&p, 4, 8) != EINVAL) abort();\n  if (posix_memalign(&p, 8, 9)) abort();\n"
                    "  free(p);\n  return 0; }",
             {});
}

TEST(AlignedAlloc, GivesMemoryWhereItIsNotLookedFor) {
  expectBugs("no-memory",
             Head + "int main(void) {\n  char *p = aligned_alloc(3, 9);\n  if (!p) abort();\n  return 0; }", {});
}

} // namespace
} // namespace picket
