// Programs with fences put in and taken out: the listing is right, and so is what they do.
#include "fences/ProgramEdit.h"
#include "program/Operands.h"
#include "support/Explore.h"
#include "support/StoreBuffering.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

Program storeBuffering() { return testing::compile(testing::requestForText(testing::StoreBuffering)); }

/// The pcs of an opcode within a function.
std::vector<uint32_t> find(const Program &P, const std::string &Function, Opcode Op) {
  uint32_t Begin = 0, End = static_cast<uint32_t>(P.Code.size());
  for (const auto &F : P.Functions)
    if (F.Name == Function)
      Begin = F.Entry;
  for (const auto &F : P.Functions)
    if (F.Defined && F.Entry > Begin)
      End = std::min(End, F.Entry);
  std::vector<uint32_t> Found;
  for (uint32_t Pc = Begin; Pc < End; ++Pc)
    if (P.Code[Pc].Op == Op)
      Found.push_back(Pc);
  return Found;
}

Verdict verdict(const Program &P, MemoryModel M) {
  CheckOptions Options;
  Options.Models = {M};
  return checkCompiled("/test.c", {P, {}}, Options).Models.front().Result;
}

/// Every way through the program stays the same: control flow without the fences is that of the original.
void expectSameFlow(const Program &Old, const EditedProgram &New) {
  ASSERT_EQ(New.Code.Code.size(), New.OriginalPc.size());
  ASSERT_EQ(New.Code.Code.size(), New.Code.CodeLocations.size());
  auto Behind = [&](uint32_t Pc) { // the first instruction that is not a new fence
    while (New.Code.Code[Pc].Op == Opcode::Fence && Old.Code[New.OriginalPc[Pc]].Op != Opcode::Fence)
      ++Pc;
    return New.OriginalPc[Pc];
  };
  for (uint32_t Pc = 0; Pc < New.Code.Code.size(); ++Pc) {
    if (New.Code.Code[Pc].Op == Opcode::Fence)
      continue;
    std::vector<uint32_t> Got, Expected;
    forEachSuccessor(New.Code, Pc, [&](uint32_t To) { Got.push_back(Behind(To)); });
    forEachSuccessor(Old, New.OriginalPc[Pc], [&](uint32_t To) { Expected.push_back(To); });
    EXPECT_EQ(Got, Expected) << "from " << New.OriginalPc[Pc];
  }
  for (size_t F = 0; F < Old.Functions.size(); ++F)
    if (Old.Functions[F].Defined) {
      EXPECT_EQ(Behind(New.Code.Functions[F].Entry), Old.Functions[F].Entry);
    }
}

TEST(ProgramEdit, NothingChangesNothing) {
  const Program P = storeBuffering();
  EXPECT_EQ(toString(edited(P, {}).Code), toString(P));
}

TEST(ProgramEdit, AFenceStandsBehindTheStoreWithItsPlace) {
  const Program P = storeBuffering();
  const uint32_t Store = find(P, "left", Opcode::Store).front();
  const EditedProgram New = edited(P, {{{{Store, true}, FenceKind::Full}}, {}, {}});
  ASSERT_EQ(New.Code.Code.size(), P.Code.size() + 1);
  EXPECT_EQ(New.Code.Code[Store].Op, Opcode::Store);
  EXPECT_EQ(New.Code.Code[Store + 1].Op, Opcode::Fence);
  EXPECT_EQ(New.Code.locationOf(Store + 1).Line, 4u);
  EXPECT_NE(toString(New.Code).find(std::to_string(Store + 1) + ": Fence full  ; test.c:4:"), std::string::npos);
  expectSameFlow(P, New);
}

TEST(ProgramEdit, TwoFullFencesRepairStoreBufferingAndOneDoesNot) {
  const Program P = storeBuffering();
  const uint32_t Left = find(P, "left", Opcode::Store).front(), Right = find(P, "right", Opcode::Load).front();
  const ProgramEdit::NewFence InLeft{{Left, true}, FenceKind::Full}, InRight{{Right, false}, FenceKind::Full};
  for (MemoryModel M : {MemoryModel::TSO, MemoryModel::PSO}) {
    EXPECT_EQ(verdict(edited(P, {{InLeft}, {}, {}}).Code, M), Verdict::Violation);
    EXPECT_EQ(verdict(edited(P, {{InRight}, {}, {}}).Code, M), Verdict::Violation);
    EXPECT_EQ(verdict(edited(P, {{InLeft, InRight}, {}, {}}).Code, M), Verdict::Verified);
  }
  EXPECT_EQ(verdict(edited(P, {{{InLeft.Where, FenceKind::Release}, InRight}, {}, {}}).Code, MemoryModel::TSO),
            Verdict::Violation);
}

TEST(ProgramEdit, FencesEverywhereLeaveLoopsSwitchesAndCallsAsTheyAre) {
  for (const char *Name : {"peterson", "integers", "function_pointers", "recursion", "szymanski", "mcs_lock"}) {
    SCOPED_TRACE(Name);
    const Program P = testing::compile(testing::requestForProgram(Name));
    ProgramEdit Edit;
    for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc) {
      Edit.Fences.push_back({{Pc, false}, FenceKind::Full});
      if (goesOn(P.Code[Pc].Op))
        Edit.Fences.push_back({{Pc, true}, FenceKind::StoreStore});
    }
    const EditedProgram New = edited(P, Edit);
    expectSameFlow(P, New);
    // With a fence everywhere all models are as strong as SC.
    const Verdict Sequential = verdict(P, MemoryModel::SC);
    EXPECT_EQ(verdict(New.Code, MemoryModel::SC), Sequential);
    EXPECT_EQ(verdict(New.Code, MemoryModel::TSO), Sequential);
    EXPECT_EQ(verdict(New.Code, MemoryModel::PSO), Sequential);
  }
}

TEST(ProgramEdit, JumpsGoThroughWhatStandsInFrontAndPastWhatStandsBehind) {
  const Program P =
      testing::compile(testing::requestForText("int x, y;\nint main(void) { if (x) y = 1; x = 2; return 0; }\n"));
  const uint32_t Last = find(P, "main", Opcode::Store).back();
  uint32_t Branch = 0;
  while (P.Code[Branch].Op != Opcode::CondJump)
    ++Branch;
  auto Skips = [&](const Program &New) { // where the branch goes if x is zero
    uint32_t Pc = 0;
    while (New.Code[Pc].Op != Opcode::CondJump)
      ++Pc;
    return std::max(New.Code[Pc].B, New.Code[Pc].C);
  };
  const auto Target = static_cast<uint32_t>(Skips(P));
  ASSERT_LE(Target, Last);
  const EditedProgram Front = edited(P, {{{{Target, false}, FenceKind::Full}}, {}, {}});
  EXPECT_EQ(Front.Code.Code[static_cast<size_t>(Skips(Front.Code))].Op, Opcode::Fence);
  const EditedProgram Behind = edited(P, {{{{Target - 1, true}, FenceKind::Full}}, {}, {}});
  EXPECT_EQ(Behind.Code.Code[static_cast<size_t>(Skips(Behind.Code))].Op, P.Code[Target].Op);
  EXPECT_EQ(Behind.Code.Code[static_cast<size_t>(Skips(Behind.Code)) - 1].Op, Opcode::Fence);
}

TEST(ProgramEdit, FencesInALoopThatWaitsBelongToTheWaiting) {
  const Program P = testing::compile(testing::requestForProgram("peterson"));
  std::vector<uint32_t> Heads, Spinning;
  for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc) {
    if (P.Code[Pc].Op == Opcode::SpinHead)
      Heads.push_back(Pc);
    if (P.Code[Pc].Op == Opcode::Load && (P.Code[Pc].Flags & InSpinCandidate))
      Spinning.push_back(Pc);
  }
  ASSERT_FALSE(Heads.empty());
  ASSERT_FALSE(Spinning.empty());
  const EditedProgram New =
      edited(P, {{{{Heads[0], false}, FenceKind::Full}, {{Spinning[0], false}, FenceKind::Full}}, {}, {}});
  unsigned Flagged = 0;
  for (uint32_t Pc = 0; Pc + 1 < New.Code.Code.size(); ++Pc) {
    EXPECT_FALSE(New.Code.Code[Pc].Op == Opcode::Fence && New.Code.Code[Pc + 1].Op == Opcode::SpinHead);
    Flagged += New.Code.Code[Pc].Op == Opcode::Fence && (New.Code.Code[Pc].Flags & InSpinCandidate);
  }
  EXPECT_EQ(Flagged, 2u);
  // The wait is still one, not a loop that is followed up to the bound.
  EXPECT_EQ(verdict(New.Code, MemoryModel::TSO), Verdict::Verified);
}

TEST(ProgramEdit, OrdersBecomeStrongerAndWeaker) {
  const char *const Text = R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int data, flag;
void *sender(void *p) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sender, 0);
  if (atomic_load(&flag)) assert(atomic_load(&data));
  pthread_join(t, 0);
}
)";
  const Program P = testing::compile(testing::requestForText(Text));
  const uint32_t Flag = find(P, "sender", Opcode::Store).at(1);
  EXPECT_EQ(verdict(P, MemoryModel::PSO), Verdict::Violation);
  const EditedProgram Released = edited(P, {{}, {{Flag, Order::Release}}, {}});
  EXPECT_EQ(verdict(Released.Code, MemoryModel::PSO), Verdict::Verified);
  EXPECT_NE(toString(Released.Code).find("release"), std::string::npos);
  EXPECT_EQ(verdict(edited(Released.Code, {{}, {{Flag, Order::Relaxed}}, {}}).Code, MemoryModel::PSO),
            Verdict::Violation);
  // The accesses keep their other flags.
  EXPECT_EQ(Released.Code.Code[Flag].Flags & ~OrderMask, P.Code[Flag].Flags & ~OrderMask);
}

TEST(ProgramEdit, FencesAreTakenOut) {
  const Program P = testing::compile(testing::requestForProgram("peterson", {"-DFENCED=1"}));
  EXPECT_EQ(verdict(P, MemoryModel::TSO), Verdict::Verified);
  ProgramEdit Edit;
  for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc)
    if (P.Code[Pc].Op == Opcode::Fence)
      Edit.Removed.push_back(Pc);
  ASSERT_FALSE(Edit.Removed.empty());
  const EditedProgram New = edited(P, Edit);
  EXPECT_EQ(New.Code.Code.size() + Edit.Removed.size(), P.Code.size());
  EXPECT_EQ(verdict(New.Code, MemoryModel::TSO), Verdict::Violation);
  // What comes out can go in again.
  ProgramEdit Back;
  for (uint32_t Pc = 0; Pc < New.Code.Code.size(); ++Pc)
    if (std::find(Edit.Removed.begin(), Edit.Removed.end(), New.OriginalPc[Pc] - 1) != Edit.Removed.end())
      Back.Fences.push_back({{Pc, false}, FenceKind::Full});
  EXPECT_EQ(verdict(edited(New.Code, Back).Code, MemoryModel::TSO), Verdict::Verified);
}

TEST(ProgramEdit, OrdersFormALattice) {
  EXPECT_EQ(joined(Order::Acquire, Order::Release), Order::AcqRel);
  EXPECT_EQ(joined(Order::Relaxed, Order::Release), Order::Release);
  EXPECT_EQ(joined(Order::AcqRel, Order::SeqCst), Order::SeqCst);
  EXPECT_FALSE(atLeast(Order::Release, Order::Acquire));
  EXPECT_FALSE(atLeast(Order::Acquire, Order::Release));
  EXPECT_TRUE(atLeast(Order::AcqRel, Order::Acquire));
}

} // namespace
} // namespace picket
