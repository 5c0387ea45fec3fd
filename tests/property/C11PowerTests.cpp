// C11 updates, locks, awaits and free under POWER, ARMv8 and C11: RSMC sees exactly the executions that the axioms, applied
// to every candidate, leave over, each once; and a use of freed memory, or a hang, where there is one.
#include "explore/Rsmc.h"
#include "property/C11BruteForce.h"
#include "property/Environment.h"
#include "support/Explore.h"
#include "support/Smallest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace picket {
namespace {

using testing::C11Program;
using S = testing::C11Statement;
using Palette = testing::C11Palette;
using Rules = testing::C11Rules;

class Executions : public GraphObserver {
public:
  Executions(const Program &Prog, size_t Threads) : Prog(Prog), Threads(Threads) {}

  void ended(GraphRun &Run, Ending How) override {
    FoundRaces |= !Run.races().empty();
    for (const BugReport &B : Run.machine().bugs()) {
      Found.UsesFreed |= B.Kind == BugKind::UseAfterFree;
      Found.Hangs |= B.Kind == BugKind::Hang || B.Kind == BugKind::Deadlock;
      Found.Races |= B.Kind == BugKind::DataRace;
      Others |= B.Kind != BugKind::DataRace && B.Kind != BugKind::UseAfterFree && B.Kind != BugKind::Hang &&
                B.Kind != BugKind::Deadlock;
    }
    if (How == Ending::Complete)
      add(Run.accesses());
    else
      Others |= How != Ending::Buggy;
  }
  void racing(GraphRun &Run) override { FoundRaces |= !Run.races().empty(); }
  void restarted() override {
    Found = testing::C11Executions();
    Others = FoundRaces = false;
  }

  testing::C11Executions Found;
  bool Others = false;     // bugs and endings of other kinds
  bool FoundRaces = false; // whether they end executions or not

private:
  static constexpr unsigned Nowhere = ~0u;

  unsigned locationOf(const GraphAccess &A) const {
    const uint32_t Slot = slotOf(A.Where);
    if (Slot - 1 >= Prog.Globals.size()) // but for its end
      return Prog.Code[A.Pc].Op != Opcode::CallBuiltin ? C11Program::Block : Nowhere;
    return Prog.Globals[Slot - 1].Name == "m" ? C11Program::Lock : offsetOf(A.Where) / 4;
  }

  void add(const std::vector<GraphAccess> &All) {
    testing::C11Execution X(Threads);
    auto Counts = [&](const GraphAccess &A) { return A.Thread > 0 && locationOf(A) != Nowhere; };
    auto IndexOf = [&](const GraphAccess &A) {
      return std::count_if(All.begin(), All.end(), [&](const GraphAccess &B) {
        return Counts(B) && B.Thread == A.Thread && B.Index < A.Index;
      });
    };
    for (const GraphAccess &A : All) {
      if (!Counts(A)) // main stores the handles of its threads
        continue;
      auto &Accesses = X[A.Thread - 1];
      const auto Index = static_cast<size_t>(IndexOf(A));
      Accesses.resize(std::max(Accesses.size(), Index + 1));
      const unsigned Location = locationOf(A);
      const bool HasValue = Location != C11Program::Lock;
      Accesses[Index] = {A.IsWrite, Location, HasValue ? static_cast<int>(A.Value) : 0, -1, -1, A.Position};
      if (!A.IsWrite && A.Source != ~0u) {
        Accesses[Index].SourceThread = static_cast<int>(All[A.Source].Thread) - 1;
        Accesses[Index].SourceIndex = static_cast<int>(IndexOf(All[A.Source]));
      }
    }
    ++Found.Complete[X];
  }

  const Program &Prog;
  const size_t Threads;
};

struct Totals {
  uint64_t Programs = 0, Executions = 0, UseFreed = 0, Hang = 0, Race = 0;
};

constexpr uint64_t MostCandidates = 30000;

/// What is wrong with the exploration of a program, with sets of events for executions of any length (Large) or others;
/// empty if nothing is.
std::string problemOf(const Program &P, size_t Threads, MemoryModel Model, bool Large,
                      const testing::C11Executions &Expected) {
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Machine.LargeGraphs = Large;
  Options.Machine.QuietAccesses = false; // every access is compared
  Executions Seen(P, Threads);
  const GraphModel Axioms = graphModelOf(Model, LanguageRules());
  const ExplorationResult Result = exploreGraphs(P, Axioms, Options, Seen);
  Executions WithoutEnd(P, Threads); // a race is no end
  Options.Machine.RacesGoOn = true;
  exploreGraphs(P, Axioms, Options, WithoutEnd);
  Options.Machine.RacesGoOn = false;
  Options.Machine.QuietAccesses = true;
  Executions Quiet(P, Threads);
  const ExplorationResult WithQuiet = exploreGraphs(P, Axioms, Options, Quiet);
  // Executions that take different paths to the same accesses look the same.
  unsigned Missing = 0, Unknown = 0, Twice = 0;
  for (const auto &[X, Times] : Seen.Found.Complete) {
    auto Known = Expected.Complete.find(X);
    if (Known == Expected.Complete.end())
      Unknown += Times;
    else if (Times > Known->second)
      Twice += Times - Known->second;
  }
  for (const auto &[X, Times] : Expected.Complete) {
    auto Met = Seen.Found.Complete.find(X);
    Missing += Times - std::min(Times, Met == Seen.Found.Complete.end() ? 0 : Met->second);
  }
  std::string Problem;
  auto Say = [&](bool If, const std::string &What) {
    Problem += If ? (Large ? "large sets: " : "") + What + "\n" : "";
  };
  // An execution ends at a data race, and what the thread would have done next is not there for others.
  if (Expected.Races)
    Missing = 0;
  Say(Missing, std::to_string(Missing) + " executions are missing");
  Say(Unknown, std::to_string(Unknown) + " executions should not be there");
  Say(Twice, std::to_string(Twice) + " executions were seen again");
  Say(Seen.Found.UsesFreed != Expected.UsesFreed,
      Expected.UsesFreed ? "a use of freed memory is missing" : "no freed memory is used");
  Say(Seen.Found.Hangs != Expected.Hangs && !(Expected.Races && Expected.Hangs),
      Expected.Hangs ? "a hang is missing" : "nobody waits for ever");
  Say(Seen.Found.Races != Expected.Races, Expected.Races ? "a data race is missing" : "there is no data race");
  Say(WithoutEnd.FoundRaces != Expected.Races,
      Expected.Races ? "a data race is missing where they go on" : "there is no data race, and they go on");
  Say(Seen.Others, "another ending");
  // What only one thread accesses need not be an access of the graph (C11).
  Say(!Expected.Races && WithQuiet.Executions != Result.Executions,
      std::to_string(WithQuiet.Executions) + " executions where threads keep accesses to themselves, " +
          std::to_string(Result.Executions) + " where they do not");
  Say(Quiet.Found.UsesFreed != Seen.Found.UsesFreed || Quiet.Found.Hangs != Seen.Found.Hangs ||
          Quiet.Found.Races != Seen.Found.Races || Quiet.Others != Seen.Others,
      "other bugs where threads keep accesses to themselves");
  // Up to the first bug.
  Options.Exhaustive = false;
  Executions First(P, Threads);
  exploreGraphs(P, Axioms, Options, First);
  const bool HasBug = Expected.UsesFreed || Expected.Hangs || Expected.Races;
  Say((First.Found.UsesFreed || First.Found.Hangs || First.Found.Races || First.Others) != HasBug,
      HasBug ? "no bug is found if one is enough" : "a bug is found if one is enough");
  Say(Result.FailedWakeups, "failed wakeups");
  Say(Result.Ended != ExplorationResult::End::Everything, Result.Reason);
  return Problem;
}

MemoryModel modelOf(Rules By) {
  switch (By) {
  case Rules::Power: return MemoryModel::Power;
  case Rules::C11: return MemoryModel::C11;
  case Rules::Sequential: return MemoryModel::SC;
  default: return MemoryModel::Armv8;
  }
}

/// The same with both; empty also if a program has too many candidates.
std::string problemOf(const C11Program &Given, Rules By, Totals &Sum) {
  const auto Expected = testing::bruteForce(Given, MostCandidates, By);
  if (!Expected)
    return "";
  std::vector<std::string> Flags;
  if (By == Rules::Armv8Exclusive)
    Flags.push_back("-fpicket-arm-march=armv8-a");
  const Program P = testing::compile(testing::requestForText(Given.text(), Flags));
  const MemoryModel Model = modelOf(By);
  ++Sum.Programs;
  Sum.Executions += Expected->Complete.size();
  Sum.UseFreed += Expected->UsesFreed;
  Sum.Hang += Expected->Hangs;
  Sum.Race += Expected->Races;
  return problemOf(P, Given.Threads.size(), Model, false, *Expected) +
         problemOf(P, Given.Threads.size(), Model, true, *Expected);
}

C11Program smallest(C11Program P, Rules By) {
  Totals Ignored;
  return testing::smallest(P, [&](const C11Program &Candidate) { return problemOf(Candidate, By, Ignored); });
}

Totals expectSameExecutions(const Palette &From, unsigned Programs, unsigned Seed, Rules By = Rules::Power) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  Totals Sum;
  for (unsigned K = 0; Sum.Programs < Programs; ++K) {
    C11Program P = makeC11Program(Random, From);
    if (problemOf(P, By, Sum).empty())
      continue;
    P = smallest(P, By);
    ADD_FAILURE() << "program " << K << " of seed " << Seed << ":\n" << problemOf(P, By, Sum) << P.text();
    return Sum;
  }
  std::cout << Sum.Programs << " programs, " << Sum.Executions << " executions; in " << Sum.UseFreed
            << " freed memory is used, " << Sum.Hang << " hang, " << Sum.Race << " have a data race\n";
  return Sum;
}

TEST(C11UnderPower, Updates) {
  const Totals Sum =
      expectSameExecutions({.Kinds = {S::Load, S::Store, S::FetchAdd, S::FetchAdd, S::Exchange}}, 500, 1);
  EXPECT_GE(Sum.Executions, testing::atLeast(5, Sum.Programs));
}
TEST(C11UnderPower, CompareAndSwap) {
  const Totals Sum =
      expectSameExecutions({.Kinds = {S::Load, S::Store, S::CompareSwap, S::CompareSwap, S::FetchAdd}}, 500, 2);
  EXPECT_GE(Sum.Executions, testing::atLeast(5, Sum.Programs));
}
TEST(C11UnderPower, RelaxedUpdatesOfThreeVariables) { // whose operands come late
  const Totals Sum = expectSameExecutions({.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap},
                                           .Orders = {S::Relaxed},
                                           .Ways = {S::Plain, S::Division, S::Floating},
                                           .Variables = 3},
                                          500, 3);
  EXPECT_GE(Sum.Executions, testing::atLeast(3, Sum.Programs));
}
TEST(C11UnderPower, FencesAndBranches) {
  const Totals Sum = expectSameExecutions(
      {.Kinds = {S::Load, S::Store, S::FetchAdd, S::CompareSwap, S::Fence, S::If}, .Variables = 3}, 500, 4);
  EXPECT_GE(Sum.Executions, testing::atLeast(2, Sum.Programs));
}
TEST(C11UnderPower, Locks) {
  const Totals Sum = expectSameExecutions(
      {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Locked, S::TryLocked, S::If, S::Fence}}, 500, 5);
  EXPECT_GE(Sum.Executions, testing::atLeast(2, Sum.Programs));
}
TEST(C11UnderPower, Awaits) {
  const Totals Sum = expectSameExecutions(
      {.Kinds = {S::Load, S::Store, S::Store, S::FetchAdd, S::CompareSwap, S::Await, S::If}}, 500, 6);
  EXPECT_GE(Sum.Executions, testing::atLeast(1, Sum.Programs));
  EXPECT_GE(Sum.Hang, testing::atLeast(1.0 / 5, Sum.Programs));
}
TEST(C11UnderPower, Free) {
  const Totals Sum = expectSameExecutions(
      {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap, S::Fence, S::If, S::Free},
       .WithBlock = true,
       .Accesses = 6},
      500, 7);
  EXPECT_GE(Sum.UseFreed, testing::atLeast(1.0 / 5, Sum.Programs));
}
TEST(C11UnderPower, Sections) {
  const Totals Sum = expectSameExecutions({.Kinds = {S::Load, S::Store, S::Section, S::Section}}, 500, 9);
  EXPECT_GE(Sum.Executions, testing::atLeast(3, Sum.Programs));
}
TEST(C11UnderPower, SectionsOfThreeVariables) {
  const Totals Sum = expectSameExecutions(
      {.Kinds = {S::Load, S::Store, S::Fence, S::Section}, .Orders = {S::Relaxed, S::Release}, .Variables = 3}, 500,
      10);
  EXPECT_GE(Sum.Executions, testing::atLeast(2, Sum.Programs));
}
TEST(C11UnderPower, SectionsWithUpdates) {
  const Totals Sum = expectSameExecutions(
      {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap, S::Fence, S::If, S::Section, S::Section},
       .Ways = {S::Plain, S::Division, S::Floating}},
      500, 11);
  EXPECT_GE(Sum.Executions, testing::atLeast(2, Sum.Programs));
}
TEST(C11UnderPower, SectionsAndWhatWaits) {
  const Totals Sum = expectSameExecutions(
      {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Locked, S::TryLocked, S::Await, S::If, S::Section, S::Section}},
      500, 12);
  EXPECT_GE(Sum.Hang, testing::atLeast(1.0 / 10, Sum.Programs));
}
TEST(C11UnderPower, SectionsAndFree) {
  const Totals Sum =
      expectSameExecutions({.Kinds = {S::Load, S::Store, S::CompareSwap, S::Fence, S::If, S::Free, S::Section},
                            .WithBlock = true,
                            .Accesses = 6},
                           500, 13);
  EXPECT_GE(Sum.UseFreed, testing::atLeast(1.0 / 10, Sum.Programs));
}
TEST(C11UnderPower, Everything) {
  const Totals Sum = expectSameExecutions({.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap,
                                                     S::Fence, S::If, S::Free, S::Locked, S::TryLocked, S::Await},
                                           .WithBlock = true,
                                           .Accesses = 6},
                                          700, 8);
  EXPECT_GE(Sum.UseFreed, testing::atLeast(1.0 / 10, Sum.Programs));
  EXPECT_GE(Sum.Hang, testing::atLeast(1.0 / 10, Sum.Programs));
}

void expectSameUnder(Rules By, const Palette &From, unsigned Seed) {
  const Totals Sum = expectSameExecutions(From, 150, Seed, By);
  EXPECT_GE(Sum.Executions + Sum.UseFreed + Sum.Hang, testing::atLeast(1, Sum.Programs));
}

TEST(C11UnderC11, Updates) {
  expectSameUnder(Rules::C11, {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap}}, 21);
}
TEST(C11UnderC11, FencesAndBranches) {
  expectSameUnder(Rules::C11, {.Kinds = {S::Load, S::Store, S::FetchAdd, S::CompareSwap, S::Fence, S::Fence, S::If}},
                  22);
}
TEST(C11UnderC11, SeqCst) {
  expectSameUnder(Rules::C11,
                  {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Fence}, .Orders = {S::SeqCst, S::SeqCst, S::Relaxed}},
                  23);
}
TEST(C11UnderC11, ThreeVariables) {
  expectSameUnder(Rules::C11, {.Kinds = {S::Load, S::Load, S::Store, S::Store, S::Fence}, .Variables = 3}, 24);
}
TEST(C11UnderC11, WaitingAndFree) {
  expectSameUnder(
      Rules::C11,
      {.Kinds = {S::Load, S::Store, S::CompareSwap, S::Fence, S::If, S::Free, S::Locked, S::TryLocked, S::Await},
       .WithBlock = true,
       .Accesses = 6},
      25);
}
/// Data races are found where the axioms say so, and nowhere else.
void expectSameRaces(Rules By, unsigned Seed) {
  const Totals Sum = expectSameExecutions(
      {.Kinds = {S::Load, S::Load, S::Store, S::Store, S::FetchAdd, S::CompareSwap, S::Fence, S::If, S::Locked,
                 S::Await},
       .Orders = {S::NotAtomic, S::NotAtomic, S::Relaxed, S::Acquire, S::Acquire, S::Release, S::Release, S::SeqCst},
       .Accesses = 6},
      300, Seed, By);
  EXPECT_GE(Sum.Race, testing::atLeast(1.0 / 10, Sum.Programs));
  EXPECT_LT(Sum.Race, Sum.Programs - Sum.Programs / 20);
}
TEST(C11UnderC11, DataRaces) { expectSameRaces(Rules::C11, 26); }
/// The same of executions of SC only.
TEST(C11UnderSc, DataRaces) { expectSameRaces(Rules::Sequential, 27); }
TEST(C11UnderSc, Executions) {
  expectSameExecutions({.Kinds = {S::Load, S::Store, S::FetchAdd, S::CompareSwap, S::Fence, S::If, S::Locked}}, 300, 28,
                       Rules::Sequential);
}
TEST(C11UnderArmv8, Updates) {
  expectSameUnder(Rules::Armv8, {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange}}, 31);
}
/// The write of an exchange may be read before the exchange has read.
TEST(C11UnderArmv8, Exchanges) {
  const Totals Sum = expectSameExecutions({.Kinds = {S::Load, S::Load, S::Store, S::Exchange, S::Exchange},
                                           .Orders = {S::Relaxed, S::Relaxed, S::Release},
                                           .Accesses = 6},
                                          400, 35, Rules::Armv8);
  EXPECT_GE(Sum.Executions, testing::atLeast(3, Sum.Programs));
}
TEST(C11UnderArmv8, ExchangesAndBranches) {
  expectSameUnder(Rules::Armv8,
                  {.Kinds = {S::Load, S::Store, S::Exchange, S::Exchange, S::Fence, S::If, S::Await, S::Free},
                   .Ways = {S::Plain, S::Division, S::Floating},
                   .Variables = 3,
                   .WithBlock = true,
                   .Accesses = 6},
                  36);
}
TEST(C11UnderArmv8, FencesAndBranches) {
  expectSameUnder(Rules::Armv8,
                  {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::Fence, S::If}, .Variables = 3}, 32);
}
TEST(C11UnderArmv8, Relaxed) { // a thread reads its own writes early
  expectSameUnder(
      Rules::Armv8,
      {.Kinds = {S::Load, S::Load, S::Store, S::Store, S::FetchAdd}, .Orders = {S::Relaxed, S::Relaxed, S::Release}},
      33);
}
TEST(C11UnderArmv8, WaitingAndFree) {
  expectSameUnder(
      Rules::Armv8,
      {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Fence, S::If, S::Free, S::Locked, S::TryLocked, S::Await},
       .WithBlock = true,
       .Accesses = 6},
      34);
}
TEST(C11UnderArmv8, RelaxedUpdatesOfThreeVariables) { // whose operands come late
  const Totals Sum = expectSameExecutions({.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap},
                                           .Orders = {S::Relaxed},
                                           .Ways = {S::Plain, S::Division, S::Floating},
                                           .Variables = 3},
                                          400, 41, Rules::Armv8);
  EXPECT_GE(Sum.Executions, testing::atLeast(2, Sum.Programs));
}
TEST(C11UnderArmv8, CompareAndSwap) {
  const Totals Sum = expectSameExecutions({.Kinds = {S::Load, S::Store, S::CompareSwap, S::CompareSwap, S::FetchAdd}},
                                          300, 37, Rules::Armv8);
  EXPECT_GE(Sum.Executions, testing::atLeast(3, Sum.Programs));
}
TEST(C11UnderArmv8, RelaxedCompareAndSwap) { // dependencies through the comparison
  const Totals Sum = expectSameExecutions({.Kinds = {S::Load, S::Store, S::CompareSwap, S::CompareSwap},
                                           .Orders = {S::Relaxed, S::Relaxed, S::Relaxed, S::Acquire, S::Release},
                                           .Variables = 3},
                                          400, 38, Rules::Armv8);
  EXPECT_GE(Sum.Executions, testing::atLeast(2, Sum.Programs));
}
TEST(C11UnderArmv8, Everything) {
  expectSameUnder(Rules::Armv8,
                  {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap, S::Fence, S::If, S::Free,
                             S::Locked, S::TryLocked, S::Await},
                   .Ways = {S::Plain, S::Division, S::Floating},
                   .Variables = 3,
                   .WithBlock = true,
                   .Accesses = 6},
                  39);
}
TEST(C11UnderArmv8, WithoutLseAndLdapr) {
  const Totals Sum = expectSameExecutions({.Kinds = {S::Load, S::Load, S::Store, S::Store, S::FetchAdd, S::Exchange,
                                                     S::CompareSwap, S::CompareSwap, S::Fence, S::If, S::Await},
                                           .Variables = 3},
                                          300, 40, Rules::Armv8Exclusive);
  EXPECT_GE(Sum.Executions, testing::atLeast(2, Sum.Programs));
}

// What is an execution of one model is one of a weaker model. All are explored as graphs.

std::map<testing::C11Execution, unsigned> executionsOf(const Program &P, size_t Threads, MemoryModel Model) {
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Machine.QuietAccesses = false;
  Executions Seen(P, Threads);
  const ExplorationResult Result = exploreGraphs(P, Model, Options, Seen);
  EXPECT_EQ(Result.Ended, ExplorationResult::End::Everything) << Result.Reason;
  return std::move(Seen.Found.Complete);
}

/// Whether an execution could have happened in an order that agrees with each thread's program order and in which reads
/// come after the writes they read. RC11 has no other ones.
bool hasOrder(const testing::C11Execution &X) {
  std::vector<size_t> Done(X.size(), 0);
  for (bool Goes = true; Goes;) {
    Goes = false;
    for (size_t T = 0; T < X.size(); ++T)
      if (Done[T] < X[T].size())
        if (const testing::C11Access &A = X[T][Done[T]];
            A.SourceThread < 0 || Done[static_cast<size_t>(A.SourceThread)] > static_cast<size_t>(A.SourceIndex)) {
          ++Done[T];
          Goes = true;
        }
  }
  for (size_t T = 0; T < X.size(); ++T)
    if (Done[T] < X[T].size())
      return false;
  return true;
}

/// The executions of a model that a weaker one does not have; empty if there are none.
std::string notIn(MemoryModel Weaker, MemoryModel Stronger, const C11Program &Given, uint64_t &Compared) {
  const Program P = testing::compile(testing::requestForText(Given.text()));
  const auto More = executionsOf(P, Given.Threads.size(), Weaker);
  unsigned Missing = 0;
  for (const auto &[X, Times] : executionsOf(P, Given.Threads.size(), Stronger)) {
    if (Weaker == MemoryModel::C11 && !hasOrder(X))
      continue;
    ++Compared;
    Missing += !More.contains(X);
  }
  return Missing ? std::to_string(Missing) + " executions of " + titleOf(Stronger) + " are none of " + titleOf(Weaker)
                 : "";
}

void expectWeaker(MemoryModel Weaker, const std::vector<MemoryModel> &Stronger, const Palette &From, unsigned Seed) {
  const unsigned Programs = testing::programsOr(200);
  std::mt19937 Random(testing::seedOr(Seed));
  uint64_t Compared = 0;
  for (unsigned K = 0; K < Programs; ++K) {
    C11Program P = makeC11Program(Random, From);
    for (const MemoryModel M : Stronger) {
      if (notIn(Weaker, M, P, Compared).empty())
        continue;
      uint64_t Ignored = 0;
      P = testing::smallest(P, [&](const C11Program &Candidate) { return notIn(Weaker, M, Candidate, Ignored); });
      FAIL() << "program " << K << ": " << notIn(Weaker, M, P, Ignored) << "\n" << P.text();
    }
  }
  EXPECT_GE(Compared, testing::atLeast(2, Programs));
}

TEST(Inclusions, ScIsStrongerThanAll) {
  for (const MemoryModel Weaker : {MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Armv8, MemoryModel::Power})
    expectWeaker(
        Weaker, {MemoryModel::SC},
        {.Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap, S::Fence, S::If}, .Variables = 3}, 51);
}
/// Where orders are no stronger on ARM64: a fence that is none on x86 is a barrier there, and a seq_cst load comes after a
/// release store.
TEST(Inclusions, TsoIsStrongerThanArmv8) {
  expectWeaker(MemoryModel::Armv8, {MemoryModel::TSO},
               {.Kinds = {S::Load, S::Load, S::Store, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap, S::If},
                .Orders = {S::Relaxed, S::Acquire, S::Release, S::AcqRel}},
               52);
}
/// The mapping of C11's atomics to each machine is sound.
TEST(Inclusions, MachinesDoWhatC11Allows) {
  expectWeaker(
      MemoryModel::C11, {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Armv8, MemoryModel::Power},
      {.Kinds = {S::Load, S::Load, S::Store, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap, S::Fence, S::If},
       .Variables = 3},
      53);
}

} // namespace
} // namespace picket
