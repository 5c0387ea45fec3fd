#include "source/lowering/LoopFeeders.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace picket {

// A loop that counts to a constant this small is left to run, even if other threads can end it earlier.
static constexpr unsigned SmallCount = 64;

bool PrivateMemory::contains(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer, 0);
  if (!isa<AllocaInst>(Object))
    return false;
  auto [It, New] = Known.try_emplace(Object, false);
  if (New)
    It->second = !PointerMayBeCaptured(Object, /*ReturnCaptures=*/true, 1000);
  return It->second;
}

LoopFeeders::LoopFeeders(const Cycle &Loop, const DominatorTree &Dominators, const ModuleSymbols &Symbols,
                         PrivateMemory &Private)
    : Loop(Loop), Dominators(Dominators), Symbols(Symbols), Private(Private) {
  for (const BasicBlock *Predecessor : predecessors(Loop.getHeader()))
    if (Loop.contains(Predecessor))
      Latches.push_back(Predecessor);
}

bool LoopFeeders::inEveryIteration(const BasicBlock &B) const {
  for (const BasicBlock *Latch : Latches)
    if (!Dominators.dominates(&B, Latch))
      return false;
  return true;
}

/// An exit to a failed assertion ends the program, not the loop: it does not make the loop depend on what is asserted.
bool LoopFeeders::endsTheProgram(const BasicBlock &Exit) const {
  const BasicBlock *B = &Exit;
  for (unsigned Steps = 0; B && Steps < 8; ++Steps) {
    for (const llvm::Instruction &I : *B) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      Callee C = Symbols.resolve(*Call);
      if (C.Kind == Callee::Builtin &&
          (C.What == Builtin::AssertFail || C.What == Builtin::Abort || C.What == Builtin::VerifierError))
        return true;
    }
    B = B->getSingleSuccessor();
  }
  return false;
}

/// Runs the counter of a `for (i = 0; i < 10; i++)` loop.
static bool counterEnds(const PHINode &Counter, const ICmpInst &Condition, bool ContinueIf, const Cycle &Loop) {
  const ConstantInt *Start = nullptr;
  const BinaryOperator *Next = nullptr;
  for (unsigned I = 0; I < Counter.getNumIncomingValues(); ++I) {
    const Value *V = Counter.getIncomingValue(I);
    if (Loop.contains(Counter.getIncomingBlock(I))) {
      if (!isa<BinaryOperator>(V) || (Next && Next != V))
        return false;
      Next = cast<BinaryOperator>(V);
    } else {
      if (!isa<ConstantInt>(V) || (Start && Start != V))
        return false;
      Start = cast<ConstantInt>(V);
    }
  }
  if (!Start || !Next || Next->getOperand(0) != &Counter ||
      (Next->getOpcode() != llvm::Instruction::Add && Next->getOpcode() != llvm::Instruction::Sub))
    return false;
  auto *Step = dyn_cast<ConstantInt>(Next->getOperand(1));
  auto *Bound = dyn_cast<ConstantInt>(Condition.getOperand(1));
  if (!Step || !Bound || (Condition.getOperand(0) != &Counter && Condition.getOperand(0) != Next))
    return false;
  APInt Value = Start->getValue();
  for (unsigned Iteration = 0; Iteration <= SmallCount; ++Iteration) {
    APInt Advanced = Next->getOpcode() == llvm::Instruction::Add ? Value + Step->getValue() : Value - Step->getValue();
    const APInt &Compared = Condition.getOperand(0) == &Counter ? Value : Advanced;
    if (ICmpInst::compare(Compared, Bound->getValue(), Condition.getPredicate()) != ContinueIf)
      return true;
    Value = Advanced;
  }
  return false;
}

bool LoopFeeders::countsToConstant() const {
  if (!Loop.isReducible())
    return false;
  for (const BasicBlock *B : Loop.blocks()) {
    auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
    if (!Branch || !Branch->isConditional() || !inEveryIteration(*B))
      continue;
    bool Stays[] = {Loop.contains(Branch->getSuccessor(0)), Loop.contains(Branch->getSuccessor(1))};
    auto *Condition = dyn_cast<ICmpInst>(Branch->getCondition());
    if (!Condition || Stays[0] == Stays[1])
      continue;
    const Value *Compared = Condition->getOperand(0);
    if (auto *Next = dyn_cast<BinaryOperator>(Compared))
      Compared = Next->getOperand(0);
    auto *Counter = dyn_cast<PHINode>(Compared);
    if (Counter && Counter->getParent() == Loop.getHeader() && counterEnds(*Counter, *Condition, Stays[0], Loop))
      return true;
  }
  return false;
}

/// A value of the loop's header that goes up or down by the same amount in every iteration: an integer (so large that
/// it runs out of any object before it is back where it was), or a pointer.
bool LoopFeeders::isCounter(const Value *V) const {
  auto *Counter = dyn_cast<PHINode>(V);
  if (!Counter || Counter->getParent() != Loop.getHeader() ||
      (!Counter->getType()->isPointerTy() && Counter->getType()->getScalarSizeInBits() < 32))
    return false;
  const Value *Next = nullptr;
  for (unsigned I = 0; I < Counter->getNumIncomingValues(); ++I)
    if (Loop.contains(Counter->getIncomingBlock(I))) {
      if (Next && Next != Counter->getIncomingValue(I))
        return false;
      Next = Counter->getIncomingValue(I);
    }
  // With small steps it does not get past all of an object at once.
  auto IsStep = [](const APInt &Amount) { return !Amount.isZero() && Amount.abs().ule(1u << 20); };
  if (auto *Moved = dyn_cast_or_null<GetElementPtrInst>(Next)) {
    const DataLayout &Layout = Moved->getDataLayout();
    APInt Distance(Layout.getIndexTypeSizeInBits(Moved->getType()), 0);
    return Moved->getPointerOperand() == Counter && Moved->accumulateConstantOffset(Layout, Distance) &&
           IsStep(Distance);
  }
  auto *Sum = dyn_cast_or_null<BinaryOperator>(Next);
  auto *Amount = Sum ? dyn_cast<ConstantInt>(Sum->getOperand(1)) : nullptr;
  return Amount && Sum->getOperand(0) == Counter && IsStep(Amount->getValue()) &&
         (Sum->getOpcode() == llvm::Instruction::Add || Sum->getOpcode() == llvm::Instruction::Sub);
}

/// Whether an address moves by the same distance in every iteration.
bool LoopFeeders::walks(const Value *Pointer) const {
  auto IsFixed = [&](const Value *V) {
    auto *I = dyn_cast<llvm::Instruction>(V);
    return !I || !Loop.contains(I->getParent());
  };
  auto *Element = dyn_cast<GetElementPtrInst>(Pointer);
  if (!Element)
    return isCounter(Pointer);
  if (!IsFixed(Element->getPointerOperand()))
    return Element->hasAllConstantIndices() && isCounter(Element->getPointerOperand());
  const DataLayout &Layout = Element->getDataLayout();
  const unsigned Bits = Layout.getIndexTypeSizeInBits(Element->getType());
  SmallMapVector<Value *, APInt, 4> Indices;
  APInt Constant(Bits, 0);
  const Value *Moving = nullptr;
  if (!Element->collectOffset(Layout, Bits, Indices, Constant))
    return false;
  for (const auto &[Index, Scale] : Indices)
    if (!IsFixed(Index)) {
      if (Moving || Scale.isZero())
        return false;
      Moving = Index;
    }
  // array[i + 1], array[15 - i], with i of another width
  while (auto *I = dyn_cast_or_null<llvm::Instruction>(Moving)) {
    if (isa<SExtInst, ZExtInst>(I))
      Moving = I->getOperand(0);
    else if ((I->getOpcode() == llvm::Instruction::Add || I->getOpcode() == llvm::Instruction::Sub) &&
             (IsFixed(I->getOperand(0)) || IsFixed(I->getOperand(1))))
      Moving = I->getOperand(IsFixed(I->getOperand(0)) ? 1 : 0);
    else
      break;
  }
  return Moving && isCounter(Moving);
}

/// `while (array[i] != 0) i--;`: whatever the others write there, the loop ends where the array does, at the latest.
bool LoopFeeders::walksThroughMemory() const {
  if (!Loop.isReducible())
    return false;
  for (const BasicBlock *B : Loop.blocks()) {
    if (!inEveryIteration(*B))
      continue;
    for (const llvm::Instruction &I : *B)
      if (const Value *Pointer = getLoadStorePointerOperand(&I); Pointer && walks(Pointer))
        return true;
  }
  return false;
}

std::vector<const PHINode *> LoopFeeders::carried() const {
  std::vector<const PHINode *> Found;
  for (const PHINode &Phi : Loop.getHeader()->phis())
    if (!HasExit || Seen.contains(&Phi))
      Found.push_back(&Phi);
  return Found;
}

std::vector<const llvm::Instruction *> LoopFeeders::find() {
  if (countsToConstant() || walksThroughMemory())
    return {};
  HasExit = false;
  for (const BasicBlock *B : Loop.blocks()) {
    const llvm::Instruction *Last = B->getTerminator();
    bool Leaves = false;
    for (const BasicBlock *Successor : successors(B))
      Leaves |= !Loop.contains(Successor) && !endsTheProgram(*Successor);
    if (!Leaves)
      continue;
    HasExit = true;
    for (const Value *Operand : Last->operands())
      follow(Operand);
    if (!inEveryIteration(*B))
      followConditions();
  }
  if (!HasExit)
    feedByEverything();
  while (!Work.empty()) {
    const llvm::Instruction *I = Work.back();
    Work.pop_back();
    visit(*I);
  }
  std::vector<const llvm::Instruction *> Found;
  for (const BasicBlock *B : Loop.blocks()) // in a stable order
    for (const llvm::Instruction &I : *B)
      if (Feeders.contains(&I))
        Found.push_back(&I);
  return Found;
}

/// `for (;;)`: every read may be one that keeps it going.
void LoopFeeders::feedByEverything() {
  for (const BasicBlock *B : Loop.blocks())
    for (const llvm::Instruction &I : *B)
      if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst, CallBase>(I))
        follow(&I);
}

void LoopFeeders::follow(const Value *V) {
  auto *I = dyn_cast<llvm::Instruction>(V);
  if (I && Loop.contains(I->getParent()) && Seen.insert(I).second)
    Work.push_back(I);
}

void LoopFeeders::followConditions() {
  if (ConditionsFollowed)
    return;
  ConditionsFollowed = true;
  for (const BasicBlock *B : Loop.blocks()) {
    const llvm::Instruction *Last = B->getTerminator();
    if (Last->getNumSuccessors() < 2)
      continue;
    bool OnlyFails = false; // if (bad) abort(): the other way is the only one that goes on
    for (const BasicBlock *Successor : successors(B))
      OnlyFails |= !Loop.contains(Successor) && endsTheProgram(*Successor);
    if (!OnlyFails)
      for (const Value *Operand : Last->operands())
        follow(Operand);
  }
}

/// What the loop itself writes where `Pointer` reads decides the value read.
void LoopFeeders::followStores(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer, 0);
  auto MayAlias = [&](const Value *Other) {
    const Value *OtherObject = getUnderlyingObject(Other, 0);
    if (Object == OtherObject)
      return true;
    if (isIdentifiedObject(Object) && isIdentifiedObject(OtherObject))
      return false;
    return !Private.contains(Object) && !Private.contains(OtherObject);
  };
  for (const BasicBlock *B : Loop.blocks())
    for (const llvm::Instruction &I : *B) {
      if (auto *Store = dyn_cast<StoreInst>(&I); Store && MayAlias(Store->getPointerOperand()))
        follow(Store->getValueOperand());
      else if (auto *Copy = dyn_cast<MemTransferInst>(&I); Copy && MayAlias(Copy->getDest()))
        follow(Copy); // not visited here: two copies may feed each other
      else if (auto *Set = dyn_cast<MemSetInst>(&I); Set && MayAlias(Set->getDest()))
        follow(Set->getValue());
      else if (auto *Rmw = dyn_cast<AtomicRMWInst>(&I); Rmw && MayAlias(Rmw->getPointerOperand()))
        follow(Rmw->getValOperand());
      else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I); Swap && MayAlias(Swap->getPointerOperand()))
        follow(Swap->getNewValOperand());
      else
        continue;
      if (!inEveryIteration(*B))
        followConditions();
    }
}

/// A callee may read what others write and leave it where the loop looks.
void LoopFeeders::followCalls() {
  if (CallsFollowed)
    return;
  CallsFollowed = true;
  for (const BasicBlock *B : Loop.blocks())
    for (const llvm::Instruction &I : *B)
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        Callee::KindType Kind = Symbols.resolve(*Call).Kind;
        if (Kind == Callee::Defined || Kind == Callee::Indirect || Kind == Callee::InPlace)
          follow(Call);
      }
}

void LoopFeeders::visitLoad(const llvm::Instruction &I, const Value *Pointer) {
  follow(Pointer);
  const Value *Object = getUnderlyingObject(Pointer, 0);
  if (auto *G = dyn_cast<GlobalVariable>(Object); G && G->isConstant())
    return;
  if (!Private.contains(Pointer)) {
    mark(I);
    followCalls();
  }
  followStores(Pointer);
}

void LoopFeeders::visitCall(const CallBase &Call) {
  Callee C = Symbols.resolve(Call);
  bool Reads = C.Kind == Callee::Defined || C.Kind == Callee::Indirect || C.Kind == Callee::InPlace ||
               (C.Kind == Callee::Builtin && C.What != Builtin::Ignore);
  if (Reads)
    mark(Call);
  for (const Value *Argument : Call.args())
    follow(Argument);
}

void LoopFeeders::visit(const llvm::Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return visitLoad(I, Load->getPointerOperand());
  if (auto *Copy = dyn_cast<MemTransferInst>(&I))
    return visitLoad(I, Copy->getSource());
  if (auto *Call = dyn_cast<CallBase>(&I))
    return visitCall(*Call);
  if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Phi->getParent() != Loop.getHeader())
    followConditions();
  if (auto *Rmw = dyn_cast<AtomicRMWInst>(&I))
    visitLoad(I, Rmw->getPointerOperand());
  else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
    visitLoad(I, Swap->getPointerOperand());
  for (const Value *Operand : I.operands())
    follow(Operand);
}

} // namespace picket
