// Litmus tests in X86_64, in AT&T's spelling and in Intel's.
#include "support/Litmus.h"

namespace picket {
namespace {

std::string state(const std::vector<std::string> &Code, const std::string &Observed, const std::string &Initial = "",
                  MemoryModel M = MemoryModel::SC) {
  return stateOf("X86_64", Code, Observed, Initial, M);
}

std::string problem(const std::string &Code, const std::string &Initial = "") {
  return problemOf(oneThread("X86_64", {Code}, "exists (x=0)", Initial));
}

TEST(LitmusX86Wide, BothSpellingsAreRead) {
  for (const char *Code : {"movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax",
                           "movq $1,(x) | movq $1,(y) ;\n movq (y),%rax | movq (x),%rax",
                           "mov dword ptr [x],1 | mov [y],1 ;\n mov eax,[y] | MOV EAX,DWORD PTR [x]"}) {
    const std::string Text = std::string("X86_64 SB\n{}\n P0 | P1 ;\n ") + Code + " ;\nexists (0:rax=0 /\\ 1:EAX=0)\n";
    EXPECT_FALSE(runTest(Text).Holds) << Code;
    EXPECT_EQ(runTest(Text).States.size(), 3u) << Code;
    EXPECT_TRUE(runTest(Text, MemoryModel::TSO).Holds) << Code;
  }
  EXPECT_EQ(problem("movl $1,%rax"), "the operands of 'movl' have different sizes (line 4)");
  EXPECT_EQ(problem("movb $1,(x)"), "not supported: 'movb' (line 4)");
  EXPECT_EQ(problem("movl %eax,$1"), "'movl' cannot write to a number (line 4)");
  EXPECT_EQ(problem("movl (x),(y)"), "'movl' cannot have two operands in memory (line 4)");
  EXPECT_EQ(problem("movl $one,(y)"), "'$one' is no register, number or [location] (line 4)");
  EXPECT_EQ(problem("movl $1"), "'movl' takes 2 operands, not 1 (line 4)");
}

TEST(LitmusX86Wide, ThirtyTwoBitsAreZeroExtended) {
  EXPECT_EQ(state({"movq $-1,%rax", "movl %eax,%ebx", "movl $-1,%ecx", "movq %rbx,(x)"}, "0:rax; 0:rcx; x;"),
            "0:rax=-1; 0:rcx=-1; x=4294967295;");
  EXPECT_EQ(state({"addq %rbx,%rax", "incl %ecx"}, "0:rax; 0:rcx;", "0:rax=0xffffffff; 0:rbx=1; 0:rcx=0xffffffff;"),
            "0:rax=4294967296; 0:rcx=0;");
}

TEST(LitmusX86Wide, SixtyFourBitsAreAccessedAndShown) {
  EXPECT_EQ(state({"movq %rbx,(x)"}, "x;", "uint64_t x; 0:RBX=0x202020202020202;"), "x=144680345676153346;");
  EXPECT_EQ(state({"movq (%r8),%r9", "movl 4(%r8),%r10d"}, "0:r9; 0:r10;", "0:r8=x; int64_t x=0x300000005;"),
            "0:r9=12884901893; 0:r10=3;");
  EXPECT_EQ(problem("movq (%eax),%rbx"), "an address has 64 bits: '(%eax)' should name registers of 64 bits (line 4)");
}

TEST(LitmusX86Wide, AddressesHaveManyForms) {
  const std::string Initial = "0:rbx=x; 0:rcx=1; int64_t x=0x700000005;";
  EXPECT_EQ(state({"movl (%rbx,%rcx,4),%eax", "movl x(%rip),%edx", "movl 4(x),%esi", "movl (%rbx),%edi"},
                  "0:rax; 0:rdx; 0:rsi; 0:rdi;", Initial),
            "0:rax=7; 0:rdi=5; 0:rdx=5; 0:rsi=7;");
  EXPECT_EQ(state({"mov eax,[rbx+rcx*4]", "mov edx,[rip+x]", "mov esi,[x+4]", "mov edi,[rbx+8-4]"},
                  "0:rax; 0:rdx; 0:rsi; 0:rdi;", Initial),
            "0:rax=7; 0:rdi=7; 0:rdx=5; 0:rsi=7;");
  EXPECT_EQ(problem("movl (%rbx,%rcx,3),%eax"), "an index is scaled by 1, 2, 4 or 8, not by '3' (line 4)");
  EXPECT_EQ(problem("mov eax,[x+y]"), "not supported: '[x+y]' (line 4)");
  EXPECT_EQ(problem("movl (%rbx,%rcx,1,1),%eax"), "not supported: '(%rbx,%rcx,1,1)' (line 4)");
}

TEST(LitmusX86Wide, LockedInstructionsAreAtomic) {
  EXPECT_EQ(state({"lock xaddq %rax,(x)", "xchgl %ebx,(y)", "lock addl $2,(z)", "lock incq (x)"},
                  "0:rax; 0:rbx; x; y; z;", "0:rax=5; 0:rbx=3; int64_t x=1;"),
            "0:rax=1; 0:rbx=0; x=7; y=3; z=2;");
  EXPECT_EQ(
      state({"lock cmpxchgl %ebx,(x)", "jne L", "movl $1,%ecx", "L:"}, "0:rax; 0:rcx; x;", "0:rbx=9; 0:rax=4; x=4;"),
      "0:rax=4; 0:rcx=1; x=9;");
  EXPECT_EQ(state({"lock cmpxchg [x],ebx", "jne L", "mov ecx,1", "L: ret"}, "0:rax; 0:rcx; x;", "0:rbx=9; x=4;"),
            "0:rax=4; 0:rcx=0; x=4;");
  const std::string Text = oneThread("X86_64", {"lock xaddl %eax,(x)", "xchgl (y),%ebx"}, "exists (x=0)");
  for (const Instruction &I : allOf(codeOf(readTest(Text), 0), Opcode::Rmw))
    EXPECT_EQ(orderOf(I), Order::SeqCst);
  EXPECT_EQ(problem("lock movl $1,(x)"), "not supported: 'lock movl' (line 4)");
  EXPECT_EQ(problem("lock addl $1,%eax"), "'lock addl' needs memory as its first operand (line 4)");
  EXPECT_EQ(problem("lock xaddl $1,(x)"), "'lock xaddl' needs a register as its second operand (line 4)");
}

TEST(LitmusX86Wide, ComparisonsHaveTheWidthOfTheirOperands) {
  for (auto [Compare, Taken] : {std::pair{"cmpl $-1,%eax", "1"}, {"cmpq $-1,%rax", "0"}, {"cmp eax,-1", "1"}})
    EXPECT_EQ(state({Compare, "jne L", "movl $1,%ebx", "L:"}, "0:rbx;", "0:rax=0xffffffff;"),
              "0:rbx=" + std::string(Taken) + ";")
        << Compare;
  EXPECT_EQ(state({"cmpl $2,%eax", "jl L", "movl $1,%ebx", "L:"}, "0:rbx;", "0:rax=-1;"), "0:rbx=0;");
  EXPECT_EQ(state({"testl %eax,%eax", "je L", "movl $1,%ebx", "L:"}, "0:rbx;", "0:rax=0x100000000;"), "0:rbx=0;");
}

TEST(LitmusX86Wide, PointersInMemoryAreFollowed) {
  EXPECT_EQ(state({"movq (p),%rax", "movl $3,(%rax)", "movq %rbx,(p)"}, "0:rax; p; x;", "p=x; 0:rbx=y;"),
            "0:rax=x; p=y; x=3;");
}

TEST(LitmusX86Wide, AnyTextGetsAnAnswer) {
  expectAnswersToDamage(R"(X86_64 SB
{ 0:rbx=x; int64_t y=1; uint64_t 1:rcx; %P1:rdx=y; }
 P0                       | P1                 ;
 movq $1,(x)              | mov dword ptr [y],1 ;
 L: movl 4(%rbx,%rcx,2),%eax | mov rax,[rip+x]  ;
 lock cmpxchgq %r8,x(%rip) | xchg [rdx+8],r9d  ;
 jne L                    | mfence             ;
exists (0:rax=0 /\ 1:r9=0x1ffffffff)
)",
                        10'000);
}

} // namespace
} // namespace picket
