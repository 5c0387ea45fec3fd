// The graph explorer, given SC, TSO and PSO as axioms, sees exactly the traces that the store-buffer explorer sees. The
// two share the machine and nothing else: neither memory nor exploration.
#include "property/AccessTraces.h"
#include "property/Environment.h"
#include "support/Smallest.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::Graphs;
using testing::InOrder;
using testing::RandomProgram;
using testing::SharedVariables;
using testing::Statement;
using testing::Trace;

std::string problemOf(const RandomProgram &P, MemoryModel Model) {
  std::optional<Program> Compiled = testing::compileRandom(P.text());
  if (!Compiled)
    return "does not compile";
  SharedVariables Shared(*Compiled);
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Model = Model;
  InOrder Expected(Shared);
  ExplorationOptions Shown = Options;
  Shown.Machine.ShowAll = true; // also what only one thread accesses
  exploreOptimally(*Compiled, Shown, Expected);
  Graphs Found(Shared);
  ExplorationResult Result = exploreGraphs(*Compiled, Model, Options, Found);
  unsigned Missing = 0, Unknown = 0, Twice = 0;
  std::map<Trace, unsigned> Seen = testing::count(Found.Traces, Shared),
                            Known = testing::count(Expected.Traces, Shared);
  for (const auto &[T, Times] : Seen) {
    Unknown += !Known.count(T);
    Twice += Times - 1;
  }
  for (const auto &[T, Times] : Known)
    Missing += !Seen.count(T);
  if (!Missing && !Unknown && !Twice && !Result.FailedWakeups && Result.Ended == ExplorationResult::End::Everything)
    return "";
  return "of " + std::to_string(Known.size()) + " traces " + std::to_string(Missing) + " are missing, " +
         std::to_string(Unknown) + " should not be there, " + std::to_string(Twice) + " were seen again, " +
         std::to_string(Result.FailedWakeups) + " failed wakeups " + Result.Reason + "\n";
}

void expectSameTraces(const testing::Palette &From, MemoryModel Model, unsigned Programs, unsigned Seed) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram P = testing::makeProgram(Random, From, 3, 5);
    if (problemOf(P, Model).empty())
      continue;
    P = testing::smallest(P, [&](const RandomProgram &Candidate) { return problemOf(Candidate, Model); });
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << problemOf(P, Model) << P.text();
  }
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,       Statement::Load,    Statement::FetchAdd,  Statement::Exchange,
                                  Statement::CompareSwap, Statement::Guarded, Statement::RelaxedAdd};
const testing::Palette Locks = {Statement::Store, Statement::Load, Statement::LockedAdd, Statement::Guarded};
const testing::Palette Awaits = {Statement::Store, Statement::Load,     Statement::AwaitNot,
                                 Statement::Copy,  Statement::FetchAdd, Statement::RelaxedAdd};
const testing::Palette Fences = {Statement::Store,        Statement::Load,        Statement::FullFence,
                                 Statement::ReleaseFence, Statement::StoreSeqCst, Statement::StoreRelease,
                                 Statement::Guarded,      Statement::RelaxedAdd};

class Rsmc : public ::testing::TestWithParam<MemoryModel> {};

TEST_P(Rsmc, SeesTheTracesOfPlainAccesses) { expectSameTraces(Accesses, GetParam(), 400, 1); }
TEST_P(Rsmc, SeesTheTracesOfAtomics) { expectSameTraces(Atomics, GetParam(), 300, 2); }
TEST_P(Rsmc, SeesTheTracesOfLocks) { expectSameTraces(Locks, GetParam(), 200, 3); }
TEST_P(Rsmc, SeesTheTracesOfAwaits) { expectSameTraces(Awaits, GetParam(), 300, 4); }
TEST_P(Rsmc, SeesTheTracesWithFences) { expectSameTraces(Fences, GetParam(), 300, 5); }

INSTANTIATE_TEST_SUITE_P(Models, Rsmc, ::testing::Values(MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO),
                         [](const auto &Info) { return titleOf(Info.param); });

} // namespace
} // namespace picket
