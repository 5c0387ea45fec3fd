// Undefined behaviour is detected, not folded away by Clang or by a pass before the program runs.
#include "support/Explore.h"

#include "gtest/gtest.h"

namespace picket {
namespace {

using namespace picket::testing;

const std::string Declarations = "#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n"
                                 "_Atomic int x; int y;\n";

/// What SC finds, as "kind:line"; empty if nothing. Line 1 is the first of `Text`.
std::string found(const std::string &Text, std::vector<std::string> Flags = {}) {
  CheckOptions Options;
  Options.Models = {MemoryModel::SC};
  CheckReport Report = check({requestForText(Declarations + Text, std::move(Flags)), Options});
  if (Report.Models.empty() || Report.Models[0].Result == Verdict::CompileError ||
      Report.Models[0].Result == Verdict::Unsupported)
    return "cannot be checked: " + (Report.Diagnostics.empty() ? Report.Models.empty() ? "" : Report.Models[0].Reason
                                                               : Report.Diagnostics[0].Message);
  if (Report.Models[0].Bugs.empty())
    return "";
  const Bug &First = Report.Models[0].Bugs[0];
  return std::string(nameOf(First.Kind)) + ":" + std::to_string(First.Where.Line - 4);
}

TEST(Unreachable, BehindABranchIsFoundWithItsPlace) {
  EXPECT_EQ(found("int main(void) {\n  if (x == 0)\n    __builtin_unreachable();\n  return 0;\n}\n"), "unreachable:3");
  EXPECT_EQ(found("int main(void) {\n  if (x == 1)\n    __builtin_unreachable();\n  return 0;\n}\n"), "");
  EXPECT_EQ(found("int main(void) {\n  x == 1 ? (void)0 : __builtin_unreachable();\n  return 0;\n}\n"),
            "unreachable:2");
  EXPECT_EQ(
      found("int main(void) {\n  int a = x;\n  if (a > 3) y = 1;\n  else if (a < 3)\n    __builtin_unreachable();\n"
            "  return 0;\n}\n"),
      "unreachable:5");
}

TEST(Unreachable, InASwitchIsFound) {
  EXPECT_EQ(
      found("int main(void) {\n  switch (x) {\n  case 1: y = 1; break;\n  default: __builtin_unreachable();\n  }\n"
            "  return y;\n}\n"),
      "unreachable:4");
  EXPECT_EQ(found("int main(void) {\n  switch (x) {\n  case 0: break;\n  default: __builtin_unreachable();\n  }\n"
                  "  return y;\n}\n"),
            "");
  EXPECT_EQ(found("static int f(int a) {\n  switch (a) {\n  case 1: return 2;\n  case 2: return 3;\n  }\n"
                  "  __builtin_unreachable();\n}\nint main(void) { y = f(x); return 0; }\n"),
            "unreachable:6");
}

TEST(Unreachable, OfC23IsFound) {
  EXPECT_EQ(
      found("#include <stddef.h>\nint main(void) {\n  if (x == 0)\n    unreachable();\n  return 0;\n}\n", {"-std=c23"}),
      "unreachable:4");
}

TEST(Unreachable, InAFunctionThatIsInlinedIsFound) {
  EXPECT_EQ(found("static inline void check(int c) {\n  if (!c) __builtin_unreachable();\n}\n"
                  "int main(void) { check(x); return 0; }\n"),
            "unreachable:2");
  EXPECT_EQ(found("static int f(int a) {\n  if (a) return 1;\n  __builtin_unreachable();\n}\n"
                  "int main(void) { return f(x); }\n"),
            "unreachable:3");
}

TEST(Unreachable, DoesNotSwallowWhatHappensBeforeIt) {
  EXPECT_EQ(found("int main(void) {\n  if (x == 0) {\n    int *p = 0;\n    *p = 1;\n    __builtin_unreachable();\n  }\n"
                  "  return 0;\n}\n"),
            "null-access:4");
}

TEST(Unreachable, AFunctionThatReturnsAllTheSame) {
  EXPECT_EQ(
      found("_Noreturn static inline void f(void) { }\nint main(void) {\n  if (x == 0)\n    f();\n  return 0;\n}\n")
          .substr(0, 12),
      "unreachable:");
  EXPECT_EQ(
      found("_Noreturn static void f(void) { exit(0); }\nint main(void) {\n  if (x == 0)\n    f();\n  return 0;\n}\n"),
      "");
}

TEST(Unreachable, DependsOnWhatOtherThreadsDo) {
  const std::string Text = "#include <pthread.h>\nint a, b, r;\n"
                           "static void *f(void *p) {\n  a = 1;\n  r = b;\n  return p;\n}\n"
                           "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  b = 1;\n  int s = a;\n"
                           "  pthread_join(t, 0);\n  if (r == 0 && s == 0) __builtin_unreachable();\n  return 0;\n}\n";
  CheckOptions Options;
  Options.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
  CheckReport Report = checkText(Text, Options);
  ASSERT_EQ(Report.Models.size(), 3u);
  EXPECT_EQ(Report.Models[0].Result, Verdict::Verified);
  EXPECT_EQ(Report.Models[1].Result, Verdict::Violation);
  EXPECT_EQ(Report.Models[2].Result, Verdict::Violation);
}

TEST(Unreachable, AnAssumptionThatDoesNotHold) {
  EXPECT_EQ(found("int main(void) {\n  int a = x;\n  __builtin_assume(a == 1);\n  return 0;\n}\n"), "unreachable:3");
  EXPECT_EQ(found("int main(void) {\n  int a = x;\n  __builtin_assume(a == 0);\n  return 0;\n}\n"), "");
  EXPECT_EQ(found("int main(void) {\n  int a = x;\n  __attribute__((assume(a == 1)));\n  return 0;\n}\n").substr(0, 12),
            "unreachable:");
  EXPECT_EQ(found("static void f(int c) {\n  __builtin_assume(c);\n}\nint main(void) { f(0); return 0; }\n"),
            "unreachable:2");
}

TEST(Unreachable, TheEndOfAFunctionWhoseResultIsUsed) {
  const std::string Function = "static int f(int a) {\n  { int b = a; if (b) return 1; }\n}\n";
  EXPECT_EQ(found(Function + "int main(void) { if (f(x)) y = 1; return 0; }\n"), "unreachable:3");
  EXPECT_EQ(found(Function + "int main(void) { if (f(x + 1)) y = 1; return 0; }\n"), "");
  EXPECT_EQ(found(Function + "int main(void) { f(x); return 0; }\n"), "") << "nobody uses the result";
  EXPECT_EQ(found("#include <pthread.h>\nstatic void *f(void *p) { y = 1; }\n"
                  "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }\n"),
            "");
}

TEST(UndefinedBehaviourIsKept, ADivisionOfConstantsByZero) {
  EXPECT_EQ(found("int main(void) {\n  int v = 1 / 0;\n  return 0;\n}\n"), "division-by-zero:2");
  EXPECT_EQ(found("int main(void) {\n  if (x == 0) {\n    int v = 1 % (2 - 2);\n  }\n  return 0;\n}\n"),
            "division-by-zero:3");
  EXPECT_EQ(found("int main(void) {\n  if (x == 1) {\n    int v = 1 % 0;\n  }\n  return sizeof(1 / 0) - 4;\n}\n"), "");
}

TEST(UndefinedBehaviourIsKept, CopiesAndSetsOutsideOfAVariable) {
  EXPECT_EQ(found("int main(void) {\n  char a[4], b[4] = {0};\n  memcpy(a, b, 8);\n  return 0;\n}\n"),
            "out-of-bounds:3");
  EXPECT_EQ(found("int main(void) {\n  char a[4] = {0}, b[16];\n  memcpy(b, a, 16);\n  return 0;\n}\n"),
            "out-of-bounds:3");
  EXPECT_EQ(found("int main(void) {\n  char a[4];\n  memset(a, 0, 8);\n  return 0;\n}\n"), "out-of-bounds:3");
  EXPECT_EQ(found("int main(void) {\n  char a[4];\n  memset(a + 4, 0, x + 1);\n  return 0;\n}\n"), "out-of-bounds:3");
  EXPECT_EQ(found("int main(void) {\n  char a[4];\n  memset(a + 4, 0, x);\n  return 0;\n}\n"), "");
  EXPECT_EQ(found("struct s { char c[4]; }; struct t { char c[16]; };\nint main(void) {\n  struct s a = {{0}};\n"
                  "  struct t b = *(struct t *)&a;\n  return b.c[9];\n}\n"),
            "out-of-bounds:4");
}

TEST(UndefinedBehaviourIsKept, AnAddressOutsideOfAVariableThatIsOneOfSeveral) {
  EXPECT_EQ(found("int main(void) {\n  int a[2] = {0};\n  int *p = x == 0 ? &a[5] : &y;\n  *p = 1;\n  return 0;\n}\n"),
            "out-of-bounds:4");
  EXPECT_EQ(found("int main(void) {\n  int a[2] = {0};\n  int *p = &y;\n  if (x == 0) p = &a[2];\n  int v = *p;\n"
                  "  return 0;\n}\n"),
            "out-of-bounds:5");
  EXPECT_EQ(found("int main(void) {\n  int a[2] = {0};\n  int *p = &a[1];\n  if (x == 0) p = &a[-1];\n  *p = 1;\n"
                  "  return a[1];\n}\n"),
            "out-of-bounds:5");
}

TEST(UndefinedBehaviourIsKept, ReadsOutsideOfConstantsInFunctionsThatAreInlined) {
  const std::string Table = "static const int t[2] = {1, 2};\n";
  EXPECT_EQ(found(Table + "static int f(void) {\n  return t[5];\n}\nint main(void) { return f(); }\n"),
            "out-of-bounds:3");
  EXPECT_EQ(found(Table + "static int f(const int *p) {\n  return p[2];\n}\nint main(void) { return f(t); }\n"),
            "out-of-bounds:3");
  EXPECT_EQ(found("static int f(const char *s) {\n  return s[4];\n}\nint main(void) { return f(\"abc\"); }\n"),
            "out-of-bounds:2");
  EXPECT_EQ(found(Table + "static int f(const int *p) {\n  return p[1];\n}\nint main(void) { return f(t) - 2; }\n"),
            "");
}

TEST(UndefinedBehaviourIsKept, PointersThatNothingHasWritten) {
  EXPECT_EQ(found("int main(void) {\n  int *p;\n  if (x == 1) p = &y;\n  *p = 1;\n  return 0;\n}\n"), "null-access:4");
  EXPECT_EQ(found("int main(void) {\n  int *p;\n  if (x == 0) p = &y;\n  *p = 1;\n  return 0;\n}\n"), "");
  EXPECT_EQ(found("int main(void) {\n  void (*f)(void);\n  if (x == 0)\n    f();\n  return 0;\n}\n"), "null-access:4");
  EXPECT_EQ(found("static int f(int *p) {\n  return *p;\n}\nint main(void) { int *p; if (x) p = &y; return f(p); }\n"),
            "null-access:2");
  EXPECT_EQ(
      found("int main(void) {\n  for (int i = 0; i < 2; i++) {\n    int *p;\n    if (i == 0) p = &y;\n    *p = 1;\n"
            "  }\n  return 0;\n}\n"),
      "null-access:5");
  EXPECT_EQ(found("int main(void) {\n  int *p;\n  int *q = x ? &y : p;\n  *q = 1;\n  return 0;\n}\n"), "null-access:4");
  EXPECT_EQ(found("struct s { int *p; int n; };\nint main(void) {\n  struct s a;\n  if (x) a.p = &y;\n  *a.p = 1;\n"
                  "  return 0;\n}\n"),
            "null-access:5");
  EXPECT_EQ(found("int main(void) {\n  goto in;\n  {\n    int *p = &y;\n    in:\n    *p = 1;\n  }\n  return 0;\n}\n"),
            "null-access:6");
  EXPECT_EQ(found("int main(void) {\n  switch (x) {\n    int *p;\n  case 0:\n    *p = 1;\n  }\n  return 0;\n}\n"),
            "null-access:5");
}

TEST(UndefinedBehaviourIsKept, NumbersThatNothingHasWritten) {
  EXPECT_EQ(found("int main(void) {\n  int d;\n  if (x == 1) d = 3;\n  y = 5 / d;\n  return 0;\n}\n"),
            "division-by-zero:4");
  EXPECT_EQ(found("int main(void) {\n  int d;\n  if (x == 1) d = 3;\n  switch (d) {\n  case 3: y = 1; break;\n"
                  "  case 0: abort();\n  }\n  return 0;\n}\n"),
            "abort:6");
}

TEST(UndefinedBehaviourIsKept, ReadsWhoseValueIsNotUsed) {
  EXPECT_EQ(found("static void f(int *p) {\n  int v = *p;\n}\n"
                  "int main(void) { int *p = malloc(4); *p = 1; free(p); f(p); return 0; }\n"),
            "use-after-free:2");
  EXPECT_EQ(found("static void f(int *p) {\n  *p;\n}\nint main(void) { f(0); return 0; }\n"), "null-access:2");
  EXPECT_EQ(
      found("__attribute__((pure)) static int f(int *p) {\n  return *p;\n}\nint main(void) { f(0); return 0; }\n"),
      "null-access:2");
  EXPECT_EQ(found("__attribute__((const, noinline)) static int f(int a) {\n  if (a == 0) abort();\n  return a;\n}\n"
                  "int main(void) { f(x); return 0; }\n"),
            "abort:2");
}

} // namespace
} // namespace picket
