// C11 against the answers of another tool: every test of the collection, with both kinds of release sequences.
#include "explore/Rsmc.h"
#include "litmus/LitmusReader.h"
#include "memory/Rc11Axioms.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace picket {
namespace {

struct Row {
  std::string Test, Model, Quantifier;
  uint64_t Holds, Fails, States, Executions;
};

std::vector<Row> rows(const std::string &Table) {
  std::vector<Row> All;
  std::ifstream In(Table);
  std::string Line;
  std::getline(In, Line);
  while (std::getline(In, Line)) {
    std::istringstream Fields(Line);
    Row R;
    Fields >> R.Test >> R.Model >> R.Quantifier >> R.Holds >> R.Fails >> R.States >> R.Executions;
    All.push_back(R);
  }
  return All;
}

class Tally : public GraphObserver {
public:
  explicit Tally(const LitmusTest &Test) : Test(Test) {}
  void ended(GraphRun &Run, Ending How) override {
    if (How != Ending::Complete)
      return;
    LitmusState State;
    for (const LitmusItem &Item : Test.Observed)
      State.push_back(Test.valueOf(Item.Thread == LitmusItem::Memory
                                       ? Run.finalValue(globalAddress(Item.Index), Test.Code.Globals[Item.Index].Size)
                                       : Run.finalRegister(Item.Thread + 1, Item.Index),
                                   Item.Width));
    ++(Test.Condition.holdsIn(State) ? Holds : Fails);
    ++States[State];
  }
  void restarted() override {
    Holds = Fails = 0;
    States.clear();
  }
  const LitmusTest &Test;
  uint64_t Holds = 0, Fails = 0;
  std::map<LitmusState, uint64_t> States;
};

void compare(const std::string &Collection, uint64_t AtLeast) {
  const std::string Folder = std::string(PICKET_LITMUS_DIR) + "/" + Collection + "/";
  if (!std::filesystem::exists(Folder + "expected.tsv"))
    GTEST_SKIP() << "there are no litmus tests at " << Folder;
  uint64_t Compared = 0, Different = 0, Rejected = 0, All = 0;
  for (const Row &R : rows(Folder + "expected.tsv")) {
    if (R.Model == "sc")
      continue;
    std::ifstream In(Folder + R.Test + ".litmus");
    std::stringstream Text;
    Text << In.rdbuf();
    LitmusReading Reading = readLitmus(Text.str(), R.Test);
    ASSERT_TRUE(Reading.Test) << R.Test;
    if (Reading.Test->Code.FailsForNoReason)
      continue;
    ExplorationOptions Options;
    Options.Exhaustive = true;
    Tally Found(*Reading.Test);
    const GraphModel Model = R.Model == "armv8"  ? GraphModel(MemoryModel::Armv8)
                             : R.Model == "rc11" ? GraphModel::of<OriginalRc11Axioms>(MemoryModel::C11)
                                                 : GraphModel(MemoryModel::C11);
    const ExplorationResult Result = exploreGraphs(Reading.Test->Code, Model, Options, Found);
    ++Compared;
    All += Result.Executions;
    Rejected += Result.RejectedBranches + Result.Blocked;
    if (Found.Holds != R.Holds || Found.Fails != R.Fails || Found.States.size() != R.States ||
        Result.Executions != R.Executions) {
      if (++Different < 40)
        ADD_FAILURE() << R.Test << ' ' << R.Model << ": expected " << R.Holds << '/' << R.Fails << " states "
                      << R.States << " executions " << R.Executions << "; found " << Found.Holds << '/' << Found.Fails
                      << " states " << Found.States.size() << " executions " << Result.Executions << ' '
                      << Result.Reason;
    }
  }
  std::printf("compared %llu, different %llu; executions %llu, rejected %llu\n", (unsigned long long)Compared,
              (unsigned long long)Different, (unsigned long long)All, (unsigned long long)Rejected);
  EXPECT_EQ(Different, 0u);
  EXPECT_GE(Compared, AtLeast);
}

TEST(WeakLitmus, C11) { compare("litmus-c11", 2'284); }
TEST(WeakLitmus, AArch64) { compare("litmus-aarch64", 2'299); }

} // namespace
} // namespace picket
