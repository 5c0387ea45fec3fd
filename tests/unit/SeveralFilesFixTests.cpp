// Fixes of programs of several files: each change in the file that has the access, verified on the linked program.
#include "fences/FencePlacement.h"
#include "fences/Relax.h"
#include "fences/TextDiff.h"
#include "support/CommandLine.h"
#include "support/Files.h"

namespace picket {
namespace {

using testing::contains;
using testing::requestForFiles;

const std::string Main = "#include <assert.h>\n"
                         "#include <pthread.h>\n"
                         "#include \"shared.h\"\n"
                         "int main(void) {\n"
                         "  pthread_t t, u;\n"
                         "  pthread_create(&t, 0, left, 0);\n"
                         "  pthread_create(&u, 0, right, 0);\n"
                         "  pthread_join(t, 0);\n"
                         "  pthread_join(u, 0);\n"
                         "  assert(a || b);\n"
                         "  return 0;\n"
                         "}\n";
const std::string Header = "extern volatile int x, y, a, b;\nvoid *left(void *), *right(void *);\n";
const std::string Left = "#include \"shared.h\"\n"
                         "volatile int x, a;\n"
                         "void *left(void *p) {\n"
                         "  x = 1;\n"
                         "  a = y;\n"
                         "  return p;\n"
                         "}\n";
const std::string Right = "#include \"shared.h\"\n"
                          "volatile int y, b;\n"
                          "void *right(void *p) {\n"
                          "  y = 1;\n"
                          "  b = x;\n"
                          "  return p;\n"
                          "}\n";

CompileRequest storeBuffering() {
  return requestForFiles({{"main.c", Main}, {"left.c", Left}, {"right.c", Right}, {"shared.h", Header}});
}

FixOptions options(std::vector<MemoryModel> Models) {
  FixOptions Options;
  Options.Check.Models = std::move(Models);
  return Options;
}

std::vector<std::string> filesOf(const std::vector<TextEdit> &Edits) {
  std::set<std::string> Files;
  for (const TextEdit &E : Edits)
    Files.insert(E.File);
  return {Files.begin(), Files.end()};
}

void expectVerified(CompileRequest Text, const std::vector<TextEdit> &Edits, const std::vector<MemoryModel> &Models) {
  for (auto &[File, Edited] : editedTexts(Text, Edits))
    Text.Unsaved[File] = Edited;
  CheckOptions Options;
  Options.Models = Models;
  for (const ModelReport &M : check({Text, Options}).Models)
    EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which) << ": " << M.Reason;
}

TEST(SeveralFilesFix, ChangesTheFilesThatHaveTheAccesses) {
  // One program for all models, and one for each architecture.
  for (const std::vector<MemoryModel> &Models :
       {std::vector{MemoryModel::TSO, MemoryModel::PSO}, std::vector{MemoryModel::TSO, MemoryModel::Power}}) {
    const CompileRequest Text = storeBuffering();
    const FixReport Report = findFixes(Text, options(Models));
    ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
    const Fix &Best = Report.Fixes[0];
    EXPECT_EQ(filesOf(Best.Edits), (std::vector<std::string>{"/p/left.c", "/p/right.c"}));
    EXPECT_TRUE(Best.Minimal);
    EXPECT_FALSE(Best.ChangesTest);
    expectVerified(Text, Best.Edits, Models);
    EXPECT_EQ(describe(Best.Changes[0], Text.File), "a full fence after left.c line 4");
  }
}

TEST(SeveralFilesFix, AHeaderThatSeveralFilesIncludeIsChangedOnce) {
  const std::string Inline = "#include <stdatomic.h>\n"
                             "static inline void publish(atomic_int *flag) {\n"
                             "  int before = atomic_load_explicit(flag, memory_order_relaxed);\n"
                             "  atomic_store_explicit(flag, before + 1, memory_order_relaxed);\n"
                             "}\n"
                             "extern atomic_int one, two;\nextern int first, second;\nvoid *other(void *);\n";
  const CompileRequest Text = requestForFiles(
      {{"main.c", "#include <assert.h>\n#include <pthread.h>\n#include \"flag.h\"\natomic_int one, two;\n"
                  "int first, second;\n"
                  "static void *work(void *arg) {\n  first = 1;\n  publish(&one);\n  return arg;\n}\n"
                  "int main(void) {\n  pthread_t t, u;\n  pthread_create(&t, 0, work, 0);\n"
                  "  pthread_create(&u, 0, other, 0);\n"
                  "  if (atomic_load_explicit(&one, memory_order_acquire))\n    assert(first);\n"
                  "  if (atomic_load_explicit(&two, memory_order_acquire))\n    assert(second);\n"
                  "  pthread_join(t, 0);\n  pthread_join(u, 0);\n}\n"},
       {"other.c",
        "#include \"flag.h\"\nvoid *other(void *arg) {\n  second = 1;\n  publish(&two);\n  return arg;\n}\n"},
       {"flag.h", Inline}});
  const FixReport Report = findFixes(Text, options({MemoryModel::PSO}));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  const Fix &Best = Report.Fixes[0];
  EXPECT_EQ(Best.Changes.size(), 1u);
  EXPECT_EQ(filesOf(Best.Edits), std::vector<std::string>{"/p/flag.h"});
  EXPECT_TRUE(contains(editedTexts(Text, Best.Edits).at("/p/flag.h"), "before + 1, memory_order_release"));
  expectVerified(Text, Best.Edits, {MemoryModel::PSO});
}

TEST(SeveralFilesFix, CodeOfAHeaderThatOnlyOneFileCompilesIsFoundThere) {
  const std::string Implementation = "void *right(void *);\nextern volatile int x, y, a, b;\n"
                                     "#ifdef IMPLEMENTATION\nvolatile int y, b;\n"
                                     "void *right(void *p) {\n  y = 1;\n  b = x;\n  return p;\n}\n#endif\n";
  const CompileRequest Text = requestForFiles({{"main.c", Main},
                                               {"left.c", Left},
                                               {"right.c", "#define IMPLEMENTATION\n#include \"right.h\"\n"},
                                               {"shared.h", "#include \"right.h\"\nvoid *left(void *);\n"},
                                               {"right.h", Implementation}});
  const FixReport Report = findFixes(Text, options({MemoryModel::TSO}));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  EXPECT_EQ(filesOf(Report.Fixes[0].Edits), (std::vector<std::string>{"/p/left.c", "/p/right.h"}));
  expectVerified(Text, Report.Fixes[0].Edits, {MemoryModel::TSO});
}

TEST(SeveralFilesFix, OnlyFilesThatMayBeChangedAre) {
  FixOptions Options = options({MemoryModel::TSO});
  Options.Scope.NotIn = {"right.c"};
  const FixReport Report = findFixes(storeBuffering(), Options);
  EXPECT_EQ(Report.What, EditOutcome::Refused);
  EXPECT_TRUE(contains(Report.Reason, "no place in the files that may be changed")) << Report.Reason;
}

TEST(SeveralFilesFix, WhatIsNotNeededIsFoundInEveryFile) {
  const auto Fenced = [](std::string Text) {
    return Text.replace(Text.find(" = 1;\n") + 6, 0, "  __sync_synchronize();\n  __sync_synchronize();\n");
  };
  const CompileRequest Text =
      requestForFiles({{"main.c", Main}, {"left.c", Fenced(Left)}, {"right.c", Fenced(Right)}, {"shared.h", Header}});
  const RelaxReport Report = relax(Text, options({MemoryModel::TSO}));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  EXPECT_EQ(filesOf(Report.Edits), (std::vector<std::string>{"/p/left.c", "/p/right.c"}));
  expectVerified(Text, Report.Edits, {MemoryModel::TSO});
}

TEST(SeveralFilesFix, APlaceThatNoFileHasIsRefused) {
  ChangeOrder Change;
  Change.Access = {"/p/none.c", 3, 1};
  const PlacedChange Placed = placeChanges(storeBuffering(), {Change});
  EXPECT_FALSE(Placed.placed());
  EXPECT_EQ(Placed.RefusedAt.File, "/p/none.c");
}

class ProgramCommand : public testing::CommandLineTest {
protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    std::filesystem::create_directory(Root / ".git"); // the project ends here
    std::filesystem::create_directory(Root / "src");
    write("main.c", Main);
    write("src/left.c", Left);
    write("src/right.c", Right);
    write("src/shared.h", Header);
  }
  std::string read(const std::string &Name) {
    std::ifstream In(Root / Name);
    return {std::istreambuf_iterator<char>(In), {}};
  }
  const std::string All = " -Isrc --program main.c src/left.c src/right.c";
};

TEST_F(ProgramCommand, ChecksTheFilesAsOneProgram) {
  const testing::Outcome Result = run("check --model tso" + All);
  EXPECT_EQ(Result.ExitCode, 1) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "main.c: TSO: violation")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "main.c:10")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "left   left.c:4")) << Result.Output;
  EXPECT_EQ(run("check --model sc" + All).ExitCode, 0);
  EXPECT_EQ(run("robust --model tso" + All).ExitCode, 1);
  for (const char *How : {"--with src/left.c --with src/right.c main.c", "main.c --with=src/left.c --with=src/right.c"})
    EXPECT_TRUE(contains(run(std::string("check --model tso -Isrc ") + How).Output, "main.c: TSO: violation")) << How;
  const testing::Outcome Alone = run("check --model tso -Isrc main.c");
  EXPECT_EQ(Alone.ExitCode, 3) << Alone.Output;
}

TEST_F(ProgramCommand, TheFileOrTheProjectNamesTheOthers) {
  write("named.c", "// picket: with=src/left.c src/right.c models=tso flags=-Isrc\n" + Main);
  EXPECT_TRUE(contains(run("check named.c").Output, "named.c: TSO: violation")) << run("check named.c").Output;
  write("wrong.c", "// picket: with=src/none.c flags=-Isrc\n" + Main);
  EXPECT_TRUE(contains(run("check wrong.c").Output, "src/none.c: error: cannot read the file"))
      << run("check wrong.c").Output;
  // In the project's settings, paths are those below their folder.
  write(".picket.toml", "models = [\"tso\"]\nflags = [\"-Isrc\"]\n[program]\nwith = [\"src/left.c\"]\n"
                        "\"ma*.c\" = [\"src/left.c\", \"src/right.c\"]\n");
  EXPECT_TRUE(contains(run("check main.c").Output, "main.c: TSO: violation")) << run("check main.c").Output;
  EXPECT_TRUE(contains(run("check --with src/left.c main.c").Output, "undefined reference to 'right'"));
  write("other.c", Main);
  const testing::Outcome Other = run("check other.c");
  EXPECT_TRUE(contains(Other.Output, "other.c:7")) << Other.Output;
  EXPECT_TRUE(contains(Other.Output, "undefined reference to 'right'")) << Other.Output;
}

TEST_F(ProgramCommand, EveryFileIsCompiledWithItsOwnFlags) {
  write("compile_commands.json", "[{\"directory\": \"" + Root.string() +
                                     "\", \"file\": \"main.c\", \"command\": "
                                     "\"cc -Isrc -c main.c\"}, {\"directory\": \"" +
                                     Root.string() +
                                     "\", \"file\": \"src/left.c\", \"command\": \"cc -DFENCE=1 -c src/left.c\"}]");
  write("src/left.c", "#ifdef FENCE\n#define BARRIER __sync_synchronize();\n#else\n#define BARRIER\n#endif\n"
                      "#include \"shared.h\"\nvolatile int x, a;\n"
                      "void *left(void *p) { x = 1; BARRIER a = y; return p; }\n");
  write("src/right.c", "// picket: flags=-DNEEDED,-DBARRIER=__sync_synchronize();\n#ifndef NEEDED\n#error own flags\n"
                       "#endif\n#include \"shared.h\"\nvolatile int y, b;\n"
                       "void *right(void *p) { y = 1; BARRIER b = x; return p; }\n");
  const testing::Outcome Result = run("check --model tso --program main.c src/left.c src/right.c");
  EXPECT_EQ(Result.ExitCode, 0) << Result.Output;
}

TEST_F(ProgramCommand, ABuildFolderHasTheCommands) {
  write("src/left.c", "#ifndef FROM_BUILD\n#error no flags\n#endif\n" + Left);
  const std::string Commands = "[{\"directory\": \"" + Root.string() +
                               "\", \"file\": \"src/left.c\", \"command\": "
                               "\"cc -DFROM_BUILD -Isrc -c src/left.c\"}]";
  EXPECT_EQ(run("check --model sc" + All).ExitCode, 3);
  for (const std::string Folder : {"build", "out", "build/debug", "cmake-build-debug"}) {
    std::filesystem::create_directories(Root / Folder);
    write(Folder + "/compile_commands.json", Commands);
    EXPECT_EQ(run("check --model sc" + All).ExitCode, 0) << Folder;
    std::filesystem::remove_all(Root / Folder);
  }
  // One that is about C++ says nothing about C.
  std::filesystem::create_directories(Root / "build");
  write("build/compile_commands.json",
        "[{\"directory\": \"/\", \"file\": \"x.cpp\", \"command\": \"c++ -DFROM_BUILD x.cpp\"}]");
  EXPECT_EQ(run("check --model sc" + All).ExitCode, 3);
}

TEST_F(ProgramCommand, AFixOfSeveralFilesIsAppliedWholly) {
  const testing::Outcome Diff = run("check --model tso --fix" + All, "2>/dev/null");
  EXPECT_EQ(Diff.ExitCode, 0);
  EXPECT_TRUE(contains(Diff.Output, "--- a/src/left.c\n+++ b/src/left.c\n")) << Diff.Output;
  EXPECT_TRUE(contains(Diff.Output, "--- a/src/right.c\n+++ b/src/right.c\n")) << Diff.Output;
  EXPECT_FALSE(contains(Diff.Output, "a/main.c")) << Diff.Output;
  const testing::Outcome Applied = run("check --model tso --fix --apply" + All);
  EXPECT_EQ(Applied.ExitCode, 0) << Applied.Output;
  EXPECT_NE(read("src/left.c"), Left);
  EXPECT_NE(read("src/right.c"), Right);
  EXPECT_EQ(read("main.c"), Main);
  EXPECT_EQ(run("check --model tso" + All).ExitCode, 0);
}

TEST_F(ProgramCommand, NoFileIsChangedIfOneCannotBeWritten) {
  namespace fs = std::filesystem;
  fs::create_directory(Root / "locked");
  fs::rename(Root / "src/right.c", Root / "locked/right.c");
  fs::permissions(Root / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  if (std::ofstream(Root / "locked/probe").is_open())
    GTEST_SKIP() << "this user may write everywhere";
  const testing::Outcome Applied =
      run("check --model tso -Isrc --fix --apply --program main.c src/left.c locked/right.c");
  fs::permissions(Root / "locked", fs::perms::owner_all);
  EXPECT_EQ(Applied.ExitCode, 2) << Applied.Output;
  EXPECT_EQ(read("src/left.c"), Left);
  EXPECT_EQ(read("locked/right.c"), Right);
}

TEST_F(ProgramCommand, ACounterexampleIsReplayedWithAllFiles) {
  ASSERT_EQ(run("check --model tso -DUNUSED --trace-json bug.json" + All).ExitCode, 1);
  EXPECT_TRUE(
      contains(read("bug.json"), "\"with\":[{\"file\":\"src/left.c\",\"flags\":[\"-D\",\"UNUSED\",\"-I\",\"src\"]}"))
      << read("bug.json").substr(0, 600);
  EXPECT_TRUE(contains(read("bug.json"), "\"src/left.c\":\"#include")) << "the texts of all files";
  const testing::Outcome Again = run("replay bug.json");
  EXPECT_EQ(Again.ExitCode, 1) << Again.Output;
  EXPECT_TRUE(contains(Again.Output, "fails again")) << Again.Output;
  run("check --model tso --fix --apply" + All);
  EXPECT_NE(run("replay bug.json").ExitCode, 1);
}

TEST_F(ProgramCommand, ReportsNameTheFiles) {
  const testing::Outcome Json = run("check --model tso --json" + All, "2>/dev/null");
  EXPECT_TRUE(contains(Json.Output, "\"src/left.c\",\n    \"src/right.c\"")) << Json.Output.substr(0, 400);
  const testing::Outcome Sarif = run("check --model tso --format sarif" + All, "2>/dev/null");
  EXPECT_TRUE(contains(Sarif.Output, "src/left.c")) << Sarif.Output.substr(0, 400);
  write("src/right.c", Right + "volatile int x;\n");
  const testing::Outcome Twice = run("check --model tso" + All);
  EXPECT_EQ(Twice.ExitCode, 3);
  EXPECT_TRUE(contains(Twice.Output, "multiple definition of 'x'")) << Twice.Output;
  EXPECT_TRUE(contains(Twice.Output, "src/right.c:8")) << Twice.Output;
  EXPECT_TRUE(contains(Twice.Output, "src/left.c:2: note: first defined here")) << Twice.Output;
}

} // namespace
} // namespace picket
