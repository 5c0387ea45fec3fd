// Random programs: the optimal explorer sees exactly the traces that brute force sees, each once.
#include "explore/OptimalDpor.h"
#include "property/Environment.h"
#include "property/MemoryProgram.h"
#include "property/RandomProgram.h"
#include "source/compile/Compile.h"
#include "support/BruteForce.h"
#include "support/Smallest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace picket {
namespace {

using testing::RandomProgram;
using testing::Statement;

struct Traces : ExplorationObserver {
  std::map<TraceKey, unsigned> Complete, Blocked, Cut;
  void ended(Execution &E, Ending How) override {
    TraceKey Key = traceKeyOf(E, E.cells());
    ++(How == Ending::Blocked ? Blocked : How == Ending::Cut ? Cut : Complete)[Key];
  }
  void restarted() override {
    Complete.clear();
    Blocked.clear();
    Cut.clear();
  }
};

std::optional<Program> compileText(const std::string &Text) {
  CompileRequest Request;
  Request.File = "/random.c";
  Request.Unsaved["/random.c"] = Text;
  Request.UseCompileCommands = false;
  return compileProgram(Request).Compiled;
}

ExplorationOptions optionsFor(MemoryModel Buffers) {
  ExplorationOptions Options;
  Options.Model = Buffers;
  Options.Exhaustive = true;
  Options.Machine.QuietAccesses = false; // so that brute force has as few assumptions as can be
  return Options;
}

constexpr uint64_t MaxInterleavings = 30'000;

/// What is wrong with the exploration of a program, empty if nothing. Skipped: too large for brute force.
std::string problemOf(const std::string &Text, MemoryModel Buffers, bool &Skipped) {
  std::optional<Program> Compiled = compileText(Text);
  if (!Compiled)
    return "does not compile";
  ExplorationOptions Options = optionsFor(Buffers);
  ExplorationOptions Plainly = Options;
  Plainly.Machine.Points = MachineOptions::Points::Off;
  BruteForceResult Expected = exploreByBruteForce(*Compiled, Plainly, MaxInterleavings);
  Skipped = Expected.GaveUp;
  if (Skipped)
    return "";
  Traces Seen;
  ExplorationResult Result = exploreOptimally(*Compiled, Options, Seen);
  std::string Problem;
  auto Say = [&](const std::string &What, uint64_t N) {
    if (N)
      Problem += What + ": " + std::to_string(N) + "\n";
  };
  uint64_t Twice = 0, Unknown = 0, Missing = 0;
  for (const auto &[Key, Times] : Seen.Complete) {
    Twice += Times - 1;
    Unknown += !Expected.Complete.count(Key);
  }
  for (const TraceKey &Key : Expected.Complete)
    Missing += !Seen.Complete.count(Key);
  Say("traces missed (of " + std::to_string(Expected.Complete.size()) + ")", Missing);
  Say("traces seen again", Twice);
  Say("traces that do not exist", Unknown);
  Say("sleep-set blocked executions", Result.SleepSetBlocked);
  Say("failed wakeups", Result.FailedWakeups);
  Options.Machine.QuietAccesses = true;
  Traces Quiet;
  ExplorationResult Quicker = exploreOptimally(*Compiled, Options, Quiet);
  Say("executions with quiet reads (instead of " + std::to_string(Result.Executions) + ")",
      Quicker.Executions == Result.Executions ? 0 : Quicker.Executions);
  Say("sleep-set blocked executions with quiet reads", Quicker.SleepSetBlocked);
  return Problem;
}

void expectSameTraces(const testing::Palette &From, MemoryModel Buffers, unsigned Programs, unsigned Seed,
                      unsigned MaxThreads = 4, unsigned MaxStatements = 5) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  unsigned Compared = 0;
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram P = testing::makeProgram(Random, From, MaxThreads, MaxStatements);
    bool Skipped = false;
    if (problemOf(P.text(), Buffers, Skipped).empty()) {
      Compared += !Skipped;
      continue;
    }
    const RandomProgram Small = testing::smallest(P, [&](const RandomProgram &Candidate) {
      bool Unchecked = false;
      return problemOf(Candidate.text(), Buffers, Unchecked);
    });
    FAIL() << "program " << K << " of seed " << Seed << ":\n"
           << problemOf(Small.text(), Buffers, Skipped) << Small.text();
  }
  EXPECT_GE(Compared, testing::atLeast(0.5, Programs)) << "most programs should be small enough for brute force";
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,       Statement::Load,    Statement::FetchAdd, Statement::Exchange,
                                  Statement::CompareSwap, Statement::Guarded, Statement::Copy};
const testing::Palette Relaxed = {Statement::Store,       Statement::Load,         Statement::RelaxedSwap,
                                  Statement::RelaxedAdd,  Statement::StoreRelease, Statement::RelaxedSwap,
                                  Statement::ReleaseFence};
const testing::Palette RelaxedMixed = {Statement::Store,       Statement::Load,        Statement::RelaxedSwap,
                                       Statement::Narrow,      Statement::RelaxedAdd,  Statement::StoreRelease,
                                       Statement::RelaxedSwap, Statement::ReleaseFence};
const testing::Palette Locks = {Statement::Store, Statement::Load, Statement::LockedAdd, Statement::TryLocked,
                                Statement::Guarded};
const testing::Palette Awaits = {Statement::Store, Statement::Load,     Statement::AwaitNot,
                                 Statement::Copy,  Statement::FetchAdd, Statement::RelaxedAdd};
const testing::Palette Conditions = {Statement::SignalOrWait, Statement::LockedAdd, Statement::Store, Statement::Load};
const testing::Palette Mixed = {Statement::Store, Statement::Load, Statement::Narrow, Statement::Copy,
                                Statement::Exchange};
const testing::Palette Wide = {Statement::Store,    Statement::Load,     Statement::WideStore, Statement::WideLoad,
                               Statement::WideAdd,  Statement::WideSwap, Statement::WidePlain, Statement::Half,
                               Statement::Exchange, Statement::Narrow};
const testing::Palette WideAwaits = {Statement::Store, Statement::WideStore, Statement::WideLoad, Statement::AwaitWide,
                                     Statement::Half,  Statement::WideAdd,   Statement::WideSwap};
const testing::Palette Fences = {
    Statement::Store,       Statement::Load,    Statement::Copy,         Statement::FullFence, Statement::ReleaseFence,
    Statement::StoreSeqCst, Statement::Guarded, Statement::StoreRelease, Statement::FetchAdd,  Statement::RelaxedAdd};

TEST(ScDpor, SeesEachTraceOfPlainAccessesOnce) { expectSameTraces(Accesses, MemoryModel::SC, 700, 1); }
TEST(ScDpor, SeesEachTraceOfAtomicsOnce) { expectSameTraces(Atomics, MemoryModel::SC, 700, 2); }
TEST(ScDpor, SeesEachTraceOfLocksOnce) { expectSameTraces(Locks, MemoryModel::SC, 500, 3); }
TEST(ScDpor, SeesEachTraceOfAwaitsOnce) { expectSameTraces(Awaits, MemoryModel::SC, 500, 4); }
TEST(ScDpor, SeesEachTraceOfConditionVariablesOnce) { expectSameTraces(Conditions, MemoryModel::SC, 200, 5, 3, 3); }
TEST(ScDpor, SeesEachTraceOfMixedSizesOnce) { expectSameTraces(Mixed, MemoryModel::SC, 300, 6); }

TEST(ScDpor, SeesEachTraceOfSixteenBytesOnce) { expectSameTraces(Wide, MemoryModel::SC, 400, 7); }
TEST(ScDpor, SeesEachTraceOfAwaitsOfSixteenBytesOnce) { expectSameTraces(WideAwaits, MemoryModel::SC, 300, 9); }

TEST(TsoDpor, SeesEachTraceOfPlainAccessesOnce) { expectSameTraces(Accesses, MemoryModel::TSO, 500, 11, 3, 6); }
TEST(TsoDpor, SeesEachTraceWithFencesOnce) { expectSameTraces(Fences, MemoryModel::TSO, 500, 12, 3, 6); }
TEST(TsoDpor, SeesEachTraceOfAtomicsOnce) { expectSameTraces(Atomics, MemoryModel::TSO, 300, 13, 3, 6); }
TEST(TsoDpor, SeesEachTraceOfLocksOnce) { expectSameTraces(Locks, MemoryModel::TSO, 200, 14, 3, 5); }
TEST(TsoDpor, SeesEachTraceOfAwaitsOnce) { expectSameTraces(Awaits, MemoryModel::TSO, 300, 15, 3, 6); }
TEST(TsoDpor, SeesEachTraceOfMixedSizesOnce) { expectSameTraces(Mixed, MemoryModel::TSO, 300, 16, 3, 5); }

TEST(TsoDpor, SeesEachTraceOfSixteenBytesOnce) { expectSameTraces(Wide, MemoryModel::TSO, 400, 17, 3, 4); }
TEST(TsoDpor, SeesEachTraceOfAwaitsOfSixteenBytesOnce) {
  expectSameTraces(WideAwaits, MemoryModel::TSO, 300, 19, 3, 4);
}

TEST(PsoDpor, SeesEachTraceOfPlainAccessesOnce) { expectSameTraces(Accesses, MemoryModel::PSO, 500, 21, 3, 6); }
TEST(PsoDpor, SeesEachTraceWithFencesOnce) { expectSameTraces(Fences, MemoryModel::PSO, 500, 22, 3, 6); }
TEST(PsoDpor, SeesEachTraceOfAtomicsOnce) { expectSameTraces(Atomics, MemoryModel::PSO, 300, 23, 3, 6); }
TEST(PsoDpor, SeesEachTraceOfLocksOnce) { expectSameTraces(Locks, MemoryModel::PSO, 200, 24, 3, 5); }
TEST(PsoDpor, SeesEachTraceOfAwaitsOnce) { expectSameTraces(Awaits, MemoryModel::PSO, 300, 25, 3, 6); }
TEST(PsoDpor, SeesEachTraceOfRelaxedAtomicsOfSeveralSizesOnce) {
  expectSameTraces(RelaxedMixed, MemoryModel::PSO, 500, 27, 3, 5);
}
TEST(PsoDpor, SeesEachTraceOfRelaxedAtomicsOnce) { expectSameTraces(Relaxed, MemoryModel::PSO, 500, 27, 3, 5); }
TEST(PsoDpor, SeesEachTraceOfSixteenBytesOnce) { expectSameTraces(Wide, MemoryModel::PSO, 400, 29, 3, 4); }
TEST(PsoDpor, SeesEachTraceOfAwaitsOfSixteenBytesOnce) {
  expectSameTraces(WideAwaits, MemoryModel::PSO, 300, 30, 3, 4);
}
TEST(PsoDpor, SeesEachTraceOfMixedSizesOnce) { expectSameTraces(Mixed, MemoryModel::PSO, 300, 26, 3, 5); }

/// The same with memory that threads allocate, move, end and give away.
void expectSameTracesOfMemory(MemoryModel Buffers, unsigned Programs, unsigned Seed) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  unsigned Compared = 0;
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = testing::makeMemoryProgram(Random, 2);
    bool Skipped = false;
    ASSERT_EQ(problemOf(Text, Buffers, Skipped), "") << "program " << K << " of seed " << Seed << ":\n" << Text;
    Compared += !Skipped;
  }
  EXPECT_GE(Compared, testing::atLeast(0.5, Programs)) << "most programs should be small enough for brute force";
}

TEST(ScDpor, SeesEachTraceOfMemoryOnce) { expectSameTracesOfMemory(MemoryModel::SC, 150, 8); }
TEST(TsoDpor, SeesEachTraceOfMemoryOnce) { expectSameTracesOfMemory(MemoryModel::TSO, 150, 18); }
TEST(PsoDpor, SeesEachTraceOfMemoryOnce) { expectSameTracesOfMemory(MemoryModel::PSO, 150, 28); }

TEST(ScDpor, PermutedThreadsGiveTheSameNumber) {
  std::mt19937 Random(7);
  for (unsigned K = 0; K < 300; ++K) {
    RandomProgram P = testing::makeProgram(Random, Atomics, 3, 5);
    std::vector<uint64_t> Numbers;
    for (unsigned Turn = 0; Turn < 3; ++Turn) {
      std::optional<Program> Compiled = compileText(P.text());
      ASSERT_TRUE(Compiled);
      Traces Seen;
      Numbers.push_back(exploreOptimally(*Compiled, optionsFor(MemoryModel::SC), Seen).Executions);
      std::rotate(P.Threads.begin(), P.Threads.begin() + 1, P.Threads.end());
    }
    ASSERT_EQ(Numbers[0], Numbers[1]) << P.text();
    ASSERT_EQ(Numbers[0], Numbers[2]) << P.text();
  }
}

/// What is wrong with the sets of traces of a program, empty if each model's lie within the next weaker one's.
std::string missingInWeaker(const RandomProgram &P) {
  std::optional<Program> Compiled = compileText(P.text());
  if (!Compiled)
    return "does not compile";
  const std::pair<const char *, MemoryModel> Models[] = {
      {"SC", MemoryModel::SC}, {"TSO", MemoryModel::TSO}, {"PSO", MemoryModel::PSO}};
  Traces Seen[3];
  for (size_t K = 0; K < 3; ++K)
    exploreOptimally(*Compiled, optionsFor(Models[K].second), Seen[K]);
  for (size_t K = 0; K < 2; ++K)
    for (const auto &[Key, Times] : Seen[K].Complete)
      if (!Seen[K + 1].Complete.count(Key))
        return std::string("a trace of ") + Models[K].first + " is not one of " + Models[K + 1].first + "\n";
  return "";
}

TEST(Inclusion, EveryTraceIsOneOfTheWeakerModels) {
  // Nothing that happens only on a condition: traces can be compared if the same accesses count as shared, which is
  // learned from the executions of each model.
  const testing::Palette Unconditional = {Statement::Store,        Statement::Load,     Statement::Copy,
                                          Statement::FullFence,    Statement::FetchAdd, Statement::StoreSeqCst,
                                          Statement::ReleaseFence, Statement::Exchange, Statement::StoreRelease,
                                          Statement::RelaxedAdd,   Statement::LockedAdd};
  std::mt19937 Random(31);
  for (unsigned K = 0; K < 500; ++K) {
    RandomProgram P = testing::makeProgram(Random, Unconditional, 3, 5);
    ASSERT_EQ(missingInWeaker(P), "") << "program " << K << ":\n" << P.text();
  }
}

/// Programs with two longer threads, too long for brute force. What the explorer knows by itself must still hold.
std::string ownComplaints(const RandomProgram &P, MemoryModel Buffers) {
  struct Enough {};
  struct Some : Traces {
    unsigned Executions = 0;
    void ended(Execution &E, Ending How) override {
      Traces::ended(E, How);
      if (++Executions == 3000)
        throw Enough();
    }
    void restarted() override {
      Traces::restarted();
      Executions = 0;
    }
  } Seen;
  ExplorationOptions Options = optionsFor(Buffers);
  Options.Machine.Unroll = 3;
  Options.Machine.QuietAccesses = true;
  std::optional<Program> Compiled = compileText(P.text());
  if (!Compiled)
    return "does not compile";
  ExplorationResult Result;
  try {
    Result = exploreOptimally(*Compiled, Options, Seen);
  } catch (const Enough &) { // the counters are lost, the traces are not
  }
  uint64_t Twice = 0;
  for (const auto &[Key, Times] : Seen.Complete)
    Twice += Times - 1;
  if (Result.SleepSetBlocked || Result.FailedWakeups || Twice)
    return std::to_string(Result.SleepSetBlocked) + " sleep-set blocked, " + std::to_string(Result.FailedWakeups) +
           " failed wakeups, " + std::to_string(Twice) + " traces seen again\n";
  return "";
}

void expectNoComplaints(MemoryModel Buffers, unsigned Programs, unsigned Seed) {
  const testing::Palette Longer = {Statement::Store,   Statement::Store,    Statement::Load,
                                   Statement::Guarded, Statement::AwaitNot, Statement::Copy};
  std::mt19937 Random(Seed);
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram P = testing::makeProgram(Random, Longer, 2, 7);
    if (ownComplaints(P, Buffers).empty())
      continue;
    P = testing::smallest(P, [&](const RandomProgram &Candidate) { return ownComplaints(Candidate, Buffers); });
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << ownComplaints(P, Buffers) << P.text();
  }
}

TEST(PsoDpor, ALoadIsNoLongerForwardedOnceAPlannedUpdateComesBeforeIt) {
  RandomProgram P;
  P.Threads = {{{Statement::Store, 2, 0, 2}, {Statement::Copy, 0, 0, 1}, {Statement::Guarded, 2, 1, 2}},
               {{Statement::Copy, 2, 0, 1},
                {Statement::Guarded, 2, 2, 2},
                {Statement::Copy, 1, 0, 1},
                {Statement::Copy, 2, 1, 2}}};
  EXPECT_EQ(ownComplaints(P, MemoryModel::PSO), "") << P.text();
}

TEST(ScDpor, LongerProgramsAreExploredWithoutWaste) { expectNoComplaints(MemoryModel::SC, 1000, 41); }
TEST(TsoDpor, LongerProgramsAreExploredWithoutWaste) { expectNoComplaints(MemoryModel::TSO, 1000, 42); }
TEST(PsoDpor, LongerProgramsAreExploredWithoutWaste) { expectNoComplaints(MemoryModel::PSO, 2000, 1); }

} // namespace
} // namespace picket
