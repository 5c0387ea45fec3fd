// Every execution of random programs under POWER, written down, explained and replayed.
#include "MemoryProgram.h"
#include "RandomProgram.h"
#include "property/Environment.h"

#include "explore/Rsmc.h"
#include "support/Recordings.h"
#include "trace/GraphRecorder.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::Statement;

const testing::Palette Everything = {Statement::Store,        Statement::Load,         Statement::Copy,
                                     Statement::FetchAdd,     Statement::Exchange,     Statement::Guarded,
                                     Statement::CompareSwap,  Statement::LockedAdd,    Statement::FullFence,
                                     Statement::ReleaseFence, Statement::StoreRelease, Statement::StoreSeqCst,
                                     Statement::RelaxedAdd};

/// Keeps how to come to every complete execution.
struct Scripts : GraphObserver {
  std::vector<GraphScript> All;
  std::optional<Sharing> Known;
  void ended(GraphRun &Run, Ending How) override {
    if (How != Ending::Complete)
      return;
    All.push_back(Run.script());
    Known.emplace(Run.machine().sharing());
  }
  void restarted() override { All.clear(); }
};

std::string problemOf(const Program &P, const GraphScript &Script, Sharing Known, bool &Sequential) {
  std::string Problem = "it is not followed to its end";
  followGraph(P, MemoryModel::Power, MachineOptions(), Known, Script, nullptr,
              [&](GraphRun &Run, const std::vector<bool> &Done) {
                if (std::find(Done.begin(), Done.end(), false) != Done.end())
                  return;
                const Counterexample C = explain(recordRun(Run, MemoryModel::Power, nullptr));
                Sequential = C.Why.Edges.empty();
                Problem = testing::problemOf(C);
                const ReplayResult Again = replay(P, C.Run, MachineOptions());
                if (Problem.empty() && Again.Outcome != ReplayResult::SameBug)
                  Problem = "replay: " + Again.Message;
              });
  return Problem;
}

std::string problemOf(const testing::RandomProgram &Random, bool CountSequential, size_t &Executions) {
  const Program P = testing::compile(testing::requestForText(Random.text()));
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Scripts Found;
  exploreGraphs(P, MemoryModel::Power, Options, Found);
  if (Found.All.size() > 2000)
    return "";
  uint64_t Sequential = 0;
  for (const GraphScript &Script : Found.All) {
    bool IsSequential = false;
    if (std::string Problem = problemOf(P, Script, *Found.Known, IsSequential); !Problem.empty())
      return Problem;
    Sequential += IsSequential;
  }
  Executions += Found.All.size();
  if (!CountSequential)
    return "";
  testing::Silent Nobody;
  const uint64_t Expected = exploreOptimally(P, testing::exhaustively(MemoryModel::SC), Nobody).Executions;
  if (Sequential != Expected)
    return std::to_string(Sequential) + " executions have no cycle, but SC has " + std::to_string(Expected);
  return "";
}

void examine(const testing::Palette &From, bool CountSequential, size_t MinExecutions) {
  size_t Executions = 0;
  for (unsigned Seed = 1; Seed <= 400; ++Seed) {
    std::mt19937 Random(Seed);
    const testing::RandomProgram P = testing::makeProgram(Random, From, 3, 4);
    ASSERT_EQ(problemOf(P, CountSequential, Executions), "") << "seed " << Seed << "\n" << P.text();
  }
  EXPECT_GT(Executions, MinExecutions);
}

TEST(PowerTraces, OfRandomProgramsAreExplainedAndReplayed) { examine(Everything, true, 4000); }

/// Under SC it makes a difference in which order threads find a lock taken.
TEST(PowerTraces, WithLocksThatAreTried) {
  testing::Palette From = Everything;
  From.push_back(Statement::TryLocked);
  From.push_back(Statement::TryLocked);
  examine(From, false, 1000);
}

ModelReport checkUnder(MemoryModel Which, const std::string &Text, bool Exhaustive) {
  CheckRequest Request;
  Request.Text = testing::requestForText(Text);
  Request.Options.Models = {Which};
  Request.Options.Exhaustive = Exhaustive;
  Request.Options.Counterexamples = 100;
  Request.Options.TimeoutSeconds = 600;
  return check(Request).Models.front();
}

std::string locationOf(const Bug &B) {
  return std::string(nameOf(B.Kind)) + " in line " + std::to_string(B.Where.Line) + " in " + B.Thread;
}

/// What is wrong with the bugs that a report of POWER has.
std::string problemOf(const std::string &Text, const ModelReport &Report) {
  const Program P = testing::compile(testing::requestForText(Text));
  for (const Bug &B : Report.Bugs) {
    if (!B.Trace)
      return locationOf(B) + " is not shown";
    if (std::string Problem = testing::problemOf(*B.Trace); !Problem.empty())
      return locationOf(B) + ": " + Problem;
    const ReplayResult Again = replay(P, B.Trace->Run, MachineOptions());
    if (Again.Outcome != ReplayResult::SameBug || Again.Run->BugWhere.Line != B.Where.Line)
      return locationOf(B) + ": replay: " + Again.Message;
  }
  return "";
}

/// The same, and whether it has all that SC has.
std::string problemOfBugs(const std::string &Text, size_t &Bugs) {
  const ModelReport All = checkUnder(MemoryModel::Power, Text, true);
  if (!All.Reason.empty())
    return "";
  if (std::string Problem = problemOf(Text, All); !Problem.empty())
    return Problem;
  if (std::string Problem = problemOf(Text, checkUnder(MemoryModel::Power, Text, false)); !Problem.empty())
    return "as the first bug: " + Problem;
  std::set<std::string> Found;
  for (const Bug &B : All.Bugs)
    Found.insert(locationOf(B));
  for (const Bug &B : checkUnder(MemoryModel::SC, Text, true).Bugs)
    if (!Found.count(locationOf(B)))
      return "only SC has " + locationOf(B);
  Bugs += All.Bugs.size();
  return "";
}

size_t expectReplays(unsigned Seed) {
  size_t Bugs = 0;
  std::mt19937 Random(Seed);
  const std::string Text = testing::makeMemoryProgram(Random, 3);
  EXPECT_EQ(problemOfBugs(Text, Bugs), "") << "seed " << Seed << "\n" << Text;
  return Bugs;
}

TEST(PowerTraces, OfMemoryThatEndsAndMovesAreReplayed) {
  const unsigned Programs = testing::programsOr(200), First = testing::seedOr(1);
  size_t Bugs = 0;
  for (unsigned Seed = First; Seed < First + Programs; ++Seed)
    Bugs += expectReplays(Seed);
  EXPECT_GE(Bugs, testing::atLeast(0.1, Programs));
}

/// Accesses behind one that is a bug, in front of one, of memory that somebody else has only come to; two bugs in one.
TEST(PowerTraces, ThatWereNotReplayedOnce) {
  for (unsigned Seed : {276, 344, 361, 380, 492, 762, 906, 963, 1268, 1343, 1464, 1518, 1547, 1719, 2962, 3026, 4468})
    EXPECT_GT(expectReplays(Seed), 0U);
}

} // namespace
} // namespace picket
