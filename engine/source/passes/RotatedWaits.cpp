#include "source/passes/RotatedWaits.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace picket {

namespace {

/// One loop, and the instructions at the end of its last block that are those in front of it once more.
class RotatedWait {
public:
  explicit RotatedWait(Loop &TheLoop)
      : TheLoop(TheLoop), Header(TheLoop.getHeader()), Before(TheLoop.getLoopPreheader()),
        Latch(TheLoop.getLoopLatch()) {}

  bool isOne() {
    if (!Before || !Latch || Latch == Header || Latch->getSingleSuccessor() != Header)
      return false;
    matchReads();
    return !Same.empty() && carriesOnlyThese() && usedOnlyHere();
  }

  void turn() {
    for (PHINode &Phi : make_early_inc_range(Header->phis()))
      if (isPair(Phi.getIncomingValueForBlock(Latch), Phi.getIncomingValueForBlock(Before)) &&
          !isFixed(Phi.getIncomingValueForBlock(Latch))) {
        Phi.replaceAllUsesWith(Phi.getIncomingValueForBlock(Latch));
        Phi.eraseFromParent();
      }
    // In the order in which they stand in the block.
    BasicBlock::iterator To = Header->getFirstInsertionPt();
    for (Instruction &I : make_early_inc_range(*Latch))
      if (Same.contains(&I))
        I.moveBefore(*Header, To);
    for (Instruction &I : make_early_inc_range(reverse(*Before)))
      if (any_of(Same, [&](const auto &Pair) { return Pair.second == &I; }))
        I.eraseFromParent();
  }

private:
  static bool isRead(const Instruction &I) { return isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(I); }
  static bool isPure(const Instruction &I) {
    return isa<BinaryOperator, CastInst, CmpInst, GetElementPtrInst, SelectInst, ExtractValueInst>(I);
  }
  bool isFixed(const Value *V) const {
    auto *I = dyn_cast<Instruction>(V);
    return !I || !TheLoop.contains(I);
  }
  /// Whether a value of the last block is what another in front of the loop was.
  bool isPair(const Value *InLoop, const Value *InFront) const {
    auto *I = dyn_cast<Instruction>(InLoop);
    auto Found = I ? Same.find(const_cast<Instruction *>(I)) : Same.end();
    return Found != Same.end() ? Found->second == InFront : InLoop == InFront && isFixed(InLoop);
  }
  bool isSame(const Instruction &InLoop, const Instruction &InFront) const {
    if (!InLoop.isSameOperationAs(&InFront))
      return false;
    for (unsigned K = 0; K < InLoop.getNumOperands(); ++K)
      if (!isPair(InLoop.getOperand(K), InFront.getOperand(K)))
        return false;
    return true;
  }

  /// The two blocks end alike: from the end backwards, as far as that goes.
  void matchReads() {
    auto InLoop = std::prev(Latch->end()), InFront = std::prev(Before->end());
    SmallVector<std::pair<Instruction *, Instruction *>, 8> Ends;
    while (InLoop != Latch->begin() && InFront != Before->begin()) {
      --InLoop;
      --InFront;
      if ((!isRead(*InLoop) && !isPure(*InLoop)) || InLoop->getOpcode() != InFront->getOpcode())
        break;
      Ends.push_back({&*InLoop, &*InFront});
    }
    // What is computed on the way must be the same as well: then as much of the end as is.
    for (; !Ends.empty(); Ends.pop_back()) {
      Same.clear();
      bool All = any_of(Ends, [](const auto &Pair) { return isRead(*Pair.first); });
      for (const auto &[I, Other] : reverse(Ends)) {
        All = All && isSame(*I, *Other);
        Same[I] = Other;
      }
      if (All)
        return;
    }
    Same.clear();
  }

  /// The loop looks at what was read before it in the first iteration and at what it has read itself in the others.
  bool carriesOnlyThese() const {
    bool Any = false;
    for (const PHINode &Phi : Header->phis()) {
      const Value *Last = Phi.getIncomingValueForBlock(Latch), *First = Phi.getIncomingValueForBlock(Before);
      auto *I = dyn_cast<Instruction>(Last);
      const bool OfLoop = I && Same.contains(const_cast<Instruction *>(I));
      const bool OfFront = any_of(Same, [&](const auto &Pair) { return Pair.second == First; });
      if ((OfLoop || OfFront) && !isPair(Last, First))
        return false;
      Any |= OfLoop;
    }
    return Any;
  }

  /// Nobody else asks what was read where.
  bool usedOnlyHere() const {
    auto IsTurned = [&](const User *U) {
      auto *I = dyn_cast<Instruction>(U);
      if (auto *Phi = dyn_cast_or_null<PHINode>(I))
        return Phi->getParent() == Header;
      return I && any_of(Same, [&](const auto &Pair) { return Pair.first == I || Pair.second == I; });
    };
    for (const auto &[InLoop, InFront] : Same)
      if (!all_of(InLoop->users(), IsTurned) || !all_of(InFront->users(), IsTurned))
        return false;
    return true;
  }

  Loop &TheLoop;
  BasicBlock *Header, *Before, *Latch;
  SmallMapVector<Instruction *, Instruction *, 8> Same; // in the loop, in front of it
};

} // namespace

void turnRotatedWaits(Module &M) {
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    DominatorTree Dominators(F);
    LoopInfo Loops(Dominators);
    for (Loop *L : Loops.getLoopsInPreorder())
      if (RotatedWait Wait(*L); Wait.isOne())
        Wait.turn();
  }
}

} // namespace picket
