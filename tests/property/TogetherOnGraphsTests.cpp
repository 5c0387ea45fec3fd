// Workers that explore execution graphs together see what one alone sees, each once.
#include "litmus/LitmusReader.h"
#include "property/Environment.h"
#include "property/MemoryProgram.h"
#include "property/PowerProgram.h"
#include "property/RandomProgram.h"
#include "property/Together.h"
#include "support/Graphs.h"

#include <gtest/gtest.h>

#include <functional>

namespace picket {
namespace {

using testing::Statement;
using testing::together;

struct Patient : testing::GraphTraces {
  testing::Patience Patience;

  void ended(GraphRun &Run, Ending How) override {
    GraphTraces::ended(Run, How);
    Patience.wait();
  }
};

struct Way {
  GraphModel Model;
  Equivalence OnePer;
};
const Way Power{MemoryModel::Power, Equivalence::ShashaSnir};
const Way Sc{MemoryModel::SC, Equivalence::ReadsFrom}, Tso{MemoryModel::TSO, Equivalence::ReadsFrom},
    Pso{MemoryModel::PSO, Equivalence::ReadsFrom};

/// How many runs others had a part in, of all.
struct Shares {
  uint64_t ByOthers = 0, All = 0;
};

void expectTheSame(const Program &P, const Way &On, const std::string &What, Shares &Shared) {
  constexpr uint64_t TooMany = 20'000;
  ExplorationOptions Options = testing::exhaustively(MemoryModel::SC);
  Options.OnePer = On.OnePer;
  std::atomic<bool> Cancel = false;
  Options.Cancel = &Cancel;
  struct Counting : testing::GraphTraces {
    explicit Counting(std::atomic<bool> &Cancel) : Cancel(Cancel) {}
    std::atomic<bool> &Cancel;
    uint64_t Ended = 0;
    void ended(GraphRun &Run, Ending How) override {
      GraphTraces::ended(Run, How);
      Cancel = ++Ended > TooMany;
    }
    void restarted() override {
      GraphTraces::restarted();
      Ended = 0;
    }
  } Expected(Cancel);
  const ExplorationResult Alone = exploreGraphs(P, On.Model, Options, Expected);
  if (Cancel)
    return;
  for (unsigned Others : {1u, 3u}) {
    Patient Seen;
    SpareCores Spare(Others);
    const ExplorationResult Result = exploreGraphs(P, On.Model, together(Options, Spare), Seen);
    ASSERT_EQ(Result.Ended, Alone.Ended) << What;
    for (unsigned Given = 0; Given < Others; ++Given)
      ASSERT_TRUE(Spare.take()) << "a core was not given back";
    if (Alone.Ended != ExplorationResult::End::Everything) // something is not supported, in both cases
      continue;
    ASSERT_EQ(Result.Executions, Alone.Executions) << What;
    ASSERT_EQ(Result.Blocked, Alone.Blocked) << What;
    ASSERT_EQ(Result.Cut, Alone.Cut) << What;
    ASSERT_EQ(Result.FailedWakeups, 0u) << What;
    ASSERT_EQ(Result.RejectedBranches, Alone.RejectedBranches) << What;
    ASSERT_EQ(Seen.Bugs, Expected.Bugs) << What;
    ASSERT_EQ(Seen.repeated(), Expected.repeated()) << What;
    if (On.OnePer == Equivalence::ShashaSnir) {
      ASSERT_TRUE(Seen.areAmong(Expected)) << What;
    }
    Shared.ByOthers += Seen.Patience.ByOthers;
    Shared.All += Result.Executions;
  }
}

Program compiled(const std::string &Text) { return testing::compile(testing::requestForText(Text)); }
Program readAsLitmus(const std::string &Text) { return readLitmus(Text, "random.litmus").Test->Code; }

void expectTheSame(const std::function<std::string(std::mt19937 &)> &Make, const Way &On, unsigned Seed,
                   unsigned Programs, Program (*Read)(const std::string &) = compiled) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  Shares Shared;
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = Make(Random);
    const std::string What = "program " + std::to_string(K) + " of seed " + std::to_string(Seed) + ":\n" + Text;
    ASSERT_NO_FATAL_FAILURE(expectTheSame(Read(Text), On, What, Shared));
  }
  EXPECT_GE(Shared.ByOthers, testing::atLeast(0.1, Shared.All)) << "others should have a share in it";
}

void expectTheSame(const testing::Palette &From, const Way &On, unsigned Seed, unsigned Programs = 40) {
  expectTheSame([&](std::mt19937 &Random) { return testing::makeProgram(Random, From, 4, 5).text(); }, On, Seed,
                Programs);
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,       Statement::Load,    Statement::FetchAdd,  Statement::Exchange,
                                  Statement::CompareSwap, Statement::Guarded, Statement::RelaxedAdd};
const testing::Palette Waiting = {Statement::Store, Statement::Load,      Statement::AwaitNot,
                                  Statement::Copy,  Statement::LockedAdd, Statement::TryLocked};

TEST(TogetherOnGraphs, SeeWhatOneSeesUnderPower) { expectTheSame(Accesses, Power, 1); }
TEST(TogetherOnGraphs, SeeWhatOneSeesOfAtomics) { expectTheSame(Atomics, Power, 2); }
TEST(TogetherOnGraphs, SeeWhatOneSeesOfWaiting) { expectTheSame(Waiting, Power, 3); }
TEST(TogetherOnGraphs, SeeTheRelationsThatOneSees) {
  expectTheSame(Accesses, Sc, 4, 20);
  expectTheSame(Atomics, Tso, 5, 20);
  expectTheSame(Waiting, Pso, 6, 20);
}
TEST(TogetherOnGraphs, SeeWhatOneSeesOfMemory) {
  expectTheSame([](std::mt19937 &Random) { return testing::makeMemoryProgram(Random, 3); }, Power, 7, 40);
}

TEST(TogetherOnGraphs, SeeWhatOneSeesOfReservations) {
  using Palette = testing::PowerPalette;
  const Palette From{.Ties = {Palette::Loose, Palette::SyncTie, Palette::AddressTie, Palette::DecidingTie},
                     .Reservations = true,
                     .TiedReservations = true};
  expectTheSame([&](std::mt19937 &Random) { return testing::makePowerProgram(Random, From).text(); }, Power, 8, 100,
                readAsLitmus);
}

TEST(TogetherOnGraphs, CountWhatOneCounts) {
  // Nodes that threads allocate, threads that threads create, a lock: names must be the same for all.
  for (const char *Name : {"ms_queue", "nested_threads", "mutex_counter", "use_after_free"}) {
    Shares Shared;
    ASSERT_NO_FATAL_FAILURE(expectTheSame(testing::compile(testing::requestForProgram(Name, {})), Power, Name, Shared));
  }
}

TEST(TogetherOnGraphs, StopAtTheFirstBug) {
  const Program P = testing::compile(testing::requestForProgram("racy_counter", {"-DN=4"}));
  struct : Patient {
    unsigned Buggy = 0;
    void ended(GraphRun &Run, Ending How) override {
      Patient::ended(Run, How);
      Buggy += How == Ending::Buggy;
    }
    void restarted() override { Buggy = 0; }
  } Seen;
  SpareCores Spare(3);
  ExplorationOptions Options = together(testing::exhaustively(MemoryModel::SC), Spare);
  Options.Exhaustive = false;
  EXPECT_EQ(exploreGraphs(P, MemoryModel::Power, Options, Seen).Ended, ExplorationResult::End::FirstBug);
  EXPECT_EQ(Seen.Buggy, 1u);
}

TEST(TogetherOnGraphs, StopWhenToldTo) {
  const Program P = testing::compile(testing::requestForProgram("writers", {"-DN=10"}));
  std::atomic<bool> Cancel = false;
  struct Cancelling : GraphObserver {
    explicit Cancelling(std::atomic<bool> &Cancel) : Cancel(Cancel) {}
    std::atomic<bool> &Cancel;
    unsigned Ended = 0;
    void ended(GraphRun &, Ending) override { Cancel = ++Ended >= 20'000; }
  } Seen(Cancel);
  SpareCores Spare(2);
  ExplorationOptions Options = together(testing::exhaustively(MemoryModel::SC), Spare);
  Options.Cancel = &Cancel;
  const ExplorationResult Result = exploreGraphs(P, MemoryModel::Power, Options, Seen);
  EXPECT_EQ(Result.Ended, ExplorationResult::End::Limit);
  EXPECT_EQ(Result.Reason, "the check was cancelled");
  EXPECT_LT(Result.Executions, 3'628'800u);
}

} // namespace
} // namespace picket
