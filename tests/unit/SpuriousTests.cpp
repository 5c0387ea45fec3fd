// Weak compare-and-swaps that fail, and waits on condition variables that end, for no reason.
#include "support/Engines.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

const std::string Preamble = R"(
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
atomic_int x, y;
int ready, data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_t t, u;
static void start(void *(*f)(void *)) { pthread_create(&t, 0, f, 0); }
static void run2(void *(*f)(void *), void *(*g)(void *)) {
  pthread_create(&t, 0, f, 0);
  pthread_create(&u, 0, g, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
)";

void expectVerified(const std::string &Text, CheckOptions Options = {}) {
  for (const testing::EngineAnswer &A : testing::checkByAll(Preamble + Text, Options)) {
    EXPECT_TRUE(A.Report.Result == Verdict::Verified || A.Report.Result == Verdict::Bounded)
        << A.Engine << ": " << nameOf(A.Report.Result) << " " << A.Report.Reason << Text;
    for (const Bug &B : A.Report.Bugs)
      ADD_FAILURE() << B.Message;
  }
}

/// Finds the bug, tells that something happens for no reason, and does so again when it is replayed.
void expectBug(const std::string &Kind, const std::string &Text) {
  const Program P = testing::compile(testing::requestForText(Preamble + Text));
  for (const testing::EngineAnswer &A : testing::checkByAll(Preamble + Text)) {
    ASSERT_EQ(A.Report.Bugs.size(), 1u) << A.Engine << ": " << nameOf(A.Report.Result) << " " << A.Report.Reason
                                        << Text;
    EXPECT_EQ(nameOf(A.Report.Bugs.front().Kind), std::string(Kind)) << A.Engine << Text;
    const auto &Trace = A.Report.Bugs.front().Trace;
    ASSERT_TRUE(Trace) << A.Engine << Text;
    std::string Told;
    for (const Step &S : Trace->Steps)
      Told += S.Text + "\n";
    // Under POWER what `main` does before there are other threads is not among the steps.
    if (A.Engine != "power" || Text.find("run2(") != std::string::npos)
      EXPECT_NE(Told.find("for no reason"), std::string::npos) << A.Engine << "\n" << Told << Text;
    EXPECT_FALSE(Trace->Run.Failures.empty());
    const ReplayResult Again = replay(P, Trace->Run, {});
    EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << A.Engine << ": " << Again.Message << Text;
  }
  CheckOptions Without;
  Without.Spurious = false;
  expectVerified(Text, Without);
}

/// Nothing may fail where the program could tell.
bool canTell(const std::string &Text) {
  return testing::compile(testing::requestForText(Preamble + Text)).FailsForNoReason;
}

const std::string Swap = "static int swap(int from, int to) { return atomic_compare_exchange_weak(&x, &from, to); }\n";

TEST(WeakCompareAndSwap, AMissingLoopIsFound) {
  expectBug("assertion", Swap + "int main(void) { assert(swap(0, 1)); }");
  expectBug("assertion", Swap + "void *f(void *p) { if (swap(0, 1)) y = 1; return p; }\n"
                                "int main(void) { start(f); pthread_join(t, 0); assert(y == 1); }");
  expectBug("assertion", "void *f(void *p) { int old = x; atomic_compare_exchange_weak_explicit(&x, &old, old + 1, "
                         "memory_order_relaxed, memory_order_relaxed); return p; }\n"
                         "int main(void) { start(f); pthread_join(t, 0); assert(x == 1); }");
  expectBug("assertion",
            "int z; int main(void) { int e = 0; __atomic_compare_exchange_n(&z, &e, 1, 1, __ATOMIC_SEQ_CST, "
            "__ATOMIC_SEQ_CST); assert(z); }");
}

TEST(WeakCompareAndSwap, SeveralMayFailInOneExecution) {
  const std::string Leader = Swap + "void *f(void *p) { if (swap(0, 1)) y = 1; return p; }\n";
  expectBug("assertion", Leader + "int main(void) { run2(f, f); assert(y == 1); }");
}

TEST(WeakCompareAndSwap, TheStrongOneNeverFails) {
  expectVerified("int main(void) { int e = 0; assert(atomic_compare_exchange_strong(&x, &e, 1)); }");
  EXPECT_FALSE(canTell("int main(void) { int e = 0; return atomic_compare_exchange_strong(&x, &e, 1); }"));
}

TEST(WeakCompareAndSwap, AFailureLeavesWhatWasThere) {
  expectVerified("int main(void) { int e = 0; if (!atomic_compare_exchange_weak(&x, &e, 1)) assert(e == 0 && x == 0); "
                 "else assert(x == 1); }");
}

TEST(WeakCompareAndSwap, GivingUpAfterSomeTriesCanBeTold) {
  const std::string Tries = Swap + "int main(void) { for (int k = 0; k < 2; ++k) if (swap(0, 1)) return 0; abort(); }";
  EXPECT_TRUE(canTell(Tries));
  expectVerified(Tries); // each place fails at most once in a thread
}

TEST(WeakCompareAndSwap, RetryLoopsAreNotMultiplied) {
  for (const char *Loop : {
           "int old = x; while (!atomic_compare_exchange_weak(&x, &old, old + 1)) ;",
           "int old = x; do ; while (!atomic_compare_exchange_weak(&x, &old, old + 1));",
           "int old; do old = x; while (!atomic_compare_exchange_weak(&x, &old, old + 1));",
           "for (;;) { int old = x; if (atomic_compare_exchange_weak(&x, &old, old + 1)) break; }",
           "int zero = 0; while (!atomic_compare_exchange_weak(&y, &zero, 1)) zero = 0; x++; y = 0;",
           "for (;;) { while (y) ; int e = 0; if (atomic_compare_exchange_weak(&y, &e, 1)) break; } x++; y = 0;",
           "int old = x; for (;;) { if (atomic_compare_exchange_weak(&x, &old, old + 1)) break; sched_yield(); }",
           "int old = x; while (!atomic_compare_exchange_weak(&x, &old, old + 1)) old = x;",
       }) {
    const std::string Text = std::string("#include <sched.h>\nvoid *f(void *p) { ") + Loop +
                             " return p; } int main(void) { run2(f, f); assert(x == 2); }";
    EXPECT_FALSE(canTell(Text)) << Loop;
    expectVerified(Text);
  }
  EXPECT_FALSE(canTell(R"(
struct node { struct node *next; };
struct node *_Atomic top;
void *push(void *p) {
  struct node *mine = malloc(sizeof *mine), *old = top;
  do mine->next = old; while (!atomic_compare_exchange_weak(&top, &old, mine));
  return p;
}
void *pop(void *p) {
  struct node *old = top;
  while (old && !atomic_compare_exchange_weak(&top, &old, old->next)) ;
  return p;
}
int main(void) { run2(push, pop); })"));
}

TEST(WeakCompareAndSwap, LoopsThatDoMoreThanTryAgainCanTell) {
  for (const char *Loop : {
           "int old = x, n = 0; while (!atomic_compare_exchange_weak(&x, &old, old + 1)) n++; assert(!n);",
           "int old = x; while (!atomic_compare_exchange_weak(&x, &old, old + 1)) y++;",
           "int old = x; while (!atomic_compare_exchange_weak(&x, &old, old + 1)) if (y) break;",
           "int old = x; while (!atomic_compare_exchange_weak(&x, &old, old + 1)) while (x == old) ;",
           "int old = x; do y = y + 1; while (!atomic_compare_exchange_weak(&x, &old, old + 1));",
           "int old = x; while (!y) { y = 1; if (atomic_compare_exchange_weak(&x, &old, old + 1)) break; }",
           "int old = x; for (;;) { pthread_mutex_lock(&m); if (atomic_compare_exchange_weak(&x, &old, 1)) break; }",
       })
    EXPECT_TRUE(canTell(std::string("void *f(void *p) { ") + Loop + " return p; } int main(void) { run2(f, f); }"))
        << Loop;
  // Waits for the value to change after a failure, which then never comes.
  expectBug(
      "hang",
      "void *f(void *p) { int old = x; while (!atomic_compare_exchange_weak(&x, &old, old + 1)) while (x == old) ; "
      "return p; } int main(void) { start(f); pthread_join(t, 0); }");
}

TEST(WeakCompareAndSwap, EachFailureIsOneExecutionMore) {
  CheckOptions Options;
  Options.Exhaustive = true;
  for (const testing::EngineAnswer &A :
       testing::checkByAll(Preamble + Swap + "int main(void) { swap(0, 1); swap(5, 6); }", Options)) {
    if (A.Engine.find("states") == std::string::npos)
      EXPECT_EQ(A.Report.Executions, 2u) << A.Engine; // the second fails with a reason
  }
  for (const testing::EngineAnswer &A : testing::checkByAll(
           Preamble + "static int swap(atomic_int *a) { int e = 0; return atomic_compare_exchange_weak(a, &e, 1); }\n"
                      "void *f(void *p) { swap(&x); return p; } void *g(void *p) { swap(&y); return p; }\n"
                      "int main(void) { run2(f, g); }",
           Options)) {
    if (A.Engine.find("states") == std::string::npos)
      EXPECT_EQ(A.Report.Executions, 4u) << A.Engine;
  }
}

const std::string Waiter = "void *f(void *p) { pthread_mutex_lock(&m); ";
const std::string Setter = " assert(ready); pthread_mutex_unlock(&m); return p; }\n"
                           "int main(void) { start(f); pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); "
                           "pthread_mutex_unlock(&m); pthread_join(t, 0); }";

TEST(SpuriousWakeup, AMissingLoopIsFound) {
  expectBug("assertion", Waiter + "if (!ready) pthread_cond_wait(&c, &m);" + Setter);
  expectBug(
      "assertion",
      "static cnd_t cc; static mtx_t mm; int f(void *p) { (void)p; mtx_lock(&mm); if (!ready) cnd_wait(&cc, &mm); "
      "assert(ready); mtx_unlock(&mm); return 0; }\n"
      "int main(void) { thrd_t h; cnd_init(&cc); mtx_init(&mm, mtx_plain); thrd_create(&h, f, 0); mtx_lock(&mm); "
      "ready = 1; cnd_signal(&cc); mtx_unlock(&mm); thrd_join(h, 0); }");
}

TEST(SpuriousWakeup, AnImpatientWaitMayEndWithoutASignalToo) {
  expectBug("assertion",
            Waiter + "struct timespec s = {0, 0}; if (!ready && pthread_cond_timedwait(&c, &m, &s) != 0) ready = 1;" +
                Setter);
}

TEST(SpuriousWakeup, LoopsAroundTheWaitAreNotMultiplied) {
  for (const char *Loop : {
           "while (!ready) pthread_cond_wait(&c, &m);",
           "for (;;) { if (ready) break; pthread_cond_wait(&c, &m); }",
           "while (1) { if (!ready) { pthread_cond_wait(&c, &m); continue; } break; }",
           "int r = 0; struct timespec s = {0, 0}; while (!ready && r == 0) r = pthread_cond_timedwait(&c, &m, &s); if "
           "(r) ready = 1;",
       }) {
    EXPECT_FALSE(canTell(Waiter + Loop + Setter)) << Loop;
    expectVerified(Waiter + Loop + Setter);
  }
  EXPECT_FALSE(
      canTell("void *f(void *p) { for (;;) { pthread_mutex_lock(&m); if (ready) break; pthread_cond_wait(&c, &m); "
              "pthread_mutex_unlock(&m); }" +
              Setter));
}

TEST(SpuriousWakeup, LoopsThatTestTooLateCanTell) {
  EXPECT_TRUE(canTell(Waiter + "do pthread_cond_wait(&c, &m); while (!ready);" + Setter));
  EXPECT_TRUE(
      canTell(Waiter + "int n = 0; while (!ready) { pthread_cond_wait(&c, &m); n++; } assert(n < 2);" + Setter));
  EXPECT_TRUE(canTell(Waiter + "while (!ready) { pthread_cond_wait(&c, &m); data++; }" + Setter));
}

TEST(SpuriousWakeup, WaitingForEverIsStillFound) {
  for (const testing::EngineAnswer &A : testing::checkByAll(
           Preamble + "void *f(void *p) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); "
                      "return p; } int main(void) { start(f); pthread_join(t, 0); }")) {
    ASSERT_EQ(A.Report.Bugs.size(), 1u) << A.Engine;
    EXPECT_EQ(A.Report.Bugs.front().Kind, BugKind::Deadlock) << A.Engine;
  }
}

/// With the second operation failing at its first arrival, and the first one failing, the thread is at the first one again
/// at the arrival that was the second one's.
TEST(Spurious, NoOperationFailsTwiceBecauseAnotherOneFails) {
  expectVerified(R"(
static void *f(void *p) {
  int n = 0, e = 0;
  while (!atomic_compare_exchange_weak(&x, &e, 1))
    n++;
  assert(n < 2);
  e = 1;
  if (atomic_compare_exchange_weak(&x, &e, 2))
    y++;
  return p;
}
int main(void) {
  start(f);
  pthread_join(t, 0);
})");
}

} // namespace
} // namespace picket
