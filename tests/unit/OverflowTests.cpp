// Signed arithmetic that overflows, and shifts that are too wide.
#include "support/Kinds.h"

namespace picket {
namespace {

using testing::BugNames;
using testing::expectBugs;

const std::string Head = "#include <assert.h>\n#include <limits.h>\n#include <pthread.h>\n#line 1\n";

void expectOverflow(const std::string &Expression, bool Overflows, std::vector<std::string> Flags = {}) {
  expectBugs(
      "default,overflow",
      Head +
          "volatile int max = INT_MAX, min = INT_MIN, one = 1, minus = -1, many = 40; volatile long lmax = LONG_MAX;\n"
          "volatile unsigned umax = UINT_MAX; volatile short s = SHRT_MAX;\n"
          "int main(void) { volatile long r =\n" +
          Expression + ";\n  return r == 17; }",
      Overflows ? BugNames{"overflow:4"} : BugNames{}, std::move(Flags));
}

TEST(Overflow, OfEveryOperation) {
  for (const char *Text : {"max + one", "min - one", "max * 2", "-min", "min / minus", "min % minus", "one << many",
                           "one >> many", "one << minus", "max << one", "lmax + one", "max++", "min--", "one << 31"})
    expectOverflow(Text, true);
}

TEST(Overflow, NotOfWhatIsDefined) {
  for (const char *Text : {"max - one", "min + one", "(long)max * 2", "umax + 1u", "umax * umax", "umax << 31",
                           "s + one", "(short)(s + one)", "one << 30", "min >> 31", "(unsigned)max + one"})
    expectOverflow(Text, false);
}

TEST(Overflow, IsOffByDefaultAndWrapsThen) {
  expectBugs("default", Head + "volatile int max = INT_MAX;\nint main(void) { assert(max + 1 == INT_MIN); return 0; }",
             {});
}

TEST(Overflow, RespectsWrapv) {
  expectOverflow("max + one", false, {"-fwrapv"});
  expectOverflow("-min", false, {"-fwrapv"});
  expectOverflow("max << one", false, {"-fwrapv"});
  expectOverflow("one << many", true, {"-fwrapv"});
}

TEST(Overflow, IsFoundInOptimisedProgramsToo) {
  for (const char *Level : {"-fpicket-optimize=O1", "-fpicket-optimize=O2"})
    expectBugs("overflow", Head + "volatile int max = INT_MAX, r;\nint main(void) {\n  r = max + 1;\n  return 0; }",
               {"overflow:3"}, {Level});
}

TEST(Overflow, OfValuesThatThreadsExchange) {
  const std::string Twice =
      "volatile int x = INT_MAX - ROOM;\nvoid *f(void *p) {\n  x = x + 1;\n  return p; }\n"
      "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n  x = x + 1;\n  pthread_join(t, 0);\n"
      "  return 0; }";
  expectBugs("default,overflow", Head + Twice, {"overflow:3", "overflow:6"}, {"-DROOM=1"});
  expectBugs("default,overflow", Head + Twice, {}, {"-DROOM=2"});
  const std::string Three = Head + "volatile int x = INT_MAX - 1, y;\nvoid *f(void *p) {\n  x = x + 1;\n  return p; }\n"
                                   "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n  y = x + 2;\n"
                                   "  pthread_join(t, 0);\n  return 0; }";
  for (const auto &Way : testing::waysToCheck())
    EXPECT_EQ(testing::bugsOf(testing::checkFor("overflow", Three, Way)), BugNames{"overflow:6"}) << Way.Name;
}

/// A check must not order what comes after it: load buffering is still allowed.
TEST(Overflow, ChecksOrderNothingUnderPower) {
  const std::string Text = Head + R"(int x, y, r1, r2, a, b;
void *f(void *p) { r1 = __atomic_load_n(&x, __ATOMIC_RELAXED); a = (r1 + 1) << r1; __atomic_store_n(&y, 1, __ATOMIC_RELAXED); return p; }
void *g(void *p) { r2 = __atomic_load_n(&y, __ATOMIC_RELAXED); b = r2 * 3; __atomic_store_n(&x, 1, __ATOMIC_RELAXED); return p; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0);
  pthread_join(s, 0); pthread_join(t, 0); assert(!(r1 && r2)); return 0; }
)";
  for (const char *List : {"default", "default,overflow"}) {
    const ModelReport M = testing::checkFor(List, Text, {"POWER", MemoryModel::Power});
    EXPECT_EQ(testing::bugsOf(M), BugNames{"assertion:5"}) << List << " " << M.Reason;
  }
  EXPECT_EQ(testing::checkFor("overflow", Text, {"POWER", MemoryModel::Power}).Executions,
            testing::checkFor("division", Text, {"POWER", MemoryModel::Power}).Executions);
}

TEST(Overflow, ALoopThatWaitsIsStillAWait) {
  const std::string Text = Head + "volatile int x;\nvoid *f(void *p) { x = 1; return p; }\n"
                                  "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n"
                                  "  while (x + 1 < 2) ;\n  pthread_join(t, 0); return 0; }";
  for (const auto &Way : testing::waysToCheck()) {
    const ModelReport M = testing::checkFor("default,overflow", Text, Way);
    EXPECT_EQ(M.Result, Verdict::Verified) << Way.Name << " " << M.Reason;
    EXPECT_EQ(M.CutShort, 0u) << Way.Name;
  }
}

} // namespace
} // namespace picket
