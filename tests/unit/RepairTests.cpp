// Repairs of textbook programs, with known answers.
#include "support/Graphs.h"
#include "support/MessagePassing.h"
#include "support/Repairs.h"
#include "support/StoreBuffering.h"
#include "trace/RecordingNames.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::compile;
using testing::optionsFor;
using testing::requestForProgram;
using testing::requestForText;

using Outcome = RepairResult::Outcome;

/// Lines behind or in front of which full fences go, and the lines of orders, as far as all are of that kind.
std::vector<uint32_t> fenceLines(const Repair &R, FenceKind Kind) {
  std::vector<uint32_t> Lines;
  for (const SourceChange &Change : R.Changes) {
    const auto *Fence = std::get_if<InsertFence>(&Change);
    EXPECT_TRUE(Fence && Fence->Kind == Kind);
    if (Fence)
      Lines.push_back(Fence->NearLater ? Fence->Later.Line : Fence->Earlier.Line);
  }
  std::sort(Lines.begin(), Lines.end());
  return Lines;
}

/// Two threads with text of their own, as in a textbook.
const char *const Peterson = R"(#include <assert.h>
#include <pthread.h>
volatile int flag0, flag1, turn;
volatile int inside;
void *first(void *p) {
  flag0 = 1;
  turn = 1;
  while (flag1 && turn == 1)
    ;
  inside = 1;
  assert(inside == 1);
  flag0 = 0;
  return p;
}
void *second(void *p) {
  flag1 = 1;
  turn = 0;
  while (flag0 && turn == 0)
    ;
  inside = 2;
  assert(inside == 2);
  flag1 = 0;
  return p;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
)";

const std::string MessagePassing = testing::messagePassing("memory_order_relaxed", "memory_order_relaxed");

TEST(Repair, StoreBufferingNeedsAFullFenceInEachThread) {
  const Program P = compile(requestForText(testing::StoreBuffering));
  for (const std::vector<MemoryModel> &Models : {std::vector{MemoryModel::TSO}, std::vector{MemoryModel::PSO},
                                                 std::vector{MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}}) {
    const CheckOptions Options = optionsFor(Models);
    Repairer Repairs = testing::repairerOf(P, Options);
    const RepairResult Result = Repairs.find(true, true);
    ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
    EXPECT_EQ(fenceLines(*Result.Found, FenceKind::Full), (std::vector<uint32_t>{4, 5}));
    EXPECT_TRUE(Result.Found->Cheapest);
    EXPECT_EQ(Result.Found->Models.size(), Models.size());
    EXPECT_EQ(testing::problemOf(P, Repairs, *Result.Found, Options), "");
    EXPECT_EQ(testing::fewestChanges(P, Options, 3), 2u);
  }
}

TEST(Repair, PetersonUnderTsoNeedsAFullFenceInEachThread) {
  const Program P = compile(requestForText(Peterson));
  const CheckOptions Options = optionsFor({MemoryModel::TSO});
  Repairer Repairs = testing::repairerOf(P, Options);
  const RepairResult Result = Repairs.find(true, true);
  ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
  const std::vector<uint32_t> Lines = fenceLines(*Result.Found, FenceKind::Full);
  ASSERT_EQ(Lines.size(), 2u);
  EXPECT_TRUE(Lines[0] >= 6 && Lines[0] <= 8 && Lines[1] >= 16 && Lines[1] <= 18) << Lines[0] << ", " << Lines[1];
  EXPECT_TRUE(Result.Found->Cheapest);
  EXPECT_EQ(testing::problemOf(P, Repairs, *Result.Found, Options), "");
  EXPECT_EQ(testing::fewestChanges(P, Options, 2), 2u);
}

TEST(Repair, PublicationUnderPsoNeedsAReleaseFence) {
  const Program P = compile(requestForProgram("publication"));
  const RepairResult Result = testing::repair(P, optionsFor({MemoryModel::PSO}));
  ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
  EXPECT_EQ(fenceLines(*Result.Found, FenceKind::Release).size(), 1u);
  EXPECT_TRUE(Result.Found->Minimal && Result.Found->Cheapest);
}

TEST(Repair, AnAtomicFlagBecomesAReleaseStore) {
  const Program P = compile(requestForText(MessagePassing));
  const CheckOptions Options = optionsFor({MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO});
  Repairer Repairs = testing::repairerOf(P, Options);
  const RepairResult Best = Repairs.find(true, true);
  ASSERT_EQ(Best.What, Outcome::Repaired) << Best.Reason;
  ASSERT_EQ(Best.Found->Changes.size(), 1u);
  const auto *Order = std::get_if<ChangeOrder>(&Best.Found->Changes[0]);
  ASSERT_TRUE(Order);
  EXPECT_EQ(Order->Access.Line, 8u);
  EXPECT_EQ(Order->From, picket::Order::Relaxed);
  EXPECT_EQ(Order->To, picket::Order::Release);
  // The same with a fence is an alternative; it costs more.
  const RepairResult Fences = Repairs.find(true, false);
  ASSERT_EQ(Fences.What, Outcome::Repaired);
  EXPECT_EQ(fenceLines(*Fences.Found, FenceKind::Release).size(), 1u);
  EXPECT_GT(Fences.Found->Cost, Best.Found->Cost);
  // What is forbidden is not used.
  Repairs.forbid(Best.Found->Changes[0]);
  const RepairResult Without = Repairs.find(false, true);
  ASSERT_EQ(Without.What, Outcome::Repaired);
  EXPECT_NE(Without.Found->Changes, Best.Found->Changes);
}

TEST(Repair, UnderPowerTheReaderHasToHoldStillToo) {
  const Program P = compile(requestForText(MessagePassing));
  const CheckOptions Options = optionsFor({MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power});
  Repairer Repairs = testing::repairerOf(P, Options);
  const RepairResult Result = Repairs.find(true, true);
  ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
  std::vector<std::pair<uint32_t, picket::Order>> Orders;
  for (const SourceChange &Change : Result.Found->Changes)
    if (const auto *Order = std::get_if<ChangeOrder>(&Change))
      Orders.emplace_back(Order->Access.Line, Order->To);
  std::sort(Orders.begin(), Orders.end());
  EXPECT_EQ(Orders, (std::vector<std::pair<uint32_t, picket::Order>>{{8, Order::Release}, {12, Order::Acquire}}));
  EXPECT_EQ(testing::problemOf(P, Repairs, *Result.Found, Options), "");
}

TEST(Repair, CostsDecide) {
  const Program P = compile(requestForText(MessagePassing));
  const CheckOptions Options = optionsFor({MemoryModel::PSO});
  RepairOptions Dear;
  Dear.Costs.ReleaseAcquire = 9;
  Dear.Costs.SeqCst = 9;
  Repairer Repairs(P, bugChecker("/test.c", Options, Thoroughness::Cycle, nullptr), Dear, nullptr);
  const RepairResult Result = Repairs.find(true, true);
  ASSERT_EQ(Result.What, Outcome::Repaired);
  EXPECT_EQ(fenceLines(*Result.Found, FenceKind::Release).size(), 1u);
}

TEST(Repair, ProgramsWithSeqCstUpdatesNeedNothing) {
  for (const char *Name : {"cas_lock", "tas_lock", "increments", "store_buffering_c11"}) {
    const Program P = compile(requestForProgram(Name));
    const RepairResult Result = testing::repair(P, optionsFor({MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}));
    EXPECT_EQ(Result.What, Outcome::NothingToDo) << Name << ": " << Result.Reason;
    EXPECT_FALSE(Result.Found);
  }
}

TEST(Repair, ABugUnderScIsRefusedAndShown) {
  const Program P = compile(requestForProgram("racy_counter"));
  const RepairResult Result = testing::repair(P, optionsFor({MemoryModel::TSO, MemoryModel::PSO}));
  ASSERT_EQ(Result.What, Outcome::Refused);
  EXPECT_NE(Result.Reason.find("sequential consistency"), std::string::npos) << Result.Reason;
  ASSERT_TRUE(Result.Shown && Result.Shown->Trace);
  EXPECT_EQ(Result.ShownUnder, MemoryModel::SC);
  EXPECT_EQ(Result.Shown->Trace->Run.Model, MemoryModel::SC);
}

TEST(Repair, WhatIsNotModelledIsRefusedWithItsReason) {
  const Program P = compile(requestForText("void mystery(void);\nint main(void) { mystery(); }\n"));
  const RepairResult Result = testing::repair(P, optionsFor({MemoryModel::TSO}));
  ASSERT_EQ(Result.What, Outcome::Refused);
  EXPECT_NE(Result.Reason.find("mystery"), std::string::npos) << Result.Reason;
}

TEST(Repair, PlacesThatAreAllForbiddenAreUsedUp) {
  const Program P = compile(requestForText(testing::StoreBuffering));
  Repairer Repairs = testing::repairerOf(P, optionsFor({MemoryModel::TSO}));
  ASSERT_EQ(Repairs.find(true, true).What, Outcome::Repaired);
  for (uint32_t K = 0; K < Repairs.candidates().size(); ++K)
    Repairs.forbid(K);
  const RepairResult Result = Repairs.find(true, true);
  ASSERT_EQ(Result.What, Outcome::Refused);
  EXPECT_NE(Result.Reason.find("no place"), std::string::npos) << Result.Reason;
}

TEST(Repair, TextThatIsThereSeveralTimesIsChangedEverywhere) {
  // Both threads inline the same function: one fence in its text does for both.
  const Program P = compile(requestForText(R"(#include <assert.h>
#include <pthread.h>
int x, y, a, b;
static int exchange(int *mine, int *theirs) {
  *mine = 1;
  return *theirs;
}
void *left(void *p) { a = exchange(&x, &y); return p; }
void *right(void *p) { b = exchange(&y, &x); return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a || b);
}
)"));
  const CheckOptions Options = optionsFor({MemoryModel::TSO});
  Repairer Repairs = testing::repairerOf(P, Options);
  const RepairResult Result = Repairs.find(true, true);
  ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
  EXPECT_EQ(fenceLines(*Result.Found, FenceKind::Full), (std::vector<uint32_t>{5}));
  EXPECT_EQ(Result.Found->Edit.Fences.size(), 2u);
  EXPECT_EQ(testing::problemOf(P, Repairs, *Result.Found, Options), "");
}

TEST(Repair, AccessesInsideOfCallsAreFencedWhereTheyAre) {
  // The place after the call lies between the accesses as well, but a fence belongs to the function of the access.
  const Program P = compile(requestForText(R"(#include <assert.h>
#include <pthread.h>
int x, y, a, b;
static void set(int *it) { *it = 1; }
static int get(int *it) { return *it; }
void *left(void *p) {
  set(&x);
  a = get(&y);
  return p;
}
void *right(void *p) {
  y = 1;
  __sync_synchronize();
  b = x;
  return p;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a || b);
}
)"));
  const RepairResult Result = testing::repair(P, optionsFor({MemoryModel::TSO}));
  ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
  ASSERT_EQ(Result.Found->Changes.size(), 1u);
  const auto &Fence = std::get<InsertFence>(Result.Found->Changes[0]);
  EXPECT_EQ(Fence.Earlier.Line, 4u);
}

TEST(Repair, APlaceWhereWaysMeetDoesForAll) {
  // Two stores before and two loads behind: one fence between the branches instead of two.
  const Program P = compile(requestForText(R"(#include <assert.h>
#include <pthread.h>
volatile int which, x, y, a = 1, b = 1;
void *left(void *p) {
  if (which & 1)
    x = 1;
  else
    x = 2;
  if (which & 2)
    a = y;
  else
    a = y;
  return p;
}
void *right(void *p) {
  y = 1;
  __sync_synchronize();
  b = x;
  return p;
}
int main(void) {
  pthread_t t, u, v;
  pthread_create(&v, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  which = 3;
  pthread_join(v, 0);
  pthread_join(u, 0);
  assert(a || b);
}
)"));
  const CheckOptions Options = optionsFor({MemoryModel::TSO});
  Repairer Repairs = testing::repairerOf(P, Options);
  const RepairResult Result = Repairs.find(true, true);
  ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
  EXPECT_EQ(fenceLines(*Result.Found, FenceKind::Full).size(), 1u);
  EXPECT_EQ(testing::problemOf(P, Repairs, *Result.Found, Options), "");
}

TEST(Repair, IsCancelledAtAnyTime) {
  const Program P = compile(requestForProgram("lamport_fast"));
  // Cancelled in the first check, the second, ... until there is nothing left to be cancelled.
  for (unsigned Allowed = 0;; ++Allowed) {
    std::atomic<bool> Cancel = false;
    RoundChecker Inner = bugChecker("/test.c", optionsFor({MemoryModel::PSO}), Thoroughness::Cycle, &Cancel);
    unsigned Calls = 0;
    RoundChecker Counting = [&](const Program &Edited, double Seconds) {
      if (Calls++ == Allowed)
        Cancel = true;
      return Inner(Edited, Seconds);
    };
    Repairer Repairs(P, Counting, {}, &Cancel);
    const RepairResult Result = Repairs.find(true, true);
    if (!Cancel) {
      EXPECT_EQ(Result.What, Outcome::Repaired);
      EXPECT_TRUE(Result.Found->Minimal);
      EXPECT_GT(Allowed, 3u);
      break;
    }
    EXPECT_EQ(Calls, Allowed + 1) << "checked on";
    // What passed before is a repair that was not proved to be minimal.
    if (Result.What == Outcome::Repaired) {
      EXPECT_FALSE(Result.Found->Minimal);
    } else {
      EXPECT_EQ(Result.What, Outcome::GaveUp);
      EXPECT_EQ(Result.Reason, "cancelled");
    }
  }
}

TEST(Repair, WhatIsFoundAfterALimitIsMinimalAndNotSaidToBeCheapest) {
  const Program P = compile(requestForProgram("peterson"));
  for (const auto &[Rounds, Share] : {std::pair{2u, 1.0}, std::pair{0u, 1e-9}}) {
    RepairOptions Options;
    Options.MaxRounds = Rounds;
    Options.TimeoutSeconds = 600;
    Options.ShareOfSearch = Share;
    Repairer Repairs(P, bugChecker("/test.c", optionsFor({MemoryModel::Power}), Thoroughness::All, nullptr), Options,
                     nullptr);
    const RepairResult Result = Repairs.find(true, true);
    ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
    EXPECT_TRUE(Result.Found->Minimal);
    EXPECT_FALSE(Result.Found->Cheapest);
    EXPECT_EQ(testing::problemOf(P, Repairs, *Result.Found, optionsFor({MemoryModel::Power})), "");
  }
}

TEST(Repair, UnderPowerTheCheapestIsFoundInAFewRounds) {
  const Program P = compile(requestForProgram("peterson"));
  Repairer Repairs(P, bugChecker("/test.c", optionsFor({MemoryModel::Power}), Thoroughness::All, nullptr), {}, nullptr);
  const RepairResult Result = Repairs.find(true, true);
  ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
  EXPECT_TRUE(Result.Found->Cheapest);
  EXPECT_LT(Repairs.rounds(), 40u);
}

TEST(Repair, OneFenceDoesForSeveralModels) {
  // What PSO wants as a release fence POWER may want as well, behind a load.
  for (const char *Name : {"litmus_s", "litmus_r", "publication", "dekker"}) {
    const Program P = compile(requestForProgram(Name));
    const CheckOptions Options = optionsFor({MemoryModel::PSO, MemoryModel::Power});
    const RepairResult Result = testing::cheapestRepair(P, Options);
    ASSERT_EQ(Result.What, Outcome::Repaired) << Name << ": " << Result.Reason;
    EXPECT_TRUE(Result.Found->Cheapest) << Name;
    EXPECT_EQ(testing::cheaperThan(P, Options, *Result.Found, 400), testing::Search::NotFound) << Name;
  }
}

TEST(Repair, AnExecutionIsFollowedThroughOtherFences) {
  // A full fence in each thread prevents it; one, or light ones in both, do not.
  const Program P = compile(requestForText(testing::StoreBuffering));
  CheckOptions Options = optionsFor({MemoryModel::Power});
  const CheckReport Report = checkCompiled("/test.c", {P, {}}, Options);
  ASSERT_FALSE(Report.Models.front().Bugs.empty());
  const Recording &Run = Report.Models.front().Bugs.front().Trace->Run;
  auto Happens = [&](std::vector<std::pair<uint32_t, FenceKind>> Fences) { // by lines
    ProgramEdit Edit;
    for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc)
      for (auto [Line, Kind] : Fences)
        if (P.Code[Pc].Op == Opcode::Load && P.Locations[P.CodeLocations[Pc]].Line == Line)
          Edit.Fences.push_back({{Pc, false}, Kind});
    EXPECT_EQ(Edit.Fences.size(), Fences.size());
    return stillHappens(edited(P, Edit).Code, Run, {});
  };
  EXPECT_TRUE(Happens({}));
  EXPECT_TRUE(Happens({{4, FenceKind::Full}}));
  EXPECT_TRUE(Happens({{5, FenceKind::Full}}));
  EXPECT_TRUE(Happens({{4, FenceKind::LwSync}, {5, FenceKind::LwSync}}));
  EXPECT_TRUE(Happens({{4, FenceKind::Full}, {5, FenceKind::LwSync}}));
  EXPECT_FALSE(Happens({{4, FenceKind::Full}, {5, FenceKind::Full}}));
}

TEST(Repair, UnderPowerAFenceBehindADivisionIsOneInFrontOfIt) {
  // The division waits for what was read; where the fence stands beside it makes no difference: such places count as
  // one.
  const Program P = compile(requestForText(R"(#include <assert.h>
#include <pthread.h>
volatile int data, ready, seen;
void *sender(void *p) {
  data = 1;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  ready = 1;
  return p;
}
void *receiver(void *p) {
  int r = ready;
  if (r != 7) {
    int q = 10 / (r + 1);
    seen = q == 5 && !data;
  }
  return p;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, sender, 0);
  pthread_create(&u, 0, receiver, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(!seen);
}
)"));
  auto Division = std::find_if(P.Code.begin(), P.Code.end(), [](const Instruction &I) { return I.Op == Opcode::SDiv; });
  ASSERT_NE(Division, P.Code.end());
  const auto At = static_cast<uint32_t>(Division - P.Code.begin());
  for (FenceKind Kind : {FenceKind::Full, FenceKind::LwSync, FenceKind::ISync}) {
    testing::GraphTraces Traces[2];
    for (bool Behind : {false, true}) {
      ProgramEdit Edit;
      Edit.Fences = {{{At, Behind}, Kind}};
      exploreGraphs(edited(P, Edit).Code, MemoryModel::Power, testing::exhaustively(MemoryModel::SC), Traces[Behind]);
    }
    EXPECT_TRUE(Traces[0].areAmong(Traces[1]) && Traces[1].areAmong(Traces[0])) << fenceText(Kind);
    EXPECT_TRUE(Traces[0].Bugs.empty() && Traces[1].Bugs.empty()) << fenceText(Kind);
  }
  testing::GraphTraces Unfenced;
  exploreGraphs(P, MemoryModel::Power, testing::exhaustively(MemoryModel::SC), Unfenced);
  EXPECT_FALSE(Unfenced.Bugs.empty());
}

TEST(Repair, TheTimeLimitIsKept) {
  const Program P = compile(requestForProgram("lamport_fast"));
  RepairOptions Options;
  Options.TimeoutSeconds = 1e-6;
  Repairer Repairs(P, bugChecker("/test.c", optionsFor({MemoryModel::PSO}), Thoroughness::Cycle, nullptr), Options,
                   nullptr);
  const RepairResult Result = Repairs.find(true, true);
  EXPECT_EQ(Result.What, Outcome::GaveUp);
  EXPECT_NE(Result.Reason.find("time"), std::string::npos) << Result.Reason;
}

TEST(Repair, WhatTheProofCoversIsSaid) {
  const char *const Text = R"(#include <assert.h>
#include <pthread.h>
volatile int x, y, a = 1, b = 1, n;
void *left(void *p) {
  x = 1;
  a = y;
  while (!b) n = n + 1;
  return p;
}
void *right(void *p) { y = 1; b = x; n = 0; return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  pthread_join(u, 0);
  assert(a || b);
}
)";
  const Program P = compile(requestForText(Text));
  const RepairResult Result = testing::repair(P, optionsFor({MemoryModel::TSO}, 3));
  ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
  EXPECT_TRUE(Result.Found->isBounded());
}

/// Another aim: a check that knows only pairs of instructions, as monitors do.
TEST(Repair, AnyAimThatNamesReorderedPairsWillDo) {
  const Program P = compile(requestForText(testing::StoreBuffering));
  // A store may not be followed by a load of something else without a full fence between them.
  RoundChecker NoStoreLoad = [](const Program &Edited, double) {
    RoundReport Round;
    for (uint32_t Pc = 0; Pc < Edited.Code.size(); ++Pc) {
      if (Edited.Code[Pc].Op != Opcode::Store)
        continue;
      uint32_t Next = Pc + 1;
      while (goesOn(Edited.Code[Next].Op) && Edited.Code[Next].Op != Opcode::Load &&
             Edited.Code[Next].Op != Opcode::Fence)
        ++Next;
      if (Edited.Code[Next].Op != Opcode::Load)
        continue;
      Round.What = RoundReport::Result::Violated;
      Round.Violations.push_back({MemoryModel::TSO, {{{{Pc}, {Next}}, 0, false}}, true});
    }
    return Round;
  };
  Repairer Repairs(P, NoStoreLoad, {}, nullptr);
  const RepairResult Result = Repairs.find(true, true);
  ASSERT_EQ(Result.What, Outcome::Repaired) << Result.Reason;
  EXPECT_EQ(fenceLines(*Result.Found, FenceKind::Full), (std::vector<uint32_t>{4, 5}));
}

TEST(Repair, TextbookProgramsAreRepaired) {
  for (const char *Name : {"peterson", "dekker", "szymanski", "bakery", "lamport_fast", "publication", "chase_lev"}) {
    const Program P = compile(requestForProgram(Name));
    const RepairResult Result = testing::repair(P, optionsFor({MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}));
    EXPECT_EQ(Result.What, Outcome::Repaired) << Name << ": " << Result.Reason;
  }
}

} // namespace
} // namespace picket
