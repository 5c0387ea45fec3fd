// Texts that are nested deeply, long or circular: each ends with an answer, or with a sentence and a place.
#include "support/Explore.h"

#include "gtest/gtest.h"

namespace picket {
namespace {

using namespace picket::testing;

TEST(DeepInput, StructsSwappedInALoopFeedEachOther) {
  const std::string Declarations = "#include <assert.h>\nstruct pair { long a[4]; } x = {{1}}, y = {{2}};\n";
  const std::string Swap = "struct pair t = x; x = y; y = t;";
  CheckReport Counted = checkText(Declarations + "int main(void) { for (int i = 0; i < 3; i++) { " + Swap +
                                  " } assert(x.a[0] == 2); }\n");
  ASSERT_FALSE(Counted.Models.empty());
  EXPECT_EQ(Counted.Models[0].Result, Verdict::Verified);
  CheckReport Until =
      checkText(Declarations + "int main(void) { while (x.a[0] != 2) { " + Swap + " } assert(y.a[0] == 1); }\n");
  ASSERT_FALSE(Until.Models.empty());
  EXPECT_EQ(Until.Models[0].Result, Verdict::Verified);
}

std::string times(size_t Count, const std::string &Part) {
  std::string All;
  for (size_t K = 0; K < Count; ++K)
    All += Part;
  return All;
}

/// Expects an error with a sentence and a place, and that the next text is still compiled.
void expectRefused(const std::string &Name, const std::string &Text, uint32_t Line = 1) {
  CompileResult Result = compileProgram(requestForText(Text));
  EXPECT_FALSE(Result.Compiled) << Name;
  const Diagnostic *First = nullptr;
  for (const Diagnostic &D : Result.Diagnostics)
    if (D.Level == Severity::Error && !First)
      First = &D;
  ASSERT_NE(First, nullptr) << Name;
  EXPECT_EQ(First->Message.find("crash"), std::string::npos) << Name << ": " << First->Message;
  EXPECT_EQ(First->Where.Line, Line) << Name << ": " << First->Message;
  EXPECT_EQ(First->Where.File, "/test.c") << Name;
}

TEST(DeepInput, StarsAndDimensions) {
  const std::string Main = "int main(void) { return 0; }\n";
  expectRefused("stars", "\nint " + std::string(200000, '*') + "p;\n" + Main, 2);
  expectRefused("stars of a local", "int main(void) { int " + std::string(200000, '*') + "p; return 0; }\n");
  expectRefused("dimensions", "int a" + times(100000, "[1]") + ";\n" + Main);
  expectRefused("dimensions of a local", "int main(void) {\n  int a" + times(1000, "[1]") + ";\n  return 0;\n}\n", 2);
  expectRefused("a few too many stars", "int " + std::string(1000, '*') + "p;\n" + Main);
  EXPECT_TRUE(compileProgram(requestForText("int " + std::string(100, '*') + "p, a" + times(100, "[1]") + ";\n" + Main))
                  .Compiled);
}

TEST(DeepInput, Expressions) {
  auto Returning = [](const std::string &Value) { return "int x;\nint main(void) { return " + Value + "; }\n"; };
  constexpr size_t Many = 200000;
  for (const char *Prefix : {"!", "- ", "(int)", "*&", "sizeof ", "x ? 1 : ", "x = "})
    expectRefused(Prefix, Returning(times(Many, Prefix) + "x"), 2);
  for (const char *Operator : {"x + ", "1 + ", "x && ", "x, "})
    expectRefused(Operator, Returning(times(Many, Operator) + "x"), 2);
  expectRefused("parentheses", Returning(std::string(Many, '(') + "x" + std::string(Many, ')')), 2);
  expectRefused("members",
                "struct s { struct s *n; } x;\nint main(void) { return x.n" + times(Many, "->n") + " == 0; }\n", 2);
  EXPECT_TRUE(compileProgram(requestForText(Returning(times(1000, "x + ") + "x"))).Compiled);
}

TEST(DeepInput, Statements) {
  auto Doing = [](const std::string &Statements) {
    return "int x;\nint main(void) { " + Statements + " return 0; }\n";
  };
  constexpr size_t Many = 200000;
  for (const char *Prefix : {"if (x) ", "while (x) ", "for (;;) ", "if (x == 1) return 1; else ", "do "})
    expectRefused(Prefix, Doing(times(Many, Prefix)), 2);
  std::string Labels;
  for (size_t K = 0; K < Many; ++K)
    Labels += "l" + std::to_string(K) + ": ";
  expectRefused("labels", Doing(Labels), 2);
  expectRefused("blocks", Doing(std::string(Many, '{') + std::string(Many, '}')), 2);
  expectRefused("blocks and conditions", Doing(times(1000, times(100, "if (x) ") + "{") + std::string(1000, '}')), 2);
  EXPECT_TRUE(
      compileProgram(requestForText(Doing(times(300, "if (x == 1) { x = 2; x = 3; } else ") + "x = 1;"))).Compiled);
}

TEST(DeepInput, ChainsOfDeclarations) {
  std::string Typedefs = "typedef int T0;\n", Structs = "struct S0 { int a; };\n";
  for (size_t K = 0; K < 100000; ++K)
    Typedefs += "typedef T" + std::to_string(K) + " *T" + std::to_string(K + 1) + ";\n";
  for (size_t K = 0; K < 20000; ++K)
    Structs += "struct S" + std::to_string(K + 1) + " { struct S" + std::to_string(K) + " a; };\n";
  const std::string Main = "int main(void) { return 0; }\n";
  CompileResult Result = compileProgram(requestForText(Typedefs + "T100000 p;\n" + Main));
  EXPECT_FALSE(Result.Compiled);
  ASSERT_FALSE(Result.Diagnostics.empty());
  EXPECT_NE(Result.Diagnostics[0].Message.find("levels deep"), std::string::npos) << Result.Diagnostics[0].Message;
  EXPECT_GT(Result.Diagnostics[0].Where.Line, 1u);
  Result = compileProgram(requestForText(Structs + "struct S20000 s;\n" + Main));
  EXPECT_FALSE(Result.Compiled);
  ASSERT_FALSE(Result.Diagnostics.empty());
  EXPECT_NE(Result.Diagnostics[0].Message.find("levels deep"), std::string::npos) << Result.Diagnostics[0].Message;
}

TEST(DeepInput, ChainsOfValuesUnderPower) {
  // Each value is made from the one before, and the first one is not known yet.
  CheckOptions Options;
  Options.Models = {MemoryModel::Power};
  CheckReport Report = checkText("#include <assert.h>\n#include <pthread.h>\nint x;\n"
                                 "static void *f(void *p) { x = 1; return p; }\n"
                                 "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  unsigned s = x;\n"
                                 "  for (int i = 0; i < 2000; i++) s = s * 3 + 1;\n  assert(s != 7);\n"
                                 "  pthread_join(t, 0);\n  return 0;\n}\n",
                                 Options);
  ASSERT_EQ(Report.Models.size(), 1u);
  EXPECT_EQ(Report.Models[0].Result, Verdict::Verified) << Report.Models[0].Reason;
}

TEST(DeepInput, WarningsAreNotWithoutNumber) {
  std::string Unused = "int x;\nint main(void) {\n";
  for (unsigned K = 0; K < 2000; ++K)
    Unused += "  x == 1;\n";
  CompileResult Result = compileProgram(requestForText(Unused + "  return 0;\n}\n"));
  EXPECT_TRUE(Result.Compiled);
  EXPECT_GE(Result.Diagnostics.size(), 100u);
  EXPECT_LE(Result.Diagnostics.size(), 200u);
}

TEST(DeepInput, WhatIsLongButNotDeepIsCompiled) {
  std::string Table = "const int t[] = {0", Text = "const char *s = \"\"", Enum = "enum {", Cases;
  for (size_t K = 0; K < 30000; ++K) {
    Table += ", " + std::to_string(K);
    Text += " \"a\"";
    Cases += " case " + std::to_string(K) + ":";
    Enum += " E" + std::to_string(K) + ",";
  }
  CompileResult Result =
      compileProgram(requestForText(Table + "};\n" + Text + ";\n" + Enum + " Last };\n" + "int x;\nint main(void) { " +
                                    times(30000, "x++; ") + "switch (x) {" + Cases + " return 1; } return 0; }\n"));
  EXPECT_TRUE(Result.Compiled) << (Result.Diagnostics.empty() ? "" : Result.Diagnostics[0].Message);
}

} // namespace
} // namespace picket
