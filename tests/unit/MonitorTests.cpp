// Monitors of sequential consistency on the examples of Burnim, Sen, Stergiou: "Sound and Complete Monitoring of Sequential
// Consistency in Relaxed Memory Models", and what the check makes of alarms.
#include "robust/Witness.h"
#include "support/Explore.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  return 1 + static_cast<uint32_t>(std::count(Text.begin(), Text.begin() + static_cast<ptrdiff_t>(Text.find(Part)), '\n'));
}

Robustness robustnessOf(const std::string &Text, Model Against) {
  CheckOptions Options;
  Options.RobustnessOnly = Options.Exhaustive = true;
  const CheckReport Report = testing::checkText(Text, Options);
  for (const Robustness &R : Report.Models.front().Robust)
    if (R.Against == Against)
      return R;
  return {};
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
  exploreOptimally(P, testing::exhaustively(Buffering::None), Known);
  Sharing Shared = *Known.Shared;
  MachineOptions Options;
  Options.QuietAccesses = false;
  Options.StopAtFences = true;
  Configuration C(P, Shared, Options, Buffering::None);
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
  return Monitor.alarmed(ScMonitor::Tso);
}

// Figures 6 and 7: SOBER reports it on no execution.
const std::string Figure6 = withThreads({"  a = 1;\n  if (a == 1)\n    (void)b;\n",
                                         "  b = 1;\n  a = 2;\n  __sync_fetch_and_add(&c, 1);\n  (void)a;\n"});
// Figure 8: the monitor of the paper reports it on another execution than the one shown there.
const std::string Figure8 = withThreads({"  a = 1;\n  (void)b;\n", "  a = 2;\n", "  b = 1;\n  (void)a;\n"});

TEST(Monitor, FindsFigure6WhichAnOlderOneMisses) {
  for (Model Against : {Model::TSO, Model::PSO}) {
    const Robustness R = robustnessOf(Figure6, Against);
    expectWitness(Figure6, R);
  }
  EXPECT_EQ(robustnessOf(Figure6, Model::TSO).Store.Line, lineOf(Figure6, "a = 1"));
}

TEST(Monitor, FindsFigure6OnTheExecutionOfThePaper) {
  EXPECT_TRUE(alarmsOn(Figure6, {1, 1, 1, 2, 2}));
  EXPECT_FALSE(alarmsOn(Figure6, {1, 1, 2, 2})) << "nothing of the first thread has been overtaken";
}

TEST(Monitor, FindsFigure8) {
  const Robustness R = robustnessOf(Figure8, Model::TSO);
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
  for (Model Against : {Model::TSO, Model::PSO})
    EXPECT_EQ(robustnessOf(Fenced, Against).Known, Robustness::Robust);
}

TEST(Monitor, ARobustProgramGetsItsOtherVerdictsFromSc) {
  CheckOptions Options;
  Options.Models = {Model::SC, Model::TSO, Model::PSO};
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
