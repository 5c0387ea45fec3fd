// RSMC under POWER with accesses of different sizes that overlap: exactly the executions that the definition, applied to
// every candidate, leaves over, each once.
#include "explore/Rsmc.h"
#include "litmus/LitmusReader.h"
#include "property/Environment.h"
#include "property/MixedProgram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace picket {
namespace {

using testing::MixedByte;
using testing::MixedExecution;
using testing::MixedInstruction;
using testing::MixedPalette;
using testing::MixedProgram;

class MixedExecutions : public GraphObserver {
public:
  explicit MixedExecutions(const LitmusTest &Test) : Test(Test) {}

  void ended(GraphRun &Run, Ending How) override {
    if (How != Ending::Complete) {
      ++Others;
      return;
    }
    const std::vector<GraphAccess> All = Run.accesses();
    auto NumberOf = [&](const GraphAccess &A) { // outcomes of store-conditionals are no accesses
      std::vector<uint32_t> Before;
      for (const GraphAccess &B : All)
        if (B.Thread == A.Thread && B.Index < A.Index)
          Before.push_back(B.Index);
      std::sort(Before.begin(), Before.end());
      return static_cast<unsigned>(std::unique(Before.begin(), Before.end()) - Before.begin());
    };
    for (const GraphAccess &A : All)
      for (const GraphAccess &B : All)
        HasSplit |= A.Thread == B.Thread && A.Index == B.Index && A.Where != B.Where;
    MixedExecution X;
    for (const GraphAccess &A : All) {
      if (A.Thread == 0) // main stores the handles of its threads
        continue;
      const auto Location = static_cast<unsigned>(std::string("xy").find(Test.Locations.at(slotOf(A.Where) - 1)));
      for (uint32_t K = 0; K < A.Width; ++K) {
        MixedByte B{A.Thread - 1, NumberOf(A), Location, offsetOf(A.Where) + K, A.IsWrite};
        B.Value = static_cast<unsigned>(A.Value >> 8 * K & 0xff);
        B.Position = A.Position;
        if (!A.IsWrite && A.Source != ~0u) {
          B.SourceThread = static_cast<int>(All[A.Source].Thread) - 1;
          B.SourceAccess = static_cast<int>(NumberOf(All[A.Source]));
        }
        X.push_back(B);
      }
    }
    std::sort(X.begin(), X.end());
    ++Seen[X];
  }
  void restarted() override {
    Seen.clear();
    Others = 0;
  }

  std::map<MixedExecution, unsigned> Seen;
  unsigned Others = 0;
  bool HasSplit = false; // some access

private:
  const LitmusTest &Test;
};

struct Totals {
  uint64_t Programs = 0, Executions = 0, Rejected = 0, Split = 0;
};

/// Puts the updates into the code, where the text has loads.
void putUpdates(const MixedProgram &P, Program &Code) {
  auto Next = [&](uint32_t Pc) {
    while (Code.Code[Pc].Op != Opcode::Load && Code.Code[Pc].Op != Opcode::Store &&
           Code.Code[Pc].Op != Opcode::LoadReserve && Code.Code[Pc].Op != Opcode::StoreConditional)
      ++Pc;
    return Pc;
  };
  for (size_t T = 0; T < P.Threads.size(); ++T) {
    uint32_t Pc = 0;
    for (size_t F = 0; F < Code.Functions.size(); ++F)
      if (Code.Functions[F].Name == "P" + std::to_string(T))
        Pc = Code.Functions[F].Entry;
    for (const MixedInstruction &Given : P.Threads[T]) {
      if (!Given.isAccess())
        continue;
      Pc = Next(Pc);
      if (Given.What == MixedInstruction::Update) {
        Instruction &I = Code.Code[Pc];
        Code.Constants.push_back(Given.Value);
        I.Op = Opcode::Rmw;
        I.Flags = static_cast<uint8_t>(Order::Relaxed);
        I.B = ~static_cast<Operand>(Code.Constants.size() - 1);
        I.C = static_cast<int32_t>(RmwOp::Add);
      }
      ++Pc;
    }
  }
}

/// What is wrong with the exploration of a program; empty if nothing is, or if it has too many candidates.
std::string problemOf(const MixedProgram &P, Totals &Sum) {
  constexpr uint64_t MostCandidates = 60000;
  const auto Expected = testing::bruteForce(P, MostCandidates);
  if (!Expected)
    return "";
  LitmusReading Reading = readLitmus(P.text(), "random.litmus");
  if (!Reading.Test)
    return Reading.Problem + "\n";
  putUpdates(P, Reading.Test->Code);
  ExplorationOptions Options;
  Options.Exhaustive = true;
  MixedExecutions Found(*Reading.Test);
  ExplorationResult Result = exploreGraphs(Reading.Test->Code, AxiomaticModel::Power, Options, Found);
  ++Sum.Programs;
  Sum.Executions += Expected->size();
  Sum.Rejected += Result.RejectedBranches;
  Sum.Split += Found.HasSplit;
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
    Missing += Times - std::min(Times, Met == Found.Seen.end() ? 0 : Met->second);
  }
  if (!Missing && !Unknown && !Twice && !Found.Others && !Result.FailedWakeups &&
      Result.Ended == ExplorationResult::End::Everything)
    return "";
  return "of " + std::to_string(Expected->size()) + " executions " + std::to_string(Missing) + " are missing, " +
         std::to_string(Unknown) + " should not be there, " + std::to_string(Twice) + " were seen again, " +
         std::to_string(Found.Others) + " are not complete, " + std::to_string(Result.FailedWakeups) +
         " failed wakeups " + Result.Reason + "\n";
}

void expectSameExecutions(const MixedPalette &From, unsigned Programs, unsigned Seed) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  Totals Sum;
  for (unsigned K = 0; Sum.Programs < Programs; ++K) {
    MixedProgram P = testing::makeMixedProgram(Random, From);
    if (problemOf(P, Sum).empty())
      continue;
    Totals Ignored;
    for (bool Smaller = true; Smaller;) {
      Smaller = false;
      for (const MixedProgram &Candidate : testing::shrinks(P))
        if (!problemOf(Candidate, Ignored).empty()) {
          P = Candidate;
          Smaller = true;
          break;
        }
    }
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << problemOf(P, Ignored) << P.text();
  }
  std::cout << Sum.Programs << " programs, " << Sum.Executions << " executions, " << Sum.Rejected
            << " rejected branches, accesses split in " << Sum.Split << "\n";
  EXPECT_GT(Sum.Executions, 5 * Sum.Programs);
  EXPECT_GT(2 * Sum.Split, Sum.Programs);
}

TEST(MixedPower, Accesses) { expectSameExecutions({}, 2000, 1); }
TEST(MixedPower, OneLocation) { expectSameExecutions({.Locations = 1, .Accesses = 6}, 1000, 2); }
TEST(MixedPower, Updates) { expectSameExecutions({.Updates = true, .Locations = 1, .Accesses = 6}, 1000, 3); }
TEST(MixedPower, UpdatesOfTwoLocations) { expectSameExecutions({.Updates = true}, 500, 4); }
TEST(MixedPower, Reservations) { expectSameExecutions({.Reservations = true, .Locations = 1, .Accesses = 6}, 1000, 5); }
TEST(MixedPower, AccessesThatAreNotAligned) { expectSameExecutions({.Unaligned = true, .Accesses = 6}, 1000, 6); }

} // namespace
} // namespace picket
