// RSMC under POWER and ARM64 with accesses of different sizes that overlap: exactly the executions that the definition, applied to
// every candidate, leaves over, each once.
#include "explore/Rsmc.h"
#include "litmus/LitmusReader.h"
#include "property/Environment.h"
#include "property/MixedProgram.h"
#include "support/Explore.h"
#include "support/Smallest.h"

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
using testing::MixedRules;

class MixedExecutions : public GraphObserver {
public:
  /// Of a litmus test; or of a C program with four bytes for each.
  explicit MixedExecutions(const LitmusTest *Test) : Test(Test) {}

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
      const uint32_t Scale = Test ? 1 : 4, At = offsetOf(A.Where) / Scale;
      const auto Location =
          Test ? static_cast<unsigned>(std::string("xy").find(Test->Locations.at(slotOf(A.Where) - 1))) : At / 4;
      for (uint32_t K = 0; K < A.Width / Scale; ++K) {
        MixedByte B{A.Thread - 1, NumberOf(A), Location, (At + K) % 4, A.IsWrite};
        const uint32_t Bit = 8 * Scale * K;
        B.Value = static_cast<unsigned>((Bit < 64 ? A.Value >> Bit : A.Value2 >> (Bit - 64)) & 0xff);
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
  const LitmusTest *Test;
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

/// What is wrong with the exploration of a program, with sets of events for executions of any length (Large) or others;
/// empty if nothing is.
std::string problemOf(const LitmusTest *Test, const Program &Code, MixedRules Rules, bool Large,
                      const std::map<MixedExecution, unsigned> &Expected, Totals &Sum) {
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Machine.LargeGraphs = Large;
  MixedExecutions Found(Test);
  ExplorationResult Result =
      exploreGraphs(Code, Rules == MixedRules::Power ? MemoryModel::Power : MemoryModel::Armv8, Options, Found);
  Sum.Rejected += Result.RejectedBranches;
  Sum.Split += Found.HasSplit;
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
    Missing += Times - std::min(Times, Met == Found.Seen.end() ? 0 : Met->second);
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
std::string problemOf(const MixedProgram &P, MixedRules Rules, bool IsWide, Totals &Sum) {
  constexpr uint64_t MostCandidates = 60000;
  const auto Expected = testing::bruteForce(P, MostCandidates, Rules);
  if (!Expected)
    return "";
  LitmusReading Reading;
  if (!IsWide)
    Reading = readLitmus(P.text(), "random.litmus");
  if (!IsWide && !Reading.Test)
    return Reading.Problem + "\n";
  if (!IsWide)
    putUpdates(P, Reading.Test->Code);
  const LitmusTest *Test = IsWide ? nullptr : &*Reading.Test;
  const Program Code = IsWide ? testing::compile(testing::requestForText(P.wideText(), {"-mcx16"})) : Test->Code;
  ++Sum.Programs;
  Sum.Executions += Expected->size();
  Totals Again;
  return problemOf(Test, Code, Rules, false, *Expected, Sum) + problemOf(Test, Code, Rules, true, *Expected, Again);
}

void expectSameExecutions(const MixedPalette &From, unsigned Programs, unsigned Seed, bool IsWide = false,
                          MixedRules Rules = MixedRules::Power) {
  Programs = testing::programsOr(Programs);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  Totals Sum;
  for (unsigned K = 0; Sum.Programs < Programs; ++K) {
    MixedProgram P = testing::makeMixedProgram(Random, From);
    if (problemOf(P, Rules, IsWide, Sum).empty())
      continue;
    Totals Ignored;
    P = testing::smallest(P,
                          [&](const MixedProgram &Candidate) { return problemOf(Candidate, Rules, IsWide, Ignored); });
    FAIL() << "program " << K << " of seed " << Seed << ":\n"
           << problemOf(P, Rules, IsWide, Ignored) << (IsWide ? P.wideText() : P.text());
  }
  std::cout << Sum.Programs << " programs, " << Sum.Executions << " executions, " << Sum.Rejected
            << " rejected branches, accesses split in " << Sum.Split << "\n";
  EXPECT_GE(Sum.Executions, testing::atLeast(5, Sum.Programs));
  EXPECT_GE(Sum.Split, testing::atLeast(0.5, Sum.Programs));
}

TEST(MixedPower, Accesses) { expectSameExecutions({}, 1000, 1); }
TEST(MixedPower, OneLocation) { expectSameExecutions({.Locations = 1, .Accesses = 6}, 500, 2); }
TEST(MixedPower, Updates) { expectSameExecutions({.Updates = true, .Locations = 1, .Accesses = 6}, 500, 3); }
TEST(MixedPower, UpdatesOfTwoLocations) { expectSameExecutions({.Updates = true}, 500, 4); }
TEST(MixedPower, Reservations) { expectSameExecutions({.Reservations = true, .Locations = 1, .Accesses = 6}, 500, 5); }
TEST(MixedPower, SixteenBytes) { expectSameExecutions({}, 400, 7, true); }
TEST(MixedPower, UpdatesOfSixteenBytes) {
  expectSameExecutions({.Updates = true, .Locations = 1, .Accesses = 6}, 400, 8, true);
}
TEST(MixedPower, OperandsOfSixteenBytes) { // that come late
  expectSameExecutions({.Updates = true, .Operands = true, .Accesses = 6}, 400, 9, true);
}
TEST(MixedPower, AccessesThatAreNotAligned) { expectSameExecutions({.Unaligned = true, .Accesses = 6}, 500, 6); }

void expectSameUnderArmv8(const MixedPalette &From, unsigned Seed, bool IsWide = false, unsigned Programs = 300) {
  expectSameExecutions(From, Programs, Seed, IsWide, MixedRules::Armv8);
}

TEST(MixedArmv8, Accesses) { expectSameUnderArmv8({}, 11); }
TEST(MixedArmv8, OneLocation) { expectSameUnderArmv8({.Locations = 1, .Accesses = 6}, 12); }
TEST(MixedArmv8, Updates) { expectSameUnderArmv8({.Updates = true, .Locations = 1, .Accesses = 6}, 13); }
TEST(MixedArmv8, UpdatesOfTwoLocations) { expectSameUnderArmv8({.Updates = true}, 14); }
TEST(MixedArmv8, RejectedReadsLeaveNothingLocated) { // the 148th needs it, with sets for long executions
  expectSameUnderArmv8({.Updates = true}, 403, false, 150);
}
TEST(MixedArmv8, UpdatesOfSixteenBytes) {
  expectSameUnderArmv8({.Updates = true, .Locations = 1, .Accesses = 6}, 18, true);
}
TEST(MixedArmv8, OperandsOfSixteenBytes) { // that come late
  expectSameUnderArmv8({.Updates = true, .Operands = true, .Accesses = 6}, 19, true);
}
TEST(MixedArmv8, Reservations) { expectSameUnderArmv8({.Reservations = true, .Locations = 1, .Accesses = 6}, 15); }
TEST(MixedArmv8, AccessesThatAreNotAligned) { expectSameUnderArmv8({.Unaligned = true, .Accesses = 6}, 16); }
TEST(MixedArmv8, SixteenBytes) { expectSameUnderArmv8({}, 17, true); }

} // namespace
} // namespace picket
