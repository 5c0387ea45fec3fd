// What programs are compiled for: each model's own architecture, or the host.
#include "fences/Fix.h"
#include "fences/Relax.h"
#include "fences/TextDiff.h"
#include "lsp/Outcome.h"
#include "lsp/WorkerProtocol.h"
#include "support/CommandLine.h"
#include "support/Explore.h"

#include "gtest/gtest.h"

namespace picket {
namespace {

using namespace picket::testing;

/// A library's header: what a barrier is depends on the architecture.
const std::string Barriers = R"(
#if defined(__x86_64__)
# define barrier() __asm__ volatile("" ::: "memory")
# define smp_mb() __asm__ volatile("mfence" ::: "memory")
# define smp_wmb() barrier()
# define smp_rmb() barrier()
#elif defined(__aarch64__)
# define smp_mb() __asm__ volatile("dmb ish" ::: "memory")
# define smp_wmb() __asm__ volatile("dmb ishst" ::: "memory")
# define smp_rmb() __asm__ volatile("dmb ishld" ::: "memory")
#elif defined(__powerpc64__)
# define smp_mb() __asm__ volatile("sync" ::: "memory")
# define smp_wmb() __asm__ volatile("lwsync" ::: "memory")
# define smp_rmb() __asm__ volatile("lwsync" ::: "memory")
#else
# error "which barriers?"
#endif
)";
const std::string MessagePassing = "#include <assert.h>\n#include <pthread.h>\n" + Barriers + R"(
volatile int data, flag;
static void *writer(void *unused) {
  data = 1;
  smp_wmb();
  flag = 1;
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  if (flag) {
    smp_rmb();
    assert(data == 1);
  }
  pthread_join(t, 0);
  return 0;
}
)";

CheckReport checkUnder(std::vector<MemoryModel> Models, const CompileRequest &Text,
                       TargetChoice Targets = TargetChoice::Model, bool Named = true) {
  CheckRequest Request;
  Request.Text = Text;
  Request.Options.Models = std::move(Models);
  Request.Options.ModelsNamed = Named;
  Request.Options.Targets = Targets;
  return check(Request);
}

const ModelReport &of(const CheckReport &Report, MemoryModel M) {
  for (const ModelReport &R : Report.Models)
    if (R.Which == M)
      return R;
  throw std::runtime_error("the model was not checked");
}

std::string firstError(const CompileResult &Result) {
  for (const Diagnostic &D : Result.Diagnostics)
    if (D.Level == Severity::Error)
      return D.Where.File + ":" + std::to_string(D.Where.Line) + ": " + D.Message;
  return "";
}

std::string notesOf(const CompileResult &Result) {
  std::string Text;
  for (const Diagnostic &D : Result.Diagnostics)
    Text += D.Message + "\n";
  return Text;
}

constexpr Architecture Compiled[] = {Architecture::X86_64, Architecture::Aarch64, Architecture::Powerpc64le};
const std::vector<MemoryModel> TwoTargets = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power};

TEST(Targets, EachModelHasItsOwnFences) {
  const CheckReport Report = checkUnder(TwoTargets, requestForText(MessagePassing));
  EXPECT_EQ(of(Report, MemoryModel::SC).Result, Verdict::Verified);
  EXPECT_EQ(of(Report, MemoryModel::TSO).Result, Verdict::Verified);
  EXPECT_EQ(of(Report, MemoryModel::PSO).Result, Verdict::Violation);
  const ModelReport &Power = of(Report, MemoryModel::Power);
  EXPECT_EQ(Power.Result, Verdict::Verified) << Power.Reason;
  EXPECT_EQ(Power.Target, Architecture::Powerpc64le);
  EXPECT_EQ(of(Report, MemoryModel::SC).Target, Architecture::X86_64);
  EXPECT_FALSE(Power.AboutTarget);
  EXPECT_FALSE(of(Report, MemoryModel::TSO).AboutTarget);
}

TEST(Targets, ForTheHostOnlyPowerHasTheFencesOfTheHost) {
  if (HostArchitecture != Architecture::X86_64)
    GTEST_SKIP() << "x86's fences are those that are too weak";
  const CheckReport Report = checkUnder(TwoTargets, requestForText(MessagePassing), TargetChoice::Host);
  const ModelReport &Power = of(Report, MemoryModel::Power);
  EXPECT_EQ(Power.Result, Verdict::Violation);
  EXPECT_EQ(Power.Target, HostArchitecture);
  ASSERT_TRUE(Power.AboutTarget);
  EXPECT_EQ(Power.AboutTarget->Where.Line, 4u);
  EXPECT_TRUE(contains(Power.AboutTarget->Message, "x86_64 and not powerpc64le")) << Power.AboutTarget->Message;
}

TEST(Targets, AFindingOfPsoSaysThatTheTextChoseForX86) {
  const CheckReport Report = checkUnder(TwoTargets, requestForText(MessagePassing));
  const ModelReport &Pso = of(Report, MemoryModel::PSO);
  ASSERT_TRUE(Pso.AboutTarget);
  EXPECT_EQ(Pso.AboutTarget->Where.Line, 4u);
  EXPECT_TRUE(contains(Pso.AboutTarget->Message, "PSO is weaker than that")) << Pso.AboutTarget->Message;
  // In the editor it is a step of the finding.
  CheckOptions Options;
  Options.Models = TwoTargets;
  const picket::Outcome O = outcomeOf(Report, Options);
  ASSERT_EQ(O.Findings.size(), 1u);
  EXPECT_EQ(O.Findings[0].Steps.back().Text, Pso.AboutTarget->Message);
  EXPECT_EQ(O.Models.back().Target, Architecture::Powerpc64le);

  // A bug that a stronger model has as well is none of the fences'.
  std::string Wrong = MessagePassing;
  Wrong.replace(Wrong.find("data == 1"), 9, "data == 2");
  const CheckReport Plain = checkUnder(TwoTargets, requestForText(Wrong));
  EXPECT_EQ(of(Plain, MemoryModel::PSO).Result, Verdict::Violation);
  EXPECT_FALSE(of(Plain, MemoryModel::PSO).AboutTarget);
}

TEST(Targets, WithoutQuestionsThereIsNothingToSay) {
  const std::string Text = "#include <assert.h>\n#include <pthread.h>\nvolatile int data, flag;\n"
                           "static void *writer(void *p) { data = 1; flag = 1; return p; }\n"
                           "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, writer, 0);\n"
                           "  if (flag) assert(data);\n  pthread_join(t, 0);\n  return 0;\n}\n";
  for (TargetChoice Targets : {TargetChoice::Model, TargetChoice::Host})
    for (const ModelReport &M : checkUnder(TwoTargets, requestForText(Text), Targets).Models)
      EXPECT_FALSE(M.AboutTarget) << M.AboutTarget->Message;
}

TEST(Targets, QuestionsAreSeenInEveryForm) {
  struct {
    const char *Text;
    unsigned Tested, Found; // lines, for x86
  } const Cases[] = {{"#ifdef __x86_64__\n#endif\n", 1, 1},
                     {"\n#ifndef __aarch64__\n#endif\n", 2, 0},
                     {"#if defined __powerpc64__ || \\\n defined(__x86_64__)\n#endif\n", 1, 1},
                     {"#if __ARM_ARCH >= 8\n#endif\n", 1, 0},
                     {"#if 0\n#ifdef __x86_64__\n#endif\n#endif\n", 0, 0},
                     {"#if 0\n#elif defined(__riscv)\n#elif defined __i386__ || __x86_64__\n#endif\n", 2, 3},
                     {"#define X defined(__x86_64__)\n#if X\n#endif\n", 2, 2},
                     {"int y = __x86_64__;\n", 1, 1},
                     {"#include <pthread.h>\n#include <sys/ucontext.h>\n#include <endian.h>\n", 0, 0},
                     {"#define __x86_64__x 1\n#ifdef __x86_64__x\n#endif\n", 0, 0},
                     {"char *s = \"__x86_64__\"; // __x86_64__\n", 0, 0},
                     {"#ifdef __x86_64__", 1, 1}};
  for (const auto &C : Cases) {
    CompileRequest Request =
        requestForText(std::string(C.Text) + (std::string(C.Text).ends_with("\n") ? "" : "\n#endif\n"));
    Request.For = Architecture::X86_64;
    const Program P = compile(Request);
    EXPECT_EQ(P.Locations[P.ArchitectureTested].Line, C.Tested) << C.Text;
    EXPECT_EQ(P.Locations[P.ArchitectureFound].Line, C.Found) << C.Text;
    EXPECT_TRUE(P.ArchitectureTested == 0 || P.Files[P.Locations[P.ArchitectureTested].File] == "/test.c");
  }
}

TEST(Targets, TypesAreThoseOfTheTarget) {
  const std::string Text =
      "_Static_assert(((char)-1 < 0) == SIGNED, \"char\");\n"
      "_Static_assert(sizeof(long double) == 16 && __LDBL_MANT_DIG__ == DIGITS, \"long double\");\n"
      "_Static_assert(sizeof(void *) == 8 && sizeof(long) == 8, \"64 bits\");\n"
      "_Static_assert(_Alignof(__int128) == 16, \"16 bytes\");\n"
      "_Static_assert(sizeof(__builtin_va_list) == LIST, \"va_list\");\n"
      "int main(void) { return 0; }\n";
  struct {
    Architecture For;
    const char *Signed, *Digits, *List;
  } const Known[] = {{Architecture::X86_64, "1", "64", "24"},
                     {Architecture::Aarch64, "0", "113", "32"},
                     {Architecture::Powerpc64le, "0", "106", "8"}};
  for (const auto &K : Known) {
    CompileRequest Request =
        requestForText(Text, {std::string("-DSIGNED=") + K.Signed, std::string("-DDIGITS=") + K.Digits,
                              std::string("-DLIST=") + K.List});
    Request.For = K.For;
    const CompileResult Result = compileProgram(Request);
    ASSERT_TRUE(Result.Compiled) << nameOf(K.For) << firstError(Result);
    EXPECT_EQ(Result.Compiled->For, K.For);
    EXPECT_FALSE(Result.Compiled->TargetNamed);
    Request.Flags.push_back("-fsigned-char"); // flags of the language count everywhere
    EXPECT_EQ(compileProgram(Request).Compiled.has_value(), K.For == Architecture::X86_64);
  }
}

TEST(Targets, SignednessOfCharDecidesUnderPower) {
  const std::string Text = "#include <assert.h>\nint main(void) { volatile char c = -1; assert(c == -1); return 0; }\n";
  const CheckReport Report = checkUnder({MemoryModel::SC, MemoryModel::Power}, requestForText(Text));
  EXPECT_EQ(of(Report, MemoryModel::SC).Result, Verdict::Verified);
  EXPECT_EQ(of(Report, MemoryModel::Power).Result, Verdict::Violation);
  const CheckReport Host = checkUnder({MemoryModel::SC, MemoryModel::Power}, requestForText(Text), TargetChoice::Host);
  EXPECT_EQ(of(Host, MemoryModel::Power).Result, of(Host, MemoryModel::SC).Result);
}

const char *const ManyHeaders = R"(
#include <assert.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>
_Static_assert(sizeof(long) == 8 && sizeof(off_t) == 8 && __WORDSIZE == 64, "a machine of 64 bits");
_Static_assert(__builtin_offsetof(pthread_mutex_t, __data.__kind) == 16, "where the kind of a mutex is");
_Static_assert(sizeof(sem_t) == 32 && sizeof(pthread_cond_t) == 48 && sizeof(pthread_rwlock_t) == 56, "sizes");
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
atomic_int x;
static void *f(void *p) {
  assert(pthread_mutex_lock(&r) == 0 && pthread_mutex_lock(&r) == 0);
  x++;
  pthread_mutex_unlock(&r);
  pthread_mutex_unlock(&r);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  f(0);
  pthread_join(t, 0);
  assert(x == 2 && isdigit('1') && strlen("abc") == 3);
  return 0;
}
)";

TEST(Targets, HeadersOfTheHostServeWhereNoOthersAreInstalled) {
  for (const Architecture For : Compiled) {
    CompileRequest Request = requestForText(ManyHeaders, {"-D_GNU_SOURCE"});
    Request.For = For;
    Request.HeaderRoot = "/no/such/folder";
    const CompileResult Result = compileProgram(Request);
    ASSERT_TRUE(Result.Compiled) << nameOf(For) << " " << firstError(Result);
    const CheckReport Report = checkCompiled("/test.c", Result, {});
    EXPECT_EQ(Report.Models[0].Result, Verdict::Verified)
        << (Report.Models[0].Bugs.empty() ? Report.Models[0].Reason : Report.Models[0].Bugs[0].Message);
  }
}

/// Those that are there; PICKET_CROSS_HEADERS names a folder where others were unpacked.
TEST(Targets, InstalledHeadersServe) {
  CompileRequest Request = requestForText(ManyHeaders, {"-D_GNU_SOURCE"});
  if (const char *Root = std::getenv("PICKET_CROSS_HEADERS"))
    Request.HeaderRoot = Root;
  for (const Architecture For : Compiled) {
    Request.For = For;
    const CompileResult Result = compileProgram(Request);
    EXPECT_TRUE(Result.Compiled) << nameOf(For) << " " << firstError(Result);
  }
}

class TargetCommands : public CommandLineTest {};

TEST_F(TargetCommands, HeadersOfTheTargetComeFirst) {
  std::filesystem::create_directories(Root / "aarch64-linux-gnu/include/bits");
  write("aarch64-linux-gnu/include/features.h", "#define FROM_CROSS 1\n");
  write("aarch64-linux-gnu/include/bits/wordsize.h", "#define __WORDSIZE 64\n#define OF_ARM 1\n");
  CompileRequest Request = requestForText("#include <features.h>\n#include <bits/wordsize.h>\n#include <stddef.h>\n"
                                          "#if !FROM_CROSS || !OF_ARM || !__aarch64__\n#error wrong\n#endif\n"
                                          "int main(void) { return 0; }\n");
  Request.For = Architecture::Aarch64;
  Request.HeaderRoot = Root.string();
  const CompileResult Result = compileProgram(Request);
  EXPECT_TRUE(Result.Compiled) << firstError(Result);
  Request.For = Architecture::Powerpc64le; // whose headers are not there
  EXPECT_TRUE(contains(firstError(compileProgram(Request)), "wrong"));
}

TEST(Targets, FlagsOfTheHostAreDropped) {
  const std::string Text = "int main(void) { return 0; }\n";
  for (const char *Flag : {"-march=native", "-march=x86-64-v3", "-mcx16", "-msse4.2", "-mavx2", "-m64",
                           "-mtune=generic", "-mno-red-zone", "-mcmodel=medium", "-mfpmath=sse"})
    for (const Architecture For : Compiled) {
      CompileRequest Request = requestForText(Text, {Flag});
      Request.For = For;
      const CompileResult Result = compileProgram(Request);
      EXPECT_TRUE(Result.Compiled) << Flag;
      if (HostArchitecture == Architecture::X86_64) {
        EXPECT_EQ(notesOf(Result), "") << Flag << " for " << nameOf(For);
      }
    }
  for (const Architecture For : Compiled) {
    CompileRequest Narrow = requestForText(Text, {"-m32"});
    Narrow.For = For;
    EXPECT_TRUE(contains(firstError(compileProgram(Narrow)), "32-bit machine"));
  }
}

TEST(Targets, ATargetOfTheCommandIsForAllModels) {
  const CompileRequest Request =
      requestForText(MessagePassing, {"--target=powerpc64le-linux-gnu", "-mcpu=power9", "-maltivec"});
  const CheckReport Report = checkUnder(TwoTargets, Request);
  for (const ModelReport &M : Report.Models) {
    EXPECT_EQ(M.Target, Architecture::Powerpc64le) << nameOf(M.Which);
    EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which) << " " << M.Reason;
    EXPECT_FALSE(M.AboutTarget) << nameOf(M.Which);
  }
  EXPECT_TRUE(Report.Diagnostics.empty()) << Report.Diagnostics[0].Message;
  // Whatever somebody wrote: it goes no further, and is shown as text.
  const CompileResult Odd = compileProgram(
      requestForText("int main(void) { return 0; }\n", {"--target=\x1b[31m-linux/../x;" + std::string(300, 'y')}));
  EXPECT_TRUE(Odd.Compiled);
  EXPECT_TRUE(contains(notesOf(Odd), "instead of '?[31m-linux/../x;yy")) << notesOf(Odd);
  EXPECT_LT(notesOf(Odd).size(), 200u);
  // One that Picket does not know is compiled for the host, and that is said.
  for (const char *Target : {"--target=riscv64-linux-gnu", "--target=powerpc64-linux-gnu", "--target=s390x-linux-gnu",
                             "--target=aarch64_be-linux-gnu", "--target=aarch64-apple-darwin"}) {
    CompileRequest Other = requestForText("int main(void) { return 0; }\n", {Target, "-march=rv64gc"});
    Other.For = Architecture::Powerpc64le;
    const CompileResult Result = compileProgram(Other);
    EXPECT_TRUE(contains(notesOf(Result), "compiled for this machine instead of")) << Target << notesOf(Result);
  }
}

TEST_F(TargetCommands, ACompilersNameMayBeATarget) {
  write("program.c", "#include <stdio.h>\n#include <pthread.h>\nint main(void) { return 0; }\n");
  struct {
    const char *Command;
    Architecture For;
    bool Named;
    const char *Note;
  } const Cases[] = {
      {"aarch64-linux-gnu-gcc-12 -march=armv8.1-a+lse -mno-outline-atomics -mcpu=cortex-a72", Architecture::Aarch64,
       true, ""},
      {"/opt/bin/aarch64-linux-gnu-gcc --sysroot=/no/such/root -isysroot /nor/this", Architecture::Aarch64, true, ""},
      {"powerpc64le-linux-gnu-gcc -mcpu=power8 -maltivec", Architecture::Powerpc64le, true, ""},
      {"clang --target=aarch64-linux-gnu -O2", Architecture::Aarch64, true, ""},
      {"clang -target aarch64-linux-gnu -mcx16", Architecture::Aarch64, true, "'-mcx16'"},
      {"x86_64-linux-gnu-gcc -march=native -mcx16", Architecture::Powerpc64le, HostArchitecture != Architecture::X86_64,
       nullptr},
      {"gcc -march=x86-64-v3 -m64 --sysroot=/no/such/root", Architecture::Powerpc64le, false, ""},
      {"riscv64-linux-gnu-gcc -march=rv64gc", HostArchitecture, true,
       "compiled for this machine instead of 'riscv64-linux-gnu'"},
      {"powerpc64-linux-gnu-gcc -mcpu=power8", HostArchitecture, true, "instead of 'powerpc64-linux-gnu'"},
      {"aarch64-none-elf-gcc", HostArchitecture, true, "instead of 'aarch64-none-elf'"}};
  for (const auto &C : Cases) {
    write("compile_commands.json", "[{\"directory\": \"" + Root.string() +
                                       "\", \"file\": \"program.c\", \"command\": \"" + C.Command +
                                       " -c program.c\"}]");
    CompileRequest Request;
    Request.File = (Root / "program.c").string();
    Request.For = Architecture::Powerpc64le;
    const CompileResult Result = compileProgram(Request);
    ASSERT_TRUE(Result.Compiled) << C.Command << ": " << firstError(Result);
    if (HostArchitecture == Architecture::X86_64) {
      EXPECT_EQ(Result.Compiled->For, C.For) << C.Command;
      EXPECT_EQ(Result.Compiled->TargetNamed, C.Named) << C.Command;
    }
    if (C.Note && *C.Note)
      EXPECT_TRUE(contains(notesOf(Result), C.Note)) << C.Command << ": " << notesOf(Result);
    else if (C.Note)
      EXPECT_EQ(notesOf(Result), "") << C.Command;
  }
}

TEST(Targets, WhatAModelsTargetCannotCompileIsLeftToTheOthers) {
  const std::string Text = "#ifndef __x86_64__\n#error \"x86 only\"\n#endif\nint main(void) { return 0; }\n";
  const CheckReport Unnamed = checkUnder(defaultModels(), requestForText(Text), TargetChoice::Model, /*Named=*/false);
  EXPECT_EQ(of(Unnamed, MemoryModel::SC).Result, Verdict::Verified);
  EXPECT_EQ(of(Unnamed, MemoryModel::C11).Result, Verdict::Verified);
  EXPECT_TRUE(of(Unnamed, MemoryModel::Armv8).Skipped);
  const ModelReport &Power = of(Unnamed, MemoryModel::Power);
  EXPECT_TRUE(Power.Skipped);
  EXPECT_EQ(Power.Reason, "the text does not compile for powerpc64le (\"x86 only\")");
  EXPECT_EQ(Power.ReasonLocation.Line, 2u);
  EXPECT_FALSE(of(checkUnder(TwoTargets, requestForText(Text)), MemoryModel::Power).Skipped);
  if (HostArchitecture == Architecture::X86_64) {
    const CheckReport Host = checkUnder(TwoTargets, requestForText(Text), TargetChoice::Host);
    EXPECT_EQ(of(Host, MemoryModel::Power).Result, Verdict::Verified);
  }
  FixOptions Options;
  Options.Check.Models = defaultModels();
  const FixReport Report = findFixes(requestForText(Text), Options);
  EXPECT_EQ(Report.What, EditOutcome::NothingToDo) << Report.Reason;
  std::vector<MemoryModel> Skipped;
  for (const ModelReport &M : Report.Skipped)
    Skipped.push_back(M.Which);
  EXPECT_EQ(Skipped, (std::vector{MemoryModel::Armv8, MemoryModel::Power}));
  Options.Check.ModelsNamed = true;
  EXPECT_EQ(findFixes(requestForText(Text), Options).What, EditOutcome::CannotBeChecked);
}

TEST(Targets, AProgramThatIsNoneForATarget) {
  const std::string Text = "#ifdef __x86_64__\nint main(void) { return 0; }\n#endif\n";
  const CheckReport Report = checkUnder({MemoryModel::SC, MemoryModel::Power}, requestForText(Text));
  EXPECT_EQ(of(Report, MemoryModel::SC).Result, Verdict::Verified);
  EXPECT_EQ(of(Report, MemoryModel::Power).Result, Verdict::Unsupported);
  EXPECT_TRUE(contains(of(Report, MemoryModel::Power).Reason, "no 'main'")) << of(Report, MemoryModel::Power).Reason;
}

TEST(Targets, BarriersOfBuiltinFunctions) {
  const std::string Text =
      "#if defined(__powerpc64__)\n#define lw() __builtin_ppc_lwsync()\n#define hw() __builtin_ppc_sync()\n"
      "#elif defined(__aarch64__)\n#define lw() __builtin_arm_dmb(9)\n#define hw() __builtin_arm_dmb(11)\n"
      "#else\n#define lw() __builtin_ia32_lfence()\n#define hw() __builtin_ia32_mfence()\n#endif\n"
      "int main(void) { lw(); hw(); return 0; }\n";
  for (const Architecture For : Compiled) {
    CompileRequest Request = requestForText(Text);
    Request.For = For;
    const Program P = compile(Request);
    std::vector<FenceKind> Kinds;
    for (const Instruction &I : P.Code)
      if (I.Op == Opcode::Fence)
        Kinds.push_back(withoutArm(static_cast<FenceKind>(I.C)));
    ASSERT_EQ(Kinds.size(), 2u) << nameOf(For);
    EXPECT_EQ(Kinds[0], For == Architecture::Powerpc64le ? FenceKind::LwSync : FenceKind::Acquire);
    EXPECT_EQ(Kinds[1], FenceKind::Full);
  }
}

/// The same behaviour, whatever the calling convention makes of arguments.
TEST(Targets, ValuesArriveUnderEveryCallingConvention) {
  const std::string Text = R"(#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct two { long a, b; };
struct floats { float x, y, z; };
struct odd { char c[3]; };
struct large { long a[12]; };
struct nested { struct two t; char c; double d; };
struct tagged { void *p; uintptr_t n; };
static struct two swap(struct two t) { return (struct two){t.b, t.a}; }
static struct floats turn(struct floats f) { return (struct floats){f.z, f.x, f.y}; }
static struct odd next(struct odd o) { o.c[0]++; o.c[2] = o.c[1]; return o; }
static struct large add(struct large l, int n) { for (int k = 0; k < 12; k++) l.a[k] += n; return l; }
static struct nested deep(struct nested n, __int128 w, float f, char c) {
  n.t.a += (long)(w >> 64); n.d += f; n.c = c; return n;
}
static void report(const char *format, ...) {
  va_list list, copy;
  va_start(list, format);
  va_copy(copy, list);
  va_end(copy);
  vfprintf(stderr, format, list);
  va_end(list);
}
static void say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}
_Atomic struct tagged top;
_Atomic __int128 wide;
_Thread_local int own = 3;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *work(void *p) { own++; assert(own == 4); say("%d\n", own); return p; }
int main(int argc, char **argv) {
  struct two t = swap((struct two){1, 2});
  assert(t.a == 2 && t.b == 1);
  struct floats f = turn((struct floats){1, 2, 3});
  assert(f.x == 3 && f.y == 1 && f.z == 2);
  struct odd o = next((struct odd){{5, 6, 7}});
  assert(o.c[0] == 6 && o.c[1] == 6 && o.c[2] == 6);
  struct large l = {{0}};
  l = add(l, 4);
  assert(l.a[0] == 4 && l.a[11] == 4);
  struct nested n = deep((struct nested){{1, 2}, 'x', 1.5}, (__int128)7 << 64, 2.5f, 'y');
  assert(n.t.a == 8 && n.t.b == 2 && n.d == 4.0 && n.c == 'y');
  struct nested (*indirect)(struct nested, __int128, float, char) = deep;
  assert(indirect(n, 0, 1, 'z').c == 'z');
  struct tagged old = atomic_load(&top);
  assert(atomic_compare_exchange_strong(&top, &old, ((struct tagged){&t, 1})));
  assert(atomic_load(&top).n == 1);
  wide = (__int128)1 << 100;
  assert(wide >> 100 == 1);
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof *numbers, compare);
  assert(numbers[0] == 1 && numbers[2] == 3);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  assert(own == 3 && argc == 1 && argv[0]);
  (void)report;
  return 0;
}
)";
  for (const char *Level : {"-fpicket-optimize=none", "-fpicket-optimize=O1", "-fpicket-optimize=O2"})
    for (const Architecture For : Compiled) {
      CompileRequest Request = requestForText(Text, {Level});
      Request.For = For;
      const CompileResult Result = compileProgram(Request);
      ASSERT_TRUE(Result.Compiled) << firstError(Result);
      const CheckReport Report = checkCompiled("/test.c", Result, {});
      EXPECT_EQ(Report.Models[0].Result, Verdict::Verified)
          << nameOf(For) << " " << Level << ": " << Report.Models[0].Reason << Report.Models[0].ReasonLocation.Line
          << (Report.Models[0].Bugs.empty() ? "" : Report.Models[0].Bugs[0].Message);
    }
}

FixReport fixFor(const std::string &Text, std::vector<MemoryModel> Models, TargetChoice Targets = TargetChoice::Model) {
  FixOptions Options;
  Options.Check.Models = std::move(Models);
  Options.Check.Targets = Targets;
  return findFixes(requestForText(Text), Options);
}

std::string fixed(const std::string &Text, const FixReport &Report) {
  return editedTexts(requestForText(Text), Report.Fixes.front().Edits).at("/test.c");
}

TEST(Targets, AFixIsTriedOnEachModelsProgram) {
  // x86 has no fence where it needs one; POWER has it.
  std::string Text = "#include <assert.h>\n#include <pthread.h>\nvolatile int x, y, a, b;\n"
                     "#ifdef __powerpc64__\n#define mb() __asm__ volatile(\"sync\" ::: \"memory\")\n"
                     "#else\n#define mb() __asm__ volatile(\"\" ::: \"memory\")\n#endif\n"
                     "static void *left(void *p) {\n  x = 1;\n  mb();\n  a = y;\n  return p;\n}\n"
                     "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, left, 0);\n"
                     "  y = 1;\n  mb();\n  b = x;\n  pthread_join(t, 0);\n  assert(a || b);\n  return 0;\n}\n";
  const std::vector<MemoryModel> Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power};
  const FixReport Report = fixFor(Text, Models);
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  EXPECT_EQ(Report.Fixes[0].Changes.size(), 2u);
  EXPECT_TRUE(Report.Fixes[0].Minimal);
  EXPECT_EQ(modelsChecked(Report.Fixes[0].Models), Models);
  EXPECT_EQ(Report.Fixes[0].Models[1].Target, Architecture::X86_64);
  EXPECT_EQ(Report.Fixes[0].Models[3].Target, Architecture::Powerpc64le);
  for (const ModelReport &M : checkUnder(Models, requestForText(fixed(Text, Report))).Models)
    EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which);
  // Under POWER alone there is nothing to do, and for the host there is.
  EXPECT_EQ(fixFor(Text, {MemoryModel::Power}).What, EditOutcome::NothingToDo);
  if (HostArchitecture == Architecture::X86_64) {
    EXPECT_EQ(fixFor(Text, {MemoryModel::Power}, TargetChoice::Host).What, EditOutcome::Found);
  }
}

TEST(Targets, AFixMayStandInTextOfOneTargetOnly) {
  std::string Text = "#include <assert.h>\n#include <pthread.h>\nvolatile int data, flag;\n"
                     "static void *writer(void *p) {\n"
                     "#ifdef __powerpc64__\n  data = 1;\n  flag = 1;\n#else\n  data = 1;\n"
                     "  __atomic_thread_fence(__ATOMIC_SEQ_CST);\n  flag = 1;\n#endif\n  return p;\n}\n"
                     "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, writer, 0);\n"
                     "  if (flag) {\n    __atomic_thread_fence(__ATOMIC_SEQ_CST);\n    assert(data);\n  }\n"
                     "  pthread_join(t, 0);\n  return 0;\n}\n";
  const std::vector<MemoryModel> Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power};
  EXPECT_EQ(of(checkUnder(Models, requestForText(Text)), MemoryModel::Power).Result, Verdict::Violation);
  const FixReport Report = fixFor(Text, Models);
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  const std::string After = fixed(Text, Report);
  EXPECT_NE(After.substr(0, After.find("#else")), Text.substr(0, Text.find("#else")));
  EXPECT_EQ(After.substr(After.find("#else")), Text.substr(Text.find("#else")));
  for (const ModelReport &M : checkUnder(Models, requestForText(After)).Models)
    EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which);
}

TEST(Targets, BothTargetsMayNeedAFence) {
  std::string Text =
      "#include <assert.h>\n#include <pthread.h>\nvolatile int data, flag, x, y, a, b;\n"
      "#ifdef __powerpc64__\n#define mb() __asm__ volatile(\"sync\" ::: \"memory\")\n"
      "#else\n#define mb() __asm__ volatile(\"\" ::: \"memory\")\n#endif\n"
      "static void *left(void *p) {\n  data = 1;\n  flag = 1;\n  x = 1;\n  mb();\n  a = y;\n  return p;\n}\n"
      "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, left, 0);\n"
      "  if (flag) {\n    mb();\n    assert(data);\n  }\n"
      "  y = 1;\n  mb();\n  b = x;\n  pthread_join(t, 0);\n  assert(a || b);\n  return 0;\n}\n";
  const std::vector<MemoryModel> Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::Power};
  const CheckReport Before = checkUnder(Models, requestForText(Text));
  EXPECT_EQ(of(Before, MemoryModel::TSO).Result, Verdict::Violation);
  EXPECT_EQ(of(Before, MemoryModel::Power).Result, Verdict::Violation);
  const FixReport Report = fixFor(Text, Models);
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  const std::string After = fixed(Text, Report);
  for (const ModelReport &M : checkUnder(Models, requestForText(After)).Models)
    EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which) << '\n' << After;
}

TEST(Targets, AFenceThatOneTargetNeedsIsNotRemoved) {
  FixOptions Options;
  Options.Check.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::Power};
  // Both barriers are needed on POWER; on x86 they are empty.
  RelaxReport Report = relax(requestForText(MessagePassing), Options);
  EXPECT_EQ(Report.What, EditOutcome::NothingToDo)
      << (Report.Weaker.empty() ? Report.Reason : Report.Weaker[0].Sentence);
  // One that is too many for both.
  std::string Text = MessagePassing;
  Text.replace(Text.find("  pthread_join"), 0, "  __atomic_thread_fence(__ATOMIC_SEQ_CST);\n");
  Report = relax(requestForText(Text), Options);
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  ASSERT_EQ(Report.Weaker.size(), 1u);
  EXPECT_EQ(modelsChecked(Report.Models), Options.Check.Models);
  EXPECT_EQ(editedTexts(requestForText(Text), Report.Edits).at("/test.c").find("__atomic_thread_fence"),
            std::string::npos);
}

TEST(Targets, KeysOfTheCacheKnowTheTarget) {
  CompileRequest Request = requestForText("int main(void) { return 0; }\n");
  Request.For = Architecture::Aarch64;
  Program P = compile(Request);
  Settings Options;
  const std::string Key = keyOf(P, Options);
  P.For = Architecture::Powerpc64le;
  EXPECT_NE(keyOf(P, Options), Key);
  P.For = Architecture::Aarch64;
  EXPECT_EQ(keyOf(P, Options), Key);
  Options.Targets = TargetChoice::Host;
  EXPECT_NE(keyOf(P, Options), Key);
}

TEST(Targets, SettingsChooseThem) {
  std::vector<SettingsProblem> Problems;
  EXPECT_EQ(layerOfToml("target = \"host\"\n", Problems).Targets, TargetChoice::Host);
  EXPECT_EQ(layerOfComment("// picket: target=model\n", Problems).Targets, TargetChoice::Model);
  EXPECT_TRUE(Problems.empty());
  layerOfComment("// picket: target=vax\n", Problems);
  ASSERT_EQ(Problems.size(), 1u);
  EXPECT_TRUE(contains(Problems[0].Message, "'vax' is no value of 'target' (model, host)"));
}

TEST_F(TargetCommands, ReportsSayWhichTargetAVerdictIsFor) {
  if (HostArchitecture != Architecture::X86_64)
    GTEST_SKIP() << "the expected text names x86_64 as this machine";
  write("mp.c", MessagePassing);
  testing::Outcome Result = run("check mp.c");
  EXPECT_EQ(Result.ExitCode, 1);
  EXPECT_TRUE(contains(Result.Output, "mp.c: TSO: verified")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "mp.c: POWER (powerpc64le): verified")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "mp.c:4:2: note: the text chooses its code for x86_64 here")) << Result.Output;
  Result = run("check --target=host --model power -q mp.c");
  EXPECT_TRUE(contains(Result.Output, "mp.c: POWER: violation")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "note: the text asks here what it is compiled for: that is x86_64"))
      << Result.Output;
  Result = run("check --target=vax mp.c");
  EXPECT_EQ(Result.ExitCode, 2);
  EXPECT_TRUE(contains(Result.Output, "'vax' is none of model, host; flags for Clang go after '--'")) << Result.Output;
  Result = run("check --model power --json mp.c");
  EXPECT_EQ(Result.ExitCode, 0);
  EXPECT_TRUE(contains(Result.Output, "\"target\": \"powerpc64le\"")) << Result.Output;
  Result = run("check --format sarif mp.c");
  EXPECT_TRUE(contains(Result.Output, "\"targets\": [")) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "about-target")) << Result.Output;
  write(".picket.toml", "models = [\"tso\"]\ntarget = \"host\"\n");
  Result = run("check mp.c");
  EXPECT_EQ(Result.ExitCode, 0) << Result.Output;
  EXPECT_FALSE(contains(Result.Output, "POWER")) << Result.Output;
}

TEST_F(TargetCommands, ACounterexampleRunsAgainForItsTarget) {
  write("char.c", "#include <assert.h>\nint main(void) { volatile char c = -1; assert(c == -1); return 0; }\n");
  testing::Outcome Result = run("check --model power --trace-json trace.json char.c");
  EXPECT_EQ(Result.ExitCode, 1) << Result.Output;
  Result = run("replay trace.json");
  EXPECT_EQ(Result.ExitCode, 1) << Result.Output;
  EXPECT_TRUE(contains(Result.Output, "fails again")) << Result.Output;
  std::ifstream In(Root / "trace.json");
  std::string Text{std::istreambuf_iterator<char>(In), {}};
  In.close();
  const size_t At = Text.find("powerpc64le");
  ASSERT_NE(At, std::string::npos);
  std::string Other = Text;
  Other.replace(At, 11, "x86_64");
  write("x86.json", Other);
  EXPECT_NE(run("replay x86.json").ExitCode, 1);
  Other = Text;
  Other.replace(At, 11, "vax");
  write("vax.json", Other);
  Result = run("replay vax.json");
  EXPECT_EQ(Result.ExitCode, 2);
  EXPECT_TRUE(contains(Result.Output, "must be the name of an architecture")) << Result.Output;
}

} // namespace
} // namespace picket
