// RSMC under POWER sees exactly the executions that the axioms, applied to every candidate, leave over: each once.
#include "explore/Rsmc.h"
#include "litmus/LitmusReader.h"
#include "property/PowerBruteForce.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace picket {
namespace {

using testing::PowerExecution;
using testing::PowerPalette;
using testing::PowerProgram;

class Executions : public GraphObserver {
public:
  Executions(const LitmusTest &Test) : Test(Test) {}

  void ended(GraphRun &Run, Ending How) override {
    if (How != Ending::Complete) {
      ++Others;
      return;
    }
    std::vector<GraphAccess> All = Run.accesses();
    PowerExecution X;
    X.Threads.resize(Test.Registers.size());
    // The outcomes of store-conditionals have numbers too, but are no accesses.
    auto IndexOf = [&](const GraphAccess &A) {
      return std::count_if(All.begin(), All.end(),
                           [&](const GraphAccess &B) { return B.Thread == A.Thread && B.Index < A.Index; });
    };
    for (const GraphAccess &A : All) {
      if (A.Thread == 0) // main stores the handles of its threads
        continue;
      auto &Accesses = X.Threads[A.Thread - 1];
      const auto Index = static_cast<size_t>(IndexOf(A));
      Accesses.resize(std::max(Accesses.size(), Index + 1));
      Accesses[Index] = {A.IsWrite, locationOf(A.Where), static_cast<int>(A.Value), -1, -1, A.Position};
      if (!A.IsWrite && A.Source != ~0u) {
        Accesses[Index].SourceThread = static_cast<int>(All[A.Source].Thread) - 1;
        Accesses[Index].SourceIndex = static_cast<int>(IndexOf(All[A.Source]));
      }
    }
    for (ThreadId T = 0; T < Test.Registers.size(); ++T) {
      auto &Registers = X.Registers.emplace_back();
      for (unsigned R = 0; R < PowerProgram::Registers; ++R)
        Registers.push_back(
            static_cast<int>(Run.finalRegister(T + 1, Test.Registers[T].at("r" + std::to_string(R + 1)))));
    }
    ++Seen[X];
  }
  void restarted() override {
    Seen.clear();
    Others = 0;
  }

  std::map<PowerExecution, unsigned> Seen;
  unsigned Others = 0; // anything but complete

private:
  unsigned locationOf(Address Where) const {
    const std::string &Name = Test.Locations.at(slotOf(Where) - 1);
    return static_cast<unsigned>(std::string("xyz").find(Name));
  }
  const LitmusTest &Test;
};

struct Totals {
  uint64_t Programs = 0, Executions = 0, Rejected = 0;
};

constexpr uint64_t MostCandidates = 20000;

/// What is wrong with the exploration of a program; empty if nothing is, or if it has too many candidates.
std::string problemOf(const PowerProgram &P, Totals &Sum) {
  const auto Expected = testing::bruteForce(P, MostCandidates);
  if (!Expected)
    return "";
  LitmusReading Reading = readLitmus(P.text(), "random.litmus");
  if (!Reading.Test)
    return Reading.Problem + "\n";
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Executions Found(*Reading.Test);
  ExplorationResult Result = exploreGraphs(Reading.Test->Code, AxiomaticModel::Power, Options, Found);
  ++Sum.Programs;
  Sum.Executions += Expected->size();
  Sum.Rejected += Result.RejectedBranches;
  // Executions that take different paths to the same accesses look the same.
  unsigned Missing = 0, Unknown = 0, Twice = 0;
  for (const auto &[X, Times] : Found.Seen) {
    auto Known = Expected->find(X);
    if (Known == Expected->end())
      Unknown += Times;
    else if (Times > Known->second)
      Twice += Times - Known->second;
  }
  for (const auto &[X, Times] : *Expected) {
    auto Met = Found.Seen.find(X);
    const unsigned Seen = Met == Found.Seen.end() ? 0 : Met->second;
    Missing += Times - std::min(Times, Seen);
  }
  if (!Missing && !Unknown && !Twice && !Found.Others && !Result.FailedWakeups &&
      Result.Ended == ExplorationResult::End::Everything)
    return "";
  return "of " + std::to_string(Expected->size()) + " executions " + std::to_string(Missing) + " are missing, " +
         std::to_string(Unknown) + " should not be there, " + std::to_string(Twice) + " were seen again, " +
         std::to_string(Found.Others) + " are not complete, " + std::to_string(Result.FailedWakeups) +
         " failed wakeups " + Result.Reason + "\n";
}

PowerProgram smallest(PowerProgram P) {
  Totals Ignored;
  for (bool Smaller = true; Smaller;) {
    Smaller = false;
    for (const PowerProgram &Candidate : testing::shrinks(P))
      if (!problemOf(Candidate, Ignored).empty()) {
        P = Candidate;
        Smaller = true;
        break;
      }
  }
  return P;
}

using Maker = PowerProgram (*)(std::mt19937 &, const PowerPalette &);

void expectSameExecutions(const PowerPalette &From, unsigned Programs, unsigned Seed,
                          Maker Make = testing::makePowerProgram) {
  if (const char *More = std::getenv("PICKET_RANDOM_PROGRAMS"))
    Programs = static_cast<unsigned>(std::atoi(More));
  if (const char *Other = std::getenv("PICKET_RANDOM_SEED"))
    Seed = static_cast<unsigned>(std::atoi(Other));
  std::mt19937 Random(Seed);
  Totals Sum;
  for (unsigned K = 0; Sum.Programs < Programs; ++K) {
    PowerProgram P = Make(Random, From);
    if (problemOf(P, Sum).empty())
      continue;
    P = smallest(P);
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << problemOf(P, Sum) << P.text();
  }
  std::cout << Sum.Programs << " programs, " << Sum.Executions << " executions, " << Sum.Rejected
            << " rejected branches\n";
  EXPECT_GT(Sum.Executions, 5 * Sum.Programs);
}

using Palette = PowerPalette;

TEST(Power, PlainAccesses) { expectSameExecutions({.Ties = {Palette::Loose}, .Locations = 3}, 1000, 1); }
TEST(Power, Fences) {
  expectSameExecutions(
      {.Ties = {Palette::Loose, Palette::SyncTie, Palette::LwSyncTie, Palette::EieioTie}, .Locations = 3}, 2000, 2);
}
TEST(Power, Dependencies) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::FakeDataTie,
                                 Palette::ControlTie, Palette::ControlISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        .Locations = 3},
                       2000, 3);
}
TEST(Power, InternalEdges) { // few locations: rfi, rdw, detour
  expectSameExecutions({.Ties = {Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::ControlTie,
                                 Palette::ControlISyncTie, Palette::LwSyncTie},
                        .Accesses = 8},
                       2000, 4);
}
TEST(Power, Cycles) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::ControlTie,
                                 Palette::ControlISyncTie, Palette::SyncTie, Palette::LwSyncTie, Palette::EieioTie}},
                       15000, 8, testing::makePowerCycle);
}
TEST(Power, BranchesThatDecide) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::DecidingTie, Palette::DecidingISyncTie, Palette::DataTie,
                                 Palette::AddressTie, Palette::ISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        .Locations = 3},
                       2000, 5);
}
TEST(Power, Reservations) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::DecidingTie, Palette::DataTie, Palette::AddressTie,
                                 Palette::ControlISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        .Reservations = true,
                        .Accesses = 8},
                       2000, 6);
}

/// In the axioms a store-conditional that fails is no event: neither its address nor a branch on its outcome orders
/// anything.
TEST(Power, ReservationsWhoseOutcomeDecides) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::DecidingTie, Palette::DataTie, Palette::AddressTie,
                                 Palette::ControlISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        .Reservations = true,
                        .TiedReservations = true,
                        .Accesses = 8},
                       2000, 7);
}

TEST(Power, ContendedReservations) { // one location: pairs that cannot all succeed
  expectSameExecutions({.Ties = {Palette::Loose, Palette::Loose, Palette::DecidingTie, Palette::DataTie,
                                 Palette::AddressTie, Palette::SyncTie},
                        .Reservations = true,
                        .TiedReservations = true,
                        .Locations = 1,
                        .Accesses = 8},
                       1000, 9);
}

} // namespace
} // namespace picket
