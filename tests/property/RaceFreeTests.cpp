// Random programs that the monitor of data-race freedom finds race-free have as many executions under C11, ARM64 and
// POWER, explored as graphs, as under SC, and none that goes wrong. Those of SC are all among them, so they are the same.
#include "check/RaceFreeCheck.h"

#include "explore/Rsmc.h"
#include "property/C11Program.h"
#include "property/Environment.h"
#include "support/Explore.h"
#include "support/Smallest.h"

#include <gtest/gtest.h>

#include <iostream>

namespace picket {
namespace {

using testing::C11Program;
using S = testing::C11Statement;
using Palette = testing::C11Palette;

class Silent : public ExplorationObserver {
  void ended(Execution &, Ending) override {}
};

class Graphs : public GraphObserver {
public:
  void ended(GraphRun &, Ending How) override { GoesWrong |= How == Ending::Buggy; }
  void restarted() override { GoesWrong = false; }
  bool GoesWrong = false;
};

struct Totals {
  uint64_t Programs = 0, RaceFree = 0, Executions = 0;
};

/// What SC says wrongly about the other models; empty if nothing.
std::string problemOf(const C11Program &Given, Totals &Sum) {
  const Program P = testing::compile(testing::requestForText(Given.text()));
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Silent Observer;
  const std::optional<ExplorationResult> BySc = exploreRaceFree(P, Options, Observer);
  ++Sum.Programs;
  if (!BySc)
    return "";
  ++Sum.RaceFree;
  Sum.Executions += BySc->Executions;
  std::string Problem;
  for (const MemoryModel M : {MemoryModel::C11, MemoryModel::Armv8, MemoryModel::Power, MemoryModel::SC}) {
    Graphs Seen;
    const ExplorationResult Result = exploreGraphs(P, graphModelOf(M, LanguageRules()), Options, Seen);
    if (Seen.GoesWrong)
      Problem += titleOf(M) + " goes wrong\n";
    if (Result.Executions != BySc->Executions)
      Problem += titleOf(M) + ": " + std::to_string(Result.Executions) + " executions instead of " +
                 std::to_string(BySc->Executions) + "\n";
  }
  return Problem;
}

/// `Least`: the share of programs that have to be race-free for this to mean something.
void expectExecutionsOfSc(const Palette &From, double Least, unsigned Seed, unsigned Programs = 500) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  Totals Sum;
  for (unsigned K = 0; K < Programs; ++K) {
    C11Program P = makeC11Program(Random, From);
    if (problemOf(P, Sum).empty())
      continue;
    Totals Ignored;
    P = testing::smallest(P, [&](const C11Program &Candidate) { return problemOf(Candidate, Ignored); });
    ADD_FAILURE() << "program " << K << " of seed " << Seed << ":\n" << problemOf(P, Ignored) << P.text();
    return;
  }
  std::cout << Sum.RaceFree << " of " << Sum.Programs << " programs are race-free, with " << Sum.Executions
            << " executions\n";
  EXPECT_GE(Sum.RaceFree, testing::atLeast(Least, Sum.Programs));
}

TEST(RaceFree, SeqCst) {
  expectExecutionsOfSc(
      {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap, S::Fence, S::If}, .Orders = {S::SeqCst}},
      .5, 1);
}
TEST(RaceFree, SeqCstWithOthers) {
  expectExecutionsOfSc({.Kinds = {S::Load, S::Store, S::FetchAdd, S::CompareSwap, S::If},
                        .Orders = {S::SeqCst, S::SeqCst, S::SeqCst, S::SeqCst, S::NotAtomic, S::Acquire, S::Release},
                        .Variables = 3,
                        .Accesses = 6},
                       .05, 2);
}
TEST(RaceFree, Locks) {
  expectExecutionsOfSc({.Kinds = {S::Load, S::Store, S::Locked, S::Locked, S::Locked, S::TryLocked, S::If},
                        .Orders = {S::NotAtomic, S::NotAtomic, S::SeqCst, S::Relaxed}},
                       .05, 3);
}
TEST(RaceFree, LocksAndSeqCst) {
  expectExecutionsOfSc({.Kinds = {S::Load, S::Store, S::FetchAdd, S::Locked, S::TryLocked}, .Orders = {S::SeqCst}}, .5,
                       4);
}
TEST(RaceFree, Awaits) {
  expectExecutionsOfSc(
      {.Kinds = {S::Load, S::Store, S::Store, S::Await, S::Await, S::CompareSwap, S::If},
       .Orders = {S::SeqCst, S::SeqCst, S::SeqCst, S::Acquire, S::Release, S::Release, S::NotAtomic, S::AcqRel}},
      .05, 5, 1000);
}
TEST(RaceFree, MessagePassing) { // of what is not seq_cst at all
  expectExecutionsOfSc({.Kinds = {S::Store, S::Load, S::Await, S::Await, S::FetchAdd},
                        .Orders = {S::Acquire, S::Release, S::AcqRel, S::NotAtomic, S::Relaxed},
                        .Variables = 3},
                       .02, 6, 1500);
}
TEST(RaceFree, Free) {
  expectExecutionsOfSc({.Kinds = {S::Load, S::Store, S::Free, S::Locked, S::Locked, S::Await, S::Await, S::If},
                        .Orders = {S::SeqCst, S::SeqCst, S::NotAtomic, S::Release},
                        .WithBlock = true,
                        .Accesses = 6},
                       .02, 7, 1000);
}
TEST(RaceFree, Everything) {
  expectExecutionsOfSc({.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap, S::Fence, S::Locked,
                                  S::TryLocked, S::Await, S::If, S::Free, S::Section},
                        .Orders = {S::SeqCst, S::SeqCst, S::SeqCst, S::SeqCst, S::SeqCst, S::SeqCst, S::AcqRel,
                                   S::Relaxed, S::NotAtomic},
                        .WithBlock = true},
                       .1, 8, 1000);
}

} // namespace
} // namespace picket
