// Random programs with loops: what executions up to the bound say of them goes with what their states say.
#include "explore/OptimalDpor.h"
#include "explore/StateSearch.h"
#include "property/Environment.h"
#include "property/LoopingProgram.h"
#include "support/Explore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace picket {
namespace {

constexpr uint64_t MostBytes = 32 << 20;

auto soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(2); }

struct Kinds : ExplorationObserver {
  std::set<BugKind> All;
  void ended(Execution &E, Ending) override {
    for (const BugReport &B : E.configuration().machine().bugs())
      All.insert(B.Kind);
  }
  void restarted() override { All.clear(); }
};

struct Sums {
  unsigned Decided = 0, Cut = 0, Hangs = 0, Livelocks = 0;
};

/// Neither search need come to an end.
std::string problemOf(const Program &P, MemoryModel Buffers, Sums &Sum) {
  StateSearchOptions States;
  States.Model = Buffers;
  States.Exhaustive = true;
  States.MaxMemoryBytes = MostBytes;
  StateSearchObserver Nobody;
  const StateSearchResult All = searchStates(P, States, Nobody);
  if (All.Ended != ExplorationResult::End::Everything)
    return "";
  std::set<BugKind> Expected;
  bool Livelock = false;
  for (const StateSearchResult::Found &Found : All.Bugs) {
    Livelock |= Found.Bug.GoesRound;
    if (!Found.Bug.GoesRound)
      Expected.insert(Found.Bug.Kind);
  }
  Kinds Seen;
  ExplorationOptions Options = testing::exhaustively(Buffers, /*Unroll=*/2);
  Options.MaxMemoryBytes = MostBytes;
  Options.Deadline = soon();
  const ExplorationResult Result = exploreOptimally(P, Options, Seen);
  for (BugKind Kind : Seen.All)
    if (!Expected.contains(Kind))
      return std::string("executions have the bug ") + nameOf(Kind) + ", states do not";
  if (Result.Ended != ExplorationResult::End::Everything)
    return Result.HasReasonPc ? "executions stop: " + Result.Reason : "";
  ++Sum.Decided;
  Sum.Cut += Result.Cut > 0;
  Sum.Hangs += Expected.contains(BugKind::Hang);
  Sum.Livelocks += Livelock;
  // What is behind the bound is for the states to say; and in an execution with a bug other threads may be cut.
  if (Result.Cut > 0 || !Seen.All.empty())
    return "";
  if (Livelock)
    return "states have a livelock, executions all end";
  return Expected.empty() ? "" : "states have bugs, executions all end without one";
}

void expectAgreement(MemoryModel Buffers, unsigned Programs, unsigned Seed) {
  std::mt19937 Random(testing::seedOr(Seed));
  Sums Sum;
  const unsigned Number = testing::programsOr(Programs);
  for (unsigned K = 0; K < Number; ++K) {
    const std::string Text = testing::makeLoopingProgram(Random);
    const Program P = testing::compile(testing::requestForText(Text));
    ASSERT_EQ(problemOf(P, Buffers, Sum), "") << "program " << K << "\n" << Text;
  }
  ::testing::Test::RecordProperty("decided", static_cast<int>(Sum.Decided));
  if (testing::isMeasured()) {
    EXPECT_GE(Sum.Cut, testing::atLeast(0.05, Number));
    EXPECT_GE(Sum.Hangs, testing::atLeast(1.0 / Programs, Number));
    EXPECT_GE(Sum.Livelocks, testing::atLeast(1.0 / Programs, Number));
  }
}

TEST(LoopsThatEndOnlyWhenOthersAct, ExecutionsAndStatesAgreeUnderSc) { expectAgreement(MemoryModel::SC, 300, 71); }
TEST(LoopsThatEndOnlyWhenOthersAct, ExecutionsAndStatesAgreeUnderTso) { expectAgreement(MemoryModel::TSO, 150, 72); }

} // namespace
} // namespace picket
