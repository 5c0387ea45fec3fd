// Random programs: lazy reachability finds a bug under TSO (PSO) exactly if the explorer of executions does, and a
// program is robust exactly if TSO (PSO) has no trace that SC has not. With loops that have no bound, the judge is a
// search through all states with the whole of the store buffers.
#include "property/Environment.h"
#include "property/LoopingProgram.h"
#include "property/RandomProgram.h"
#include "robust/LazyReachability.h"
#include "support/Explore.h"
#include "support/Recordings.h"
#include "support/Smallest.h"
#include "trace/Recorder.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace picket {
namespace {

using testing::RandomProgram;
using testing::Statement;
using Answer = LazyResult::Answer;

/// Writes the violation and the witness down, if there are any.
struct Shown : LazyObserver {
  std::optional<Recording> Bug, Witness;
  bool NotRobust = false;
  bool notRobust(Configuration &C, const std::vector<ProcessId> &Schedule, const AttackPlaces &) override {
    NotRobust = true;
    Witness = record(C, Schedule, nullptr);
    return true;
  }
  void finished(Configuration &C, const LazyResult &Result) override {
    if (Result.Found)
      Bug = record(C, Result.Found->Schedule, &Result.Found->Bug);
  }
};

/// What the threads have read and left in memory: sink0, sink1, ..., v[0], v[1], v[2].
using Outcome = std::vector<int>;

struct Outcomes : ExplorationObserver {
  bool Bug = false;
  std::set<Outcome> All;
  void ended(Execution &E, Ending How) override {
    Bug |= How == Ending::Buggy;
    if (How != Ending::Complete)
      return;
    Machine &M = E.configuration().machine();
    const std::vector<Global> &Globals = M.program().Globals;
    Outcome Sinks, Memory;
    for (uint32_t G = 0; G < Globals.size(); ++G) {
      const bool IsSink = Globals[G].Name.starts_with("sink");
      std::vector<int> Values(Globals[G].Size / sizeof(int));
      std::memcpy(Values.data(), M.memory().at(G + 1).Data, Values.size() * sizeof(int));
      if (IsSink || Globals[G].Name == "v")
        (IsSink ? Sinks : Memory).insert((IsSink ? Sinks : Memory).end(), Values.begin(), Values.end());
    }
    Sinks.insert(Sinks.end(), Memory.begin(), Memory.end());
    All.insert(std::move(Sinks));
  }
  void restarted() override {
    Bug = false;
    All.clear();
  }
};

/// The program with the assertion that it does not end like that.
RandomProgram asserting(RandomProgram P, const Outcome &Not) {
  std::string Condition;
  for (size_t K = 0; K < Not.size(); ++K)
    Condition +=
        (K ? " && " : "") +
        (K < P.Threads.size() ? "sink" + std::to_string(K) : "v[" + std::to_string(K - P.Threads.size()) + "]") +
        " == " + std::to_string(Not[K]);
  P.Last = "  void __VERIFIER_assert(int);\n  __VERIFIER_assert(!(" + Condition + "));\n";
  return P;
}

struct Counts {
  unsigned Violations = 0, NotRobust = 0, Extended = 0, Unsure = 0;
};

std::string problemOfRun(const Program &P, std::optional<Recording> Run, bool IsWitness, bool Again) {
  if (!Run)
    return "what was found cannot be shown";
  constexpr size_t Long = 5'000; // events: a thread has gone round a loop of its own meanwhile
  if (Run->Events.size() > Long)
    return "";
  const Counterexample C = explain(std::move(*Run));
  if (IsWitness && C.Why.Edges.empty())
    return "the witness is an execution of SC";
  if (std::string Problem = testing::problemOf(C); !Problem.empty())
    return Problem;
  if (!Again)
    return "";
  MachineOptions Options;
  Options.Unroll = 1'000;
  ReplayResult Replayed = replay(P, C.Run, Options);
  // Where states are not compared, a thread that only passes fences is not stopped.
  const bool GoesOn = Replayed.Message.find("a loop of its own forever") != std::string::npos;
  return Replayed.Outcome == ReplayResult::SameBug || GoesOn ? "" : "replay: " + Replayed.Message;
}

/// What is wrong with an answer, as far as it can be seen without another one.
/// `Again`: what was found is also run on a fresh machine.
std::string problemOf(const Program &P, const LazyResult &Lazy, Shown &What, Counts &Sum, bool Again) {
  if (Lazy.What != Answer::Verified && Lazy.What != Answer::Violation)
    return "no answer: " + Lazy.Reason;
  Sum.Violations += Lazy.What == Answer::Violation;
  Sum.NotRobust += What.NotRobust;
  Sum.Extended += Lazy.Rounds > 1;
  Sum.Unsure += Lazy.Unsure;
  if (Lazy.What == Answer::Verified && Lazy.Robust == What.NotRobust && !Lazy.Unsure)
    return "a witness, and robust";
  if (Lazy.What == Answer::Violation)
    if (std::string Problem = problemOfRun(P, std::move(What.Bug), false, Again); !Problem.empty())
      return Problem;
  return What.NotRobust ? problemOfRun(P, std::move(What.Witness), true, Again) : "";
}

/// `Show`: what was found is written down and explained.
std::string problemOf(const RandomProgram &Text, MemoryModel Buffers, bool ExpectBug, Counts &Sum, bool Show) {
  const Program P = testing::compile(testing::requestForText(Text.text()));
  Shown What;
  const LazyResult Lazy = checkLazily(P, {}, Buffers, What);
  if (std::string Problem = problemOf(P, Lazy, What, Sum, /*Again=*/false); Show && !Problem.empty())
    return Problem;
  if (ExpectBug == (Lazy.What == Answer::Violation))
    return "";
  return ExpectBug ? "the explorer finds a bug" : "the explorer finds no bug";
}

/// The program by itself, and with assertions: one that only the model violates, one that SC violates, and as many that
/// hold.
std::string problemOf(const RandomProgram &Text, MemoryModel Buffers, Counts &Sum, bool Show) {
  const Program P = testing::compile(testing::requestForText(Text.text()));
  Outcomes Relaxed, Sequential;
  const uint64_t RelaxedTraces = exploreOptimally(P, testing::exhaustively(Buffers), Relaxed).Executions;
  const uint64_t Traces = exploreOptimally(P, testing::exhaustively(MemoryModel::SC), Sequential).Executions;
  Shown What;
  const LazyResult Lazy = checkLazily(P, {}, Buffers, What);
  if (std::string Problem = problemOf(P, Lazy, What, Sum, /*Again=*/true); Show && !Problem.empty())
    return Problem;
  if (Relaxed.Bug != (Lazy.What == Answer::Violation))
    return Relaxed.Bug ? "the explorer finds a bug" : "the explorer finds no bug";
  if (Relaxed.Bug)
    return "";
  if (!Lazy.Unsure && Lazy.Robust != (RelaxedTraces == Traces))
    return std::to_string(RelaxedTraces) + " executions instead of " + std::to_string(Traces) +
           (Lazy.Robust ? ", and robust" : ", and not robust");
  std::vector<Outcome> Asked;
  for (const Outcome &O : Relaxed.All)
    if (!Sequential.All.count(O)) {
      Asked.push_back(O);
      break;
    }
  Asked.push_back(*Sequential.All.begin());
  for (size_t K = 0, Reachable = Asked.size(); K < Reachable; ++K) { // as near as possible to what can happen
    Outcome Other = Asked[K];
    while (Relaxed.All.count(Other))
      ++Other[K % Other.size()];
    Asked.push_back(std::move(Other));
  }
  for (const Outcome &O : Asked) {
    const RandomProgram Asserting = asserting(Text, O);
    if (std::string Problem = problemOf(Asserting, Buffers, Relaxed.All.count(O) > 0, Sum, Show); !Problem.empty())
      return Problem + " in\n" + Asserting.text();
  }
  return "";
}

void expectAgreement(MemoryModel Buffers, const testing::Palette &From, unsigned Programs, unsigned Seed,
                     unsigned MaxThreads = 3, unsigned MaxStatements = 5, bool Show = true) {
  Programs = testing::programsOr(Programs);
  std::mt19937 Random(testing::seedOr(Seed));
  Counts Sum;
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram P = testing::makeProgram(Random, From, MaxThreads, MaxStatements);
    std::string Problem = problemOf(P, Buffers, Sum, Show);
    if (Problem.empty())
      continue;
    P = testing::smallest(P, [&](const RandomProgram &Candidate) { return problemOf(Candidate, Buffers, Sum, Show); });
    Problem = problemOf(P, Buffers, Sum, Show);
    FAIL() << "program " << K << ": " << Problem << "\n" << P.text();
  }
  EXPECT_GE(Sum.Violations, testing::atLeast(0.5, Programs)) << "about every other assertion should fail";
  EXPECT_GE(Sum.NotRobust, testing::atLeast(0.01, Programs)) << "some programs should not be robust";
  EXPECT_GE(Sum.Extended, testing::atLeast(0.01, Programs)) << "some programs should need delays";
  EXPECT_LE(Sum.Unsure, Buffers == MemoryModel::TSO ? 0 : Programs / 10) << "robustness should nearly always be known";
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Fences = {Statement::Store,     Statement::Load,        Statement::Copy,
                                 Statement::FullFence, Statement::StoreSeqCst, Statement::StoreRelease,
                                 Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,    Statement::Store,       Statement::Load,     Statement::Load,
                                  Statement::FetchAdd, Statement::CompareSwap, Statement::Exchange, Statement::Guarded};
const testing::Palette Locks = {Statement::Store, Statement::Store,     Statement::Load,
                                Statement::Load,  Statement::LockedAdd, Statement::TryLocked};
const testing::Palette Awaits = {Statement::Store, Statement::Load, Statement::AwaitNot, Statement::StoreSeqCst,
                                 Statement::Copy};
const testing::Palette Mixed = {Statement::Store, Statement::Load, Statement::Narrow, Statement::FullFence,
                                Statement::Copy};
const testing::Palette Wide = {Statement::Store,    Statement::Load,    Statement::WideStore, Statement::WideLoad,
                               Statement::WideSwap, Statement::WideAdd, Statement::WidePlain, Statement::Half};

TEST(LazyTso, AgreesOnPlainAccesses) { expectAgreement(MemoryModel::TSO, Accesses, 500, 61); }
TEST(LazyTso, AgreesWithFences) { expectAgreement(MemoryModel::TSO, Fences, 500, 62); }
TEST(LazyTso, AgreesWithAtomics) { expectAgreement(MemoryModel::TSO, Atomics, 500, 63); }
TEST(LazyTso, AgreesWithLocks) { expectAgreement(MemoryModel::TSO, Locks, 300, 64); }
TEST(LazyTso, AgreesWithAwaits) { expectAgreement(MemoryModel::TSO, Awaits, 400, 65, 3, 4); }
TEST(LazyTso, AgreesWithAccessesOfSeveralSizes) { expectAgreement(MemoryModel::TSO, Mixed, 300, 66, 3, 4); }
TEST(LazyTso, AgreesWithAccessesOfSixteenBytes) { expectAgreement(MemoryModel::TSO, Wide, 300, 67, 3, 4); }

const testing::Palette Barriers = {Statement::Store,        Statement::Load,         Statement::Copy,
                                   Statement::ReleaseFence, Statement::StoreRelease, Statement::FullFence,
                                   Statement::Guarded};
const testing::Palette Updates = {Statement::Store,      Statement::Store,       Statement::Load,
                                  Statement::RelaxedAdd, Statement::RelaxedSwap, Statement::ReleaseFence,
                                  Statement::Guarded,    Statement::Exchange};
const testing::Palette ManyAwaits = {Statement::Store,      Statement::Store,      Statement::Load,
                                     Statement::AwaitNot,   Statement::AwaitOther, Statement::StoreRelease,
                                     Statement::RelaxedAdd, Statement::AwaitSwap};
const testing::Palette MixedBarriers = {Statement::Store,  Statement::Load,         Statement::Narrow,
                                        Statement::Narrow, Statement::StoreRelease, Statement::Copy};
constexpr MemoryModel Pso = MemoryModel::PSO;

TEST(LazyPso, AgreesOnPlainAccesses) { expectAgreement(Pso, Accesses, 500, 71); }
TEST(LazyPso, AgreesWithBarriers) { expectAgreement(Pso, Barriers, 500, 72); }
TEST(LazyPso, AgreesWithFences) { expectAgreement(Pso, Fences, 400, 73); }
TEST(LazyPso, AgreesWithUpdates) { expectAgreement(Pso, Updates, 500, 74); }
TEST(LazyPso, AgreesWithLocks) { expectAgreement(Pso, Locks, 300, 75); }
TEST(LazyPso, AgreesWithAwaits) { expectAgreement(Pso, ManyAwaits, 400, 76, 3, 4); }
TEST(LazyPso, AgreesWithAccessesOfSeveralSizes) { expectAgreement(Pso, MixedBarriers, 300, 77, 3, 4); }
TEST(LazyPso, AgreesWithAccessesOfSixteenBytes) { expectAgreement(Pso, Wide, 300, 78, 3, 4); }

/// What is wrong with the answer about a program with loops. Neither the search nor its judge need come to an end:
/// memory is what ends them.
std::string problemOfLooping(const Program &P, MemoryModel Buffers, Counts &Sum, unsigned &Decided) {
  constexpr uint64_t Enough = 8 << 20;
  ExplorationOptions Limits;
  Limits.MaxMemoryBytes = Enough;
  auto Soon = [] { return std::chrono::steady_clock::now() + std::chrono::seconds(60); };
  Limits.Deadline = Soon();
  Shown What;
  const LazyResult Lazy = checkLazily(P, Limits, Buffers, What);
  if (Lazy.What == Answer::Limit)
    return "";
  // A thread that repeats a loop of its own does so for longer than can be recorded.
  const bool CanBeShown = (Lazy.What != Answer::Violation || What.Bug) && (!What.NotRobust || What.Witness);
  if (std::string Problem = problemOf(P, Lazy, What, Sum, /*Again=*/true); CanBeShown && !Problem.empty())
    return Problem;
  StateSearchOptions Options;
  Options.Model = Buffers;
  Options.Reduce = false;
  Options.MaxMemoryBytes = Enough;
  Options.Deadline = Soon();
  StateSearchObserver Nobody;
  const StateSearchResult All = searchStates(P, Options, Nobody);
  const bool Bug = !All.Bugs.empty();
  if (!Bug && All.Ended != ExplorationResult::End::Everything)
    return "";
  ++Decided;
  if (Bug != (Lazy.What == Answer::Violation))
    return Bug ? "the search with buffers finds a bug" : "the search with buffers finds no bug";
  return "";
}

void expectAgreementOnLoops(MemoryModel Buffers, bool Barriers, unsigned Programs, unsigned Seed) {
  // As many as a minute is enough for, but no fewer than a busy machine has time for.
  const unsigned Least = 60, Most = testing::programsOr(Programs);
  const auto Enough = std::chrono::steady_clock::now() + std::chrono::seconds(50);
  std::mt19937 Random(testing::seedOr(Seed));
  Counts Sum;
  unsigned Decided = 0;
  for (Programs = 0; Programs < Most && (Programs < Least || std::chrono::steady_clock::now() < Enough); ++Programs) {
    const std::string Text = testing::makeLoopingProgram(Random, Barriers);
    const Program P = testing::compile(testing::requestForText(Text));
    ASSERT_EQ(problemOfLooping(P, Buffers, Sum, Decided), "") << "program " << Programs << "\n" << Text;
  }
  if (testing::isMeasured()) { // neither search has long for a program
    EXPECT_GE(Decided, testing::atLeast(0.5, Programs)) << "many programs should be decided by both";
    EXPECT_GE(Sum.Violations, testing::atLeast(0.2, Programs));
    EXPECT_GE(Sum.NotRobust, testing::atLeast(0.025, Programs));
  }
  ::testing::Test::RecordProperty("programs", static_cast<int>(Programs));
  ::testing::Test::RecordProperty("decided", static_cast<int>(Decided));
  ::testing::Test::RecordProperty("violations", static_cast<int>(Sum.Violations));
  ::testing::Test::RecordProperty("not robust", static_cast<int>(Sum.NotRobust));
}

/// Two workers walk through the states, if there is another core.
void expectSameOnTwoCores(MemoryModel Buffers, unsigned Programs, unsigned Seed) {
  Programs = testing::programsOr(Programs);
  std::mt19937 Random(testing::seedOr(Seed));
  unsigned Extended = 0;
  auto Compare = [&](const Program &P, const std::string &Text) {
    ExplorationOptions Alone;
    Alone.MaxMemoryBytes = 64 << 20;
    ExplorationOptions Together = Alone;
    SpareCores Spare(1);
    Together.Spare = &Spare;
    Together.StatesAlone = 0;
    Shown Short, Long;
    const LazyResult One = checkLazily(P, Alone, Buffers, Short), Two = checkLazily(P, Together, Buffers, Long);
    if (One.What == Answer::Limit || Two.What == Answer::Limit) // the memory is shared by two
      return;
    Extended += Two.Rounds > 1;
    ASSERT_EQ(One.What, Two.What) << Text;
    ASSERT_EQ(One.Robust, Two.Robust) << Text;
    ASSERT_EQ(Short.NotRobust, Long.NotRobust) << Text;
    ASSERT_TRUE(One.What != Answer::Verified || One.Delayed == Two.Delayed) << Text;
    ASSERT_EQ(Long.Bug.has_value(), One.What == Answer::Violation) << Text;
    ASSERT_TRUE(Spare.take()) << "the core was given back";
  };
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram Text = testing::makeProgram(Random, K % 2 ? Accesses : Fences, 3, 5);
    Text = asserting(Text, Outcome(Text.Threads.size() + 3, static_cast<int>(K / 2 % 2)));
    Compare(testing::compile(testing::requestForText(Text.text())), Text.text());
    if (::testing::Test::HasFatalFailure())
      return;
  }
  EXPECT_GE(Extended, testing::atLeast(0.01, Programs));
}

TEST(LazyTso, SaysTheSameOnTwoCores) { expectSameOnTwoCores(MemoryModel::TSO, 300, 81); }
TEST(LazyPso, SaysTheSameOnTwoCores) { expectSameOnTwoCores(Pso, 300, 82); }

TEST(LazyTso, AgreesOnLoopsWithoutBound) { expectAgreementOnLoops(MemoryModel::TSO, /*Barriers=*/false, 400, 67); }
/// The accesses of one thread are its own, so that it goes round in one step of the search, past many fences: more than
/// the bound with which the execution is replayed.
TEST(LazyPso, ALivelockOfManyFencesIsReplayed) {
  const Program P = testing::compile(testing::requestForText(R"(typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
volatile int v[3];
void *t0(void *p) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  return p;
}
void *t1(void *p) {
  for (;;) {
    (void)v[2];
    __atomic_store_n(&v[0], 1, __ATOMIC_RELEASE);
    (void)__atomic_exchange_n(&v[1], 2, __ATOMIC_RELAXED);
    if (v[1] == 1) break;
  }
  return p;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, t0, 0);
  pthread_create(&t[1], 0, t1, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
)"));
  Shown What;
  ASSERT_EQ(checkLazily(P, {}, Pso, What).What, Answer::Violation);
  ASSERT_TRUE(What.Bug);
  ASSERT_TRUE(What.Bug->GoesRound);
  for (unsigned Unroll : {2u, 1'000u, ~0u}) {
    MachineOptions Options;
    Options.Unroll = Unroll;
    const ReplayResult Again = replay(P, *What.Bug, Options);
    EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << Unroll << ": " << Again.Message;
  }
}

TEST(LazyPso, AgreesOnLoopsWithoutBound) { expectAgreementOnLoops(Pso, /*Barriers=*/true, 400, 78); }

} // namespace
} // namespace picket
