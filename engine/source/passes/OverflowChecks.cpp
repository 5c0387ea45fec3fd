#include "source/passes/OverflowChecks.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <vector>

using namespace llvm;

namespace picket {

static constexpr StringLiteral CheckName = "picket.overflow";

bool isOverflowCheck(const Function &F) { return F.getName() == CheckName; }

bool isOverflowCheck(const CallBase &Call) {
  const Function *Target = Call.getCalledFunction();
  return Target && isOverflowCheck(*Target);
}

/// The trap that is all a block consists of.
static const IntrinsicInst *trapIn(const BasicBlock &B) {
  auto *Trap = dyn_cast<IntrinsicInst>(&B.front());
  const bool Alone = Trap && Trap->getIntrinsicID() == Intrinsic::ubsantrap &&
                     isa<UnreachableInst>(B.getTerminator()) && Trap->getNextNode() == B.getTerminator();
  return Alone ? Trap : nullptr;
}

/// Whether a block only computes a part of a check.
static bool isPartOfCheck(const BasicBlock &B, const BasicBlock &Before) {
  auto *End = dyn_cast<BranchInst>(B.getTerminator());
  return End && End->isUnconditional() && B.getSinglePredecessor() == &Before && all_of(B, [](const Instruction &I) {
           return I.hasMetadata(LLVMContext::MD_nosanitize) && !isa<PHINode>(I) && !I.mayHaveSideEffects() &&
                  !I.mayReadFromMemory();
         });
}

/// Whether a shift loses bits is only asked where it is not too wide. Here both are asked, without a branch.
static void joinParts(BranchInst &Branch) {
  BasicBlock &Before = *Branch.getParent();
  if (!Branch.hasMetadata(LLVMContext::MD_nosanitize))
    return;
  for (unsigned K : {0u, 1u}) {
    BasicBlock *Part = Branch.getSuccessor(K), *After = Branch.getSuccessor(1 - K);
    if (Part == After || !isPartOfCheck(*Part, Before) || Part->getSingleSuccessor() != After)
      continue;
    for (Instruction &I : make_early_inc_range(*Part))
      if (!I.isTerminator()) {
        I.dropPoisonGeneratingFlags();
        I.moveBefore(Branch.getIterator());
      }
    for (PHINode &Phi : After->phis()) {
      Value *OfPart = Phi.getIncomingValueForBlock(Part), *Else = Phi.getIncomingValueForBlock(&Before);
      Value *Cond = Branch.getCondition();
      auto *Both = SelectInst::Create(Cond, K == 0 ? OfPart : Else, K == 0 ? Else : OfPart, "", Branch.getIterator());
      Both->setDebugLoc(Branch.getDebugLoc());
      Phi.setIncomingValueForBlock(&Before, Both);
    }
    BranchInst *Straight = BranchInst::Create(After);
    Straight->setDebugLoc(Branch.getDebugLoc());
    ReplaceInstWithInst(&Branch, Straight);
    DeleteDeadBlock(Part);
    return;
  }
}

void makeOverflowChecks(Module &M) {
  LLVMContext &Context = M.getContext();
  FunctionCallee Check;
  for (Function &F : M) {
    std::vector<BranchInst *> Branches; // blocks that are joined to others have none of these
    for (BasicBlock &B : F)
      if (auto *Branch = dyn_cast<BranchInst>(B.getTerminator()); Branch && Branch->isConditional())
        Branches.push_back(Branch);
    for (BranchInst *Branch : Branches)
      joinParts(*Branch);
    std::vector<BasicBlock *> Traps;
    for (BasicBlock &B : F)
      if (!B.empty() && trapIn(B))
        Traps.push_back(&B);
    for (BasicBlock *Trap : Traps) {
      Value *Code = trapIn(*Trap)->getArgOperand(0);
      for (BasicBlock *Before : std::vector<BasicBlock *>(pred_begin(Trap), pred_end(Trap))) {
        auto *Branch = dyn_cast<BranchInst>(Before->getTerminator());
        if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
          continue;
        if (!Check) {
          Check = M.getOrInsertFunction(CheckName, Type::getVoidTy(Context), Type::getInt1Ty(Context),
                                        Type::getInt8Ty(Context));
          auto *Declared = cast<Function>(Check.getCallee());
          Declared->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
          Declared->setDoesNotThrow();
        }
        const bool IfTrue = Branch->getSuccessor(0) == Trap;
        Value *Fails = Branch->getCondition();
        if (!IfTrue) {
          auto *Not = BinaryOperator::CreateNot(Fails, "", Branch->getIterator());
          Not->setDebugLoc(Branch->getDebugLoc());
          Fails = Not;
        }
        CallInst::Create(Check, {Fails, Code}, "", Branch->getIterator())->setDebugLoc(Branch->getDebugLoc());
        BranchInst *Straight = BranchInst::Create(Branch->getSuccessor(IfTrue ? 1 : 0));
        Straight->setDebugLoc(Branch->getDebugLoc());
        ReplaceInstWithInst(Branch, Straight);
      }
      if (pred_empty(Trap))
        DeleteDeadBlock(Trap);
    }
  }
}

} // namespace picket
