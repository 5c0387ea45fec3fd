// RSMC against brute force: an exploration of random programs sees exactly the executions that the axioms, applied to
// every candidate, allow, each once.
#pragma once

#include "explore/Rsmc.h"
#include "litmus/LitmusReader.h"
#include "property/Environment.h"
#include "property/PowerBruteForce.h"
#include "support/Smallest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace picket::testing {

/// A model for the explorer, and the same for brute force.
struct TwoWays {
  GraphModel Explored;
  BruteModel Enumerated;
};

class PowerExecutions : public GraphObserver {
public:
  explicit PowerExecutions(const LitmusTest &Test) : Test(Test) {}

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

struct PowerTotals {
  uint64_t Programs = 0, Executions = 0, Rejected = 0;
};

constexpr uint64_t MostCandidates = 20000;

/// What is wrong with the exploration of a program, with sets of events for executions of any length (Large) or others;
/// empty if nothing is.
inline std::string problemOf(const LitmusTest &Test, const TwoWays &Model, bool Large,
                             const std::map<PowerExecution, unsigned> &Expected, PowerTotals &Sum) {
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Machine.LargeGraphs = Large;
  PowerExecutions Found(Test);
  ExplorationResult Result = exploreGraphs(Test.Code, Model.Explored, Options, Found);
  Sum.Rejected += Result.RejectedBranches;
  // Executions that take different paths to the same accesses look the same.
  unsigned Missing = 0, Unknown = 0, Twice = 0;
  for (const auto &[X, Times] : Found.Seen) {
    auto Known = Expected.find(X);
    if (Known == Expected.end())
      Unknown += Times;
    else if (Times > Known->second)
      Twice += Times - Known->second;
  }
  for (const auto &[X, Times] : Expected) {
    auto Met = Found.Seen.find(X);
    const unsigned Seen = Met == Found.Seen.end() ? 0 : Met->second;
    Missing += Times - std::min(Times, Seen);
  }
  if (!Missing && !Unknown && !Twice && !Found.Others && !Result.FailedWakeups &&
      Result.Ended == ExplorationResult::End::Everything)
    return "";
  return std::string(Large ? "large sets: " : "") + "of " + std::to_string(Expected.size()) + " executions " +
         std::to_string(Missing) + " are missing, " + std::to_string(Unknown) + " should not be there, " +
         std::to_string(Twice) + " were seen again, " + std::to_string(Found.Others) + " are not complete, " +
         std::to_string(Result.FailedWakeups) + " failed wakeups " + Result.Reason + "\n";
}

/// The same with both; empty also if a program has too many candidates.
inline std::string problemOf(const PowerProgram &P, const TwoWays &Model, PowerTotals &Sum) {
  const auto Expected = bruteForce(P, MostCandidates, Model.Enumerated);
  if (!Expected)
    return "";
  LitmusReading Reading = readLitmus(P.text(), "random.litmus");
  if (!Reading.Test)
    return Reading.Problem + "\n";
  ++Sum.Programs;
  Sum.Executions += Expected->size();
  PowerTotals Again;
  return problemOf(*Reading.Test, Model, false, *Expected, Sum) +
         problemOf(*Reading.Test, Model, true, *Expected, Again);
}

inline PowerProgram smallest(PowerProgram P, const TwoWays &Model) {
  PowerTotals Ignored;
  return smallest(P, [&](const PowerProgram &Candidate) { return problemOf(Candidate, Model, Ignored); });
}

using PowerMaker = PowerProgram (*)(std::mt19937 &, const PowerPalette &);

inline void expectSameExecutions(const TwoWays &Model, const PowerPalette &From, unsigned Programs, unsigned Seed,
                                 PowerMaker Make = makePowerProgram) {
  Programs = programsOr(Programs);
  Seed = seedOr(Seed);
  std::mt19937 Random(Seed);
  PowerTotals Sum;
  for (unsigned K = 0; Sum.Programs < Programs; ++K) {
    PowerProgram P = Make(Random, From);
    if (problemOf(P, Model, Sum).empty())
      continue;
    P = smallest(P, Model);
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << problemOf(P, Model, Sum) << P.text();
  }
  std::cout << Sum.Programs << " programs, " << Sum.Executions << " executions, " << Sum.Rejected
            << " rejected branches\n";
  EXPECT_GE(Sum.Executions, atLeast(5, Sum.Programs));
}

} // namespace picket::testing
