// How far a check is said to have come.
#include "CheckEstimate.h"

#include <gtest/gtest.h>

using namespace picket;

namespace {

TEST(CheckEstimate, IsAboutAllModelsTogether) {
  CheckEstimate E({MemoryModel::SC, MemoryModel::TSO}, 1, 0);
  E.add({MemoryModel::SC, 100, 0.5, 2}); // 4 s, and TSO will take at least as long
  EXPECT_EQ(25, E.percentage());
  EXPECT_DOUBLE_EQ(6, *E.secondsLeft());
  E.add({MemoryModel::TSO, 300, 0.25, 4}); // 16 s
  E.add({MemoryModel::SC, 200, 1, 4});
  EXPECT_EQ(40, E.percentage());
  EXPECT_DOUBLE_EQ(12, *E.secondsLeft());
  EXPECT_EQ("TSO: 1 234 567 executions, about 40 % done, some 12 s left",
            progressText({MemoryModel::TSO, 1234567, 0.25, 4}, E));
}

TEST(CheckEstimate, ModelsSideBySideTakeTheTimeOfTheLongest) {
  CheckEstimate E({MemoryModel::SC, MemoryModel::TSO}, 2, 0);
  E.add({MemoryModel::SC, 1, 0.5, 4});
  E.add({MemoryModel::TSO, 1, 0.25, 4});
  EXPECT_DOUBLE_EQ(12, *E.secondsLeft());
}

TEST(CheckEstimate, NeitherFallsNorReachesTheEndBeforeIt) {
  CheckEstimate E({MemoryModel::SC}, 1, 0);
  E.add({MemoryModel::SC, 1, 0.6, 1});
  E.add({MemoryModel::SC, 1, 0.2, 2}); // branches were found
  EXPECT_EQ(60, E.percentage());
  E.add({MemoryModel::SC, 1, 0.9999, 3});
  EXPECT_EQ(99, E.percentage());
  E.add({MemoryModel::SC, 1, 1, 3});
  EXPECT_EQ(99, E.percentage());
}

TEST(CheckEstimate, TheTimeLimitIsTheMostItCanTake) {
  CheckEstimate E({MemoryModel::SC}, 1, 20);
  E.add({MemoryModel::SC, 7, 0.1, 15}); // 150 s without the limit
  EXPECT_TRUE(E.isLimited());
  EXPECT_DOUBLE_EQ(5, *E.secondsLeft());
  EXPECT_EQ("SC: 7 executions, about 10 % done, at most 5 s left", progressText({MemoryModel::SC, 7, 0.1, 15}, E));
}

TEST(CheckEstimate, SaysNothingBeforeItCanTell) {
  CheckEstimate E({MemoryModel::SC}, 1, 0);
  E.add({MemoryModel::SC, 1, 0, 0.1});
  EXPECT_EQ(0, E.percentage());
  EXPECT_FALSE(E.secondsLeft());
  EXPECT_EQ("SC: 1 execution, less than 1 % done", progressText({MemoryModel::SC, 1, 0, 0.1}, E));
  E.add({MemoryModel::SC, 1, 0.04, 2}); // early shares are seldom right
  EXPECT_FALSE(E.secondsLeft());
  E.add({MemoryModel::SC, 9, -1, 3}); // an exploration that cannot tell
  EXPECT_FALSE(E.percentage());
  EXPECT_EQ("SC: 9 executions", progressText({MemoryModel::SC, 9, -1, 3}, E));
}

/// The explorer's own estimate against the truth: n writers of one variable have n! executions.
TEST(CheckEstimate, OfAnExplorationIsNearTheTruth) {
  CheckRequest Request;
  Request.Text.File = "/virtual/writers.c";
  Request.Text.UseCompileCommands = false;
  Request.Text.Unsaved[Request.Text.File] = R"(#include <pthread.h>
volatile int x;
void *writer(void *value) { x = (int)(long)value; return 0; }
int main(void) {
  pthread_t t[9];
  for (long i = 0; i < 9; ++i) pthread_create(&t[i], 0, writer, (void *)i);
  for (int i = 0; i < 9; ++i) pthread_join(t[i], 0);
})";
  Request.Options.Models = {MemoryModel::TSO};
  // A worker only guesses how far others have come.
  for (auto [Jobs, Near] : {std::pair(1u, .1), std::pair(2u, .3)}) {
    Request.Options.Jobs = Jobs;
    std::vector<Progress> Told;
    const CheckReport Report = check(Request, [&](const Progress &P) { Told.push_back(P); });
    const auto All = static_cast<double>(Report.Models[0].Executions);
    ASSERT_EQ(362880, All);
    ASSERT_GE(Told.size(), 2u);
    for (const Progress &P : Told)
      EXPECT_NEAR(static_cast<double>(P.Executions) / All, P.Explored, Near);
    EXPECT_EQ(1, Told.back().Explored) << "the end is told";
  }
}

} // namespace
