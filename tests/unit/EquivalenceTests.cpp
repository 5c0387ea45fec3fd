// check --equivalence rf: one execution per reads-from relation.
#include "support/Explore.h"
#include "support/ProcessorTime.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace picket {
namespace {

const std::string Preamble = R"(
#include <pthread.h>
#include <stdlib.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
volatile int x, y;
static void run(void *(*first)(void *), void *(*second)(void *), void *(*third)(void *)) {
  pthread_t t[3];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  if (third) pthread_create(&t[2], 0, third, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  if (third) pthread_join(t[2], 0);
}
)";

CheckReport checkBy(Equivalence OnePer, const std::string &Text, bool Exhaustive = true) {
  CheckOptions Options;
  Options.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
  Options.Exhaustive = Exhaustive;
  Options.Monitor = false;
  Options.OnePer = OnePer;
  return testing::checkText(Preamble + Text, Options);
}

TEST(Equivalence, OrderOfStoresThatNobodyReadsIsOneExecution) {
  const std::string Text = R"(
void *a(void *p) { x = 1; return p; }
void *b(void *p) { x = 2; return p; }
void *c(void *p) { x = 3; return p; }
int main(void) { run(a, b, c); }
)";
  for (const ModelReport &M : checkBy(Equivalence::ReadsFrom, Text).Models) {
    EXPECT_EQ(M.Result, Verdict::Verified);
    EXPECT_EQ(M.Executions, 1u);
    EXPECT_EQ(M.OnePer, Equivalence::ReadsFrom);
  }
  for (const ModelReport &M : checkBy(Equivalence::ShashaSnir, Text).Models)
    EXPECT_EQ(M.Executions, 6u);
}

/// As docs/exploration.md says.
TEST(OverlappingTrylocks, ThatFailAreOneTracePerOrderAndOneRelation) {
  const std::string Text = R"(
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *attempt(void *p) { if (pthread_mutex_trylock(&m) == 0) abort(); return p; }
int main(void) { pthread_mutex_lock(&m); run(attempt, attempt, 0); pthread_mutex_unlock(&m); return 0; }
)";
  for (const auto &[OnePer, Executions] : {std::pair(Equivalence::ShashaSnir, 2u), {Equivalence::ReadsFrom, 1u}})
    for (const ModelReport &M : checkBy(OnePer, Text).Models) {
      EXPECT_EQ(M.Result, Verdict::Verified);
      EXPECT_EQ(M.Executions, Executions);
    }
  CheckOptions Power;
  Power.Models = {MemoryModel::Power};
  Power.Exhaustive = true;
  EXPECT_EQ(testing::checkText(Preamble + Text, Power).Models[0].Executions, 1u);
}

TEST(Equivalence, WhatIsReadAtTheEndTellsExecutionsApart) {
  for (const ModelReport &M : checkBy(Equivalence::ReadsFrom, R"(
void *a(void *p) { x = 1; return p; }
void *b(void *p) { x = 2; return p; }
void *c(void *p) { x = 3; return p; }
int main(void) { run(a, b, c); return x; }
)")
                                  .Models)
    EXPECT_EQ(M.Executions, 3u);
}

TEST(Equivalence, LoopHangsWhereSomeOrderOfStoresMakesIt) {
  for (const ModelReport &M : checkBy(Equivalence::ReadsFrom, R"(
void *a(void *p) { x = 1; return p; }
void *b(void *p) { x = 2; return p; }
void *c(void *p) { while (x != 2) ; return p; }
int main(void) { run(a, b, c); }
)")
                                  .Models) {
    EXPECT_EQ(M.Result, Verdict::Violation);
    ASSERT_EQ(M.Bugs.size(), 1u);
    EXPECT_EQ(M.Bugs.front().Kind, BugKind::Hang);
    EXPECT_EQ(M.OnePer, Equivalence::ReadsFrom);
  }
}

using Found = std::multiset<std::tuple<std::string, unsigned, std::string>>;
Found bugsOf(const ModelReport &M) {
  Found All;
  for (const Bug &B : M.Bugs)
    All.insert({nameOf(B.Kind), B.Where.Line, B.Thread});
  return All;
}

/// The same verdict and the same bugs both ways, with no more executions, and bugs that can be replayed. Why: what the
/// report says of exploring by traces all the same; null: that it does not.
void expectSame(const std::string &Text, const char *Why, bool Exhaustive = true) {
  const CheckReport Traces = checkBy(Equivalence::ShashaSnir, Text, Exhaustive);
  const CheckReport Relations = checkBy(Equivalence::ReadsFrom, Text, Exhaustive);
  const Program P = testing::compile(testing::requestForText(Preamble + Text));
  for (size_t K = 0; K < Traces.Models.size(); ++K) {
    const ModelReport &Finer = Traces.Models[K], &Coarser = Relations.Models[K];
    SCOPED_TRACE(nameOf(Finer.Which));
    EXPECT_EQ(nameOf(Coarser.Result), std::string(nameOf(Finer.Result)));
    EXPECT_EQ(Coarser.OnePer, Why ? Equivalence::ShashaSnir : Equivalence::ReadsFrom) << Coarser.WhyNotReadsFrom;
    EXPECT_NE(Coarser.WhyNotReadsFrom.find(Why ? Why : ""), std::string::npos) << Coarser.WhyNotReadsFrom;
    if (Exhaustive) {
      EXPECT_EQ(bugsOf(Coarser), bugsOf(Finer));
      EXPECT_LE(Coarser.Executions, Finer.Executions);
    }
    for (const Bug &B : Coarser.Bugs) {
      ASSERT_TRUE(B.Trace);
      const ReplayResult Again = replay(P, B.Trace->Run, MachineOptions());
      EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << B.Message << "\n" << Again.Message;
    }
  }
}

const char *const Life = "memory that may end", *const Several = "several loads";

TEST(Equivalence, StoreThatNobodyReadsMayComeAfterFree) {
  expectSame(R"(
int *block;
void *a(void *p) { *block = 1; return p; }
void *b(void *p) { free(block); return p; }
int main(void) { block = malloc(sizeof(int)); run(a, b, 0); }
)",
             Life);
}

TEST(Equivalence, EndsThatRaceAreExploredByTraces) {
  // Of two frees either may be the second one.
  expectSame(R"(
int *block;
void *a(void *p) { x = 3; return p; }
void *b(void *p) { if (x == 3) free(block); return p; }
int main(void) {
  pthread_t t[2];
  block = malloc(4);
  pthread_create(&t[0], 0, a, 0);
  pthread_create(&t[1], 0, b, 0);
  free(block);
}
)",
             Life);
  // A local variable, and another bug.
  expectSame(R"(
#include <assert.h>
int *volatile seen;
void leave(void) { int local = 0; seen = &local; x = 2; }
void *a(void *p) { int *q = seen; if (q) *q = 1; return p; }
void *b(void *p) { x = x + 1; return p; }
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, a, 0);
  pthread_create(&t[1], 0, b, 0);
  leave();
  pthread_join(t[0], 0);
  assert(x != 2);
}
)",
             Life);
}

TEST(Equivalence, SynchronisationObjectsThatEnd) {
  // A semaphore that would block if the memory of another were its own.
  expectSame(R"(
#include <semaphore.h>
sem_t s, *h;
void *z(void *p) { sem_wait(&s); return p; }
void *a(void *p) { sem_post(h); x = 1; sem_post(&s); return p; }
void *b(void *p) { while (!x) ; free(h); return p; }
void *c(void *p) { while (!x) ; sem_wait(h); return p; }
int main(void) {
  pthread_t t;
  h = malloc(sizeof *h);
  sem_init(h, 0, 0);
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, z, 0);
  run(a, b, c);
  pthread_join(t, 0);
}
)",
             Life);
  // Not every execution accesses what is freed; all do so before it is.
  const std::string Freed = R"(
struct S { pthread_mutex_t m; pthread_spinlock_t l; int c; } *s;
void *a(void *p) {
  if (x) { pthread_mutex_lock(&s->m); s->c++; pthread_mutex_unlock(&s->m); }
  if (y) { pthread_spin_lock(&s->l); s->c++; pthread_spin_unlock(&s->l); }
  return p;
}
void *b(void *p) { y = 1; x = 1; return p; }
int main(void) {
  s = malloc(sizeof *s);
  pthread_mutex_init(&s->m, 0);
  pthread_spin_init(&s->l, 0);
  s->c = 0;
  run(a, b, 0);
  free(s);
}
)";
  expectSame(Freed, nullptr);
}

TEST(Equivalence, MemoryThatEndsAfterAllAccesses) {
  // The last one to leave frees.
  expectSame(R"(
struct S { pthread_mutex_t m; int users, value; } *s;
void *a(void *p) {
  pthread_mutex_lock(&s->m);
  s->value = 1;
  int left = --s->users;
  pthread_mutex_unlock(&s->m);
  if (!left) free(s);
  return p;
}
int main(void) {
  s = malloc(sizeof *s);
  pthread_mutex_init(&s->m, 0);
  s->users = 2;
  run(a, a, 0);
}
)",
             nullptr);
  // Its own thread's only.
  expectSame(R"(
void *a(void *p) { int *mine = malloc(4); *mine = x; x = *mine + 1; free(mine); return p; }
int main(void) { run(a, a, 0); }
)",
             nullptr);
}

TEST(Equivalence, LoopsThatWaitForSeveralLoads) {
  for (const char *Loop : {"x == y", "x != 1 || y != 1", "x == x"}) {
    const std::string Text = std::string("void *c(void *p) { while (") + Loop + R"() ; return p; }
void *d(void *p) { x = 1; y = x; return p; }
void *e(void *p) { x = 2; return p; }
int main(void) { run(c, d, e); }
)";
    expectSame(Text, Several);
    expectSame(Text, Several, /*Exhaustive=*/false);
  }
  // Such a loop that always ends.
  expectSame(R"(
void *c(void *p) { while (!x || !y) ; return p; }
void *d(void *p) { x = 1; return p; }
void *e(void *p) { y = 1; return p; }
int main(void) { run(c, d, e); }
)",
             nullptr);
}

TEST(Equivalence, LoopThatIsLeftIsNotToBlame) {
  expectSame(R"(
void *c(void *p) {
  while (x == y) ;
  while (y == 0 || x == 0) ;
  return p;
}
void *d(void *p) { x = 1; return p; }
void *e(void *p) { return p; }
int main(void) { run(c, d, e); }
)",
             nullptr);
}

TEST(Equivalence, BlamesTheSameThreads) {
  expectSame(R"(
int lock;
void *a(void *p) { int e = 2; while (!__atomic_compare_exchange_n(&lock, &e, 1, 0, 5, 5)) e = 2; x = 3; return p; }
void *b(void *p) { x = 2; return p; }
void *c(void *p) { while (x != 0) ; y = 3; return p; }
int main(void) { run(a, b, c); }
)",
             nullptr);
  expectSame(R"(
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *w(void *p) { pthread_mutex_lock(&m); if (!x) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return p; }
void *s(void *p) { pthread_cond_broadcast(&c); x = 1; return p; }
void *t(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return p; }
int main(void) { run(w, s, t); }
)",
             nullptr);
}

TEST(Equivalence, EveryBugIsShown) {
  // One that comes about only where another thread fails, or has just not failed yet.
  expectSame(R"(
#include <assert.h>
void *a(void *p) { y = 1; assert(x == 0); return p; }
void *b(void *p) { x = 1; assert(y == 0); return p; }
void *c(void *p) { assert(x == 0 || y == 0); return p; }
int main(void) { run(a, b, c); }
)",
             nullptr);
}

TEST(Equivalence, SharingThatOnlyTheRecordingShowsIsKept) {
  for (bool Exhaustive : {true, false})
    expectSame(R"(
#include <assert.h>
volatile int r[16];
int *volatile block;
void *a(void *p) { __sync_fetch_and_add(&y, 1); return p; }
void *b(void *p) { r[0] = *block; assert(x != 1); return p; }
void *c(void *p) { __sync_fetch_and_add(&y, 3); *block = 1; x = 1; return p; }
int main(void) {
  pthread_t t[3];
  block = malloc(4);
  *block = 0;
  pthread_create(&t[0], 0, a, 0);
  pthread_create(&t[1], 0, b, 0);
  pthread_create(&t[2], 0, c, 0);
  r[1] = *block;
}
)",
               nullptr, Exhaustive);
}

TEST(Equivalence, WhatNoEquivalenceCanDoIsNotBlamedOnRelations) {
  for (const ModelReport &M : checkBy(Equivalence::ReadsFrom, R"(
void nobody(void);
void *a(void *p) { nobody(); return p; }
int main(void) { run(a, a, 0); }
)")
                                  .Models) {
    EXPECT_EQ(M.Result, Verdict::Unsupported);
    EXPECT_EQ(M.WhyNotReadsFrom, "");
  }
}

TEST(Equivalence, LimitsHoldDuringASearchForCoherence) {
  const std::string Text = R"(
void *w(void *p) { for (int i = 0; i < 150; i++) x = i; return p; }
void *r(void *p) { int s = 0; for (int i = 0; i < 20; i++) s += x; return p; }
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, r, 0);
  pthread_create(&t[1], 0, r, 0);
  run(w, w, w);
}
)";
  CheckOptions Options;
  Options.Exhaustive = true;
  Options.Monitor = false;
  Options.OnePer = Equivalence::ReadsFrom;
  Options.TimeoutSeconds = 1;
  Options.Jobs = 1;
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::PSO}) {
    Options.Models = {Which};
    const double Before = testing::processorSeconds();
    const CheckReport Report = testing::checkText(Preamble + Text, Options);
    EXPECT_EQ(Report.Models.front().Result, Verdict::Inconclusive);
    EXPECT_LT(testing::processorSeconds() - Before, 2);
  }
}

TEST(Equivalence, CreatingAThreadDrainsTheBuffer) {
  const std::string Text = R"(
#include <assert.h>
int r;
void *a(void *p) { y = 1; __sync_synchronize(); r = x; return p; }
void *b(void *p) { return p; }
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, a, 0);
  x = 1;
  pthread_create(&t[1], 0, b, 0);
  int mine = y;
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  assert(mine || r);
}
)";
  for (const ModelReport &M : checkBy(Equivalence::ReadsFrom, Text).Models)
    EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which);
}

TEST(Equivalence, AtomicSectionsAreExploredByTraces) {
  const std::string Text = R"(
void *a(void *p) { __VERIFIER_atomic_begin(); x = 1; y = 1; __VERIFIER_atomic_end(); return p; }
void *b(void *p) { x = 2; return p; }
int main(void) { run(a, b, 0); }
)";
  const CheckReport Traces = checkBy(Equivalence::ShashaSnir, Text), Relations = checkBy(Equivalence::ReadsFrom, Text);
  for (size_t K = 0; K < Traces.Models.size(); ++K) {
    EXPECT_EQ(Relations.Models[K].Result, Verdict::Verified);
    EXPECT_EQ(Relations.Models[K].Executions, Traces.Models[K].Executions);
    EXPECT_EQ(Relations.Models[K].OnePer, Equivalence::ShashaSnir);
    EXPECT_NE(Relations.Models[K].WhyNotReadsFrom.find("atomic section"), std::string::npos);
    EXPECT_EQ(Traces.Models[K].WhyNotReadsFrom, "");
  }
}

TEST(Equivalence, BugIsShownOnStoreBuffers) {
  const std::string Text = R"(
#include <assert.h>
int r[2];
void *a(void *p) { x = 1; r[0] = y; return p; }
void *b(void *p) { y = 1; r[1] = x; return p; }
int main(void) { run(a, b, 0); assert(r[0] || r[1]); }
)";
  const CheckReport Report = checkBy(Equivalence::ReadsFrom, Text, /*Exhaustive=*/false);
  EXPECT_EQ(Report.Models[0].Result, Verdict::Verified);
  const Program P = testing::compile(testing::requestForText(Preamble + Text));
  for (size_t K : {1, 2}) {
    ASSERT_EQ(Report.Models[K].Bugs.size(), 1u);
    const Bug &B = Report.Models[K].Bugs.front();
    EXPECT_EQ(B.Kind, BugKind::Assertion);
    ASSERT_TRUE(B.Trace);
    EXPECT_FALSE(B.Trace->Why.Edges.empty()) << "it is not sequentially consistent";
    EXPECT_EQ(replay(P, B.Trace->Run, MachineOptions()).Outcome, ReplayResult::SameBug);
  }
}

} // namespace
} // namespace picket
