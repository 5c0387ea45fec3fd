// Litmus tests under the models: states, verdicts, and what instructions compute.
#include "support/Litmus.h"

namespace picket {
namespace {

const char *const StoreBuffering = R"(X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
)";

TEST(LitmusRun, StoreBufferingDependsOnTheModel) {
  const std::string Both = std::string(StoreBuffering) + "exists (0:EAX=0 /\\ 1:EAX=0)";
  LitmusResult Sc = runTest(Both), Tso = runTest(Both, MemoryModel::TSO);
  EXPECT_FALSE(Sc.Holds);
  EXPECT_EQ(Sc.Executions, 3u);
  EXPECT_EQ(Sc.States.size(), 3u);
  EXPECT_TRUE(Tso.Holds);
  EXPECT_EQ(Tso.Satisfying, 1u);
  EXPECT_EQ(Tso.Others, 3u);
}

TEST(LitmusRun, QuantifiersDecideTheVerdict) {
  const std::string Text = StoreBuffering;
  EXPECT_TRUE(runTest(Text + "~exists (0:EAX=0 /\\ 1:EAX=0)").Holds);
  EXPECT_FALSE(runTest(Text + "~exists (0:EAX=0 /\\ 1:EAX=1)").Holds);
  EXPECT_TRUE(runTest(Text + "forall (0:EAX=1 \\/ 1:EAX=1)").Holds);
  EXPECT_FALSE(runTest(Text + "forall (0:EAX=1)").Holds);
}

TEST(LitmusRun, StatesAreOverWhatIsObserved) {
  EXPECT_EQ(runTest(std::string(StoreBuffering) + "exists (0:EAX=0)").States.size(), 2u);
  EXPECT_EQ(runTest(std::string(StoreBuffering) + "locations [1:EAX;]\nexists (0:EAX=0)").States.size(), 3u);
}

TEST(LitmusRun, LoadBufferingNeedsPower) {
  const std::string Text = R"(PPC LB
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 lwz r1,0(r2) | lwz r1,0(r2) ;
 li r3,1      | li r3,1      ;
 stw r3,0(r4) | stw r3,0(r4) ;
exists (0:r1=1 /\ 1:r1=1)
)";
  LitmusResult Sc = runTest(Text), Power = runTest(Text, MemoryModel::Power);
  EXPECT_FALSE(Sc.Holds);
  EXPECT_EQ(Sc.Executions, 3u);
  EXPECT_TRUE(Power.Holds) << Power.Reason;
  EXPECT_EQ(Power.Executions, 4u);
}

TEST(LitmusRun, PowerPcArithmetic) {
  EXPECT_EQ(stateOf("PPC",
                    {"li r1,7", "addi r2,r1,-9", "sub r3,r1,r2", "subf r4,r1,r2", "and r5,r1,r3", "or r6,r1,r3",
                     "add r7,r1,r3", "mr r8,r7", "addi r9,r0,5"},
                    "0:r2; 0:r3; 0:r4; 0:r5; 0:r6; 0:r8; 0:r9;", "0:r0=100;"),
            "0:r2=-2; 0:r3=9; 0:r4=-9; 0:r5=1; 0:r6=15; 0:r8=16; 0:r9=5;");
}

TEST(LitmusRun, NumbersKeepTheirSignInMemory) {
  for (MemoryModel M : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power})
    EXPECT_EQ(stateOf("PPC", {"li r1,-1", "stw r1,0(r2)", "lwz r3,0(r2)", "cmpwi r3,-1", "bne L", "addi r4,r3,3", "L:"},
                      "0:r3; 0:r4; x;", "0:r2=x;", M),
              "0:r3=-1; 0:r4=2; x=-1;")
        << nameOf(M);
}

TEST(LitmusRun, BranchesCompareWithSign) {
  auto Taken = [](const std::string &Branch, int Left) {
    return stateOf("PPC", {"cmpwi cr0,r1,1", Branch + " L", "b M", "L: li r2,1", "M:"}, "0:r2;",
                   "0:r1=" + std::to_string(Left) + ";") == "0:r2=1;";
  };
  for (int Left : {-1, 0, 1, 2}) {
    EXPECT_EQ(Taken("beq", Left), Left == 1) << Left;
    EXPECT_EQ(Taken("bne", Left), Left != 1) << Left;
    EXPECT_EQ(Taken("blt", Left), Left < 1) << Left;
    EXPECT_EQ(Taken("ble", Left), Left <= 1) << Left;
    EXPECT_EQ(Taken("bgt", Left), Left > 1) << Left;
    EXPECT_EQ(Taken("bge-", Left), Left >= 1) << Left;
  }
}

TEST(LitmusRun, X86ArithmeticSetsFlags) {
  EXPECT_EQ(stateOf("X86", {"MOV EAX,$2", "DEC EAX", "SUB EAX,$1", "JNE L", "MOV EBX,$1", "L: INC [x]", "ADD [x],EBX"},
                    "0:EAX; 0:EBX; x;", "x=5;"),
            "0:EAX=0; 0:EBX=1; x=7;");
  EXPECT_EQ(stateOf("X86", {"MOV EAX,$-3", "TEST EAX,EAX", "JL L", "MOV EBX,$1", "L: XCHG EAX,EBX"}, "0:EAX; 0:EBX;"),
            "0:EAX=0; 0:EBX=-3;");
}

TEST(LitmusRun, X86LockedInstructions) {
  EXPECT_EQ(
      stateOf("X86", {"MOV EBX,$4", "LOCK XADD [x],EBX", "LOCK DEC [x]", "lock add [x],$10"}, "0:EBX; x;", "x=-2;"),
      "0:EBX=-2; x=11;");
  const char *const Swap[] = {"LOCK CMPXCHG [x],EBX", "JNE L", "MOV ECX,$1", "L:"};
  EXPECT_EQ(
      stateOf("X86", {"MOV EAX,$-1", "MOV EBX,$9", Swap[0], Swap[1], Swap[2], Swap[3]}, "0:EAX; 0:ECX; x;", "x=-1;"),
      "0:EAX=-1; 0:ECX=1; x=9;");
  EXPECT_EQ(
      stateOf("X86", {"MOV EAX,$3", "MOV EBX,$9", Swap[0], Swap[1], Swap[2], Swap[3]}, "0:EAX; 0:ECX; x;", "x=-1;"),
      "0:EAX=-1; 0:ECX=0; x=-1;");
}

TEST(LitmusRun, LockedIncrementsAreNotLost) {
  const std::string Head = "X86 inc\n{}\nP0 | P1 ;\n", Tail = "forall (x=2)\n";
  EXPECT_TRUE(runTest(Head + "LOCK INC [x] | LOCK INC [x] ;\n" + Tail, MemoryModel::TSO).Holds);
  EXPECT_FALSE(runTest(Head + "INC [x] | INC [x] ;\n" + Tail, MemoryModel::TSO).Holds);
}

TEST(LitmusRun, AddressesAreValues) {
  const std::vector<std::string> Code = {"MOV EBX,EAX", "MOV [EBX],$1"};
  EXPECT_EQ(stateOf("X86", Code, "0:EBX; x;", "0:EAX=x;"), "0:EBX=x; x=1;");
  EXPECT_TRUE(runTest("X86 a\n{0:EAX=x;}\nP0;\nMOV EBX,EAX;\nforall (0:EBX=x /\\ 0:EAX!=y)").Holds);
}

TEST(LitmusRun, WordsInMemoryMayHoldAddresses) {
  // Through the pointer at p.
  const std::vector<std::string> Ppc = {"lwz r3,0(r2)", "lwz r4,0(r3)", "stw r5,0(r2)", "stw r4,0(r5)"};
  EXPECT_EQ(stateOf("PPC", Ppc, "0:r3; 0:r4; p; x; y;", "p=x; x=-7; 0:r2=p; 0:r5=y;"),
            "0:r3=x; 0:r4=-7; p=y; x=-7; y=-7;");
  EXPECT_EQ(stateOf("PPC", Ppc, "0:r4; y;", "int *p=&x; int x=5; 0:r2=p; 0:r5=y;", MemoryModel::Power), "0:r4=5; y=5;");
  EXPECT_EQ(stateOf("X86", {"MOV EAX,[p]", "XCHG [p],EBX", "MOV [EAX],$3"}, "0:EBX; p; x;", "p=x; 0:EBX=y;"),
            "0:EBX=x; p=y; x=3;");
  // The condition alone says that the location holds one.
  EXPECT_TRUE(runTest(oneThread("PPC", {"stw r3,0(r2)"}, "forall (p=x)", "0:r2=p; 0:r3=x;")).Holds);
  EXPECT_EQ(problemOf(oneThread("PPC", {"nop"}, "exists (x=0)", "uint32_t p=x;")),
            "'p' has 32 bits, too few for an address (line 2)");
}

TEST(LitmusRun, PowerPcInstructionsOfCompilers) {
  EXPECT_EQ(stateOf("PPC", {"lis r1,1", "lis r2,-1", "lis r3,0xffff"}, "0:r1; 0:r2; 0:r3;"),
            "0:r1=65536; 0:r2=-65536; 0:r3=-65536;");
  EXPECT_EQ(stateOf("PPC", {"addis r1,r1,1", "addis r2,r0,2"}, "0:r1; 0:r2;", "0:r1=5; 0:r0=9;"),
            "0:r1=65541; 0:r2=131072;");
  EXPECT_EQ(stateOf("PPC",
                    {"rlwinm r1,r9,0,31,31", "rlwinm r2,r9,4,0,31", "rlwinm r3,r9,0,30,1", "rlwinm r4,r9,31,1,31"},
                    "0:r1; 0:r2; 0:r3; 0:r4;", "0:r9=0x80000003;"),
            "0:r1=1; 0:r2=56; 0:r3=-2147483645; 0:r4=1073741825;");
  EXPECT_EQ(stateOf("PPC", {"clrldi r1,r9,32", "clrldi r2,r9,60", "extsw r3,r9"}, "0:r1; 0:r2; 0:r3;", "0:r9=-2;"),
            "0:r1=-2; 0:r2=14; 0:r3=-2;");
  for (auto [Number, Less] : {std::pair{"-1", "0"}, {"1", "1"}, {"2", "0"}})
    EXPECT_EQ(
        stateOf("PPC", {"cmplwi r1,2", "bge L", "li r2,1", "L: blr"}, "0:r2;", "0:r1=" + std::string(Number) + ";"),
        "0:r2=" + std::string(Less) + ";");
  EXPECT_EQ(stateOf("PPC", {"cmplw r1,r3", "beq L", "li r2,1", "L:"}, "0:r2;", "0:r1=4; 0:r3=4;"), "0:r2=0;");
  EXPECT_EQ(problemOf(oneThread("PPC", {"lis r1,65536"}, "exists (x=0)")),
            "the number '65536' needs more than 16 bits (line 4)");
  EXPECT_EQ(problemOf(oneThread("PPC", {"rlwinm r1,r2,32,0,31"}, "exists (x=0)")),
            "'32' is not between 0 and 31 (line 4)");
  EXPECT_EQ(problemOf(oneThread("PPC", {"clrldi r1,r2,64"}, "exists (x=0)")), "'64' is not between 0 and 63 (line 4)");
  EXPECT_EQ(problemOf(oneThread("PPC", {"cmplwi r1"}, "exists (x=0)")), "'cmplwi' takes 2 operands, not 1 (line 4)");
}

TEST(LitmusRun, LoopsThatOthersFeedAreFollowedUpToTheBound) {
  LitmusTest Test = readTest(R"(X86 wait
{}
 P0         | P1            ;
 MOV [x],$1 | L:            ;
            | MOV EAX,[x]   ;
            | CMP EAX,$0    ;
            | JE L          ;
forall (1:EAX=1)
)");
  LitmusOptions Options;
  Options.Unroll = 3;
  LitmusResult Result = runLitmus(Test, MemoryModel::TSO, Options);
  EXPECT_EQ(Result.Coverage, Verdict::Bounded);
  EXPECT_EQ(Result.Executions, 3u);
  EXPECT_GE(Result.Cut, 1u);
  EXPECT_TRUE(Result.Holds);
}

TEST(LitmusRun, AnAccessOutsideOfALocationIsNoAnswer) {
  LitmusResult Result = runTest("PPC t\n{0:r2=x;}\nP0 ;\nlwz r1,8(r2) ;\nexists (0:r1=0)\n");
  EXPECT_EQ(Result.Coverage, Verdict::Unsupported);
  EXPECT_NE(Result.Reason.find("(line 4)"), std::string::npos) << Result.Reason;
}

TEST(LitmusRun, AStoreConditionalMayAlwaysFail) {
  const std::string Text = R"(PPC rmw
{ 0:r3=x; 0:r5=1; }
 P0              ;
 lwarx r4,r0,r3  ;
 stwcx. r5,r0,r3 ;
 bne End         ;
 li r6,1         ;
 End:            ;
forall (x=0 /\ 0:r6=0 \/ x=1 /\ 0:r6=1)
)";
  for (MemoryModel M : {MemoryModel::SC, MemoryModel::Power}) {
    LitmusResult Result = runTest(Text, M);
    EXPECT_TRUE(Result.answered()) << Result.Reason;
    EXPECT_EQ(Result.Executions, 2u);
    EXPECT_TRUE(Result.Holds);
  }
}

} // namespace
} // namespace picket
