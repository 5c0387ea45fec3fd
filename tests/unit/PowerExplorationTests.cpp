// POWER on small programs whose answers are known: the figures of "Stateless Model Checking for POWER", C11 atomics by
// their mapping, locks, threads, waiting, memory that ends, and what is refused.
#include "litmus/LitmusReader.h"
#include "litmus/LitmusRun.h"
#include "support/Graphs.h"
#include "support/TenWrites.h"
#include "support/Threads.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::Explored;
using Bugs = std::set<std::string>;

Explored exploreLitmus(const std::string &Text) {
  LitmusReading Reading = readLitmus(Text, "test.litmus");
  EXPECT_TRUE(Reading.Test) << Reading.Problem;
  Explored All = testing::exploreGraphsOf(Reading.Test->Code);
  EXPECT_EQ(All.Repeated, 0u);
  EXPECT_EQ(All.Result.FailedWakeups, 0u);
  return All;
}

Explored exploreText(const std::string &Text, MemoryModel Model = MemoryModel::Power) {
  Explored All = testing::exploreGraphsOf(testing::compile(testing::requestForText(Text)), Model);
  EXPECT_EQ(All.Repeated, 0u);
  EXPECT_EQ(All.Result.FailedWakeups, 0u);
  return All;
}

/// A program: what is global, the threads' bodies, and what main does when all have ended.
std::string threads(const std::string &Globals, const std::vector<std::string> &Bodies, const std::string &Then = "") {
  return testing::programOf("#include <semaphore.h>\n" + Globals, Bodies, Then);
}

void expectSafe(const std::string &Text) {
  Explored All = exploreText(Text);
  EXPECT_EQ(All.Bugs, Bugs()) << Text;
  EXPECT_EQ(All.Result.Ended, ExplorationResult::End::Everything) << All.Result.Reason;
  EXPECT_GT(All.Result.Executions, 0u);
}
void expectBug(const std::string &Text, const std::string &Kind = "assertion") {
  Explored All = exploreText(Text);
  EXPECT_EQ(All.Bugs, Bugs{Kind}) << Text;
  EXPECT_EQ(All.Result.Ended, ExplorationResult::End::Everything) << All.Result.Reason;
}

// The paper's figures.

TEST(PowerExploration, LoadBufferingWithDataHasFourTraces) { // Fig. 2
  Explored All = exploreLitmus(R"(PPC LB+data
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 lwz r1,0(r2) | lwz r1,0(r2) ;
 addi r3,r1,1 | li r3,1      ;
 stw r3,0(r4) | stw r3,0(r4) ;
forall true
)");
  EXPECT_EQ(All.Result.Executions, 4u);
  EXPECT_EQ(All.Result.Blocked, 0u);
  EXPECT_EQ(All.Result.RejectedBranches, 0u);
}

TEST(PowerExploration, RacesWithTheSameLoadAreReversedOnce) { // Fig. 9: three sources, two orders of the writes
  Explored All = exploreLitmus(R"(PPC Fig9
{ 0:r2=x; 1:r2=x; 1:r3=1; 2:r2=x; 2:r3=2; }
 P0           | P1           | P2           ;
 lwz r1,0(r2) | stw r3,0(r2) | stw r3,0(r2) ;
forall true
)");
  EXPECT_EQ(All.Result.Executions, 6u);
  EXPECT_EQ(All.Result.RejectedBranches, 0u);
}

// Fig. 11.

TEST(PowerExploration, SyncsMakeCriticalSections) {
  Explored All = exploreLitmus(testing::tenWrites("sync"));
  EXPECT_EQ(All.Result.Executions, 3u);
  EXPECT_EQ(All.Result.RejectedBranches, 0u);
}

TEST(PowerExploration, WithoutSyncsWritesInterleave) {
  struct : GraphObserver {
    void ended(GraphRun &, Ending) override {}
  } Nobody;
  LitmusReading Reading = readLitmus(testing::tenWrites("nop"), "test.litmus");
  ASSERT_TRUE(Reading.Test) << Reading.Problem;
  ExplorationResult Result =
      exploreGraphs(Reading.Test->Code, MemoryModel::Power, testing::exhaustively(MemoryModel::SC), Nobody);
  EXPECT_EQ(Result.Executions, 184759u);
  EXPECT_EQ(Result.FailedWakeups, 0u);
  EXPECT_EQ(Result.Blocked, 0u);
}

// Store-conditionals that fail are no events.

/// Whether a litmus test has an execution that satisfies its condition.
bool allows(const std::string &Text) {
  LitmusReading Reading = readLitmus(Text, "test.litmus");
  EXPECT_TRUE(Reading.Test) << Reading.Problem;
  LitmusResult Result = runLitmus(*Reading.Test, MemoryModel::Power, {});
  EXPECT_TRUE(Result.answered()) << Result.Reason;
  return Result.Holds;
}

TEST(PowerExploration, ABranchOnAFailedStoreConditionalOrdersNothing) {
  // That the store of 2 comes before the load of x in P1 does not keep the store to y from going first.
  EXPECT_TRUE(allows(R"(PPC failure+ctrl
{ 0:r2=x; 0:r4=y; 0:r3=2; 1:r2=x; 1:r4=y; 1:r3=3; 1:r5=1; 1:r6=4; }
 P0           | P1              ;
 lwz r1,0(r4) | lwarx r1,r0,r2  ;
 sync         | stwcx. r3,r0,r2 ;
 stw r3,0(r2) | bne L           ;
              | stw r5,0(r2)    ;
              | L:              ;
              | stw r6,0(r4)    ;
exists (0:r1=4 /\ 1:r1=2)
)"));
}

TEST(PowerExploration, TheAddressOfAFailedStoreConditionalOrdersNothing) {
  EXPECT_TRUE(allows(R"(PPC failure+addr
{ 0:r2=x; 0:r4=y; 0:r5=1; 0:r6=2; 1:r2=x; 1:r4=y; }
 P0               | P1            ;
 lwz r1,0(r2)     | lwz r1,0(r4)  ;
 xor r11,r1,r1    | addi r12,r1,1 ;
 stwcx. r5,r11,r2 | stw r12,0(r2) ;
 stw r6,0(r4)     |               ;
exists (0:r1=3 /\ 1:r1=2)
)"));
}

TEST(PowerExploration, TheAddressOfASuccessfulStoreConditionalOrders) {
  EXPECT_FALSE(allows(R"(PPC success+addr
{ 0:r2=x; 0:r4=y; 0:r7=z; 0:r5=1; 0:r6=2; 1:r2=x; 1:r4=y; }
 P0               | P1            ;
 lwarx r8,r0,r7   | lwz r1,0(r4)  ;
 lwz r1,0(r2)     | addi r12,r1,1 ;
 xor r11,r1,r1    | stw r12,0(r2) ;
 stwcx. r5,r11,r7 |               ;
 stw r6,0(r4)     |               ;
exists (0:r1=3 /\ 1:r1=2 /\ z=1)
)"));
}

TEST(PowerExploration, AReservationElsewhereIsNone) {
  EXPECT_FALSE(allows(R"(PPC elsewhere
{ 0:r2=x; 0:r4=y; 0:r5=1; }
 P0              ;
 lwarx r1,r0,r2  ;
 stwcx. r5,r0,r4 ;
exists (x=1 \/ y=1)
)"));
}

// C11 atomics.

std::string messagePassing(const std::string &StoreOrder, const std::string &LoadOrder) {
  return threads("int data, seen; atomic_int flag;",
                 {"data = 1; atomic_store_explicit(&flag, 1, memory_order_" + StoreOrder + ");",
                  "if (atomic_load_explicit(&flag, memory_order_" + LoadOrder + ")) assert(data == 1);"});
}

TEST(PowerExploration, MessagePassing) {
  expectBug(messagePassing("relaxed", "relaxed"));
  expectBug(messagePassing("release", "relaxed"));
  expectBug(messagePassing("relaxed", "acquire"));
  expectSafe(messagePassing("release", "acquire"));
  expectSafe(messagePassing("seq_cst", "seq_cst"));
}

std::string storeBuffering(const std::string &StoreOrder, const std::string &LoadOrder) {
  auto Side = [&](const std::string &Mine, const std::string &Other, const std::string &Into) {
    return "atomic_store_explicit(&" + Mine + ", 1, memory_order_" + StoreOrder + "); " + Into +
           " = atomic_load_explicit(&" + Other + ", memory_order_" + LoadOrder + ");";
  };
  return threads("atomic_int x, y; int a, b;", {Side("x", "y", "a"), Side("y", "x", "b")}, "assert(a || b);");
}

TEST(PowerExploration, StoreBuffering) {
  expectBug(storeBuffering("relaxed", "relaxed"));
  expectBug(storeBuffering("release", "acquire"));
  expectSafe(storeBuffering("seq_cst", "seq_cst"));
}

std::string independentReads(const std::string &StoreOrder, const std::string &LoadOrder) {
  auto Load = [&](const char *From) {
    return std::string("atomic_load_explicit(&") + From + ", memory_order_" + LoadOrder + ")";
  };
  auto Store = [&](const char *To) {
    return std::string("atomic_store_explicit(&") + To + ", 1, memory_order_" + StoreOrder + ");";
  };
  return threads("atomic_int x, y; int a, b, c, d;",
                 {Store("x"), Store("y"), "a = " + Load("x") + "; b = " + Load("y") + ";",
                  "c = " + Load("y") + "; d = " + Load("x") + ";"},
                 "assert(!(a && !b && c && !d));");
}

TEST(PowerExploration, IndependentReadsOfIndependentWrites) {
  expectBug(independentReads("relaxed", "acquire"));
  expectBug(independentReads("release", "acquire"));
  expectSafe(independentReads("seq_cst", "seq_cst"));
}

/// Plain accesses with fences as inline assembly.
std::string fencedMessage(const std::string &Writer, const std::string &Reader) {
  return threads("#define FENCE(F) __asm__ volatile(F ::: \"memory\")\nvolatile int data[1], flag; int seen, f;",
                 {"data[0] = 1; " + Writer + " flag = 1;", "f = flag; " + Reader}, "assert(!f || seen);");
}

TEST(PowerExploration, DependenciesAreFollowedThroughTheProgram) {
  const std::string Lwsync = "FENCE(\"lwsync\");", Eieio = "FENCE(\"eieio\");";
  const std::string Loose = "seen = data[0];", Address = "seen = data[f ^ f];", Control = "if (f) seen = data[0];",
                    ControlISync = "if (f) { FENCE(\"isync\"); seen = data[0]; }",
                    Fence = "FENCE(\"lwsync\"); seen = data[0];", FullFence = "FENCE(\"sync\"); seen = data[0];";
  expectBug(fencedMessage(Lwsync, Loose));
  expectBug(fencedMessage(Lwsync, Control));
  expectSafe(fencedMessage(Lwsync, Address));
  expectSafe(fencedMessage(Lwsync, ControlISync));
  expectSafe(fencedMessage(Lwsync, Fence));
  expectSafe(fencedMessage(Lwsync, FullFence));
  expectSafe(fencedMessage(Eieio, Address));
  expectBug(fencedMessage("", Address));
  expectBug(fencedMessage("FENCE(\"isync\");", Address));
}

TEST(PowerExploration, DependenciesGoThroughArithmeticCallsAndMemory) {
  auto Reader = [](const std::string &Body) {
    return threads("#define FENCE(F) __asm__ volatile(F ::: \"memory\")\nvolatile int data[1], flag, own;\n"
                   "int seen, f; static int shifted(int v) { return v >> 8; }",
                   {"data[0] = 1; FENCE(\"lwsync\"); flag = 1;", Body}, "assert(!f || seen);");
  };
  expectSafe(Reader("f = flag; seen = data[f * 0];"));
  expectSafe(Reader("f = flag; seen = data[(f & 1) - f];"));
  expectSafe(Reader("f = flag; seen = data[shifted(f)];"));
  expectSafe(Reader("f = flag; own = f >> 8; seen = data[own];"));
  expectBug(Reader("f = flag; own = f >> 8; seen = data[0];"));
}

TEST(PowerExploration, LoadBufferingNeedsADependency) {
  auto Program = [](const std::string &Store) {
    return threads("volatile int x, y; int a, b;", {"a = x; y = " + Store + ";", "b = y; x = 1;"},
                   "assert(!(a && b));");
  };
  expectBug(Program("1"));
  EXPECT_EQ(exploreText(threads("volatile int x, y; int a, b;", {"a = x; y = a ^ a ^ 1;", "b = y; x = b ^ b ^ 1;"},
                                "assert(!(a && b));"))
                .Bugs,
            Bugs());
}

// Updates.

TEST(PowerExploration, WhatIsBehindADivisionIsSeenByOthers) {
  auto Executions = [](const std::string &Divisor) {
    return exploreText(threads("volatile int x, y, z, d = 2;", {"z = x % " + Divisor + "; y = 1;", "(void)y;"}))
        .Result.Executions;
  };
  EXPECT_EQ(Executions("3"), 2u);
  EXPECT_EQ(Executions("d"), 2u);
}

TEST(PowerExploration, ADivisionByAConstantOrdersNothing) { // the load may come last
  expectBug(threads("volatile int x, y; int r;", {"r = x % 3; y = 1;", "x = y;"}, "assert(r != 1);"));
}

TEST(PowerExploration, UpdatesAreAtomic) {
  const std::string Add = "atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);";
  Explored All = exploreText(threads("atomic_int x;", {Add, Add, Add}, "assert(x == 3);"));
  EXPECT_EQ(All.Bugs, Bugs());
  EXPECT_EQ(All.Result.Executions, 6u);
  expectBug(threads("volatile int x;", {"x = x + 1;", "x = x + 1;"}, "assert(x == 2);"));
}

TEST(PowerExploration, OneCompareExchangeWins) {
  const std::string Try = "int zero = 0; if (atomic_compare_exchange_strong(&x, &zero, 1)) atomic_fetch_add(&won, 1);";
  expectSafe(threads("atomic_int x, won;", {Try, Try, Try}, "assert(won == 1);"));
}

TEST(PowerExploration, RelaxedUpdatesOrderNothing) {
  auto Pass = [](const std::string &Order) {
    return threads("int data; atomic_int flag;",
                   {"data = 1; atomic_fetch_add_explicit(&flag, 1, memory_order_" + Order + ");",
                    "if (atomic_fetch_add_explicit(&flag, 0, memory_order_" + Order + ")) assert(data == 1);"});
  };
  expectBug(Pass("relaxed"));
  expectSafe(Pass("acq_rel"));
  expectSafe(Pass("seq_cst"));
}

// Threads and locks.

TEST(PowerExploration, CreateAndJoinOrder) {
  expectSafe("#include <assert.h>\n#include <pthread.h>\nint before, after;\n"
             "static void *t(void *p) { assert(before == 1); after = 1; return p; }\n"
             "int main(void) { pthread_t a; before = 1; pthread_create(&a, 0, t, 0); pthread_join(a, 0);\n"
             "  assert(after == 1); return 0; }\n");
}

TEST(PowerExploration, LockedProgramsHaveTheExecutionsOfSc) {
  const std::string Globals = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x, y;";
  const std::string Locked = "pthread_mutex_lock(&m); x++; y = x; pthread_mutex_unlock(&m);";
  const std::string Text = threads(Globals, {Locked, Locked, Locked}, "assert(x == 3 && y == 3);");
  Explored Power = exploreText(Text), Sc = exploreText(Text, MemoryModel::SC);
  EXPECT_EQ(Power.Bugs, Bugs());
  EXPECT_EQ(Power.Result.Executions, 6u);
  EXPECT_EQ(Sc.Result.Executions, 6u);
}

TEST(PowerExploration, UnlockedAccessesAreSeenOutOfOrder) {
  const std::string Locked = "pthread_mutex_lock(&m); x = 1; y = 1; pthread_mutex_unlock(&m);";
  expectBug(threads("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; volatile int x, y; int a, b;",
                    {Locked, "a = y; b = x;"}, "assert(!a || b);"));
}

TEST(PowerExploration, DeadlocksAreFound) {
  auto Take = [](const std::string &First, const std::string &Second) {
    return "pthread_mutex_lock(&" + First + "); pthread_mutex_lock(&" + Second + "); pthread_mutex_unlock(&" + Second +
           "); pthread_mutex_unlock(&" + First + ");";
  };
  const std::string Globals = "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;";
  expectBug(threads(Globals, {Take("a", "b"), Take("b", "a")}), "deadlock");
  expectSafe(threads(Globals, {Take("a", "b"), Take("a", "b")}));
}

// Waiting.

TEST(PowerExploration, AHandshakeOfSpinLoops) {
  const std::string Globals = "atomic_int ping, pong; int data;";
  auto Load = [](const std::string &From) {
    return "while (!atomic_load_explicit(&" + From + ", memory_order_acquire)) ;";
  };
  auto Store = [](const std::string &To) { return "atomic_store_explicit(&" + To + ", 1, memory_order_release);"; };
  Explored All = exploreText(threads(Globals, {"data = 1; " + Store("ping") + Load("pong") + "assert(data == 2);",
                                               Load("ping") + "data++; " + Store("pong")}));
  EXPECT_EQ(All.Bugs, Bugs());
  EXPECT_EQ(All.Result.Executions, 1u);
  EXPECT_EQ(All.Result.Blocked, 0u);
  expectBug(threads(Globals, {"data = 1; " + Store("ping"),
                              "while (!atomic_load_explicit(&ping, memory_order_relaxed)) ; assert(data == 1);"}));
}

TEST(PowerExploration, AFenceMayStandInASpinLoop) {
  expectSafe(
      threads("volatile int s;", {"s = 1; s = 2;", "int v; do { v = s; __sync_synchronize(); } while (v == 1);"}));
}

TEST(PowerExploration, ALoopThatNobodyEndsHangs) {
  expectBug(threads("volatile int go;", {"while (!go) ;", ""}), "hang");
}

TEST(PowerExploration, AssumptionsBlock) {
  Explored All = exploreText("void __VERIFIER_assume(int);\n" +
                             threads("volatile int x;", {"x = 1;", "__VERIFIER_assume(x == 1);"}));
  EXPECT_EQ(All.Bugs, Bugs());
  EXPECT_EQ(All.Result.Executions, 1u);
  EXPECT_EQ(All.Result.Blocked, 1u);
}

TEST(PowerExploration, ConditionVariables) {
  const std::string Globals = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = "
                              "PTHREAD_COND_INITIALIZER; int ready, data;";
  const std::string Waits = "pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); assert(data == 1); "
                            "pthread_mutex_unlock(&m);";
  expectSafe(threads(Globals, {Waits, "pthread_mutex_lock(&m); data = 1; ready = 1; pthread_cond_signal(&c); "
                                      "pthread_mutex_unlock(&m);"}));
  // Nobody looks whether it was signalled before.
  expectBug(threads(Globals, {"pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
                              "pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m);"}),
            "deadlock");
}

TEST(PowerExploration, SemaphoresOrder) {
  const std::string Text = "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\nsem_t s; int data;\n"
                           "static void *t(void *p) { data = 1; sem_post(&s); return p; }\n"
                           "int main(void) { pthread_t a; sem_init(&s, 0, 0); pthread_create(&a, 0, t, 0);\n"
                           "  sem_wait(&s); assert(data == 1); pthread_join(a, 0); return 0; }\n";
  expectSafe(Text);
}

// Memory that ends.

TEST(PowerExploration, UseAfterFreeIsFound) {
  const std::string Head =
      "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\nint *p; atomic_int done;\n";
  const std::string Tail = "int main(void) { pthread_t a; p = malloc(4); *p = 0; pthread_create(&a, 0, t, 0);\n"
                           "  while (!atomic_load_explicit(&done, memory_order_acquire)) ; free(p);\n"
                           "  pthread_join(a, 0); return 0; }\n";
  auto User = [](const std::string &Order) {
    return "static void *t(void *q) { *p = 1; atomic_store_explicit(&done, 1, memory_order_" + Order +
           "); return q; }\n";
  };
  expectSafe(Head + User("release") + Tail);
  expectBug(Head + User("relaxed") + Tail, "use-after-free");
}

TEST(PowerExploration, MemoryThatNobodyElseTouchedBeforeItsEnd) {
  // The other thread comes to it first or last: one execution is good.
  auto Expect = [](const std::string &Other, const std::string &Main, const std::string &Kind) {
    Explored All = exploreText("#include <pthread.h>\n#include <stdlib.h>\nstatic void *t(void *q) { " + Other +
                               " return 0; }\nint main(void) { pthread_t a; int *p = malloc(4);\n"
                               "  pthread_create(&a, 0, t, p); " +
                               Main + " pthread_join(a, 0); return 0; }\n");
    EXPECT_EQ(All.Bugs, Bugs{Kind}) << Other << Main;
    EXPECT_EQ(All.Result.Executions, 2u) << Other << Main;
  };
  Expect("*(volatile int *)q = 1;", "free(p);", "use-after-free");
  Expect("free(q);", "*(volatile int *)p = 1;", "use-after-free");
  Expect("free(q);", "free(p);", "double-free");
}

TEST(PowerExploration, DoubleFreeIsFound) {
  expectBug("#include <pthread.h>\n#include <stdlib.h>\nint *volatile p;\n"
            "static void *t(void *q) { free(p); return q; }\n"
            "int main(void) { pthread_t a; p = malloc(4); pthread_create(&a, 0, t, 0); free(p);\n"
            "  pthread_join(a, 0); return 0; }\n",
            "double-free");
}

// What is not modelled.

std::string refusalOf(const std::string &Text) {
  Explored All = exploreText(Text);
  EXPECT_EQ(All.Result.Ended, ExplorationResult::End::Unsupported);
  return All.Result.Reason;
}

TEST(PowerExploration, AtomicAccessesThatAreNotAlignedAreRefused) {
  EXPECT_NE(refusalOf(threads("_Alignas(8) char bytes[8];", {"*(atomic_int *)(bytes + 1) = 1;", "bytes[2] = 1;"}))
                .find("an atomic access that is not aligned"),
            std::string::npos);
}

// Waiting.

TEST(GraphExploration, OneMutexLeadsToNoRejectedRun) {
  const std::string Body = "pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m);";
  const std::string Text = threads("#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int c;",
                                   {Body, Body, Body, Body}, "assert(c == 4);");
  for (MemoryModel Model : {MemoryModel::Armv8, MemoryModel::Power, MemoryModel::C11}) {
    const Explored All = exploreText(Text, Model);
    EXPECT_EQ(All.Result.Executions, 24u) << nameOf(Model);
    EXPECT_EQ(All.Result.RejectedBranches, 0u) << nameOf(Model);
    EXPECT_EQ(All.Bugs, Bugs()) << nameOf(Model);
  }
}

TEST(GraphExploration, APostponedLockReadsWhatComesLater) {
  // The second thread takes the lock twice, and the first may come before, between and after.
  const Explored All =
      exploreText(threads("#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int c;",
                          {"pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m);",
                           "for (int k = 0; k < 2; k++) { pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m); }"}),
                  MemoryModel::C11);
  EXPECT_EQ(All.Result.Executions, 3u);
  EXPECT_EQ(All.Result.RejectedBranches, 0u);
}

} // namespace
} // namespace picket
