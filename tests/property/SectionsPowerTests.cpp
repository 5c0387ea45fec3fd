// Atomic sections under POWER against sequential consistency, where a section is one step: what a program may end with
// under SC it may end with under POWER; and nothing else, if every access of a shared variable is in a section.
#include "explore/Rsmc.h"
#include "property/C11Program.h"
#include "property/Environment.h"
#include "support/Explore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace picket {
namespace {

using testing::C11Program;
using S = testing::C11Statement;
using Palette = testing::C11Palette;

/// The variables, and the registers of each thread.
using Final = std::vector<int>;

/// Runs a program step by step in all orders. Shares no code with the engine.
class Interleavings {
public:
  explicit Interleavings(const C11Program &Given) : Given(Given), Registers(Given.Threads.size()) {}

  std::set<Final> find() {
    std::vector<Work> Threads;
    for (const auto &Body : Given.Threads)
      Threads.push_back({Body.rbegin(), Body.rend()});
    run(Threads);
    return Found;
  }

private:
  using Work = std::vector<S>; // what is left of a thread, the next statement last

  void run(const std::vector<Work> &Threads) {
    bool Ended = true;
    for (size_t T = 0; T < Threads.size(); ++T) {
      if (Threads[T].empty())
        continue;
      Ended = false;
      const auto Before = std::pair(Variables, Registers);
      std::vector<Work> Next = Threads;
      step(Next[T], Registers[T]);
      run(Next);
      std::tie(Variables, Registers) = Before;
    }
    if (!Ended)
      return;
    Final End(Variables.begin(), Variables.end());
    for (const auto &Of : Registers)
      End.insert(End.end(), Of.begin(), Of.end());
    Found.insert(End);
  }

  using RegisterFile = std::array<int, C11Program::Registers>;

  void step(Work &Left, RegisterFile &R) {
    const S Given = Left.back();
    Left.pop_back();
    auto Read = [&](int8_t From) { return From < 0 ? 0 : R[static_cast<size_t>(From)]; };
    const unsigned Where = Read(Given.AddressFrom) != 0 ? Given.Location ^ 1u : Given.Location;
    int &Variable = Variables[Where], &Into = R[Given.Register];
    const int Operand = Read(Given.From) + Given.Value;
    switch (Given.What) {
    case S::Load: Into = Variable; break;
    case S::Store: Variable = Operand; break;
    case S::FetchAdd:
      Into = Variable;
      Variable += Operand;
      break;
    case S::Exchange: Into = std::exchange(Variable, Operand); break;
    case S::CompareSwap: {
      const bool Succeeds = Variable == Read(Given.ExpectedFrom) + Given.Expected;
      if (Succeeds)
        Variable = Operand;
      Into = Succeeds;
      break;
    }
    case S::If:
      if (Read(Given.From) == Given.Value)
        Left.insert(Left.end(), Given.Body.rbegin(), Given.Body.rend());
      break;
    case S::Section: {
      Work Inside(Given.Body.rbegin(), Given.Body.rend());
      while (!Inside.empty())
        step(Inside, R);
      break;
    }
    default: break; // a fence
    }
  }

  const C11Program &Given;
  std::array<int, C11Program::Variables> Variables{};
  std::vector<RegisterFile> Registers;
  std::set<Final> Found;
};

class FinalStates : public GraphObserver {
public:
  FinalStates(const Program &Prog, size_t Threads) : Prog(Prog), Threads(Threads) {}

  void ended(GraphRun &Run, Ending How) override {
    Others |= How != Ending::Complete;
    Final End;
    for (unsigned V = 0; V < C11Program::Variables; ++V)
      End.push_back(valueOf(Run, "v", V));
    for (unsigned R = 0; R < Threads * C11Program::Registers; ++R)
      End.push_back(valueOf(Run, "out", R));
    Found.insert(End);
  }
  void restarted() override {
    Found.clear();
    Others = false;
  }

  std::set<Final> Found;
  bool Others = false;

private:
  int valueOf(GraphRun &Run, const std::string &Global, uint32_t Element) const {
    for (uint32_t K = 0; K < Prog.Globals.size(); ++K)
      if (Prog.Globals[K].Name == Global)
        return static_cast<int>(Run.finalValue(addressOf(K + 1, 4 * Element), 4));
    return 0; // nobody accesses it
  }

  const Program &Prog;
  const size_t Threads;
};

/// What is wrong; empty if nothing is.
std::string problemOf(const C11Program &Given, bool Same, bool Large, uint64_t &More) {
  const Program P = testing::compile(testing::requestForText(Given.text(true)));
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Machine.LargeGraphs = Large;
  FinalStates Power(P, Given.Threads.size());
  const ExplorationResult Result = exploreGraphs(P, MemoryModel::Power, Options, Power);
  const std::set<Final> Sc = Interleavings(Given).find();
  More += Power.Found.size() > Sc.size();
  std::string Problem;
  if (!std::includes(Power.Found.begin(), Power.Found.end(), Sc.begin(), Sc.end()))
    Problem += "a final state of SC is missing\n";
  if (Same && Power.Found.size() > Sc.size())
    Problem += "there are final states that SC does not have\n";
  if (Power.Others || Result.Ended != ExplorationResult::End::Everything)
    Problem += "another ending: " + Result.Reason + "\n";
  return Problem;
}

/// How many programs have more final states than under SC.
uint64_t expectFinalStatesOfSc(const Palette &From, bool Same, unsigned Programs, unsigned Seed) {
  Programs = testing::programsOr(Programs);
  std::mt19937 Random(testing::seedOr(Seed));
  uint64_t More = 0;
  for (unsigned K = 0; K < Programs; ++K) {
    const C11Program P = makeC11Program(Random, From);
    const std::string Problem = problemOf(P, Same, K % 4 == 3, More);
    if (!Problem.empty()) {
      ADD_FAILURE() << "program " << K << ": " << Problem << P.text(true);
      return More;
    }
  }
  return More;
}

TEST(SectionsUnderPower, HaveAllFinalStatesOfSc) {
  expectFinalStatesOfSc(
      {.Kinds = {S::Load, S::Store, S::FetchAdd, S::CompareSwap, S::Fence, S::If, S::Section, S::Section},
       .Variables = 3},
      false, 300, 1);
  const uint64_t More = expectFinalStatesOfSc(
      {.Kinds = {S::Load, S::Load, S::Store, S::Store, S::Section}, .Orders = {S::Relaxed}}, false, 300, 3);
  EXPECT_GE(More, testing::atLeast(1.0 / 30, testing::programsOr(300)));
}
TEST(SectionsUnderPower, HaveNoOtherFinalStatesIfEverythingIsInSections) {
  const std::vector<S::Kind> Kinds = {S::Load, S::Store, S::FetchAdd, S::Exchange, S::CompareSwap,
                                      S::If,   S::Fence, S::Section,  S::Section,  S::Section};
  EXPECT_EQ(
      expectFinalStatesOfSc(
          {.Kinds = Kinds, .Orders = {S::Relaxed}, .Variables = 3, .Accesses = 8, .OnlySections = true}, true, 300, 2),
      0u);
}

} // namespace
} // namespace picket
