// What a program gets from outside: values, answers of the system, functions that it does not define; and what is told
// of functions that are not there.
#include "support/Engines.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

CheckReport checkWith(const std::string &Text, std::vector<std::string> Flags = {}, CheckOptions Options = {}) {
  CheckRequest Request;
  Request.Text = testing::requestForText(Text);
  Request.Text.Flags.insert(Request.Text.Flags.end(), Flags.begin(), Flags.end());
  Request.Options = Options;
  return check(Request);
}

/// The report of SC.
ModelReport checkSc(const std::string &Text, std::vector<std::string> Flags = {}) {
  return checkWith(Text, std::move(Flags)).Models.front();
}

CheckOptions exhaustively(std::vector<MemoryModel> Models) {
  CheckOptions Options;
  Options.Models = std::move(Models);
  Options.Exhaustive = true;
  return Options;
}

void expectHolds(const std::string &Body, const std::string &Before = "") {
  for (const MemoryModel M : {MemoryModel::SC, MemoryModel::Armv8, MemoryModel::Power}) {
    const std::string Text = "#define _GNU_SOURCE\n#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n"
                             "#include <poll.h>\n#include <signal.h>\n#include <stdarg.h>\n#include <stdio.h>\n"
                             "#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n#include <sys/time.h>\n"
                             "#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n" +
                             Before + "\nint main(void) { " + Body + " }\n";
    const ModelReport Report = checkWith(Text, {}, exhaustively({M})).Models.front();
    EXPECT_EQ(Report.Result, Verdict::Verified) << nameOf(M) << ": " << Report.Reason << "\n" << Body;
    for (const Bug &B : Report.Bugs)
      ADD_FAILURE() << B.Message << "\n" << Body;
  }
}

TEST(Refusal, NamesAllThatIsNotModelled) {
  const ModelReport Report =
      checkSc("#include <pthread.h>\n"
              "int one(int), two(void), three(const char *), four(void), five(int), never(void);\n"
              "static int (*pointer)(int) = five;\n"
              "static void unused(void) { never(); }\n"
              "void *f(void *p) { two();\n"
              "  three(\"x\"); return p; }\n"
              "int main(void) {\n"
              "  pthread_t t;\n"
              "  pthread_create(&t, 0, f, 0);\n"
              "  one(1);\n"
              "  one(2);\n"
              "  if (0) unused();\n"
              "  four();\n"
              "  pointer(3);\n"
              "}\n");
  EXPECT_EQ(Report.Result, Verdict::Unsupported);
  ASSERT_EQ(Report.NotModelled.size(), 5u);
  std::vector<std::string> Names;
  for (const Unmodelled &U : Report.NotModelled) {
    Names.push_back(U.What);
    EXPECT_NE(Report.Reason.find(U.What.substr(8)), std::string::npos) << Report.Reason;
  }
  for (const char *Name : {"one", "two", "three", "four", "five"})
    EXPECT_EQ(std::count(Names.begin(), Names.end(), std::string("call to '") + Name + "'"), 1) << Name;
  EXPECT_EQ(Report.Reason.compare(0, Names[0].size(), Names[0]), 0) << Report.Reason; // what was reached comes first
  const auto One = std::find(Names.begin(), Names.end(), "call to 'one'") - Names.begin();
  EXPECT_EQ(Report.NotModelled[static_cast<size_t>(One)].Places.size(), 2u);
  EXPECT_NE(Report.Reason.find("--stub"), std::string::npos) << Report.Reason;
}

TEST(Refusal, OnlyWhatIsReachedIsRefused) {
  EXPECT_EQ(checkSc("int foo(void); int main(int n, char **a) { return n > 1 ? foo() : 0; }").Result,
            Verdict::Verified);
}

TEST(Stub, ReturnsItsValueAndIsNamed) {
  const std::string Text =
      "#include <assert.h>\nint foo(int); void *bar(void); void act(int *); unsigned char c(void);\n"
      "double d(void);\n"
      "int main(void) { int x = 3; act(&x); assert(foo(1) == -7 && !bar() && x == 3 && c() == 255 && "
      "d() == 2); }\n";
  const std::vector<std::string> Flags = {"-fpicket-stub=foo=-7", "-fpicket-stub=bar", "-fpicket-stub=act",
                                          "-fpicket-stub=c=255",  "-fpicket-stub=d=2", "-fpicket-stub=nobody=1"};
  const CheckReport Report = checkWith(Text, Flags);
  EXPECT_EQ(Report.Models.front().Result, Verdict::Verified) << Report.Models.front().Reason;
  EXPECT_EQ(Report.Models.front().Stubs, (std::vector<std::string>{"foo", "bar", "act", "c", "d"}));
  EXPECT_EQ(Report.Diagnostics.size(), 5u); // a note for each
  EXPECT_EQ(checkSc(Text).Result, Verdict::Unsupported);
}

TEST(Stub, DoesNotReplaceTheProgramsOwn) {
  const CheckReport Report = checkWith("#include <assert.h>\n__attribute__((noinline)) int foo(void) { return 1; }\n"
                                       "int main(void) { assert(foo() == 1); }\n",
                                       {"-fpicket-stub=foo=2"});
  EXPECT_EQ(Report.Models.front().Result, Verdict::Verified);
  EXPECT_TRUE(Report.Models.front().Stubs.empty());
}

TEST(Stub, AFileDefinesWhatTheProgramDoesNot) {
  CheckRequest Request;
  Request.Text = testing::requestForText("#include <assert.h>\n#include <stdlib.h>\n#include <pthread.h>\n"
                                         "int next(void); int helper(void) { return 40; }\n"
                                         "void *f(void *p) { return next() + (char *)p; }\n"
                                         "int main(void) { pthread_t t; void *a; pthread_create(&t, 0, f, 0);\n"
                                         "  long b = next(); pthread_join(t, &a);\n"
                                         "  assert(b + (long)a == 3 && helper() == 40 && rand() == 4); }\n");
  Request.Text.Unsaved["/picket-test/stubs.c"] =
      "#include <stdatomic.h>\nstatic atomic_int count;\nint next(void) { return ++count; }\n"
      "int helper(void) { return 1; }\nint rand(void) { return 4; }\n";
  Request.Text.Flags.push_back("-fpicket-stubs=/picket-test/stubs.c");
  Request.Options.Exhaustive = true;
  const CheckReport Report = check(Request);
  const ModelReport &Sc = Report.Models.front();
  EXPECT_EQ(Sc.Result, Verdict::Verified) << Sc.Reason;
  EXPECT_EQ(Sc.Executions, 2u);
  EXPECT_EQ(std::set<std::string>(Sc.Stubs.begin(), Sc.Stubs.end()), (std::set<std::string>{"next", "rand"}));
  Request.Text.Unsaved["/picket-test/stubs.c"] = "int next(void) { return missing; }\n";
  EXPECT_EQ(check(Request).Models.front().Result, Verdict::CompileError);
}

const std::string Choosing = "#include <assert.h>\n#include <picket.h>\n#include <pthread.h>\n#include <stdlib.h>\n"
                             "int __VERIFIER_nondet_int(void); _Bool __VERIFIER_nondet_bool(void);\n"
                             "unsigned char __VERIFIER_nondet_uchar(void);\n";

TEST(Choice, EachValueIsExploredOnce) {
  const std::string Text = Choosing +
                           "int x, y; void *f(void *p) { x = picket_choose(3); return p; }\n"
                           "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); y = picket_choose(2);\n"
                           "  pthread_join(t, 0); assert(x < 3 && y < 2); }\n";
  for (const testing::EngineAnswer &A : testing::checkByAll(Text)) {
    EXPECT_EQ(A.Report.Result, Verdict::Verified) << A.Engine << " " << A.Report.Reason;
    if (!A.Report.States)
      EXPECT_EQ(A.Report.Executions, 6u) << A.Engine;
  }
}

TEST(Choice, TheValuesThatFailAreFoundAndReplayed) {
  const std::string Text = Choosing +
                           "int x; void *f(void *p) { x = picket_choose(3); return p; }\n"
                           "int main(void) { pthread_t t; int y = picket_choose(4); pthread_create(&t, 0, f, 0);\n"
                           "  pthread_join(t, 0); assert(!(x == 2 && y == 3)); }\n";
  const Program P = testing::compile(testing::requestForText(Text));
  for (const testing::EngineAnswer &A : testing::checkByAll(Text)) {
    ASSERT_EQ(A.Report.Bugs.size(), 1u) << A.Engine << " " << A.Report.Reason;
    const auto &Trace = A.Report.Bugs.front().Trace;
    ASSERT_TRUE(Trace) << A.Engine;
    EXPECT_EQ(Trace->Run.Failures.size(), 2u) << A.Engine;
    const ReplayResult Again = replay(P, Trace->Run, {});
    EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << A.Engine << ": " << Again.Message;
  }
}

TEST(Choice, OneThatIsNotReachedCausesNothing) {
  const std::string Text = Choosing + "int main(void) { int x = picket_choose(2); if (x) { int y = picket_choose(5); "
                                      "return y; } return picket_choose(1); }\n";
  const ModelReport Sc = checkWith(Text, {}, exhaustively({MemoryModel::SC})).Models.front();
  EXPECT_EQ(Sc.Result, Verdict::Verified) << Sc.Reason;
  EXPECT_EQ(Sc.Executions, 6u); // x == 0, and five with x == 1
}

TEST(Choice, EachIterationChoosesAnew) {
  const std::string Text = Choosing +
                           "int main(void) { int sum = 0; for (int k = 0; k < 3; ++k) sum += picket_choose(2);\n"
                           "  assert(sum != 3); }\n";
  const ModelReport Sc = checkWith(Text, {}, exhaustively({MemoryModel::SC})).Models.front();
  EXPECT_EQ(Sc.Result, Verdict::Violation) << Sc.Reason;
  EXPECT_EQ(Sc.Executions, 8u);
}

TEST(Choice, ValuesOfARangeNeedTheRange) {
  const std::string Text = Choosing + "int main(void) { assert(__VERIFIER_nondet_int() != 2); }\n";
  const ModelReport None = checkSc(Text);
  EXPECT_EQ(None.Result, Verdict::Unsupported);
  EXPECT_NE(None.Reason.find("--nondet"), std::string::npos) << None.Reason;
  EXPECT_EQ(None.ReasonLocation.Line, 7u);
  EXPECT_EQ(checkSc(Text, {"-fpicket-nondet=-1..1"}).Result, Verdict::Verified);
  EXPECT_EQ(checkSc(Text, {"-fpicket-nondet=-1..2"}).Result, Verdict::Violation);
  const std::string Narrow = Choosing + "int main(void) { assert(__VERIFIER_nondet_uchar() < 2); }\n";
  EXPECT_EQ(checkSc(Narrow, {"-fpicket-nondet=-5..1"}).Result, Verdict::Verified);
  EXPECT_EQ(checkSc(Choosing + "int main(void) { assert(rand() != 1); }\n", {"-fpicket-nondet=0..1"}).Result,
            Verdict::Violation);
  EXPECT_EQ(checkSc(Choosing + "int main(void) { assert(!__VERIFIER_nondet_bool()); }\n").Result, Verdict::Violation);
}

TEST(Choice, TheProgramsOwnFunctionCounts) {
  EXPECT_EQ(checkSc("#include <assert.h>\nint __VERIFIER_nondet_int(void) { return 5; }\n"
                    "int main(void) { assert(__VERIFIER_nondet_int() == 5); }\n")
                .Result,
            Verdict::Verified);
}

TEST(Assumption, AssumeAbortIfNotIsNoBug) {
  const ModelReport Sc = checkSc("#include <stdlib.h>\nvoid assume_abort_if_not(int c) { if (!c) abort(); }\n"
                                 "int main(void) { assume_abort_if_not(0); }\n");
  EXPECT_EQ(Sc.Result, Verdict::Verified) << Sc.Reason;
}

TEST(Inline, WithoutAnExternalDefinitionTheBodyIsUsed) {
  expectHolds("assert(twice(2) == 4 && again(1) == 3);",
              "inline int twice(int v) { return 2 * v; }\n"
              "inline int again(int v); int again(int v) { return v + twice(1); }\n");
}

TEST(VariableArguments, AreReadInTheProgramsOwnFunctions) {
  const std::string Functions = R"(
struct big { long a, b, c; };
struct small { int a, b; };
static long sum(int count, ...) {
  va_list list, copy;
  long total = 0;
  va_start(list, count);
  va_copy(copy, list);
  for (int k = 0; k < count; ++k) total += va_arg(list, int);
  for (int k = 0; k < count; ++k) total += va_arg(copy, int);
  va_end(list);
  va_end(copy);
  return total;
}
static long vtake(va_list list) { return va_arg(list, long); }
static double mixed(const char *kinds, ...) {
  va_list list;
  double total = 0;
  va_start(list, kinds);
  for (; *kinds; ++kinds)
    switch (*kinds) {
    case 'i': total += va_arg(list, int); break;
    case 'l': total += vtake(list); break;
    case 'd': total += va_arg(list, double); break;
    case 'p': total += *va_arg(list, int *); break;
    case 'b': { struct big b = va_arg(list, struct big); total += b.a + b.b + b.c; break; }
    case 's': { struct small s = va_arg(list, struct small); total += s.a + s.b; break; }
    }
  va_end(list);
  return total;
}
static long (*pointer)(int, ...) = sum;
)";
  expectHolds("assert(sum(0) == 0 && sum(3, 1, 2, 3) == 12 && pointer(8, 1, 2, 3, 4, 5, 6, 7, 8) == 72);"
              "int seven = 7; struct big b = {1, 2, 3}; struct small s = {4, 5};"
              "assert(mixed(\"idpbsil\", 1, 0.5, &seven, b, s, 9, 2l) == 34.5);",
              Functions);
  const ModelReport Missing = checkSc("#include <stdarg.h>\nint take(int n, ...) { va_list l; va_start(l, n);\n"
                                      "  int a = va_arg(l, int) + va_arg(l, int); va_end(l); return a; }\n"
                                      "int main(void) { return take(1, 2); }\n");
  ASSERT_EQ(Missing.Bugs.size(), 1u) << Missing.Reason;
  EXPECT_EQ(Missing.Bugs.front().Kind, BugKind::OutOfBounds);
}

TEST(Texts, OfNumbersAndBack) {
  expectHolds("char t[40];"
              "assert(snprintf(t, sizeof t, \"%d|%5d|%-5d|%05d|%x|%s|%c|%%\", -3, 42, 42, 42, 255, \"ab\", 'z') == 30);"
              "assert(strcmp(t, \"-3|   42|42   |00042|ff|ab|z|%\") == 0);"
              "assert(snprintf(t, 4, \"%lu\", 123456ul) == 6 && strcmp(t, \"123\") == 0);"
              "assert(sprintf(t, \"%.3s-%+d-%#o-%hhd-%.3d\", \"abcdef\", 5, 8, 257, 7) == 16);"
              "assert(strcmp(t, \"abc-+5-010-1-007\") == 0);");
  expectHolds("char *end; assert(strtol(\" -0x1fz\", &end, 0) == -31 && *end == 'z');"
              "assert(strtoul(\"777\", 0, 8) == 511 && strtol(\"\", &end, 10) == 0);"
              "assert(strtol(\"-9223372036854775808\", 0, 10) == -9223372036854775807l - 1 && errno == 0);"
              "assert(strtol(\"9223372036854775808\", 0, 10) == 9223372036854775807l && errno == ERANGE);");
}

TEST(System, AnswersWhatIsAsked) {
  expectHolds("assert(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_NPROCESSORS_ONLN) == 4 && getpagesize() == 4096);");
  expectHolds("char *p = mmap(0, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"
              "assert(p != MAP_FAILED && p[8191] == 0 && munmap(p, 5000) == 0);"
              "assert(mmap(0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == "
              "EINVAL);");
  expectHolds("assert(syscall(SYS_membarrier, 0, 0) == -1 && errno == ENOSYS);"); // as on a kernel without it
  expectHolds("assert(getpid() == gettid() && syscall(SYS_gettid) == gettid() && !getenv(\"HOME\"));");
  expectHolds("struct timespec a, b; assert(clock_gettime(CLOCK_MONOTONIC, &a) == 0 && clock_gettime(0, &b) == 0);"
              "assert(b.tv_sec >= a.tv_sec && time(0) == a.tv_sec);");
  expectHolds(
      "sigset_t s, old; sigfillset(&s); sigdelset(&s, SIGINT); assert(!sigismember(&s, SIGINT));"
      "assert(pthread_sigmask(SIG_SETMASK, &s, &old) == 0 && !sigismember(&old, SIGTERM));"
      "assert(pthread_sigmask(SIG_BLOCK, 0, &old) == 0 && sigismember(&old, SIGTERM)); signal(SIGINT, SIG_IGN);");
  expectHolds("assert(poll(0, 0, 10) == 0 && strcmp(strerror(EINVAL), \"Invalid argument\") == 0);");
}

TEST(System, AMappingIsFreedOnce) {
  const ModelReport Sc = checkSc("#define _GNU_SOURCE\n#include <sys/mman.h>\n"
                                 "int main(void) {\n"
                                 "  char *p = mmap(0, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
                                 "  munmap(p, 1);\n"
                                 "  return *p;\n"
                                 "}\n");
  ASSERT_EQ(Sc.Bugs.size(), 1u) << Sc.Reason;
  EXPECT_EQ(Sc.Bugs.front().Kind, BugKind::UseAfterFree);
}

TEST(System, WaitingForTimeToPassIsRefused) {
  const ModelReport Sc = checkWith("#include <time.h>\nint main(void) { time_t end = time(0) + 1;\n"
                                   "  while (time(0) < end) ;\n}\n")
                             .Models.front();
  EXPECT_NE(Sc.Result, Verdict::Verified);
  EXPECT_TRUE(Sc.Bugs.empty()); // time would pass
}

TEST(Outside, AssumptionsOfThePicketHeader) {
  const std::string Text =
      Choosing + "int main(void) { int x = picket_choose(4); picket_assume(x & 2); assert(x >= 2); }\n";
  const ModelReport Report = checkSc(Text);
  EXPECT_EQ(Report.Result, Verdict::Verified);
  EXPECT_EQ(Report.Executions, 2u);
  EXPECT_EQ(
      checkSc(Choosing + "int main(void) { int x = picket_choose(4); picket_assume(x & 2); assert(x > 2); }\n").Result,
      Verdict::Violation);
}

/// What other compilers make of it: nothing, and without warnings.
TEST(Outside, ThePicketHeaderMeansNothingToOtherCompilers) {
  const std::string Folder = PICKET_SOURCE_DIR "/include";
  for (const char *Language : {"c -std=c99", "c -std=c11", "c++"}) {
    const std::string Command =
        "printf '#include <picket.h>\\n#include <picket.h>\\nint main(void) { int x = picket_choose(4); "
        "picket_assume(x > 2); return x; }\\n' | cc -x " +
        std::string(Language) + " -Wall -Wextra -Wpedantic -Werror -I" + Folder + " -o /dev/null -c -";
    EXPECT_EQ(std::system(Command.c_str()), 0) << Language;
  }
}

} // namespace
} // namespace picket
