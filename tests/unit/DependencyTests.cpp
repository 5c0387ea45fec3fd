// The compiler pipeline keeps dependencies that nothing comes of, wherever they are written: in the thread, in a macro,
// or in a function that is inlined.
#include "support/Graphs.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

/// Zero, made from v.
const std::vector<std::string> Zeros = {"v - v",     "v ^ v",       "v & 0",         "v * 0",
                                        "v % 1",     "v != v",      "(v | -1) + 1",  "(unsigned)v < 0u",
                                        "v ? 0 : 0", "(v & 1) > 1", "noughts[v & 1]"};

/// Ways for a store to depend on ZERO(v).
const std::vector<std::string> Uses = {
    "y[ZERO(v)] = 1;",                       // address
    "put(y + ZERO(v));",                     // the same, in a function
    "y[0] = 1 + ZERO(v);",                   // data
    "if (ZERO(v) == 0) y[0] = 1;",           // control
    "if (ZERO(v)) { } y[0] = 1;",            // a branch that decides nothing
    "if (ZERO(v)) y[0] = 1; else y[0] = 1;", // or nothing that matters
    "switch (ZERO(v)) { case 5: break; default: ; } y[0] = 1;",
};

/// Load buffering: with a dependency in one thread and a sync in the other not both can read 1.
std::string program(const std::string &Zero, const std::string &Use) {
  return "#include <assert.h>\n#include <pthread.h>\n"
         "volatile int x, y[2]; int a, b; static const int noughts[2];\n"
         "static void put(volatile int *p) { *p = 1; }\n" +
         Zero + "\nstatic void *first(void *p) { int v = x; a = v; " + Use +
         " return p; }\n"
         "static void *second(void *p) { b = y[0]; __asm__ volatile(\"sync\" ::: \"memory\"); x = 1; return p; }\n"
         "int main(void) { pthread_t s, t; pthread_create(&s, 0, first, 0); pthread_create(&t, 0, second, 0);\n"
         "  pthread_join(s, 0); pthread_join(t, 0); assert(!(a == 1 && b == 1)); return 0; }\n";
}

testing::Explored explore(const std::string &Text) {
  return testing::exploreGraphsOf(testing::compile(testing::requestForText(Text)), MemoryModel::Power);
}

class KeptDependencies : public ::testing::TestWithParam<std::string> {};

TEST_P(KeptDependencies, WhereverTheyAreWritten) {
  const std::string &Zero = GetParam();
  for (const std::string &Use : Uses)
    for (const std::string &Definition :
         {"#define ZERO(v) (" + Zero + ")", "static inline int ZERO(int v) { return " + Zero + "; }",
          "__attribute__((always_inline)) static inline int ZERO(int v) { return " + Zero + "; }",
          "__attribute__((noinline)) static int ZERO(int v) { return " + Zero + "; }"}) {
      testing::Explored All = explore(program(Definition, Use));
      EXPECT_TRUE(All.Bugs.empty()) << Definition << "\n" << Use;
      EXPECT_EQ(All.Result.Executions, 3u) << Definition << "\n" << Use;
    }
}

INSTANTIATE_TEST_SUITE_P(Zeros, KeptDependencies, ::testing::ValuesIn(Zeros));

TEST(KeptDependencies, WithoutOneBothLoadsReadTheOther) {
  testing::Explored All = explore(program("", "y[0] = 1;"));
  EXPECT_EQ(All.Bugs, std::set<std::string>{"assertion"});
  EXPECT_EQ(All.Result.Executions, 4u);
}

TEST(KeptDependencies, OperandsThatBecomeTheSame) {
  const std::string Minus = "static int minus(int v, int w) { return v - w; }\n"
                            "static int ZERO(int v) { return minus(v, v); }";
  EXPECT_TRUE(explore(program(Minus, Uses.front())).Bugs.empty());
}

TEST(KeptDependencies, ConstantsDependOnNothing) {
  const std::string Which = "static int ZERO(int w) { return w & 1; }";
  testing::Explored All = explore(program(Which, "if (ZERO(2)) a = 7; y[ZERO(2)] = 1;"));
  EXPECT_EQ(All.Result.Executions, 4u);
}

} // namespace
} // namespace picket
