// The `picket` program from outside: exit codes, JSON and sentences.
#include "support/CommandLine.h"

#include "llvm/Support/JSON.h"

namespace picket {
namespace {

namespace fs = std::filesystem;

using testing::contains;
using testing::Outcome;

class CommandLine : public testing::CommandLineTest {
protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    write("good.c", "int main(void) { return 0; }\n");
    write("bad.c", "#include <assert.h>\nint x;\nint main(void) {\n  assert(x == 1);\n  return 0;\n}\n");
    write("broken.c", "int main(void) { return missing; }\n");
    write("empty.c", "");
  }

  llvm::json::Value runJson(const std::string &Arguments) {
    Outcome Result = run("check --json " + Arguments, "2>/dev/null");
    llvm::Expected<llvm::json::Value> Parsed = llvm::json::parse(Result.Output);
    if (Parsed)
      return std::move(*Parsed);
    ADD_FAILURE() << llvm::toString(Parsed.takeError()) << " in " << Result.Output;
    return nullptr;
  }
};

TEST_F(CommandLine, ExitCodeSaysWhatWasFound) {
  EXPECT_EQ(run("check good.c").ExitCode, 0);
  EXPECT_EQ(run("check bad.c").ExitCode, 1);
  EXPECT_EQ(run("check broken.c").ExitCode, 3);
  EXPECT_EQ(run("check empty.c").ExitCode, 3);
  EXPECT_EQ(run("check missing.c").ExitCode, 3);
  EXPECT_EQ(run("check .").ExitCode, 3);
}

TEST_F(CommandLine, TheGravestFileDecides) {
  EXPECT_EQ(run("check good.c broken.c").ExitCode, 3);
  EXPECT_EQ(run("check broken.c bad.c good.c").ExitCode, 1);
}

TEST_F(CommandLine, RefusesBadUsage) {
  for (const char *Arguments :
       {"", "chekc good.c", "check", "check --no-such-option good.c", "check --model arm good.c",
        "check --timeout 5x good.c", "check --max-memory lots good.c", "check --unroll 0 good.c",
        "check --format xml good.c"}) {
    Outcome Result = run(Arguments);
    EXPECT_EQ(Result.ExitCode, 2) << Arguments;
    EXPECT_TRUE(contains(Result.Output, "picket: ")) << Arguments;
  }
}

TEST_F(CommandLine, NamesTheWordsOfAnOption) {
  const std::pair<const char *, const char *> All[] = {
      {"check --engine fast good.c", "--engine: fast not in {auto,bounded,lazy}"},
      {"check --engine 0 good.c", "--engine: 0 not in {auto,bounded,lazy}"}, // no numbers of enumerators
      {"check --equivalence all good.c", "--equivalence: all not in {shasha-snir,rf}"},
      {"check --format xml good.c", "--format: xml not in {text,json,sarif}"},
      {"check --color red good.c", "--color: red not in {auto,always,never}"},
      {"check --trace none good.c", "--trace: none not in {chronological,shasha-snir}"},
      {"litmus --format sarif good.litmus", "--format: sarif not in {text,json}"}};
  for (const auto &[Arguments, Sentence] : All) {
    const Outcome Result = run(Arguments);
    EXPECT_EQ(Result.ExitCode, 2) << Arguments;
    EXPECT_TRUE(contains(Result.Output, Sentence)) << Result.Output;
  }
  for (const char *Arguments : {"check --quiet --engine lazy --equivalence rf --color never good.c",
                                "check --trace shasha-snir --format sarif good.c"})
    EXPECT_EQ(run(Arguments).ExitCode, 0) << Arguments;
}

TEST_F(CommandLine, HelpAndVersionSucceed) {
  EXPECT_EQ(run("--help").ExitCode, 0);
  EXPECT_TRUE(contains(run("check --help").Output, "Examples:"));
  EXPECT_TRUE(contains(run("--version").Output, "picket "));
}

TEST_F(CommandLine, ShowsTheBugWithItsSourceLine) {
  Outcome Result = run("check bad.c");
  EXPECT_TRUE(contains(Result.Output, "bad.c: SC: violation")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "bad.c:4:3: error: ")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "    4 |   assert(x == 1);\n      |   ^\n")) << Result.Output;
}

TEST_F(CommandLine, JsonKeepsTheOrderOfItsFields) {
  std::string Output = run("check --format json bad.c").Output;
  size_t Last = 0;
  for (const char *Field : {"\"file\"", "\"models\"", "\"model\"", "\"verdict\"", "\"executions\"", "\"blocked\"",
                            "\"bounded\"", "\"seconds\"", "\"bugs\"", "\"kind\"", "\"message\"", "\"file\"", "\"line\"",
                            "\"column\"", "\"thread\"", "\"reason\""}) {
    size_t Found = Output.find(Field, Last);
    ASSERT_NE(Found, std::string::npos) << Field << " in " << Output;
    Last = Found + 1;
  }
}

TEST_F(CommandLine, JsonNamesTheBug) {
  llvm::json::Value Report = runJson("bad.c");
  ASSERT_TRUE(Report.getAsObject());
  EXPECT_EQ(Report.getAsObject()->getString("file"), "bad.c");
  const llvm::json::Object &Model = *Report.getAsObject()->getArray("models")->front().getAsObject();
  EXPECT_EQ(Model.getString("model"), "sc");
  EXPECT_EQ(Model.getString("verdict"), "violation");
  EXPECT_EQ(Model.getInteger("executions"), 1);
  const llvm::json::Object &Bug = *Model.getArray("bugs")->front().getAsObject();
  EXPECT_EQ(Bug.getString("kind"), "assertion");
  EXPECT_EQ(Bug.getString("file"), "bad.c");
  EXPECT_EQ(Bug.getInteger("line"), 4);
  EXPECT_EQ(Bug.getString("thread"), "main");
}

TEST_F(CommandLine, JsonOfSeveralFilesIsAnArray) {
  llvm::json::Value Reports = runJson("good.c broken.c missing.c");
  ASSERT_TRUE(Reports.getAsArray());
  ASSERT_EQ(Reports.getAsArray()->size(), 3u);
  for (size_t I : {1, 2}) {
    const llvm::json::Object &Report = *(*Reports.getAsArray())[I].getAsObject();
    const llvm::json::Object &Model = *Report.getArray("models")->front().getAsObject();
    EXPECT_EQ(Model.getString("verdict"), "compile-error");
    EXPECT_NE(Model.getString("reason"), "");
  }
}

TEST_F(CommandLine, PassesFlagsToClang) {
  write("flags.c", "#include <here.h>\n#if N != 3 || M != 4 || __STDC_VERSION__ != 201112L\n#error flags\n#endif\n"
                   "int main(void) { return 0; }\n");
  fs::create_directory(Root / "inc");
  write("inc/here.h", "");
  EXPECT_EQ(run("check -DN=3 -D M=4 -Iinc -std=c11 -Wall flags.c").ExitCode, 0);
  EXPECT_EQ(run("check flags.c -- -DN=3 -D M=4 -I inc -std=c11").ExitCode, 0);
  EXPECT_EQ(run("check flags.c -DN=3").ExitCode, 3);
}

TEST_F(CommandLine, AcceptsTimesAndSizesWithUnits) {
  for (const char *Options : {"--timeout 20", "--timeout 20s", "--timeout 2m", "--timeout 500ms", "--max-memory 512M",
                              "--max-memory 2G", "--jobs 2", "--unroll 3 --exhaustive"})
    EXPECT_EQ(run(std::string("check ") + Options + " good.c").ExitCode, 0) << Options;
}

TEST_F(CommandLine, CountsExecutions) {
  std::string Output = run("check --count good.c").Output;
  EXPECT_TRUE(contains(Output, "executions/s")) << Output;
  EXPECT_TRUE(contains(Output, "good.c      sc     verified")) << Output;
}

TEST_F(CommandLine, CountsModelsSideBySide) {
  const std::string Programs = PICKET_SOURCE_DIR "/tests/programs/";
  auto LastLine = [&](const std::string &Arguments) {
    std::string Output = run("check --count --exhaustive --volatile=relaxed " + Arguments).Output;
    return Output.substr(Output.rfind('\n', Output.size() - 2) + 1);
  };
  auto EndsWith = [](const std::string &Line, const std::string &End) {
    return Line.size() >= End.size() && Line.substr(Line.size() - End.size()) == End;
  };
  std::string Line = LastLine(Programs + "store_buffering.c");
  EXPECT_TRUE(EndsWith(Line, "           3           4           4           4           4           4  no\n")) << Line;
  Line = LastLine(Programs + "message_passing.c");
  EXPECT_TRUE(EndsWith(Line, "           3           3           4           4           4           4  tso\n"))
      << Line;
  Line = LastLine("-DFENCED " + Programs + "store_buffering.c");
  EXPECT_TRUE(EndsWith(
      Line, "           3           3           3           3           3           3  tso, pso, armv8, power, c11\n"))
      << Line;
}

TEST_F(CommandLine, CountsTellRobustnessAgainstTheModelsThatWereExploredToTheEnd) {
  const std::string Program = PICKET_SOURCE_DIR "/tests/programs/message_passing.c";
  const std::string Output = run("check --count --exhaustive " + Program).Output; // volatile flags: a data race
  EXPECT_TRUE(contains(Output, "  tso (c11: ?)\n")) << Output;
  EXPECT_TRUE(contains(run("check --count --exhaustive --model sc,c11 " + Program).Output, "  ?\n"));
  EXPECT_TRUE(contains(run("check --count --exhaustive --model tso,pso " + Program).Output, "  ?\n"));
}

TEST_F(CommandLine, CountsOfRelationsSayNothingOfRobustness) {
  const std::string Program = PICKET_SOURCE_DIR "/tests/programs/two_plus_two_writes.c";
  const std::string Output = run("check --count --exhaustive --no-monitor --equivalence rf " + Program).Output;
  EXPECT_TRUE(contains(Output, "one execution per reads-from relation")) << Output;
  EXPECT_TRUE(contains(Output, "  ?\n")) << Output;
}

TEST_F(CommandLine, ChecksAllModelsUnlessToldOtherwise) {
  std::string Output = run("check good.c").Output;
  size_t Sc = Output.find(": SC: "), Tso = Output.find(": TSO: "), Pso = Output.find(": PSO: ");
  EXPECT_LT(Sc, Tso) << Output;
  EXPECT_LT(Tso, Pso) << Output;
  EXPECT_NE(Pso, std::string::npos) << Output;
  EXPECT_FALSE(contains(run("check --model tso good.c").Output, ": SC: "));
}

TEST_F(CommandLine, SettingsOfTheFileHoldUnlessTheCommandLineSaysOtherwise) {
  fs::create_directory(Root / "sub");
  write(".picket.toml", "models = [\"tso\"]\nflags = [\"-DN=3\"]\n");
  write("sub/set.c", "// picket: models=pso\n#if N != 3\n#error flags\n#endif\nint main(void) { return 0; }\n");
  EXPECT_TRUE(contains(run("check good.c").Output, "good.c: TSO: "));
  EXPECT_FALSE(contains(run("check good.c").Output, "good.c: SC: "));
  EXPECT_TRUE(contains(run("check good.c sub/set.c").Output, "sub/set.c: PSO: verified"));
  EXPECT_TRUE(contains(run("check --model sc sub/set.c").Output, "sub/set.c: SC: verified"));
  EXPECT_EQ(run("check -DN=4 sub/set.c").ExitCode, 3);
  EXPECT_EQ(run("check --fix sub/set.c").ExitCode, 0);
  EXPECT_EQ(run("robust sub/set.c").ExitCode, 0);
}

TEST_F(CommandLine, WrongSettingsOfTheFileAreToldAndLeftOut) {
  write("wrong.c", "\n// picket: models=alpha unroll=3\nint main(void) { return 0; }\n");
  Outcome Result = run("check wrong.c");
  EXPECT_EQ(Result.ExitCode, 0);
  EXPECT_TRUE(contains(Result.Output, "wrong.c:2: warning: 'alpha' is no memory model")) << Result.Output;
}

TEST_F(CommandLine, DumpsBytecode) {
  Outcome Result = run("check --dump-bytecode good.c");
  EXPECT_EQ(Result.ExitCode, 0);
  EXPECT_TRUE(contains(Result.Output, "main")) << Result.Output;
  EXPECT_EQ(run("check --dump-bytecode broken.c").ExitCode, 3);
}

} // namespace
} // namespace picket
