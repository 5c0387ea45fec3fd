// check --equivalence rf: one execution per reads-from relation.
#include "support/Explore.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

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
  Options.Models = {Model::SC, Model::TSO, Model::PSO};
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
    EXPECT_EQ(M.Bugs.front().Kind, "hang");
    EXPECT_EQ(M.OnePer, Equivalence::ReadsFrom);
  }
}

TEST(Equivalence, StoreThatNobodyReadsMayComeAfterFree) {
  for (const ModelReport &M : checkBy(Equivalence::ReadsFrom, R"(
int *block;
void *a(void *p) { *block = 1; return p; }
void *b(void *p) { free(block); return p; }
int main(void) { block = malloc(sizeof(int)); run(a, b, 0); }
)")
                                  .Models) {
    EXPECT_EQ(M.Result, Verdict::Violation);
    ASSERT_EQ(M.Bugs.size(), 1u);
    EXPECT_EQ(M.Bugs.front().Kind, "use-after-free");
    EXPECT_EQ(M.OnePer, Equivalence::ReadsFrom);
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
    EXPECT_EQ(B.Kind, "assertion");
    ASSERT_TRUE(B.Trace);
    EXPECT_FALSE(B.Trace->Why.Edges.empty()) << "it is not sequentially consistent";
    EXPECT_EQ(replay(P, B.Trace->Run, MachineOptions()).Outcome, ReplayResult::SameBug);
  }
}

} // namespace
} // namespace picket
