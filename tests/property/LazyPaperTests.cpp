// Delays compared with the extension of "Lazy TSO Reachability" (section 3), which puts stores into registers along a
// path of instructions: what the extended program reaches under SC, the program with the path's delays reaches as well,
// and TSO does. Lemmas 1 and 2 of the paper, for its extension and for delays.
#include "property/Environment.h"
#include "property/PaperProgram.h"
#include "robust/LazyReachability.h"
#include "support/Explore.h"

#include <gtest/gtest.h>

#include <cstring>

namespace picket {
namespace {

using testing::PaperPath;
using testing::PaperProgram;
using testing::PaperState;
using testing::PaperStates;

constexpr uint32_t MostDelayed = 3; // stores of a path
constexpr size_t MostBuffered = 6;  // those, and what is stored until the next load; as many as there are without loops

/// What a thread's registers and memory are in the end, from a run of the C program.
class LastStates : public StateWalk::Listener {
public:
  explicit LastStates(Configuration &Config) : Config(Config) {}
  bool foundBug(const BugReport &, const std::vector<Choice> &) override { return false; }
  void ended(Configuration &, Ending How, const std::string &) override {
    if (How != Ending::Complete)
      return;
    std::vector<int> Values;
    for (const char *Name : {"v", "sink0", "sink1"}) {
      const std::vector<Global> &Globals = Config.machine().program().Globals;
      for (uint32_t G = 0; G < Globals.size(); ++G)
        if (Globals[G].Name == Name) {
          std::vector<int> Part(Globals[G].Size / sizeof(int));
          std::memcpy(Part.data(), Config.machine().memory().at(G + 1).Data, Part.size() * sizeof(int));
          Values.insert(Values.end(), Part.begin(), Part.end());
        }
    }
    All.insert(Values);
  }
  void restarted() override { All.clear(); }
  std::set<std::vector<int>> All;

private:
  Configuration &Config;
};

/// Calls `Do` with a configuration under TSO that has started, until it says that nothing has changed.
template <typename F> void withConfiguration(const Program &P, F Do) {
  const LiveSlots Live(P);
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  for (bool Over = false; !Over;) {
    Shared.takeChanged();
    SearchedConfiguration C(P, Live, Shared, {}, MemoryModel::TSO);
    C->start();
    Over = Do(*C);
  }
}

std::set<std::vector<int>> lastStates(const Program &P, const Delays &Allowed) {
  std::set<std::vector<int>> All;
  const ExplorationOptions Options;
  withConfiguration(P, [&](Configuration &C) {
    DelayRules Rules(C, Allowed);
    LastStates Ends(C);
    WalkResult Walk;
    const bool Over = StateWalk(C, Rules, Ends, Options, true).run(Walk);
    EXPECT_EQ(Walk.Ended, ExplorationResult::End::Everything) << Walk.Reason;
    All = std::move(Ends.All);
    return Over;
  });
  return All;
}

/// The same of the paper's program: v, 16 * r + q of both threads.
std::set<std::vector<int>> lastStates(const PaperStates &Of) {
  std::set<std::vector<int>> All;
  for (const PaperState &S : Of.Last) // v[0], v[1], v[2], pc, r, q, pc, r, q
    All.insert({S[0], S[1], S[2], 16 * S[4] + S[5], 16 * S[7] + S[8]});
  return All;
}

template <typename T> bool isWithin(const std::set<T> &Small, const std::set<T> &Large) {
  return std::includes(Large.begin(), Large.end(), Small.begin(), Small.end());
}

/// Each store of a path may be delayed past each later load of it.
void addDelays(const Program &P, const testing::PaperThread &T, const PaperPath &Path, Delays &Allowed) {
  using testing::PaperInstruction;
  auto PcsOf = [&](int Line) {
    std::vector<uint32_t> Pcs;
    for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc)
      if (P.locationOf(Pc).Line == static_cast<uint32_t>(Line))
        Pcs.push_back(Pc);
    return Pcs;
  };
  for (size_t From = 0; From < Path.size(); ++From)
    for (size_t To = From + 1; To < Path.size(); ++To) {
      const PaperInstruction &Store = T.Instructions[Path[From]], &Load = T.Instructions[Path[To]];
      if (Store.What != PaperInstruction::Store || Load.What != PaperInstruction::Load)
        continue;
      for (uint32_t A : PcsOf(Store.Line))
        for (uint32_t B : PcsOf(Load.Line))
          Allowed.Known.insert({A, B});
    }
}

struct Counts {
  unsigned Extended = 0, More = 0, LessThanTso = 0;
};

void expectWithin(bool Loops, unsigned Programs, unsigned Seed) {
  std::mt19937 Random(testing::seedOr(Seed));
  Counts Sum;
  Programs = testing::programsOr(Programs);
  for (unsigned K = 0; K < Programs; ++K) {
    const PaperProgram P = testing::makePaperProgram(Random, Loops);
    const PaperStates Sc = testing::reach(P, 0), Tso = testing::reach(P, MostBuffered);
    const Program Compiled = testing::compile(testing::requestForText(P.Text));
    ASSERT_EQ(lastStates(Compiled, {}), lastStates(Sc)) << "without delays a program runs as under SC\n" << P.Text;
    PaperProgram R = P;
    Delays Allowed;
    Allowed.MostBuffered = MostDelayed;
    for (unsigned Round = 0; Round < 2; ++Round) {
      const size_t T = Random() % 2;
      const PaperPath Path = testing::makePath(Random, R.Threads[T]);
      if (Path.empty())
        continue;
      ++Sum.Extended;
      addDelays(Compiled, R.Threads[T], Path, Allowed);
      R.Threads[T] = testing::extend(R.Threads[T], Path);
      const PaperStates Extended = testing::reach(R, 0);
      if (!Tso.Complete || !Extended.Complete)
        break;
      // Lemma 1, as far as SC shows it: nothing is reached that TSO does not have, nothing of SC is lost. A path of a
      // loop can hold back more than the states under TSO were explored with.
      ASSERT_TRUE(isWithin(Extended.All, Tso.All)) << "program " << K << "\n" << P.Text;
      ASSERT_TRUE(isWithin(Sc.All, Extended.All)) << "program " << K << "\n" << P.Text;
      const auto Paper = lastStates(Extended), Ours = lastStates(Compiled, Allowed), All = lastStates(Tso);
      ASSERT_TRUE(isWithin(Paper, Ours)) << "program " << K << ": the paper's extension reaches more\n" << P.Text;
      ASSERT_TRUE(isWithin(Ours, All)) << "program " << K << ": a state that TSO does not have\n" << P.Text;
      Sum.More += Paper.size() > Sc.Last.size();
      Sum.LessThanTso += Ours.size() < All.size();
    }
  }
  EXPECT_GE(Sum.Extended, testing::atLeast(0.5, Programs)) << "most programs should have paths from stores to loads";
  EXPECT_GE(Sum.More, testing::atLeast(0.01, Programs)) << "some extensions should reach more than SC";
  EXPECT_GE(Sum.LessThanTso, testing::atLeast(0.01, Programs)) << "some should not reach all of TSO";
}

TEST(LazyPaper, DelaysReachWhatTheExtensionReaches) { expectWithin(/*Loops=*/false, 1'500, 91); }
TEST(LazyPaper, DelaysReachWhatTheExtensionReachesInLoops) { expectWithin(/*Loops=*/true, 400, 92); }

TEST(LazyPaper, ExtensionsKeepTheStatesOfTso) { // Lemma 1
  std::mt19937 Random(testing::seedOr(93));
  unsigned Extended = 0;
  for (unsigned K = 0; K < testing::programsOr(1'000); ++K) {
    const PaperProgram P = testing::makePaperProgram(Random, false);
    const size_t T = Random() % 2;
    const PaperPath Path = testing::makePath(Random, P.Threads[T]);
    if (Path.empty())
      continue;
    PaperProgram R = P;
    R.Threads[T] = testing::extend(P.Threads[T], Path);
    const PaperStates Before = testing::reach(P, MostBuffered), After = testing::reach(R, MostBuffered);
    if (!Before.Complete || !After.Complete)
      continue;
    ++Extended;
    ASSERT_EQ(Before.All, After.All) << "program " << K << "\n" << P.Text;
  }
  EXPECT_GE(Extended, testing::atLeast(0.5, testing::programsOr(1'000)));
}

TEST(LazyPaper, NoDelayIsFoundTwice) { // Lemma 2
  std::mt19937 Random(testing::seedOr(94));
  unsigned Rounds = 0;
  for (unsigned K = 0; K < testing::programsOr(500); ++K) {
    const PaperProgram P = testing::makePaperProgram(Random, false);
    const Program Compiled = testing::compile(testing::requestForText(P.Text));
    Delays Allowed;
    Allowed.MostBuffered = static_cast<uint32_t>(MostBuffered);
    for (bool More = true; More; ++Rounds) {
      std::set<Delay> Found;
      withConfiguration(Compiled, [&](Configuration &C) {
        AttackRules Rules(C, Allowed);
        LastStates Nobody(C);
        WalkResult Walk;
        const ExplorationOptions Options;
        const bool Over = StateWalk(C, Rules, Nobody, Options, true).run(Walk);
        Found = Rules.found();
        return Over;
      });
      for (const Delay &D : Found)
        ASSERT_FALSE(Allowed.Known.count(D)) << "program " << K << "\n" << P.Text;
      More = !Found.empty();
      Allowed.Known.insert(Found.begin(), Found.end());
    }
    // Nothing is left to be found: all of TSO is reached.
    const PaperStates Tso = testing::reach(P, MostBuffered);
    ASSERT_EQ(lastStates(Compiled, Allowed), lastStates(Tso)) << "program " << K << "\n" << P.Text;
  }
  EXPECT_GE(Rounds, testing::atLeast(1, testing::programsOr(500))) << "some programs should not be robust";
}

} // namespace
} // namespace picket
