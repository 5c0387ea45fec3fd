// Programs of several files: linked as a linker does, shown with the right file, told what is missing or there twice.
#include "support/Files.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::requestForFiles;

const std::string Threads = "#include <assert.h>\n#include <pthread.h>\n";

CheckReport checkFiles(const CompileRequest &Request, std::vector<MemoryModel> Models = {MemoryModel::SC}) {
  CheckOptions Options;
  Options.Models = std::move(Models);
  return check({Request, Options});
}

std::string verdictOf(const CompileRequest &Request, MemoryModel Model = MemoryModel::SC) {
  const CheckReport Report = checkFiles(Request, {Model});
  std::string Text = nameOf(Report.Models[0].Result);
  for (const Bug &B : Report.Models[0].Bugs)
    Text += ": " + B.Message + " at " + B.Where.File + ":" + std::to_string(B.Where.Line);
  return Text + (Report.Models[0].Reason.empty() ? "" : ": " + Report.Models[0].Reason);
}

/// "message at file:line", with the notes behind it.
std::vector<std::string> errorsOf(const CompileRequest &Request) {
  auto Told = [](const Diagnostic &D) {
    return D.Message + " at " + D.Where.File + ":" + std::to_string(D.Where.Line);
  };
  std::vector<std::string> Errors;
  for (const Diagnostic &D : compileProgram(Request).Diagnostics) {
    if (D.Level != Severity::Error)
      continue;
    Errors.push_back(Told(D));
    for (const Diagnostic &Note : D.Notes)
      Errors.back() += "; " + Told(Note);
  }
  return Errors;
}

using Texts = std::vector<std::string>;

const std::string QueueHeader = "void put(int value);\nint take(void);\nextern int taken;\n";
const std::string Queue = "#include <stdatomic.h>\n"
                          "#include \"queue.h\"\n"
                          "static int slot;\n"
                          "static atomic_int full;\n"
                          "int taken;\n"
                          "void put(int value) {\n"
                          "  slot = value;\n"
                          "  atomic_store_explicit(&full, 1, ORDER);\n"
                          "}\n"
                          "int take(void) {\n"
                          "  if (!atomic_load_explicit(&full, memory_order_acquire))\n"
                          "    return 0;\n"
                          "  taken = 1;\n"
                          "  return slot;\n"
                          "}\n";
const std::string QueueTest = Threads + "#include \"queue.h\"\n"
                                        "static void *producer(void *arg) {\n"
                                        "  put(41);\n"
                                        "  return arg;\n"
                                        "}\n"
                                        "int main(void) {\n"
                                        "  pthread_t t;\n"
                                        "  pthread_create(&t, 0, producer, 0);\n"
                                        "  int got = take();\n"
                                        "  assert(!taken || got == 41);\n"
                                        "  pthread_join(t, 0);\n"
                                        "}\n";

CompileRequest queue(const std::string &Order) {
  CompileRequest Request = requestForFiles({{"test.c", QueueTest}, {"queue.c", Queue}, {"queue.h", QueueHeader}});
  Request.Others[0].Flags = {"-DORDER=memory_order_" + Order};
  return Request;
}

TEST(SeveralFiles, AreOneProgram) {
  for (const MemoryModel Model : allModels()) {
    EXPECT_EQ(verdictOf(queue("release"), Model), "verified") << nameOf(Model);
    const std::string Weak = verdictOf(queue("relaxed"), Model);
    const bool Fails = !isWeaker(MemoryModel::PSO, Model) && Model != MemoryModel::SC && Model != MemoryModel::TSO;
    EXPECT_EQ(Weak.starts_with("violation"), Fails) << nameOf(Model) << ": " << Weak;
  }
}

TEST(SeveralFiles, StepsNameTheFileOfTheAccess) {
  const CheckReport Report = checkFiles(queue("relaxed"), {MemoryModel::PSO});
  ASSERT_EQ(Report.Models[0].Bugs.size(), 1u);
  const Bug &B = Report.Models[0].Bugs[0];
  EXPECT_EQ(B.Where.File, "/p/test.c");
  EXPECT_EQ(B.Where.Line, 12u);
  ASSERT_TRUE(B.Trace);
  bool Stored = false;
  for (const Step &S : B.Trace->Steps) {
    const TraceEvent &E = B.Trace->Run.Events[S.Event];
    if (S.Text.find("stores 41 to `slot`") == std::string::npos)
      continue;
    Stored = true;
    EXPECT_EQ(E.At.Where.File, "/p/queue.c");
    EXPECT_EQ(E.At.Where.Line, 7u);
    EXPECT_EQ(E.At.Function, "put");
  }
  EXPECT_TRUE(Stored) << B.Trace->Sentence;
  EXPECT_NE(B.Trace->Sentence.find("queue.c"), std::string::npos) << B.Trace->Sentence;
}

TEST(SeveralFiles, WhatIsStaticStaysApart) {
  const std::string Own = "static int count;\n"
                          "static void *work(void *arg) { count += STEP; return arg; }\n";
  CompileRequest Request =
      requestForFiles({{"a.c", Threads + Own +
                                   "int other(pthread_t *t);\n"
                                   "int others_count(void);\n"
                                   "int main(void) {\n"
                                   "  pthread_t t, u;\n"
                                   "  pthread_create(&t, 0, work, 0);\n"
                                   "  other(&u);\n"
                                   "  pthread_join(t, 0);\n"
                                   "  pthread_join(u, 0);\n"
                                   "  assert(count == 1 && others_count() == WANTED);\n"
                                   "}\n"},
                       {"b.c", Threads + Own +
                                   "int other(pthread_t *t) { return pthread_create(t, 0, work, 0); }\n"
                                   "int others_count(void) { return count; }\n"}});
  Request.Flags = {"-DSTEP=1", "-DWANTED=2"};
  Request.Others[0].Flags = {"-DSTEP=2"};
  EXPECT_EQ(verdictOf(Request), "verified");

  Request.Flags.back() = "-DWANTED=3";
  const CheckReport Report = checkFiles(Request);
  ASSERT_EQ(Report.Models[0].Bugs.size(), 1u);
  const Recording &Run = Report.Models[0].Bugs[0].Trace->Run;
  std::set<std::string> Variables, Names;
  for (const TraceVariable &V : Run.Variables)
    Variables.insert(V.Name);
  for (const TraceThread &T : Run.Threads)
    Names.insert(T.Name);
  EXPECT_TRUE(Variables.contains("count of a.c") && Variables.contains("count of b.c"));
  EXPECT_EQ(Names, (std::set<std::string>{"main", "work#1", "work#2"}));
}

TEST(SeveralFiles, FilesOfOneNameAreToldApartByTheirFolders) {
  const std::string Other =
      "static int n;\nvoid *FUNCTION(void *p) { n++; return p; }\nint COUNT(void) { return n; }\n";
  CompileRequest Request =
      requestForFiles({{"main.c", Threads + "void *f(void *), *g(void *);\nint f_count(void), g_count(void);\n"
                                            "int main(void) {\n  pthread_t t, u;\n  pthread_create(&t, 0, f, 0);\n"
                                            "  pthread_create(&u, 0, g, 0);\n  assert(f_count() + g_count() < 2);\n"
                                            "  pthread_join(t, 0);\n  pthread_join(u, 0);\n}\n"},
                       {"x/n.c", Other},
                       {"y/n.c", Other}});
  Request.Others[0].Flags = {"-DFUNCTION=f", "-DCOUNT=f_count"};
  Request.Others[1].Flags = {"-DFUNCTION=g", "-DCOUNT=g_count"};
  const CheckReport Report = checkFiles(Request);
  ASSERT_EQ(Report.Models[0].Bugs.size(), 1u);
  std::set<std::string> Variables;
  for (const TraceVariable &V : Report.Models[0].Bugs[0].Trace->Run.Variables)
    Variables.insert(V.Name);
  EXPECT_TRUE(Variables.contains("n of /p/x/n.c") && Variables.contains("n of /p/y/n.c"));
}

TEST(SeveralFiles, HaveTheirOwnFlagsTypesAndMacros) {
  CompileRequest Request = requestForFiles(
      {{"a.c", "#include <assert.h>\nstruct item { int x; int y; };\nlong size_b(void);\n"
               "int main(void) { assert(sizeof(struct item) == 8 && size_b() == SIZE); }\n"},
       {"b.c", "struct item { long a, b; char c; };\nlong size_b(void) { return sizeof(struct item); }\n"}});
  Request.Flags = {"-DSIZE=24"};
  EXPECT_EQ(verdictOf(Request), "verified");
  Request.Others[0].Flags = {"-Dlong=short"};
  EXPECT_TRUE(verdictOf(Request).starts_with("violation"));
}

TEST(SeveralFiles, TypesOfOneNameAreShownWithTheirOwnFields) {
  CompileRequest Request =
      requestForFiles({{"a.c", Threads + "struct item { int x; int y; } first;\nvoid set(void);\nint get(void);\n"
                                         "static void *work(void *arg) { first.y = 1; set(); return arg; }\n"
                                         "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, work, 0);\n"
                                         "  assert(!(first.y && get()));\n  pthread_join(t, 0);\n}\n"},
                       {"b.c", "struct item { long head, tail; } second;\nvoid set(void) { second.tail = 1; }\n"
                               "int get(void) { return second.tail; }\n"}});
  const CheckReport Report = checkFiles(Request);
  ASSERT_EQ(Report.Models[0].Bugs.size(), 1u);
  std::set<std::string> Variables;
  for (const TraceVariable &V : Report.Models[0].Bugs[0].Trace->Run.Variables)
    Variables.insert(V.Name);
  EXPECT_TRUE(Variables.contains("first.y")) << *Variables.begin();
  EXPECT_TRUE(Variables.contains("second.tail")) << *Variables.begin();
}

TEST(SeveralFiles, SharedHeadersMayDefineInlineFunctions) {
  const std::string Header = "#ifndef H\n#define H\n"
                             "static inline int twice(int n) { return 2 * n; }\n"
                             "inline int thrice(int n) { return 3 * n; }\n" // C99: no external definition
                             "typedef int function(int);\n"
                             "#endif\n";
  EXPECT_EQ(verdictOf(requestForFiles(
                {{"a.c", "#include <assert.h>\n#include \"h.h\"\nint six(void);\nfunction *same(void);\n"
                         "int main(void) { assert(twice(3) == six() && thrice(2) == six() && same() == thrice); }\n"},
                 {"b.c", "#include \"h.h\"\nint six(void) { return twice(thrice(1)); }\n"
                         "function *same(void) { return thrice; }\n"},
                 {"h.h", Header}})),
            "verified");
}

TEST(SeveralFiles, WhatIsDefinedTwiceIsAnErrorAtBothPlaces) {
  EXPECT_EQ(errorsOf(requestForFiles({{"a.c", "int x;\nvoid put(void) {}\nint main(void) { return 0; }\n"},
                                      {"b.c", "\n\nvoid put(void) {}\n"},
                                      {"c.c", "int other;\nint x;\n"}})),
            (Texts{"multiple definition of 'put' at /p/b.c:3; first defined here at /p/a.c:2",
                   "multiple definition of 'x' at /p/c.c:2; first defined here at /p/a.c:1"}));
  EXPECT_EQ(
      errorsOf(requestForFiles({{"a.c", "int main(void) { return 0; }\n"}, {"b.c", "int main(void) { return 1; }\n"}})),
      (Texts{"multiple definition of 'main' at /p/b.c:1; first defined here at /p/a.c:1"}));
}

TEST(SeveralFiles, CommonAndWeakDefinitionsAreNone) {
  const CompileRequest Common = requestForFiles(
      {{"a.c", "#include <assert.h>\nint x;\nvoid set(void);\nint main(void) { set(); assert(x == 1); }\n"},
       {"b.c", "int x;\nvoid set(void) { x = 1; }\n"}});
  EXPECT_EQ(errorsOf(Common).size(), 1u);
  CompileRequest Merged = Common;
  Merged.Flags = Merged.Others[0].Flags = {"-fcommon"};
  EXPECT_EQ(verdictOf(Merged), "verified");
  EXPECT_EQ(verdictOf(requestForFiles({{"a.c", "#include <assert.h>\nint which(void);\n"
                                               "int main(void) { assert(which() == 2); }\n"},
                                       {"b.c", "__attribute__((weak)) int which(void) { return 1; }\n"},
                                       {"c.c", "int which(void) { return 2; }\n"}})),
            "verified");
}

TEST(SeveralFiles, WhatIsMissingIsAnErrorWhereItIsUsed) {
  EXPECT_EQ(
      errorsOf(requestForFiles({{"a.c", "#include \"h.h\"\nint main(void) {\n  return help() + helper_state;\n}\n"},
                                {"b.c", "#include \"h.h\"\nint help(void) {\n  return more();\n}\n"},
                                {"h.h", "int help(void);\nint more(void);\nextern int helper_state;\n"}})),
      (Texts{"undefined reference to 'helper_state': no file of the program defines it at /p/a.c:3; it is declared "
             "here at /p/h.h:3",
             "undefined reference to 'more': no file of the program defines it at /p/b.c:3; it is declared here at "
             "/p/h.h:2"}));
}

TEST(SeveralFiles, WhatNobodyReachesMayBeMissing) {
  EXPECT_EQ(verdictOf(requestForFiles({{"a.c", "int used(void);\nint main(void) { return used() - 1; }\n"},
                                       {"b.c", "void log_it(const char *);\nextern int level;\n"
                                               "int used(void) { return 1; }\n"
                                               "int unused(void) { log_it(\"x\"); return level; }\n"}})),
            "verified");
}

TEST(SeveralFiles, WhatPicketKnowsIsNotMissingHoweverItIsDeclared) {
  EXPECT_EQ(
      verdictOf(requestForFiles(
          {{"a.c", "extern void __VERIFIER_assume(int);\nextern void reach_error(void);\nextern int rand_bit(void);\n"
                   "void *malloc(unsigned long);\nint strcmp(const char *, const char *);\n"
                   "int main(void) { __VERIFIER_assume(rand_bit()); if (strcmp(\"a\", \"a\")) reach_error(); }\n"},
           {"b.c", "int rand_bit(void) { return 1; }\n"}})),
      "verified");
  CompileRequest Stubbed = requestForFiles({{"a.c", "int f(void), g(void);\nint main(void) { return f() + g(); }\n"},
                                            {"b.c", "int f(void) { return 0; }\n"}});
  EXPECT_EQ(errorsOf(Stubbed).size(), 1u);
  Stubbed.Flags = {"-fpicket-stub=g"};
  EXPECT_EQ(verdictOf(Stubbed), "verified");
}

TEST(SeveralFiles, ErrorsOfAllFilesAreTold) {
  CompileRequest Request = requestForFiles({{"a.c", "int main(void) { return a; }\n"},
                                            {"b.c", "int g(void) { return 1; }\n"},
                                            {"c.c", "\nint f(void) { return c; }\n"}});
  Request.Others.push_back({"/p/none.c"});
  EXPECT_EQ(errorsOf(Request),
            (Texts{"use of undeclared identifier 'a' at /p/a.c:1", "use of undeclared identifier 'c' at /p/c.c:2",
                   "cannot read the file: No such file or directory at /p/none.c:0"}));
}

TEST(SeveralFiles, AFileThatIsNamedTwiceIsThereOnce) {
  CompileRequest Request = queue("release");
  Request.Others.push_back({"/p/../p/queue.c", Request.Others[0].Flags});
  Request.Others.push_back({"/p/test.c"});
  EXPECT_EQ(verdictOf(Request), "verified");
}

TEST(SeveralFiles, FilesForAnotherMachineAreRefused) {
  CompileRequest Request = queue("release");
  Request.Others[0].Flags.push_back("--target=aarch64-linux-gnu");
  Request.For = Architecture::X86_64;
  EXPECT_EQ(errorsOf(Request), Texts{"this file is compiled for aarch64, and the program for x86_64 at /p/queue.c:0"});
}

TEST(SeveralFiles, ConstructorsOfAllFilesRun) {
  EXPECT_EQ(
      verdictOf(requestForFiles(
          {{"a.c",
            "#include <assert.h>\nint a, b, sum;\n__attribute__((constructor)) static void begin(void) { a = 1; }\n"
            "int main(void) { assert(a == 1 && b == 2); }\n"},
           {"b.c", "extern int b;\n__attribute__((constructor)) static void begin(void) { b = 2; }\n"}})),
      "verified");
}

TEST(SeveralFiles, DeclarationsThatDoNotFitAreTold) {
  const CompileRequest Request =
      requestForFiles({{"a.c", "int f(int);\nextern long x;\nextern int y[], z;\nint g(), same(int *);\n"
                               "int main(void) { return f(1) + (int)x + y[0] + z + g(1) + same(0); }\n"},
                       {"b.c", "int f(int a, int b) { return a - b; }\nint x, y[3], z;\nint g(int a) { return a; }\n"
                               "int same(int *p) { return !p; }\n"}});
  std::vector<std::string> Warnings;
  for (const Diagnostic &D : compileProgram(Request).Diagnostics)
    if (D.Message.find("declared with another type") != std::string::npos)
      Warnings.push_back(D.Message.substr(0, 3) + D.Where.File + ":" + std::to_string(D.Where.Line) + " " +
                         D.Notes.at(0).Where.File + ":" + std::to_string(D.Notes.at(0).Where.Line));
  EXPECT_EQ(Warnings, (Texts{"'f'/p/a.c:1 /p/b.c:1", "'x'/p/a.c:2 /p/b.c:2"}));
}

TEST(SeveralFiles, MarksAndFoldedCallsCountInEveryFile) {
  const std::string Header =
      "static inline void put_flag(int *p, int v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }\n"
      "extern int flag, noted;\nvoid signal_it(void);\n";
  const CompileRequest Request = requestForFiles(
      {{"a.c", Threads + "#include \"flag.h\"\nint flag;\n"
                         "static void *work(void *arg) { signal_it(); return arg; }\n"
                         "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, work, 0);\n"
                         "  noted = 2; // picket: benign-race\n  assert(!flag);\n  pthread_join(t, 0);\n}\n"},
       {"b.c", "#include \"flag.h\"\nint noted; // picket: benign-race\n"
               "void signal_it(void) {\n  noted = 1;\n  put_flag(&flag, 1);\n}\n"},
       {"flag.h", Header}});
  const CheckReport Report = checkFiles(Request);
  ASSERT_EQ(Report.Models[0].Bugs.size(), 1u);
  bool Folded = false;
  for (const TraceEvent &E : Report.Models[0].Bugs[0].Trace->Run.Events)
    if (!E.Folded.empty() && E.Folded[0].Function == "put_flag") {
      Folded = true;
      EXPECT_EQ(E.At.Where.File, "/p/b.c");
      EXPECT_EQ(E.At.Where.Line, 5u);
    }
  EXPECT_TRUE(Folded);
  const CheckReport Races = checkFiles(Request, {MemoryModel::C11});
  for (const Bug &B : Races.Models[0].Bugs)
    EXPECT_EQ(B.Message.find("noted"), std::string::npos) << B.Message;
}

/// Random threads of stores, loads and fences, in one file and in several: the same executions under every model.
TEST(SeveralFiles, HaveTheExecutionsOfTheSameTextInOneFile) {
  std::mt19937 Random(7);
  auto Pick = [&](unsigned N) { return static_cast<unsigned>(Random() % N); };
  const char *const Orders[] = {"relaxed", "release", "acquire", "seq_cst"};
  for (unsigned Round = 0; Round < 25; ++Round) {
    const std::string Common = Threads + "#include <stdatomic.h>\n";
    std::string Declared = "extern atomic_int x, y;\nextern int seen[3];\n",
                Main = "int main(void) {\n  pthread_t t[3];\n";
    const std::string Defined[] = {"atomic_int x;\n", "atomic_int y;\n", "int seen[3];\n"};
    std::vector<std::string> Parts;
    for (unsigned T = 0; T < 3; ++T) {
      const std::string Name = std::string("thread") + static_cast<char>('a' + T);
      std::string Body;
      for (unsigned K = 0; K < (T == 2 ? 1u : 2u); ++K) {
        const std::string Variable = Pick(2) ? "x" : "y";
        if (Pick(2))
          Body += "  atomic_store_explicit(&" + Variable + ", " + std::to_string(T + 1) + ", memory_order_" +
                  Orders[Pick(2) ? 3 : Pick(2)] + ");\n";
        else
          Body += "  seen[" + std::to_string(T) + "] += atomic_load_explicit(&" + Variable + ", memory_order_" +
                  Orders[Pick(2) ? 2 : 0] + ");\n";
      }
      Declared += "void *" + Name + "(void *arg);\n";
      Parts.push_back(Defined[T] + "static int used;\nvoid *" + Name + "(void *arg) {\n  used++;\n" + Body +
                      "  return arg;\n}\n");
      Main += "  pthread_create(&t[" + std::to_string(T) + "], 0, " + Name + ", 0);\n";
    }
    Main += "  for (int k = 0; k < 3; k++)\n    pthread_join(t[k], 0);\n  assert(seen[0] + seen[1] != " +
            std::to_string(Pick(6)) + ");\n}\n";
    std::string Whole = Common + Declared;
    std::vector<std::pair<std::string, std::string>> Files = {{"main.c", Common + Declared + Main}};
    for (unsigned T = 0; T < 3; ++T) {
      Files.push_back({std::string(1, static_cast<char>('a' + T)) + ".c", Common + Declared + Parts[T]});
      std::string Renamed = Parts[T];
      for (size_t At = 0; (At = Renamed.find("used", At)) != std::string::npos; At += 5)
        Renamed.replace(At, 4, "used" + std::to_string(T));
      Whole += Renamed;
    }
    CheckOptions Options;
    Options.Models = allModels();
    Options.Exhaustive = true;
    Options.Monitor = false;
    const CheckReport One = check({requestForFiles({{"whole.c", Whole + Main}}), Options});
    const CheckReport Several = check({requestForFiles(Files), Options});
    for (size_t K = 0; K < One.Models.size(); ++K) {
      EXPECT_EQ(One.Models[K].Result, Several.Models[K].Result) << nameOf(One.Models[K].Which) << Whole << Main;
      EXPECT_EQ(One.Models[K].Executions, Several.Models[K].Executions) << nameOf(One.Models[K].Which) << Whole << Main;
      EXPECT_GT(Several.Models[K].Executions, 0u) << Several.Models[K].Reason;
    }
  }
}

} // namespace
} // namespace picket
