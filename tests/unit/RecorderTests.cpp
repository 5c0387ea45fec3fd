// Recordings have every access that the text makes, whatever the exploration left out.
#include "support/Explore.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

using namespace picket;
using namespace picket::testing;

namespace {

/// `v` is read by main alone, when the threads have ended: that is found out by the recording of the first bug.
constexpr const char *TwoBugs = R"(
#include <assert.h>
#include <pthread.h>
int v, g;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *left(void *p) { v = 1; pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m); return p; }
void *right(void *p) { pthread_mutex_lock(&m); g *= 2; pthread_mutex_unlock(&m); return p; }
int main(void) {
  pthread_t l, r;
  pthread_create(&l, 0, left, 0);
  pthread_create(&r, 0, right, 0);
  pthread_join(l, 0);
  pthread_join(r, 0);
  int n = g + v;
  assert(n != 2);
  assert(n != 3);
  return 0;
}
)";

CheckReport checkAll(const CompileRequest &Text) {
  CheckRequest Request;
  Request.Text = Text;
  Request.Options.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
  Request.Options.Exhaustive = true;
  return check(Request);
}

bool stores(const Recording &R, const std::string &Variable) {
  for (const TraceEvent &E : R.Events)
    if (E.Kind == EventKind::Store && R.Variables[E.Accesses[0].Variable].Name == Variable)
      return true;
  return false;
}

} // namespace

TEST(Recorder, EveryBugHasACounterexampleThatFailsAgain) {
  const CompileRequest Text = requestForText(TwoBugs);
  const Program P = compile(Text);
  for (const ModelReport &M : checkAll(Text).Models) {
    ASSERT_EQ(M.Bugs.size(), 2u) << nameOf(M.Which);
    for (const Bug &B : M.Bugs) {
      ASSERT_TRUE(B.Trace) << nameOf(M.Which) << ": " << B.Message;
      const ReplayResult Again = replay(P, B.Trace->Run, {});
      EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << nameOf(M.Which) << ": " << Again.Message;
    }
  }
}

TEST(Recorder, WhatAThreadStoresBeforeItsFirstStepIsTold) {
  for (const ModelReport &M : checkAll(requestForText(TwoBugs)).Models)
    for (const Bug &B : M.Bugs)
      EXPECT_TRUE(B.Trace && stores(B.Trace->Run, "v")) << nameOf(M.Which) << ": " << B.Message;
}

// Recording it takes so many steps that the limits of the exploration, which is over, would be checked.
TEST(Recorder, ALongExecutionIsRecordedAfterTheExplorationHasStopped) {
  CheckRequest Request;
  Request.Text = requestForText(R"(
#include <assert.h>
#include <pthread.h>
int data[12000];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *writer(void *p) {
  pthread_mutex_lock(&m);
  for (int i = 0; i < 12000; ++i) data[i] = i;
  pthread_mutex_unlock(&m);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  pthread_mutex_lock(&m);
  int n = data[11999];
  pthread_mutex_unlock(&m);
  assert(n == 0);
  pthread_join(t, 0);
  return 0;
}
)");
  Request.Options.Models = {MemoryModel::SC, MemoryModel::TSO};
  for (const ModelReport &M : check(Request).Models) {
    ASSERT_EQ(1u, M.Bugs.size()) << nameOf(M.Which);
    EXPECT_TRUE(M.Bugs[0].Trace) << nameOf(M.Which);
  }
}
