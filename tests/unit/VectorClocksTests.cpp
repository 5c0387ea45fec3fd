// Vector clocks: joining them, and going back to what processes had seen.
#include "explore/VectorClocks.h"

#include <gtest/gtest.h>

using namespace picket;

TEST(VectorClocks, JoiningTakesTheLaterOfEachProcess) {
  VectorClocks Clocks;
  Clocks.makeRoomForProcesses(2);
  Clocks.ofProcess(0)[0] = 3;
  Clocks.ofProcess(1)[1] = 2;
  EXPECT_FALSE(Clocks.covers(Clocks.ofProcess(0), Clocks.ofProcess(1)));
  Clocks.join(Clocks.ofProcess(0), Clocks.ofProcess(1));
  EXPECT_EQ(Clocks.ofProcess(0)[0], 3u);
  EXPECT_EQ(Clocks.ofProcess(0)[1], 2u);
  EXPECT_EQ(Clocks.numSeen(Clocks.ofProcess(0)), 5u);
  EXPECT_TRUE(Clocks.covers(Clocks.ofProcess(0), Clocks.ofProcess(1)));
  EXPECT_TRUE(Clocks.areConsistent());
}

TEST(VectorClocks, NobodyHasSeenMoreOfAProcessThanThereIs) {
  VectorClocks Clocks;
  Clocks.makeRoomForProcesses(2);
  Clocks.ofProcess(0)[1] = 1;
  EXPECT_FALSE(Clocks.areConsistent());
  Clocks.ofProcess(1)[1] = 1;
  EXPECT_TRUE(Clocks.areConsistent());
}

TEST(VectorClocks, RestoringGoesBackToTheFirstOfSeveralChangesInAStep) {
  VectorClocks Clocks;
  Clocks.makeRoomForProcesses(3);
  Clocks.beginChanges(0);
  const size_t Before = Clocks.numSaved();
  const uint64_t Hash = Clocks.hashOfProcesses(3);
  for (uint32_t Change = 1; Change < 4; ++Change) {
    Clocks.save(1);
    Clocks.ofProcess(1)[1] = Change;
  }
  EXPECT_EQ(Clocks.numSaved(), Before + 1);
  EXPECT_NE(Clocks.hashOfProcesses(3), Hash);
  Clocks.restoreTo(Before);
  EXPECT_EQ(Clocks.ofProcess(1)[1], 0u);
  EXPECT_EQ(Clocks.hashOfProcesses(3), Hash);
}

TEST(VectorClocks, ClocksStayWhatTheyAreWhenThereAreMoreProcesses) {
  VectorClocks Clocks;
  Clocks.makeRoomForThreads(1);
  Clocks.makeRoomForProcesses(8);
  Clocks.addEvent();
  Clocks.ofProcess(7)[7] = 5;
  Clocks.copy(Clocks.ofEvent(0), Clocks.ofProcess(7));
  Clocks.setOfEntry(0, 2, Clocks.ofProcess(7));
  Clocks.beginChanges(0);
  Clocks.save(7);
  Clocks.ofProcess(7)[7] = 6;
  Clocks.makeRoomForProcesses(100);
  EXPECT_GE(Clocks.stride(), 100u);
  EXPECT_EQ(Clocks.ofEvent(0)[7], 5u);
  EXPECT_EQ(Clocks.ofEntry(0, 2)[7], 5u);
  EXPECT_EQ(Clocks.ofProcess(7)[7], 6u);
  EXPECT_EQ(Clocks.ofProcess(99)[99], 0u);
  Clocks.restoreTo(0);
  EXPECT_EQ(Clocks.ofProcess(7)[7], 5u);
  EXPECT_THROW(Clocks.makeRoomForProcesses(VectorClocks::MaxProcesses + 1), VectorClocks::TooManyProcesses);
}
