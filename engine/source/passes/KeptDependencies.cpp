#include "source/passes/KeptDependencies.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <vector>

using namespace llvm;

namespace picket {

static constexpr StringLiteral HiddenName = "picket.computation";
static constexpr StringLiteral TableMark = "picket.table";
static constexpr StringLiteral EdgeName = "picket.edge";
static constexpr StringLiteral ConditionPrefix = "picket.condition.i";

// Computations.

static bool isArithmetic(const IntrinsicInst &I) {
  return I.doesNotAccessMemory() && I.arg_size() >= 2 &&
         (I.getType()->isIntOrIntVectorTy() || I.getType()->isStructTy()) &&
         all_of(I.args(), [](const Use &A) { return A->getType()->isIntOrIntVectorTy(); });
}

/// Whether the result may turn out, once more is known of the operands, not to depend on all of them. (A sum does, as
/// long as what is added is not looked into.)
static bool mayLoseOperands(const Instruction &I) {
  if (all_of(I.operands(), [](const Use &O) { return isa<Constant>(O); }))
    return false;
  if (auto *Binary = dyn_cast<BinaryOperator>(&I))
    return I.getType()->isIntOrIntVectorTy() && Binary->getOpcode() != Instruction::Add;
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    return isArithmetic(*Intrinsic);
  return isa<CmpInst>(I) || isa<SelectInst>(I);
}

/// Whether something is loaded from an array, which may turn out to be a constant table with the same value everywhere.
static bool mayReadTable(const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || !Load->isSimple())
    return false;
  const Value *Pointer = Load->getPointerOperand();
  while (auto *Element = dyn_cast<GEPOperator>(Pointer)) {
    if (!Element->hasAllConstantIndices())
      return true;
    Pointer = Element->getPointerOperand();
  }
  return false;
}

HiddenComputations::HiddenComputations(Module &Mod) : Mod(Mod) {
  std::vector<Instruction *> Found;
  MDNode *Mark = MDNode::get(Mod.getContext(), {});
  for (Function &F : Mod)
    for (Instruction &I : instructions(F)) {
      if (mayLoseOperands(I))
        Found.push_back(&I);
      if (mayReadTable(I)) { // volatile loads are left alone
        cast<LoadInst>(I).setVolatile(true);
        I.setMetadata(TableMark, Mark);
      }
    }
  for (Instruction *I : Found)
    hide(*I);
}

HiddenComputations::~HiddenComputations() {
  for (auto &[Kind, C] : Known)
    C.Model->deleteValue();
}

void HiddenComputations::hide(Instruction &I) {
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  std::vector<Value *> Operands;
  std::vector<Type *> Types;
  for (Value *O : Intrinsic ? Intrinsic->args() : I.operands()) {
    Operands.push_back(O);
    Types.push_back(O->getType());
  }
  auto *Which = FunctionType::get(I.getType(), Types, false);
  uintptr_t Extra = 0;
  if (auto *Cmp = dyn_cast<CmpInst>(&I))
    Extra = Cmp->getPredicate();
  else if (Intrinsic)
    Extra = reinterpret_cast<uintptr_t>(Intrinsic->getCalledFunction());
  auto [At, New] = Known.try_emplace({I.getOpcode(), Extra, Which});
  if (New) {
    Instruction *Model = I.clone();
    Model->dropPoisonGeneratingFlags();
    Model->setDebugLoc(DebugLoc());
    for (unsigned K = 0; K < Operands.size(); ++K)
      Model->setOperand(K, PoisonValue::get(Types[K]));
    At->second = {Function::Create(Which, GlobalValue::ExternalLinkage, HiddenName, Mod), Model};
  }
  CallInst *Call = CallInst::Create(At->second.Hidden, Operands);
  Call->setDebugLoc(I.getDebugLoc());
  // What the inliner takes an instruction for.
  Call->addFnAttr(Attribute::get(Mod.getContext(), "call-inline-cost", "5"));
  ReplaceInstWithInst(&I, Call);
}

void HiddenComputations::show() {
  for (auto &[Kind, C] : Known) {
    for (User *U : make_early_inc_range(C.Hidden->users())) {
      auto *Call = cast<CallInst>(U);
      Instruction *I = C.Model->clone();
      for (unsigned K = 0; K < Call->arg_size(); ++K)
        I->setOperand(K, Call->getArgOperand(K));
      I->setDebugLoc(Call->getDebugLoc());
      ReplaceInstWithInst(Call, I);
    }
    C.Hidden->eraseFromParent();
  }
  // What has only constants to go by depends on nothing.
  for (Function &F : Mod)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (I.getMetadata(TableMark)) {
        cast<LoadInst>(I).setVolatile(false);
        I.setMetadata(TableMark, nullptr);
      } else if (I.mayHaveSideEffects() || I.mayReadFromMemory() || I.isTerminator()) {
        continue;
      } else if (Constant *Value = ConstantFoldInstruction(&I, Mod.getDataLayout())) {
        I.replaceAllUsesWith(Value);
        I.eraseFromParent();
      }
    }
}

// Branches.

static bool doesNothing(const BasicBlock &B) {
  auto *End = dyn_cast<BranchInst>(B.getTerminator());
  return End && End->isUnconditional() && all_of(B, [&](const Instruction &I) {
           return &I == End || (!I.mayHaveSideEffects() && !I.mayReadFromMemory());
         });
}

/// The next block in which something happens.
static const BasicBlock *skipIdle(const BasicBlock *B) {
  SmallPtrSet<const BasicBlock *, 8> Seen;
  while (doesNothing(*B) && Seen.insert(B).second)
    B = B->getSingleSuccessor();
  return B;
}

static void keepEdge(Instruction &Branch, FunctionCallee Edge) {
  BasicBlock *From = Branch.getParent(), *To = Branch.getSuccessor(0);
  BasicBlock *Between = BasicBlock::Create(Branch.getContext(), "", From->getParent(), To);
  auto *Call = CallInst::Create(Edge, "", Between);
  auto *End = BranchInst::Create(To, Between);
  Call->setDebugLoc(Branch.getDebugLoc());
  End->setDebugLoc(Branch.getDebugLoc());
  Branch.setSuccessor(0, Between);
  for (PHINode &Phi : To->phis())
    Phi.setIncomingBlock(static_cast<unsigned>(Phi.getBasicBlockIndex(From)), Between);
}

/// What is known of the bits of a condition removes cases.
static void hideCondition(SwitchInst &Switch) {
  Type *T = Switch.getCondition()->getType();
  FunctionCallee Same = Switch.getModule()->getOrInsertFunction(
      (ConditionPrefix + Twine(T->getIntegerBitWidth())).str(), FunctionType::get(T, {T}, false));
  auto *Call = CallInst::Create(Same, {Switch.getCondition()}, "", Switch.getIterator());
  Call->setDebugLoc(Switch.getDebugLoc());
  Switch.setCondition(Call);
}

void keepIdleBranches(Module &M) {
  FunctionCallee Edge = M.getOrInsertFunction(EdgeName, Type::getVoidTy(M.getContext()));
  for (Function &F : M) {
    std::vector<Instruction *> Idle;
    for (BasicBlock &B : F) {
      Instruction &End = *B.getTerminator();
      auto *Branch = dyn_cast<BranchInst>(&End);
      auto *Switch = dyn_cast<SwitchInst>(&End);
      if (!(Switch || (Branch && Branch->isConditional())) || isa<Constant>(End.getOperand(0)))
        continue;
      const BasicBlock *First = skipIdle(End.getSuccessor(0));
      if (all_of(successors(&B), [&](const BasicBlock *Next) { return skipIdle(Next) == First; }))
        Idle.push_back(&End);
      if (Switch)
        hideCondition(*Switch);
    }
    for (Instruction *Branch : Idle)
      keepEdge(*Branch, Edge);
  }
}

void releaseIdleBranches(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    if (F.getName() != EdgeName && !F.getName().starts_with(ConditionPrefix))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      if (Call->arg_size())
        Call->replaceAllUsesWith(Call->getArgOperand(0));
      Call->eraseFromParent();
    }
    F.eraseFromParent();
  }
}

} // namespace picket
