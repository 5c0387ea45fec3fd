// Known numbers of executions: of small programs whose traces can be counted by hand, and of programs on which
// independent tools agree.
#include "support/Explore.h"
#include "support/ProcessorTime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace picket {
namespace {

using testing::AllModels;
using Totals = std::array<uint64_t, 3>; // SC, TSO, PSO

/// Explores under every model. Whatever the program, nothing may be explored that does not count.
Totals totalsOf(const CompileRequest &Request) {
  Program P = testing::compile(Request);
  Totals Result = {};
  for (size_t K = 0; K < 3; ++K) {
    ExplorationResult R = testing::explore(P, AllModels[K]);
    EXPECT_EQ(R.SleepSetBlocked, 0u) << titleOf(AllModels[K]);
    EXPECT_EQ(R.FailedWakeups, 0u) << titleOf(AllModels[K]);
    EXPECT_EQ(R.Cut, 0u) << titleOf(AllModels[K]);
    Result[K] = R.Executions;
  }
  return Result;
}

Totals totalsOf(const std::string &Program, std::vector<std::string> Flags = {}) {
  return totalsOf(testing::requestForProgram(Program, std::move(Flags)));
}

std::string define(const char *Name, unsigned Value) { return std::string("-D") + Name + "=" + std::to_string(Value); }

Totals same(uint64_t Number) { return {Number, Number, Number}; }

TEST(KnownTotals, NWritersOfOneVariableHaveNFactorialOrders) {
  uint64_t Factorial = 1;
  for (unsigned N = 1; N <= 7; ++N)
    EXPECT_EQ(totalsOf("writers", {define("N", N)}), same(Factorial *= N)) << N;
}

TEST(KnownTotals, NAtomicIncrementsHaveNFactorialOrders) {
  uint64_t Factorial = 1;
  for (unsigned N = 1; N <= 6; ++N)
    EXPECT_EQ(totalsOf("increments", {define("N", N)}), same(Factorial *= N)) << N;
}

TEST(KnownTotals, ACounterUnderAMutexHasOneExecutionPerLockOrder) {
  uint64_t Factorial = 1;
  for (unsigned N = 1; N <= 6; ++N)
    EXPECT_EQ(totalsOf("mutex_counter", {define("N", N)}), same(Factorial *= N)) << N;
}

TEST(KnownTotals, StoreBufferingHasOneMoreExecutionWithBuffers) {
  EXPECT_EQ(totalsOf("store_buffering"), (Totals{3, 4, 4}));
}

TEST(KnownTotals, FencesMakeStoreBufferingSequentiallyConsistent) {
  EXPECT_EQ(totalsOf("store_buffering", {"-DFENCED"}), same(3));
}

TEST(KnownTotals, MessagePassingHasOneMoreExecutionWhenStoresOvertake) {
  EXPECT_EQ(totalsOf("message_passing"), (Totals{3, 3, 4}));
}

TEST(KnownTotals, AForwardedLoadDoesNotSeparateTraces) { EXPECT_EQ(totalsOf("forwarding"), same(3)); }

TEST(KnownTotals, LastZeroIsRobust) {
  EXPECT_EQ(totalsOf("lastzero", {"-DN=5"}), same(64));
  EXPECT_EQ(totalsOf("lastzero", {"-DN=10"}), same(3328));
}

TEST(KnownTotals, FibonacciWithJoin) { EXPECT_EQ(totalsOf("fib", {"-DJOIN"}), (Totals{8953, 19404, 19404})); }

TEST(KnownTotals, FiveRoundsOfStoreBuffering) {
  EXPECT_EQ(totalsOf("sbloop", {"-DK=5"}), (Totals{8953, 49104, 49104}));
}

TEST(KnownTotals, OrderOfThreadCreationDoesNotMatter) {
  for (const char *Name : {"store_buffering", "message_passing", "forwarding", "sbloop", "peterson"})
    EXPECT_EQ(totalsOf(Name, {"-DPERMUTE", "-DK=3"}), totalsOf(Name, {"-DK=3"})) << Name;
}

const char *const Head = "#include <pthread.h>\n#include <assert.h>\nvolatile int x, y, z;\npthread_mutex_t m;\n";

/// A program of threads with these bodies, all started by main, which then joins them.
std::string threads(const std::vector<std::string> &Bodies, const std::string &Afterwards = "") {
  std::string Text = Head, Create, Join;
  for (size_t K = 0; K < Bodies.size(); ++K) {
    std::string N = std::to_string(K);
    Text += "void *t" + N + "(void *p) { " + Bodies[K] + " return p; }\n";
    Create += "  pthread_create(&t[" + N + "], 0, t" + N + ", 0);\n";
    Join += "  pthread_join(t[" + N + "], 0);\n";
  }
  return Text + "int main(void) {\n  pthread_t t[" + std::to_string(Bodies.size()) + "];\n" + Create + Join +
         Afterwards + "  return 0;\n}\n";
}

Totals totalsOfThreads(const std::vector<std::string> &Bodies) {
  return totalsOf(testing::requestForText(threads(Bodies)));
}

TEST(Traces, IndependentThreadsHaveOneExecution) {
  EXPECT_EQ(totalsOfThreads({"x = 1; x = 2; (void)x;", "y = 1; (void)y;", "z = 1;"}), same(1));
}

TEST(Traces, TwoReadersDoNotRace) { EXPECT_EQ(totalsOfThreads({"(void)x;", "(void)x;"}), same(1)); }

TEST(Traces, AReaderSeesBeforeOrAfter) { EXPECT_EQ(totalsOfThreads({"x = 1;", "(void)x;"}), same(2)); }

TEST(Traces, AStoreOfTheSameValueIsAnotherTrace) { EXPECT_EQ(totalsOfThreads({"x = 0;", "(void)x;"}), same(2)); }

TEST(Traces, LoadsAreNotDelayedPastLaterStores) { // load buffering
  EXPECT_EQ(totalsOfThreads({"(void)x; y = 1;", "(void)y; x = 1;"}), same(3));
}

TEST(Traces, JoinOrdersWhatTheThreadStored) {
  EXPECT_EQ(totalsOf(testing::requestForText(threads({"x = 1;"}, "  assert(x == 1);\n"))), same(1));
}

TEST(Traces, ReadModifyWritesDrainTheBuffer) {
  EXPECT_EQ(
      totalsOfThreads({"x = 1; __sync_fetch_and_add(&z, 1); (void)y;", "y = 1; __sync_fetch_and_add(&z, 1); (void)x;"}),
      same(4));
}

TEST(Traces, ACompareAndSwapThatFailsComesAfterItsThreadsOwnStore) { // though it is relaxed, and only reads
  const std::string Fails =
      "int old = 7; __atomic_compare_exchange_n(&x, &old, 8, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);";
  EXPECT_EQ(totalsOfThreads({"x = 3; " + Fails, "(void)x;"}), same(2));
  EXPECT_EQ(totalsOfThreads({"x = 3; " + Fails, Fails}), same(2));
}

TEST(Traces, TheOrderOfAnAccessHoldsWhereNobodyElseSeesWhatItAccesses) {
  auto StoreBuffering = [](const std::string &Between) {
    return totalsOfThreads({"static volatile int mine; x = 1; " + Between + " (void)y;",
                            "static volatile int mine; y = 1; " + Between + " (void)x;"});
  };
  EXPECT_EQ(StoreBuffering("__sync_fetch_and_add(&mine, 1);"), same(3));
  EXPECT_EQ(StoreBuffering("__sync_bool_compare_and_swap(&mine, 1, 2);"), same(3));
  EXPECT_EQ(StoreBuffering("__atomic_fetch_add(&mine, 1, __ATOMIC_RELAXED);"), (Totals{3, 3, 4}));
  EXPECT_EQ(StoreBuffering("__atomic_store_n(&mine, 1, __ATOMIC_SEQ_CST);"), same(3));
  EXPECT_EQ(StoreBuffering("__atomic_store_n(&mine, 1, __ATOMIC_RELEASE);"), (Totals{3, 4, 4}));
  EXPECT_EQ(totalsOfThreads({"static volatile int mine; x = 1; __atomic_store_n(&mine, 1, __ATOMIC_RELEASE); y = 1;",
                             "(void)y; (void)x;"}),
            same(3));
}

TEST(Traces, StoreStoreBarrierForbidsOvertaking) {
  EXPECT_EQ(totalsOfThreads({"x = 1; __atomic_thread_fence(__ATOMIC_RELEASE); y = 1;", "(void)y; (void)x;"}), same(3));
}

TEST(Traces, OverlappingAccessesAreComparedByteByByte) {
  // The byte that is read and the byte that is written are different ones, then the same.
  EXPECT_EQ(totalsOfThreads({"((volatile char *)&x)[0] = 1;", "(void)((volatile char *)&x)[1];"}), same(1));
  EXPECT_EQ(totalsOfThreads({"((volatile char *)&x)[1] = 1;", "(void)x;"}), same(2));
}

TEST(Traces, SequentialTracesAreAmongTheRelaxedOnes) {
  for (const char *Name :
       {"store_buffering", "message_passing", "iriw", "two_plus_two_writes", "litmus_r", "litmus_s"}) {
    Program P = testing::compile(testing::requestForProgram(Name));
    testing::Traces Seen[3];
    for (size_t K = 0; K < 3; ++K)
      exploreOptimally(P, testing::exhaustively(AllModels[K]), Seen[K]);
    for (size_t K = 0; K < 2; ++K)
      EXPECT_TRUE(std::all_of(Seen[K].Complete.begin(), Seen[K].Complete.end(),
                              [&](const auto &T) { return Seen[K + 1].Complete.count(T.first); }))
          << Name << ": " << titleOf(AllModels[K]) << " and " << titleOf(AllModels[K + 1]);
  }
}

/// Everything a report says but the time it took.
std::string summary(const CheckReport &Report) {
  std::string Text;
  for (const ModelReport &M : Report.Models) {
    Text += std::string(nameOf(M.Which)) + " " + nameOf(M.Result) + " " + std::to_string(M.Executions) + " " +
            std::to_string(M.Blocked) + " " + std::to_string(M.CutShort) + "\n";
    for (const Bug &B : M.Bugs)
      Text +=
          std::string(nameOf(B.Kind)) + " " + B.Message + " " + std::to_string(B.Where.Line) + " " + B.Thread + "\n";
  }
  return Text;
}

TEST(Determinism, ResultsDoNotDependOnTheNumberOfJobs) {
  for (const char *Name : {"dekker", "double_checked", "mutex_counter", "lost_wakeup"}) {
    CheckRequest Request{testing::requestForProgram(Name), {}};
    Request.Options.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
    for (bool Exhaustive : {false, true}) {
      Request.Options.Exhaustive = Exhaustive;
      Request.Options.Jobs = 1;
      std::string Alone = summary(check(Request));
      for (unsigned Jobs : {2, 3, 8}) {
        Request.Options.Jobs = Jobs;
        EXPECT_EQ(summary(check(Request)), Alone) << Name << " with " << Jobs << " jobs";
      }
    }
  }
}

TEST(Determinism, ModelsAreReportedInTheOrderAskedFor) {
  CheckRequest Request{testing::requestForProgram("store_buffering"), {}};
  Request.Options.Models = {MemoryModel::PSO, MemoryModel::SC, MemoryModel::TSO};
  CheckReport Report = check(Request);
  ASSERT_EQ(Report.Models.size(), 3u);
  EXPECT_EQ(Report.Models[0].Which, MemoryModel::PSO);
  EXPECT_EQ(Report.Models[1].Which, MemoryModel::SC);
  EXPECT_EQ(Report.Models[2].Which, MemoryModel::TSO);
}

TEST(Sharing, IsLearnedAsQuicklyWithBuffersAsWithout) {
  struct Counting : testing::Silent {
    unsigned Restarts = 0;
    void restarted() override { ++Restarts; }
  };
  Program P = testing::compile(testing::requestForProgram("write_to_read_causality"));
  auto RestartsWith = [&](MemoryModel Buffers) {
    Counting Observer;
    exploreOptimally(P, testing::exhaustively(Buffers), Observer);
    return Observer.Restarts;
  };
  const unsigned Sequential = RestartsWith(MemoryModel::SC);
  EXPECT_LE(RestartsWith(MemoryModel::TSO), Sequential);
  EXPECT_LE(RestartsWith(MemoryModel::PSO), Sequential);
}

TEST(Limits, TimeIsKept) {
  CheckRequest Request{testing::requestForProgram("sbloop", {"-DK=9"}), {}};
  Request.Options.TimeoutSeconds = 0.2;
  Request.Options.Jobs = 1;
  const double Before = testing::processorSeconds();
  CheckReport Report = check(Request);
  EXPECT_EQ(Report.Models[0].Result, Verdict::Inconclusive);
  EXPECT_LT(testing::processorSeconds() - Before, 2);
}

} // namespace
} // namespace picket
