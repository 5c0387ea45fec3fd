// Wakeup trees that go from one worker to another.
#include "explore/WakeupTree.h"

#include <gtest/gtest.h>

#include <deque>

using namespace picket;

namespace {

/// Steps of so many threads, each of which writes a cell that all of them write.
class Steps {
public:
  explicit Steps(uint32_t Length) {
    for (uint32_t K = 0; K < Length; ++K) {
      Footprint &F = Touched.emplace_back();
      F.Owner = K;
      F.add({0, CellAccess::Write, 0});
    }
  }

  /// All of them in turn, with that one first.
  std::vector<WakeupStep> startingWith(uint32_t First) const {
    std::vector<WakeupStep> Sequence;
    for (uint32_t K = 0; K < Touched.size(); ++K) {
      const uint32_t Which = (First + K) % static_cast<uint32_t>(Touched.size());
      Sequence.push_back({Which, Which, &Touched[Which]});
    }
    return Sequence;
  }

private:
  std::deque<Footprint> Touched;
};

/// The processes of a tree that has one branch; it is used up.
std::vector<ProcessId> exploredIn(WakeupTrees &By, WakeupNode *Tree) {
  std::vector<ProcessId> Seen;
  while (Tree) {
    Seen.push_back(Tree->Process);
    WakeupNode *Child = By.child(*Tree);
    By.dropFirst(Tree);
    EXPECT_EQ(Tree, nullptr);
    Tree = Child;
  }
  return Seen;
}

std::vector<ProcessId> processesOf(const std::vector<WakeupStep> &Sequence) {
  std::vector<ProcessId> All;
  for (const WakeupStep &Step : Sequence)
    All.push_back(Step.Process);
  return All;
}

} // namespace

TEST(WakeupTree, OneWorkerPlansAndAnotherExplores) {
  for (uint32_t Length : {5u, 500u}) { // nodes, and a chain of what is recorded
    WakeupStore Store;
    WakeupTrees Planner(Store), Explorer(Store);
    Steps All(Length);
    uint64_t BytesAtFirst = 0;
    for (uint32_t Round = 0; Round < 1'000; ++Round) {
      Planner.newExecution();
      WakeupNode *Planned = nullptr;
      for (uint32_t First = 0; First < 3; ++First) {
        std::vector<WakeupStep> Sequence = All.startingWith(First);
        EXPECT_TRUE(Planner.insert(Planned, Sequence, 1));
      }
      // The second is begun early; a sequence that it leads is explored there, and need not be planned again.
      WakeupNode *Second = Explorer.takeTree(Planned, Planned->Next);
      EXPECT_TRUE(Planned->Next->Mark);
      std::vector<WakeupStep> Again = All.startingWith(1), Other = All.startingWith(3);
      Planner.insert(Planned, Again, 1);
      Planner.insert(Planned, Other, 1); // recorded behind what the other one reads
      EXPECT_EQ(exploredIn(Explorer, Second), processesOf(All.startingWith(1)));
      EXPECT_EQ(exploredIn(Explorer, Explorer.takeTree(Planned, Planned)), processesOf(All.startingWith(0)));
      Explorer.dropFirst(Planned); // the mark
      EXPECT_EQ(exploredIn(Explorer, Explorer.takeTree(Planned, Planned)), processesOf(All.startingWith(2)));
      EXPECT_EQ(exploredIn(Explorer, Explorer.takeTree(Planned, Planned)), processesOf(All.startingWith(3)));
      EXPECT_EQ(Planned, nullptr);
      if (Round == 500)
        BytesAtFirst = Store.bytes();
    }
    // What the one gives back is the other's to use.
    EXPECT_GT(BytesAtFirst, 0u);
    EXPECT_EQ(Store.bytes(), BytesAtFirst);
  }
}
