// The machine: bugs at their place, undo, loops and waiting.
#include "support/Explore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace picket {
namespace {

const char *const Head = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n";

/// The text, and the line of the mark `^` in it, which is taken out. Head comes first.
struct Marked {
  std::string Text;
  uint32_t Line = 0;

  explicit Marked(std::string Body) {
    size_t At = Body.find('^');
    if (At != std::string::npos)
      Body.erase(At, 1);
    Text = Head + Body;
    if (At != std::string::npos)
      Line = static_cast<uint32_t>(
          1 + std::count(Text.begin(), Text.begin() + static_cast<ptrdiff_t>(std::string(Head).size() + At), '\n'));
  }
};

std::string describe(const ModelReport &M) {
  std::string Text = std::string(nameOf(M.Which)) + ": " + nameOf(M.Result) + " " + M.Reason + ", " +
                     std::to_string(M.Executions) + " executions, " + std::to_string(M.CutShort) + " cut";
  for (const Bug &B : M.Bugs)
    Text +=
        "\n  line " + std::to_string(B.Where.Line) + ": " + nameOf(B.Kind) + ": " + B.Message + " (" + B.Thread + ")";
  for (const CutLoop &L : M.Loops)
    Text += "\n  loop cut at line " + std::to_string(L.Where.Line);
  return Text;
}

ModelReport checkOne(const std::string &Text, MemoryModel Which = MemoryModel::SC, unsigned Unroll = 8) {
  CheckOptions Options;
  Options.Models = {Which};
  Options.Exhaustive = true;
  Options.Unroll = Unroll;
  CheckReport Report = testing::checkText(Text, Options);
  for (const Diagnostic &D : Report.Diagnostics)
    EXPECT_NE(D.Level, Severity::Error) << D.Where.Line << ": " << D.Message;
  return Report.Models.at(0);
}

/// The only bug under every model is of this kind and in the line marked with ^.
void expectBug(const std::string &Kind, const std::string &Body, const std::string &Thread = "") {
  Marked M(Body);
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}) {
    ModelReport Report = checkOne(M.Text, Which);
    SCOPED_TRACE(describe(Report) + "\n" + M.Text);
    EXPECT_EQ(Report.Result, Verdict::Violation);
    ASSERT_EQ(Report.Bugs.size(), 1u);
    EXPECT_EQ(nameOf(Report.Bugs[0].Kind), std::string(Kind));
    EXPECT_EQ(Report.Bugs[0].Where.Line, M.Line);
    EXPECT_FALSE(Report.Bugs[0].Message.empty());
    if (!Thread.empty()) {
      EXPECT_EQ(Report.Bugs[0].Thread, Thread);
    }
  }
}

TEST(Bugs, UseAfterFree) {
  expectBug("use-after-free", "int main(void) {\n  int *p = malloc(4);\n  *p = 1;\n  free(p);\n  ^return *p;\n}\n",
            "main");
}

TEST(Bugs, UseAfterFreeByAnotherThread) {
  expectBug("use-after-free",
            "int *p;\nvoid *reader(void *a) {\n  ^*p = 2;\n  return a;\n}\n"
            "int main(void) {\n  pthread_t t;\n  p = calloc(1, 4);\n  pthread_create(&t, 0, reader, 0);\n"
            "  free(p);\n  pthread_join(t, 0);\n  return 0;\n}\n",
            "reader");
}

TEST(Bugs, UseAfterReturn) {
  expectBug(
      "use-after-free",
      "__attribute__((noinline)) int *escape(void) {\n  int here = 1;\n  int *volatile p = &here;\n  return p;\n}\n"
      "int main(void) {\n  int *p = escape();\n  ^return *p;\n}\n");
}

TEST(Bugs, OutOfBounds) {
  expectBug("out-of-bounds", "int a[4];\nvolatile int i = 4;\nint main(void) {\n  ^a[i] = 1;\n  return 0;\n}\n");
  expectBug("out-of-bounds",
            "int main(void) {\n  char *p = malloc(3);\n  volatile int i = 3;\n  ^p[i] = 1;\n  return 0;\n}\n");
  expectBug("out-of-bounds",
            "int main(void) {\n  char *p = malloc(3), b[4] = \"abc\";\n  ^memcpy(p, b, 4);\n  return 0;\n}\n");
}

TEST(Bugs, NullAccess) {
  expectBug("null-access", "int *volatile p;\nint main(void) {\n  ^*p = 1;\n  return 0;\n}\n");
  expectBug("null-access", "struct s { int a, b; } *volatile p;\nint main(void) {\n  ^return p->b;\n}\n");
}

TEST(Bugs, DoubleFree) {
  expectBug("double-free", "int main(void) {\n  char *p = malloc(1);\n  free(p);\n  ^free(p);\n  return 0;\n}\n");
}

TEST(Bugs, InvalidFree) {
  expectBug("invalid-free", "int main(void) {\n  char *p = malloc(2);\n  ^free(p + 1);\n  return 0;\n}\n");
  expectBug("invalid-free", "int g;\nint main(void) {\n  ^free(&g);\n  return 0;\n}\n");
}

TEST(Bugs, DivisionByZero) {
  expectBug("division-by-zero", "volatile int d;\nint main(void) {\n  int x = 7;\n  ^return x / d;\n}\n");
  expectBug("division-by-zero",
            "volatile unsigned d;\nint main(void) {\n  unsigned x = 7;\n  ^return (int)(x % d);\n}\n");
}

TEST(Bugs, UnlockNotHeld) {
  expectBug("unlock-not-held", "pthread_mutex_t m;\nint main(void) {\n  ^pthread_mutex_unlock(&m);\n  return 0;\n}\n");
}

TEST(Bugs, DestroyedMutex) {
  expectBug("destroyed-object", "pthread_mutex_t m;\nint main(void) {\n  pthread_mutex_init(&m, 0);\n"
                                "  pthread_mutex_destroy(&m);\n  ^pthread_mutex_lock(&m);\n  return 0;\n}\n");
}

TEST(Bugs, StackOverflow) {
  expectBug("stack-overflow", "volatile int d;\nint deep(int n) {\n  ^return n ? deep(n + 1) + d : 0;\n}\n"
                              "int main(void) {\n  return deep(1);\n}\n");
}

TEST(Bugs, AssertionOfAThreadNamesTheThread) {
  expectBug("assertion",
            "int x;\nvoid *worker(void *a) {\n  ^assert(x == 1);\n  return a;\n}\n"
            "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, worker, 0);\n"
            "  pthread_join(t, 0);\n  return 0;\n}\n",
            "worker");
}

TEST(Bugs, LocksInOppositeOrderDeadlock) {
  ModelReport Report =
      checkOne(std::string(Head) +
               "pthread_mutex_t m, n;\n"
               "void *a(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); "
               "pthread_mutex_unlock(&m); return p; }\n"
               "void *b(void *p) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); "
               "pthread_mutex_unlock(&n); return p; }\n"
               "int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0); "
               "pthread_join(s, 0); pthread_join(t, 0); return 0; }\n");
  EXPECT_EQ(Report.Executions, 3u);
  ASSERT_FALSE(Report.Bugs.empty());
  for (const Bug &B : Report.Bugs)
    EXPECT_EQ(B.Kind, BugKind::Deadlock) << describe(Report);
}

TEST(Bugs, AWakeUpBeforeTheWaitIsLost) {
  ModelReport Report = checkOne(
      std::string(Head) +
      "pthread_mutex_t m; pthread_cond_t c; int ready;\n"
      "void *waiter(void *p) { pthread_mutex_lock(&m); int r = ready; pthread_mutex_unlock(&m);\n"
      "  if (!r) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); } return p; }\n"
      "int main(void) { pthread_t t; pthread_create(&t, 0, waiter, 0); pthread_mutex_lock(&m); ready = 1;\n"
      "  pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }\n");
  ASSERT_FALSE(Report.Bugs.empty()) << describe(Report);
  EXPECT_EQ(Report.Bugs[0].Kind, BugKind::Deadlock);
}

TEST(Bugs, ASpinLoopThatNothingEndsHangs) {
  expectBug("hang", "volatile int go;\nvoid *worker(void *a) {\n  ^while (!go)\n    ;\n  return a;\n}\n"
                    "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, worker, 0);\n"
                    "  go = 0;\n  pthread_join(t, 0);\n  return 0;\n}\n");
}

/// Threads of every kind of step, for taking back.
const char *const Busy = "volatile int x, y; pthread_mutex_t m; _Thread_local int mine; int *shared; int counter;\n"
                         "int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }\n"
                         "void *worker(void *p) {\n"
                         "  int local[3] = {1, 2, 3};\n"
                         "  x = fact(4); mine = y;\n"
                         "  int *block = malloc(8); block[0] = x; y = local[block[0] & 1] + mine;\n"
                         "  pthread_mutex_lock(&m); counter += block[0]; shared = block; pthread_mutex_unlock(&m);\n"
                         "  free(block);\n"
                         "  __sync_fetch_and_add(&x, 1);\n"
                         "  return p;\n"
                         "}\n"
                         "int main(void) {\n"
                         "  pthread_t t[2];\n"
                         "  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);\n"
                         "  y = x;\n"
                         "  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\n"
                         "  return counter;\n"
                         "}\n";

/// One step of a configuration, as far as it can be seen.
struct Step {
  ProcessId Process;
  OperationKind Kind;
  uint32_t Operation, Pc;
  std::vector<std::pair<Address, bool>> Accesses;
  bool operator==(const Step &) const = default;
};

Step take(Configuration &C, ProcessId P) {
  C.step(P);
  Step S{P, C.kind(), C.operation(), C.pc(), {}};
  for (const MemoryAccess &A : C.accesses())
    S.Accesses.push_back({A.Where, A.Write});
  return S;
}

/// Runs to the end, choosing at random.
std::vector<Step> run(Configuration &C, std::mt19937 Random) {
  std::vector<Step> Steps;
  std::vector<ProcessId> Enabled;
  for (C.enabled(Enabled); !Enabled.empty() && Steps.size() < 1000; C.enabled(Enabled))
    Steps.push_back(take(C, Enabled[Random() % Enabled.size()]));
  return Steps;
}

/// Bytes of all objects that are alive.
std::vector<uint8_t> memoryOf(Configuration &C, const Program &P) {
  std::vector<uint8_t> Bytes;
  for (size_t G = 0; G < P.Globals.size(); ++G) {
    const Object &O = C.machine().memory().at(static_cast<uint32_t>(G + 1));
    Bytes.insert(Bytes.end(), O.Data, O.Data + O.Size);
  }
  return Bytes;
}

/// Everything is shared in the end: what may be an event is one from the start.
void shareAll(Sharing &Shared, const Program &P) {
  for (uint32_t S = 0; S < P.NumSites + P.Globals.size(); ++S)
    Shared.markShared(S);
}

/// What is quiet is learned from run to run; here all runs are to have the same steps.
MachineOptions everyAccessIsAStep() {
  MachineOptions Options;
  Options.QuietAccesses = false;
  return Options;
}

TEST(Undo, ARunTakenBackCanBeRunAgainToTheSameEvents) {
  Program P = testing::compile(testing::requestForText(std::string(Head) + Busy));
  for (MemoryModel Buffers : testing::AllModels) {
    Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
    shareAll(Shared, P);
    Configuration C(P, Shared, everyAccessIsAStep(), Buffers);
    C.start();
    Configuration::Mark Start = C.mark();
    const std::vector<uint8_t> Fresh = memoryOf(C, P);
    for (unsigned Seed = 0; Seed < 50; ++Seed) {
      std::vector<Step> First = run(C, std::mt19937(Seed));
      Ending How = C.ending();
      std::vector<uint8_t> Last = memoryOf(C, P);
      C.undoTo(Start);
      EXPECT_EQ(memoryOf(C, P), Fresh);
      EXPECT_EQ(run(C, std::mt19937(Seed)), First) << titleOf(Buffers) << ", seed " << Seed;
      EXPECT_EQ(C.ending(), How);
      EXPECT_EQ(memoryOf(C, P), Last);
      C.undoTo(Start);
    }
  }
}

TEST(Undo, EveryStepCanBeTakenBackByItself) {
  Program P = testing::compile(testing::requestForText(std::string(Head) + Busy));
  for (MemoryModel Buffers : testing::AllModels) {
    Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
    shareAll(Shared, P);
    Configuration C(P, Shared, everyAccessIsAStep(), Buffers);
    C.start();
    std::mt19937 Random(1);
    std::vector<ProcessId> Enabled, Again;
    for (C.enabled(Enabled); !Enabled.empty(); C.enabled(Enabled)) {
      const std::vector<uint8_t> Before = memoryOf(C, P);
      for (ProcessId Q : Enabled) { // whatever is tried, nothing of it stays
        Configuration::Mark Here = C.mark();
        take(C, Q);
        C.undoTo(Here);
        C.enabled(Again);
        ASSERT_EQ(Again, Enabled);
        ASSERT_EQ(memoryOf(C, P), Before);
      }
      take(C, Enabled[Random() % Enabled.size()]);
    }
    EXPECT_EQ(C.ending(), Ending::Complete);
  }
}

TEST(Undo, IdentitiesDoNotDependOnTheSchedule) {
  Program P = testing::compile(testing::requestForText(
      std::string(Head) +
      "volatile int x;\n"
      "void *leaf(void *p) { int *b = malloc(4); *b = 1; x = *b; free(b); return p; }\n"
      "void *node(void *p) { pthread_t t; x = 1; pthread_create(&t, 0, leaf, 0); pthread_join(t, 0); return p; }\n"
      "int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, node, 0);\n"
      "  for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }\n"));
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  shareAll(Shared, P);
  Configuration C(P, Shared, everyAccessIsAStep(), MemoryModel::SC);
  C.start();
  Configuration::Mark Start = C.mark();
  // Whoever runs first, a thread's own events are the same, down to the addresses of what it allocates.
  std::map<ProcessId, std::vector<Step>> Expected;
  for (unsigned Seed = 0; Seed < 50; ++Seed) {
    std::map<ProcessId, std::vector<Step>> PerThread;
    for (const Step &S : run(C, std::mt19937(Seed)))
      PerThread[S.Process].push_back(S);
    C.undoTo(Start);
    if (Seed == 0)
      Expected = PerThread;
    EXPECT_EQ(PerThread, Expected) << "seed " << Seed;
  }
}

/// Text of a program with one thread besides main, which stores to x a few times.
std::string withWriter(const std::string &Globals, const std::string &MainBody, const std::string &WriterBody) {
  return std::string(Head) + "volatile int x, y;\n" + Globals + "void *writer(void *p) { " + WriterBody +
         " return p; }\nint main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, writer, 0);\n" + MainBody +
         "  pthread_join(t, 0);\n  return 0;\n}\n";
}

TEST(LoopBound, ALoopThatOthersKeepGoingIsCutAndNamed) {
  Marked M(
      "volatile int x, y;\nvoid *writer(void *p) {\n  for (int i = 0; i < 6; i++)\n    x = i + 1;\n  return p;\n}\n"
      "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, writer, 0);\n"
      "  ^while (x < 6)\n    y = y + 1;\n  pthread_join(t, 0);\n  return 0;\n}\n");
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}) {
    ModelReport Report = checkOne(M.Text, Which, 3);
    SCOPED_TRACE(describe(Report));
    EXPECT_EQ(Report.Result, Verdict::Bounded);
    EXPECT_GT(Report.CutShort, 0u);
    ASSERT_EQ(Report.Loops.size(), 1u);
    EXPECT_EQ(Report.Loops[0].Where.Line, M.Line);
  }
}

void expectNotCut(const std::string &Text, uint64_t Executions, unsigned Unroll = 1) {
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}) {
    ModelReport Report = checkOne(Text, Which, Unroll);
    SCOPED_TRACE(describe(Report) + "\n" + Text);
    EXPECT_EQ(Report.Result, Verdict::Verified);
    EXPECT_EQ(Report.CutShort, 0u);
    EXPECT_EQ(Report.Executions, Executions);
  }
}

TEST(LoopBound, CountingLoopsAreNeverCut) {
  expectNotCut(withWriter("", "  for (int i = 0; i < 40; i++) y = i;\n", "for (int i = 0; i < 40; i++) x = i;"), 1);
  // A loop that counts and reads what others write still only counts.
  expectNotCut(withWriter("", "  int s = 0; for (int i = 0; i < 3; i++) s += x;\n", "x = 1;"), 4);
}

TEST(LoopBound, TheLoopThatCreatesTheThreadsIsNotCut) {
  expectNotCut(std::string(Head) + "volatile int c[20];\nvoid *t(void *p) { c[(long)p] = 1; return 0; }\n"
                                   "int main(void) {\n  pthread_t id[20];\n"
                                   "  for (long i = 0; i < 20; i++) pthread_create(&id[i], 0, t, (void *)i);\n"
                                   "  for (int i = 0; i < 20; i++) pthread_join(id[i], 0);\n  return 0;\n}\n",
               1, 2);
}

TEST(LoopBound, AGlobalThatNobodyChangesBoundsALoop) {
  expectNotCut(
      withWriter("int n = 12;\n", "  for (int i = 0; i < n; i++) y = i;\n", "for (int i = 0; i < n; i++) x = i;"), 1);
}

TEST(LoopBound, AListOfOnesOwnIsWalkedToItsEnd) {
  expectNotCut(
      std::string(Head) +
          "volatile int x;\nstruct node { struct node *next; int value; };\n"
          "void *t(void *p) {\n  struct node *list = 0;\n"
          "  for (int i = 0; i < 10; i++) { struct node *n = malloc(sizeof *n); n->next = list; n->value = i; list = n; }\n"
          "  int s = 0;\n  for (struct node *n = list; n; n = n->next) s += n->value;\n"
          "  while (list) { struct node *next = list->next; free(list); list = next; }\n"
          "  assert(s == 45);\n  x = s;\n  return p;\n}\n"
          "int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, t, 0);\n  pthread_create(&b, 0, t, 0);\n"
          "  pthread_join(a, 0);\n  pthread_join(b, 0);\n  return 0;\n}\n",
      2);
}

TEST(LoopBound, StringsAreReadToTheirEnd) {
  expectNotCut(withWriter("const char *text = \"a rather long text\";\n",
                          "  int n = 0; for (const char *s = text; *s; s++) n++;\n  assert(n == 18);\n",
                          "x = (int)strlen(text);"),
               1);
}

TEST(SpinLoops, WaitingForAFlagIsOneExecution) { expectNotCut(withWriter("", "  while (!x)\n    ;\n", "x = 1;"), 1); }

TEST(SpinLoops, OnlyValuesThatEndTheLoopMatter) {
  expectNotCut(withWriter("", "  while (x < 3)\n    ;\n", "x = 1; x = 2; x = 3;"), 1);
  expectNotCut(withWriter("", "  while (x < 3)\n    ;\n", "x = 1; x = 3; x = 4;"), 2);
}

TEST(SpinLoops, YieldingInBetweenIsStillWaiting) {
  expectNotCut("#include <sched.h>\n" + withWriter("", "  while (!x)\n    sched_yield();\n", "x = 1;"), 1);
}

TEST(SpinLoops, ATestAndSetLockHasOneExecutionPerOrder) {
  std::string Lock =
      "while (__atomic_exchange_n(&x, 1, __ATOMIC_ACQUIRE)) ; y++; __atomic_store_n(&x, 0, __ATOMIC_RELEASE);";
  expectNotCut(withWriter("", "  " + Lock + "\n", Lock), 2);
}

} // namespace
} // namespace picket
