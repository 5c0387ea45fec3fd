// Random programs: a monitor of SC executions raises an alarm exactly if TSO (PSO) has a trace that SC has not.
#include "property/Environment.h"
#include "property/RandomProgram.h"
#include "robust/Witness.h"
#include "support/Explore.h"
#include "support/Recordings.h"
#include "support/Smallest.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::RandomProgram;
using testing::Statement;

/// Keeps what the exploration knew of sharing.
struct Known : ExplorationObserver {
  void ended(Execution &, Ending) override {}
  void finished(Configuration &C) override { Shared = C.machine().sharing(); }
  std::optional<Sharing> Shared;
};

/// Whether the alarm's store reaches memory after the overtaker and after the observer. In these programs every thread has
/// a function of its own, so that an instruction tells the thread.
bool isShown(const Recording &Run, const RobustnessAlarm &Alarm) {
  for (const TraceEvent &Store : Run.Events) {
    if (Store.Kind != EventKind::Store || Store.Partner == NoEvent || Store.Stack.back() != Alarm.Delayed.Pc)
      continue;
    auto ComesFirst = [&](uint32_t Pc) {
      for (uint32_t K = 0; K < Store.Partner; ++K) {
        const TraceEvent &E = Run.Events[K];
        const bool Lands = E.Kind == EventKind::Store && E.Partner != NoEvent;
        if (E.Stack.back() == Pc && (!Lands || E.Partner < Store.Partner))
          return true;
      }
      return false;
    };
    if (ComesFirst(Alarm.Overtaker.Pc) && ComesFirst(Alarm.Observer.Pc))
      return true;
  }
  return false;
}

/// What is wrong with the execution that shows an alarm.
std::string problemOfWitness(const Program &P, const Sharing &Shared, MemoryModel Buffers,
                             const RobustnessAlarm &Alarm) {
  MachineOptions Options;
  Options.Unroll = 4;
  std::optional<Recording> Run = findWitness(P, Options, Shared, Buffers, Alarm);
  if (!Run)
    return "the alarm cannot be shown\n";
  if (!isShown(*Run, Alarm))
    return "the execution does not delay the alarm's store\n";
  const Counterexample C = explain(std::move(*Run));
  if (C.Why.Edges.empty())
    return "the execution that shows the alarm is one of SC\n";
  if (std::string Problem = testing::problemOf(C); !Problem.empty())
    return Problem;
  ReplayResult Again = replay(P, C.Run, Options);
  return Again.Outcome == ReplayResult::SameBug ? "" : Again.Message;
}

/// What is wrong with the alarms of a program, empty if nothing.
std::string problemOf(const RandomProgram &P, unsigned *NotRobust = nullptr) {
  Program Compiled = testing::compile(testing::requestForText(P.text()));
  ExplorationOptions Options = testing::exhaustively(MemoryModel::SC, 4);
  ScMonitor Monitor;
  Options.Monitor = &Monitor;
  Known Seen;
  uint64_t Sc = exploreOptimally(Compiled, Options, Seen).Executions;
  std::string Problem;
  for (MemoryModel Which : monitoredModels()) {
    uint64_t Relaxed = testing::explore(Compiled, Which, 4).Executions;
    if (NotRobust)
      NotRobust[Which == MemoryModel::PSO] += Relaxed != Sc;
    if (Monitor.alarmed(Which) != (Relaxed != Sc))
      Problem += titleOf(Which) + (Monitor.alarmed(Which) ? ": alarm" : ": no alarm") + ", " + std::to_string(Relaxed) +
                 " traces instead of " + std::to_string(Sc) + "\n";
    for (const AlarmedPair *Pair : Monitor.sorted(Which))
      Problem += problemOfWitness(Compiled, *Seen.Shared, Which, Pair->Shortest);
  }
  return Problem;
}

void expectExactAlarms(const testing::Palette &From, unsigned Programs, unsigned Seed, unsigned MaxThreads,
                       unsigned MaxStatements) {
  Programs = testing::programsOr(Programs);
  std::mt19937 Random(testing::seedOr(Seed));
  unsigned NotRobust[2] = {0, 0};
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram P = testing::makeProgram(Random, From, MaxThreads, MaxStatements);
    if (problemOf(P, NotRobust).empty())
      continue;
    const RandomProgram Small =
        testing::smallest(P, [](const RandomProgram &Candidate) { return problemOf(Candidate); });
    FAIL() << "program " << K << ":\n" << problemOf(Small) << Small.text();
  }
  for (unsigned Count : NotRobust) {
    EXPECT_GE(Count, testing::atLeast(0.01, Programs)) << "some programs should not be robust";
    EXPECT_LE(Count, Programs - testing::atLeast(0.01, Programs)) << "some programs should be robust";
  }
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Fences = {Statement::Store,        Statement::Load,        Statement::Copy,
                                 Statement::FullFence,    Statement::StoreSeqCst, Statement::ReleaseFence,
                                 Statement::StoreRelease, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,      Statement::Store,       Statement::Load,
                                  Statement::Load,       Statement::FetchAdd,    Statement::CompareSwap,
                                  Statement::RelaxedAdd, Statement::ReleaseFence};
const testing::Palette Locks = {Statement::Store, Statement::Store,     Statement::Load,
                                Statement::Load,  Statement::LockedAdd, Statement::TryLocked};
const testing::Palette Awaits = {Statement::Store, Statement::Load, Statement::AwaitNot, Statement::StoreSeqCst,
                                 Statement::Copy};
const testing::Palette Mixed = {Statement::Store, Statement::Load, Statement::Narrow, Statement::FullFence,
                                Statement::Copy};
const testing::Palette Wide = {Statement::Store,    Statement::Load,    Statement::WideStore, Statement::WideLoad,
                               Statement::WideSwap, Statement::WideAdd, Statement::WidePlain, Statement::Half};

TEST(Monitors, AreExactOnPlainAccesses) { expectExactAlarms(Accesses, 500, 51, 3, 4); }
TEST(Monitors, AreExactWithFences) { expectExactAlarms(Fences, 700, 52, 3, 5); }
TEST(Monitors, AreExactWithAtomics) { expectExactAlarms(Atomics, 700, 53, 3, 5); }
TEST(Monitors, AreExactWithLocks) { expectExactAlarms(Locks, 300, 54, 3, 5); }
TEST(Monitors, AreExactWithAwaits) { expectExactAlarms(Awaits, 500, 55, 3, 4); }
TEST(Monitors, AreExactWithAccessesOfSeveralSizes) { expectExactAlarms(Mixed, 300, 56, 3, 4); }
TEST(Monitors, AreExactWithAccessesOfSixteenBytes) { expectExactAlarms(Wide, 300, 57, 3, 4); }

} // namespace
} // namespace picket
