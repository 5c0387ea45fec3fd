// Monitors of sequential consistency on the examples of Burnim, Sen, Stergiou: "Sound and Complete Monitoring of Sequential
// Consistency in Relaxed Memory Models", and what the check makes of alarms.
#include "check/RobustnessCheck.h"
#include "robust/Witness.h"
#include "support/Explore.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace picket {
namespace {

std::string withThreads(const std::vector<std::string> &Bodies) {
  std::string Text = "#include <pthread.h>\nvolatile int a, b, c;\n";
  for (size_t T = 0; T < Bodies.size(); ++T)
    Text += "void *t" + std::to_string(T) + "(void *p) {\n" + Bodies[T] + "  return p;\n}\n";
  Text += "int main(void) {\n  pthread_t t[" + std::to_string(Bodies.size()) + "];\n";
  for (size_t T = 0; T < Bodies.size(); ++T)
    Text += "  pthread_create(&t[" + std::to_string(T) + "], 0, t" + std::to_string(T) + ", 0);\n";
  for (size_t T = 0; T < Bodies.size(); ++T)
    Text += "  pthread_join(t[" + std::to_string(T) + "], 0);\n";
  return Text + "  return 0;\n}\n";
}

uint32_t lineOf(const std::string &Text, const std::string &Part) {
  return 1 +
         static_cast<uint32_t>(std::count(Text.begin(), Text.begin() + static_cast<ptrdiff_t>(Text.find(Part)), '\n'));
}

Robustness robustnessOf(const std::string &Text, MemoryModel Against, unsigned Witnesses = 1, unsigned Unroll = 8) {
  RobustnessOptions Options;
  Options.MostWitnesses = Witnesses;
  Options.Unroll = Unroll;
  const RobustnessReport Report = checkRobustness(testing::requestForText(Text), Options);
  const Robustness *Answer = Report.against(Against);
  return Answer ? *Answer : Robustness();
}

void expectWitness(const std::string &Text, const Robustness &R) {
  ASSERT_EQ(R.Known, Robustness::NotRobust);
  ASSERT_TRUE(R.Witness);
  EXPECT_FALSE(R.Witness->Why.Edges.empty()) << "SC has the execution as well";
  const ReplayResult Again = replay(testing::compile(testing::requestForText(Text)), R.Witness->Run, {});
  EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << Again.Message;
}

/// Keeps what an exploration found to be shared.
struct Learned : ExplorationObserver {
  void ended(Execution &, Ending) override {}
  void finished(Configuration &C) override { Shared = C.machine().sharing(); }
  std::optional<Sharing> Shared;
};

/// Runs one execution under SC, thread after thread as given (1 is the first that main creates), with a monitor.
bool alarmsOn(const std::string &Text, const std::vector<ThreadId> &Order) {
  const Program P = testing::compile(testing::requestForText(Text));
  Learned Known;
  exploreOptimally(P, testing::exhaustively(MemoryModel::SC), Known);
  Sharing Shared = *Known.Shared;
  MachineOptions Options;
  Options.QuietAccesses = false;
  Options.StopAtFences = true;
  Configuration C(P, Shared, Options, MemoryModel::SC);
  Cells Memory;
  ScMonitor Monitor;
  Execution E(C, Memory, &Monitor);
  C.start();
  E.started();
  for (ThreadId T : Order) {
    if (!C.isEnabled(C.processOf(T)))
      throw std::runtime_error("thread " + std::to_string(T) + " has no step left");
    E.append(C.processOf(T));
  }
  return Monitor.alarmed(MemoryModel::TSO);
}

// Figures 6 and 7: SOBER reports it on no execution.
const std::string Figure6 = withThreads(
    {"  a = 1;\n  if (a == 1)\n    (void)b;\n", "  b = 1;\n  a = 2;\n  __sync_fetch_and_add(&c, 1);\n  (void)a;\n"});
// Figure 8: the monitor of the paper reports it on another execution than the one shown there.
const std::string Figure8 = withThreads({"  a = 1;\n  (void)b;\n", "  a = 2;\n", "  b = 1;\n  (void)a;\n"});

TEST(Monitor, FindsFigure6WhichAnOlderOneMisses) {
  for (MemoryModel Against : {MemoryModel::TSO, MemoryModel::PSO}) {
    const Robustness R = robustnessOf(Figure6, Against);
    expectWitness(Figure6, R);
  }
  EXPECT_EQ(robustnessOf(Figure6, MemoryModel::TSO).Store.Line, lineOf(Figure6, "a = 1"));
}

TEST(Monitor, FindsFigure6OnTheExecutionOfThePaper) {
  EXPECT_TRUE(alarmsOn(Figure6, {1, 1, 1, 2, 2}));
  EXPECT_FALSE(alarmsOn(Figure6, {1, 1, 2, 2})) << "nothing of the first thread has been overtaken";
}

TEST(Monitor, FindsFigure8) {
  const Robustness R = robustnessOf(Figure8, MemoryModel::TSO);
  expectWitness(Figure8, R);
  EXPECT_EQ(R.Store.Line, lineOf(Figure8, "a = 1"));
  EXPECT_EQ(R.Overtaker.Line, lineOf(Figure8, "(void)b"));
  EXPECT_EQ(R.Observer.Line, lineOf(Figure8, "(void)a"));
}

// One execution per trace is explored, so that it must not depend on where independent events stand.
TEST(Monitor, FindsFigure8WhereverTheSecondThreadComes) {
  EXPECT_TRUE(alarmsOn(Figure8, {1, 1, 3, 3, 2})) << "the execution on which the paper's monitor finds it";
  EXPECT_TRUE(alarmsOn(Figure8, {1, 1, 2, 3, 3})) << "the execution on which the paper's does not";
  EXPECT_FALSE(alarmsOn(Figure8, {1, 3, 3, 1, 2}));
}

TEST(Monitor, FencesMakeTheFiguresRobust) {
  const std::string Fenced = withThreads({"  a = 1;\n  __sync_synchronize();\n  (void)b;\n", "  a = 2;\n",
                                          "  b = 1;\n  __sync_synchronize();\n  (void)a;\n"});
  for (MemoryModel Against : {MemoryModel::TSO, MemoryModel::PSO})
    EXPECT_EQ(robustnessOf(Fenced, Against).Known, Robustness::Robust);
}

/// Store, accesses it is delayed past, observer: lines. The order in which they were found does not matter.
using Listed = std::vector<std::tuple<uint32_t, std::vector<uint32_t>, uint32_t>>;
Listed listOf(const Robustness &R) {
  Listed Result;
  for (const ScViolation &V : R.Violations) {
    std::vector<uint32_t> Overtakers;
    for (const SourceLocation &P : V.Overtakers)
      Overtakers.push_back(P.Line);
    Result.emplace_back(V.Store.Line, Overtakers, V.Observer.Line);
  }
  std::sort(Result.begin(), Result.end());
  return Result;
}

TEST(Monitor, ListsAllViolationsOfStoreBuffering) {
  const std::string Text = withThreads({"  a = 1;\n  (void)b;\n", "  b = 1;\n  (void)a;\n"});
  const uint32_t A = lineOf(Text, "a = 1"), LoadB = A + 1, B = lineOf(Text, "b = 1"), LoadA = B + 1;
  for (MemoryModel Against : {MemoryModel::TSO, MemoryModel::PSO}) {
    const Robustness R = robustnessOf(Text, Against, 8);
    EXPECT_EQ((Listed{{A, {LoadB}, LoadA}, {B, {LoadA}, LoadB}}), listOf(R));
    EXPECT_TRUE(R.Complete);
    EXPECT_EQ(0u, R.Iterations);
    EXPECT_TRUE(isSame(R.Store, R.Violations.front().Store)) << "the one that is told of comes first";
    for (const ScViolation &V : R.Violations) {
      Robustness One = R;
      One.Witness = V.Witness;
      expectWitness(Text, One);
    }
  }
}

TEST(Monitor, PsoHasViolationsThatTsoHasNot) {
  const std::string Text = withThreads({"  a = 1;\n  b = 1;\n  (void)c;\n", "  c = b;\n  (void)a;\n"});
  const uint32_t A = lineOf(Text, "a = 1"), B = A + 1, LoadC = A + 2, C = lineOf(Text, "c = b"), LoadA = C + 1;
  // Under TSO the store to b can be late, or that to c, and nobody can tell: there is no cycle with one of them.
  EXPECT_EQ(Robustness::Robust,
            robustnessOf(withThreads({"  a = 1;\n  b = 1;\n", "  c = b;\n  (void)a;\n"}), MemoryModel::TSO).Known);
  const Robustness R = robustnessOf(Text, MemoryModel::PSO);
  const Listed List = listOf(R);
  EXPECT_NE(std::find(List.begin(), List.end(), Listed::value_type{A, {B, LoadC}, LoadA}), List.end())
      << "past the store, which the other thread reads, or past the load, before the other thread stores";
}

TEST(Monitor, AStoreThatIsLatePastSeveralAccessesIsListedOncePerObserver) {
  const std::string Text =
      withThreads({"  a = 1;\n  (void)b;\n  (void)c;\n", "  b = 1;\n  c = 1;\n  (void)a;\n", "  c = 2;\n  a = 2;\n"});
  const uint32_t A = lineOf(Text, "a = 1"), Load = lineOf(Text, "(void)a"), Store = lineOf(Text, "a = 2");
  Listed OfA;
  for (const auto &Entry : listOf(robustnessOf(Text, MemoryModel::TSO)))
    if (std::get<0>(Entry) == A)
      OfA.push_back(Entry);
  EXPECT_EQ((Listed{{A, {A + 1, A + 2}, Load}, {A, {A + 1, A + 2}, Store}}), OfA)
      << "a = 2 comes after b = 1 as well, by way of c";
}

// One late store is enough for each violation that is listed. Here the loads of a and c need two.
TEST(Monitor, ListsWhatOneLateStoreCanDo) {
  const std::string Text = withThreads({"  a = 1;\n  b = 1;\n  (void)c;\n", "  c = 1;\n  b = 2;\n  (void)a;\n"});
  const uint32_t B1 = lineOf(Text, "b = 1"), B2 = lineOf(Text, "b = 2");
  const Robustness R = robustnessOf(Text, MemoryModel::TSO);
  EXPECT_EQ((Listed{{B1, {B1 + 1}, B2}, {B2, {B2 + 1}, B1}}), listOf(R));
}

TEST(Monitor, WitnessesAreLimitedAndEachStoreComesFirst) {
  const std::string Text =
      withThreads({"  a = 1;\n  (void)b;\n", "  b = 1;\n  (void)a;\n  (void)a;\n", "  b = 2;\n  (void)a;\n"});
  auto Shown = [](const Robustness &R) {
    return std::count_if(R.Violations.begin(), R.Violations.end(), [](const ScViolation &V) { return V.Witness; });
  };
  const Robustness One = robustnessOf(Text, MemoryModel::TSO, 1);
  EXPECT_EQ(1, Shown(One));
  EXPECT_TRUE(One.Violations.front().Witness);
  const Robustness All = robustnessOf(Text, MemoryModel::TSO, 100);
  EXPECT_EQ(static_cast<ptrdiff_t>(All.Violations.size()), Shown(All));
  EXPECT_EQ(listOf(One), listOf(All));
  std::set<uint32_t> Stores, ShownOf;
  for (const ScViolation &V : All.Violations)
    Stores.insert(V.Store.Line);
  for (const ScViolation &V : robustnessOf(Text, MemoryModel::TSO, static_cast<unsigned>(Stores.size())).Violations)
    if (V.Witness)
      ShownOf.insert(V.Store.Line);
  EXPECT_EQ(Stores, ShownOf);
}

TEST(Monitor, TellsHowFarAListIsComplete) {
  const std::string Waits = withThreads({"  a = 1;\n  while (b != 1)\n    c = 1;\n", "  b = 1;\n  (void)a;\n"});
  const Robustness R = robustnessOf(Waits, MemoryModel::TSO, 1, 3);
  ASSERT_EQ(Robustness::NotRobust, R.Known);
  EXPECT_TRUE(R.Complete);
  EXPECT_EQ(3u, R.Iterations);
  // A check that ends at a bug of SC has not seen all executions.
  RobustnessOptions Options;
  Options.Exhaustive = false;
  const RobustnessReport Report = checkRobustness(
      testing::requestForText("#include <assert.h>\n" +
                              withThreads({"  a = 1;\n  (void)b;\n", "  b = 1;\n  (void)a;\n", "  assert(!a);\n"})),
      Options);
  EXPECT_EQ(Verdict::Violation, Report.sc().Result);
  for (const Robustness &Stopped : Report.sc().Robust)
    EXPECT_FALSE(Stopped.Complete);
}

TEST(Monitor, ARobustProgramGetsItsOtherVerdictsFromSc) {
  CheckOptions Options;
  Options.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
  const std::string Passing = withThreads({"  a = 1;\n  __atomic_store_n(&b, 1, __ATOMIC_RELEASE);\n",
                                           "  if (__atomic_load_n(&b, __ATOMIC_ACQUIRE))\n    (void)a;\n"});
  CheckReport Report = testing::checkText(Passing, Options);
  EXPECT_FALSE(Report.Models[0].FromSc);
  for (size_t K : {1, 2}) {
    EXPECT_EQ(Report.Models[K].Result, Verdict::Verified);
    EXPECT_TRUE(Report.Models[K].FromSc);
  }
  Options.Monitor = false;
  Report = testing::checkText(Passing, Options);
  EXPECT_FALSE(Report.Models[1].FromSc || Report.Models[2].FromSc);
}

} // namespace
} // namespace picket
