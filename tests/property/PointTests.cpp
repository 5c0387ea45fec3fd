// Threads that follow points see what threads that are run see.
#include "explore/OptimalDpor.h"
#include "property/Environment.h"
#include "property/MemoryProgram.h"
#include "property/RandomProgram.h"
#include "support/Explore.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

namespace picket {
namespace {

using testing::Statement;
using Points = decltype(MachineOptions::Points);

struct Seen : testing::Traces {
  ExplorationResult Result;
  uint64_t Buggy = 0;
  void ended(Execution &E, Ending How) override {
    Traces::ended(E, How);
    Buggy += How == Ending::Buggy;
  }
  void restarted() override {
    Traces::restarted();
    Buggy = 0;
  }
};

/// Up to so many executions, which come in the same order.
Seen explored(const Program &P, MemoryModel Buffers, Points How) {
  constexpr uint64_t TooMany = 4'000;
  struct : Seen {
    bool isEnough(const ExplorationResult &SoFar) override { return SoFar.Executions >= TooMany; }
  } Listener;
  ExplorationOptions Options = testing::exhaustively(Buffers, 4);
  Options.Machine.Points = How;
  Listener.Result = exploreOptimally(P, Options, Listener);
  return Listener;
}

void expectTheSame(const Program &P, const std::string &What) {
  for (MemoryModel Buffers : testing::AllModels) {
    const Seen Run = explored(P, Buffers, Points::Off);
    const Seen Followed = explored(P, Buffers, Points::On);
    ASSERT_EQ(Followed.Result.Ended, Run.Result.Ended) << What << " under " << titleOf(Buffers);
    if (Run.Result.Ended == ExplorationResult::End::Everything) {
      ASSERT_EQ(Followed.Complete, Run.Complete) << What << " under " << titleOf(Buffers);
      ASSERT_EQ(Followed.Blocked, Run.Blocked) << What << " under " << titleOf(Buffers);
      ASSERT_EQ(Followed.Cut, Run.Cut) << What << " under " << titleOf(Buffers);
      ASSERT_EQ(Followed.Buggy, Run.Buggy) << What << " under " << titleOf(Buffers);
    }
    // Throws where a thread that is run comes elsewhere than to the point.
    ASSERT_NO_THROW(explored(P, Buffers, Points::Distrusted)) << What << " under " << titleOf(Buffers);
  }
}

void expectTheSame(unsigned Seed, const std::function<std::string(std::mt19937 &)> &Make) {
  const unsigned Programs = testing::programsOr(60);
  std::mt19937 Random(testing::seedOr(Seed));
  for (unsigned K = 0; K < Programs && !::testing::Test::HasFailure(); ++K) {
    const std::string Text = Make(Random);
    expectTheSame(testing::compile(testing::requestForText(Text)), Text);
  }
}

void expectTheSame(const testing::Palette &From, unsigned Seed) {
  expectTheSame(Seed, [&](std::mt19937 &Random) { return testing::makeProgram(Random, From, 3, 5).text(); });
}

TEST(Points, AreWhereAccessesLead) {
  expectTheSame({Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded}, 1);
}
TEST(Points, AreWhereAtomicsLead) {
  expectTheSame({Statement::Store, Statement::Load, Statement::FetchAdd, Statement::Exchange, Statement::CompareSwap,
                 Statement::Guarded, Statement::RelaxedSwap},
                2);
}
TEST(Points, AreWhereWaitingLeads) {
  expectTheSame({Statement::Store, Statement::Load, Statement::AwaitNot, Statement::Copy, Statement::LockedAdd,
                 Statement::SignalOrWait, Statement::TryLocked},
                3);
}
TEST(Points, AreWhereSeveralSizesLead) {
  expectTheSame({Statement::Store, Statement::Load, Statement::Narrow, Statement::Copy, Statement::Exchange,
                 Statement::ReleaseFence},
                4);
}

TEST(Points, AreWhereMemoryOfOthersLeads) {
  expectTheSame(5, [](std::mt19937 &Random) { return testing::makeMemoryProgram(Random, 4); });
}

TEST(Points, AreWhereProgramsLead) {
  // Calls, locals, allocation, locks, conditions, keys, threads that start threads: everything there is.
  unsigned Programs = 0;
  for (const auto &File : std::filesystem::directory_iterator(std::string(PICKET_SOURCE_DIR) + "/tests/programs"))
    if (File.path().extension() == ".c") {
      const std::string Name = File.path().stem().string();
      expectTheSame(testing::compile(testing::requestForProgram(Name)), Name);
      ++Programs;
    }
  EXPECT_GT(Programs, 80u);
}

TEST(Points, AreNotWhatWasThereBeforeAJoin) {
  // What a thread reads for itself is what main left there while it was alone, which differs from execution to
  // execution.
  const Program P = testing::compile(testing::requestForText(R"(
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, seen;
int setting;
static void *racer(void *arg) { return atomic_store(&x, 1), arg; }
static void *reader(void *arg) {
  atomic_fetch_add(&seen, 1);
  atomic_fetch_add(&seen, setting);
  return arg;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, racer, 0);
  int early = atomic_load(&x);
  pthread_join(a, 0);
  setting = 1 + early;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(atomic_load(&seen) == 2 + 2 * (1 + early));
}
)"));
  expectTheSame(P, "two gatherings");
  EXPECT_EQ(explored(P, MemoryModel::SC, Points::On).Buggy, 0u);
}

} // namespace
} // namespace picket
