// Litmus tests under the models: states, verdicts, and what instructions compute.
#include "litmus/LitmusReader.h"
#include "litmus/LitmusRun.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

const char *const StoreBuffering = R"(X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
)";

LitmusTest read(const std::string &Text) {
  LitmusReading Reading = readLitmus(Text, "test.litmus");
  EXPECT_TRUE(Reading.Test) << Reading.Problem;
  return Reading.Test ? std::move(*Reading.Test) : LitmusTest();
}

LitmusResult run(const std::string &Text, Model M = Model::SC) { return runLitmus(read(Text), M); }

/// The only final state of a thread with this code.
std::string stateOf(const char *Architecture, std::vector<std::string> Code, const std::string &Observed,
                    const std::string &Initial = "", Model M = Model::SC) {
  std::string Text = std::string(Architecture) + " test\n{" + Initial + "}\nP0 ;\n";
  for (const std::string &Line : Code)
    Text += Line + ";\n";
  LitmusTest Test = read(Text + "locations [" + Observed + "]\nforall true\n");
  LitmusResult Result = runLitmus(Test, M);
  EXPECT_EQ(Result.Coverage, Verdict::Verified) << Result.Reason;
  EXPECT_EQ(Result.States.size(), 1u);
  return Result.States.empty() ? "" : Test.textOf(Result.States.begin()->first);
}

TEST(LitmusRun, StoreBufferingDependsOnTheModel) {
  const std::string Both = std::string(StoreBuffering) + "exists (0:EAX=0 /\\ 1:EAX=0)";
  LitmusResult Sc = run(Both), Tso = run(Both, Model::TSO);
  EXPECT_FALSE(Sc.Holds);
  EXPECT_EQ(Sc.Executions, 3u);
  EXPECT_EQ(Sc.States.size(), 3u);
  EXPECT_TRUE(Tso.Holds);
  EXPECT_EQ(Tso.Satisfying, 1u);
  EXPECT_EQ(Tso.Others, 3u);
}

TEST(LitmusRun, QuantifiersDecideTheVerdict) {
  const std::string Text = StoreBuffering;
  EXPECT_TRUE(run(Text + "~exists (0:EAX=0 /\\ 1:EAX=0)").Holds);
  EXPECT_FALSE(run(Text + "~exists (0:EAX=0 /\\ 1:EAX=1)").Holds);
  EXPECT_TRUE(run(Text + "forall (0:EAX=1 \\/ 1:EAX=1)").Holds);
  EXPECT_FALSE(run(Text + "forall (0:EAX=1)").Holds);
}

TEST(LitmusRun, StatesAreOverWhatIsObserved) {
  EXPECT_EQ(run(std::string(StoreBuffering) + "exists (0:EAX=0)").States.size(), 2u);
  EXPECT_EQ(run(std::string(StoreBuffering) + "locations [1:EAX;]\nexists (0:EAX=0)").States.size(), 3u);
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
  LitmusResult Sc = run(Text), Power = run(Text, Model::Power);
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
  for (Model M : {Model::SC, Model::TSO, Model::PSO, Model::Power})
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
  EXPECT_TRUE(run(Head + "LOCK INC [x] | LOCK INC [x] ;\n" + Tail, Model::TSO).Holds);
  EXPECT_FALSE(run(Head + "INC [x] | INC [x] ;\n" + Tail, Model::TSO).Holds);
}

TEST(LitmusRun, AddressesAreValues) {
  const std::vector<std::string> Code = {"MOV EBX,EAX", "MOV [EBX],$1"};
  EXPECT_EQ(stateOf("X86", Code, "0:EBX; x;", "0:EAX=x;"), "0:EBX=x; x=1;");
  EXPECT_TRUE(run("X86 a\n{0:EAX=x;}\nP0;\nMOV EBX,EAX;\nforall (0:EBX=x /\\ 0:EAX!=y)").Holds);
}

TEST(LitmusRun, LoopsThatOthersFeedAreFollowedUpToTheBound) {
  LitmusTest Test = read(R"(X86 wait
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
  LitmusResult Result = runLitmus(Test, Model::TSO, Options);
  EXPECT_EQ(Result.Coverage, Verdict::Bounded);
  EXPECT_EQ(Result.Executions, 3u);
  EXPECT_GE(Result.Cut, 1u);
  EXPECT_TRUE(Result.Holds);
}

TEST(LitmusRun, AnAccessOutsideOfALocationIsNoAnswer) {
  LitmusResult Result = run("PPC t\n{0:r2=x;}\nP0 ;\nlwz r1,8(r2) ;\nexists (0:r1=0)\n");
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
  for (Model M : {Model::SC, Model::Power}) {
    LitmusResult Result = run(Text, M);
    EXPECT_TRUE(Result.answered()) << Result.Reason;
    EXPECT_EQ(Result.Executions, 2u);
    EXPECT_TRUE(Result.Holds);
  }
}

} // namespace
} // namespace picket
