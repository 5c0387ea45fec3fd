// Fences in macros and headers, and in the words and with the line ends of the file they go into.
#include "support/Placement.h"

namespace picket {
namespace {

using testing::Marked;
using testing::PlacementTest;
using testing::ProgramFile;
using testing::readMarks;

using FenceIdiom = PlacementTest;

const std::string Variables = "volatile int x, y, r, c;\n";
const std::string Atomics = "#include <stdatomic.h>\n" + Variables;
constexpr bool NearLater = true;

std::string mainWith(const std::string &Lines) { return "int main(void) {\n" + Lines + "}\n"; }

TEST_F(FenceIdiom, MacroBodyOfStatementsIsEdited) {
  expectFence(Atomics + "#define ENTER(a, b) do { (a) = 1; \\\n  r = (b); } while (0)\n" +
                  mainWith("  @ENTER(x, $y);\n  ENTER(y, x);\n"),
              Atomics +
                  "#define ENTER(a, b) do { (a) = 1; atomic_thread_fence(memory_order_seq_cst); \\\n"
                  "  r = (b); } while (0)\n" +
                  mainWith("  ENTER(x, y);\n  ENTER(y, x);\n"));
}

TEST_F(FenceIdiom, TwoAccessesOfOneMacroHaveOnePlace) {
  expectFence(Atomics + "#define BOTH() x = 1; y = 2\n" + mainWith("  @$BOTH();\n"),
              Atomics + "#define BOTH() x = 1; atomic_thread_fence(memory_order_seq_cst); y = 2\n" +
                  mainWith("  BOTH();\n"));
  expectRefusal(Atomics + "#define ALL() x = 1; y = 2; c = 3\n" + mainWith("  @$ALL();\n"),
                "a macro makes several accesses here, and which of them are meant is not known");
}

TEST_F(FenceIdiom, LoopConditionInAMacro) {
  expectFence(Atomics + "#define AWAIT(v) while (v) {}\n" + mainWith("  x @= 1;\n  AWAIT($y);\n"),
              Atomics + "#define AWAIT(v) while (v) {}\n" +
                  mainWith("  x = 1;\n  AWAIT((atomic_thread_fence(memory_order_seq_cst), y));\n"),
              NearLater);
}

TEST_F(FenceIdiom, StatementMadeByAMacroStaysWhole) {
  expectFence(Atomics + "#define SET(v) do { v = 1; } while (0)\n" + mainWith("  @SET(x);\n  r = $y;\n"),
              Atomics + "#define SET(v) do { v = 1; } while (0)\n" +
                  mainWith("  SET(x);\n  atomic_thread_fence(memory_order_seq_cst);\n  r = y;\n"));
}

TEST_F(FenceIdiom, InFrontOfAnAssertion) {
  expectFence("#include <assert.h>\n" + Atomics + mainWith("  x @= 1;\n  assert($y == 1);\n"),
              "#include <assert.h>\n" + Atomics +
                  mainWith("  x = 1;\n  atomic_thread_fence(memory_order_seq_cst);\n  assert(y == 1);\n"),
              NearLater);
}

TEST_F(FenceIdiom, ArgumentOfAMacroGetsParentheses) {
  const std::string Macro = Atomics + "#define BOTH(a, b) (a && b)\n";
  expectFence(Macro + mainWith("  r = BOTH(@x, $y) + BOTH(c, r);\n"),
              Macro + mainWith("  r = BOTH(x, (atomic_thread_fence(memory_order_seq_cst), y)) + BOTH(c, r);\n"));
}

TEST_F(FenceIdiom, MacroThatIsAnExpressionIsRefused) {
  expectRefusal(Atomics + "#define BOTH(a) (a && y)\n" + mainWith("  r = $BOTH(@x) + BOTH(c);\n"),
                "the two accesses are in one expression of a macro");
}

TEST_F(FenceIdiom, MacroOfAHeaderIsRefused) {
  Headers["/placement/enter.h"] = "#define ENTER(a, b) do { (a) = 1; r = (b); } while (0)\n";
  expectRefusal(Atomics + "#include \"enter.h\"\n" + mainWith("  @ENTER(x, $y);\n"),
                "the accesses are made by a macro of another file");
}

TEST_F(FenceIdiom, FunctionOfAHeaderIsEditedThere) {
  const std::string Header = "/placement/enter.h";
  const std::string Text = "#ifndef ENTER_H\n#define ENTER_H\nextern volatile int x, y;\n"
                           "static inline int enter(void) {\n\tx @= 1;\n\treturn $y;\n}\n#endif\n";
  Marked M = readMarks(Text, Header);
  Headers[Header] = M.Text;
  CompileRequest Request = request("#include \"enter.h\"\nvolatile int x, y;\nint main(void) { return enter(); }\n");
  std::string Expected = M.Text;
  Expected.replace(Expected.find("extern"), 0, "#include <stdatomic.h>\n");
  Expected.replace(Expected.find("\n\treturn"), 0, "\n\tatomic_thread_fence(memory_order_seq_cst);");
  EXPECT_EQ(change(Request, {fence(M)}, Header), Expected);
  EXPECT_EQ(change(Request, {fence(M)}, ProgramFile), "not edited");
  Request.Unsaved[Header] = Expected;
  EXPECT_TRUE(compileProgram(Request).Compiled);
}

TEST_F(FenceIdiom, IncludeIsAddedBehindTheLastOne) {
  expectFence("#include <assert.h>\n#include <pthread.h> // threads\n\n" + Variables +
                  mainWith("  x @= 1;\n  r = $y;\n"),
              "#include <assert.h>\n#include <pthread.h> // threads\n#include <stdatomic.h>\n\n" + Variables +
                  mainWith("  x = 1;\n  atomic_thread_fence(memory_order_seq_cst);\n  r = y;\n"));
}

TEST_F(FenceIdiom, IncludeInAFileWithoutIncludesIsBehindItsFirstComment) {
  expectFence("// picket: unroll=3\n" + Variables + mainWith("  x @= 1;\n  r = $y;\n"),
              "// picket: unroll=3\n#include <stdatomic.h>\n" + Variables +
                  mainWith("  x = 1;\n  atomic_thread_fence(memory_order_release);\n  r = y;\n"),
              false, FenceKind::Release);
}

TEST_F(FenceIdiom, IncludeIsNotPutIntoAConditional) {
  expectFence("#include <assert.h>\n#if 1\n#include <pthread.h>\n#endif\n" + Variables +
                  mainWith("  x @= 1; r = $y;\n"),
              "#include <assert.h>\n#include <stdatomic.h>\n#if 1\n#include <pthread.h>\n#endif\n" + Variables +
                  mainWith("  x = 1; atomic_thread_fence(memory_order_seq_cst); r = y;\n"));
}

TEST_F(FenceIdiom, LineEndsAndTabsAreKept) {
  expectFence("#include <stdatomic.h>\r\nvolatile int x, y, r;\r\nint main(void) {\r\n\tif (r)\r\n\t\tx @= 1;\r\n"
              "\tr = $y;\r\n}\r\n",
              "#include <stdatomic.h>\r\nvolatile int x, y, r;\r\nint main(void) {\r\n\tif (r) {\r\n\t\tx = 1;\r\n"
              "\t\tatomic_thread_fence(memory_order_seq_cst);\r\n\t}\r\n\tr = y;\r\n}\r\n");
}

TEST_F(FenceIdiom, OwnMacroOfTheRightStrength) {
  const std::string Macros = "#define mb() __asm__ __volatile__(\"mfence\" ::: \"memory\")\n"
                             "#define wmb() __atomic_thread_fence(__ATOMIC_RELEASE)\n";
  expectFence(Macros + Variables + mainWith("  x @= 1;\n  r = $y;\n"),
              Macros + Variables + mainWith("  x = 1;\n  mb();\n  r = y;\n"));
  expectFence(Macros + Variables + mainWith("  x @= 1;\n  y $= 1;\n"),
              Macros + Variables + mainWith("  x = 1;\n  wmb();\n  y = 1;\n"), false, FenceKind::Release);
}

TEST_F(FenceIdiom, AssemblyIsNoExpression) {
  const std::string Macros = "#include <stdatomic.h>\n#define mb() __asm__ __volatile__(\"mfence\" ::: \"memory\")\n";
  expectFence(Macros + Variables + mainWith("  x @= 1;\n  while ($y)\n    ;\n"),
              Macros + Variables +
                  mainWith("  x = 1;\n  while (atomic_thread_fence(memory_order_seq_cst), y)\n    ;\n"),
              NearLater);
}

TEST_F(FenceIdiom, OwnFunctionIsNotUsedInFrontOfItsDefinition) {
  const std::string Function = "static inline void full(void) { __sync_synchronize(); }\n";
  expectFence(Variables + Function + mainWith("  x @= 1;\n  r = $y;\n  full();\n"),
              Variables + Function + mainWith("  x = 1;\n  full();\n  r = y;\n  full();\n"));
  expectFence(Variables + "void full(void);\n" + mainWith("  x @= 1;\n  r = $y;\n  full();\n") +
                  "void full(void) { __sync_synchronize(); }\n",
              Variables + "void full(void);\n" + mainWith("  x = 1;\n  __sync_synchronize();\n  r = y;\n  full();\n") +
                  "void full(void) { __sync_synchronize(); }\n");
}

TEST_F(FenceIdiom, BuiltinsTheFileUses) {
  expectFence(Variables + mainWith("  x @= 1;\n  r = __atomic_load_n(&y, __ATOMIC_RELAXED);\n  r = $y;\n"),
              Variables + mainWith("  x = 1;\n  __atomic_thread_fence(__ATOMIC_SEQ_CST);\n"
                                   "  r = __atomic_load_n(&y, __ATOMIC_RELAXED);\n  r = y;\n"));
  expectFence(Variables + mainWith("  x @= 1;\n  r = $y;\n  __sync_fetch_and_add(&x, 1);\n"),
              Variables + mainWith("  x = 1;\n  __sync_synchronize();\n  r = y;\n  __sync_fetch_and_add(&x, 1);\n"));
  expectFence(Variables + mainWith("  x @= 1;\n  r = $y;\n  __asm__(\"mfence\" ::: \"memory\");\n"),
              Variables + mainWith("  x = 1;\n  __asm__(\"mfence\" ::: \"memory\");\n  r = y;\n"
                                   "  __asm__(\"mfence\" ::: \"memory\");\n"));
}

TEST_F(FenceIdiom, NamesOfStdatomicThatTheFileTakesForItself) {
  const std::string Own = Variables + "static int atomic_load(volatile int *p) { return *p; }\n";
  expectFence(Own + mainWith("  x @= 1;\n  r = $y;\n  r = atomic_load(&c);\n"),
              Own +
                  mainWith("  x = 1;\n  __atomic_thread_fence(__ATOMIC_SEQ_CST);\n  r = y;\n  r = atomic_load(&c);\n"));
}

TEST_F(FenceIdiom, FencesAtOnePlaceBecomeOneAsStrongAsBoth) {
  Marked M = readMarks(Atomics + mainWith("  x @= 1;\n  r = $y;\n"));
  InsertFence Behind = fence(M, false, FenceKind::Release), Front = fence(M, true, FenceKind::Acquire);
  EXPECT_EQ(change(request(M.Text), {Behind, Front}),
            Atomics + mainWith("  x = 1;\n  atomic_thread_fence(memory_order_acq_rel);\n  r = y;\n"));
}

TEST_F(FenceIdiom, OnePairOfBracesForBothSides) {
  Marked M = readMarks(Atomics + mainWith("  c @= 1;\n  if (r)\n    x @= 1;\n  r = @y;\n"));
  InsertFence Front{FenceKind::Full, M.Places[0], M.Places[1], true};
  InsertFence Behind{FenceKind::Full, M.Places[1], M.Places[2], false};
  EXPECT_EQ(change(request(M.Text), {Behind, Front}),
            Atomics + mainWith("  c = 1;\n  if (r) {\n    atomic_thread_fence(memory_order_seq_cst);\n    x = 1;\n"
                               "    atomic_thread_fence(memory_order_seq_cst);\n  }\n  r = y;\n"));
}

TEST_F(FenceIdiom, OneKnownSideIsEnough) {
  Marked M = readMarks(Atomics + "int get(void) { return @x; }\n" + mainWith("  r $= get();\n"));
  EXPECT_EQ(change(request(M.Text), {InsertFence{FenceKind::Full, M.Places[0], {}, false}}),
            Atomics + "int get(void) { int value = x; atomic_thread_fence(memory_order_seq_cst); return value; }\n" +
                mainWith("  r = get();\n"));
  EXPECT_EQ(change(request(M.Text), {InsertFence{FenceKind::Full, {}, M.Places[1], true}}),
            Atomics + "int get(void) { return x; }\n" +
                mainWith("  atomic_thread_fence(memory_order_seq_cst);\n  r = get();\n"));
}

TEST_F(FenceIdiom, GeneratedTextIsRefused) {
  expectRefusal(Atomics + "#line 10 \"grammar.y\"\n" + mainWith("  x @= 1;\n  r = $y;\n"),
                "no access is known at this position in the text");
}

TEST_F(FenceIdiom, TextThatDoesNotCompileIsRefused) {
  EXPECT_EQ(change(request("int main(void) { return"), {RemoveFence{}}), "refused: the file does not compile");
}

} // namespace
} // namespace picket
