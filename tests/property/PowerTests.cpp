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
    // Store-conditionals that fail have numbers too, but are no accesses.
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
  unsigned Missing = 0, Unknown = 0, Twice = 0;
  for (const auto &[X, Times] : Found.Seen) {
    Unknown += !Expected->count(X);
    Twice += Times - 1;
  }
  for (const auto &[X, Times] : *Expected) {
    EXPECT_EQ(Times, 1u) << "the brute force is at fault";
    Missing += !Found.Seen.count(X);
  }
  if (!Missing && !Unknown && !Twice && !Found.Others && !Result.FailedWakeups &&
      Result.Ended == ExplorationResult::End::Everything && Result.Executions == Expected->size())
    return "";
  return "of " + std::to_string(Expected->size()) + " executions " + std::to_string(Missing) + " are missing, " +
         std::to_string(Unknown) + " should not be there, " + std::to_string(Twice) + " were seen again, " +
         std::to_string(Found.Others) + " are not complete, " + std::to_string(Result.FailedWakeups) +
         " failed wakeups " + Result.Reason + "\n";
}

PowerProgram smallest(PowerProgram P, Totals &Sum) {
  for (bool Smaller = true; Smaller;) {
    Smaller = false;
    for (const PowerProgram &Candidate : testing::shrinks(P))
      if (!problemOf(Candidate, Sum).empty()) {
        P = Candidate;
        Smaller = true;
        break;
      }
  }
  return P;
}

void expectSameExecutions(const PowerPalette &From, unsigned Programs, unsigned Seed) {
  if (const char *More = std::getenv("PICKET_RANDOM_PROGRAMS"))
    Programs = static_cast<unsigned>(std::atoi(More));
  if (const char *Other = std::getenv("PICKET_RANDOM_SEED"))
    Seed = static_cast<unsigned>(std::atoi(Other));
  std::mt19937 Random(Seed);
  Totals Sum;
  for (unsigned K = 0; Sum.Programs < Programs; ++K) {
    PowerProgram P = testing::makePowerProgram(Random, From);
    if (problemOf(P, Sum).empty())
      continue;
    Totals Ignored;
    P = smallest(P, Ignored);
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << problemOf(P, Ignored) << P.text();
  }
  std::cout << Sum.Programs << " programs, " << Sum.Executions << " executions, " << Sum.Rejected
            << " rejected branches\n";
  EXPECT_GT(Sum.Executions, 5 * Sum.Programs);
}

using Palette = PowerPalette;

TEST(Power, PlainAccesses) { expectSameExecutions({{Palette::Loose}, false, false, false, 3}, 500, 1); }
TEST(Power, Fences) {
  expectSameExecutions(
      {{Palette::Loose, Palette::SyncTie, Palette::LwSyncTie, Palette::EieioTie}, false, false, false, 3}, 800, 2);
}
TEST(Power, Dependencies) {
  expectSameExecutions({{Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::FakeDataTie,
                         Palette::ControlTie, Palette::ControlISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        false,
                        false,
                        3},
                       800, 3);
}
TEST(Power, InternalEdges) { // few locations: rfi, rdw, detour
  expectSameExecutions({{Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::ControlTie,
                         Palette::ControlISyncTie, Palette::LwSyncTie},
                        false,
                        false,
                        2,
                        8},
                       800, 4);
}
TEST(Power, BranchesThatDecide) {
  expectSameExecutions({{Palette::Loose, Palette::DecidingTie, Palette::DecidingISyncTie, Palette::DataTie,
                         Palette::AddressTie, Palette::ISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        false,
                        false,
                        3},
                       800, 5);
}
TEST(Power, Reservations) {
  expectSameExecutions({{Palette::Loose, Palette::DecidingTie, Palette::DataTie, Palette::AddressTie,
                         Palette::ControlISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        true,
                        false,
                        2,
                        8},
                       800, 6);
}

} // namespace
} // namespace picket
