// Litmus tests in C: what statements do, and which accesses are atomic.
#include "support/Litmus.h"

namespace picket {
namespace {

/// A test with one thread: its code is in lines 3 and following.
std::string thread(const std::string &Code, const std::string &Condition = "exists (x=0)",
                   const std::string &Initial = "") {
  return "C test\n{" + Initial + "} P0 (atomic_int* x, int* y, volatile int *z) {\n" + Code + "\n}\n" + Condition +
         "\n";
}

LitmusTest readCode(const std::string &Code) { return readTest(thread(Code)); }
std::string problem(const std::string &Code) { return problemOf(thread(Code)); }
std::string state(const std::string &Code, const std::string &Observed, const std::string &Initial = "") {
  return finalStateOf(thread(Code, "locations [" + Observed + "]", Initial));
}

TEST(LitmusC, PlainAccessesAreNotAtomic) {
  const auto Code = codeOf(readCode("int r0 = *y; *z = r0 + 1; int r1 = *x; *(x) = 2;"), 0);
  for (Opcode Op : {Opcode::Load, Opcode::Store}) {
    ASSERT_EQ(allOf(Code, Op).size(), 2u);
    for (const Instruction &I : allOf(Code, Op))
      EXPECT_EQ(orderOf(I), Order::NotAtomic) << "whatever the type of the location";
  }
  EXPECT_EQ(problem("int r0 = y;"), "'y' is the address of a location: its value is '*y' (line 3)");
  EXPECT_EQ(problem("y = 1;"), "'y' is the address of a location: write to '*y' (line 3)");
  EXPECT_EQ(problem("*w = 1;"), "'w' is no parameter of the thread that points to a location (line 3)");
  EXPECT_EQ(problem("*y 1;"), "'=' is expected after the location, not '1;' (line 3)");
}

TEST(LitmusC, AtomicAccessesKeepTheirOrders) {
  const std::pair<const char *, Order> Orders[] = {{"relaxed", Order::Relaxed}, {"consume", Order::Acquire},
                                                   {"acquire", Order::Acquire}, {"release", Order::Release},
                                                   {"acq_rel", Order::AcqRel},  {"seq_cst", Order::SeqCst}};
  for (auto [Name, Expected] : Orders) {
    const std::string Word = "memory_order_" + std::string(Name);
    const auto Code = codeOf(readCode("int r0 = atomic_exchange_explicit(x, 1, " + Word + ");"), 0);
    EXPECT_EQ(orderOf(only(Code, Opcode::Rmw)), Expected);
    if (Expected != Order::Release && Expected != Order::AcqRel)
      EXPECT_EQ(orderOf(only(codeOf(readCode("int r0 = atomic_load_explicit(x," + Word + ");"), 0), Opcode::Load)),
                Expected);
    else
      EXPECT_EQ(problem("int r0 = atomic_load_explicit(x," + Word + ");"), "a load cannot be '" + Word + "' (line 3)");
    if (Expected != Order::Acquire && Expected != Order::AcqRel)
      EXPECT_EQ(orderOf(only(codeOf(readCode("atomic_store_explicit(x,1," + Word + ");"), 0), Opcode::Store)),
                Expected);
    else
      EXPECT_EQ(problem("atomic_store_explicit(x,1," + Word + ");"), "a store cannot be '" + Word + "' (line 3)");
  }
  const auto Code = codeOf(readCode("atomic_store(x, 1); int r0 = atomic_load(x); atomic_fetch_add(x, r0);"), 0);
  for (Opcode Op : {Opcode::Load, Opcode::Store, Opcode::Rmw})
    EXPECT_EQ(orderOf(only(Code, Op)), Order::SeqCst);
  EXPECT_EQ(problem("atomic_store_explicit(x,1,weak);"), "a memory order is expected here, not 'weak' (line 3)");
  EXPECT_EQ(problem("atomic_store_explicit(x,1);"), "',' is expected between the arguments, not ');' (line 3)");
  EXPECT_EQ(problem("atomic_store(x,1,2);"), "')' is expected after the arguments, not ',2);' (line 3)");
  EXPECT_EQ(problem("atomic_store(1,1);"), "'1' is no parameter of the thread that points to a location (line 3)");
  EXPECT_EQ(problem("int r0 = atomic_store(x,1);"), "'atomic_store' has no value (line 3)");
  EXPECT_EQ(problem("spin_lock(x);"), "not supported: 'spin_lock' (line 3)");
}

TEST(LitmusC, UpdatesCompute) {
  EXPECT_EQ(state("int r0 = atomic_fetch_add(x, 5); int r1 = atomic_fetch_sub(x, 2); int r2 = atomic_fetch_or(x, 8);"
                  "int r3 = atomic_fetch_xor(x, 3); int r4 = atomic_fetch_and(x, 6); int r5 = atomic_exchange(x, -1);",
                  "0:r0; 0:r1; 0:r2; 0:r3; 0:r4; 0:r5; x;", "x=1;"),
            "0:r0=1; 0:r1=6; 0:r2=4; 0:r3=12; 0:r4=15; 0:r5=6; x=-1;");
}

TEST(LitmusC, FencesKeepTheirKinds) {
  using K = FenceKind;
  EXPECT_EQ(fencesOf(readCode("atomic_thread_fence(memory_order_acquire); atomic_thread_fence(memory_order_release);"
                              "atomic_thread_fence(memory_order_acq_rel); atomic_thread_fence(memory_order_seq_cst);"
                              "atomic_thread_fence(memory_order_relaxed); atomic_signal_fence(memory_order_seq_cst);")),
            (std::vector<K>{K::Acquire, K::Release, K::AcqRel, K::Full}));
  EXPECT_EQ(problem("atomic_thread_fence();"), "a memory order is expected here, not '' (line 3)");
}

TEST(LitmusC, CompareExchangeAccessesTheExpectedValue) {
  const std::string Call =
      "int r0 = atomic_compare_exchange_strong_explicit(x,y,7,memory_order_acq_rel,memory_order_acquire);";
  const auto Code = codeOf(readCode(Call), 0);
  EXPECT_EQ(orderOf(only(Code, Opcode::Load)), Order::NotAtomic);
  EXPECT_EQ(orderOf(only(Code, Opcode::Store)), Order::NotAtomic);
  EXPECT_EQ(orderOf(only(Code, Opcode::CmpXchg)), Order::AcqRel);
  EXPECT_EQ(static_cast<Order>(only(Code, Opcode::CmpXchg).Imm), Order::Acquire);
  EXPECT_EQ(state(Call, "0:r0; x; y;"), "0:r0=1; x=7; y=0;");
  EXPECT_EQ(state(Call, "0:r0; x; y;", "x=3; y=4;"), "0:r0=0; x=3; y=3;");
  EXPECT_EQ(state("atomic_compare_exchange_strong(x, y, 7);", "x; y;"), "x=7; y=0;");
  EXPECT_EQ(problem("atomic_compare_exchange_strong_explicit(x,y,7,memory_order_seq_cst,memory_order_release);"),
            "a compare_exchange that fails cannot be 'memory_order_release' (line 3)");
  EXPECT_EQ(problem("atomic_compare_exchange_strong(x, 0, 7);"),
            "'0' is no parameter of the thread that points to a location (line 3)");
}

TEST(LitmusC, AWeakCompareExchangeMayFailForNoReason) {
  const std::string Call = "int r0 = atomic_compare_exchange_weak(x, y, 7);";
  LitmusResult Result = runTest(thread(Call, "forall (0:r0=1 /\\ x=7 \\/ 0:r0=0 /\\ x=0)"));
  EXPECT_TRUE(Result.Holds);
  EXPECT_EQ(Result.Executions, 2u);
  EXPECT_EQ(Result.States.size(), 2u);
  // One that has a reason fails in one way only.
  EXPECT_EQ(runTest(thread(Call, "forall (0:r0=0 /\\ y=1)", "x=1;")).Executions, 1u);
  Result = runTest(thread(Call + "int r1 = atomic_compare_exchange_weak(x, z, 8);", "exists (0:r0=0 /\\ 0:r1=0)"));
  EXPECT_TRUE(Result.Holds);
  EXPECT_EQ(Result.Executions, 4u - 1) << "after a success the second one has a reason";
}

TEST(LitmusC, OneThreadFailsForNoReasonWhileAnotherWrites) {
  // Under SC: the store comes first (a failure with a reason), later, or the exchange fails for no reason, with the
  // store before or after its read... of which only the latter is for no reason.
  const std::string Text = "C t\n{}\nP0 (atomic_int* x, int* e) { int r0 = atomic_compare_exchange_weak(x, e, 2); }\n"
                           "P1 (atomic_int* x) { atomic_store(x, 1); }\nlocations [0:r0; x; e;]\n";
  LitmusResult Result = runTest(Text);
  EXPECT_EQ(Result.Executions, 3u);
  EXPECT_EQ(Result.States.size(), 3u);
}

TEST(LitmusC, ExpressionsFollowTheUsualPrecedence) {
  const std::pair<const char *, const char *> Expressions[] = {
      {"1 + 2 * 3", "7"},     {"(1 + 2) * 3", "9"},   {"7 - 2 - 1", "4"}, {"7 / 2", "3"},  {"7 % 4", "3"},
      {"1 | 2 ^ 3 & 2", "1"}, {"1 + 1 == 2", "1"},    {"1 != 1", "0"},    {"-1 < 0", "1"}, {"2 <= 1", "0"},
      {"2 > 1", "1"},         {"1 >= 2", "0"},        {"!3 + ~0", "-1"},  {"-(-5)", "5"},  {"0 || 2", "1"},
      {"1 && 0", "0"},        {"0 && *y || 1", "1"},  {"(int)4", "4"},    {"0x10", "16"},  {"6 & 3 == 3", "0"},
      {"r1 - r1 + 2", "2"},   {"(r1 ^ r1) + r1", "5"}};
  for (auto [Expression, Value] : Expressions)
    EXPECT_EQ(state("int r1 = 5; int r0 = " + std::string(Expression) + ";", "0:r0;"),
              "0:r0=" + std::string(Value) + ";")
        << Expression;
  EXPECT_EQ(problem("int r0 = 1 +;"), "an expression is expected here, not ';' (line 3)");
  EXPECT_EQ(problem("int r0 = (1;"), "')' is expected in the expression, not ';' (line 3)");
  EXPECT_EQ(problem("int r0 = r9;"), "the thread has no variable 'r9' (line 3)");
  EXPECT_EQ(problem("int r0 = 1 << 2;"), "not supported: '<<' (line 3)");
  EXPECT_EQ(problem("int r0 = 1 ? 2 : 3;"), "not supported: '?:' (line 3)");
  EXPECT_EQ(problem("int r0 = " + std::string(100'000, '(')), "the expression is nested too deeply (line 3)");
  EXPECT_EQ(problem("int r0 = " + std::string(100'000, '~')), "the expression is nested too deeply (line 3)");
}

TEST(LitmusC, OnlyWhatIsNeededOfAConditionIsRead) {
  const auto Code = codeOf(readCode("int r0 = *y && *z;"), 0);
  EXPECT_EQ(allOf(Code, Opcode::CondJump).size(), 1u);
  EXPECT_EQ(allOf(Code, Opcode::Load).size(), 2u);
}

TEST(LitmusC, BranchesAreTaken) {
  const std::string Code =
      "int r0 = *y;\nif (r0 == 1) { int r1 = 1; } else if (r0 != 2) r1 = 2; else { r1 = 3; { } ; }\n"
      "if (r0) { int r2 = 4; }";
  EXPECT_EQ(state(Code, "0:r1; 0:r2;", "y=1;"), "0:r1=1; 0:r2=4;");
  EXPECT_EQ(state(Code, "0:r1; 0:r2;", "y=0;"), "0:r1=2; 0:r2=0;");
  EXPECT_EQ(state(Code, "0:r1; 0:r2;", "y=2;"), "0:r1=3; 0:r2=4;");
  EXPECT_EQ(problem("if r0 { }"), "'(' is expected before the condition, not 'r0 { }' (line 3)");
  EXPECT_EQ(problem("if (1 { }"), "')' is expected after the condition, not '{ }' (line 3)");
  EXPECT_EQ(problem("else { }"), "not supported: 'else { }' (line 3)");
}

TEST(LitmusC, LoopsRun) {
  EXPECT_EQ(
      state("int r0 = 0; while (r0 < 3) r0 = r0 + 1; int r1 = 9; do { r1 = r1 - 1; } while (r1 > 5);", "0:r0; 0:r1;"),
      "0:r0=3; 0:r1=5;");
  EXPECT_EQ(problem("do { } until (1);"), "'while' is expected after the body of 'do' (line 3)");
  EXPECT_EQ(problem("for (;;) { }"), "not supported: 'for' (line 3)");
  EXPECT_EQ(state("int r0 = 1; return; r0 = 2;", "0:r0;"), "0:r0=1;");
}

TEST(LitmusC, StatementsAreChecked) {
  EXPECT_EQ(problem("int r0 = 1"), "';' is expected after the statement, not '}' (line 4)");
  EXPECT_EQ(problem("r0 = 1;"), "the thread has no variable 'r0' (line 3)");
  EXPECT_EQ(problem("long r0 = 1;"), "not supported: 'long r0 = 1' (line 3)");
  EXPECT_EQ(problem("int *p = x;"), "not supported: 'variables that are pointers' (line 3)");
  EXPECT_EQ(problem("int x = 1;"), "'x' is already the name of a parameter (line 3)");
  EXPECT_EQ(problem("int 7;"), "the name of a variable is expected here, not '7' (line 3)");
  EXPECT_EQ(problem("7;"), "a statement is expected here, not '7;' (line 3)");
  EXPECT_EQ(problemOf("C t\n{}\nP0 (int* x) { *x = 1;\nexists (x=1)\n"),
            "'}' is missing at the end of the thread (line 4)");
  EXPECT_EQ(problemOf("C t\n{}\nP0 (int* x) { *x = 1;\n"), "'}' is missing at the end of the thread (line 4)");
  EXPECT_EQ(problem(std::string(100'000, '{')), "the code is nested too deeply (line 3)");
}

TEST(LitmusC, ThreadsAreFunctions) {
  LitmusResult Result = runTest(R"((* The store buffer *)
C SB
"a remark"
Orig=PodWR Fre
(* another *)
{ [x] = 0; int y = 0; }
void P0 (atomic_int *x, volatile int* y) { // a comment of C
  atomic_store_explicit(x, 1, memory_order_relaxed); /* and
  another */
  int r0 = (*y == 1); if (*y) {}
}
P1 (int *x, atomic_int * y) { atomic_store(y,1); int r0 = *x; }
~exists (0:r0=0 /\ 1:r0=0)
)");
  EXPECT_TRUE(Result.Holds);
  EXPECT_EQ(Result.States.size(), 3u);
  EXPECT_EQ(
      finalStateOf("C t\n{}\nP0 () { int r0 = 3; }\nP1 (void) { int r0, r1 = 2; }\nlocations [0:r0; 1:r0; P1:r1; y;]"),
      "0:r0=3; 1:r0=0; 1:r1=2; y=0;");
  EXPECT_EQ(problemOf("C t\n{}\nP1 () { }\nexists (x=0)"), "'P0' is expected here, not 'P1 () { }' (line 3)");
  EXPECT_EQ(problemOf("C t\n{}\nexists (x=0)"), "the test has no thread: 'P0 (...) { ... }' is expected here (line 3)");
  EXPECT_EQ(problemOf("C t\n{}\nP0 (int x) { }\nexists (x=0)"), "the parameter 'x' should be a pointer (line 3)");
  EXPECT_EQ(problemOf("C t\n{}\nP0 (int* x, int* x) { }\nexists (x=0)"), "two parameters have the name 'x' (line 3)");
  EXPECT_EQ(problemOf("C t\n{}\nP0 (int*) { }\nexists (x=0)"), "a parameter has no name (line 3)");
  EXPECT_EQ(problemOf("C t\n{}\nP0 (spinlock_t* l) { }\nexists (x=0)"), "not supported: 'spinlock_t' (line 3)");
  EXPECT_EQ(problemOf("C t\n{}\nP0 { }\nexists (x=0)"),
            "'(' is expected after the name of a thread, not '{ }' (line 3)");
  EXPECT_EQ(problemOf("C t\n{}\nP0 () { /* }\nexists (x=0)"), "the comment that begins here has no end (line 3)");
  EXPECT_EQ(problemOf("C t\n{}\nP0 () { }\n)"), "'P1' is expected here, not ')' (line 4)");
}

TEST(LitmusC, AConditionMayBeMissing) {
  LitmusResult Result = runTest("C t\n{}\nP0 (int* x) { *x = 1; }\nP1 (int* x) { int r0 = *x; }\n");
  EXPECT_TRUE(Result.Holds);
  EXPECT_EQ(Result.Executions, 2u);
  EXPECT_EQ(Result.States.size(), 1u);
}

TEST(LitmusC, InitialStatesHaveLocationsOnly) {
  EXPECT_EQ(finalStateOf("C t\n{ atomic_int x = 4; y=5; [z]=6; }\nP0 () {}\nlocations [x; y; z;]"), "x=4; y=5; z=6;");
  EXPECT_EQ(problemOf("C t\n{ int *x = y; }\nP0 () {}\nexists (x=0)"),
            "not supported: 'pointers in memory of C' (line 2)");
  EXPECT_EQ(problemOf("C t\n{ 0:r0=1; }\nP0 () {}\nexists (x=0)"),
            "not supported: 'initial values of registers of C' (line 2)");
  EXPECT_EQ(problemOf("C t\n{ int64_t x=1; }\nP0 () {}\nexists (x=0)"), "not supported: '64 bits at x' (line 2)");
}

TEST(LitmusC, AnyTextGetsAnAnswer) {
  expectAnswersToDamage(R"(C MP
{ [x] = 0; int y=1; }
P0 (atomic_int* x, int* y) {
  int r0 = 0; // none
  *y = r0 + (1 - 3) * 2;
  if (r0 == 1) { r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); } else *y = 2;
  while (r0 < 2 && *y) r0 = r0 + 1;
  atomic_thread_fence(memory_order_seq_cst);
}
P1 (atomic_int* x, int* y) {
  int r1 = atomic_compare_exchange_strong_explicit(x,y,1,memory_order_seq_cst,memory_order_relaxed);
}
locations [x; 0:r0;]
exists (1:r1=1 /\ [y]=0)
)",
                        10'000);
}

} // namespace
} // namespace picket
