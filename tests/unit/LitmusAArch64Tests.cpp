// Litmus tests in AArch64: what instructions compute, and what the bytecode says about their order.
#include "support/Litmus.h"

namespace picket {
namespace {

const std::string Initial = "0:X1=x; 0:X2=y;";

LitmusTest readCode(const std::vector<std::string> &Code, const std::string &More = "") {
  return readTest(oneThread("AArch64", Code, "exists (x=0)", Initial + More));
}

std::string problem(const std::string &Code, const std::string &Condition = "exists (x=0)") {
  return problemOf(oneThread("AArch64", {Code}, Condition, Initial));
}

std::string state(const std::vector<std::string> &Code, const std::string &Observed, const std::string &More = "") {
  return stateOf("AArch64", Code, Observed, Initial + More);
}

TEST(LitmusAArch64, LoadsAndStoresKeepTheirOrders) {
  const std::pair<const char *, Order> Loads[] = {
      {"LDR", Order::NotAtomic}, {"LDUR", Order::NotAtomic}, {"LDAR", Order::Acquire}, {"LDAPR", Order::AcquirePC}};
  for (auto [Name, Expected] : Loads) {
    const Instruction I = only(codeOf(readCode({std::string(Name) + " W3,[X1]"}), 0), Opcode::Load);
    EXPECT_EQ(orderOf(I), Expected) << Name;
    EXPECT_EQ(I.Width, 4) << Name;
  }
  EXPECT_EQ(orderOf(only(codeOf(readCode({"STR W3,[X1]"}), 0), Opcode::Store)), Order::NotAtomic);
  EXPECT_EQ(orderOf(only(codeOf(readCode({"STLR W3,[X1]"}), 0), Opcode::Store)), Order::Release);
  EXPECT_EQ(problem("LDAR W3,[X1,#4]"), "not supported: '[X1,#4]' (line 4)");
  EXPECT_EQ(problem("LDR W3,X1"), "'X1' is no address of the form [register] (line 4)");
  EXPECT_EQ(problem("LDR W3,[W1]"), "an address has 64 bits: 'W1' should be an X register (line 4)");
  EXPECT_EQ(problem("LDR W3,[X1],#4"), "not supported: '[X1],#4' (line 4)");
  EXPECT_EQ(problem("LDR W31,[X1]"), "'W31' is no register (line 4)");
  EXPECT_EQ(problem("LDP W3,W4,[X1]"), "not supported: 'LDP' (line 4)");
}

TEST(LitmusAArch64, BytesAndHalvesAreAccessed) {
  EXPECT_EQ(state({"LDRB W3,[X1]", "LDRH W4,[X1,#2]", "STRB W5,[X2,#1]", "STRH W5,[X2,#2]"}, "0:X3; 0:X4;",
                  "x=0x12345678; 0:X5=0x1ff;"),
            "0:X3=120; 0:X4=4660;");
}

TEST(LitmusAArch64, ByteStoresChangeOnlyTheirBytes) {
  EXPECT_EQ(state({"STRB W5,[X1,#1]"}, "x;", "x=0x01020304; 0:X5=0x1ff;"), "x=16973572;");
  EXPECT_EQ(problem("LDRB X3,[X1]"), "'X3' should be a W register (line 4)");
}

TEST(LitmusAArch64, ExclusivePairsAreNoSingleInstructions) {
  LitmusTest Test = readCode({"LDAXR W3,[X1]", "STLXR W4,W5,[X1]", "LDXR W3,[X1]", "STXR W4,W5,[X1]"});
  EXPECT_TRUE(Test.UsesReservations);
  const auto Code = codeOf(Test, 0);
  const auto Loads = allOf(Code, Opcode::LoadReserve), Stores = allOf(Code, Opcode::StoreConditional);
  ASSERT_EQ(Loads.size(), 2u);
  ASSERT_EQ(Stores.size(), 2u);
  EXPECT_EQ(orderOf(Loads[0]), Order::Acquire);
  EXPECT_EQ(orderOf(Stores[0]), Order::Release);
  EXPECT_EQ(orderOf(Loads[1]), Order::NotAtomic);
  EXPECT_EQ(orderOf(Stores[1]), Order::NotAtomic);
  EXPECT_EQ(problem("STXR X4,W5,[X1]"), "'X4' should have 32 bits, as the others (line 4)");
  EXPECT_EQ(problem("STXR W5,[X1]"), "'STXR' takes 3 operands, not 2 (line 4)");
}

TEST(LitmusAArch64, AStoreExclusiveMayAlwaysFail) {
  LitmusResult Result =
      runTest(oneThread("AArch64", {"LDXR W3,[X1]", "STXR W4,W5,[X1]", "CBNZ W4,L", "MOV W6,#1", "L:"},
                        "forall (x=0 /\\ 0:X4=1 /\\ 0:X6=0 \\/ x=7 /\\ 0:X4=0 /\\ 0:X6=1)", Initial + "0:X5=7;"));
  EXPECT_EQ(Result.Executions, 2u);
  EXPECT_EQ(Result.States.size(), 2u);
  EXPECT_TRUE(Result.Holds);
}

TEST(LitmusAArch64, AtomicInstructionsKeepTheirOrders) {
  const std::pair<const char *, Order> Suffixes[] = {
      {"", Order::Relaxed}, {"A", Order::Acquire}, {"L", Order::Release}, {"AL", Order::AcqRel}};
  for (auto [Suffix, Expected] : Suffixes) {
    for (auto [Name, Op] : {std::pair{"SWP", RmwOp::Xchg}, {"LDADD", RmwOp::Add}, {"LDEOR", RmwOp::Xor}}) {
      const Instruction I = only(codeOf(readCode({std::string(Name) + Suffix + " W3,W4,[X1]"}), 0), Opcode::Rmw);
      EXPECT_EQ(orderOf(I), Expected) << Name << Suffix;
      EXPECT_EQ(static_cast<RmwOp>(I.C), Op);
      EXPECT_FALSE(I.Flags & ResultUnused);
    }
    const Instruction Cas = only(codeOf(readCode({"CAS" + std::string(Suffix) + " W3,W4,[X1]"}), 0), Opcode::CmpXchg);
    EXPECT_EQ(orderOf(Cas), Expected);
    // One that fails is a read, which has lost the release.
    const bool Acquires = Expected == Order::Acquire || Expected == Order::AcqRel;
    EXPECT_EQ(static_cast<Order>(Cas.Imm), Acquires ? Order::Acquire : Order::Relaxed);
  }
  EXPECT_EQ(problem("SWPX W3,W4,[X1]"), "not supported: 'SWPX' (line 4)");
  EXPECT_EQ(problem("SWP W3,X4,[X1]"), "'X4' should have 32 bits, as the others (line 4)");
  EXPECT_EQ(problem("CAS W3,[X1]"), "'CAS' takes 3 operands, not 2 (line 4)");
}

TEST(LitmusAArch64, AReadWithoutAResultDoesNotAcquire) {
  const std::pair<const char *, Order> Forms[] = {{"STADD W3,[X1]", Order::Relaxed},
                                                  {"STADDL W3,[X1]", Order::Release},
                                                  {"SWPA W3,WZR,[X1]", Order::Relaxed},
                                                  {"LDADDAL W3,WZR,[X1]", Order::Release}};
  for (auto [Text, Expected] : Forms) {
    const Instruction I = only(codeOf(readCode({Text}), 0), Opcode::Rmw);
    EXPECT_TRUE(I.Flags & ResultUnused) << Text;
    EXPECT_EQ(orderOf(I), Expected) << Text;
    EXPECT_NE(toString(readCode({Text}).Code).find(" unused"), std::string::npos);
  }
  EXPECT_TRUE(only(codeOf(readCode({"CASAL WZR,W3,[X1]"}), 0), Opcode::CmpXchg).Flags & ResultUnused);
  EXPECT_EQ(problem("STADDA W3,[X1]"), "not supported: 'STADDA' (line 4)");
}

TEST(LitmusAArch64, AtomicInstructionsCompute) {
  EXPECT_EQ(state({"SWP W3,W4,[X1]", "LDADDAL W3,W5,[X1]", "STADD W3,[X1]"}, "x; 0:X4; 0:X5;", "x=1; 0:X3=10;"),
            "0:X4=1; 0:X5=10; x=30;");
  EXPECT_EQ(state({"LDSET W3,W4,[X1]", "LDCLR W5,W6,[X1]", "LDEOR W3,W7,[X1]"}, "x; 0:X4; 0:X6; 0:X7;",
                  "x=1; 0:X3=6; 0:X5=3;"),
            "0:X4=1; 0:X6=7; 0:X7=4; x=2;");
  EXPECT_EQ(state({"CAS W3,W4,[X1]", "CASA W5,W4,[X1]"}, "x; 0:X3; 0:X5;", "x=1; 0:X3=1; 0:X4=2; 0:X5=9;"),
            "0:X3=1; 0:X5=2; x=2;");
}

TEST(LitmusAArch64, BarriersKeepTheirKinds) {
  using K = FenceKind;
  EXPECT_EQ(
      fencesOf(readCode({"DMB SY", "DMB ISH", "DMB OSH", "DMB NSH", "DMB LD", "DMB ISHLD", "DMB ST", "DMB OSHST"})),
      (std::vector<K>{K::Full, K::Full, K::Full, K::Full, K::DmbLd, K::DmbLd, K::DmbSt, K::DmbSt}));
  EXPECT_EQ(fencesOf(readCode({"DSB SY", "dsb ish", "DSB LD", "DSB ISHST", "ISB", "ISB SY"})),
            (std::vector<K>{K::Dsb, K::Dsb, K::DsbLd, K::DsbSt, K::Isb, K::Isb}));
  EXPECT_EQ(problem("DMB"), "'DMB' takes 1 operand, not 0 (line 4)");
  EXPECT_EQ(problem("DMB XX"), "'DMB' has no option 'XX' (line 4)");
  EXPECT_EQ(problem("ISB LD"), "'ISB' has no option 'LD' (line 4)");
}

TEST(LitmusAArch64, BarriersOrderStoreBuffersAsTheyShould) {
  auto Weak = [](const char *Barrier, const std::string &Text, MemoryModel M) {
    std::string Code = Text;
    for (size_t At; (At = Code.find("@@@")) != std::string::npos;)
      Code.replace(At, 3, Barrier);
    return runTest(Code, M).Holds;
  };
  const std::string Head = "AArch64 t\n{0:X1=x; 0:X2=y; 1:X1=y; 1:X2=x; 0:X5=1; 1:X5=1;}\nP0 | P1 ;\n";
  const std::string StoreBuffering = Head + "STR W5,[X1] | STR W5,[X1] ;\n@@@ | @@@ ;\nLDR W3,[X2] | LDR W3,[X2] ;\n"
                                            "exists (0:X3=0 /\\ 1:X3=0)";
  const std::string MessagePassing = Head + "STR W5,[X1] | LDR W3,[X1] ;\n@@@ | NOP ;\nSTR W5,[X2] | LDR W4,[X2] ;\n"
                                            "exists (1:X3=1 /\\ 1:X4=0)";
  for (const char *Full : {"DMB SY", "DSB SY", "DSB ST"})
    EXPECT_FALSE(Weak(Full, StoreBuffering, MemoryModel::TSO)) << Full;
  for (const char *Other : {"DMB LD", "DMB ST", "DSB LD", "ISB"})
    EXPECT_TRUE(Weak(Other, StoreBuffering, MemoryModel::TSO)) << Other;
  for (const char *Stores : {"DMB SY", "DMB ST", "DSB ST"})
    EXPECT_FALSE(Weak(Stores, MessagePassing, MemoryModel::PSO)) << Stores;
  for (const char *Loads : {"DMB LD", "DSB LD", "ISB", "NOP"})
    EXPECT_TRUE(Weak(Loads, MessagePassing, MemoryModel::PSO)) << Loads;
}

TEST(LitmusAArch64, AddressesMayDependOnRegisters) {
  EXPECT_EQ(state({"LDR W3,[X1,X4]", "LDR W5,[X1,W4,SXTW]", "STR W3,[X2,W4,UXTW #2]", "LDR W6,[X1,#0]"},
                  "0:X3; 0:X5; 0:X6; y;", "x=9;"),
            "0:X3=9; 0:X5=9; 0:X6=9; y=9;");
  EXPECT_EQ(state({"ADD X6,X1,W4,SXTW", "LDR W3,[X6,#4]"}, "0:X3; 0:X6;", "x=9; 0:X4=-4;"), "0:X3=9; 0:X6=x+-4;");
  EXPECT_EQ(problem("LDR W3,[X1,W4]"), "'W4' needs SXTW or UXTW after it, or should be an X register (line 4)");
  EXPECT_EQ(problem("LDR W3,[X1,X4,SXTW]"), "'SXTW' needs a W register (line 4)");
  EXPECT_EQ(problem("LDR W3,[X1,X4,ROR #3]"), "not supported: 'ROR #3' (line 4)");
  EXPECT_EQ(problem("LDR W3,[X1,X4,LSL #64]"), "'LSL #64' shifts too far (line 4)");
}

TEST(LitmusAArch64, DependenciesAreKept) {
  const auto Code = codeOf(readCode({"LDR W3,[X1]", "EOR W4,W3,W3", "STR W5,[X2,W4,SXTW]"}), 0);
  const Instruction Xor = only(Code, Opcode::Xor);
  EXPECT_EQ(Xor.A, only(Code, Opcode::Load).Dst);
  EXPECT_EQ(only(Code, Opcode::SignExtend).A, Xor.Dst);
}

TEST(LitmusAArch64, ArithmeticHasTheWidthOfItsRegisters) {
  EXPECT_EQ(state({"MOV W3,#-1", "ADD X4,X3,#1", "ADD W5,W3,#1", "SUB W6,W7,#1", "AND W8,W3,#12", "ORR W9,W8,#3"},
                  "0:X3; 0:X4; 0:X5; 0:X6; 0:X8; 0:X9;"),
            "0:X3=-1; 0:X4=4294967296; 0:X5=0; 0:X6=-1; 0:X8=12; 0:X9=15;");
  EXPECT_EQ(state({"MOV X3,#0x123456789", "MOV W4,W3", "NEG W5,W4", "MVN W6,W7", "LSL W8,W4,#4", "MUL W9,W10,W10"},
                  "0:X3; 0:X5; 0:X6; 0:X8; 0:X9;", "0:X10=7;"),
            "0:X3=4886718345; 0:X5=-591751049; 0:X6=-1; 0:X8=878082192; 0:X9=49;");
  EXPECT_EQ(problem("MOV W3,#0x100000000"), "the number '#0x100000000' needs more than 32 bits (line 4)");
  EXPECT_EQ(problem("ADD W3,W4,X5"), "'X5' should have 32 bits, as the others (line 4)");
  EXPECT_EQ(problem("ADD W3,W4"), "'ADD' takes 3 operands, not 2 (line 4)");
  EXPECT_EQ(problem("MOV W3,#one"), "'one' is not a number (line 4)");
  EXPECT_EQ(problem("LSL W3,W4,#32"), "not supported: 'LSL by #32' (line 4)");
}

TEST(LitmusAArch64, TheZeroRegisterIsNeverWritten) {
  EXPECT_EQ(state({"MOV WZR,#1", "ADD W3,WZR,#2", "STR WZR,[X1]", "LDR WZR,[X1]"}, "0:X3; x;", "x=5;"), "0:X3=2; x=0;");
}

TEST(LitmusAArch64, ConditionsCompareWithAndWithoutSign) {
  const struct {
    const char *Condition, *Less, *Equal, *Greater, *Negative; // 1, 2, 3 and -1 compared with 2
  } Conditions[] = {{"EQ", "0", "1", "0", "0"}, {"NE", "1", "0", "1", "1"}, {"LT", "1", "0", "0", "1"},
                    {"GE", "0", "1", "1", "0"}, {"GT", "0", "0", "1", "0"}, {"LE", "1", "1", "0", "1"},
                    {"LO", "1", "0", "0", "0"}, {"CC", "1", "0", "0", "0"}, {"HS", "0", "1", "1", "1"},
                    {"CS", "0", "1", "1", "1"}, {"HI", "0", "0", "1", "1"}, {"LS", "1", "1", "0", "0"}};
  for (const auto &C : Conditions)
    for (auto [Value, Expected] : {std::pair{"1", C.Less}, {"2", C.Equal}, {"3", C.Greater}, {"-1", C.Negative}}) {
      const std::string Start = "0:X3=" + std::string(Value) + "; 0:X6=1;", Name = C.Condition;
      const std::string All = "0:X4=" + std::string(Expected) + "; 0:X5=" + Expected + "; 0:X7=" + Expected + ";";
      EXPECT_EQ(state({"CMP W3,#2", "CSET W4," + Name, "CSEL W5,W6,WZR," + Name, "B." + Name + " L", "B E",
                       "L: MOV W7,#1", "E:"},
                      "0:X4; 0:X5; 0:X7;", Start),
                All)
          << Name << " " << Value;
    }
  EXPECT_EQ(problem("B.MI L"), "not supported: 'condition mi' (line 4)");
  EXPECT_EQ(problem("CSEL W3,W4,W5"), "'CSEL' takes 4 operands, not 3 (line 4)");
  EXPECT_EQ(problem("CMP W3"), "'CMP' takes 2 operands, not 1 (line 4)");
}

TEST(LitmusAArch64, BitTestsLeaveNoCarry) {
  EXPECT_EQ(state({"TST W3,#1", "CSET W4,EQ", "CSET W5,LO", "CSET W6,HI", "ANDS W7,W3,#4", "CSET W8,NE"},
                  "0:X4; 0:X5; 0:X6; 0:X7; 0:X8;", "0:X3=6;"),
            "0:X4=1; 0:X5=1; 0:X6=0; 0:X7=4; 0:X8=1;");
}

TEST(LitmusAArch64, SelectionIsNoBranch) {
  const auto Code = codeOf(readCode({"CMP W3,#2", "CSEL W5,W6,W7,NE"}), 0);
  EXPECT_TRUE(allOf(Code, Opcode::CondJump).empty());
  EXPECT_EQ(only(Code, Opcode::Select).A, only(Code, Opcode::Eq).Dst);
}

TEST(LitmusAArch64, BranchesOnRegisters) {
  EXPECT_EQ(state({"CBZ W3,L", "MOV W4,#1", "L: CBNZ W3,E", "MOV W5,#1", "E: TBZ W6,#3,F", "MOV W7,#1", "F: RET",
                   "MOV W7,#9"},
                  "0:X4; 0:X5; 0:X7;", "0:X6=8;"),
            "0:X4=0; 0:X5=1; 0:X7=1;");
  // Only the lower half is compared.
  EXPECT_EQ(state({"MOV X3,#0x100000000", "CBNZ W3,L", "MOV W4,#1", "L:"}, "0:X4;"), "0:X4=1;");
  EXPECT_EQ(problem("CBZ W3"), "'CBZ' takes 2 operands, not 1 (line 4)");
  EXPECT_EQ(problem("CBZ W3,L"), "the thread has no label 'L' (line 4)");
  EXPECT_EQ(problem("TBZ W3,#32,L"), "'W3' has no bit 32 (line 4)");
  EXPECT_EQ(problem("BR X3"), "not supported: 'BR' (line 4)");
}

TEST(LitmusAArch64, SixtyFourBitsAreAccessedAndShown) {
  EXPECT_EQ(state({"LDR X3,[X1]", "STR X3,[X2]", "LDR W4,[X1]"}, "0:X3; 0:X4; y;", "int64_t x=0x100000002;"),
            "0:X3=4294967298; 0:X4=2; y=4294967298;");
  EXPECT_TRUE(
      runTest(oneThread("AArch64", {"STR X3,[X1]"}, "forall (x=0x1ffffffff)", "0:X1=x; 0:X3=0x1ffffffff;")).Holds);
  EXPECT_EQ(problemOf(oneThread("AArch64", {"STR W3,[X1]"}, "forall (x=0x1ffffffff)", "0:X1=x;")),
            "the number '0x1ffffffff' needs more than 32 bits (line 5)");
  LitmusResult Result = runTest(oneThread("AArch64", {"LDR X3,[X1]"}, "exists (0:X3=0)", "int x=1; 0:X1=x;"));
  EXPECT_EQ(Result.Coverage, Verdict::Unsupported) << "the location has only four bytes";
}

TEST(LitmusAArch64, PointersInMemoryAreFollowed) {
  EXPECT_EQ(state({"LDR X3,[X1]", "LDR W4,[X3]", "STR X1,[X2]"}, "0:X3; 0:X4; y;", "x=z; z=5;"),
            "0:X3=z; 0:X4=5; y=x;");
  EXPECT_EQ(problemOf(oneThread("AArch64", {"NOP"}, "exists (x=0)", "int x=z;")),
            "'x' has 32 bits, too few for an address (line 2)");
}

TEST(LitmusAArch64, AnyTextGetsAnAnswer) {
  expectAnswersToDamage(R"(AArch64 MP+rel+acq
{ 0:X1=x; 0:X3=y; uint64_t 1:X9; P1:X1=y; 1:X3=x; int64_t x=0; }
 P0            | P1               ;
 MOV W0,#1     | L: LDAPR W0,[X1] ;
 STR X0,[X1]   | EOR W2,W0,W0     ;
 STLR W0,[X3]  | CBNZ W2,L        ;
 DMB ISHST     | LDR X4,[X3,W2,SXTW] ;
 LDAXR W5,[X1] | CMP W4,#1        ;
 STXR W6,W5,[X1] | CSEL W5,W4,WZR,NE ;
 STADDL W6,[X1] | CASAL W5,W4,[X1] ;
locations [x; 1:X5;]
exists (1:X0=1 /\ 1:X4=0x1ffffffff)
)",
                        10'000);
}

} // namespace
} // namespace picket
