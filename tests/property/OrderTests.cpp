// Programs that are too large for brute force: what is explored depends neither on what is tried first nor on which
// races are processed again.
#include "explore/OptimalDpor.h"
#include "property/Environment.h"
#include "property/MemoryProgram.h"
#include "property/RandomProgram.h"
#include "support/Explore.h"

#include <gtest/gtest.h>

#include <functional>

namespace picket {
namespace {

using testing::Statement;

ExplorationResult explore(const Program &P, const ExplorationOptions &Options, uint64_t Enough) {
  struct Few : testing::Silent {
    explicit Few(uint64_t Enough) : Enough(Enough) {}
    const uint64_t Enough;
    bool isEnough(const ExplorationResult &SoFar) override { return SoFar.Executions > Enough; }
  } Nobody(Enough);
  return exploreOptimally(P, Options, Nobody);
}

void expectTheSameInAnyOrder(const std::function<std::string(std::mt19937 &)> &Make, MemoryModel Buffers, unsigned Seed,
                             unsigned Programs) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  constexpr uint64_t TooMany = 20'000;
  std::mt19937 Random(Seed);
  unsigned Compared = 0;
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = Make(Random);
    const Program P = testing::compile(testing::requestForText(Text));
    ExplorationOptions Options = testing::exhaustively(Buffers);
    Options.SkipCoveredRaces = false;
    const ExplorationResult Expected = explore(P, Options, TooMany);
    if (Expected.Executions > TooMany)
      continue;
    ++Compared;
    Options.SkipCoveredRaces = true;
    for (uint32_t Shuffle : {0u, 3 * K + 1, 3 * K + 2, 3 * K + 3}) {
      Options.Shuffle = Shuffle;
      const ExplorationResult Result = explore(P, Options, TooMany);
      const std::string What = "program " + std::to_string(K) + " of seed " + std::to_string(Seed) + ", shuffled by " +
                               std::to_string(Shuffle) + ":\n" + Text;
      ASSERT_EQ(Result.Executions, Expected.Executions) << What;
      ASSERT_EQ(Result.Blocked, Expected.Blocked) << What;
      ASSERT_EQ(Result.SleepSetBlocked, 0u) << What;
      ASSERT_EQ(Result.FailedWakeups, 0u) << What;
    }
  }
  EXPECT_GE(Compared, testing::atLeast(0.5, Programs)) << "too many were too large";
}

std::string makeAccesses(std::mt19937 &Random) {
  return testing::makeProgram(Random, {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded}, 4, 6)
      .text();
}
std::string makeAtomics(std::mt19937 &Random) {
  const testing::Palette Atomics = {Statement::Store,       Statement::Load,    Statement::FetchAdd,   Statement::Copy,
                                    Statement::CompareSwap, Statement::Guarded, Statement::RelaxedSwap};
  return testing::makeProgram(Random, Atomics, 3, 6).text();
}
std::string makeWaiting(std::mt19937 &Random) {
  const testing::Palette Waiting = {Statement::Store,     Statement::Load,         Statement::AwaitNot, Statement::Copy,
                                    Statement::LockedAdd, Statement::SignalOrWait, Statement::TryLocked};
  return testing::makeProgram(Random, Waiting, 4, 6).text();
}
std::string makeMemory(std::mt19937 &Random) { return testing::makeMemoryProgram(Random, 4); }

TEST(Order, DoesNotMatterUnderSc) {
  expectTheSameInAnyOrder(makeAccesses, MemoryModel::SC, 1, 25);
  expectTheSameInAnyOrder(makeAtomics, MemoryModel::SC, 2, 25);
  expectTheSameInAnyOrder(makeWaiting, MemoryModel::SC, 3, 25);
  expectTheSameInAnyOrder(makeMemory, MemoryModel::SC, 4, 25);
}
TEST(Order, DoesNotMatterUnderTso) {
  expectTheSameInAnyOrder(makeAccesses, MemoryModel::TSO, 5, 25);
  expectTheSameInAnyOrder(makeAtomics, MemoryModel::TSO, 6, 25);
  expectTheSameInAnyOrder(makeWaiting, MemoryModel::TSO, 7, 25);
  expectTheSameInAnyOrder(makeMemory, MemoryModel::TSO, 8, 25);
}
TEST(Order, DoesNotMatterUnderPso) {
  expectTheSameInAnyOrder(makeAccesses, MemoryModel::PSO, 9, 40);
  expectTheSameInAnyOrder(makeAtomics, MemoryModel::PSO, 10, 25);
  expectTheSameInAnyOrder(makeWaiting, MemoryModel::PSO, 11, 25);
  expectTheSameInAnyOrder(makeMemory, MemoryModel::PSO, 12, 40);
}

/// A race that has led to a branch can need another one in another execution: where a branch in between was passed over
/// for what only the first execution has. One of these traces used to be missed.
TEST(Order, BranchesThatWerePassedOverAreToldOfOtherExecutions) {
  const Program P = testing::compile(testing::requestForText(R"(
#include <pthread.h>
volatile int v[3];
void *t0(void *p) { int r = v[2]; v[0] = v[1] + 2; (void)r; return p; }
void *t1(void *p) { v[2] = v[2] + 1; v[1] = v[1] + 1; return p; }
void *t2(void *p) { v[2] = 0; int r = v[1]; v[1] = v[2]; (void)r; return p; }
void *t3(void *p) { v[2] = v[1] + 1; v[0] = 1; int r = v[2]; (void)r; return p; }
int main(void) {
  pthread_t t[4];
  pthread_create(&t[0], 0, t0, 0);
  pthread_create(&t[1], 0, t1, 0);
  pthread_create(&t[2], 0, t2, 0);
  pthread_create(&t[3], 0, t3, 0);
  for (int k = 0; k < 4; k++)
    pthread_join(t[k], 0);
})"));
  ExplorationOptions Options = testing::exhaustively(MemoryModel::PSO);
  testing::Traces Seen;
  EXPECT_EQ(exploreOptimally(P, Options, Seen).Executions, 8062u);
  EXPECT_EQ(Seen.Complete.size(), 8062u);
  Options.SkipCoveredRaces = false;
  EXPECT_EQ(explore(P, Options, 10'000).Executions, 8062u);
}

} // namespace
} // namespace picket
