// Loops: each is run to its end, waits, or is followed up to the bound; and those that go on for ever and get nowhere.
#include "support/Explore.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

const std::string Preamble = R"(
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
volatile int x, y, z;
atomic_int a, b;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void run(void *(*first)(void *), void *(*second)(void *)) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  if (second) pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  if (second) pthread_join(t[1], 0);
}
)";

constexpr MemoryModel EveryModel[] = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power};

ModelReport checkUnder(MemoryModel Which, const std::string &Text, Engine Search = Engine::Bounded,
                       Equivalence OnePer = Equivalence::ShashaSnir) {
  CheckOptions Options;
  Options.Models = {Which};
  Options.Search = Search;
  Options.OnePer = OnePer;
  Options.Jobs = 1;
  CheckReport Report = testing::checkText(Preamble + Text, Options);
  EXPECT_EQ(Report.Models.size(), 1u);
  return std::move(Report.Models.front());
}

std::string answerOf(const ModelReport &M) {
  std::string Text = nameOf(M.Result);
  for (const Bug &B : M.Bugs)
    Text += std::string(" ") + nameOf(B.Kind);
  return Text;
}

void expectUnderAll(const std::string &Text, const std::string &Answer) {
  for (MemoryModel Which : EveryModel)
    EXPECT_EQ(answerOf(checkUnder(Which, Text)), Answer) << nameOf(Which) << "\n" << Text;
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO})
    EXPECT_EQ(answerOf(checkUnder(Which, Text, Engine::Bounded, Equivalence::ReadsFrom)), Answer)
        << "rf, " << nameOf(Which) << "\n"
        << Text;
}

const std::string Singleton = R"(
static struct data { volatile int value; } *volatile instance;
static struct data *get(void) {
  if (!instance) {
    pthread_mutex_lock(&m);
    if (!instance) {
      struct data *made = malloc(sizeof *made);
      made->value = 42;
      instance = made;
    }
    pthread_mutex_unlock(&m);
  }
  return instance;
}
static void *use(void *p) {
  while (1) assert(get()->value == 42);
  return p;
}
int main(void) { run(use, use); return 0; }
)";

TEST(LoopsThatEndOnlyWhenOthersAct, LookingAgainAtASettledValueIsCutAtTheBound) {
  EXPECT_EQ(answerOf(checkUnder(MemoryModel::SC, Singleton)), "bounded");
  EXPECT_EQ(answerOf(checkUnder(MemoryModel::TSO, Singleton)), "bounded");
  EXPECT_EQ(answerOf(checkUnder(MemoryModel::PSO, Singleton)), "violation assertion");
  EXPECT_EQ(answerOf(checkUnder(MemoryModel::Power, Singleton)), "violation assertion");
}

TEST(LoopsThatEndOnlyWhenOthersAct, TheStatesOfSuchALoopDecideWithoutABound) {
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO}) {
    const ModelReport M = checkUnder(Which, Singleton, Engine::Auto);
    EXPECT_EQ(M.Result, Verdict::Verified);
    EXPECT_TRUE(M.States.has_value());
  }
}

TEST(LoopsThatEndOnlyWhenOthersAct, WhatTheLoopDoesBesidesDoesNotKeepItFromBeingCut) {
  // Nobody ever writes y; how much is in x differs from iteration to iteration.
  expectUnderAll(R"(
static void *count(void *p) {
  while (!y) { pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m); }
  return p;
}
int main(void) { run(count, 0); return 0; }
)",
                 "bounded");
  expectUnderAll(R"(
static int *volatile last;
static void *replace(void *p) {
  while (!y) { int *old = last; last = malloc(sizeof(int)); *last = 1; free(old); }
  return p;
}
int main(void) { run(replace, 0); return 0; }
)",
                 "bounded");
}

TEST(LoopsThatEndOnlyWhenOthersAct, ThreadsThatAreCreatedWithoutEndAreCutAtTheBound) {
  expectUnderAll(R"(
static void *nothing(void *p) { return p; }
int main(void) { pthread_t t; while (1) pthread_create(&t, 0, nothing, 0); }
)",
                 "bounded");
}

TEST(LoopsThatEndOnlyWhenOthersAct, ALoopThatWalksThroughMemoryIsRunToItsEnd) {
  for (const char *Body : {"int i = 15; while (array[i] != 0) i--; return (void *)(long)i;",
                           "volatile int *at = array + 15; while (*at != 0) at--; return (void *)(at - array);",
                           "unsigned i; for (i = 0; array[15 - i]; i++) ; return (void *)(long)i;"}) {
    const std::string Text = std::string("volatile int array[16];\nstatic void *search(void *p) { (void)p; ") + Body +
                             " }\n"
                             "static void *fill(void *p) { for (int i = 1; i < 16; i++) array[i] = i; return p; }\n"
                             "int main(void) { run(search, fill); return 0; }\n";
    for (MemoryModel Which : EveryModel)
      EXPECT_EQ(answerOf(checkUnder(Which, Text)), "verified") << nameOf(Which) << "\n" << Text;
  }
}

TEST(LoopsThatEndOnlyWhenOthersAct, AWalkThatComesBackToItsBeginningIsCutAtTheBound) {
  for (const char *Body :
       {"unsigned char i = 0; while (array[i] != 1) i++;", "for (unsigned i = 0; array[i & 15] != 1; i++) ;"}) {
    const std::string Text = std::string("volatile int array[256];\nstatic void *search(void *p) { ") + Body +
                             " return p; }\n"
                             "static void *fill(void *p) { array[3] = 2; return p; }\n"
                             "int main(void) { run(search, fill); return 0; }\n";
    for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO})
      EXPECT_EQ(answerOf(checkUnder(Which, Text)), "bounded") << nameOf(Which) << "\n" << Text;
  }
}

TEST(LoopsThatEndOnlyWhenOthersAct, ALoopOverWhatIsTheThreadsOwnIsRunToItsEnd) {
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}) {
    EXPECT_EQ(answerOf(checkUnder(Which, R"(
static int rounds = 20000, done;
static void step(void) { if (++x == 30) done = 1; }
static void *sum(void *p) {
  int s = 0;
  for (int i = 0; i < rounds; i++) s += i;
  y = s;
  return p;
}
static void *count(void *p) { void (*volatile f)(void) = step; while (!done) f(); assert(x == 30); return p; }
int main(void) { run(sum, count); return 0; }
)")),
              "verified")
        << nameOf(Which);
    EXPECT_EQ(answerOf(checkUnder(Which, R"(
static void *fail(void *p) { for (int i = 0;; i++) { x = 1; assert(i < 100); } return p; }
int main(void) { run(fail, 0); return 0; }
)")),
              "violation assertion")
        << nameOf(Which);
  }
}

TEST(LoopsThatEndOnlyWhenOthersAct, AWaitMayReadInFrontOfTheLoopAndAtItsEnd) {
  for (const char *Wait : {"int r = x; while (r != 17) r = x;", "for (int r = x; r != 17; r = x) sched_yield();",
                           "int r = x, q = y; while (r != 17 || q != 0) { r = x; q = y; }",
                           "int r = x & 31; while (r != 17) r = x & 31;"}) {
    const std::string Text = std::string("static void *wait(void *p) { ") + Wait +
                             " return p; }\n"
                             "static void *set(void *p) { for (int i = 1; i < 12; i++) x = i; x = 17; return p; }\n"
                             "int main(void) { run(wait, set); return 0; }\n";
    for (MemoryModel Which : EveryModel) {
      const ModelReport M = checkUnder(Which, Text);
      EXPECT_EQ(answerOf(M), "verified") << nameOf(Which) << "\n" << Text;
      EXPECT_EQ(M.CutShort, 0u);
    }
  }
  expectUnderAll(R"(
static void *wait(void *p) { int r = x; while (r != 17) r = x; return p; }
static void *set(void *p) { x = 1; x = 16; return p; }
int main(void) { run(wait, set); return 0; }
)",
                 "violation hang");
}

TEST(LoopsThatEndOnlyWhenOthersAct, ReadsInFrontOfALoopAreKeptWhereTheyMatter) {
  // What was read first is used afterwards; and the loop stores in between.
  for (MemoryModel Which : EveryModel) {
    EXPECT_EQ(answerOf(checkUnder(Which, R"(
static void *wait(void *p) { int first = x, r = first; while (r != 17) r = x; z = first; return p; }
static void *set(void *p) { x = 17; return p; }
int main(void) { run(wait, set); assert(z == 0); return 0; }
)")),
              "violation assertion")
        << nameOf(Which);
    EXPECT_EQ(answerOf(checkUnder(Which, R"(
static void *wait(void *p) { int r = x; if (r != 17) { y = 1; r = x; } z = r; return p; }
static void *set(void *p) { x = 17; return p; }
int main(void) { run(wait, set); assert(z == 17 || y == 1); return 0; }
)")),
              "verified")
        << nameOf(Which);
  }
}

const std::string Ring = R"(
static int slots[1];
static int push(int v) {
  int at = b;
  if (at - a == 1) return 0;
  slots[0] = v;
  b = at + 1;
  return 1;
}
enum { OK, EMPTY = -11 };
static int pop(int *v) {
  int at = a;
  if (b == at) return EMPTY;
  *v = slots[0];
  a = at + 1;
  return OK;
}
static _Bool pop_both(int *v) {
  if (pop(v) != OK) return 0;
  return 1;
}
static void *consume(void *p) {
  for (int i = 1; i <= 3; i++) {
    int v;
    POP
    assert(v == i);
  }
  return p;
}
static void *produce(void *p) {
  for (int i = 1; i <= 3; i++) PUSH
  return p;
}
int main(void) { run(produce, consume); return 0; }
)";

TEST(LoopsThatWait, AnOperationThatFailsWithoutAnEffectIsDoneWhenItSucceeds) {
  const std::string Push = "while (!push(i)) ;", Pop = "while (pop(&v) != OK) ;";
  for (const auto &[HowToPush, HowToPop] : std::vector<std::pair<std::string, std::string>>{
           {Push, Pop},
           {"while (push(i) == 0) sched_yield();", "while (pop(&v) == EMPTY) sched_yield();"},
           {"do { } while (!push(i));", "int e; do e = pop(&v); while (e != OK);"},
           {"for (;;) { if (push(i)) break; }", "for (;;) { if (pop(&v) < 0) continue; break; }"},
           {Push, "while (!pop_both(&v)) ;"},
           {Push,
            "while (1) { int e = pop(&v); if (e == OK) break; switch (e) { case EMPTY: break; default: abort(); } }"}})
    expectUnderAll("#define PUSH " + HowToPush + "\n#define POP " + HowToPop + Ring, "verified");
  // One execution, if there is only one way to get through.
  EXPECT_EQ(checkUnder(MemoryModel::SC, "#define PUSH " + Push + "\n#define POP " + Pop + Ring).Executions, 1u);
}

TEST(LoopsThatWait, AnOperationThatLeavesSomethingWhenItFailsIsFollowed) {
  const std::string Text = R"(
static int tries;
static int pop(int *v) {
  if (b == 0) { tries++; return 0; }
  *v = b;
  return 1;
}
static void *consume(void *p) {
  int v;
  while (!pop(&v)) ;
  assert(tries < 2);
  return p;
}
static void *produce(void *p) { b = 1; return p; }
int main(void) { run(produce, consume); return 0; }
)";
  expectUnderAll(Text, "violation assertion");
}

TEST(Livelock, ALoopWithoutAnythingInItIsAHang) {
  expectUnderAll("int main(void) { for (;;) { } }\n", "violation hang");
  expectUnderAll("int main(void) { for (;;) sched_yield(); }\n", "violation hang");
  for (MemoryModel Which : EveryModel)
    EXPECT_EQ(answerOf(checkUnder(Which, R"(
static void *forever(void *p) { x = 1; for (;;) { } return p; }
static void *other(void *p) { x = 2; return p; }
int main(void) { run(forever, other); return 0; }
)")),
              "violation hang")
        << nameOf(Which);
}

/// The answers of states to a program, of executions, and of both.
void expectLivelock(const std::string &Text) {
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO}) {
    for (Engine Search : {Engine::Lazy, Engine::Auto}) {
      const ModelReport M = checkUnder(Which, Text, Search);
      EXPECT_EQ(answerOf(M), "violation hang") << nameOf(Which) << " " << nameOf(Search) << "\n" << Text;
      if (M.Bugs.empty())
        continue;
      ASSERT_TRUE(M.Bugs.front().Trace) << Text;
      MachineOptions Options;
      Options.Unroll = M.Bugs.front().Trace->Run.Unroll;
      const Program P = testing::compile(testing::requestForText(Preamble + Text));
      EXPECT_EQ(replay(P, M.Bugs.front().Trace->Run, Options).Outcome, ReplayResult::SameBug) << Text;
    }
    EXPECT_EQ(answerOf(checkUnder(Which, Text)), "bounded") << nameOf(Which) << "\n" << Text;
  }
  EXPECT_EQ(answerOf(checkUnder(MemoryModel::PSO, Text)), "bounded") << Text;
}

TEST(Livelock, AThreadThatStoresAndNeverGetsOutHangs) {
  expectLivelock(R"(
static void *own(void *p) { for (;;) { atomic_store(&a, 1); if (atomic_load(&a) == 2) break; } return p; }
int main(void) { run(own, 0); return 0; }
)");
  expectLivelock("int main(void) { for (;;) { atomic_store(&a, 1); if (atomic_load(&a) == 2) break; } return 0; }\n");
  expectLivelock(R"(
static void *toggle(void *p) { while (x != 5) { y = 1; y = 0; } return p; }
static void *other(void *p) { x = 4; return p; }
int main(void) { run(toggle, other); return 0; }
)");
}

TEST(Livelock, ThreadsThatGiveWayToEachOtherForEverHang) {
  CheckOptions Options;
  Options.Models = {MemoryModel::SC, MemoryModel::TSO};
  Options.Search = Engine::Lazy;
  for (const ModelReport &M : testing::checkText(Preamble + R"(
static void *left(void *p) { for (;;) { atomic_store(&a, 1); if (!atomic_load(&b)) break; atomic_store(&a, 0); } atomic_store(&a, 0); return p; }
static void *right(void *p) { for (;;) { atomic_store(&b, 1); if (!atomic_load(&a)) break; atomic_store(&b, 0); } atomic_store(&b, 0); return p; }
int main(void) { run(left, right); return 0; }
)",
                                                 Options)
                                  .Models)
    EXPECT_EQ(answerOf(M), "violation hang") << nameOf(M.Which);
}

TEST(Livelock, ThreadsThatServeForEverDoNot) {
  CheckOptions Options;
  Options.Models = {MemoryModel::SC, MemoryModel::TSO};
  Options.Search = Engine::Lazy;
  for (const char *Text :
       {// Servers: they have nowhere else to get.
        "static void *serve(void *p) { while (1) { pthread_mutex_lock(&m); x = 1; x = 0; pthread_mutex_unlock(&m); } "
        "return p; }\nint main(void) { run(serve, serve); return 0; }\n",
        // One polls for what the other does once it gets the lock, which it does if it is ever scheduled fairly.
        "static void *poll(void *p) { int d; do { pthread_mutex_lock(&m); d = x; pthread_mutex_unlock(&m); } while "
        "(!d);"
        " return p; }\n"
        "static void *set(void *p) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return p; }\n"
        "int main(void) { run(poll, set); return 0; }\n",
        // A retry of one is what another got done.
        "static void *add(void *p) { while (1) { int old; do old = atomic_load(&a); while "
        "(!atomic_compare_exchange_strong(&a, &old, (old + 1) % 3)); } return p; }\n"
        "int main(void) { run(add, add); return 0; }\n"})
    for (const ModelReport &M : testing::checkText(Preamble + Text, Options).Models)
      EXPECT_EQ(answerOf(M), "verified") << nameOf(M.Which) << "\n" << Text;
}

TEST(LimitsOfExploring, MoreThreadsThanCanBeAreRefused) {
  for (MemoryModel Which : EveryModel) {
    const ModelReport M = checkUnder(Which, R"(
static void *next(void *p) { pthread_t t; pthread_create(&t, 0, next, 0); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, next, 0); return 0; }
)");
    EXPECT_EQ(M.Result, Verdict::Inconclusive) << nameOf(Which);
    if (Which != MemoryModel::Power) // which has room for fewer accesses
      EXPECT_NE(M.Reason.find("threads"), std::string::npos) << M.Reason;
  }
}

TEST(LimitsOfExploring, AWaitWithALoopInItThatDoesNotEndEitherIsAHang) {
  // Looking for the first that is free, round and round, in a loop that changes nothing.
  const std::string Text = R"(
volatile int taken[2] = {1, 1};
static void *find(void *p) {
  do {
    int i = x;
    while (taken[i]) i = 1 - i;
  } while (y == 0);
  return p;
}
static void *other(void *p) { y = 1; return p; }
int main(void) { run(find, other); return 0; }
)";
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO}) {
    EXPECT_EQ(answerOf(checkUnder(Which, Text, Engine::Lazy)), "violation hang") << nameOf(Which);
    EXPECT_NE(answerOf(checkUnder(Which, Text)), "verified") << nameOf(Which);
  }
}

} // namespace
} // namespace picket
