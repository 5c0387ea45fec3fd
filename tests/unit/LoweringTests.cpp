#include "program/Operands.h"
#include "source/compile/Compile.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace picket {
namespace {

constexpr const char *File = "/picket-test/program.c";

class Lowering : public testing::Test {
protected:
  /// Compiles a text that is on no disk.
  void lower(const std::string &Text) {
    CompileRequest Request;
    Request.File = File;
    Request.Unsaved[File] = Text;
    Request.UseCompileCommands = false;
    CompileResult Result = compileProgram(Request);
    ASSERT_TRUE(Result.Compiled) << (Result.Diagnostics.empty() ? "" : Result.Diagnostics[0].Message);
    Prog = std::move(*Result.Compiled);
  }

  const Function &function(const std::string &Name) {
    auto It =
        std::find_if(Prog.Functions.begin(), Prog.Functions.end(), [&](const Function &F) { return F.Name == Name; });
    EXPECT_NE(It, Prog.Functions.end()) << Name;
    return *It;
  }

  /// The instructions of a function with this opcode, as pcs.
  std::vector<uint32_t> find(const std::string &Name, Opcode Op) {
    uint32_t Pc = function(Name).Entry, End = static_cast<uint32_t>(Prog.Code.size());
    for (const Function &F : Prog.Functions)
      if (F.Defined && F.Entry > Pc)
        End = std::min(End, F.Entry);
    std::vector<uint32_t> Found;
    for (; Pc < End; ++Pc)
      if (Prog.Code[Pc].Op == Op)
        Found.push_back(Pc);
    return Found;
  }
  size_t count(const std::string &Name, Opcode Op) { return find(Name, Op).size(); }

  const Instruction &only(const std::string &Name, Opcode Op) {
    std::vector<uint32_t> Found = find(Name, Op);
    EXPECT_EQ(Found.size(), 1u) << toString(Prog);
    return Prog.Code[Found.at(0)];
  }

  /// What `main` is refused for.
  std::string refusal(const std::string &Text) {
    lower(Text);
    std::vector<uint32_t> Found = find("main", Opcode::Unsupported);
    return Found.empty() ? "" : Prog.Messages[Prog.Code[Found[0]].Imm];
  }

  Program Prog;
};

TEST_F(Lowering, EveryAccessHasItsLineAndColumn) {
  lower("volatile int x;\n"
        "int main(void) {\n"
        "  x = 1;\n"
        "  return x;\n"
        "}\n");
  const ProgramLocation &Store = Prog.locationOf(find("main", Opcode::Store).at(0));
  EXPECT_EQ(Prog.Files[Store.File], File);
  EXPECT_EQ(Store.Line, 3u);
  EXPECT_EQ(Store.Column, 5u);
  EXPECT_EQ(Prog.FunctionNames[Store.Function], "main");
  const ProgramLocation &Load = Prog.locationOf(find("main", Opcode::Load).at(0));
  EXPECT_EQ(Load.Line, 4u);
  EXPECT_EQ(Load.Column, 10u);
}

TEST_F(Lowering, AnInlinedAccessKeepsItsOwnPlaceAndKnowsItsCaller) {
  lower("int x;\n"
        "static inline void set(void) {\n"
        "  x = 1;\n"
        "}\n"
        "int main(void) {\n"
        "  set();\n"
        "  return 0;\n"
        "}\n");
  const ProgramLocation &Store = Prog.locationOf(find("main", Opcode::Store).at(0));
  EXPECT_EQ(Store.Line, 3u);
  EXPECT_EQ(Prog.FunctionNames[Store.Function], "set");
  ASSERT_NE(Store.InlinedAt, 0u);
  EXPECT_EQ(Prog.Locations[Store.InlinedAt].Line, 6u);
}

TEST_F(Lowering, CodeOfTheModelsIsShownWhereTheUserCallsIt) {
  lower("#include <string.h>\n"
        "char s[4];\n"
        "int main(void) { return (int)strlen(s); }\n");
  for (size_t I = 1; I < Prog.Files.size(); ++I)
    EXPECT_EQ(Prog.UserFile[I], Prog.Files[I] == File) << Prog.Files[I];
}

TEST_F(Lowering, OrdersOfAtomicAccessesAreKept) {
  lower("#include <stdatomic.h>\n"
        "atomic_int x; volatile int v;\n"
        "int main(void) {\n"
        "  atomic_store_explicit(&x, 1, memory_order_release);\n"
        "  v = 1;\n"
        "  atomic_thread_fence(memory_order_seq_cst);\n"
        "  atomic_signal_fence(memory_order_seq_cst);\n"
        "  return atomic_load_explicit(&x, memory_order_acquire);\n"
        "}\n");
  std::vector<uint32_t> Stores = find("main", Opcode::Store);
  ASSERT_EQ(Stores.size(), 2u);
  EXPECT_EQ(Prog.Code[Stores[0]].Flags, static_cast<uint8_t>(Order::Release));
  EXPECT_EQ(Prog.Code[Stores[1]].Flags, static_cast<uint8_t>(Order::NotAtomic) | OfVolatile);
  EXPECT_EQ(only("main", Opcode::Load).Flags & OrderMask, static_cast<uint8_t>(Order::Acquire));
  EXPECT_EQ(only("main", Opcode::Fence).C, static_cast<int32_t>(FenceKind::Full));
}

TEST_F(Lowering, CompareAndExchangeGivesOldValueAndSuccess) {
  lower("#include <stdatomic.h>\n"
        "atomic_long x;\n"
        "int main(void) {\n"
        "  long e = 3;\n"
        "  return atomic_compare_exchange_strong_explicit(&x, &e, 4, memory_order_acq_rel, memory_order_relaxed);\n"
        "}\n");
  const Instruction &Swap = only("main", Opcode::CmpXchg);
  EXPECT_EQ(Swap.Width, 8);
  EXPECT_EQ(Swap.Flags & OrderMask, static_cast<uint8_t>(Order::AcqRel));
  EXPECT_EQ(Swap.Imm, static_cast<int64_t>(Order::Relaxed));
  EXPECT_EQ(Prog.Constants[~Swap.B], 3u);
  EXPECT_EQ(Prog.Constants[~Swap.C], 4u);
}

TEST_F(Lowering, FencesInAssemblyAreRead) {
  lower("int main(void) {\n"
        "  __asm__ volatile(\"mfence\" ::: \"memory\");\n"
        "  __asm__ volatile(\"lock; addl $0,0(%%rsp)\" ::: \"memory\");\n"
        "  __asm__ volatile(\"lwsync\" ::: \"memory\");\n"
        "  __asm__ volatile(\"isync\");\n"
        "  __asm__ volatile(\"eieio\");\n"
        "  __asm__ volatile(\"membar #StoreLoad\");\n"
        "  __asm__ volatile(\"\" ::: \"memory\");\n"
        "  __asm__ volatile(\"rep; nop\");\n"
        "  return 0;\n"
        "}\n");
  std::vector<FenceKind> Kinds;
  for (uint32_t Pc : find("main", Opcode::Fence))
    Kinds.push_back(static_cast<FenceKind>(Prog.Code[Pc].C));
  EXPECT_EQ(Kinds, (std::vector<FenceKind>{FenceKind::Full, FenceKind::Full, FenceKind::LwSync, FenceKind::ISync,
                                           FenceKind::StoreStore, FenceKind::Full}));
  EXPECT_EQ(count("main", Opcode::Unsupported), 0u);
}

TEST_F(Lowering, EmptyAssemblyHandsItsOperandsThrough) {
  lower("int main(int argc, char **argv) {\n"
        "  __asm__ volatile(\"\" : \"+r\"(argc));\n"
        "  return argc;\n"
        "}\n");
  const Instruction &Return = only("main", Opcode::Return);
  EXPECT_EQ(Return.A, 0); // the parameter itself
}

TEST_F(Lowering, WhatIsNotModelledIsNamed) {
  EXPECT_EQ(refusal("int foo(int); int main(void) { return foo(1); }"), "call to 'foo'");
  EXPECT_EQ(refusal("int main(void) { __asm__ volatile(\"hlt\"); return 0; }"),
            "inline assembly 'hlt': the instruction 'hlt' is not modelled");
  EXPECT_EQ(refusal("volatile long double x; int main(void) { x = 1; return 0; }"), "type 'long double'");
  EXPECT_EQ(refusal("extern int x; int main(void) { return x; }"), "external variable 'x'");
  EXPECT_EQ(refusal("extern int x; int *p = &x; int main(void) { return *p; }"), "external variable 'x'");
  EXPECT_EQ(refusal("int main(int c, char **v) { void *t[] = {&&a, &&b}; goto *t[c]; a: return 1; b: return 0; }"),
            "computed goto");
  EXPECT_EQ(refusal("void *__VERIFIER_nondet_pointer(void); int main(void) { return !__VERIFIER_nondet_pointer(); }"),
            "call to '__VERIFIER_nondet_pointer' (a nondeterministic value; give the values as cases instead)");
  EXPECT_EQ(refusal("int main(void) { assert(1); return 0; }"),
            "call to 'assert' (its header is not included: #include <assert.h>)");
  EXPECT_EQ(refusal("typedef struct { long a[3]; } S; S x, y; int main(void) { __atomic_load(&x, &y, 5); return 0; }"),
            "call to '__atomic_load' of 24 bytes");
  EXPECT_EQ(refusal("#include <stdio.h>\nint n; int main(void) { return sscanf(\"1\", \"%d\", &n); }"),
            "call to '__isoc99_sscanf'");
}

TEST_F(Lowering, NothingIsRefusedForWhatIsOnlyPresent) {
  lower("long double unused(long double x) { return x * 2; }\n"
        "void other(void);\n"
        "int main(int argc, char **argv) { if (argc > 1) other(); return 0; }\n");
  EXPECT_EQ(Prog.Functions.size(), 1u); // what cannot be reached is not lowered
  std::vector<uint32_t> Refused = find("main", Opcode::Unsupported);
  ASSERT_EQ(Refused.size(), 1u);
  EXPECT_NE(Prog.Code[Prog.Functions[0].Entry].Op, Opcode::Unsupported);
}

TEST_F(Lowering, AnUndefinedFunctionBehindAPointerIsRefusedWhenCalled) {
  lower("void other(void); void (*p)(void) = other;\n"
        "int main(void) { p(); return 0; }\n");
  const Function &Other = function("other");
  EXPECT_FALSE(Other.Defined);
  EXPECT_EQ(Prog.Messages[Other.Message], "call to 'other'");
  EXPECT_EQ(count("main", Opcode::CallIndirect), 1u);
}

TEST_F(Lowering, ABuiltinBehindAPointerGetsAFunction) {
  lower("#include <stdlib.h>\n"
        "void (*release)(void *) = free;\n"
        "int main(void) { release(malloc(1)); return 0; }\n");
  EXPECT_TRUE(function("free").Defined);
  EXPECT_EQ(only("free", Opcode::CallBuiltin).Imm, static_cast<int64_t>(Builtin::Free));
}

TEST_F(Lowering, ADefinitionInTheProgramWinsOverTheLibrary) {
  lower("char pool[64];\n"
        "__attribute__((noinline)) void *malloc(unsigned long n) { return pool + n; }\n"
        "int main(void) { return malloc(1) == 0; }\n");
  EXPECT_EQ(count("main", Opcode::CallBuiltin), 0u);
  EXPECT_EQ(count("main", Opcode::Call), 1u);
}

TEST_F(Lowering, VerificationFunctionsAreBuiltinEvenIfDefined) {
  lower("void reach_error(void) {}\n"
        "void __VERIFIER_assert(int c) { if (!c) reach_error(); }\n"
        "int main(void) { __VERIFIER_assert(0); reach_error(); return 0; }\n");
  std::vector<uint32_t> Calls = find("main", Opcode::CallBuiltin);
  ASSERT_EQ(Calls.size(), 2u);
  EXPECT_EQ(Prog.Code[Calls[0]].Imm, static_cast<int64_t>(Builtin::VerifierAssert));
  EXPECT_EQ(Prog.Code[Calls[1]].Imm, static_cast<int64_t>(Builtin::VerifierError));
}

TEST_F(Lowering, AtomicFunctionsOfVerifiersAreWrapped) {
  lower("int x;\n"
        "int __VERIFIER_atomic_take(void) { if (x) return 1; x = 1; return 0; }\n"
        "int main(void) { return __VERIFIER_atomic_take(); }\n");
  std::vector<uint32_t> Calls = find("__VERIFIER_atomic_take", Opcode::CallBuiltin);
  ASSERT_GE(Calls.size(), 2u);
  EXPECT_EQ(Calls[0], function("__VERIFIER_atomic_take").Entry);
  EXPECT_EQ(Prog.Code[Calls[0]].Imm, static_cast<int64_t>(Builtin::AtomicBegin));
  for (uint32_t Pc : find("__VERIFIER_atomic_take", Opcode::Return)) {
    EXPECT_EQ(Prog.Code[Pc - 1].Op, Opcode::CallBuiltin);
    EXPECT_EQ(Prog.Code[Pc - 1].Imm, static_cast<int64_t>(Builtin::AtomicEnd));
  }
}

TEST_F(Lowering, OutputIsSwallowed) {
  lower("#include <stdio.h>\n"
        "int main(void) { printf(\"%d %f\\n\", 1, 2.0); fprintf(stderr, \"x\"); fflush(stdout); return 0; }\n");
  EXPECT_EQ(count("main", Opcode::CallBuiltin), 0u);
  EXPECT_EQ(count("main", Opcode::Unsupported), 0u);
}

TEST_F(Lowering, AddressesInInitialisersAreInPlace) {
  lower("int a[4]; int *p = &a[2]; int f(void) { return 0; } int (*q)(void) = f;\n"
        "int main(void) { return *p + q(); }\n");
  auto InitialOf = [&](const std::string &Name) {
    for (const Global &G : Prog.Globals)
      if (G.Name == Name)
        return *reinterpret_cast<const Address *>(G.Initial.data());
    return Address(0);
  };
  uint32_t A = 0, F = 0;
  while (Prog.Globals[A].Name != "a")
    ++A;
  while (Prog.Functions[F].Name != "f")
    ++F;
  EXPECT_EQ(InitialOf("p"), globalAddress(A) + 8);
  EXPECT_EQ(InitialOf("q"), functionAddress(F));
}

TEST_F(Lowering, MainGetsArguments) {
  lower("int main(int argc, char **argv) { return argv[0][0]; }");
  ASSERT_GE(Prog.ArgvGlobal, 0);
  const Global &Argv = Prog.Globals[Prog.ArgvGlobal];
  EXPECT_EQ(Argv.Size, 16u);
  Address First = *reinterpret_cast<const Address *>(Argv.Initial.data());
  EXPECT_EQ(Prog.Globals[slotOf(First) - 1].Initial[0], 'p');
  EXPECT_EQ(function("main").NumParameters, 2u);
}

TEST_F(Lowering, ConstructorsRunByPriority) {
  lower("__attribute__((constructor)) static void last(void) {}\n"
        "__attribute__((constructor(200))) static void second(void) {}\n"
        "__attribute__((constructor(101))) static void first(void) {}\n"
        "int main(void) { return 0; }\n");
  std::vector<std::string> Names;
  for (uint32_t F : Prog.Constructors)
    Names.push_back(Prog.Functions[F].Name);
  EXPECT_EQ(Names, (std::vector<std::string>{"first", "second", "last"}));
}

TEST_F(Lowering, StructsAreCopiedFieldByField) {
  lower("struct S { char c; int i; long l; } a, b;\n"
        "int main(void) { a = b; return 0; }\n");
  std::vector<std::pair<int64_t, unsigned>> Fields;
  for (uint32_t Pc : find("main", Opcode::Store)) {
    Address To = Prog.Constants[~Prog.Code[Pc].A];
    Fields.push_back({offsetOf(To) + Prog.Code[Pc].Imm, Prog.Code[Pc].Width});
  }
  for (std::pair<int64_t, unsigned> Field : {std::pair<int64_t, unsigned>{0, 1}, {4, 4}, {8, 8}})
    EXPECT_NE(std::find(Fields.begin(), Fields.end(), Field), Fields.end());
}

TEST_F(Lowering, ConstantOffsetsAreFoldedIntoAccesses) {
  lower("struct S { int a, b; };\n"
        "__attribute__((noinline)) int get(struct S *s) { return s->b; }\n"
        "int main(void) { struct S s = {1, 2}; return get(&s); }\n");
  EXPECT_EQ(only("get", Opcode::Load).Imm, 4);
  EXPECT_EQ(count("get", Opcode::Add), 0u);
}

TEST_F(Lowering, StartsThreadsIsSetOnlyWhereThreadsStart) {
  lower("int main(void) { return 0; }");
  EXPECT_FALSE(Prog.StartsThreads);
  lower("#include <pthread.h>\n"
        "void *t(void *a) { return a; }\n"
        "int main(void) { pthread_t p; return pthread_create(&p, 0, t, 0); }\n");
  EXPECT_TRUE(Prog.StartsThreads);
}

// Loops.

TEST_F(Lowering, CountingLoopsAreLeftAlone) {
  lower("int a[100]; volatile int x;\n"
        "int main(int n, char **v) {\n"
        "  for (int i = 0; i < n; i++) a[i % 100] += x;\n"
        "  return 0;\n"
        "}\n");
  EXPECT_EQ(Prog.Loops.size(), 0u);
  EXPECT_EQ(function("main").FedSlot, -1);
}

TEST_F(Lowering, AnAssertionDoesNotMakeACountingLoopDependOnIt) {
  lower("#include <assert.h>\n"
        "volatile int x;\n"
        "int main(int n, char **v) {\n"
        "  for (int i = 0; i < n; i++) assert(x == 0);\n"
        "  return 0;\n"
        "}\n");
  EXPECT_EQ(Prog.Loops.size(), 0u);
}

TEST_F(Lowering, ALoopThatCountsToASmallConstantEndsByItself) {
  lower("volatile int x;\n"
        "int main(void) {\n"
        "  for (int i = 0; i < 20; i++) if (x) break;\n"
        "  return 0;\n"
        "}\n");
  EXPECT_EQ(Prog.Loops.size(), 0u);
}

TEST_F(Lowering, ALoopEndedByAReadIsFedByIt) {
  lower("volatile int x, y, z;\n"
        "int main(void) {\n"
        "  while (x != 3)\n"
        "    y = z;\n"
        "  return 0;\n"
        "}\n");
  ASSERT_EQ(Prog.Loops.size(), 1u);
  EXPECT_EQ(Prog.Locations[Prog.Loops[0].Location].Line, 3u);
  const Instruction &Back = only("main", Opcode::LoopBack);
  EXPECT_EQ(Back.C, function("main").FedSlot);
  EXPECT_EQ(count("main", Opcode::LoopInit), 1u);
  std::vector<uint32_t> Loads = find("main", Opcode::Load);
  ASSERT_EQ(Loads.size(), 2u);
  for (uint32_t Pc : Loads) // only the read of x decides
    EXPECT_EQ(Prog.Code[Pc].D, Prog.locationOf(Pc).Line == 3 ? 1 : 0);
}

TEST_F(Lowering, APureSpinLoopIsACandidate) {
  lower("#include <sched.h>\n"
        "volatile int x;\n"
        "int main(void) { while (x == 0) sched_yield(); return 0; }\n");
  EXPECT_EQ(count("main", Opcode::SpinHead), 1u);
  EXPECT_EQ(count("main", Opcode::SpinBack), 1u);
  EXPECT_TRUE(only("main", Opcode::Load).Flags & InSpinCandidate);
  const Instruction &Back = only("main", Opcode::SpinBack);
  EXPECT_EQ(Prog.Code[Back.A].Op, Opcode::SpinHead);
  EXPECT_EQ(Prog.Code[Back.A].Dst, Back.Dst);
}

TEST_F(Lowering, LocksThatSpinOnReadModifyWritesAreCandidates) {
  lower("#include <stdatomic.h>\n"
        "atomic_int l;\n"
        "int main(void) {\n"
        "  do { while (l) ; } while (atomic_exchange(&l, 1));\n"
        "  int e = 0;\n"
        "  while (!atomic_compare_exchange_weak(&l, &e, 1)) e = 0;\n"
        "  return 0;\n"
        "}\n");
  EXPECT_EQ(Prog.Loops.size(), 3u);
  EXPECT_EQ(count("main", Opcode::SpinBack), 3u);
}

TEST_F(Lowering, ALoopThatCarriesAValueOverIsNoCandidate) {
  lower("volatile int x;\n"
        "int main(void) { int n = 0; while (x == 0) n++; return n; }\n");
  EXPECT_EQ(count("main", Opcode::SpinBack), 0u);
  EXPECT_EQ(count("main", Opcode::LoopBack), 1u);
}

TEST_F(Lowering, ALoopThatStoresIsNoCandidate) {
  lower("volatile int x, y;\n"
        "int main(void) { while (x == 0) y = 1; return 0; }\n");
  EXPECT_EQ(count("main", Opcode::SpinBack), 0u);
  EXPECT_EQ(count("main", Opcode::LoopBack), 1u);
}

TEST_F(Lowering, AValueThatGoesThroughALocalVariableStillFeedsTheLoop) {
  lower("volatile int x;\n"
        "int main(int n, char **v) {\n"
        "  int seen[4] = {0};\n"
        "  do { seen[n & 3] = x; } while (seen[n & 3] == 0);\n"
        "  return 0;\n"
        "}\n");
  ASSERT_EQ(Prog.Loops.size(), 1u);
}

TEST_F(Lowering, AResultOfACallFeedsTheLoop) {
  lower("#include <pthread.h>\n"
        "pthread_mutex_t m;\n"
        "int main(void) { while (pthread_mutex_trylock(&m)) ; return 0; }\n");
  EXPECT_EQ(only("main", Opcode::CallBuiltin).D, 1);
  EXPECT_EQ(count("main", Opcode::LoopBack), 1u);
}

TEST_F(Lowering, ALoopWithoutExitIsFedByAllItReads) {
  lower("volatile int x, y;\n"
        "int main(void) { for (;;) y = x; }\n");
  EXPECT_EQ(only("main", Opcode::Load).D, 1);
  EXPECT_EQ(count("main", Opcode::LoopBack), 1u);
}

// Registers.

TEST_F(Lowering, ParametersArriveInTheFirstSlots) {
  lower("struct P { long a, b; };\n"
        "__attribute__((noinline)) long f(struct P p, __int128 w, double d) { return p.b + (long)w + (long)d; }\n"
        "int main(void) { struct P p = {1, 2}; return (int)f(p, 3, 4.0); }\n");
  EXPECT_EQ(function("f").NumParameters, 5u);
  EXPECT_EQ(only("main", Opcode::Call).C, 5);
}

TEST_F(Lowering, FramesStaySmall) {
  std::string Text = "int main(int a, char **v) { int x = a;\n";
  for (int I = 0; I < 500; ++I)
    Text += "  if (x > " + std::to_string(I) + ") x = x * 3 + a; else x ^= a;\n";
  lower(Text + "  return x; }\n");
  EXPECT_LE(function("main").NumSlots, 5u);
}

TEST_F(Lowering, ListingNamesOpcodesAndLines) {
  lower("volatile int x;\nint main(void) { x = 7; return 0; }\n");
  std::string Listing = toString(Prog);
  EXPECT_NE(Listing.find("function main"), std::string::npos);
  EXPECT_NE(Listing.find("Store.4 &x, 7"), std::string::npos);
  EXPECT_NE(Listing.find("program.c:2:"), std::string::npos);
}

} // namespace
} // namespace picket
