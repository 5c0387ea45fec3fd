// Litmus text to bytecode: what is read, what is refused, and that nothing is simplified away.
#include "support/Litmus.h"

namespace picket {
namespace {

const std::string MessagePassing = R"(PPC MP+lwsync+addr
"LwSyncdWW Rfe DpAddrdR Fre"
Cycle=Rfe DpAddrdR Fre LwSyncdWW
(* a comment {
   over two lines *)
{
0:r2=x; 0:r4=y;
int x=3;
1:r2=y; 1:r5=x; 1:r10=-1;
}
 P0           | P1            ;
 li r1,1      | lwz r1,0(r2)  ;
 stw r1,0(r2) | xor r3,r1,r1  ;
 lwsync       | lwzx r4,r3,r5 ;
 stw r1,0(r4) |               ;
locations [x; 1:r10; 1:r1;]
exists (1:r1=1 /\ 1:r4=0)
)";

LitmusTest readCode(const char *Architecture, const std::vector<std::string> &Code, const std::string &Condition,
                    const std::string &Initial = "") {
  return readTest(oneThread(Architecture, Code, Condition, Initial));
}

TEST(LitmusReader, ReadsAllPartsOfATest) {
  LitmusTest Test = readTest(MessagePassing);
  EXPECT_EQ(Test.Name, "MP+lwsync+addr");
  EXPECT_EQ(Test.Architecture, LitmusArchitecture::PPC);
  EXPECT_EQ(Test.Quantifier, LitmusQuantifier::Exists);
  EXPECT_EQ(Test.ConditionText, "exists (1:r1=1 /\\ 1:r4=0)");
  EXPECT_EQ(Test.Registers.size(), 2u);
  EXPECT_TRUE(Test.Registers[1].count("r10"));
  EXPECT_FALSE(Test.UsesReservations);
  ASSERT_EQ(Test.Code.Functions.size(), 3u);
  EXPECT_EQ(Test.Code.Functions[1].Name, "P0");
}

TEST(LitmusReader, ObservesWhatTheConditionAndTheLocationsName) {
  LitmusTest Test = readTest(MessagePassing);
  std::vector<std::string> Names;
  for (const LitmusItem &Item : Test.Observed)
    Names.push_back(Item.Name);
  EXPECT_EQ(Names, (std::vector<std::string>{"1:r1", "1:r4", "1:r10", "x"}));
  EXPECT_EQ(Test.Observed[0].Index, Test.Registers[1].at("r1"));
  EXPECT_TRUE(Test.Condition.holdsIn({1, 0, 0, 0}));
  EXPECT_FALSE(Test.Condition.holdsIn({1, 1, 0, 0}));
}

TEST(LitmusReader, LocationsAreGlobalsWithTheirInitialValues) {
  LitmusTest Test = readTest(MessagePassing);
  ASSERT_EQ(Test.Locations.size(), 2u);
  const size_t X = Test.Locations[0] == "x" ? 0 : 1;
  EXPECT_EQ(Test.Code.Globals[X].Name, "x");
  EXPECT_EQ(Test.Code.Globals[X].Initial, (std::vector<uint8_t>{3, 0, 0, 0}));
  EXPECT_EQ(Test.Code.Globals[1 - X].Initial, (std::vector<uint8_t>{0, 0, 0, 0}));
}

TEST(LitmusReader, KnowsTheLineOfEveryInstruction) {
  LitmusTest Test = readTest(MessagePassing);
  for (uint32_t Pc = 0; Pc < Test.Code.Code.size(); ++Pc) {
    if (Test.Code.Code[Pc].Op == Opcode::Fence) {
      EXPECT_EQ(Test.Code.locationOf(Pc).Line, 14u);
    }
  }
}

TEST(LitmusReader, ARegisterThatCancelsItselfStaysADependency) {
  LitmusTest Test = readTest(MessagePassing);
  const auto Code = codeOf(Test, 1);
  const auto &Registers = Test.Registers[1];
  const auto R1 = static_cast<int32_t>(Registers.at("r1")), R3 = static_cast<int32_t>(Registers.at("r3"));
  const Instruction &Xor = only(Code, Opcode::Xor);
  EXPECT_EQ(Xor.A, R1);
  EXPECT_EQ(Xor.B, R1);
  EXPECT_EQ(Xor.Dst, R3);
  const Instruction &Sum = only(Code, Opcode::Add);
  EXPECT_EQ(Sum.A, R3);
  EXPECT_EQ(Code[static_cast<size_t>(&Sum - Code.data()) + 1].A, Sum.Dst) << "the address of the load";
}

TEST(LitmusReader, ABranchToTheNextInstructionStaysADependency) {
  LitmusTest Test =
      readCode("PPC", {"lwz r1,0(r2)", "cmpw r1,r1", "beq LC00", "LC00:", "li r3,1"}, "exists (0:r1=0)", "0:r2=x;");
  const auto Code = codeOf(Test, 0);
  const auto R1 = static_cast<int32_t>(Test.Registers[0].at("r1"));
  const Instruction &Equal = only(Code, Opcode::Eq);
  EXPECT_EQ(Equal.A, R1);
  EXPECT_EQ(Equal.B, R1);
  const Instruction &Branch = only(Code, Opcode::CondJump);
  EXPECT_EQ(Branch.A, Equal.Dst);
  EXPECT_EQ(Branch.B, Branch.C);
}

TEST(LitmusReader, FencesKeepTheirKinds) {
  using K = FenceKind;
  EXPECT_EQ(fencesOf(readCode("PPC", {"sync", "lwsync", "isync", "eieio"}, "exists (x=0)")),
            (std::vector<K>{K::Full, K::LwSync, K::ISync, K::StoreStore}));
  EXPECT_EQ(fencesOf(readCode("X86", {"MFENCE", "sfence", "LFENCE"}, "exists (x=0)")),
            (std::vector<K>{K::Full, K::StoreStore, K::Acquire}));
}

TEST(LitmusReader, ReservationsHaveTheirOwnInstructions) {
  LitmusTest Test =
      readCode("PPC", {"lwarx r4,r0,r3", "stwcx. r5,r0,r3", "bne End0", "End0:"}, "exists (0:r4=0)", "0:r3=x; 0:r5=1;");
  EXPECT_TRUE(Test.UsesReservations);
  const auto Code = codeOf(Test, 0);
  const auto R3 = static_cast<int32_t>(Test.Registers[0].at("r3"));
  EXPECT_EQ(only(Code, Opcode::LoadReserve).A, R3) << "r0 as a base is zero";
  EXPECT_EQ(only(Code, Opcode::StoreConditional).A, R3);
  EXPECT_EQ(only(Code, Opcode::CondJump).A, only(Code, Opcode::StoreConditional).Dst);
  EXPECT_NE(toString(Test.Code).find("StoreConditional.4"), std::string::npos);
  EXPECT_NE(toString(Test.Code).find("LoadReserve.4"), std::string::npos);
}

TEST(LitmusReader, ExchangesAreSequentiallyConsistent) {
  LitmusTest Test = readCode("X86", {"MOV EAX,$1", "XCHG [x],EAX"}, "exists (0:EAX=0)");
  const auto Code = codeOf(Test, 0);
  EXPECT_EQ(only(Code, Opcode::Rmw).Flags & OrderMask, static_cast<uint8_t>(Order::SeqCst));
}

TEST(LitmusReader, UnknownInstructionsAreRefusedByName) {
  LitmusReading Reading = readLitmus("PPC t\n{}\n P0 ;\n li r1,1 ;\n dcbz r1,r2 ;\nexists (x=0)\n", "t");
  EXPECT_FALSE(Reading.Test);
  EXPECT_EQ(Reading.Problem, "not supported: 'dcbz' (line 5)");
  EXPECT_EQ(Reading.Line, 5u);
  EXPECT_TRUE(Reading.Unsupported);
  EXPECT_EQ(problemOf("X86 t\n{}\n P0 ;\n LOCK NOT [x] ;\nexists (x=0)\n"), "not supported: 'LOCK NOT' (line 4)");
  EXPECT_EQ(problemOf("X86 t\n{}\n P0 ;\n MOV EAX,[x+4] ;\nexists (x=0)\n"), "not supported: '[x+4]' (line 4)");
  EXPECT_EQ(problemOf("X86 t\n{}\n P0 ;\n CMPXCHG [x],EAX ;\nexists (x=0)\n"), "not supported: 'CMPXCHG' (line 4)");
  EXPECT_EQ(problemOf("RISCV t\n{}\n P0 ;\nexists (x=0)\n"), "not supported: 'RISCV' (line 1)");
  EXPECT_EQ(problemOf("PPC t\n{uint64_t x=1;}\n P0 ;\n nop ;\nexists (x=0)\n"),
            "not supported: '64 bits at x' (line 2)");
  EXPECT_EQ(problemOf("PPC t\n{int64_t 0:r1=1;}\n P0 ;\n nop ;\nexists (x=0)\n"),
            "not supported: '64 bits of r1' (line 2)");
  EXPECT_EQ(problemOf("PPC t\n{uint8_t x=1;}\n P0 ;\n nop ;\nexists (x=0)\n"), "not supported: 'uint8_t' (line 2)");
  EXPECT_EQ(problemOf("PPC t\n{int x[2];}\n P0 ;\n nop ;\nexists (x=0)\n"), "not supported: 'arrays' (line 2)");
}

TEST(LitmusReader, MistakesGetASentenceWithTheirLine) {
  auto Ppc = [](const std::string &Code, const std::string &Condition = "exists (x=0)") {
    return problemOf("PPC t\n{0:r2=x;}\n P0 ;\n" + Code + "\n" + Condition + "\n");
  };
  EXPECT_EQ(problemOf(""), "a litmus test begins with an architecture and a name (line 1)");
  EXPECT_EQ(problemOf("PPC\n{}"), "the test has no name (line 1)");
  EXPECT_EQ(problemOf("PPC t\n"), "the test has no initial state in braces (line 2)");
  EXPECT_EQ(problemOf("PPC t\n{ (* }\n"), "the comment that begins here has no end (line 2)");
  EXPECT_EQ(problemOf("PPC t\n{x=1}\n P1 ;\n"), "'P0' is expected here, not 'P1' (line 3)");
  EXPECT_EQ(problemOf("PPC t\n{1:r1=1}\n P0 ;\n"), "there is no thread 1 (line 2)");
  EXPECT_EQ(problemOf("PPC t\n{x=1; x=2}\n P0 ;\n"), "'x' has two initial values (line 2)");
  EXPECT_EQ(problemOf("PPC t\n{0:r99=1}\n P0 ;\n"), "'r99' is no register (line 2)");
  EXPECT_EQ(problemOf("PPC t\n{x=99999999999}\n P0 ;\n"), "the number '99999999999' needs more than 32 bits (line 2)");
  EXPECT_EQ(Ppc(" li r1,1"), "the line of code has no ';' at its end (line 4)");
  EXPECT_EQ(Ppc(" li r1,1 ;", ""), "the test has no condition (exists, ~exists or forall) (line 6)");
  EXPECT_EQ(Ppc(" li r1,1 | li r1,1 ;"), "the line has code for 2 threads, not for 1 (line 4)");
  EXPECT_EQ(Ppc(" li r1 ;"), "'li' takes 2 operands, not 1 (line 4)");
  EXPECT_EQ(Ppc(" li r1,x ;"), "'x' is not a number (line 4)");
  EXPECT_EQ(Ppc(" li r1, ;"), "an operand is missing after the comma (line 4)");
  EXPECT_EQ(Ppc(" lwz r1,r2 ;"), "'r2' is no address of the form offset(register) (line 4)");
  EXPECT_EQ(Ppc(" mr r1,EAX ;"), "'EAX' is no register (line 4)");
  EXPECT_EQ(Ppc(" b L ;"), "the thread has no label 'L' (line 4)");
  EXPECT_EQ(Ppc(" L: ;\n L: ;"), "the label 'L' stands twice in the thread (line 5)");
  EXPECT_EQ(Ppc(" nop ;", "exists (x=0"), "')' is expected in the condition, but the text ends (line 6)");
  EXPECT_EQ(Ppc(" nop ;", "exists (x)"), "'=' is expected in the condition, not ')' (line 5)");
  EXPECT_EQ(Ppc(" nop ;", "exists (3:r1=0)"), "there is no thread 3 (line 5)");
  EXPECT_EQ(Ppc(" nop ;", "exists (x=0) y"), "the text goes on after the condition: 'y' (line 5)");
  EXPECT_EQ(Ppc(" nop ;", "exists " + std::string(100'000, '(')), "the condition is nested too deeply (line 5)");
  EXPECT_EQ(Ppc(" nop ;", "exists " + std::string(100'000, '~')), "the condition is nested too deeply (line 5)");
}

TEST(LitmusReader, ConditionsFollowTheUsualPrecedence) {
  auto Holds = [](const std::string &Condition, LitmusState XYZ) {
    LitmusTest Test = readCode("X86", {"NOP"}, "locations [x; y; z;]\nforall " + Condition);
    return Test.Condition.holdsIn(XYZ);
  };
  EXPECT_TRUE(Holds("x=1 \\/ y=1 /\\ z=1", {1, 0, 0}));
  EXPECT_FALSE(Holds("(x=1 \\/ y=1) /\\ z=1", {1, 0, 0}));
  EXPECT_TRUE(Holds("x=1 => y=1 => z=1", {1, 0, 0}));
  EXPECT_FALSE(Holds("(x=0 => y=1) => z=1", {1, 0, 0}));
  EXPECT_TRUE(Holds("not x=0 /\\ ~[y]=1", {1, 0, 0}));
  EXPECT_TRUE(Holds("x!=0 /\\ y<>1 /\\ true", {1, 0, 0}));
  EXPECT_FALSE(Holds("false \\/ x=-1", {1, 0, 0}));
  EXPECT_TRUE(Holds("x=0xffffffff", {-1, 0, 0}));
}

TEST(LitmusReader, QuantifiersAreRead) {
  auto Of = [](const char *Condition) { return readCode("X86", {"NOP"}, Condition).Quantifier; };
  EXPECT_EQ(Of("exists x=0"), LitmusQuantifier::Exists);
  EXPECT_EQ(Of("~exists (x=0)"), LitmusQuantifier::NotExists);
  EXPECT_EQ(Of("~ exists (x=0)"), LitmusQuantifier::NotExists);
  EXPECT_EQ(Of("not exists (x=0)"), LitmusQuantifier::NotExists);
  EXPECT_EQ(Of("forall (x=0)"), LitmusQuantifier::Forall);
}

TEST(LitmusReader, OlderFormsOfConditionsAreRead) {
  auto Read = [](const char *Condition) { return readCode("X86", {"NOP"}, Condition); };
  EXPECT_EQ(Read("final (x=0)").Quantifier, LitmusQuantifier::Exists);
  EXPECT_EQ(Read("(x=0)").Quantifier, LitmusQuantifier::Exists);
  EXPECT_EQ(Read("exists (x=0);").ConditionText, "exists (x=0)");
  EXPECT_EQ(Read("final (x=0) with SC: ~exists; Power: exists; TSO: forall").ConditionText, "final (x=0)");
  EXPECT_TRUE(Read("exists (x==0)").Condition.holdsIn({0}));
  EXPECT_EQ(problemOf(oneThread("X86", {"NOP"}, "final (x=0) with 7")),
            "the name of a model is expected after 'with' (line 5)");
  EXPECT_EQ(problemOf(oneThread("X86", {"NOP"}, "final (x=0) with SC ~exists")),
            "':' is expected after the name of a model, not '~exists' (line 5)");
  EXPECT_EQ(problemOf(oneThread("X86", {"NOP"}, "final (x=0) with SC: often")),
            "exists, ~exists or forall is expected here (line 5)");
}

TEST(LitmusReader, WithoutAConditionTheStatesAreAsked) {
  LitmusTest Test = readCode("X86", {"MOV [x],$1"}, "locations [x; 0:EAX;]");
  EXPECT_EQ(Test.Quantifier, LitmusQuantifier::Forall);
  EXPECT_EQ(Test.ConditionText, "forall true");
  EXPECT_EQ(Test.Observed.size(), 2u);
  EXPECT_EQ(problemOf(oneThread("X86", {"NOP"}, "locations []")),
            "a condition is expected here: exists, ~exists or forall (line 6)");
}

TEST(LitmusReader, ThreadsOfRegistersMayHaveTheirNames) {
  LitmusTest Test = readCode("X86", {"MOV [x],EAX"}, "exists (P0:EAX=7 /\\ x=7)", "P0:EAX=7;");
  EXPECT_EQ(Test.Observed[0].Name, "0:EAX");
  EXPECT_TRUE(runLitmus(Test, MemoryModel::SC).Holds);
  EXPECT_EQ(problemOf(oneThread("X86", {"NOP"}, "exists (x=0)", "P1:EAX=7;")), "there is no thread 1 (line 2)");
  EXPECT_EQ(problemOf(oneThread("X86", {"NOP"}, "exists (Q:EAX=0)")),
            "a thread is expected before ':', as 0 or P0, not 'Q' (line 5)");
}

TEST(LitmusReader, AnyTextGetsAnAnswer) { expectAnswersToDamage(MessagePassing, 20'000); }

} // namespace
} // namespace picket
