// Under POWER what computes with values that wait for loads does not keep later accesses back; and an atomic update may
// read before it is known what it writes.
#include "support/Explore.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

/// Two threads, and what holds of the variables in the end.
std::string program(const std::string &First, const std::string &Second, const std::string &Check) {
  return R"(
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
atomic_int x, y, z;
#define LOAD(v) atomic_load_explicit(&v, memory_order_relaxed)
#define STORE(v, k) atomic_store_explicit(&v, k, memory_order_relaxed)
void *first(void *p) {
)" + First +
         "\n  return p;\n}\nvoid *second(void *p) {\n" + Second + R"(
  return p;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  )" + Check +
         "\n}\n";
}

constexpr unsigned FirstLine = 10; // of the first thread

/// The bugs under POWER, each of which must be shown, and happen again when it is replayed.
std::vector<Bug> bugsOf(const std::string &Text, bool Exhaustive = true) {
  CheckOptions Options;
  Options.Models = {MemoryModel::Power};
  Options.Exhaustive = Exhaustive;
  const ModelReport Report = testing::checkText(Text, Options).Models.front();
  EXPECT_NE(Report.Result, Verdict::Inconclusive) << Text;
  const Program P = testing::compile(testing::requestForText(Text));
  for (const Bug &B : Report.Bugs) {
    EXPECT_TRUE(B.Trace) << Text;
    if (B.Trace) {
      EXPECT_EQ(replay(P, B.Trace->Run, MachineOptions()).Outcome, ReplayResult::SameBug) << Text;
    }
  }
  return Report.Bugs;
}

const char *const CopiesYToX = "  STORE(x, LOAD(y));", *const CopiesZToX = "  STORE(x, LOAD(z));";

TEST(PowerLateOperands, AnUpdateReadsBeforeItsOperandIsKnown) {
  const std::string Adds = "  int a = LOAD(x);\n"
                           "  int b = atomic_fetch_add_explicit(&y, a, memory_order_relaxed);\n"
                           "  STORE(z, b + 1);";
  EXPECT_EQ(bugsOf(program(Adds, CopiesZToX, "assert(LOAD(y) != 1);")).size(), 1u);
  EXPECT_EQ(bugsOf(program(Adds, CopiesZToX, "assert(LOAD(y) != 1);"), false).size(), 1u);
  EXPECT_EQ(bugsOf(program(Adds, CopiesZToX, "assert(LOAD(y) < 2);")).size(), 0u);
}

TEST(PowerLateOperands, NotBehindAFence) {
  const std::string Adds = "  int a = LOAD(x);\n"
                           "  int b = atomic_fetch_add_explicit(&y, a, memory_order_release);\n"
                           "  STORE(z, b + 1);";
  EXPECT_EQ(bugsOf(program(Adds, CopiesZToX, "assert(LOAD(y) != 1);")).size(), 0u);
}

TEST(PowerLateOperands, ACompareAndSwapToo) {
  const std::string Swaps = "  int a = LOAD(x), e = 0;\n"
                            "  int b = atomic_compare_exchange_strong_explicit(&y, &e, a, memory_order_relaxed,\n"
                            "                                                  memory_order_relaxed);\n"
                            "  STORE(z, b);";
  EXPECT_EQ(bugsOf(program(Swaps, CopiesZToX, "assert(LOAD(y) != 1);")).size(), 1u);
}

/// Both updates cannot have read the same.
TEST(PowerLateOperands, UpdatesStayAtomic) {
  const std::string Adds = "  int a = LOAD(x);\n"
                           "  int b = atomic_fetch_add_explicit(&y, a + 1, memory_order_relaxed);\n";
  const std::string Checks = Adds + "  if (b == 0 && LOAD(z) == 1)\n    assert(0);";
  EXPECT_EQ(bugsOf(program(Adds + "  STORE(z, b + 1);", Checks, "")).size(), 0u);
  EXPECT_EQ(bugsOf(program(Adds + "  STORE(z, b + 1);", Checks, ""), false).size(), 0u);
}

TEST(PowerLateOperands, ComputingDoesNotKeepAccessesBack) {
  for (const std::string Computes :
       {"STORE(z, 6 / (a + 2));", "STORE(z, 5 % (a + 2));", "STORE(z, (int)(6.0 / (a + 2)));",
        "STORE(z, (float)a * 2.0f > 1.5f ? 2 : 3);", "printf(\"%d\\n\", a); STORE(z, a + 1);"}) {
    const std::string Reads = "  int a = LOAD(x);\n  " + Computes + "\n  STORE(y, 1);";
    EXPECT_EQ(bugsOf(program(Reads, CopiesYToX, "assert(LOAD(z) != 2);")).size(), 1u) << Computes;
  }
}

TEST(PowerLateOperands, DivisionByZeroIsFoundWhenTheDivisorIsKnown) {
  const std::string Divides = "  int a = LOAD(x);\n  STORE(z, 6 / (a - 1));\n  STORE(y, 1);";
  for (bool Exhaustive : {true, false}) {
    const std::vector<Bug> Found = bugsOf(program(Divides, CopiesYToX, ""), Exhaustive);
    ASSERT_EQ(Found.size(), 1u);
    EXPECT_EQ(Found[0].Kind, BugKind::DivisionByZero);
    EXPECT_EQ(Found[0].Where.Line, FirstLine + 1);
  }
  // Not if the thread looks first.
  const std::string Looks = "  int a = LOAD(x);\n  if (a != 1)\n    STORE(z, 6 / (a - 1));\n  STORE(y, 1);";
  EXPECT_EQ(bugsOf(program(Looks, CopiesYToX, "")).size(), 0u);
}

} // namespace
} // namespace picket
