// Fences between two accesses, at awkward places. Compiling the edited text shows whether the fence lies on all paths.
#include "support/Placement.h"

namespace picket {
namespace {

using testing::Marked;
using testing::PlacementTest;
using testing::readMarks;

class FencePlacement : public PlacementTest {
protected:
  /// The lines of a function, in a file that uses C11 fences.
  static std::string function(const std::string &Lines) {
    return "#include <stdatomic.h>\nvolatile int x, y, r, c;\nint main(void) {\n" + Lines + "  return 0;\n}\n";
  }
  void inFunction(const std::string &Before, const std::string &After, bool NearLater = false,
                  FenceKind Kind = FenceKind::Full) {
    std::string Expected = After;
    for (size_t At; (At = Expected.find("FENCE")) != std::string::npos;)
      Expected.replace(At, 5, "atomic_thread_fence(memory_order_seq_cst)");
    expectFence(function(Before), function(Expected), NearLater, Kind);
  }
  void refusedInFunction(const std::string &Before, const std::string &Why) { expectRefusal(function(Before), Why); }
};

constexpr bool NearLater = true;

TEST_F(FencePlacement, BehindAStatementOnALineOfItsOwn) {
  inFunction("  x @= 1; // raise\n\n  r = $y;\n", "  x = 1; // raise\n  FENCE;\n\n  r = y;\n");
}

TEST_F(FencePlacement, InFrontOfTheLaterStatement) {
  inFunction("  x @= 1;\n\n  /* look */\n  r = $y;\n", "  x = 1;\n\n  /* look */\n  FENCE;\n  r = y;\n", NearLater);
}

TEST_F(FencePlacement, BetweenStatementsOnOneLine) {
  inFunction("  x @= 1; r = $y;\n", "  x = 1; FENCE; r = y;\n");
  inFunction("  x @= 1; r = $y;\n", "  x = 1; FENCE; r = y;\n", NearLater);
}

TEST_F(FencePlacement, WhileConditionGetsAComma) {
  inFunction("  while ($y)\n    x @= 1;\n", "  while (y) {\n    x = 1;\n    FENCE;\n  }\n");
  inFunction("  x @= 1;\n  while ($y)\n    ;\n", "  x = 1;\n  while (FENCE, y)\n    ;\n", NearLater);
}

TEST_F(FencePlacement, DoWhileCondition) {
  inFunction("  do\n    x @= 1;\n  while ($y);\n", "  do\n    x = 1;\n  while (FENCE, y);\n", NearLater);
  inFunction("  do\n    x @= 1;\n  while ($y);\n", "  do {\n    x = 1;\n    FENCE;\n  }\n  while (y);\n");
}

TEST_F(FencePlacement, ContinueDoesNotLeadAroundTheFence) {
  inFunction("  do {\n    x @= 1;\n    if (c) continue;\n    r = 1;\n  } while ($y);\n",
             "  do {\n    x = 1;\n    if (c) continue;\n    r = 1;\n  } while (FENCE, y);\n", NearLater);
}

TEST_F(FencePlacement, ForHeader) {
  inFunction("  for (x @= 1; $y; r = 1)\n    ;\n", "  for (x = 1, FENCE; y; r = 1)\n    ;\n");
  inFunction("  for (x @= 1; $y; r = 1)\n    ;\n", "  for (x = 1; FENCE, y; r = 1)\n    ;\n", NearLater);
  inFunction("  for (r = 0; @y; x $= 1)\n    ;\n", "  for (r = 0; y; FENCE, x = 1)\n    ;\n", NearLater);
  inFunction("  for (int i = @y; i < 2; i++)\n    r = $x;\n",
             "  for (int i = y; i < 2; i++) {\n    FENCE;\n    r = x;\n  }\n");
}

TEST_F(FencePlacement, InFrontOfAForThatBeginsWithTheLaterAccess) {
  inFunction("  x @= 1;\n  for (int i = $y; i < 2; i++)\n    ;\n",
             "  x = 1;\n  FENCE;\n  for (int i = y; i < 2; i++)\n    ;\n", NearLater);
}

TEST_F(FencePlacement, OneLineIfAndElseGetBraces) {
  inFunction("  if (c) x @= 1; else c = 2; // one\n  r = $y;\n",
             "  if (c) { x = 1; FENCE; } else c = 2; // one\n  r = y;\n");
  inFunction("  x @= 1;\n  if (c) c = 2; else r = $y;\n", "  x = 1;\n  if (c) c = 2; else { FENCE; r = y; }\n",
             NearLater);
}

TEST_F(FencePlacement, BodyOnALineOfItsOwnGetsBraces) {
  inFunction("  if (c) // why\n    x @= 1; // raise\n  else\n    c = 2;\n  r = $y;\n",
             "  if (c) { // why\n    x = 1; // raise\n    FENCE;\n  }\n  else\n    c = 2;\n  r = y;\n");
}

TEST_F(FencePlacement, NestedIfKeepsItsElse) {
  inFunction("  x @= 1;\n  if (c)\n    if (r)\n      r = $y;\n    else\n      r = 2;\n",
             "  x = 1;\n  if (c)\n    if (r) {\n      FENCE;\n      r = y;\n    }\n    else\n      r = 2;\n",
             NearLater);
}

TEST_F(FencePlacement, ConditionOfIfIsBehindTheBoundaryInFrontOfIt) {
  inFunction("  x @= 1;\n  if (c && $y)\n    r = 1;\n", "  x = 1;\n  FENCE;\n  if (c && y)\n    r = 1;\n", NearLater);
}

TEST_F(FencePlacement, ConditionOfElseIfGetsAComma) {
  inFunction("  x @= 1;\n  if (c) {\n    r = 1;\n  } else if ($y) {\n    r = 2;\n  }\n",
             "  x = 1;\n  if (c) {\n    r = 1;\n  } else if (FENCE, y) {\n    r = 2;\n  }\n", NearLater);
}

TEST_F(FencePlacement, OperandsOfLogicalOperators) {
  inFunction("  while (@x && $y)\n    ;\n", "  while (x && (FENCE, y))\n    ;\n");
  inFunction("  if (c || (@x == 1 && $y != 2))\n    r = 1;\n", "  if (c || (x == 1 && (FENCE, y != 2)))\n    r = 1;\n");
}

TEST_F(FencePlacement, OperandsOfCommas) {
  inFunction("  x @= 1, r = $y;\n", "  x = 1, FENCE, r = y;\n");
  inFunction("  if (x @= 1, $y)\n    r = 1;\n", "  if (x = 1, FENCE, y)\n    r = 1;\n");
}

TEST_F(FencePlacement, BranchOfAConditionalExpression) {
  inFunction("  r = @x ? $y : 2;\n", "  r = x ? (FENCE, y) : 2;\n");
  inFunction("  r = @x ? 3 : $y + 1;\n", "  r = x ? 3 : (FENCE, y + 1);\n");
}

TEST_F(FencePlacement, Initialisers) {
  inFunction("  int a = @x, b = $y;\n  r = a + b;\n", "  int a = x, b = (FENCE, y);\n  r = a + b;\n");
  inFunction("  int a = @x;\n  int b = $y;\n  r = a + b;\n", "  int a = x;\n  FENCE;\n  int b = y;\n  r = a + b;\n");
}

TEST_F(FencePlacement, CasesWithoutBraces) {
  inFunction("  x @= 1;\n  switch (c) {\n  case 1: r = $y; break;\n  default: r = 2;\n  }\n",
             "  x = 1;\n  switch (c) {\n  case 1: FENCE; r = y; break;\n  default: r = 2;\n  }\n", NearLater);
  inFunction("  x @= 1;\n  switch (c)\n  case 1:\n  case 2:\n    r = $y;\n",
             "  x = 1;\n  switch (c) {\n  case 1:\n  case 2:\n    FENCE;\n    r = y;\n  }\n", NearLater);
}

TEST_F(FencePlacement, FallingThroughToACase) {
  inFunction("  switch (c) {\n  case 1:\n    x @= 1;\n  case 2:\n    r = $y;\n  }\n",
             "  switch (c) {\n  case 1:\n    x = 1;\n  case 2:\n    FENCE;\n    r = y;\n  }\n", NearLater);
}

TEST_F(FencePlacement, BehindALabel) {
  inFunction("  goto look;\nagain:\n  x @= 1;\nlook: r = $y;\n  if (r) goto again;\n",
             "  goto look;\nagain:\n  x = 1;\nlook: FENCE; r = y;\n  if (r) goto again;\n", NearLater);
  inFunction("  if (c) again: x @= 1;\n  r = $y;\n  if (r) goto again;\n",
             "  if (c) { again: x = 1; FENCE; }\n  r = y;\n  if (r) goto again;\n");
}

TEST_F(FencePlacement, NextTimeRoundALoop) {
  inFunction("  while (c) {\n    r = $y;\n    x @= r;\n  }\n",
             "  while (c) {\n    r = y;\n    x = r;\n    FENCE;\n  }\n");
}

TEST_F(FencePlacement, SpinLoopIsLeftBeforeTheFence) {
  inFunction("  while (!@x)\n    ;\n  r = $y;\n", "  while (!x)\n    ;\n  FENCE;\n  r = y;\n");
}

TEST_F(FencePlacement, ValueOfAnAssignmentGetsAName) {
  inFunction("  x $= @y;\n", "  int value = y;\n  FENCE;\n  x = value;\n");
}

TEST_F(FencePlacement, OneExpressionWithoutOrderIsRefused) {
  refusedInFunction("  r = @x + $y;\n", "the two accesses are in one expression: write them as two statements first");
  refusedInFunction("  if (@x == $y)\n    r = 1;\n",
                    "the two accesses are in one expression: write them as two statements first");
}
} // namespace
} // namespace picket
