// `picket litmus` from outside.
#include "support/CommandLine.h"

#include "llvm/Support/JSON.h"

namespace picket {
namespace {

using testing::contains;
using testing::Outcome;

class LitmusCommandLine : public testing::CommandLineTest {
protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    std::filesystem::create_directory(Root / "tests");
    write("tests/SB.litmus", "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n"
                             "exists (0:EAX=0 /\\ 1:EAX=0)\n");
    write("tests/2W.litmus", "X86 2W\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [x],$2 ;\nforall (x=1)\n");
  }

  void writeTable(const std::string &Rows) {
    write("expected.tsv", "test\tmodel\tquantifier\tholds\tfails\tstates\texecutions\trf_classes\n" + Rows);
  }
  const std::string RightRows = "tests/SB\tsc\texists\t0\t3\t3\t3\t3\ntests/SB\ttso\texists\t1\t3\t4\t4\t4\n"
                                "tests/SB\tpso\texists\t1\t3\t4\t4\t4\ntests/2W\tsc\tforall\t1\t1\t2\t2\t1\n";
};

TEST_F(LitmusCommandLine, PrintsVerdictsAndStates) {
  Outcome Result = run("litmus --model sc,tso tests/SB.litmus");
  EXPECT_EQ(Result.ExitCode, 0);
  EXPECT_TRUE(contains(Result.Output, "X86 SB: exists (0:EAX=0 /\\ 1:EAX=0)\n")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "  sc    fails, never (0 of 3 executions), 3 states, ")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "  tso   holds, sometimes (1 of 4 executions), 4 states, ")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "1 *> 0:EAX=0; 1:EAX=0;\n")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "1 :> 0:EAX=1; 1:EAX=1;\n")) << Result.Output;
  EXPECT_FALSE(contains(run("litmus -q tests").Output, ":>"));
}

TEST_F(LitmusCommandLine, DirectoriesAreRunInOrderWhateverTheJobs) {
  auto Names = [](const std::string &Output) {
    return contains(Output.substr(Output.find("X86 2W")), "X86 SB") && contains(Output, "2 of 2 tests read");
  };
  EXPECT_TRUE(Names(run("litmus -j 1 tests").Output));
  EXPECT_TRUE(Names(run("litmus -j 4 tests").Output));
}

TEST_F(LitmusCommandLine, JsonHasTheStates) {
  Outcome Result = run("litmus --format json --model tso tests/SB.litmus", "2>/dev/null");
  llvm::Expected<llvm::json::Value> Parsed = llvm::json::parse(Result.Output);
  ASSERT_TRUE(static_cast<bool>(Parsed)) << llvm::toString(Parsed.takeError());
  const llvm::json::Object &Test = *Parsed->getAsObject()->getArray("tests")->front().getAsObject();
  EXPECT_EQ(Test.getString("name"), "SB");
  EXPECT_EQ(Test.getString("quantifier"), "exists");
  const llvm::json::Object &Model = *Test.getArray("models")->front().getAsObject();
  EXPECT_EQ(Model.getBoolean("holds"), true);
  EXPECT_EQ(Model.getInteger("executions"), 4);
  EXPECT_EQ(Model.getArray("states")->size(), 4u);
  const llvm::json::Object &First = *Model.getArray("states")->front().getAsObject();
  EXPECT_EQ(First.getObject("values")->getString("0:EAX"), "0");
  EXPECT_EQ(First.getBoolean("satisfies"), true);
}

TEST_F(LitmusCommandLine, AgreesWithARightTable) {
  writeTable(RightRows);
  Outcome Result = run("litmus --expected expected.tsv tests");
  EXPECT_EQ(Result.ExitCode, 0) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "4 results agree, 0 mismatch, 0 unsupported")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "2 without a row")) << Result.Output;
}

TEST_F(LitmusCommandLine, AWrongRowIsAMismatchWithBothAnswers) {
  for (const char *Wrong :
       {"exists\t1\t2\t3\t3", "exists\t0\t4\t3\t3", "exists\t0\t3\t4\t3", "exists\t0\t3\t3\t4", "forall\t0\t3\t3\t3"}) {
    writeTable(std::string("tests/SB\tsc\t") + Wrong + "\t1\n");
    Outcome Result = run("litmus --model sc --expected expected.tsv");
    EXPECT_EQ(Result.ExitCode, 1) << Wrong;
    EXPECT_TRUE(contains(Result.Output, "tests/SB sc: expected ")) << Result.Output;
    EXPECT_TRUE(contains(Result.Output, "; found exists: 0 holds, 3 fails, 3 states, 3 executions\n")) << Result.Output;
    EXPECT_TRUE(contains(Result.Output, "0 results agree, 1 mismatch")) << Result.Output;
  }
}

TEST_F(LitmusCommandLine, RowsWithoutATestAreMismatches) {
  writeTable(RightRows + "tests/Lost\tsc\texists\t1\t1\t2\t2\t1\n");
  Outcome Result = run("litmus --expected expected.tsv");
  EXPECT_EQ(Result.ExitCode, 1);
  EXPECT_TRUE(contains(Result.Output, "tests/Lost sc: ")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "the test was not run")) << Result.Output;
  Result = run("litmus --expected expected.tsv tests");
  EXPECT_EQ(Result.ExitCode, 1);
  EXPECT_TRUE(contains(Result.Output, "there is no such test")) << Result.Output;
}

TEST_F(LitmusCommandLine, RowsOfModelsThatDoNotExistAreCounted) {
  writeTable(RightRows + "tests/SB\tstrange\texists\t1\t1\t2\t2\t1\n");
  Outcome Result = run("litmus --expected expected.tsv");
  EXPECT_EQ(Result.ExitCode, 0) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "not compared: 1 row of 'strange', which is no model of this program\n"))
      << Result.Output;
}

TEST_F(LitmusCommandLine, WhatCannotBeReadIsNamedAndTheRestIsRun) {
  write("tests/Bad.litmus", "X86 Bad\n{ }\n P0 ;\n CLFLUSH [x] ;\nexists (x=0)\n");
  Outcome Result = run("litmus tests");
  EXPECT_EQ(Result.ExitCode, 3);
  EXPECT_TRUE(contains(Result.Output, "tests/Bad.litmus: not supported: 'CLFLUSH' (line 4)\n")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "X86 SB: ")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "2 of 3 tests read")) << Result.Output;
  writeTable(RightRows);
  EXPECT_EQ(run("litmus --expected expected.tsv tests").ExitCode, 3);
  EXPECT_EQ(run("litmus missing.litmus").ExitCode, 3);
}

TEST_F(LitmusCommandLine, RefusesBadUsage) {
  write("broken.tsv", "test\tmodel\n");
  write("numbers.tsv", "test\tmodel\tquantifier\tholds\tfails\tstates\texecutions\na\tsc\texists\t1\tx\t1\t1\n");
  for (const char *Arguments :
       {"litmus", "litmus --format sarif tests", "litmus --model arm tests", "litmus --expected broken.tsv tests",
        "litmus --expected numbers.tsv tests", "litmus --expected missing.tsv tests"}) {
    Outcome Result = run(Arguments);
    EXPECT_EQ(Result.ExitCode, 2) << Arguments;
    EXPECT_TRUE(contains(Result.Output, "picket: ")) << Result.Output;
  }
  EXPECT_TRUE(contains(run("litmus --help").Output, "Examples:"));
}

} // namespace
} // namespace picket
