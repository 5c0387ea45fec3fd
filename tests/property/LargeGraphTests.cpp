// The graphs for long executions show of short ones what the others show: the same executions, each once, and on the
// same ways.
#include "litmus/LitmusReader.h"
#include "property/Environment.h"
#include "property/MemoryProgram.h"
#include "property/MixedProgram.h"
#include "property/PowerProgram.h"
#include "property/RandomProgram.h"
#include "property/Together.h"
#include "support/Graphs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <iostream>

namespace picket {
namespace {

using testing::Statement;

struct Counting : testing::GraphTraces {
  static constexpr uint64_t TooMany = 5'000;
  std::atomic<bool> Cancel = false;
  uint64_t Ended = 0;
  void ended(GraphRun &Run, Ending How) override {
    GraphTraces::ended(Run, How);
    Cancel = ++Ended > TooMany;
  }
  void restarted() override {
    GraphTraces::restarted();
    Ended = 0;
  }
};

void expectTheSame(const Program &P, MemoryModel Model, const std::string &What) {
  ExplorationOptions Options = testing::exhaustively(MemoryModel::SC);
  Counting Expected;
  Options.Cancel = &Expected.Cancel;
  const ExplorationResult Small = exploreGraphs(P, Model, Options, Expected);
  if (Expected.Cancel)
    return;
  for (unsigned Others : {0u, 2u}) {
    testing::GraphTraces Seen;
    SpareCores Spare(Others);
    ExplorationOptions Large = Others ? testing::together(Options, Spare) : Options;
    Large.Machine.LargeGraphs = true;
    const ExplorationResult Result = exploreGraphs(P, Model, Large, Seen);
    ASSERT_EQ(Result.Ended, Small.Ended) << What;
    ASSERT_EQ(Result.Reason, Small.Reason) << What;
    if (Small.Ended != ExplorationResult::End::Everything)
      continue;
    ASSERT_EQ(Result.Executions, Small.Executions) << What;
    ASSERT_EQ(Result.Blocked, Small.Blocked) << What;
    ASSERT_EQ(Result.Cut, Small.Cut) << What;
    ASSERT_EQ(Result.FailedWakeups, 0u) << What;
    ASSERT_EQ(Result.RejectedBranches, Small.RejectedBranches) << What;
    ASSERT_EQ(Seen.Bugs, Expected.Bugs) << What;
    ASSERT_EQ(Seen.repeated(), Expected.repeated()) << What;
    ASSERT_TRUE(Seen.areAmong(Expected)) << What;
  }
}

Program compiled(const std::string &Text) { return testing::compile(testing::requestForText(Text)); }
Program readAsLitmus(const std::string &Text) { return readLitmus(Text, "random.litmus").Test->Code; }

void expectTheSame(const std::function<std::string(std::mt19937 &)> &Make, MemoryModel Model, unsigned Seed,
                   unsigned Programs, Program (*Read)(const std::string &) = compiled) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = Make(Random);
    const std::string What = "program " + std::to_string(K) + " of seed " + std::to_string(Seed) + ":\n" + Text;
    ASSERT_NO_FATAL_FAILURE(expectTheSame(Read(Text), Model, What));
  }
}

void expectTheSame(const testing::Palette &From, MemoryModel Model, unsigned Seed, unsigned Programs) {
  expectTheSame([&](std::mt19937 &Random) { return testing::makeProgram(Random, From, 3, 6).text(); }, Model, Seed,
                Programs);
}

void expectTheSame(const testing::PowerPalette &From, unsigned Seed, unsigned Programs) {
  expectTheSame([&](std::mt19937 &Random) { return testing::makePowerProgram(Random, From).text(); },
                MemoryModel::Power, Seed, Programs, readAsLitmus);
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,       Statement::Load,    Statement::FetchAdd,  Statement::Exchange,
                                  Statement::CompareSwap, Statement::Guarded, Statement::RelaxedAdd};
const testing::Palette Waiting = {Statement::Store, Statement::Load,      Statement::AwaitNot,
                                  Statement::Copy,  Statement::LockedAdd, Statement::TryLocked};
const testing::Palette Fences = {Statement::Store,        Statement::Load,        Statement::FullFence,
                                 Statement::ReleaseFence, Statement::StoreSeqCst, Statement::StoreRelease,
                                 Statement::Guarded,      Statement::RelaxedAdd};

const testing::Palette Sizes = {Statement::Store, Statement::Load,     Statement::Narrow,  Statement::Narrow,
                                Statement::Copy,  Statement::FetchAdd, Statement::Guarded, Statement::FullFence};

TEST(LargeGraphs, ShowPlainAccesses) { expectTheSame(Accesses, MemoryModel::Power, 1, 150); }
TEST(LargeGraphs, ShowAtomics) { expectTheSame(Atomics, MemoryModel::Power, 2, 150); }
TEST(LargeGraphs, ShowWaiting) { expectTheSame(Waiting, MemoryModel::Power, 3, 150); }
TEST(LargeGraphs, ShowFences) { expectTheSame(Fences, MemoryModel::Power, 4, 150); }
TEST(LargeGraphs, ShowAccessesOfDifferentSizes) {
  expectTheSame(Sizes, MemoryModel::Power, 12, 150);
  expectTheSame(
      [](std::mt19937 &Random) { return testing::makeMixedProgram(Random, {.Unaligned = true, .Accesses = 6}).text(); },
      MemoryModel::Power, 13, 300, readAsLitmus);
}
// The first store to `at` must be found there before the second is committed, though its data is not known yet.
TEST(LargeGraphs, ShowStoresWhoseDataIsLate) {
  expectTheSame(
      [](std::mt19937 &) {
        return R"(
#include <pthread.h>
int x, y, at[2];
static void *other(void *unused) {
  x = 1;
  y = at[0];
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  int where = x, data = y;
  at[where] = data + 1;
  at[0] = 7;
  pthread_join(t, 0);
  return 0;
}
)";
      },
      MemoryModel::Power, 1, 1);
}
TEST(LargeGraphs, ShowMemoryThatEnds) {
  expectTheSame([](std::mt19937 &Random) { return testing::makeMemoryProgram(Random, 3); }, MemoryModel::Power, 5, 150);
}
TEST(LargeGraphs, ShowOtherModels) {
  expectTheSame(Atomics, MemoryModel::SC, 6, 60);
  expectTheSame(Waiting, MemoryModel::TSO, 7, 60);
  expectTheSame(Fences, MemoryModel::PSO, 8, 60);
}

using Palette = testing::PowerPalette;
const std::vector<Palette::Tie> EveryTie = {Palette::Loose,           Palette::SyncTie,     Palette::LwSyncTie,
                                            Palette::EieioTie,        Palette::ISyncTie,    Palette::AddressTie,
                                            Palette::DataTie,         Palette::FakeDataTie, Palette::ControlTie,
                                            Palette::ControlISyncTie, Palette::DecidingTie, Palette::DecidingISyncTie};
TEST(LargeGraphs, ShowTiesOfEveryKind) { expectTheSame(Palette{.Ties = EveryTie, .Locations = 3}, 9, 700); }
TEST(LargeGraphs, ShowFewLocations) { expectTheSame(Palette{.Ties = EveryTie, .Accesses = 8}, 10, 700); }
TEST(LargeGraphs, ShowReservations) {
  expectTheSame(Palette{.Ties = EveryTie, .Reservations = true, .TiedReservations = true}, 11, 700);
}

/// Two threads that hand data to each other, each time through other locations: six accesses a round.
std::string messages(unsigned Rounds) {
  return "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nenum { N = " + std::to_string(Rounds) +
         R"( };
int data[N];
atomic_int there[N], back[N];
static void *sender(void *unused) {
  for (int i = 0; i < N; i++) {
    data[i] = i + 1;
    atomic_store_explicit(&there[i], 1, memory_order_release);
    while (!atomic_load_explicit(&back[i], memory_order_acquire))
      ;
  }
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sender, 0);
  for (int i = 0; i < N; i++) {
    while (!atomic_load_explicit(&there[i], memory_order_acquire))
      ;
    assert(data[i] == i + 1);
    atomic_store_explicit(&back[i], 1, memory_order_release);
  }
  pthread_join(t, 0);
  return 0;
}
)";
}

TEST(LargeGraphs, AnswerLongExecutions) {
  for (unsigned Accesses : {1'200u, 3'000u, 10'200u}) {
    testing::GraphTraces Seen;
    const Program P = compiled(messages(Accesses / 6));
    const auto Start = std::chrono::steady_clock::now();
    const ExplorationResult Result =
        exploreGraphs(P, MemoryModel::Power, testing::exhaustively(MemoryModel::SC, 8), Seen);
    const std::chrono::duration<double, std::micro> Took = std::chrono::steady_clock::now() - Start;
    EXPECT_EQ(Result.Ended, ExplorationResult::End::Everything) << Result.Reason;
    EXPECT_EQ(Result.Executions, 1u);
    EXPECT_TRUE(Seen.Bugs.empty());
    std::cout << Accesses << " accesses: " << Took.count() / Accesses << " microseconds each\n";
  }
}

} // namespace
} // namespace picket
