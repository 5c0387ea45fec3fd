// Under POWER what a thread does after __VERIFIER_assume(c) depends on c, as after `if (!c) return`.
#include "support/Explore.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

/// One thread publishes x with y; the other goes on only if it has seen y, in some spelling, and stores to x. Whether
/// its store can come first in the end is a matter of the dependency alone.
std::string publishing(const std::string &OnlyIfSeen, const std::string &Then = "STORE(x, 1);",
                       const std::string &Check = "assert(LOAD(x) != 2 || failed || !seen);") {
  return R"(
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
atomic_int x, y, z;
int failed, seen, read;
#define LOAD(v) atomic_load_explicit(&v, memory_order_relaxed)
#define STORE(v, k) atomic_store_explicit(&v, k, memory_order_relaxed)
void *writes(void *p) {
  STORE(x, 2);
  atomic_thread_fence(memory_order_release);
  STORE(y, 1);
  return p;
}
void *follows(void *p) {
  )" + OnlyIfSeen +
         "\n  " + Then + R"(
  seen = 1;
  return p;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, writes, 0);
  pthread_create(&u, 0, follows, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  )" + Check +
         R"(
}
)";
}

ModelReport checkPower(const std::string &Text) {
  CheckOptions Options;
  Options.Models = {MemoryModel::Power};
  Options.Exhaustive = true;
  return testing::checkText(Text, Options).Models.front();
}

const std::string Return = "if (LOAD(y) != 1) { failed = 1; return p; }";

TEST(PowerAssume, AStoreAfterAnAssumptionDependsOnIt) {
  const ModelReport If = checkPower(publishing(Return));
  const ModelReport Assume = checkPower(publishing("__VERIFIER_assume(LOAD(y) == 1);"));
  EXPECT_EQ(If.Result, Verdict::Verified);
  EXPECT_EQ(Assume.Result, Verdict::Verified);
  EXPECT_EQ(Assume.Executions, 1u);
}

TEST(PowerAssume, WithoutEitherTheStoreMayComeFirst) {
  EXPECT_EQ(checkPower(publishing("int r = LOAD(y); failed = r != 1;")).Result, Verdict::Violation);
}

TEST(PowerAssume, AnAssertionOfAnArgumentIsADependencyToo) {
  const ModelReport M = checkPower(publishing("__VERIFIER_assert(LOAD(y) == 1);"));
  ASSERT_EQ(M.Bugs.size(), 1u); // the thread's own, not main's
  EXPECT_EQ(M.Bugs[0].Thread, "follows");
}

TEST(PowerAssume, WaitsExitsAndAssertionsAreDependencies) {
  for (const char *Spelling : {"while (LOAD(y) != 1) ;", "again: if (LOAD(y) != 1) goto again;",
                               "if (LOAD(y) != 1) { failed = 1; pthread_exit(p); }"})
    EXPECT_EQ(checkPower(publishing(Spelling)).Result, Verdict::Verified) << Spelling;
  const ModelReport M = checkPower(publishing("assert(LOAD(y) == 1);"));
  ASSERT_EQ(M.Bugs.size(), 1u);
  EXPECT_EQ(M.Bugs[0].Thread, "follows");
}

TEST(PowerAssume, ALoadAfterAnAssumptionWaitsForItOnlyWithISync) {
  const std::string Load = "read = LOAD(x);", Sync = R"(__asm__ volatile("isync" ::: "memory");)",
                    Check = "assert(!seen || read == 2);";
  for (const std::string &Spelling : {"if (LOAD(y) != 1) return p;", "__VERIFIER_assume(LOAD(y) == 1);"}) {
    EXPECT_EQ(checkPower(publishing(Spelling, Load, Check)).Result, Verdict::Violation) << Spelling;
    EXPECT_EQ(checkPower(publishing(Spelling, Sync + Load, Check)).Result, Verdict::Verified) << Spelling;
  }
}

TEST(PowerAssume, AnAssumptionAboutSomethingElseIsNoDependencyOnTheLoad) {
  EXPECT_EQ(checkPower(publishing("int r = LOAD(y), s = LOAD(z); __VERIFIER_assume(s == 0); failed = r != 1;")).Result,
            Verdict::Violation);
}

} // namespace
} // namespace picket
