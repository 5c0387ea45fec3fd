#include "source/passes/JumpThreading.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace picket {

namespace {

constexpr unsigned MostInstructions = 16; // of a block that is copied
constexpr unsigned MostRounds = 16;       // one block after the other

/// Whether a block only computes where to go next.
bool onlyDecides(const BasicBlock &B) {
  auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
  if (!(Branch && Branch->isConditional()) && !isa<SwitchInst>(B.getTerminator()))
    return false;
  unsigned Number = 0;
  for (const Instruction &I : B) {
    if (isa<PHINode>(I) || I.isTerminator())
      continue;
    const auto *Operator = dyn_cast<BinaryOperator>(&I);
    if ((Operator ? Operator->isIntDivRem() : !isa<CastInst, CmpInst, SelectInst, FreezeInst>(I)) ||
        ++Number > MostInstructions)
      return false;
  }
  return B.phis().begin() != B.phis().end();
}

/// Whether the last of these is passed on exactly one edge, which can be made to go elsewhere.
bool hasOneEdge(const BasicBlock &From, const BasicBlock &To) {
  return isa<BranchInst, SwitchInst>(From.getTerminator()) && count(successors(&From), &To) == 1;
}

/// A block as it is where one of its predecessors comes from.
class Copy {
public:
  Copy(BasicBlock &Of, BasicBlock &From) : Of(Of), From(From) {}

  /// Where that leads; null if it depends.
  BasicBlock *target() {
    const SimplifyQuery Query(Of.getDataLayout());
    for (Instruction &I : Of) {
      if (auto *Phi = dyn_cast<PHINode>(&I)) {
        Values[&I] = Phi->getIncomingValueForBlock(&From);
        continue;
      }
      if (I.isTerminator())
        break;
      Instruction *New = I.clone();
      Made.push_back(New);
      New->setName(I.getName());
      RemapInstruction(New, Values, RF_IgnoreMissingLocals | RF_NoModuleLevelChanges);
      Value *Simple = simplifyInstruction(New, Query);
      Values[&I] = Simple ? Simple : New;
    }
    Instruction *End = Of.getTerminator();
    auto *Branch = dyn_cast<BranchInst>(End);
    auto *Decided = dyn_cast<ConstantInt>(in(Branch ? Branch->getCondition() : cast<SwitchInst>(End)->getCondition()));
    if (!Decided)
      return nullptr;
    return Branch ? Branch->getSuccessor(Decided->isZero())
                  : cast<SwitchInst>(End)->findCaseValue(Decided)->getCaseSuccessor();
  }

  /// Makes the edge lead there.
  void insert(BasicBlock &Target) {
    auto *New = BasicBlock::Create(Of.getContext(), Of.getName() + ".threaded", Of.getParent(), &Of);
    for (Instruction *I : Made)
      I->insertInto(New, New->end());
    Made.clear();
    BranchInst *Jump = BranchInst::Create(&Target, New);
    Jump->setDebugLoc(Of.getTerminator()->getDebugLoc());
    Jump->setMetadata(LLVMContext::MD_loop, Of.getTerminator()->getMetadata(LLVMContext::MD_loop));
    for (PHINode &Phi : Target.phis())
      Phi.addIncoming(in(Phi.getIncomingValueForBlock(&Of)), New);
    From.getTerminator()->replaceSuccessorWith(&Of, New);
    Of.removePredecessor(&From, /*KeepOneInputPHIs=*/true);
    joinUses(*New);
  }

  ~Copy() {
    for (Instruction *I : reverse(Made))
      I->deleteValue();
  }
  Copy(const Copy &) = delete;
  Copy &operator=(const Copy &) = delete;

private:
  Value *in(Value *V) {
    auto Found = Values.find(V);
    return Found == Values.end() ? V : static_cast<Value *>(Found->second);
  }

  /// What is used further on now comes from one of two blocks.
  void joinUses(BasicBlock &New) {
    for (Instruction &I : Of) {
      SmallVector<Use *, 8> Outside;
      for (Use &U : I.uses()) {
        auto *User = cast<Instruction>(U.getUser());
        auto *Phi = dyn_cast<PHINode>(User);
        if ((Phi ? Phi->getIncomingBlock(U) : User->getParent()) != &Of)
          Outside.push_back(&U);
      }
      if (Outside.empty())
        continue;
      SSAUpdater Updater;
      Updater.Initialize(I.getType(), I.getName());
      Updater.AddAvailableValue(&Of, &I);
      Updater.AddAvailableValue(&New, in(&I));
      for (Use *U : Outside)
        Updater.RewriteUse(*U);
    }
  }

  BasicBlock &Of, &From;
  ValueToValueMapTy Values;
  SmallVector<Instruction *, 8> Made;
};

bool threadOnce(llvm::Function &F) {
  const DominatorTree Dominators(F);
  const LoopInfo Loops(Dominators);
  if (Loops.empty())
    return false;
  SmallVector<BasicBlock *, 16> Deciding;
  for (BasicBlock &B : F)
    if (Loops.getLoopFor(&B) && !Loops.isLoopHeader(&B) && onlyDecides(B))
      Deciding.push_back(&B);
  bool Changed = false;
  for (BasicBlock *B : Deciding) {
    const SmallVector<BasicBlock *, 8> Before(predecessors(B));
    for (BasicBlock *From : Before) {
      if (From == B || !hasOneEdge(*From, *B))
        continue;
      Copy Here(*B, *From);
      BasicBlock *Target = Here.target();
      if (!Target || Target == B)
        continue;
      Here.insert(*Target);
      Changed = true;
    }
    if (pred_empty(B))
      DeleteDeadBlock(B);
  }
  return Changed;
}

} // namespace

void threadJumps(Module &M) {
  for (llvm::Function &F : M)
    for (unsigned Round = 0; Round < MostRounds && !F.isDeclaration() && threadOnce(F); ++Round) {
    }
}

} // namespace picket
