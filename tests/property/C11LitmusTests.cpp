// C11 with the release sequences of C11 to C++17 against the answers of another tool. What `picket litmus` runs is compared
// by Litmus.C11.
#include "explore/Rsmc.h"
#include "litmus/LitmusReader.h"
#include "memory/Rc11Axioms.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace picket {
namespace {

struct Row {
  std::string Test, Model, Quantifier;
  uint64_t Holds = 0, Fails = 0, States = 0, Executions = 0, SameReads = 0, Race = 0;
  friend std::ostream &operator<<(std::ostream &Out, const Row &R) {
    return Out << R.Holds << " hold, " << R.Fails << " fail, " << R.States << " states, " << R.Executions
               << " executions";
  }
};

class Tally : public GraphObserver {
public:
  Tally(const LitmusTest &Test, Row &Into) : Test(Test), Into(Into) {}
  void ended(GraphRun &Run, Ending How) override {
    if (How != Ending::Complete)
      return;
    LitmusState State;
    for (const LitmusItem &Item : Test.Observed)
      State.push_back(Test.valueOf(Item.Thread == LitmusItem::Memory
                                       ? Run.finalValue(globalAddress(Item.Index), Test.Code.Globals[Item.Index].Size)
                                       : Run.finalRegister(Item.Thread + 1, Item.Index),
                                   Item.Width));
    ++(Test.Condition.holdsIn(State) ? Into.Holds : Into.Fails);
    States.insert(State);
    Into.States = States.size();
  }
  void restarted() override {
    Into.Holds = Into.Fails = Into.States = 0;
    States.clear();
  }

private:
  const LitmusTest &Test;
  Row &Into;
  std::set<LitmusState> States;
};

TEST(C11Litmus, AgreesWithTheOriginalReleaseSequences) {
  const std::string Folder = std::string(PICKET_LITMUS_DIR) + "/litmus-c11/";
  if (!std::filesystem::exists(Folder + "expected.tsv"))
    GTEST_SKIP() << "there are no litmus tests at " << Folder;
  std::ifstream Table(Folder + "expected.tsv");
  std::string Line;
  unsigned Compared = 0, Races = 0;
  while (std::getline(Table, Line)) {
    std::istringstream Fields(Line);
    Row Expected;
    Fields >> Expected.Test >> Expected.Model >> Expected.Quantifier >> Expected.Holds >> Expected.Fails >>
        Expected.States >> Expected.Executions >> Expected.SameReads >> Expected.Race;
    if (Expected.Model != "rc11")
      continue;
    std::ifstream File(Folder + Expected.Test + ".litmus");
    std::stringstream Text;
    Text << File.rdbuf();
    LitmusReading Reading = readLitmus(Text.str(), Expected.Test);
    ASSERT_TRUE(Reading.Test) << Expected.Test << ": " << Reading.Problem;
    const GraphModel Model = GraphModel::of<OriginalRc11Axioms>(MemoryModel::C11);
    ExplorationOptions Options;
    Options.Machine.Looked = Checks::only(BugKind::DataRace);
    Row Ignored;
    Tally UpToRace(*Reading.Test, Ignored);
    EXPECT_EQ(exploreGraphs(Reading.Test->Code, Model, Options, UpToRace).Ended == ExplorationResult::End::FirstBug,
              Expected.Race == 1)
        << Expected.Test;
    Races += Expected.Race;
    Options.Machine.Looked = Checks::none();
    Options.Exhaustive = true;
    Row Seen;
    Tally Into(*Reading.Test, Seen);
    Seen.Executions = exploreGraphs(Reading.Test->Code, Model, Options, Into).Executions;
    EXPECT_TRUE(Seen.Holds == Expected.Holds && Seen.Fails == Expected.Fails && Seen.States == Expected.States &&
                Seen.Executions == Expected.Executions)
        << Expected.Test << ": expected " << Expected << "; seen " << Seen;
    ++Compared;
  }
  EXPECT_GE(Compared, 1'142u);
  EXPECT_GT(Races, 100u);
}

} // namespace
} // namespace picket
