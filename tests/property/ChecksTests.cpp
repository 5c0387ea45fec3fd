// Random programs: what is checked changes neither which executions there are nor which of the bugs that are looked for
// are found.
#include "property/Environment.h"
#include "property/RandomProgram.h"
#include "support/BruteForce.h"
#include "support/Kinds.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::Statement;

const testing::Palette Memory = {Statement::Store,    Statement::Load,      Statement::AssertNot, Statement::UseBlock,
                                 Statement::UseBlock, Statement::FreeBlock, Statement::LockedAdd, Statement::AwaitNot};
// With store buffers, what a thread reads from its own after the memory has ended is not ordered with that end: the
// store that lands there is the bug.
const testing::Palette Buffered = {Statement::Store, Statement::Load,      Statement::AssertNot, Statement::Copy,
                                   Statement::Copy,  Statement::LockedAdd, Statement::AwaitNot};
const testing::Palette Locals = {Statement::Store, Statement::AssertNot, Statement::LeaveLocal, Statement::UseLocal};
const std::vector<std::string> Lists = {"none", "memory", "abort", "deadlock,hang", "no-memory", "no-abort"};

/// What is wrong with the explorations of a program, empty if nothing.
std::string differences(const Program &P, MemoryModel Buffers, const std::string &List, bool &Skipped) {
  ExplorationOptions Options = testing::exhaustively(Buffers, 4);
  Options.Machine.QuietAccesses = false;
  Options.Machine.Looked = testing::checksNamed(List);
  ExplorationOptions Plainly = Options;
  Plainly.Machine.Points = MachineOptions::Points::Off;
  const BruteForceResult Expected = exploreByBruteForce(P, Plainly, 20'000);
  Skipped = Expected.GaveUp;
  if (Skipped)
    return "";
  testing::Traces Seen;
  exploreOptimally(P, Options, Seen);
  std::string Problem;
  auto Compare = [&](const char *What, const std::set<TraceKey> &There, const std::map<TraceKey, unsigned> &Found) {
    for (const TraceKey &Key : There)
      if (!Found.count(Key))
        Problem += std::string(What) + " trace missed\n";
    for (const auto &[Key, Times] : Found)
      if (!There.count(Key) || Times > 1)
        Problem += std::string(What) + (Times > 1 ? " trace seen again\n" : " trace that does not exist\n");
  };
  Compare("complete", Expected.Complete, Seen.Complete);
  Compare("unchecked", Expected.Unchecked, Seen.Unchecked);
  return Problem;
}

void expectSameTraces(const testing::Palette &From, MemoryModel Buffers, unsigned Programs, unsigned Seed) {
  std::mt19937 Random(testing::seedOr(Seed));
  unsigned Compared = 0;
  Programs = testing::programsOr(Programs);
  for (unsigned K = 0; K < Programs; ++K) {
    testing::RandomProgram R = testing::makeProgram(Random, From, 3, 4);
    R.First = testing::BlocksFirst;
    const Program P = testing::compile(testing::requestForText(R.text()));
    const std::string &List = Lists[K % Lists.size()];
    bool Skipped = false;
    ASSERT_EQ(differences(P, Buffers, List, Skipped), "") << "program " << K << ", " << List << ":\n" << R.text();
    Compared += !Skipped;
  }
  EXPECT_GE(Compared, testing::atLeast(0.5, Programs));
}

TEST(Checks, ScHasTheSameTracesWhateverIsCheckedOnceEach) { expectSameTraces(Memory, MemoryModel::SC, 240, 1); }
TEST(Checks, TsoHasTheSameTracesWhateverIsCheckedOnceEach) { expectSameTraces(Buffered, MemoryModel::TSO, 240, 2); }
TEST(Checks, PsoHasTheSameTracesWhateverIsCheckedOnceEach) { expectSameTraces(Buffered, MemoryModel::PSO, 240, 3); }
TEST(Checks, LocalsThatEndHaveTheSameTracesWhateverIsChecked) { expectSameTraces(Locals, MemoryModel::TSO, 160, 4); }

/// Bugs of the groups in a list, among those that are found with all of them.
testing::BugNames among(const testing::BugNames &All, const std::string &List) {
  const Checks Looked = testing::checksNamed(List);
  testing::BugNames Some;
  for (const std::string &Name : All)
    if (Looked.has(*bugKindNamed(Name.substr(0, Name.find(':')))))
      Some.insert(Name);
  return Some;
}

TEST(Checks, EachKindIsFoundAloneIfItIsFoundWithTheOthers) {
  std::mt19937 Random(testing::seedOr(5));
  const unsigned Programs = testing::programsOr(60);
  unsigned Found = 0;
  for (unsigned K = 0; K < Programs; ++K) {
    testing::RandomProgram R = testing::makeProgram(Random, K % 2 ? Memory : Locals, 3, 3);
    R.First = testing::BlocksFirst;
    const std::string &List = Lists[K % Lists.size()];
    for (const testing::WayToCheck &Way : testing::waysToCheck()) {
      if (Way.Search == Engine::Lazy && Way.Which == MemoryModel::TSO)
        continue; // it ends with the first bug
      const ModelReport All = testing::checkFor("default", R.text(), Way),
                        Some = testing::checkFor(List, R.text(), Way);
      if (All.Result == Verdict::Inconclusive || All.Result == Verdict::Unsupported)
        continue;
      ASSERT_EQ(testing::bugsOf(Some), among(testing::bugsOf(All), List))
          << "program " << K << ", " << List << ", " << Way.Name << ":\n"
          << R.text();
      Found += Some.Bugs.size();
    }
  }
  EXPECT_GE(Found, testing::atLeast(0.25, Programs)) << "there should be bugs to be found";
}

TEST(Overflow, LookingForItChangesNoExecution) {
  const testing::Palette From = {Statement::Store,    Statement::Load,       Statement::Copy,     Statement::Copy,
                                 Statement::FetchAdd, Statement::RelaxedAdd, Statement::Guarded,  Statement::AwaitNot,
                                 Statement::Exchange, Statement::AssertNot,  Statement::LockedAdd};
  std::mt19937 Random(testing::seedOr(7));
  const unsigned Programs = testing::programsOr(60);
  for (unsigned K = 0; K < Programs; ++K) {
    const testing::RandomProgram R = testing::makeProgram(Random, From, 3, 3);
    for (const testing::WayToCheck &Way : testing::waysToCheck()) {
      const ModelReport Without = testing::checkFor("default", R.text(), Way);
      const ModelReport With = testing::checkFor("default,overflow", R.text(), Way);
      ASSERT_EQ(With.Result, Without.Result) << "program " << K << ", " << Way.Name << ":\n" << R.text();
      ASSERT_EQ(testing::bugsOf(With), testing::bugsOf(Without)) << Way.Name << ":\n" << R.text();
      ASSERT_EQ(With.Executions, Without.Executions) << "program " << K << ", " << Way.Name << ":\n" << R.text();
      ASSERT_EQ(With.Blocked, Without.Blocked) << "program " << K << ", " << Way.Name << ":\n" << R.text();
    }
  }
}

/// Threads that allocate, publish, take and free blocks.
std::string makeHeapProgram(std::mt19937 &Random) {
  auto Pick = [&](unsigned N) { return std::to_string(Random() % N); };
  std::string Text = "#include <pthread.h>\n#include <stdlib.h>\nstruct node { struct node *next; };\n"
                     "struct node *volatile g0, *volatile g1;\n";
  const unsigned Threads = 2 + Random() % 2;
  for (unsigned T = 0; T < Threads; ++T) {
    Text += "void *t" + std::to_string(T) + "(void *a) {\n  struct node *p = 0;\n";
    for (unsigned K = 0, Count = 1 + Random() % 3; K < Count; ++K) {
      const std::string G = "g" + Pick(2), H = "g" + Pick(2);
      switch (Random() % 6) {
      case 0:
      case 1: Text += "  p = calloc(1, sizeof *p);\n  " + G + " = p;\n"; break;
      case 2: Text += "  " + G + " = " + H + ";\n"; break;
      case 3: Text += "  " + G + " = 0;\n"; break;
      case 4: Text += "  p = calloc(1, sizeof *p); p->next = " + H + "; " + G + " = p;\n"; break;
      default: Text += "  free(__atomic_exchange_n(&" + G + ", 0, __ATOMIC_SEQ_CST));\n"; break;
      }
    }
    Text += "  return 0;\n}\n";
  }
  Text += "int main(void) {\n  pthread_t t[3];\n";
  for (unsigned T = 0; T < Threads; ++T)
    Text += "  pthread_create(&t[" + std::to_string(T) + "], 0, t" + std::to_string(T) + ", 0);\n";
  for (unsigned T = 0; T < Threads; ++T)
    Text += "  pthread_join(t[" + std::to_string(T) + "], 0);\n";
  return Text + "  return 0;\n}\n";
}

TEST(Leak, ExecutionsStatesAndGraphsLoseTheSameBlocks) {
  std::mt19937 Random(testing::seedOr(6));
  const unsigned Programs = testing::programsOr(80);
  unsigned Leaks = 0;
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = makeHeapProgram(Random);
    const std::string List = "default,leak";
    auto Bugs = [&](const testing::WayToCheck &Way) { return testing::bugsOf(testing::checkFor(List, Text, Way)); };
    const testing::BugNames Sc = Bugs({"SC", MemoryModel::SC}), Tso = Bugs({"TSO", MemoryModel::TSO}),
                            Power = Bugs({"P", MemoryModel::Power});
    const testing::BugNames States = Bugs({"states", MemoryModel::SC, Equivalence::ShashaSnir, Engine::Lazy});
    ASSERT_EQ(Sc, States) << "program " << K << ":\n" << Text;
    // What every execution of a stronger model shows, a weaker one shows too.
    ASSERT_TRUE(std::includes(Tso.begin(), Tso.end(), Sc.begin(), Sc.end())) << "program " << K << ":\n" << Text;
    ASSERT_TRUE(std::includes(Power.begin(), Power.end(), Sc.begin(), Sc.end())) << "program " << K << ":\n" << Text;
    Leaks += !Sc.empty();
    // With every interleaving.
    const Program P = testing::compile(testing::requestForText(Text));
    ExplorationOptions Options = testing::exhaustively(MemoryModel::SC, 4);
    Options.Machine.Looked = testing::checksNamed(List);
    Options.Machine.QuietAccesses = false;
    const BruteForceResult All = exploreByBruteForce(P, Options, 20'000);
    testing::Traces Seen;
    exploreOptimally(P, Options, Seen);
    std::set<TraceKey> Keys;
    for (const auto &[Key, Times] : Seen.Complete)
      Keys.insert(Key);
    if (!All.GaveUp) {
      ASSERT_EQ(Keys, All.Complete) << "program " << K << ":\n" << Text;
    }
  }
  EXPECT_GE(Leaks, testing::atLeast(0.25, Programs));
  EXPECT_GE(Programs - Leaks, testing::atLeast(0.1, Programs));
}

} // namespace
} // namespace picket
