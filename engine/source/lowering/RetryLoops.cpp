#include "source/lowering/RetryLoops.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <cerrno>

using namespace llvm;

namespace picket {

static constexpr unsigned MaxDepth = 8; // of values that are followed

/// Pointers are swapped as numbers.
static const Value *withoutCasts(const Value *V) {
  while (isa<PtrToIntInst, IntToPtrInst, BitCastInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  return V;
}

/// The value that is the `Bits` bits of V from bit `From` on: a member of a struct that is swapped as one number. Null if
/// there is none.
static const Value *partOf(const Value *V, unsigned From, unsigned Bits, const DataLayout &Layout, unsigned Depth = 0) {
  V = withoutCasts(V);
  const auto Width = static_cast<unsigned>(Layout.getTypeSizeInBits(V->getType()).getFixedValue());
  if (From == 0 && Bits == Width)
    return V;
  auto *I = dyn_cast<llvm::Instruction>(V);
  if (!I || Depth == 2 * MaxDepth || From + Bits > Width || !V->getType()->isIntegerTy())
    return nullptr;
  auto Part = [&](unsigned Operand, unsigned At) {
    return partOf(I->getOperand(Operand), At, Bits, Layout, Depth + 1);
  };
  const APInt Mask = APInt::getBitsSet(Width, From, From + Bits);
  auto *Second = I->getNumOperands() == 2 ? dyn_cast<ConstantInt>(I->getOperand(1)) : nullptr;
  const auto Amount = static_cast<unsigned>(Second ? Second->getValue().getLimitedValue(Width) : 0);
  switch (I->getOpcode()) {
  case llvm::Instruction::Trunc: return Part(0, From);
  case llvm::Instruction::ZExt:
    return From + Bits <= I->getOperand(0)->getType()->getIntegerBitWidth() ? Part(0, From) : nullptr;
  case llvm::Instruction::Shl: return Second && From >= Amount ? Part(0, From - Amount) : nullptr;
  case llvm::Instruction::LShr: return Second && From + Bits + Amount <= Width ? Part(0, From + Amount) : nullptr;
  case llvm::Instruction::And: return Second && Mask.isSubsetOf(Second->getValue()) ? Part(0, From) : nullptr;
  case llvm::Instruction::Or:
    for (unsigned K : {0u, 1u})
      if (MaskedValueIsZero(I->getOperand(1 - K), Mask, SimplifyQuery(Layout)))
        return Part(K, From);
    return nullptr;
  default: return nullptr;
  }
}

/// Whether V is a part of what the compare-and-swap found, from bit `From` on.
static bool isPartOfOld(const Value &V, const AtomicCmpXchgInst &Swap, unsigned &From) {
  auto *Cut = dyn_cast<TruncInst>(&V);
  if (!Cut)
    return false;
  const Value *Whole = Cut->getOperand(0);
  From = 0;
  if (auto *Shift = dyn_cast<BinaryOperator>(Whole); Shift && Shift->getOpcode() == llvm::Instruction::LShr)
    if (auto *Amount = dyn_cast<ConstantInt>(Shift->getOperand(1))) {
      From = static_cast<unsigned>(Amount->getValue().getLimitedValue(Amount->getBitWidth()));
      Whole = Shift->getOperand(0);
    }
  auto *Old = dyn_cast<ExtractValueInst>(Whole);
  return Old && Old->getAggregateOperand() == &Swap && Old->getIndices()[0] == 0;
}

bool RetryLoops::canTell(const llvm::Instruction &I) {
  if (!Cycles) {
    // LLVM's analyses ask for a function they could change, and leave it as it is.
    auto &Mutable = const_cast<llvm::Function &>(Func);
    Cycles.emplace();
    Cycles->compute(Mutable);
    Dominators.emplace(Mutable);
  }
  Failing = &I;
  auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I);
  Swapped = Swap ? Swap->getPointerOperand() : nullptr;
  Mutex = Swap ? nullptr : cast<CallBase>(I).getArgOperand(1);
  for (const Cycle *L = Cycles->getCycle(I.getParent()); L; L = L->getParentCycle())
    if (isRetry(*L))
      return false;
  return true;
}

/// Whether a failure leads back to the header of the loop, to the state in which it was at the beginning of the round:
/// nothing was changed that the next round does not change again in the same way.
bool RetryLoops::isRetry(const Cycle &L) {
  AfterFailure.clear();
  Before.clear();
  Edges.clear();
  Stores.clear();
  Loads.clear();
  Locks = Unlocks = 0;
  if (!L.isReducible() || !walkFailure(L) || !walkBack(L) || Locks != Unlocks || Locks > 1)
    return false;
  for (const StoreInst *S : Stores)
    if (!isRepeated(*S, L))
      return false;
  if (!Stores.empty())
    for (const LoadInst *Load : Loads)
      if (!isApart(*Load->getPointerOperand()))
        return false;
  for (auto [From, To] : Edges)
    if (To == L.getHeader())
      for (const PHINode &Phi : To->phis())
        if (!Phi.use_empty() && !isSame(Phi.getIncomingValueForBlock(From), Phi, L))
          return false;
  return true;
}

/// Goes every way on from the failure up to the header. False if one of them leaves the loop, waits, or does something.
bool RetryLoops::walkFailure(const Cycle &L) {
  SmallVector<const BasicBlock *, 8> Work;
  auto GoOn = [&](const BasicBlock &From) {
    const llvm::Instruction *End = From.getTerminator();
    SmallVector<const BasicBlock *, 4> Next(successors(&From));
    if (auto *Branch = dyn_cast<BranchInst>(End); Branch && Branch->isConditional()) {
      if (auto *Known = dyn_cast_or_null<ConstantInt>(fold(Branch->getCondition())))
        Next = {Branch->getSuccessor(Known->isZero() ? 1 : 0)};
    } else if (auto *Switch = dyn_cast<SwitchInst>(End)) {
      if (auto *Known = dyn_cast_or_null<ConstantInt>(fold(Switch->getCondition())))
        Next = {Switch->findCaseValue(Known)->getCaseSuccessor()};
    }
    for (const BasicBlock *To : Next) {
      // In a loop of its own it might wait.
      if (To == Failing->getParent() ? To != L.getHeader() : !L.contains(To) || Cycles->getCycle(To) != &L)
        return false;
      Edges.push_back({&From, To});
      if (To != L.getHeader() && AfterFailure.insert(To).second)
        Work.push_back(To);
    }
    return !Next.empty();
  };
  for (const llvm::Instruction *I = Failing->getNextNode(); I; I = I->getNextNode())
    if (!isHarmless(*I, true))
      return false;
  if (!GoOn(*Failing->getParent()))
    return false;
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    for (const llvm::Instruction &I : *B)
      if (!isHarmless(I, true))
        return false;
    if (!GoOn(*B))
      return false;
  }
  return true;
}

/// Looks at all that lies between the header and the operation.
bool RetryLoops::walkBack(const Cycle &L) {
  SmallVector<const BasicBlock *, 8> Work = {Failing->getParent()};
  Before.insert(Failing->getParent());
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    for (const llvm::Instruction &I : *B) {
      if (&I == Failing)
        break;
      if (!isHarmless(I, false))
        return false;
    }
    if (B == L.getHeader())
      continue;
    for (const BasicBlock *From : predecessors(B)) {
      if (From == Failing->getParent()) // comes round without the header
        return false;
      if (Before.insert(From).second)
        Work.push_back(From);
    }
  }
  return true;
}

bool RetryLoops::isHarmless(const llvm::Instruction &I, bool OnFailure) {
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Loads.push_back(Load);
    return true;
  }
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Stores.push_back(Store);
    return !OnFailure;
  }
  if (isa<FenceInst>(I))
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return !I.mayWriteToMemory() && !isa<AllocaInst>(I);
  Callee C = Symbols.resolve(*Call);
  if (C.Kind == Callee::Intrinsic)
    return !isa<MemIntrinsic>(Call) && !isa<VAStartInst, VACopyInst>(Call);
  if (C.Kind != Callee::Builtin)
    return false;
  const bool SameMutex = Mutex && Call->arg_size() == 1 && Call->getArgOperand(0) == Mutex;
  switch (C.What) {
  case Builtin::Ignore: return true;
  case Builtin::MutexLock: ++Locks; return SameMutex && !OnFailure && Dominators->dominates(&I, Failing);
  case Builtin::MutexUnlock: ++Unlocks; return SameMutex && OnFailure;
  default: return false;
  }
}

/// Whether the next round stores to the same place before it can leave the loop, and nothing depends on what was
/// there: the stack's `node->next = old` in front of the compare-and-swap.
bool RetryLoops::isRepeated(const StoreInst &S, const Cycle &L) const {
  SmallVector<BasicBlock *, 4> Exiting;
  for (const BasicBlock *B : L.blocks())
    if (any_of(successors(B), [&](const BasicBlock *To) { return !L.contains(To); }) &&
        !Dominators->dominates(S.getParent(), B))
      return false;
  const Value *Address = S.getPointerOperand()->stripInBoundsConstantOffsets();
  auto *Computed = dyn_cast<llvm::Instruction>(Address);
  return Dominators->dominates(&S, Failing) && (!Computed || !L.contains(Computed->getParent())) &&
         isPure(*S.getValueOperand(), L);
}

/// Whether a value is made of what the loop starts from and of what the compare-and-swap will look at.
bool RetryLoops::isPure(const Value &V, const Cycle &L, unsigned Depth) const {
  auto *I = dyn_cast<llvm::Instruction>(&V);
  if (!I || !L.contains(I->getParent()))
    return true;
  if (Depth == MaxDepth)
    return false;
  if (isa<PHINode>(I))
    return I->getParent() == L.getHeader();
  if (auto *Load = dyn_cast<LoadInst>(I))
    return Load->getPointerOperand() == Swapped;
  if (I->mayReadOrWriteMemory() || isa<AllocaInst>(I))
    return false;
  return all_of(I->operands(), [&](const Use &U) { return isPure(*U, L, Depth + 1); });
}

/// Whether none of the stores goes to this address, as far as can be seen.
bool RetryLoops::isApart(const Value &Address) const {
  const Value *Object = getUnderlyingObject(&Address);
  return all_of(Stores, [&](const StoreInst *S) {
    const Value *Other = getUnderlyingObject(S->getPointerOperand());
    return isIdentifiedObject(Object) && isIdentifiedObject(Other) && Object != Other;
  });
}

/// Whether a phi of the header has the value V after the failure that it had at the beginning of the round; or one
/// that it would have had if the compare-and-swap had found something else, which is a reason.
bool RetryLoops::isSame(const Value *V, const PHINode &Phi, const Cycle &L, unsigned Depth) const {
  V = withoutCasts(V);
  if (V == &Phi)
    return true;
  if (Depth == MaxDepth)
    return false;
  auto *Swap = dyn_cast<AtomicCmpXchgInst>(Failing);
  if (auto *Part = dyn_cast<ExtractValueInst>(V); Swap && Part && Part->getAggregateOperand() == Swap)
    return Part->getIndices()[0] == 0 && isSame(Swap->getCompareOperand(), Phi, L, Depth + 1);
  if (unsigned From; Swap && isPartOfOld(*V, *Swap, From)) {
    const DataLayout &Layout = Func.getParent()->getDataLayout();
    const Value *Expected = partOf(Swap->getCompareOperand(), From, V->getType()->getIntegerBitWidth(), Layout);
    return Expected && isSame(Expected, Phi, L, Depth + 1);
  }
  if (auto *Load = dyn_cast<LoadInst>(V))
    return Swapped && Load->getPointerOperand() == Swapped && AfterFailure.contains(Load->getParent());
  if (auto *Joined = dyn_cast<PHINode>(V); Joined && AfterFailure.contains(Joined->getParent()))
    return all_of(Edges, [&](auto &Edge) {
      return Edge.second != Joined->getParent() ||
             isSame(Joined->getIncomingValueForBlock(Edge.first), Phi, L, Depth + 1);
    });
  if (const Constant *C = fold(V); C && isKnownToBe(Phi, *C))
    return true;
  return all_of(Phi.incoming_values(), [&](const Use &U) { return U.get() == &Phi || U.get() == V; }) &&
         isPure(*V, L, MaxDepth);
}

/// Whether the operation is only come to if the condition is as given.
bool RetryLoops::isOnlyIf(const Value &Condition, bool Holds) const {
  return any_of(Condition.users(), [&](const User *U) {
    if (auto *Branch = dyn_cast<BranchInst>(U); Branch && Branch->isConditional())
      return Dominators->dominates(BasicBlockEdge(Branch->getParent(), Branch->getSuccessor(Holds ? 0 : 1)),
                                   Failing->getParent());
    // Several conditions: `a && b`
    auto *Joined = dyn_cast<PHINode>(U);
    return Joined && Holds &&
           all_of(Joined->incoming_values(),
                  [&](const Use &Other) {
                    auto *Known = dyn_cast<ConstantInt>(Other.get());
                    return Other.get() == &Condition || (Known && Known->isZero());
                  }) &&
           any_of(Joined->users(), [&](const User *Decided) {
             auto *Branch = dyn_cast<BranchInst>(Decided);
             return Branch && Branch->isConditional() &&
                    Dominators->dominates(BasicBlockEdge(Branch->getParent(), Branch->getSuccessor(0)),
                                          Failing->getParent());
           });
  });
}

/// Whether the operation is only come to if the phi has this value.
bool RetryLoops::isKnownToBe(const PHINode &Phi, const Constant &C) const {
  auto IsOnlyIf = [&](const Constant &Other, bool Equal) {
    return any_of(Phi.users(), [&](const User *U) {
      auto *Compares = dyn_cast<ICmpInst>(U);
      return Compares && Compares->isEquality() && Compares->getOperand(0) == &Phi &&
             Compares->getOperand(1) == &Other &&
             isOnlyIf(*Compares, (Compares->getPredicate() == ICmpInst::ICMP_EQ) == Equal);
    });
  };
  if (IsOnlyIf(C, true))
    return true;
  // Or all other values that it can have are ruled out. A wait says that it was woken, or that its time is over.
  return all_of(Phi.incoming_values(), [&](const Use &U) {
    if (U.get() == &C || U.get() == &Phi)
      return true;
    if (U.get() == Failing && Phi.getType()->isIntegerTy())
      return C.isNullValue() && IsOnlyIf(*ConstantInt::get(Phi.getType(), ETIMEDOUT), false);
    auto *Other = dyn_cast<ConstantInt>(U.get());
    return Other && IsOnlyIf(*Other, false);
  });
}

/// The value of a phi that is come to after the failure, and not by another round: `a && b`, where b has failed.
Constant *RetryLoops::foldAfter(const PHINode &Phi, unsigned Depth) const {
  const BasicBlock *Operation = Failing->getParent();
  const Cycle *Loop = Cycles->getCycle(Phi.getParent());
  if (Loop && Loop->getHeader() == Phi.getParent())
    return nullptr;
  Constant *Known = nullptr;
  for (unsigned K = 0; K < Phi.getNumIncomingValues(); ++K) {
    const BasicBlock *From = Phi.getIncomingBlock(K);
    if (From != Operation && Dominators->dominates(From, Operation)) // the operation was not come to
      continue;
    Constant *Here = Dominators->dominates(Operation, From) ? fold(Phi.getIncomingValue(K), Depth + 1) : nullptr;
    if (!Here || (Known && Known != Here))
      return nullptr;
    Known = Here;
  }
  return Known;
}

/// The value of V if the operation fails; null if that is not known.
Constant *RetryLoops::fold(const Value *V, unsigned Depth) const {
  if (auto *C = dyn_cast<Constant>(V))
    return const_cast<Constant *>(C);
  if (V == Failing && V->getType()->isIntegerTy()) // a wait: it says that it was woken
    return ConstantInt::get(V->getType(), 0);
  auto *I = dyn_cast<llvm::Instruction>(V);
  if (!I || Depth == MaxDepth)
    return nullptr;
  if (auto *Part = dyn_cast<ExtractValueInst>(I))
    return Part->getAggregateOperand() == Failing && Part->getIndices()[0] == 1
               ? ConstantInt::getFalse(Part->getContext())
               : nullptr;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return foldAfter(*Phi, Depth);
  if (!isa<CastInst, BinaryOperator, CmpInst, SelectInst, FreezeInst>(I))
    return nullptr;
  SmallVector<Constant *, 3> Operands;
  for (const Use &U : I->operands()) {
    Operands.push_back(fold(U, Depth + 1));
    if (!Operands.back())
      return nullptr;
  }
  if (isa<FreezeInst>(I))
    return Operands[0];
  const DataLayout &Layout = Func.getParent()->getDataLayout();
  if (auto *Compares = dyn_cast<CmpInst>(I))
    return ConstantFoldCompareInstOperands(Compares->getPredicate(), Operands[0], Operands[1], Layout);
  return ConstantFoldInstOperands(const_cast<llvm::Instruction *>(I), Operands, Layout);
}

} // namespace picket
