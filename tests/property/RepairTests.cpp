// Random programs that end in a state which only relaxed memory allows: in the text that comes out of a fix brute force
// does not find that state any more, and it does if something of the fix is left out.
#include "fences/FencePlacement.h"
#include "fences/Fix.h"
#include "fences/TextDiff.h"
#include "property/Environment.h"
#include "property/RandomProgram.h"
#include "support/BruteForce.h"
#include "support/Repairs.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>

namespace picket {
namespace {

using testing::RandomProgram;
using testing::Statement;

constexpr uint64_t MaxInterleavings = 400000;
constexpr unsigned Unroll = 4;

/// What the program's variables hold in the end, as the condition that says so.
struct FinalStates : ExplorationObserver {
  explicit FinalStates(const Program &Prog) : Prog(Prog) {}

  void ended(Execution &E, Ending How) override {
    Buggy |= How == Ending::Buggy;
    if (How != Ending::Complete)
      return;
    Machine &M = E.configuration().machine();
    std::string State;
    for (uint32_t G = 0; G < Prog.Globals.size(); ++G) {
      const std::string &Name = Prog.Globals[G].Name;
      if (Name != "v" && !Name.starts_with("sink"))
        continue;
      for (uint32_t At = 0; At < Prog.Globals[G].Size; At += 4)
        State +=
            (State.empty() ? "" : " && ") + Name + (Name == "v" ? "[" + std::to_string(At / 4) + "]" : "") +
            " == " + std::to_string(static_cast<int>(Memory::readWord(M.memory().bytes(globalAddress(G) + At), 4)));
    }
    Seen.insert(State);
  }
  void restarted() override {
    Seen.clear();
    Buggy = false;
  }

  const Program &Prog;
  std::set<std::string> Seen;
  bool Buggy = false;
};

FinalStates finalStates(const Program &P, MemoryModel M) {
  FinalStates States(P);
  exploreOptimally(P, testing::exhaustively(M, Unroll), States);
  return States;
}

/// The text with a bug: one of the states that SC does not have. Empty if there is none, or if SC has a bug already.
std::string withBug(const std::string &Text, MemoryModel M, std::mt19937 &Random) {
  const Program P = testing::compile(testing::requestForText(Text));
  const FinalStates Allowed = finalStates(P, MemoryModel::SC);
  std::vector<std::string> Relaxed;
  for (const std::string &State : finalStates(P, M).Seen)
    if (!Allowed.Seen.contains(State))
      Relaxed.push_back(State);
  if (Allowed.Buggy || Relaxed.empty())
    return "";
  std::string Result = Text;
  const std::string End = "  return 0;\n}\n";
  return Result.insert(Result.rfind(End),
                       "  if (" + Relaxed[Random() % Relaxed.size()] + ")\n    __builtin_abort();\n");
}

CompileRequest requestWith(const CompileRequest &Text, const std::vector<TextEdit> &Edits) {
  CompileRequest Edited = Text;
  for (const auto &[File, New] : editedTexts(Text, Edits))
    Edited.Unsaved[File] = New;
  return Edited;
}

enum class Answer { Safe, Buggy, TooLarge };

Answer bruteForce(const CompileRequest &Text, MemoryModel M) {
  const BruteForceResult All =
      exploreByBruteForce(testing::compile(Text), testing::exhaustively(M, Unroll), MaxInterleavings);
  return All.GaveUp ? Answer::TooLarge : All.Buggy.empty() ? Answer::Safe : Answer::Buggy;
}

/// Nothing of a fix can be left out.
std::string problemOfSize(const CompileRequest &Text, const Fix &F, MemoryModel M) {
  for (size_t Out = 0; Out < F.Changes.size(); ++Out) {
    std::vector<SourceChange> Fewer = F.Changes;
    Fewer.erase(Fewer.begin() + static_cast<ptrdiff_t>(Out));
    const PlacedChange Placed = placeChanges(Text, Fewer);
    if (!Placed.placed())
      return "what is left of the fix cannot be written: " + Placed.Refusal;
    if (bruteForce(requestWith(Text, Placed.Edits), M) == Answer::Safe)
      return "the fix does without '" + describe(F.Changes[Out]) + "'";
  }
  return "";
}

constexpr unsigned MostChecks = 300; // to look for better sets of changes

struct Totals {
  unsigned Programs = 0, Buggy = 0, Checked = 0, Compared = 0;
};

/// No cheaper set of changes works, and no smaller one, of all kinds and at all places: as far as so many checks can
/// tell.
std::string problemOfCost(const CompileRequest &Text, const Fix &F, MemoryModel M, Totals &Sum) {
  const Program P = testing::compile(Text);
  const CheckOptions Options = testing::optionsFor({M}, Unroll);
  const RepairResult Cheapest = testing::cheapestRepair(P, Options);
  if (Cheapest.What != RepairResult::Outcome::Repaired || !Cheapest.Found->Cheapest)
    return "no repair was proved to be the cheapest";
  const testing::Search Cheaper = testing::cheaperThan(P, Options, *Cheapest.Found, MostChecks);
  if (Cheaper == testing::Search::Found)
    return "less than " + std::to_string(Cheapest.Found->Cost) + " is enough";
  const testing::Search Fewer = testing::fewerThan(P, Options, F.Changes.size(), MostChecks);
  if (Fewer == testing::Search::Found)
    return "less than " + std::to_string(F.Changes.size()) + " changes are enough";
  Sum.Compared += Cheaper == testing::Search::NotFound && Fewer == testing::Search::NotFound;
  return "";
}

/// What is wrong with the fix of a text that has a bug under the model only.
std::string problemOf(const std::string &Text, MemoryModel M, Totals &Sum) {
  const CompileRequest Request = testing::requestForText(Text);
  FixOptions Options;
  Options.Check = testing::optionsFor({M}, Unroll);
  Options.MaxAlternatives = 2;
  const FixReport Report = findFixes(Request, Options);
  if (Report.What != EditOutcome::Found)
    return "not fixed: " + Report.Reason;
  for (const Fix &F : Report.Fixes) {
    if (!F.Minimal)
      return "the fix was not proved to be minimal";
    const Answer After = bruteForce(requestWith(Request, F.Edits), M);
    if (After == Answer::Buggy)
      return "brute force finds the bug again after: " + titleOf(F, Unroll);
    Sum.Checked += After == Answer::Safe;
  }
  const Fix &Best = Report.Fixes.front();
  if (std::string Problem = problemOfSize(Request, Best, M); !Problem.empty())
    return Problem;
  return problemOfCost(Request, Best, M, Sum);
}

void expectRepairs(const testing::Palette &From, MemoryModel M, unsigned Buggy, unsigned Seed) {
  Buggy = testing::programsOr(Buggy);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  Totals Sum;
  while (Sum.Buggy < Buggy) {
    const RandomProgram P = testing::makeProgram(Random, From, 3, 4);
    const std::string Text = withBug(P.text(), M, Random);
    ++Sum.Programs;
    if (Text.empty())
      continue;
    ++Sum.Buggy;
    if (const std::string Problem = problemOf(Text, M, Sum); !Problem.empty())
      FAIL() << "program " << Sum.Programs << " of seed " << Seed << ": " << Problem << "\n" << Text;
  }
  std::cout << Sum.Programs << " programs, " << Sum.Buggy << " with a bug, " << Sum.Checked
            << " fixes put to brute force, " << Sum.Compared << " compared with the best of all changes\n";
  EXPECT_GE(Sum.Checked, testing::atLeast(0.9, Buggy));
  EXPECT_GE(Sum.Compared, testing::atLeast(0.9, Buggy));
}

/// After a fix with the aim "robust" the traces are those of SC.
void expectRobust(const testing::Palette &From, unsigned NotRobust, unsigned Seed) {
  NotRobust = testing::programsOr(NotRobust);
  std::mt19937 Random(Seed);
  unsigned Fixed = 0;
  while (Fixed < NotRobust) {
    const MemoryModel M = Random() % 2 ? MemoryModel::TSO : MemoryModel::PSO;
    const std::string Text = testing::makeProgram(Random, From, 3, 4).text();
    const CompileRequest Request = testing::requestForText(Text);
    FixOptions Options;
    Options.Check = testing::optionsFor({M}, Unroll);
    Options.MaxAlternatives = 1;
    Options.Aim = [&](const CheckOptions &Check, Thoroughness) { return robustChecker("/test.c", Check, nullptr); };
    const FixReport Report = findFixes(Request, Options);
    if (Report.What == EditOutcome::NothingToDo)
      continue;
    ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason << "\n" << Text;
    ++Fixed;
    const Program Edited = testing::compile(requestWith(Request, Report.Fixes[0].Edits));
    auto All = [&](MemoryModel Buffers) {
      return exploreByBruteForce(Edited, testing::exhaustively(Buffers, Unroll), MaxInterleavings);
    };
    const BruteForceResult Sequential = All(MemoryModel::SC), Relaxed = All(M);
    if (Sequential.GaveUp || Relaxed.GaveUp)
      continue;
    ASSERT_EQ(Sequential.Complete, Relaxed.Complete) << nameOf(M) << "\n" << Text;
    ASSERT_EQ(Sequential.Blocked, Relaxed.Blocked) << nameOf(M) << "\n" << Text;
  }
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy};
const testing::Palette Atomics = {Statement::Store,        Statement::Load,        Statement::FetchAdd,
                                  Statement::StoreRelease, Statement::StoreSeqCst, Statement::RelaxedAdd,
                                  Statement::Guarded};
const testing::Palette Mixed = {Statement::Store,     Statement::Load,      Statement::Guarded,
                                Statement::LockedAdd, Statement::FullFence, Statement::ReleaseFence,
                                Statement::AwaitNot,  Statement::Copy};

TEST(RandomRepair, OfPlainAccessesUnderTso) { expectRepairs(Accesses, MemoryModel::TSO, 150, 71); }
TEST(RandomRepair, OfPlainAccessesUnderPso) { expectRepairs(Accesses, MemoryModel::PSO, 250, 72); }
TEST(RandomRepair, OfAtomicsUnderTso) { expectRepairs(Atomics, MemoryModel::TSO, 80, 73); }
TEST(RandomRepair, OfAtomicsUnderPso) { expectRepairs(Atomics, MemoryModel::PSO, 200, 74); }
TEST(RandomRepair, WithLocksAndWaitsUnderTso) { expectRepairs(Mixed, MemoryModel::TSO, 40, 75); }
TEST(RandomRepair, WithLocksAndWaitsUnderPso) { expectRepairs(Mixed, MemoryModel::PSO, 40, 76); }
TEST(RandomRepair, MakesProgramsRobust) {
  expectRobust(Accesses, 150, 77);
  expectRobust(Atomics, 150, 78);
}

} // namespace
} // namespace picket
