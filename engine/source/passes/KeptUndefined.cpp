#include "source/passes/KeptUndefined.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace picket {

static constexpr StringLiteral UnreachableName = "picket.unreachable";
static constexpr StringLiteral PromiseMark = "picket.promise";
static constexpr StringLiteral UnwrittenPrefix = "picket.unwritten.";
static constexpr unsigned MaxUnwrittenParts = 16;

// Code that is never reached.

static void markUnreachable(Instruction &End, BrokenPromise What, const DebugLoc &Where) {
  Module &M = *End.getModule();
  Type *Kind = Type::getInt8Ty(M.getContext());
  FunctionCallee Mark = M.getOrInsertFunction(UnreachableName, Type::getVoidTy(M.getContext()), Kind);
  auto *Call = CallInst::Create(Mark, {ConstantInt::get(Kind, static_cast<uint64_t>(What))}, "", End.getIterator());
  Call->setDebugLoc(Where);
  Call->addFnAttr(Attribute::get(M.getContext(), "call-inline-cost", "0"));
  End.setDebugLoc(Where);
}

/// Whether control ends in a call of a function that is not defined here: abort(), exit(), a failed assertion.
static bool followsEnd(const Instruction &Unreachable) {
  auto *Call = dyn_cast_if_present<CallBase>(Unreachable.getPrevNode());
  if (!Call || !Call->doesNotReturn())
    return false;
  const Function *Callee = Call->getCalledFunction();
  return Callee && Callee->isDeclaration();
}

/// Functions that are defined show whether they return.
static void forgetNoReturn(Module &M) {
  for (Function &F : M) {
    if (!F.isDeclaration())
      F.removeFnAttr(Attribute::NoReturn);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->hasFnAttr(Attribute::NoReturn))
        if (const Function *Callee = Call->getCalledFunction(); !Callee || !Callee->isDeclaration())
          Call->removeFnAttr(Attribute::NoReturn);
  }
}

void hideUnreachable(Module &M) {
  forgetNoReturn(M);
  std::vector<AssumeInst *> Assumptions;
  std::vector<UnreachableInst *> Ends;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (auto *Assume = dyn_cast<AssumeInst>(&I))
        Assumptions.push_back(Assume);
      else if (auto *End = dyn_cast<UnreachableInst>(&I); End && !followsEnd(I))
        Ends.push_back(End);
    }
  for (UnreachableInst *End : Ends)
    markUnreachable(*End, BrokenPromise::Unreachable, End->getDebugLoc());
  for (AssumeInst *Assume : Assumptions) {
    if (!isa<ConstantInt>(Assume->getArgOperand(0)) || cast<ConstantInt>(Assume->getArgOperand(0))->isZero()) {
      auto *Fails = BinaryOperator::CreateNot(Assume->getArgOperand(0), "", Assume->getIterator());
      Fails->setDebugLoc(Assume->getDebugLoc());
      Instruction *End = SplitBlockAndInsertIfThen(Fails, Assume->getIterator(), /*Unreachable=*/true);
      markUnreachable(*End, BrokenPromise::Assumption, Assume->getDebugLoc());
    }
    Assume->eraseFromParent();
  }
}

void showUnreachable(Module &M) {
  Function *Mark = M.getFunction(UnreachableName);
  if (!Mark)
    return;
  for (User *U : make_early_inc_range(Mark->users())) {
    auto *Call = cast<CallInst>(U);
    if (auto *End = dyn_cast<UnreachableInst>(Call->getNextNode()))
      End->setMetadata(PromiseMark,
                       MDNode::get(M.getContext(), {ConstantAsMetadata::get(cast<Constant>(Call->getArgOperand(0)))}));
    Call->eraseFromParent();
  }
  Mark->eraseFromParent();
}

BrokenPromise brokenPromiseOf(const Instruction &Unreachable) {
  const MDNode *Mark = Unreachable.getMetadata(PromiseMark);
  if (!Mark)
    return BrokenPromise::Unreachable;
  return static_cast<BrokenPromise>(mdconst::extract<ConstantInt>(Mark->getOperand(0))->getZExtValue());
}

// Values that are not defined.

void defineUndefined(Module &M) {
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (isa<DbgInfoIntrinsic>(I) || isa<LifetimeIntrinsic>(I))
        continue;
      for (Use &Operand : I.operands())
        if (isa<UndefValue>(Operand) && Operand->getType()->isFirstClassType() && !Operand->getType()->isMetadataTy() &&
            !Operand->getType()->isTokenTy() && !Operand->getType()->isLabelTy())
          Operand.set(Constant::getNullValue(Operand->getType()));
    }
}

/// How many scalars a value has; too many for what is no plain structure of a few.
static unsigned countParts(Type *T) {
  if (T->isIntOrPtrTy() || T->isFloatingPointTy())
    return 1;
  unsigned Parts = 0;
  if (auto *Struct = dyn_cast<StructType>(T)) {
    for (Type *Element : Struct->elements())
      if ((Parts += countParts(Element)) > MaxUnwrittenParts)
        break;
    return Parts;
  }
  auto *Array = dyn_cast<ArrayType>(T);
  if (!Array || Array->getNumElements() > MaxUnwrittenParts)
    return MaxUnwrittenParts + 1;
  return static_cast<unsigned>(Array->getNumElements()) * countParts(Array->getElementType());
}

/// Whether the variable is read and written, at places that are known, and nothing else: SROA makes registers of it.
static bool becomesRegisters(const AllocaInst &Local, SmallVectorImpl<Instruction *> &Begins) {
  if (!Local.isStaticAlloca() || countParts(Local.getAllocatedType()) > MaxUnwrittenParts)
    return false;
  SmallVector<const Value *, 8> Pending = {&Local};
  while (!Pending.empty()) {
    const Value *Pointer = Pending.pop_back_val();
    for (User *U : const_cast<Value *>(Pointer)->users()) {
      if (auto *Marker = dyn_cast<LifetimeIntrinsic>(U)) {
        if (Marker->getIntrinsicID() == Intrinsic::lifetime_start)
          Begins.push_back(Marker);
        continue;
      }
      if (auto *Element = dyn_cast<GetElementPtrInst>(U); Element && Element->hasAllConstantIndices()) {
        Pending.push_back(Element);
        continue;
      }
      auto *Load = dyn_cast<LoadInst>(U);
      auto *Store = dyn_cast<StoreInst>(U);
      if (!(Load && Load->isSimple()) && !(Store && Store->isSimple() && Store->getValueOperand() != Pointer))
        return false;
    }
  }
  return true;
}

void hideUnwritten(Module &M) {
  unsigned Named = 0;
  for (Function &F : M) {
    SmallVector<AllocaInst *, 16> Locals;
    for (Instruction &I : instructions(F))
      if (auto *Local = dyn_cast<AllocaInst>(&I))
        Locals.push_back(Local);
    for (AllocaInst *Local : Locals) {
      SmallVector<Instruction *, 4> Begins = {Local};
      if (!becomesRegisters(*Local, Begins))
        continue;
      Type *T = Local->getAllocatedType();
      FunctionCallee Value =
          M.getOrInsertFunction((UnwrittenPrefix + Twine(Named++)).str(), FunctionType::get(T, false));
      for (Instruction *Begin : Begins) {
        auto *Call = CallInst::Create(Value, {}, "", std::next(Begin->getIterator()));
        new StoreInst(Call, Local, std::next(Call->getIterator()));
      }
    }
  }
}

/// What is left of the beginnings of a variable that stayed in memory after all. Clang gives places to its own stores.
static bool isBeginning(const User &U) {
  auto *Store = dyn_cast<StoreInst>(&U);
  return Store && !Store->getDebugLoc() && isa<AllocaInst>(Store->getPointerOperand()->stripInBoundsOffsets());
}

static void makeZero(Instruction &Unwritten) {
  for (User *U : make_early_inc_range(Unwritten.users())) {
    if (isBeginning(*U))
      cast<Instruction>(U)->eraseFromParent();
    else if (auto *Part = dyn_cast<ExtractValueInst>(U))
      makeZero(*Part);
  }
  Unwritten.replaceAllUsesWith(Constant::getNullValue(Unwritten.getType()));
  Unwritten.eraseFromParent();
}

void showUnwritten(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    if (!F.getName().starts_with(UnwrittenPrefix))
      continue;
    for (User *U : make_early_inc_range(F.users()))
      makeZero(*cast<CallInst>(U));
    F.eraseFromParent();
  }
}

// Missing returns.

/// Whether only direct calls use a function, and all of them use its result.
static bool resultIsUsed(const Function &F) {
  return !F.use_empty() && all_of(F.uses(), [](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return Call && Call->isCallee(&U) && !Call->use_empty();
  });
}

/// Where Clang keeps a function's result until it returns. Null if it is not such a function.
static AllocaInst *resultOf(Function &F, LoadInst *&LastRead) {
  AllocaInst *Result = nullptr;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Local = dyn_cast<AllocaInst>(&I); Local && Local->getName() == "retval")
      Result = Local;
  LastRead = nullptr;
  if (!Result)
    return nullptr;
  for (User *U : Result->users())
    if (auto *Load = dyn_cast<LoadInst>(U)) {
      if (LastRead || Load->getPointerOperand() != Result)
        return nullptr;
      LastRead = Load;
    } else if (auto *Store = dyn_cast<StoreInst>(U); !Store || Store->getPointerOperand() != Result) {
      return nullptr;
    }
  return LastRead && isa<ReturnInst>(LastRead->getParent()->getTerminator()) ? Result : nullptr;
}

static bool mayReachUnwritten(const AllocaInst &Result, const LoadInst &Read) {
  SmallVector<const BasicBlock *, 8> Pending = {&Result.getFunction()->getEntryBlock()};
  SmallPtrSet<const BasicBlock *, 16> Seen = {Pending[0]};
  while (!Pending.empty()) {
    const BasicBlock *Block = Pending.pop_back_val();
    bool Written = false;
    for (const Instruction &I : *Block) {
      if (&I == &Read)
        return true;
      auto *Store = dyn_cast<StoreInst>(&I);
      if ((Written = Store && Store->getPointerOperand() == &Result))
        break;
    }
    if (!Written)
      for (const BasicBlock *Next : successors(Block))
        if (Seen.insert(Next).second)
          Pending.push_back(Next);
  }
  return false;
}

void findMissingReturns(Module &M) {
  Type *Flag = Type::getInt1Ty(M.getContext());
  for (Function &F : M) {
    LoadInst *Read = nullptr;
    if (F.isDeclaration() || F.getReturnType()->isVoidTy() || !resultIsUsed(F))
      continue;
    AllocaInst *Result = resultOf(F, Read);
    if (!Result || !mayReachUnwritten(*Result, *Read))
      continue;
    auto *Written = new AllocaInst(Flag, 0, "", std::next(Result->getIterator()));
    new StoreInst(ConstantInt::getFalse(Flag), Written, std::next(Written->getIterator()));
    for (User *U : Result->users())
      if (auto *Store = dyn_cast<StoreInst>(U))
        new StoreInst(ConstantInt::getTrue(Flag), Written, std::next(Store->getIterator()));
    const DebugLoc Where = Read->getParent()->getTerminator()->getDebugLoc();
    auto *Known = new LoadInst(Flag, Written, "", Read->getIterator());
    auto *Missing = BinaryOperator::CreateNot(Known, "", Read->getIterator());
    for (Instruction *I : {cast<Instruction>(Known), cast<Instruction>(Missing)})
      I->setDebugLoc(Where);
    Instruction *End = SplitBlockAndInsertIfThen(Missing, Read->getIterator(), /*Unreachable=*/true);
    markUnreachable(*End, BrokenPromise::MissingReturn, Where);
  }
}

// Constants.

HiddenConstants::HiddenConstants(Module &M) {
  for (GlobalVariable &G : M.globals())
    if (G.isConstant() && !G.getName().starts_with("llvm.")) {
      G.setConstant(false);
      Hidden.push_back(&G);
    }
}

HiddenConstants::~HiddenConstants() {
  for (GlobalVariable *G : Hidden)
    G->setConstant(true);
}

} // namespace picket
