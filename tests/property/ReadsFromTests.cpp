// Exploring one execution per reads-from relation sees exactly the relations that the executions of the store-buffer
// explorer have, each once, and the same bugs.
#include "property/AccessTraces.h"

#include <gtest/gtest.h>

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

ExplorationOptions optionsFor(AxiomaticModel Model) {
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Buffers = Model == AxiomaticModel::SC    ? Buffering::None
                    : Model == AxiomaticModel::TSO ? Buffering::Fifo
                                                   : Buffering::PerLocation;
  return Options;
}

std::string problemOf(const RandomProgram &P, AxiomaticModel Model) {
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

void expectSameReads(const testing::Palette &From, AxiomaticModel Model, unsigned Programs, unsigned Seed,
                     const std::string &Last = "") {
  if (const char *More = std::getenv("PICKET_RANDOM_PROGRAMS"))
    Programs = static_cast<unsigned>(std::atoi(More));
  if (const char *Other = std::getenv("PICKET_RANDOM_SEED"))
    Seed = static_cast<unsigned>(std::atoi(Other));
  std::mt19937 Random(Seed);
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram P = testing::makeProgram(Random, From, 4, 5);
    P.Last = Last;
    if (problemOf(P, Model).empty())
      continue;
    for (bool Smaller = true; Smaller;) {
      Smaller = false;
      for (const RandomProgram &Candidate : testing::shrinks(P))
        if (!problemOf(Candidate, Model).empty()) {
          P = Candidate;
          Smaller = true;
          break;
        }
    }
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << problemOf(P, Model) << P.text();
  }
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

class ReadsFrom : public ::testing::TestWithParam<AxiomaticModel> {};

TEST_P(ReadsFrom, SeesTheRelationsOfPlainAccesses) { expectSameReads(Accesses, GetParam(), 400, 1); }
TEST_P(ReadsFrom, SeesTheRelationsOfAtomics) { expectSameReads(Atomics, GetParam(), 400, 2); }
TEST_P(ReadsFrom, SeesTheRelationsOfLocks) { expectSameReads(Locks, GetParam(), 200, 3); }
TEST_P(ReadsFrom, SeesTheRelationsOfAwaits) { expectSameReads(Awaits, GetParam(), 400, 4); }
TEST_P(ReadsFrom, SeesTheRelationsWithFences) { expectSameReads(Fences, GetParam(), 400, 5); }
TEST_P(ReadsFrom, SeesTheRelationsOfEverythingTogether) { expectSameReads(Everything, GetParam(), 400, 6); }
TEST_P(ReadsFrom, FindsTheBugsThatDependOnTheLastWrites) {
  expectSameReads(Everything, GetParam(), 300, 7, "  extern void abort(void);\n  if (v[0] + v[1] == 3) abort();\n");
}

INSTANTIATE_TEST_SUITE_P(
    Models, ReadsFrom, ::testing::Values(AxiomaticModel::SC, AxiomaticModel::TSO, AxiomaticModel::PSO),
    [](const auto &Info) {
      return std::string(Info.param == AxiomaticModel::SC ? "SC" : Info.param == AxiomaticModel::TSO ? "TSO" : "PSO");
    });

} // namespace
} // namespace picket
