// Exploring one execution per reads-from relation sees exactly the relations that the executions of the store-buffer
// explorer have, each once, and the same bugs. Where something depends on coherence, checks explore by traces all the
// same, and come out as those by traces do.
#include "check/Check.h"
#include "property/AccessTraces.h"
#include "property/Environment.h"
#include "support/Smallest.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

#include <functional>
#include <tuple>

namespace picket {
namespace {

using testing::RandomProgram;
using testing::SharedVariables;
using testing::Statement;
using testing::Trace;

/// By kind: of several threads that hang, either may be blamed.
using Bugs = std::set<BugKind>;

template <typename Listener> struct WithBugs : Listener {
  using Listener::Listener;
  Bugs Found;

  void note(Machine &M, Ending How) {
    if (How == Ending::Buggy)
      for (const BugReport &B : M.bugs())
        Found.insert(B.Kind);
  }
  void restarted() override {
    Listener::restarted();
    Found.clear();
  }
};

struct InOrder : WithBugs<testing::InOrder> {
  using WithBugs::WithBugs;
  void ended(Execution &E, Ending How) override {
    testing::InOrder::ended(E, How);
    note(E.configuration().machine(), How);
  }
};

struct Graphs : WithBugs<testing::Graphs> {
  using WithBugs::WithBugs;
  void ended(GraphRun &Run, Ending How) override {
    testing::Graphs::ended(Run, How);
    note(Run.machine(), How);
  }
};

/// What is left of traces without coherence.
std::vector<Trace> readsFrom(std::vector<Trace> Traces) {
  for (Trace &T : Traces)
    for (auto &[Name, Access] : T)
      if (!Access.Reads)
        Access.From = testing::Nobody;
  return Traces;
}

ExplorationOptions optionsFor(MemoryModel Model) {
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Model = Model;
  return Options;
}

std::string problemOf(const RandomProgram &P, MemoryModel Model) {
  std::optional<Program> Compiled = testing::compileRandom(P.text());
  if (!Compiled)
    return "does not compile";
  SharedVariables Shared(*Compiled);
  ExplorationOptions Options = optionsFor(Model);
  InOrder Expected(Shared);
  ExplorationOptions Shown = Options;
  Shown.Machine.ShowAll = true; // also what only one thread accesses
  const ExplorationResult Finer = exploreOptimally(*Compiled, Shown, Expected);
  Options.OnePer = Equivalence::ReadsFrom;
  Graphs Found(Shared);
  const ExplorationResult Result = exploreGraphs(*Compiled, Model, Options, Found);
  unsigned Missing = 0, Unknown = 0, Twice = 0;
  const std::map<Trace, unsigned> Seen = testing::count(readsFrom(Found.Traces), Shared),
                                  Known = testing::count(readsFrom(Expected.Traces), Shared);
  for (const auto &[T, Times] : Seen) {
    Unknown += !Known.count(T);
    Twice += Times - 1;
  }
  for (const auto &[T, Times] : Known)
    Missing += !Seen.count(T);
  if (!Missing && !Unknown && !Twice && !Result.FailedWakeups && Result.Executions <= Finer.Executions &&
      Found.Found == Expected.Found && Result.Ended == ExplorationResult::End::Everything)
    return "";
  return "of " + std::to_string(Known.size()) + " relations " + std::to_string(Missing) + " are missing, " +
         std::to_string(Unknown) + " should not be there, " + std::to_string(Twice) + " were seen again, " +
         std::to_string(Result.FailedWakeups) + " failed wakeups, " + std::to_string(Result.Executions) + " of " +
         std::to_string(Finer.Executions) + " executions, " + std::to_string(Found.Found.size()) + " of " +
         std::to_string(Expected.Found.size()) + " bugs; " + Result.Reason + "\n";
}

/// What an empty sentence says is right.
using Problem = std::function<std::string(const RandomProgram &)>;

void expectNone(const Problem &ProblemOf, const testing::Palette &From, unsigned Programs, unsigned Seed,
                const std::string &First, const std::string &Last) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram P = testing::makeProgram(Random, From, 4, 5);
    P.First = First;
    P.Last = Last;
    if (ProblemOf(P).empty())
      continue;
    P = testing::smallest(P, [&](const RandomProgram &Candidate) { return ProblemOf(Candidate); });
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << ProblemOf(P) << P.text();
  }
}

void expectSameReads(const testing::Palette &From, MemoryModel Model, unsigned Programs, unsigned Seed,
                     const std::string &Last = "") {
  expectNone([&](const RandomProgram &P) { return problemOf(P, Model); }, From, Programs, Seed, "", Last);
}

ModelReport checkBy(Equivalence OnePer, const Program &P, MemoryModel Which, bool Exhaustive) {
  CheckOptions Options;
  Options.Models = {Which};
  Options.OnePer = OnePer;
  Options.Exhaustive = Exhaustive;
  Options.Monitor = false;
  Options.Jobs = 1;
  CompileResult Compiled;
  Compiled.Compiled = P;
  return checkCompiled("/random.c", std::move(Compiled), Options).Models.front();
}

std::set<std::tuple<std::string, uint32_t, std::string>> bugsOf(const ModelReport &M) {
  std::set<std::tuple<std::string, uint32_t, std::string>> All;
  for (const Bug &B : M.Bugs)
    All.insert({nameOf(B.Kind), B.Where.Line, B.Thread});
  return All;
}

std::string bugsText(const ModelReport &M) {
  std::string Text;
  for (const auto &[Kind, Line, Thread] : bugsOf(M))
    Text += " " + Kind + " of " + Thread + " in line " + std::to_string(Line);
  return Text + "; ";
}

/// How many checks there were, and how many of them were by traces.
struct Checked {
  unsigned All = 0, ByTraces = 0;
};

/// Whole checks, exhaustive ones and others.
std::string problemOfCheck(const RandomProgram &P, MemoryModel Which, Checked &Counts) {
  std::optional<Program> Compiled = testing::compileRandom(P.text());
  if (!Compiled)
    return "does not compile";
  for (bool Exhaustive : {true, false}) {
    const ModelReport Finer = checkBy(Equivalence::ShashaSnir, *Compiled, Which, Exhaustive);
    const ModelReport Coarser = checkBy(Equivalence::ReadsFrom, *Compiled, Which, Exhaustive);
    ++Counts.All;
    Counts.ByTraces += Coarser.OnePer == Equivalence::ShashaSnir;
    bool Wrong = Finer.Result != Coarser.Result || Coarser.WhyNotReadsFrom.find("could not") != std::string::npos ||
                 Coarser.WhyNotReadsFrom.empty() == (Coarser.OnePer == Equivalence::ShashaSnir) ||
                 (Exhaustive && (Coarser.Executions > Finer.Executions || bugsOf(Finer) != bugsOf(Coarser)));
    std::string Replayed;
    for (const Bug &B : Coarser.Bugs)
      if (B.Trace && Coarser.OnePer == Equivalence::ReadsFrom)
        if (const ReplayResult Again = replay(*Compiled, B.Trace->Run, MachineOptions());
            Again.Outcome != ReplayResult::SameBug)
          Replayed += "not replayed: " + B.Message + " " + Again.Message + "; ";
    if (Wrong || !Replayed.empty())
      return std::string(nameOf(Finer.Result)) + " by traces, " + nameOf(Coarser.Result) + " by relations; " +
             std::to_string(Coarser.Executions) + " of " + std::to_string(Finer.Executions) + " executions;" +
             bugsText(Finer) + "by relations" + bugsText(Coarser) + Replayed + Coarser.WhyNotReadsFrom +
             (Exhaustive ? "\n" : ", to the first bug\n");
  }
  return "";
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,      Statement::Load,        Statement::FetchAdd,
                                  Statement::Exchange,   Statement::CompareSwap, Statement::Guarded,
                                  Statement::RelaxedAdd, Statement::RelaxedSwap};
const testing::Palette Locks = {Statement::Store, Statement::Load, Statement::LockedAdd, Statement::Guarded};
const testing::Palette Awaits = {Statement::Store, Statement::Load,     Statement::AwaitNot,
                                 Statement::Copy,  Statement::FetchAdd, Statement::RelaxedAdd};
const testing::Palette Fences = {Statement::Store,        Statement::Load,        Statement::FullFence,
                                 Statement::ReleaseFence, Statement::StoreSeqCst, Statement::StoreRelease,
                                 Statement::Guarded,      Statement::RelaxedAdd};
const testing::Palette Everything = {Statement::Store,        Statement::Load,         Statement::Copy,
                                     Statement::FetchAdd,     Statement::Exchange,     Statement::CompareSwap,
                                     Statement::Guarded,      Statement::LockedAdd,    Statement::AwaitNot,
                                     Statement::FullFence,    Statement::ReleaseFence, Statement::StoreSeqCst,
                                     Statement::StoreRelease, Statement::RelaxedAdd};

const testing::Palette Loops = {Statement::Store,     Statement::Store,     Statement::Load,     Statement::AwaitOther,
                                Statement::AwaitBoth, Statement::AwaitSwap, Statement::AwaitNot, Statement::Guarded,
                                Statement::FetchAdd,  Statement::AssertNot};
const testing::Palette SingleLoops = {Statement::Store,     Statement::Store,     Statement::Load,
                                      Statement::AwaitSwap, Statement::AwaitNot,  Statement::Guarded,
                                      Statement::FetchAdd,  Statement::AssertNot, Statement::LockedAdd};
const testing::Palette Blocks = {Statement::Store,    Statement::Load,      Statement::Guarded,
                                 Statement::UseBlock, Statement::FreeBlock, Statement::LeaveLocal,
                                 Statement::UseLocal, Statement::AssertNot};
const testing::Palette HeapLocks = {Statement::Store,        Statement::Guarded,   Statement::UseHeapLock,
                                    Statement::PostOrWait,   Statement::AwaitNot,  Statement::LastOut,
                                    Statement::FreeHeapLock, Statement::AssertNot, Statement::UseHeapLock};
const testing::Palette FreedLater = {Statement::Store,      Statement::Guarded,  Statement::UseHeapLock,
                                     Statement::PostOrWait, Statement::UseBlock, Statement::AssertNot};

class ReadsFrom : public ::testing::TestWithParam<MemoryModel> {
protected:
  Checked expectSameChecks(const testing::Palette &From, unsigned Programs, unsigned Seed,
                           const std::string &Last = "") {
    const MemoryModel Which = GetParam();
    Checked Counts;
    expectNone([&](const RandomProgram &P) { return problemOfCheck(P, Which, Counts); }, From, Programs, Seed,
               testing::BlocksFirst, Last);
    return Counts;
  }
};

TEST_P(ReadsFrom, SeesTheRelationsOfPlainAccesses) { expectSameReads(Accesses, GetParam(), 400, 1); }
TEST_P(ReadsFrom, SeesTheRelationsOfAtomics) { expectSameReads(Atomics, GetParam(), 400, 2); }
TEST_P(ReadsFrom, SeesTheRelationsOfLocks) { expectSameReads(Locks, GetParam(), 200, 3); }
TEST_P(ReadsFrom, SeesTheRelationsOfAwaits) { expectSameReads(Awaits, GetParam(), 400, 4); }
TEST_P(ReadsFrom, SeesTheRelationsWithFences) { expectSameReads(Fences, GetParam(), 400, 5); }
TEST_P(ReadsFrom, SeesTheRelationsOfEverythingTogether) { expectSameReads(Everything, GetParam(), 400, 6); }
TEST_P(ReadsFrom, FindsTheBugsThatDependOnTheLastWrites) {
  expectSameReads(Everything, GetParam(), 300, 7, "  extern void abort(void);\n  if (v[0] + v[1] == 3) abort();\n");
}

TEST_P(ReadsFrom, ChecksLoops) {
  const Checked Sum = expectSameChecks(Loops, 200, 8);
  EXPECT_GE(Sum.All - Sum.ByTraces, testing::atLeast(0.4, Sum.All));
}
TEST_P(ReadsFrom, ChecksLoopsWithOneLoad) { EXPECT_EQ(expectSameChecks(SingleLoops, 200, 9).ByTraces, 0u); }
TEST_P(ReadsFrom, ChecksMemoryThatEnds) {
  const Checked Sum = expectSameChecks(Blocks, 200, 10);
  EXPECT_GE(Sum.ByTraces, testing::atLeast(0.11, Sum.All));
}
TEST_P(ReadsFrom, ChecksLocksInMemoryThatEnds) {
  const Checked Sum = expectSameChecks(HeapLocks, 200, 11);
  EXPECT_GE(Sum.ByTraces, testing::atLeast(0.11, Sum.All));
}
TEST_P(ReadsFrom, ChecksMemoryThatEndsAfterAllElse) {
  EXPECT_EQ(expectSameChecks(FreedLater, 200, 12, "  free((void *)block);\n  free(h);\n").ByTraces, 0u);
}

INSTANTIATE_TEST_SUITE_P(Models, ReadsFrom, ::testing::Values(MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO),
                         [](const auto &Info) { return titleOf(Info.param); });

} // namespace
} // namespace picket
