// Inline assembly beyond single rows of the table: operands, jumps, exclusive accesses, what is refused, and the styles of libraries.
#include "source/assembly/Barriers.h"
#include "support/Graphs.h"

#include "gtest/gtest.h"

namespace picket {
namespace {

using namespace picket::testing;

constexpr Architecture X86 = Architecture::X86_64, Arm = Architecture::Aarch64, Power = Architecture::Powerpc64le;

Program lowered(Architecture For, const std::string &Text, std::vector<std::string> Flags = {}) {
  CompileRequest Request = requestForText(Text, std::move(Flags));
  Request.For = For;
  return compile(Request);
}

size_t count(const Program &P, Opcode Op) {
  return static_cast<size_t>(
      std::count_if(P.Code.begin(), P.Code.end(), [&](const Instruction &I) { return I.Op == Op; }));
}

const Instruction &only(const Program &P, Opcode Op) {
  if (count(P, Op) != 1)
    throw std::runtime_error("there are " + std::to_string(count(P, Op)));
  return *std::find_if(P.Code.begin(), P.Code.end(), [&](const Instruction &I) { return I.Op == Op; });
}

Order orderOf(const Instruction &I) { return static_cast<Order>(I.Flags & OrderMask); }

/// What a statement in main is refused for; empty if it is not.
std::string refusal(Architecture For, const std::string &Statement, const std::string &Before = "") {
  const Program P = lowered(For, Before + "int x; long y; int main(void) { int a = 1, b = 2; long q = 3;\n" +
                                     Statement + "\nreturn a + b + (int)q; }\n");
  for (const Instruction &I : P.Code)
    if (I.Op == Opcode::Unsupported)
      return P.Messages[static_cast<size_t>(I.Imm)];
  return "";
}

TEST(Assembly, WhatIsNotModelledIsNamedWithItsTextAndAReason) {
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile("frobnicate %0" : "+r"(a));)"),
            "inline assembly 'frobnicate %0': the instruction 'frobnicate' is not modelled");
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile("movaps %%xmm0,%%xmm1" ::: "xmm1");)"),
            "inline assembly 'movaps %xmm0,%xmm1': the instruction 'movaps' is not modelled");
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile(".byte 0x90");)"),
            "inline assembly '.byte 0x90': the directive '.byte' is not modelled");
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile("movl %%gs:0,%0" : "=r"(a));)"),
            "inline assembly 'movl %gs:0,%0': the operand '%gs:0' is not modelled");
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile("lock; movl %0,%1" : "+r"(a), "+m"(x));)"),
            "inline assembly 'lock; movl %0,%1': the prefix 'lock' of 'movl' is not modelled");
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile("jmp elsewhere");)"),
            "inline assembly 'jmp elsewhere': 'jmp' jumps to a place outside of the statement");
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile("cmpxchgl %1,%2" : "+a"(a) : "r"(b), "m"(x));)"),
            "inline assembly 'cmpxchgl %1,%2': 'cmpxchg' without the prefix 'lock' is not modelled");
}

TEST(Assembly, ValuesThatAreNotKnownAreRefusedOnlyIfTheyAreUsed) {
  EXPECT_EQ(refusal(X86, R"(unsigned l, h; __asm__ volatile("rdtsc" : "=a"(l), "=d"(h));)"), "");
  EXPECT_EQ(refusal(X86, R"(unsigned l, h; __asm__ volatile("rdtsc" : "=a"(l), "=d"(h)); a = l;)"),
            "inline assembly: what 'rdtsc' gives is not known when a program is checked");
  EXPECT_EQ(refusal(X86, R"(unsigned c = 0; __asm__ volatile("cpuid" : "+a"(c) :: "rbx", "rcx", "rdx");)"), "");
  EXPECT_EQ(refusal(Arm, R"(__asm__ volatile("mrs %0, cntvct_el0" : "=r"(q));)"),
            "inline assembly: what 'mrs' gives is not known when a program is checked");
  EXPECT_EQ(refusal(Power, R"(__asm__ volatile("mftb %0" : "=r"(q));)"),
            "inline assembly: what 'mftb' gives is not known when a program is checked");
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile("" : "=r"(a));)").substr(0, 18), "inline assembly ''");
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile("movl %1,%0" : "=r"(a), "=r"(b));)"),
            "inline assembly: it gives no value for one of its outputs");
}

TEST(Assembly, BitsThatAreNotKnownAreNotUsed) {
  // The upper half of a register with an int is not defined.
  EXPECT_EQ(refusal(X86, R"(__asm__ volatile("movq %q1,%0" : "=m"(y) : "r"(a));)"),
            "inline assembly 'movq %q1,%0': it uses 64 bits of a value that has 32");
  EXPECT_EQ(refusal(Arm, R"(__asm__ volatile("str %x1, %0" : "=Q"(y) : "r"(a));)"),
            "inline assembly 'str %x1, %0': it uses 64 bits of a value that has 32");
  EXPECT_EQ(
      refusal(Power, R"(__asm__ volatile("cmpd %1,%2\n bne 1f\n li %0,0\n1:" : "+r"(q) : "r"(a), "r"(b) : "cc");)"),
      "inline assembly 'cmpd %1,%2 bne 1f li %0,0 1:': it uses 64 bits of a value that has 32");
  // But sums depend on lower bits only.
  EXPECT_EQ(refusal(Power, R"(__asm__ volatile("add %0,%1,%2" : "=r"(a) : "r"(a), "r"(b));)"), "");
  EXPECT_EQ(refusal(Arm, R"(__asm__ volatile("add %0,%1,#4" : "=r"(a) : "r"(b));)"), "");
}

TEST(Assembly, SwitchesForBuiltinsAreHinted) {
  const std::string Text = R"(__asm__ volatile("frobnicate"); )";
  EXPECT_EQ(
      refusal(X86, "ck_pr_frob();", "static void ck_pr_frob(void) { " + Text + "}\n"),
      "inline assembly 'frobnicate': the instruction 'frobnicate' is not modelled; Concurrency Kit has builtins instead "
      "with -DCK_USE_CC_BUILTINS=1");
  EXPECT_EQ(
      refusal(X86, "frob();",
              "# 1 \"/usr/include/urcu/uatomic/x86.h\"\nstatic void frob(void) { " + Text + "}\n# 3 \"/test.c\"\n"),
      "inline assembly 'frobnicate': the instruction 'frobnicate' is not modelled; liburcu has builtins instead with "
      "-DCONFIG_RCU_USE_ATOMIC_BUILTINS");
}

TEST(Assembly, NotesAndCommentsAreLeftOut) {
  const Program P = lowered(X86, R"(int x; int main(void) {
  __asm__ volatile("// a comment; movl\n"
                   ".pushsection .smp_locks,\"a\"\n\t.balign 4\n\t.long 671f - .\n.popsection\n671:\n\t"
                   "lock; incl %0 /* one; more */ # nothing else" : "+m"(x));
  __asm__ volatile("{lock addl %1,%0|lock add %0,%1}" : "+m"(x) : "ir"(2));
  return 0; })");
  EXPECT_EQ(count(P, Opcode::Unsupported), 0u);
  EXPECT_EQ(count(P, Opcode::Rmw), 2u);
}

TEST(Assembly, OutsideOfFunctionsOnlySymbolsAndNotesAreModelled) {
  for (const char *Text : {".symver foo,foo@VERS_1", ".globl main\\n.type main, @function", ".ident \\\"x\\\"",
                           ".section .note.GNU-stack,\\\"\\\",@progbits\\n.long 1\\n.previous"})
    EXPECT_EQ(refusal(X86, "", std::string("__asm__(\"") + Text + "\");\n"), "") << Text;
  EXPECT_EQ(
      refusal(X86, "", "__asm__(\".section .init_array; .quad main\");\n"),
      "inline assembly '.section .init_array; .quad main': outside of functions only symbols and notes are modelled");
  EXPECT_NE(refusal(X86, "", "__asm__(\"helper: ret\");\n"), "");
}

TEST(Assembly, AccessesArePlacedAndNamed) {
  const Program P = lowered(X86, "unsigned flag;\nint main(void) {\n  unsigned old = 1;\n"
                                 "  __asm__ volatile(\"xchgl %0,%1\" : \"+r\"(old), \"+m\"(flag) :: \"memory\");\n"
                                 "  return (int)old;\n}\n");
  const auto At = static_cast<size_t>(&only(P, Opcode::Rmw) - P.Code.data());
  EXPECT_EQ(P.locationOf(static_cast<uint32_t>(At)).Line, 4u);
  EXPECT_EQ(orderOf(P.Code[At]), Order::SeqCst);
  EXPECT_EQ(P.Code[At].Width, 4);
}

TEST(Assembly, EmptyAssemblyHandsItsOperandsThrough) {
  const Program P = lowered(X86, R"(int main(int argc, char **argv) {
  int copy; void *p = argv;
  __asm__ volatile("" : "+r"(argc) :: "memory");
  __asm__("" : "=r"(copy) : "0"(argc));
  __asm__("" : "+r"(p));
  return copy + (p == argv); })");
  EXPECT_EQ(count(P, Opcode::Unsupported), 0u);
}

std::string armLoop(const std::string &Change, const std::string &Load = "ldxr", const std::string &Store = "stxr") {
  return "unsigned x; int main(void) { unsigned old, tmp, new = 5, with = 7;\n__asm__ volatile(\"1: " + Load +
         " %w0, %2\\n" + Change + "\\n " + Store +
         " %w1, %w3, %2\\n cbnz %w1, 1b\\n2:\" : \"=&r\"(old), \"=&r\"(tmp), \"+Q\"(x), \"+&r\"(new) : \"r\"(with) : \"cc\");\n"
         "return (int)old; }";
}

TEST(Assembly, LoopsWithExclusiveAccessesAreUpdates) {
  struct {
    const char *Change;
    RmwOp Op;
  } Cases[] = {{"", RmwOp::Xchg},
               {"add %w3, %w0, %w4", RmwOp::Add},
               {"add %w3, %w4, %w0", RmwOp::Add},
               {"sub %w3, %w0, %w4", RmwOp::Sub},
               {"eor %w3, %w0, #1", RmwOp::Xor},
               {"bic %w3, %w0, %w4", RmwOp::And},
               {"orr %w3, %w0, %w4", RmwOp::Or},
               {"mvn %w3, %w0", RmwOp::Xor}};
  for (const auto &[Change, Op] : Cases) {
    const Program P = lowered(Arm, armLoop(Change));
    EXPECT_EQ(static_cast<RmwOp>(only(P, Opcode::Rmw).C), Op) << Change;
    EXPECT_EQ(count(P, Opcode::Load), 0u) << Change;
    EXPECT_EQ(count(P, Opcode::CmpXchg), 0u) << Change;
    EXPECT_TRUE(P.Loops.empty()) << Change;
  }
  EXPECT_EQ(orderOf(only(lowered(Arm, armLoop("", "ldaxr", "stxr")), Opcode::Rmw)), Order::Acquire);
  EXPECT_EQ(orderOf(only(lowered(Arm, armLoop("", "ldxr", "stlxr")), Opcode::Rmw)), Order::Release);
  EXPECT_EQ(orderOf(only(lowered(Arm, armLoop("", "ldaxr", "stlxr")), Opcode::Rmw)), Order::AcqRel);
}

TEST(Assembly, LoopsWithAWayOutAreCompareAndSwaps) {
  for (const char *Change : {"cmp %w0, %w4\\n b.ne 2f", "cmp %w4, %w0\\n bne 2f", "eor %w1, %w0, %w4\\n cbnz %w1, 2f",
                             "subs %w1, %w0, %w4\\n b.ne 2f"}) {
    const Program P = lowered(Arm, armLoop(Change, "ldaxr", "stlxr"));
    const Instruction &Swap = only(P, Opcode::CmpXchg);
    EXPECT_EQ(orderOf(Swap), Order::AcqRel) << Change;
    EXPECT_EQ(static_cast<Order>(Swap.Imm), Order::Acquire) << Change;
    EXPECT_EQ(P.Constants[~Swap.B], 7u) << Change;
    EXPECT_EQ(P.Constants[~Swap.C], 5u) << Change;
    EXPECT_EQ(count(P, Opcode::Load), 0u) << Change;
    EXPECT_TRUE(P.Loops.empty()) << Change;
  }
}

TEST(Assembly, OtherLoopsCompareAndSwapWhatTheyHaveLoaded) {
  for (const char *Change :
       {"neg %w3, %w0", "cbz %w0, 2f\\n sub %w3, %w0, #1", "add %w3, %w0, %w4\\n and %w3, %w3, #15"}) {
    const Program P = lowered(Arm, armLoop(Change));
    EXPECT_EQ(count(P, Opcode::Unsupported), 0u) << Change;
    EXPECT_EQ(count(P, Opcode::Load), 1u) << Change;
    EXPECT_EQ(count(P, Opcode::CmpXchg), 1u) << Change;
    EXPECT_EQ(P.Loops.size(), 1u) << Change;
  }
}

TEST(Assembly, ExclusiveStoresNeedTheirLoadAndALoop) {
  EXPECT_EQ(
      refusal(Arm, R"(__asm__ volatile("stxr %w0, %w1, %2" : "=&r"(a) : "r"(b), "Q"(x));)"),
      "inline assembly 'stxr %w0, %w1, %2': 'stxr' is modelled only in one statement with the load that belongs to it");
  EXPECT_EQ(refusal(Arm, R"(__asm__ volatile("ldxr %w0, %2\n stxr %w0, %w1, %2" : "=&r"(a) : "r"(b), "Q"(x));)"),
            "inline assembly 'ldxr %w0, %2 stxr %w0, %w1, %2': 'stxr' is modelled only in a loop that tries again "
            "immediately when it has failed");
  EXPECT_EQ(
      refusal(Power, R"(__asm__ volatile("stwcx. %0,0,%1" :: "r"(a), "r"(&x) : "cc");)"),
      "inline assembly 'stwcx. %0,0,%1': 'stwcx.' is modelled only in one statement with the load that belongs to it");
  const std::string Elsewhere =
      R"(__asm__ volatile("1: ldxr %w0, [%2]\n stxr %w1, %w0, [%3]\n cbnz %w1, 1b" : "=&r"(a), "=&r"(b) : "r"(&x), "r"(&y));)";
  EXPECT_NE(refusal(Arm, Elsewhere).find("stores to another place"), std::string::npos) << refusal(Arm, Elsewhere);
  // A load alone waits for events, or only reads.
  EXPECT_EQ(refusal(Arm, R"(__asm__ volatile("ldaxr %w0, %1" : "=r"(a) : "Q"(x)); __asm__ volatile("wfe");)"), "");
}

std::string powerLoop(const std::string &Before, const std::string &After) {
  return "unsigned x; int main(void) { unsigned old, with = 7;\n__asm__ volatile(\"" + Before +
         "1: lwarx %0,0,%1\\n stwcx. %2,0,%1\\n bne- 1b\\n" + After +
         "\" : \"=&r\"(old) : \"r\"(&x), \"r\"(with) : \"memory\", \"cc\"); return (int)old; }";
}

TEST(Assembly, BarriersAroundLoopsOfPowerStay) {
  const Program Both = lowered(Power, powerLoop("lwsync\\n", "sync\\n"));
  EXPECT_EQ(orderOf(only(Both, Opcode::Rmw)), Order::Relaxed);
  EXPECT_EQ(count(Both, Opcode::Fence), 2u);
  // The jump and isync are what an acquiring update has.
  const Program Acquires = lowered(Power, powerLoop("", "isync\\n"));
  EXPECT_EQ(orderOf(only(Acquires, Opcode::Rmw)), Order::Acquire);
  EXPECT_EQ(static_cast<FenceKind>(only(Acquires, Opcode::Fence).C), FenceKind::ISync);
}

TEST(Assembly, ArmsInstructionsAreToldApart) {
  const std::string Before = "unsigned x; int main(void) { unsigned a = 1;\n__asm__ volatile(\"",
                    After = "\" : \"+r\"(a), \"+Q\"(x)); return (int)a; }";
  for (const std::vector<std::string> &Flags : {std::vector<std::string>{}, {"-fpicket-arm-march=armv8.1-a"}}) {
    EXPECT_EQ(orderOf(only(lowered(Arm, Before + "ldapr %w0, %1" + After, Flags), Opcode::Load)), Order::AcquirePC);
    EXPECT_EQ(orderOf(only(lowered(Arm, Before + "ldar %w0, %1" + After, Flags), Opcode::Load)), Order::SeqCst);
    EXPECT_EQ(orderOf(only(lowered(Arm, Before + "stlr %w0, %1" + After, Flags), Opcode::Store)), Order::Release);
  }
  const Program Discards = lowered(Arm, Before + "stadd %w0, %1" + After);
  EXPECT_TRUE(only(Discards, Opcode::Rmw).Flags & ResultUnused);
  const Program ToZero = lowered(Arm, Before + "ldaddal %w0, wzr, %1" + After);
  EXPECT_TRUE(only(ToZero, Opcode::Rmw).Flags & ResultUnused);
  EXPECT_EQ(orderOf(only(ToZero, Opcode::Rmw)), Order::Release);
  // What a flag says of C counts for assembly only where assembly says the same.
  const std::string Single = Before + "ldaddal %w0, %w0, %1" + After;
  EXPECT_EQ(lowered(Arm, Single, {"-fpicket-arm-march=armv8.1-a"}).Arm.Updates, ArmUpdates::Single);
  EXPECT_EQ(lowered(Arm, Single, {"-fpicket-arm-march=armv8-a"}).Arm.Updates, ArmUpdates::Any);
  EXPECT_EQ(lowered(Arm, armLoop(""), {"-fpicket-arm-march=armv8-a"}).Arm.Updates, ArmUpdates::Exclusive);
  EXPECT_EQ(lowered(Arm, armLoop(""), {"-fpicket-arm-march=armv8.1-a"}).Arm.Updates, ArmUpdates::Any);
}

TEST(Assembly, TextsAreToldWhichProcessorTheyAreCompiledFor) {
  const std::string Text = R"(
#ifdef __ARM_FEATURE_ATOMICS
int x;
int main(void) { return x; }
#else
int main(void) { return 0; }
#endif
)";
  EXPECT_EQ(lowered(Arm, Text, {"-fpicket-arm-march=armv8.1-a"}).Globals.size(), 1u);
  EXPECT_EQ(lowered(Arm, Text, {"-fpicket-arm-march=armv8.3-a"}).Globals.size(), 1u);
  EXPECT_TRUE(lowered(Arm, Text, {"-fpicket-arm-march=armv8-a"}).Globals.empty());
  EXPECT_TRUE(lowered(X86, Text, {"-fpicket-arm-march=armv8.1-a"}).Globals.empty());
}

TEST(Assembly, AccessesOfInstructionsAreNoDataRaces) { // compilers do not see them
  const std::string Text = R"(#include <pthread.h>
int x;
void *f(void *p) { __asm__ volatile("movl %1,%0" : "=m"(x) : "r"(1) : "memory"); return p; }
int main(void) {
  pthread_t t;
  int r;
  pthread_create(&t, 0, f, 0);
  READ;
  pthread_join(t, 0);
  return r;
}
)";
  CheckOptions Options;
  Options.Models = {MemoryModel::C11};
  auto Check = [&](const std::string &Read) {
    return checkText("#define READ " + Read + "\n" + Text, Options).Models.front().Result;
  };
  EXPECT_EQ(Check("__asm__ volatile(\"movl %1,%0\" : \"=r\"(r) : \"m\"(x))"), Verdict::Verified);
  EXPECT_EQ(Check("r = x"), Verdict::Violation);
}

TEST(Assembly, FencesAreReadFromTextAsItIsWritten) {
  EXPECT_EQ(readWrittenBarriers("lock; addl $0,0(%%rsp)"), std::vector<FenceKind>{FenceKind::Full});
  EXPECT_EQ(readWrittenBarriers("lock orq $0x0, -8(%%rsp)"), std::vector<FenceKind>{FenceKind::Full});
  EXPECT_EQ(readBarriers("lock; addl $$0,0(%rsp)"), std::vector<FenceKind>{FenceKind::Full});
  EXPECT_EQ(readBarriers("lock; addl $$0,$0"), std::nullopt); // changes an operand
  EXPECT_EQ(readBarriers("dsb ishst"), std::vector<FenceKind>{FenceKind::DsbSt});
  EXPECT_EQ(readBarriers("prefetcht0 $0"), std::vector<FenceKind>{});
  EXPECT_EQ(readBarriers("or 1, 1, 1; or 2, 2, 2;"), std::vector<FenceKind>{});
}

/// Mutual exclusion with a lock in the style of a library.
void expectLock(Architecture For, MemoryModel Model, const std::string &Lock, bool Works) {
  const Program P = lowered(
      For, "#include <pthread.h>\nvoid __VERIFIER_assert(int);\nunsigned lock; int inside, total;\n" + Lock + R"(
static void critical(void) { acquire(&lock); inside++; __VERIFIER_assert(inside == 1); total++; inside--; release(&lock); }
static void *other(void *unused) { critical(); return unused; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  critical();
  pthread_join(t, 0);
  __VERIFIER_assert(total == 2);
  return 0;
})");
  if (For == X86 && Model != MemoryModel::C11) {
    const ExplorationResult R = explore(P, Model, 8);
    EXPECT_EQ(R.Reason, "") << Lock;
    EXPECT_EQ(R.Ended == ExplorationEnd::End::Everything, true);
    struct Bugs : ExplorationObserver {
      bool Any = false;
      void ended(Execution &, Ending How) override { Any |= How == Ending::Buggy; }
    } Found;
    exploreOptimally(P, exhaustively(Model, 8), Found);
    EXPECT_EQ(!Found.Any, Works) << Lock;
    return;
  }
  const Explored E = exploreGraphsOf(P, Model);
  EXPECT_EQ(E.Result.Reason, "") << Lock;
  EXPECT_EQ(E.Bugs.empty(), Works) << Lock;
}

TEST(Assembly, LocksInAssemblyOfX86) {
  const std::string Release =
      "static void release(unsigned *l) { __asm__ volatile(\"movl $0,%0\" : \"=m\"(*l) :: \"memory\"); }\n";
  const std::string Exchange = R"(static void acquire(unsigned *l) {
  unsigned one;
  do { one = 1; __asm__ volatile("xchgl %0,%1" : "+q"(one), "+m"(*l) :: "memory"); } while (one);
})";
  // The whole lock in one statement, with a loop in a loop.
  const std::string Waits = R"(static void acquire(unsigned *l) {
  unsigned one = 1;
  __asm__ volatile("1: xchgl %0,%1\n\ttestl %0,%0\n\tjz 3f\n2: pause\n\tcmpl $0,%1\n\tjnz 2b\n\tmovl $1,%0\n\tjmp 1b\n3:"
                   : "+q"(one), "+m"(*l) :: "memory", "cc");
})";
  const std::string Bit = R"(static void acquire(unsigned *l) {
  for (;;) { _Bool was; __asm__ volatile("lock; btsl $3,%0" : "+m"(*l), "=@ccc"(was) :: "memory"); if (!was) break; }
})";
  const std::string Broken = R"(static void acquire(unsigned *l) {
  unsigned seen;
  do __asm__ volatile("movl %1,%0" : "=r"(seen) : "m"(*l)); while (seen);
  __asm__ volatile("incl %0" : "+m"(*l));
})";
  for (MemoryModel Model : AllModels) {
    expectLock(X86, Model, Release + Exchange, Model != MemoryModel::PSO);
    expectLock(X86, Model, Release + Waits, Model != MemoryModel::PSO);
    expectLock(X86, Model, Release + Bit, Model != MemoryModel::PSO);
    expectLock(X86, Model, Release + Broken, false);
  }
}

TEST(Assembly, LocksInAssemblyOfArm) {
  const std::string Release =
      "static void release(unsigned *l) { __asm__ volatile(\"stlr wzr, %0\" : \"=Q\"(*l) :: \"memory\"); }\n";
  const std::string Plain =
      "static void release(unsigned *l) { __asm__ volatile(\"str wzr, %0\" : \"=Q\"(*l) :: \"memory\"); }\n";
  auto Swap = [](const std::string &Mnemonic) {
    return R"(static void acquire(unsigned *l) {
  unsigned old;
  do __asm__ volatile(")" +
           Mnemonic + R"( %w2, %w0, %1" : "=r"(old), "+Q"(*l) : "r"(1) : "memory"); while (old);
})";
  };
  const std::string Exclusive = R"(static void acquire(unsigned *l) {
  unsigned old, failed;
  __asm__ volatile("sevl\n1: wfe\n2: ldaxr %w0, %2\n cbnz %w0, 1b\n stxr %w1, %w3, %2\n cbnz %w1, 2b"
                   : "=&r"(old), "=&r"(failed), "+Q"(*l) : "r"(1) : "memory");
})";
  expectLock(Arm, MemoryModel::Armv8, Release + Swap("swpa"), true);
  expectLock(Arm, MemoryModel::Armv8, Release + Exclusive, true);
  expectLock(Arm, MemoryModel::Armv8, Release + Swap("swp"), false);
  expectLock(Arm, MemoryModel::Armv8, Plain + Swap("swpa"), false);
}

TEST(Assembly, LocksInAssemblyOfPower) {
  auto Release = [](const std::string &Barrier) {
    return "static void release(unsigned *l) { __asm__ volatile(\"" + Barrier +
           "stw %1,0(%0)\" :: \"b\"(l), \"r\"(0) : \"memory\"); }\n";
  };
  auto Acquire = [](const std::string &Barrier) {
    return R"(static void acquire(unsigned *l) {
  unsigned old;
  __asm__ volatile("1: lwarx %0,0,%1\n cmpwi 0,%0,0\n bne- 1b\n stwcx. %2,0,%1\n bne- 1b\n)" +
           Barrier + R"("
                   : "=&r"(old) : "r"(l), "r"(1) : "memory", "cc");
})";
  };
  expectLock(Power, MemoryModel::Power, Release("lwsync\\n ") + Acquire("isync"), true);
  expectLock(Power, MemoryModel::Power, Release("lwsync\\n ") + Acquire("lwsync"), true);
  expectLock(Power, MemoryModel::Power, Release("lwsync\\n ") + Acquire(""), false);
  expectLock(Power, MemoryModel::Power, Release("") + Acquire("lwsync"), false);
}

} // namespace
} // namespace picket
