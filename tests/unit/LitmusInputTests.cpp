// What `picket litmus` is given: pipes, byte order marks, tables with rows of tests that are not there, and mistakes
// that people make.
#include "litmus/LitmusReader.h"
#include "support/CommandLine.h"

#include "llvm/Support/JSON.h"

namespace picket {
namespace {

using testing::contains;
using testing::Outcome;

const std::string StoreBuffering = "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n"
                                   "exists (0:EAX=0 /\\ 1:EAX=0)\n";

std::string problemOf(const std::string &Text) {
  const LitmusReading Reading = readLitmus(Text, "test.litmus");
  return Reading.Test ? "" : Reading.Problem;
}

std::string replaced(std::string Text, const std::string &From, const std::string &To) {
  return Text.replace(Text.find(From), From.size(), To);
}

class LitmusInput : public testing::CommandLineTest {
protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    write("SB.litmus", StoreBuffering);
  }
};

TEST_F(LitmusInput, APipeIsRead) {
  const std::string Found = "sc    fails, never (0 of 3 executions)";
  EXPECT_TRUE(contains(run("litmus --model sc /dev/stdin < SB.litmus").Output, Found));
  ASSERT_EQ(std::system(("mkfifo " + (Root / "pipe").string()).c_str()), 0);
  const std::string Writer = "cat " + (Root / "SB.litmus").string() + " > " + (Root / "pipe").string() + " &";
  ASSERT_EQ(std::system(Writer.c_str()), 0); // waits for whoever reads
  const Outcome Result = run("litmus --model sc pipe");
  EXPECT_EQ(Result.ExitCode, 0);
  EXPECT_TRUE(contains(Result.Output, Found)) << Result.Output;
}

TEST_F(LitmusInput, APipeThatNobodyWritesToEndsWithTheTimeLimit) {
  ASSERT_EQ(std::system(("mkfifo " + (Root / "pipe").string()).c_str()), 0);
  Outcome Result = run("litmus --timeout 100ms pipe");
  EXPECT_EQ(Result.ExitCode, 3);
  EXPECT_TRUE(contains(Result.Output, "pipe: the file cannot be read: the time limit was reached")) << Result.Output;
  Result = run("litmus --timeout 100ms --expected pipe SB.litmus");
  EXPECT_EQ(Result.ExitCode, 2);
  EXPECT_TRUE(contains(Result.Output, "'pipe': the file cannot be read: the time limit was reached")) << Result.Output;
}

TEST_F(LitmusInput, AFileWithoutEndIsRefused) {
  const Outcome Result = run("litmus /dev/zero");
  EXPECT_EQ(Result.ExitCode, 3);
  EXPECT_TRUE(contains(Result.Output, "it has more than 16 MiB")) << Result.Output;
}

TEST_F(LitmusInput, AByteOrderMarkIsNoPartOfTheText) {
  write("mark.litmus", "\xef\xbb\xbf" + StoreBuffering);
  const Outcome Result = run("litmus --model sc mark.litmus");
  EXPECT_EQ(Result.ExitCode, 0);
  EXPECT_TRUE(contains(Result.Output, "X86 SB: exists")) << Result.Output;
  EXPECT_EQ(problemOf("\xff\xfeX"), "the text is UTF-16: save it as UTF-8 (line 1)");
  write("table.tsv",
        "\xef\xbb\xbftest\tmodel\tquantifier\tholds\tfails\tstates\texecutions\nSB\tsc\texists\t0\t3\t3\t3\n");
  EXPECT_TRUE(contains(run("litmus --model sc --expected table.tsv SB.litmus").Output, "1 result agree"));
}

TEST_F(LitmusInput, ARowWhoseTestIsNotThereIsAnError) {
  write("table.tsv", "test\tmodel\tquantifier\tholds\tfails\tstates\texecutions\nSB\tsc\texists\t0\t3\t3\t3\n"
                     "Gone\tsc\texists\t0\t3\t3\t3\n");
  for (const char *Files : {"", " SB.litmus"}) {
    const Outcome Result = run(std::string("litmus --model sc --expected table.tsv") + Files);
    EXPECT_EQ(Result.ExitCode, 1) << Result.Output;
    EXPECT_TRUE(contains(Result.Output, "Gone sc: expected exists: ")) << Result.Output;
    EXPECT_TRUE(contains(Result.Output, "1 mismatch")) << Result.Output;
  }
}

TEST_F(LitmusInput, RowsOfTestsThatWereNotAskedForAreNoError) {
  write("Other.litmus", StoreBuffering);
  write("table.tsv", "test\tmodel\tquantifier\tholds\tfails\tstates\texecutions\nSB\tsc\texists\t0\t3\t3\t3\n"
                     "Other\tsc\texists\t0\t3\t3\t3\n");
  EXPECT_EQ(run("litmus --model sc --expected table.tsv SB.litmus").ExitCode, 0);
}

TEST(LitmusMessages, NameTheMistake) {
  EXPECT_EQ(problemOf(replaced(StoreBuffering, "{ }", "{ };")),
            "no ';' belongs after the '}' of the initial state (line 2)");
  EXPECT_EQ(problemOf(replaced(StoreBuffering, "(0:EAX", "(zero:EAX")),
            "a thread is expected before ':', as 0 or P0, not 'zero' (line 6)");
  EXPECT_EQ(problemOf(replaced(StoreBuffering, " P0 | P1 ;", " P0: | P1: ;")),
            "the names of threads stand in a line of their own, as in 'P0 | P1 ;', not 'P0:' (line 3)");
}

TEST_F(LitmusInput, ATestWhoseExecutionsAreAllCutHasNoAnswer) {
  write("loop.litmus", "PPC loop\n{ 0:r2=x; 1:r2=x; 1:r1=1; }\n P0 | P1 ;\n L: | ;\n lwz r1,0(r2) | stw r1,0(r2) ;\n"
                       " cmpwi r1,5 | ;\n bne L | ;\nexists (0:r1=7)\n");
  const Outcome Text = run("litmus loop.litmus");
  EXPECT_EQ(Text.ExitCode, 4) << Text.Output;
  EXPECT_FALSE(contains(Text.Output, "never")) << Text.Output;
  EXPECT_TRUE(contains(Text.Output, "  sc    bounded: every execution was cut at the bound of 8 iterations"))
      << Text.Output;
  EXPECT_TRUE(contains(Text.Output, "  power bounded: every execution was cut at the bound of 8 iterations"))
      << Text.Output;
  llvm::Expected<llvm::json::Value> Json = llvm::json::parse(run("litmus --json loop.litmus", "2>/dev/null").Output);
  ASSERT_TRUE(static_cast<bool>(Json));
  const llvm::json::Object &First = *Json->getAsObject()->getArray("tests")->front().getAsObject();
  const llvm::json::Object &M = *First.getArray("models")->front().getAsObject();
  EXPECT_EQ(M.getString("coverage"), "bounded");
  EXPECT_EQ(M.getString("observation"), std::nullopt);
}

TEST_F(LitmusInput, WhereSomeExecutionsAreCutTheAnswerSaysSo) {
  write("loop.litmus", "PPC loop\n{ 0:r2=x; 1:r2=x; 1:r1=5; }\n P0 | P1 ;\n L: | ;\n lwz r1,0(r2) | stw r1,0(r2) ;\n"
                       " cmpwi r1,5 | ;\n bne L | ;\nexists (0:r1=7)\n");
  const Outcome Text = run("litmus --model sc loop.litmus");
  EXPECT_EQ(Text.ExitCode, 0) << Text.Output;
  EXPECT_TRUE(contains(Text.Output, "fails, never up to the loop bound (0 of ")) << Text.Output;
}

TEST_F(LitmusInput, FinalStatesCountAsMemory) {
  // Six threads write their own values to three locations, and everything is observed: many states.
  std::string Names, Codes[3], Observed;
  for (int T = 0; T < 6; ++T) {
    Names += (T ? " | P" : " P") + std::to_string(T);
    const std::string Separator = T ? " | " : " ";
    Codes[0] += Separator + "MOV [x],$" + std::to_string(T + 1);
    Codes[1] += Separator + "MOV EAX,[y]";
    Codes[2] += Separator + "MOV [y],$" + std::to_string(T + 1);
    Observed += std::to_string(T) + ":EAX; ";
  }
  write("many.litmus", "X86 many\n{ }\n" + Names + " ;\n" + Codes[0] + " ;\n" + Codes[1] + " ;\n" + Codes[2] + " ;\n" +
                           "locations [" + Observed + "x; y]\nforall true\n");
  const Outcome Result = run("litmus --quiet --model tso --max-memory 1M many.litmus");
  EXPECT_EQ(Result.ExitCode, 4) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "inconclusive: the memory limit was reached")) << Result.Output;
}

} // namespace
} // namespace picket
