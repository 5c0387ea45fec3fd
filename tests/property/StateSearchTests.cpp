// Random programs: the search with partial-order reduction comes to the same bugs and the same last states as the
// search without, and both to what the explorer of executions sees. With loops that have no bound, the explorer is no
// judge.
#include "explore/StateSearch.h"
#include "property/Environment.h"
#include "property/LoopingProgram.h"
#include "property/RandomProgram.h"
#include "support/Explore.h"
#include "support/Smallest.h"

#include <gtest/gtest.h>

#include <set>

namespace picket {
namespace {

using testing::Statement;

/// Status of the threads, where they stand if they have not come to their end, and global memory.
std::string lastState(Configuration &C) {
  Machine &M = C.machine();
  std::string Text;
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    if (M.exists(T)) {
      Text += std::to_string(T) + ":" + std::to_string(static_cast<int>(M.status(T)));
      if (M.status(T) == ThreadStatus::Ready)
        Text += "@" + std::to_string(M.pc(T));
      Text += " ";
    }
  const Program &P = M.program();
  for (uint32_t G = 0; G < P.Globals.size(); ++G)
    if (const Object &O = M.memory().at(G + 1); !P.Globals[G].ThreadLocal && O.Kind != ObjectKind::Constant)
      Text.append(reinterpret_cast<const char *>(O.Data), O.Size);
  return Text;
}

using BugSet = std::set<std::tuple<BugKind, uint32_t, uint32_t>>;

struct Ends : StateSearchObserver {
  std::set<std::string> Last;
  void ended(Configuration &C, Ending How, const std::string &) override {
    if (How != Ending::Blocked) // those are where the explorer happens to wait
      Last.insert(lastState(C));
  }
  void restarted() override { Last.clear(); }
};

struct Executions : ExplorationObserver {
  std::set<std::string> Last;
  BugSet Bugs;
  void ended(Execution &E, Ending How) override {
    if (How == Ending::Blocked)
      return;
    Last.insert(lastState(E.configuration()));
    for (const BugReport &B : E.configuration().machine().bugs())
      Bugs.insert({B.Kind, B.Thread, B.Pc});
  }
  void restarted() override {
    Last.clear();
    Bugs.clear();
  }
};

BugSet bugsOf(const StateSearchResult &Result) {
  BugSet Bugs;
  for (const StateSearchResult::Found &Found : Result.Bugs)
    if (!Found.Bug.GoesRound)
      Bugs.insert({Found.Bug.Kind, Found.Bug.Thread, Found.Bug.Pc});
  return Bugs;
}

/// One is shown, whichever it is.
bool hasLivelock(const StateSearchResult &Result) {
  return std::any_of(Result.Bugs.begin(), Result.Bugs.end(),
                     [](const StateSearchResult::Found &Found) { return Found.Bug.GoesRound; });
}

struct Counts {
  uint64_t All = 0, Reduced = 0, Bugs = 0, Livelocks = 0;
};

/// What is wrong with the searches of a program, empty if nothing. If it has blocks of memory that come and go, a number
/// may look like the address of one, which is then not forgotten: which one that is depends on the order of the search,
/// and either can have more states.
std::string problemOf(const std::string &Text, MemoryModel Buffers, bool Explore, bool HasBlocks, Counts &Sum) {
  Program P = testing::compile(testing::requestForText(Text));
  StateSearchOptions Options;
  Options.Model = Buffers;
  Options.Exhaustive = true;
  Options.Machine.QuietAccesses = !Explore; // both must show the same accesses, to stop at the same places
  Ends Reduced, Full;
  StateSearchResult Short = searchStates(P, Options, Reduced);
  Options.Reduce = false;
  StateSearchResult Long = searchStates(P, Options, Full);
  Sum.All += Long.States;
  Sum.Reduced += Short.States;
  Sum.Bugs += Long.Bugs.size();
  Sum.Livelocks += hasLivelock(Long);
  if (Short.Ended != ExplorationResult::End::Everything || Long.Ended != ExplorationResult::End::Everything)
    return "not finished: " + Short.Reason + Long.Reason;
  if (Short.States > Long.States && !HasBlocks)
    return std::to_string(Short.States) + " states with reduction, " + std::to_string(Long.States) + " without";
  if (bugsOf(Short) != bugsOf(Long))
    return "other bugs with reduction";
  if (hasLivelock(Short) != hasLivelock(Long))
    return hasLivelock(Short) ? "a livelock with reduction only" : "a livelock without reduction only";
  if (Reduced.Last != Full.Last)
    return "other last states with reduction";
  if (!Explore)
    return "";
  Executions Seen;
  ExplorationOptions Exploring = testing::exhaustively(Buffers);
  Exploring.Machine.QuietAccesses = false;
  exploreOptimally(P, Exploring, Seen);
  if (Seen.Bugs != bugsOf(Long))
    return "other bugs than the explorer";
  return Seen.Last != Full.Last ? "other last states than the explorer" : "";
}

void expectSameStates(const testing::Palette &From, MemoryModel Buffers, unsigned Programs, unsigned Seed,
                      unsigned MaxThreads = 3, unsigned MaxStatements = 5) {
  std::mt19937 Random(testing::seedOr(Seed));
  Counts Sum;
  for (unsigned K = 0; K < testing::programsOr(Programs); ++K) {
    testing::RandomProgram P = testing::makeProgram(Random, From, MaxThreads, MaxStatements);
    std::string Problem = problemOf(P.text(), Buffers, /*Explore=*/true, /*HasBlocks=*/false, Sum);
    if (Problem.empty())
      continue;
    P = testing::smallest(P, [&](const testing::RandomProgram &Candidate) {
      return problemOf(Candidate.text(), Buffers, /*Explore=*/true, /*HasBlocks=*/false, Sum);
    });
    Problem = problemOf(P.text(), Buffers, /*Explore=*/true, /*HasBlocks=*/false, Sum);
    FAIL() << "program " << K << ": " << Problem << "\n" << P.text();
  }
  EXPECT_LT(Sum.Reduced, Sum.All) << "the reduction should reduce";
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,       Statement::Load,    Statement::FetchAdd, Statement::Exchange,
                                  Statement::CompareSwap, Statement::Guarded, Statement::Copy};
const testing::Palette Waiting = {Statement::Store,     Statement::Load,     Statement::AwaitNot,
                                  Statement::LockedAdd, Statement::FetchAdd, Statement::TryLocked};
const testing::Palette Conditions = {Statement::SignalOrWait, Statement::LockedAdd, Statement::Store, Statement::Load};
const testing::Palette Fences = {Statement::Store,       Statement::Load,    Statement::Copy,
                                 Statement::FullFence,   Statement::Guarded, Statement::StoreRelease,
                                 Statement::StoreSeqCst, Statement::FetchAdd};
const testing::Palette Wide = {Statement::Store,    Statement::Load,    Statement::WideStore, Statement::WideLoad,
                               Statement::WideSwap, Statement::WideAdd, Statement::WidePlain, Statement::Half};

const testing::Palette FencesAndBarriers = {Statement::Store,        Statement::Load,       Statement::Copy,
                                            Statement::ReleaseFence, Statement::Narrow,     Statement::StoreRelease,
                                            Statement::StoreSeqCst,  Statement::RelaxedAdd, Statement::Guarded};

TEST(StateSearch, SeesTheStatesOfPlainAccesses) { expectSameStates(Accesses, MemoryModel::SC, 500, 1); }
TEST(StateSearch, SeesTheStatesOfAtomics) { expectSameStates(Atomics, MemoryModel::SC, 400, 2); }
TEST(StateSearch, SeesTheStatesOfAwaitsAndLocks) { expectSameStates(Waiting, MemoryModel::SC, 400, 3); }
TEST(StateSearch, SeesTheStatesOfConditionVariables) { expectSameStates(Conditions, MemoryModel::SC, 200, 4, 3, 3); }
TEST(StateSearch, SeesTheStatesOfStoreBuffers) { expectSameStates(Fences, MemoryModel::TSO, 400, 5); }
TEST(StateSearch, SeesTheStatesOfSixteenBytes) { expectSameStates(Wide, MemoryModel::SC, 300, 6); }
TEST(StateSearch, SeesTheStatesOfSixteenBytesInStoreBuffers) { expectSameStates(Wide, MemoryModel::TSO, 300, 7, 3, 4); }

TEST(StateSearch, SeesTheStatesOfStoreBuffersPerLocation) {
  expectSameStates(FencesAndBarriers, MemoryModel::PSO, 300, 7);
}

TEST(StateSearch, SeesTheStatesOfLoopsWithoutBound) {
  std::mt19937 Random(testing::seedOr(6));
  Counts Sum;
  for (unsigned K = 0; K < testing::programsOr(1'500); ++K) {
    const std::string Text = testing::makeLoopingProgram(Random);
    ASSERT_EQ(problemOf(Text, MemoryModel::SC, /*Explore=*/false, /*HasBlocks=*/true, Sum), "")
        << "program " << K << "\n"
        << Text;
  }
  EXPECT_LT(Sum.Reduced, Sum.All);
  EXPECT_GE(Sum.Bugs, testing::atLeast(1.0 / 15, testing::programsOr(1'500))) << "many of the assertions should fail";
}

/// What several workers make of a program is what one does: bugs, last states, and without reduction all states.
std::string problemOfTogether(const std::string &Text, MemoryModel Buffers, bool HasBlocks, uint64_t &GivenAway) {
  const Program P = testing::compile(testing::requestForText(Text));
  StateSearchOptions Options;
  Options.Model = Buffers;
  Options.Exhaustive = true;
  Options.Reduce = false;
  Options.StatesAlone = 0;
  Options.Machine.QuietAccesses = false;
  Ends One, Several, Reduced;
  const StateSearchResult Alone = searchStates(P, Options, One);
  SpareCores Spare(3);
  Options.Spare = &Spare;
  const StateSearchResult Together = searchStates(P, Options, Several);
  Options.Reduce = true;
  const StateSearchResult Short = searchStates(P, Options, Reduced);
  GivenAway += Together.GivenAway + Short.GivenAway;
  for (const StateSearchResult *Each : {&Alone, &Together, &Short})
    if (Each->Ended != ExplorationResult::End::Everything)
      return "not finished: " + Each->Reason;
  if (Together.States != Alone.States && !HasBlocks)
    return std::to_string(Together.States) + " states together, " + std::to_string(Alone.States) + " alone";
  if (Short.States > Alone.States && !HasBlocks)
    return std::to_string(Short.States) + " states with reduction, " + std::to_string(Alone.States) + " without";
  for (const StateSearchResult *Each : {&Together, &Short}) {
    if (bugsOf(*Each) != bugsOf(Alone))
      return "other bugs together";
    if (hasLivelock(*Each) != hasLivelock(Alone))
      return hasLivelock(Alone) ? "a livelock alone only" : "a livelock together only";
  }
  if (Several.Last != One.Last || Reduced.Last != One.Last)
    return "other last states together";
  for (unsigned Core = 0; Core < 3; ++Core)
    if (!Spare.take())
      return "a core was not given back";
  return "";
}

void expectSameTogether(const testing::Palette &From, MemoryModel Buffers, unsigned Programs, unsigned Seed) {
  std::mt19937 Random(testing::seedOr(Seed));
  uint64_t GivenAway = 0;
  Programs = testing::programsOr(Programs);
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = testing::makeProgram(Random, From, 4, 4).text();
    ASSERT_EQ(problemOfTogether(Text, Buffers, /*HasBlocks=*/false, GivenAway), "") << "program " << K << "\n" << Text;
  }
  EXPECT_GE(GivenAway, testing::atLeast(1, Programs)) << "workers should have something to do";
}

TEST(StatesTogether, AreThoseOfPlainAccesses) { expectSameTogether(Accesses, MemoryModel::SC, 300, 11); }
TEST(StatesTogether, AreThoseOfAwaitsAndLocks) { expectSameTogether(Waiting, MemoryModel::SC, 300, 12); }
TEST(StatesTogether, AreThoseOfStoreBuffers) { expectSameTogether(Fences, MemoryModel::TSO, 200, 13); }
TEST(StatesTogether, AreThoseOfStoreBuffersPerLocation) {
  expectSameTogether(FencesAndBarriers, MemoryModel::PSO, 200, 14);
}

TEST(StatesTogether, AreThoseOfLoopsWithoutBound) {
  std::mt19937 Random(testing::seedOr(15));
  uint64_t GivenAway = 0;
  const unsigned Programs = testing::programsOr(600);
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = testing::makeLoopingProgram(Random);
    ASSERT_EQ(problemOfTogether(Text, MemoryModel::SC, /*HasBlocks=*/true, GivenAway), "") << "program " << K << "\n"
                                                                                           << Text;
  }
  EXPECT_GE(GivenAway, testing::atLeast(1, Programs)) << "workers should have something to do";
}

} // namespace
} // namespace picket
