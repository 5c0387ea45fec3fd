// Litmus text to bytecode: what is read, what is refused, and that nothing is simplified away.
#include "litmus/LitmusReader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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

LitmusTest read(const std::string &Text) {
  LitmusReading Reading = readLitmus(Text, "test.litmus");
  EXPECT_TRUE(Reading.Test) << Reading.Problem;
  return Reading.Test ? std::move(*Reading.Test) : LitmusTest();
}

/// A test with one thread and this code, one instruction per line.
LitmusTest readCode(const char *Architecture, std::vector<std::string> Code, const std::string &Condition,
                    const std::string &Initial = "") {
  std::string Text = std::string(Architecture) + " test\n{" + Initial + "}\nP0 ;\n";
  for (const std::string &Line : Code)
    Text += Line + ";\n";
  return read(Text + Condition + "\n");
}

std::string problemOf(const std::string &Text) {
  LitmusReading Reading = readLitmus(Text, "test.litmus");
  EXPECT_FALSE(Reading.Test) << Text;
  return Reading.Problem;
}

/// The instructions of a thread, without those that give registers their first values.
std::vector<Instruction> codeOf(const LitmusTest &Test, uint32_t Thread) {
  const Program &P = Test.Code;
  size_t Begin = P.Functions[Thread + 1].Entry, End = Begin;
  while (P.Code[End].Op != Opcode::Return)
    ++End;
  std::vector<Instruction> Code(P.Code.begin() + static_cast<ptrdiff_t>(Begin),
                                P.Code.begin() + static_cast<ptrdiff_t>(End));
  auto IsFirst = [](const Instruction &I) { return I.Op == Opcode::Move && I.A < 0; };
  Code.erase(Code.begin(), std::find_if_not(Code.begin(), Code.end(), IsFirst));
  return Code;
}

size_t countOf(const std::vector<Instruction> &Code, Opcode Op) {
  return static_cast<size_t>(std::count_if(Code.begin(), Code.end(), [&](const Instruction &I) { return I.Op == Op; }));
}

const Instruction &only(const std::vector<Instruction> &Code, Opcode Op) {
  EXPECT_EQ(countOf(Code, Op), 1u);
  return *std::find_if(Code.begin(), Code.end(), [&](const Instruction &I) { return I.Op == Op; });
}

TEST(LitmusReader, ReadsAllPartsOfATest) {
  LitmusTest Test = read(MessagePassing);
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
  LitmusTest Test = read(MessagePassing);
  std::vector<std::string> Names;
  for (const LitmusItem &Item : Test.Observed)
    Names.push_back(Item.Name);
  EXPECT_EQ(Names, (std::vector<std::string>{"1:r1", "1:r4", "1:r10", "x"}));
  EXPECT_EQ(Test.Observed[0].Index, Test.Registers[1].at("r1"));
  EXPECT_TRUE(Test.Condition.holdsIn({1, 0, 0, 0}));
  EXPECT_FALSE(Test.Condition.holdsIn({1, 1, 0, 0}));
}

TEST(LitmusReader, LocationsAreGlobalsWithTheirInitialValues) {
  LitmusTest Test = read(MessagePassing);
  ASSERT_EQ(Test.Locations.size(), 2u);
  const size_t X = Test.Locations[0] == "x" ? 0 : 1;
  EXPECT_EQ(Test.Code.Globals[X].Name, "x");
  EXPECT_EQ(Test.Code.Globals[X].Initial, (std::vector<uint8_t>{3, 0, 0, 0}));
  EXPECT_EQ(Test.Code.Globals[1 - X].Initial, (std::vector<uint8_t>{0, 0, 0, 0}));
}

TEST(LitmusReader, KnowsTheLineOfEveryInstruction) {
  LitmusTest Test = read(MessagePassing);
  for (uint32_t Pc = 0; Pc < Test.Code.Code.size(); ++Pc) {
    if (Test.Code.Code[Pc].Op == Opcode::Fence) {
      EXPECT_EQ(Test.Code.placeOf(Pc).Line, 14u);
    }
  }
}

TEST(LitmusReader, ARegisterThatCancelsItselfStaysADependency) {
  LitmusTest Test = read(MessagePassing);
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
  auto KindsOf = [](const LitmusTest &Test) {
    std::vector<FenceKind> Kinds;
    for (const Instruction &I : codeOf(Test, 0))
      if (I.Op == Opcode::Fence)
        Kinds.push_back(static_cast<FenceKind>(I.C));
    return Kinds;
  };
  using K = FenceKind;
  EXPECT_EQ(KindsOf(readCode("PPC", {"sync", "lwsync", "isync", "eieio"}, "exists (x=0)")),
            (std::vector<K>{K::Full, K::LwSync, K::ISync, K::StoreStore}));
  EXPECT_EQ(KindsOf(readCode("X86", {"MFENCE", "sfence", "LFENCE"}, "exists (x=0)")),
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
  EXPECT_EQ(problemOf("AArch64 t\n{}\n P0 ;\nexists (x=0)\n"), "not supported: 'AArch64' (line 1)");
  EXPECT_EQ(problemOf("PPC t\n{uint64_t x=1;}\n P0 ;\n nop ;\nexists (x=0)\n"), "not supported: 'uint64_t' (line 2)");
  EXPECT_EQ(problemOf("PPC t\n{x=y;}\n P0 ;\n nop ;\nexists (x=0)\n"), "not supported: 'pointers in memory' (line 2)");
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
  EXPECT_EQ(Ppc(" li r1, ;"), "an operand is missing behind the comma (line 4)");
  EXPECT_EQ(Ppc(" lwz r1,r2 ;"), "'r2' is no address of the form offset(register) (line 4)");
  EXPECT_EQ(Ppc(" mr r1,EAX ;"), "'EAX' is no register (line 4)");
  EXPECT_EQ(Ppc(" b L ;"), "the thread has no label 'L' (line 4)");
  EXPECT_EQ(Ppc(" L: ;\n L: ;"), "the label 'L' stands twice in the thread (line 5)");
  EXPECT_EQ(Ppc(" nop ;", "exists (x=0"), "')' is expected in the condition, but the text ends (line 6)");
  EXPECT_EQ(Ppc(" nop ;", "exists (x)"), "'=' is expected in the condition, not ')' (line 5)");
  EXPECT_EQ(Ppc(" nop ;", "exists (3:r1=0)"), "there is no thread 3 (line 5)");
  EXPECT_EQ(Ppc(" nop ;", "exists (x=0) y"), "the text goes on behind the condition: 'y' (line 5)");
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

TEST(LitmusReader, AnyTextGetsAnAnswer) {
  auto Answer = [](const std::string &Text) {
    LitmusReading Reading = readLitmus(Text, "t");
    if (!Reading.Test) {
      EXPECT_NE(Reading.Problem.find("(line "), std::string::npos) << Text;
      EXPECT_GE(Reading.Line, 1u) << Text;
    }
  };
  for (size_t Length = 0; Length < MessagePassing.size(); ++Length)
    Answer(MessagePassing.substr(0, Length));
  std::mt19937 Random(7);
  const std::string Pieces = "{}()[]|;:,=~*$-0x19rPE\\/ \n\t\0\xff";
  for (int Round = 0; Round < 20'000; ++Round) {
    std::string Text = MessagePassing;
    for (unsigned Changes = 1 + Random() % 4; Changes; --Changes) {
      const size_t At = Random() % Text.size();
      switch (Random() % 3) {
      case 0: Text[At] = Pieces[Random() % Pieces.size()]; break;
      case 1: Text.erase(At, 1 + Random() % 8); break;
      default: Text.insert(At, Text.substr(Random() % Text.size(), Random() % 12)); break;
      }
    }
    Answer(Text);
  }
}

} // namespace
} // namespace picket
