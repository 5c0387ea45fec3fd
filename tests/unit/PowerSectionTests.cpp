// Atomic sections under POWER on small programs whose answers are known: a section is one step that nobody sees, or
// comes into, half done; and its ends order like full fences.
#include "support/Graphs.h"
#include "support/Recordings.h"
#include "support/Threads.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::Explored;
using Bugs = std::set<std::string>;

/// A program: what is global, the threads' bodies, and what main does when all have ended. BEGIN and END are a
/// section.
std::string threads(const std::string &Globals, const std::vector<std::string> &Bodies, const std::string &Then = "") {
  return testing::programOf(
      std::string("void __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\n"
                  "void __VERIFIER_assume(int);\n#define BEGIN __VERIFIER_atomic_begin()\n"
                  "#define END __VERIFIER_atomic_end()\n#define LWSYNC __asm__ volatile(\"lwsync\" ::: \"memory\")\n"
                  "#define SYNC __asm__ volatile(\"sync\" ::: \"memory\")\n") +
          Globals,
      Bodies, Then);
}

Explored explore(const std::string &Text, bool Large = false) {
  const Program P = testing::compile(testing::requestForText(Text));
  testing::GraphTraces Traces;
  ExplorationOptions Options = testing::exhaustively(MemoryModel::SC, 8);
  Options.Machine.LargeGraphs = Large;
  Explored All;
  All.Result = exploreGraphs(P, MemoryModel::Power, Options, Traces);
  All.Bugs = Traces.Bugs;
  All.Repeated = Traces.repeated();
  EXPECT_EQ(All.Repeated, 0u);
  EXPECT_EQ(All.Result.FailedWakeups, 0u);
  return All;
}

/// With both kinds of sets. Executions: how many complete ones there are, if that is known.
void expectSafe(const std::string &Text, uint64_t Executions = 0) {
  for (bool Large : {false, true}) {
    const Explored All = explore(Text, Large);
    EXPECT_EQ(All.Bugs, Bugs()) << Text;
    EXPECT_EQ(All.Result.Ended, ExplorationResult::End::Everything) << All.Result.Reason;
    EXPECT_GT(All.Result.Executions, 0u);
    if (Executions) {
      EXPECT_EQ(All.Result.Executions, Executions) << Text;
    }
  }
}
void expectBug(const std::string &Text, const std::string &Kind = "assertion") {
  for (bool Large : {false, true}) {
    const Explored All = explore(Text, Large);
    EXPECT_EQ(All.Bugs, Bugs{Kind}) << Text;
    EXPECT_EQ(All.Result.Ended, ExplorationResult::End::Everything) << All.Result.Reason;
  }
}
std::string refusalOf(const std::string &Text) {
  const Explored All = explore(Text);
  EXPECT_EQ(All.Result.Ended, ExplorationResult::End::Unsupported);
  return All.Result.Reason;
}

// One section against another.

TEST(PowerSections, IncrementsAreNotLost) {
  const std::string Increment = "BEGIN; x = x + 1; END;";
  expectSafe(threads("int x;", {Increment, Increment}, "assert(x == 2);"), 2);
  expectSafe(threads("int x;", {Increment, Increment, Increment}, "assert(x == 3);"), 6);
  expectSafe(threads("int x;", {Increment + Increment, Increment}, "assert(x == 3);"), 3);
}

TEST(PowerSections, UpdatesInsideAreAPart) {
  const std::string Both = "BEGIN; atomic_fetch_add_explicit(&x, 1, memory_order_relaxed); y = y + 1; END;";
  expectSafe(threads("atomic_int x; int y;", {Both, Both}, "assert(x == 2 && y == 2);"), 2);
  expectSafe(
      threads("atomic_int x, y;", {Both, "BEGIN; int a = atomic_fetch_add(&x, 1); int b = y; END; assert(a == b);"}),
      2);
}

TEST(PowerSections, StoreBuffering) {
  const char *const Assert = "assert(a || b);";
  expectSafe(threads("int x, y, a, b;", {"BEGIN; x = 1; a = y; END;", "BEGIN; y = 1; b = x; END;"}, Assert), 2);
  expectSafe(threads("int x, y, a, b;",
                     {"BEGIN; x = 1; END; BEGIN; a = y; END;", "BEGIN; y = 1; END; BEGIN; b = x; END;"}, Assert),
             3);
  // The ends of a section are fences for what is around it.
  expectSafe(threads("int x, y, z, a, b;", {"x = 1; BEGIN; z = 1; END; a = y;", "y = 1; BEGIN; END; b = x;"}, Assert));
  expectBug(threads("int x, y, a, b;", {"x = 1; a = y;", "y = 1; BEGIN; b = x; END;"}, Assert));
}

TEST(PowerSections, LoadBuffering) {
  expectSafe(
      threads("int x, y, a, b;", {"BEGIN; a = x; y = 1; END;", "BEGIN; b = y; x = 1; END;"}, "assert(!a || !b);"), 2);
  expectBug(threads("int x, y, a, b;", {"a = x; y = 1;", "BEGIN; b = y; x = 1; END;"}, "assert(!a || !b);"));
  expectSafe(threads("int x, y, a, b;", {"a = x; y = a;", "BEGIN; b = y; x = 1; END;"}, "assert(!a || !b);"));
}

TEST(PowerSections, IndependentReadsOfIndependentWrites) {
  const std::vector<std::string> Writers = {"x = 1;", "y = 1;"};
  auto With = [&](const std::string &A, const std::string &B) {
    return threads("int x, y, a, b, c, d;", {Writers[0], Writers[1], A, B}, "assert(!(a && !b && c && !d));");
  };
  expectSafe(With("BEGIN; a = x; b = y; END;", "BEGIN; c = y; d = x; END;"));
  expectSafe(With("BEGIN; a = x; END; BEGIN; b = y; END;", "BEGIN; c = y; END; BEGIN; d = x; END;"));
  expectBug(With("BEGIN; a = x; b = y; END;", "c = y; d = x;"));
}

// A section against plain accesses.

TEST(PowerSections, NobodySeesASectionHalfDone) {
  const std::string Writer = "BEGIN; x = 1; y = 1; END;";
  expectSafe(threads("int x, y, a, b;", {Writer, "a = y; SYNC; b = x;"}, "assert(!a || b);"), 3);
  expectSafe(threads("int x, y, a, b;", {Writer, "a = x; SYNC; b = y;"}, "assert(!a || b);"), 3);
  expectSafe(threads("int x, y, a, b;", {Writer, "a = y; LWSYNC; b = x;"}, "assert(!a || b);"));
  // The reader's loads are in no order.
  expectBug(threads("int x, y, a, b;", {Writer, "a = y; b = x;"}, "assert(!a || b);"));
  expectSafe(threads("int x, y, a, b;", {Writer, "BEGIN; a = y; b = x; END;"}, "assert(a == b);"), 2);
  // Nor does a thread that hears of it from another.
  expectSafe(threads("int x, y, z, a, b, c;", {Writer, "a = y; z = a;", "b = z; SYNC; c = x;"}, "assert(!b || c);"));
  // Nor a store that depends on it.
  expectSafe(threads("int x, y, a;", {Writer, "a = x; if (a) y = 2;"}, "assert(!a || y == 2);"));
}

TEST(PowerSections, NobodyComesBetweenItsAccesses) {
  expectSafe(threads("int x, a, b;", {"BEGIN; a = x; b = x; END;", "x = 1;"}, "assert(a == b);"), 2);
  expectSafe(threads("int x, a;", {"BEGIN; x = 1; a = x; END;", "x = 2;"}, "assert(a == 1);"), 2);
  expectSafe(threads("int x;", {"BEGIN; x = x + 1; END;", "x = 5;"}, "assert(x == 5 || x == 6);"), 2);
  expectSafe(threads("int x, y, a, b;", {"BEGIN; a = x; b = y; END;", "x = 1; LWSYNC; y = 1;"}, "assert(a || !b);"));
  expectBug(threads("int x, y, a, b;", {"BEGIN; a = x; b = y; END;", "x = 1; y = 1;"}, "assert(a || !b);"));
}

TEST(PowerSections, PassOnWhatTheyHaveSeen) { // WRC
  auto With = [](const std::string &Middle) {
    return threads("int x, y, a, b, c;", {"x = 1;", Middle, "b = y; SYNC; c = x;"}, "assert(!b || c);");
  };
  expectBug(With("a = x; y = a;"));
  expectSafe(With("BEGIN; a = x; y = a; END;"));
  expectSafe(With("BEGIN; a = x; END; y = a;"));
}

// Around sections.

TEST(PowerSections, FunctionsMayBeSections) {
  const std::string Globals = "int x; void __VERIFIER_atomic_add(int by) { x = x + by; }";
  expectSafe(threads(Globals, {"__VERIFIER_atomic_add(1);", "__VERIFIER_atomic_add(2);"}, "assert(x == 3);"), 2);
}

TEST(PowerSections, InsideOneAnotherAreOne) {
  expectSafe(
      threads("int x, y, a, b;", {"BEGIN; x = 1; BEGIN; y = 1; END;", "BEGIN; a = x; b = y; END;"}, "assert(a == b);"),
      2);
}

TEST(PowerSections, MayBeLeftInAnyWay) {
  expectSafe(threads("int x, a;", {"BEGIN; x = 1; return p; END;", "a = x;"}), 2);
  expectSafe(threads("int x, a;", {"BEGIN; x = 1; pthread_exit(0); END;", "a = x;"}), 2);
  expectBug(threads("int x, a;", {"BEGIN; x = x + 1; assert(x != 2); END;", "BEGIN; x = x + 1; END;"}));
  const Explored Assumed =
      explore(threads("int x;", {"BEGIN; __VERIFIER_assume(x == 1); x = 2; END;", "x = 1;"}, "assert(x);"));
  EXPECT_EQ(Assumed.Bugs, Bugs());
  EXPECT_EQ(Assumed.Result.Executions, 1u);
  EXPECT_EQ(explore(threads("int x;", {"BEGIN; x = 1; exit(0); END;", "BEGIN; x = 2; END;"})).Bugs, Bugs());
}

TEST(PowerSections, ABugInAnImpossibleRunIsNone) {
  // The first thread would fail if the second could come between, and nothing else can be seen to be wrong.
  expectSafe(threads("int x, y;", {"BEGIN; int a = x; y = 1; int b = x; END; assert(a == b);",
                                   "BEGIN; int c = y; x = 1; int d = y; END; assert(c == d);"}));
}

TEST(PowerSections, LocksAreMadeOfThem) {
  const std::string Globals = "int lock, x; void __VERIFIER_atomic_take(void) { __VERIFIER_assume(!lock); lock = 1; }";
  const std::string Body = "__VERIFIER_atomic_take(); x = x + 1; BEGIN; lock = 0; END;";
  expectSafe(threads(Globals, {Body, Body}, "assert(x == 2);"), 2);
  const std::string Try = "for (;;) { int free; BEGIN; free = !lock; if (free) lock = 1; END; if (free) break; }";
  EXPECT_EQ(explore(threads("int lock, x;",
                            {Try + "x = x + 1; BEGIN; lock = 0; END;", Try + "x = x + 1; BEGIN; lock = 0; END;"},
                            "assert(x == 2);"))
                .Bugs,
            Bugs());
}

TEST(PowerSections, MayWaitForAnotherBeforeTheyWrite) {
  expectSafe(threads("int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
                     {"BEGIN; pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m); END;",
                      "pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m);"},
                     "assert(x == 2);"));
  expectSafe(threads("atomic_int x; int y;", {"BEGIN; while (!x) ; y = 1; END;", "x = 1;"}, "assert(y);"), 1);
}

TEST(PowerSections, MayBeOfAccessesThatOverlap) {
  const std::string Globals = "_Alignas(4) char c[4]; int a, b;";
  expectSafe(threads(Globals, {"BEGIN; c[0] = 1; c[1] = 1; END;", "a = *(volatile short *)c;"},
                     "assert(a == 0 || a == 0x101);"),
             2);
  expectSafe(threads(Globals, {"BEGIN; a = c[0]; b = c[1]; END;", "*(volatile short *)c = 0x101;"}, "assert(a == b);"),
             2);
}

TEST(PowerSections, MayCreateThreads) {
  expectSafe(threads("int x, y; pthread_t inner; void *run(void *p) { y = x; return p; }",
                     {"BEGIN; x = 1; pthread_create(&inner, 0, run, 0); int a = y; x = 2; END; pthread_join(inner, 0); "
                      "assert(a == 0 && y == 2);",
                      "int b = x; assert(b != 1);"}));
}

TEST(PowerSections, CounterexamplesCanBeReplayed) {
  const std::string Programs[] = {
      threads("int x, y, a, b;", {"BEGIN; x = 1; y = 1; END;", "a = y; b = x;"}, "assert(!a || b);"),
      threads("int x, y, a, b;", {"x = 1; a = y;", "y = 1; BEGIN; b = x; END;"}, "assert(a || b);"),
      threads("int x;", {"BEGIN; x = x + 1; assert(x != 2); END;", "BEGIN; x = x + 1; END;"}),
      threads("int x, y, a, b, c, d;",
              {"x = 1;", "y = 1;", "BEGIN; a = x; b = y; END;", "c = y; d = x; BEGIN; x = d; END;"},
              "assert(!(a && !b && c && !d));")};
  for (const std::string &Text : Programs) {
    CheckRequest Request;
    Request.Text = testing::requestForText(Text);
    Request.Options.Models = {MemoryModel::Power};
    const CheckReport Report = check(Request);
    ASSERT_FALSE(Report.Models[0].Bugs.empty()) << Text;
    ASSERT_TRUE(Report.Models[0].Bugs[0].Trace) << Text;
    const Counterexample &C = *Report.Models[0].Bugs[0].Trace;
    EXPECT_EQ(testing::problemOf(C), "") << Text;
    const ReplayResult Again = replay(testing::compile(Request.Text), C.Run, MachineOptions());
    EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << Again.Message << Text;
  }
}

TEST(PowerSections, ThatWaitAfterTheyHaveWrittenAreRefused) {
  EXPECT_NE(refusalOf(threads("int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
                              {"BEGIN; x = 1; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); END;", "x = 2;"}))
                .find("an atomic section that may have to wait after it has written"),
            std::string::npos);
}

} // namespace
} // namespace picket
