// Workers that explore together see what one alone sees, each trace once.
#include "explore/OptimalDpor.h"
#include "property/Environment.h"
#include "property/MemoryProgram.h"
#include "property/RandomProgram.h"
#include "property/Together.h"
#include "support/Explore.h"

#include <gtest/gtest.h>

#include <functional>

namespace picket {
namespace {

using testing::Statement;
using testing::together;

struct Patient : testing::Traces {
  testing::Patience Patience;

  void ended(Execution &E, Ending How) override {
    Traces::ended(E, How);
    Patience.wait();
  }
};

/// Keys have the numbers of objects in them, which can differ from run to run where threads create some: so only how
/// many there are is compared there, which with each trace seen once is as good.
void expectTheSame(const std::function<std::string(std::mt19937 &)> &Make, MemoryModel Buffers, unsigned Seed,
                   unsigned Programs) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  constexpr uint64_t TooMany = 20'000;
  std::mt19937 Random(Seed);
  uint64_t ByOthers = 0, All = 0;
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = Make(Random);
    const Program P = testing::compile(testing::requestForText(Text));
    const ExplorationOptions Options = testing::exhaustively(Buffers);
    struct : testing::Silent {
      bool isEnough(const ExplorationResult &SoFar) override { return SoFar.Executions > TooMany; }
    } Nobody;
    const ExplorationResult Alone = exploreOptimally(P, Options, Nobody);
    if (Alone.Executions > TooMany)
      continue;
    for (unsigned Others : {1u, 3u}) {
      Patient Seen;
      SpareCores Spare(Others);
      const ExplorationResult Result = exploreOptimally(P, together(Options, Spare), Seen);
      const std::string What = "program " + std::to_string(K) + " of seed " + std::to_string(Seed) + " with " +
                               std::to_string(Others) + " others:\n" + Text;
      ASSERT_EQ(Seen.repeated(), 0u) << What;
      ASSERT_EQ(Result.Executions, Alone.Executions) << What;
      ASSERT_EQ(Result.Blocked, Alone.Blocked) << What;
      ASSERT_EQ(Result.Cut, Alone.Cut) << What;
      ASSERT_EQ(Result.SleepSetBlocked, 0u) << What;
      ASSERT_EQ(Result.FailedWakeups, 0u) << What;
      ASSERT_EQ(Seen.Complete.size(), Alone.Executions) << What;
      ByOthers += Seen.Patience.ByOthers;
      All += Result.Executions;
      for (unsigned Given = 0; Given < Others; ++Given)
        ASSERT_TRUE(Spare.take()) << "a core was not given back";
    }
  }
  EXPECT_GT(10 * ByOthers, All) << "others should have a share in it";
}

void expectTheSame(const testing::Palette &From, MemoryModel Buffers, unsigned Seed, unsigned Programs = 60) {
  expectTheSame([&](std::mt19937 &Random) { return testing::makeProgram(Random, From, 4, 6).text(); }, Buffers, Seed,
                Programs);
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,      Statement::Load,        Statement::FetchAdd,
                                  Statement::Exchange,   Statement::CompareSwap, Statement::Guarded,
                                  Statement::RelaxedSwap};
const testing::Palette Waiting = {Statement::Store,     Statement::Load,         Statement::AwaitNot, Statement::Copy,
                                  Statement::LockedAdd, Statement::SignalOrWait, Statement::TryLocked};
const testing::Palette Sizes = {Statement::Store, Statement::Load,     Statement::Narrow,
                                Statement::Copy,  Statement::Exchange, Statement::ReleaseFence};

TEST(Together, SeeWhatOneSeesUnderSc) { expectTheSame(Accesses, MemoryModel::SC, 1); }
TEST(Together, SeeWhatOneSeesOfAtomics) { expectTheSame(Atomics, MemoryModel::SC, 2); }
TEST(Together, SeeWhatOneSeesOfWaiting) { expectTheSame(Waiting, MemoryModel::SC, 3); }
TEST(Together, SeeWhatOneSeesUnderTso) { expectTheSame(Accesses, MemoryModel::TSO, 4); }
TEST(Together, SeeWhatOneSeesOfAtomicsUnderTso) { expectTheSame(Atomics, MemoryModel::TSO, 5); }
TEST(Together, SeeWhatOneSeesOfWaitingUnderTso) { expectTheSame(Waiting, MemoryModel::TSO, 6); }
TEST(Together, SeeWhatOneSeesUnderPso) { expectTheSame(Accesses, MemoryModel::PSO, 7); }
TEST(Together, SeeWhatOneSeesOfWaitingUnderPso) { expectTheSame(Waiting, MemoryModel::PSO, 8); }
TEST(Together, SeeWhatOneSeesOfSeveralSizes) {
  expectTheSame(Sizes, MemoryModel::SC, 9, 30);
  expectTheSame(Sizes, MemoryModel::PSO, 10, 30);
}

TEST(Together, SeeWhatOneSeesOfMemory) {
  const auto Make = [](std::mt19937 &Random) { return testing::makeMemoryProgram(Random, 4); };
  expectTheSame(Make, MemoryModel::SC, 11, 40);
  expectTheSame(Make, MemoryModel::TSO, 12, 40);
  expectTheSame(Make, MemoryModel::PSO, 13, 40);
}

TEST(Together, CountWhatOneCounts) {
  // Nodes that threads allocate, a lock, loops: names of objects, threads and locations must be the same for all.
  for (const char *Name :
       {"ms_queue", "nested_threads", "mutex_counter", "thread_local", "hazard_pointer", "mixed_size"})
    for (MemoryModel Buffers : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}) {
      const Program P = testing::compile(testing::requestForProgram(Name, {}));
      const ExplorationOptions Options = testing::exhaustively(Buffers, 4);
      testing::Silent Nobody;
      const ExplorationResult Alone = exploreOptimally(P, Options, Nobody);
      Patient Seen;
      SpareCores Spare(2);
      const ExplorationResult Result = exploreOptimally(P, together(Options, Spare), Seen);
      EXPECT_EQ(Result.Executions, Alone.Executions) << Name;
      EXPECT_EQ(Result.Blocked, Alone.Blocked) << Name;
      EXPECT_EQ(Result.Cut, Alone.Cut) << Name;
      EXPECT_EQ(Seen.repeated(), 0u) << Name;
    }
}

/// A branch in which something sleeps relies on plans that come from other branches, and by way of third ones: here the
/// last thread's load of its own store is what the third one goes by.
TEST(Together, BranchesThatRelyOnOthersWaitForThem) {
  const Program P = testing::compile(testing::requestForText(R"(
#include <pthread.h>
volatile int x[2];
void *t0(void *p) { int r = x[1] + 1; x[1] = 1; x[0] = r; return p; }
void *t1(void *p) { x[0] = x[1]; x[0] = 0; return p; }
void *t2(void *p) { x[0] = x[0]; x[0] = x[0]; x[0] = x[1]; return p; }
int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, t0, 0);
  pthread_create(&t[1], 0, t1, 0);
  pthread_create(&t[2], 0, t2, 0);
  for (int k = 0; k < 3; k++)
    pthread_join(t[k], 0);
})"));
  for (MemoryModel Buffers : {MemoryModel::TSO, MemoryModel::PSO}) {
    const ExplorationOptions Options = testing::exhaustively(Buffers);
    testing::Silent Nobody;
    const ExplorationResult Alone = exploreOptimally(P, Options, Nobody);
    for (unsigned Time = 0; Time < 150; ++Time) { // some in a hundred used to miss some
      Patient Seen;
      SpareCores Spare(3);
      ASSERT_EQ(exploreOptimally(P, together(Options, Spare), Seen).Executions, Alone.Executions);
      ASSERT_EQ(Seen.repeated(), 0u);
    }
  }
}

TEST(Together, StopAtTheFirstBug) {
  const Program P = testing::compile(testing::requestForProgram("racy_counter", {"-DN=4"}));
  struct : Patient {
    unsigned Buggy = 0;
    void ended(Execution &E, Ending How) override {
      Patient::ended(E, How);
      Buggy += How == Ending::Buggy;
    }
    void restarted() override { Buggy = 0; }
  } Seen;
  SpareCores Spare(3);
  ExplorationOptions Options = together(testing::exhaustively(MemoryModel::TSO), Spare);
  Options.Exhaustive = false;
  EXPECT_EQ(exploreOptimally(P, Options, Seen).Ended, ExplorationResult::End::FirstBug);
  EXPECT_EQ(Seen.Buggy, 1u);
}

TEST(Together, StopWhenToldTo) {
  const Program P = testing::compile(testing::requestForProgram("increments", {"-DN=9"}));
  std::atomic<bool> Cancel = false;
  struct Cancelling : testing::Silent {
    explicit Cancelling(std::atomic<bool> &Cancel) : Cancel(Cancel) {}
    std::atomic<bool> &Cancel;
    unsigned Ended = 0;
    void ended(Execution &, Ending) override { Cancel = ++Ended >= 20'000; }
  } Seen(Cancel);
  SpareCores Spare(2);
  ExplorationOptions Options = together(testing::exhaustively(MemoryModel::SC), Spare);
  Options.Cancel = &Cancel;
  const ExplorationResult Result = exploreOptimally(P, Options, Seen);
  EXPECT_EQ(Result.Ended, ExplorationResult::End::Limit);
  EXPECT_EQ(Result.Reason, "the check was cancelled");
  EXPECT_LT(Result.Executions, 362'880u);
}

} // namespace
} // namespace picket
