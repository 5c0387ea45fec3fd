// Bugs at awkward places of the text: the fix is found, written, compiled and checked again, by a check of its own.
#include "fences/Fix.h"
#include "fences/TextDiff.h"
#include "support/Explore.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

const std::string Head = "#include <assert.h>\n#include <pthread.h>\nvolatile int x, y, a, b, c;\n";
const std::string Right = "void *right(void *p) { y = 1; __sync_synchronize(); b = x; return p; }\n";
const std::string Main = "int main(void) {\n"
                         "  pthread_t t, u;\n"
                         "  pthread_create(&t, 0, left, 0);\n"
                         "  pthread_create(&u, 0, right, 0);\n"
                         "  pthread_join(t, 0);\n"
                         "  pthread_join(u, 0);\n"
                         "  assert(a || b);\n"
                         "}\n";

class AwkwardFix : public ::testing::Test {
protected:
  /// `Before` makes `left`: it stores to x and then reads y, at places between which TSO needs a fence. The thread on
  /// the other side has its fence. `After` is what becomes of it, with FENCE for the fence.
  void expectFixed(const std::string &Before, std::string After) {
    for (size_t At; (At = After.find("FENCE")) != std::string::npos;)
      After.replace(At, 5, "__sync_synchronize()");
    expectTexts(Head + Before + Right + Main, Head + After + Right + Main, "/test.c");
  }

  void expectTexts(const std::string &Before, const std::string &After, const std::string &EditedFile) {
    CompileRequest Text = testing::requestForText(Before);
    for (const auto &[File, Header] : Headers)
      Text.Unsaved[File] = Header;
    FixOptions Options;
    Options.Check.Models = {MemoryModel::SC, MemoryModel::TSO};
    Options.MaxAlternatives = 1;
    const FixReport Report = findFixes(Text, Options);
    ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
    const Fix &Best = Report.Fixes.front();
    EXPECT_EQ(titleOf(Best, 8).substr(0, 11), "Add 1 fence");
    EXPECT_TRUE(Best.Minimal);
    CompileRequest Edited = Text;
    for (const auto &[File, New] : editedTexts(Text, Best.Edits))
      Edited.Unsaved[File] = New;
    EXPECT_EQ(Edited.Unsaved[EditedFile], After);
    for (const ModelReport &M : check({Edited, Options.Check}).Models)
      EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which);
    EXPECT_EQ(check({Text, Options.Check}).Models[1].Result, Verdict::Violation);
  }

  void expectRefused(const std::string &Left, const std::string &Why) {
    FixOptions Options;
    Options.Check.Models = {MemoryModel::TSO};
    const FixReport Report = findFixes(testing::requestForText(Head + Left + Right + Main), Options);
    EXPECT_EQ(Report.What, EditOutcome::Refused);
    EXPECT_NE(Report.Reason.find(Why), std::string::npos) << Report.Reason;
  }

  std::map<std::string, std::string> Headers;
};

TEST_F(AwkwardFix, IfWithoutBraces) {
  expectFixed("void *left(void *p) {\n  if (p == 0)\n    x = 1;\n  a = y;\n  return p;\n}\n",
              "void *left(void *p) {\n  if (p == 0) {\n    x = 1;\n    FENCE;\n  }\n  a = y;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, OneLineIfAndElse) {
  expectFixed("void *left(void *p) {\n  if (p == 0) x = 1; else c = 1;\n  a = y;\n  return p;\n}\n",
              "void *left(void *p) {\n  if (p == 0) { x = 1; FENCE; } else c = 1;\n  a = y;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, FunctionOnOneLine) {
  expectFixed("void *left(void *p) { x = 1; a = y; return p; }\n",
              "void *left(void *p) { x = 1; FENCE; a = y; return p; }\n");
}

TEST_F(AwkwardFix, CommaExpression) {
  expectFixed("void *left(void *p) {\n  x = 1, a = y;\n  return p;\n}\n",
              "void *left(void *p) {\n  x = 1, FENCE, a = y;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, CommaInACondition) {
  expectFixed("void *left(void *p) {\n  if (x = 1, y)\n    a = 1;\n  return p;\n}\n",
              "void *left(void *p) {\n  if (x = 1, FENCE, y)\n    a = 1;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, WhileCondition) {
  expectFixed("void *left(void *p) {\n  while (x = 1, a = y, c)\n    ;\n  return p;\n}\n",
              "void *left(void *p) {\n  while (x = 1, FENCE, a = y, c)\n    ;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, DoWhileCondition) {
  expectFixed("void *left(void *p) {\n  do\n    x = 1;\n  while ((a = y) && c);\n  return p;\n}\n",
              "void *left(void *p) {\n  do {\n    x = 1;\n    FENCE;\n  }\n  while ((a = y) && c);\n  return p;\n}\n");
}

TEST_F(AwkwardFix, ForHeader) {
  expectFixed("void *left(void *p) {\n  for (x = 1; (a = y) && c; c = 0)\n    ;\n  return p;\n}\n",
              "void *left(void *p) {\n  for (x = 1, FENCE; (a = y) && c; c = 0)\n    ;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, ForIncrement) {
  expectFixed("void *left(void *p) {\n  for (int i = 0; i < 1; i++, x = 1)\n    ;\n  a = y;\n  return p;\n}\n",
              "void *left(void *p) {\n  for (int i = 0; i < 1; i++, x = 1, FENCE)\n    ;\n  a = y;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, SwitchCases) {
  expectFixed(
      "void *left(void *p) {\n  switch (c) {\n  case 0: x = 1; break;\n  default: c = 2;\n  }\n  a = y;\n"
      "  return p;\n}\n",
      "void *left(void *p) {\n  switch (c) {\n  case 0: x = 1; FENCE; break;\n  default: c = 2;\n  }\n  a = y;\n"
      "  return p;\n}\n");
}

TEST_F(AwkwardFix, CaseThatFallsThrough) {
  expectFixed(
      "void *left(void *p) {\n  switch (c) {\n  case 0:\n    x = 1;\n  case 1:\n    a = y;\n  }\n  return p;\n}\n",
      "void *left(void *p) {\n  switch (c) {\n  case 0:\n    x = 1;\n    FENCE;\n  case 1:\n    a = y;\n  }\n"
      "  return p;\n}\n");
}

TEST_F(AwkwardFix, GotoLabels) {
  expectFixed("void *left(void *p) {\n  goto set;\nget:\n  a = y;\n  return p;\nset: x = 1; goto get;\n}\n",
              "void *left(void *p) {\n  goto set;\nget:\n  a = y;\n  return p;\nset: x = 1; FENCE; goto get;\n}\n");
}

TEST_F(AwkwardFix, LabelledStatementWithoutBraces) {
  expectFixed("void *left(void *p) {\n  if (p == 0)\n  here: x = 1;\n  a = y;\n  if (c) goto here;\n  return p;\n}\n",
              "void *left(void *p) {\n  if (p == 0) {\n  here: x = 1;\n  FENCE;\n  }\n  a = y;\n  if (c) goto here;\n"
              "  return p;\n}\n");
}

TEST_F(AwkwardFix, ConditionalExpression) {
  expectFixed("void *left(void *p) {\n  (x = 1) ? (a = y) : 0;\n  return p;\n}\n",
              "void *left(void *p) {\n  (x = 1) ? (FENCE, (a = y)) : 0;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, LogicalOperator) {
  expectFixed("void *left(void *p) {\n  a = (x = 1) && y;\n  return p;\n}\n",
              "void *left(void *p) {\n  a = (x = 1) && (FENCE, y);\n  return p;\n}\n");
}

TEST_F(AwkwardFix, Initialisers) {
  expectFixed(
      "void *left(void *p) {\n  int one = x = 1, other = y;\n  a = other + one - 1;\n  return p;\n}\n",
      "void *left(void *p) {\n  int one = x = 1, other = (FENCE, y);\n  a = other + one - 1;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, BodyOfAMacro) {
  expectFixed("#define ENTER(mine, theirs) do { (mine) = 1; a = (theirs); } while (0)\n"
              "void *left(void *p) {\n  ENTER(x, y);\n  return p;\n}\n",
              "#define ENTER(mine, theirs) do { (mine) = 1; FENCE; a = (theirs); } while (0)\n"
              "void *left(void *p) {\n  ENTER(x, y);\n  return p;\n}\n");
}

TEST_F(AwkwardFix, MacrosInMacros) {
  expectFixed(
      "#define SET(v) (v) = 1\n#define RAISE() SET(x)\nvoid *left(void *p) {\n  RAISE();\n  a = y;\n  return p;\n}\n",
      "#define SET(v) (v) = 1\n#define RAISE() SET(x)\nvoid *left(void *p) {\n  RAISE();\n  FENCE;\n  a = y;\n"
      "  return p;\n}\n");
}

TEST_F(AwkwardFix, ArgumentOfAMacro) {
  expectFixed("#define TWICE(v) v; v\nvoid *left(void *p) {\n  TWICE(x = 1);\n  a = y;\n  return p;\n}\n",
              "#define TWICE(v) v; v\nvoid *left(void *p) {\n  TWICE(x = 1);\n  FENCE;\n  a = y;\n  return p;\n}\n");
}

TEST_F(AwkwardFix, OldStyleFunction) {
  expectFixed("void *left(p) void *p;\n{ x = 1;\n  a = y; return p; }\n",
              "void *left(p) void *p;\n{ x = 1; FENCE;\n  a = y; return p; }\n");
}

TEST_F(AwkwardFix, StatementExpression) {
  expectFixed("void *left(void *p) {\n  a = ({ x = 1; y; });\n  return p;\n}\n",
              "void *left(void *p) {\n  a = ({ x = 1; FENCE; y; });\n  return p;\n}\n");
}

TEST_F(AwkwardFix, ReturnedValue) {
  expectFixed(
      "static int look(void) { return y; }\nvoid *left(void *p) {\n  x = 1;\n  a = look();\n  return p;\n}\n",
      "static int look(void) { return y; }\nvoid *left(void *p) {\n  x = 1;\n  FENCE;\n  a = look();\n  return p;\n}\n");
}

TEST_F(AwkwardFix, FunctionOfAHeader) {
  Headers["/enter.h"] = "static inline int enter(void) {\n\tx = 1;\n\treturn y;\n}\n";
  const std::string Text =
      Head + "#include \"enter.h\"\nvoid *left(void *p) {\n  a = enter();\n  return p;\n}\n" + Right + Main;
  expectTexts(Text, "static inline int enter(void) {\n\tx = 1;\n\t__sync_synchronize();\n\treturn y;\n}\n", "/enter.h");
}

TEST_F(AwkwardFix, MacroThatIsOneExpressionIsRefused) {
  expectRefused("#define ENTER() ((x = 1) && (a = y))\nvoid *left(void *p) {\n  if (ENTER()) c = 1;\n  return p;\n}\n",
                "in one expression of a macro");
}

TEST_F(AwkwardFix, OperandsWithoutOrderAreRefused) {
  expectRefused("void *left(void *p) {\n  a = (x = 1) - 1 + y;\n  return p;\n}\n",
                "write them as two statements first");
}

} // namespace
} // namespace picket
