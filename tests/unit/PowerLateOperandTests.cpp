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
#include <stdlib.h>
atomic_int x, y, z;
#define LOAD(v) atomic_load_explicit(&v, memory_order_relaxed)
#define STORE(v, k) atomic_store_explicit(&v, k, memory_order_relaxed)
void *first(void *arg) {
)" + First +
         "\n  return arg;\n}\nvoid *second(void *arg) {\n" + Second + R"(
  return arg;
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

constexpr unsigned FirstLine = 11; // of the first thread

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

TEST(PowerLateOperands, AllocatingDoesNotKeepAccessesBack) {
  const std::pair<std::string, std::string> Pairs[] = {
      {"char *p = malloc(a + 1);", "p[a] = 3; STORE(z, a ? p[a] - 1 : 0); free(p);"},
      {"char *p = calloc(a + 1, a + 1);", "STORE(z, a ? p[3] + 2 : p[0]); free(p);"},
      {"char *p = aligned_alloc(8, 8 * (a + 1));", "p[8 * a] = 2; STORE(z, a ? p[8] : 0); free(p);"},
      {"char *p = realloc(0, a + 1);", "p[a] = 2; STORE(z, a ? p[1] : 0); free(p);"},
      {"char *p = malloc(a + 1);", "STORE(z, p && a ? 2 : 0);"},
      {"malloc(a);", "STORE(z, 2 * a);"},
      {"int n = printf(\"%*d\", a + 1, 7);", "STORE(z, n);"}};
  for (const auto &[Calls, Uses] : Pairs) {
    const std::string Reads = "  int a = LOAD(x);\n  " + Calls + "\n  STORE(y, 1);\n  " + Uses;
    EXPECT_EQ(bugsOf(program(Reads, CopiesYToX, "assert(LOAD(z) != 2);")).size(), 1u) << Calls;
    EXPECT_EQ(bugsOf(program(Reads, CopiesYToX, "assert(LOAD(z) != 2);"), false).size(), 1u) << Calls;
    EXPECT_EQ(bugsOf(program(Reads, CopiesYToX, "assert(LOAD(z) < 3);")).size(), 0u) << Calls;
    // What is accessed in the block depends on its size, and so does what is stored after that.
    const std::string Last = "  int a = LOAD(x);\n  " + Calls + "\n  " + Uses + "\n  STORE(y, 1);";
    if (Uses.find("p[") != std::string::npos) {
      EXPECT_EQ(bugsOf(program(Last, CopiesYToX, "assert(LOAD(z) != 2);")).size(), 0u) << Calls;
    }
  }
}

TEST(PowerLateOperands, AccessesOutsideABlockAreFoundWhenItsSizeIsKnown) {
  const std::string Outside = "  int a = LOAD(x);\n  char *p = malloc(2 - a);\n  STORE(y, 1);\n  p[1] = 1;";
  for (bool Exhaustive : {true, false}) {
    const std::vector<Bug> Found = bugsOf(program(Outside, CopiesYToX, ""), Exhaustive);
    ASSERT_EQ(Found.size(), 1u);
    EXPECT_EQ(Found[0].Kind, BugKind::OutOfBounds);
    EXPECT_EQ(Found[0].Where.Line, FirstLine + 3);
  }
}

/// What comes after it is in no execution in which the size came too late for it.
TEST(PowerLateOperands, ABlockThatIsTooLargeIsRefused) {
  CheckOptions Options;
  Options.Models = {MemoryModel::Power};
  const std::string Reads = "  long a = LOAD(x);\n  STORE(y, 1);\n  char *p = malloc(a << 40);\n  STORE(z, p != 0);";
  const ModelReport Report = testing::checkText(program(Reads, CopiesYToX, ""), Options).Models.front();
  EXPECT_EQ(Report.Result, Verdict::Unsupported);
  EXPECT_NE(Report.Reason.find("allocation of 1099511627776 bytes"), std::string::npos) << Report.Reason;
}

/// The block is another one than those allocated before and after it, whenever its size is known.
TEST(PowerLateOperands, BlocksWithLateSizesAreApart) {
  const std::string Several = "  int a = LOAD(x);\n  char *p = malloc(4), *q = malloc(a + 1), *r = malloc(4);\n"
                              "  *p = 1; *q = 2; *r = 4;\n  STORE(z, *p + *q + *r);\n"
                              "  free(q);\n  STORE(y, 1);";
  EXPECT_EQ(bugsOf(program(Several, CopiesYToX, "assert(LOAD(z) == 7);")).size(), 0u);
}

} // namespace
} // namespace picket
