#include "source/passes/LocalLifetimes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace picket {

static bool isMarker(const Instruction &I) { return isa<LifetimeIntrinsic>(I); }

static bool isMarker(const Instruction &I, Intrinsic::ID Which) {
  auto *Marker = dyn_cast<LifetimeIntrinsic>(&I);
  return Marker && Marker->getIntrinsicID() == Which;
}

namespace {

/// The users of a local variable, directly or through pointers computed from its address.
struct LocalUses {
  explicit LocalUses(const AllocaInst &Local);

  SmallVector<LifetimeIntrinsic *, 4> Markers;
  SmallPtrSet<const Instruction *, 16> Accesses;
  bool Escapes = false; // the address is stored, passed on or turned into a number
  bool Carried = false; // it may be carried into the next iteration of a loop

private:
  void add(const Value &Pointer, Instruction &User, SmallVectorImpl<const Value *> &Pending);
};

LocalUses::LocalUses(const AllocaInst &Local) {
  SmallVector<const Value *, 8> Pending = {&Local};
  SmallPtrSet<const Value *, 8> Seen = {&Local};
  while (!Pending.empty()) {
    const Value *Pointer = Pending.pop_back_val();
    SmallVector<const Value *, 4> Derived;
    for (const User *U : Pointer->users())
      add(*Pointer, const_cast<Instruction &>(*cast<Instruction>(U)), Derived);
    for (const Value *V : Derived)
      if (Seen.insert(V).second)
        Pending.push_back(V);
  }
}

void LocalUses::add(const Value &Pointer, Instruction &User, SmallVectorImpl<const Value *> &Derived) {
  if (auto *Marker = dyn_cast<LifetimeIntrinsic>(&User)) {
    Markers.push_back(Marker);
    return;
  }
  if (isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst, PHINode, SelectInst, FreezeInst>(User)) {
    Carried |= isa<PHINode>(User);
    Derived.push_back(&User);
    return;
  }
  if (isa<ICmpInst>(User))
    return;
  bool Accessed = false;
  if (auto *Store = dyn_cast<StoreInst>(&User))
    Accessed = Store->getValueOperand() != &Pointer;
  else if (auto *Rmw = dyn_cast<AtomicRMWInst>(&User))
    Accessed = Rmw->getValOperand() != &Pointer;
  else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&User))
    Accessed = Swap->getCompareOperand() != &Pointer && Swap->getNewValOperand() != &Pointer;
  else
    Accessed = isa<LoadInst, MemIntrinsic>(User);
  Escapes |= !Accessed;
  Accesses.insert(&User);
}

} // namespace

/// Whether some way leads from an end of the variable to an access without a new beginning in between.
static bool mayBeUsedAfterEnd(const AllocaInst &Local, const LocalUses &Uses) {
  SmallVector<const Instruction *, 8> Pending;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  for (const LifetimeIntrinsic *Marker : Uses.Markers)
    if (isMarker(*Marker, Intrinsic::lifetime_end))
      Pending.push_back(Marker->getNextNode());
  while (!Pending.empty()) {
    const Instruction *I = Pending.pop_back_val();
    for (; I; I = I->getNextNode()) {
      if (Uses.Accesses.contains(I))
        return true;
      if (isMarker(*I, Intrinsic::lifetime_start) && I->getOperand(0) == &Local)
        break;
      if (I->isTerminator())
        for (const BasicBlock *Next : successors(I->getParent()))
          if (Seen.insert(Next).second)
            Pending.push_back(&Next->front());
    }
  }
  return false;
}

/// A variable that begins anew gets a new address, so nothing may use its address before it begins.
static bool beginsBeforeAllUses(const AllocaInst &Local, const LocalUses &Uses, const DominatorTree &Dominators) {
  for (const Use &U : Local.uses()) {
    auto *User = cast<Instruction>(U.getUser());
    bool Begun = isMarker(*User) || any_of(Uses.Markers, [&](const LifetimeIntrinsic *Marker) {
                   return isMarker(*Marker, Intrinsic::lifetime_start) && Dominators.dominates(Marker, U);
                 });
    if (!Begun)
      return false;
  }
  return true;
}

static bool hasMarkers(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) { return isMarker(I); });
}

static SmallVector<AllocaInst *, 8> localsOf(Function &F) {
  SmallVector<AllocaInst *, 8> Found;
  for (Instruction &I : instructions(F))
    if (auto *Local = dyn_cast<AllocaInst>(&I))
      Found.push_back(Local);
  return Found;
}

SmallPtrSet<AllocaInst *, 8> localsUsedAfterEnd(Module &M) {
  SmallPtrSet<AllocaInst *, 8> Found;
  for (Function &F : M)
    if (hasMarkers(F))
      for (AllocaInst *Local : localsOf(F))
        if (LocalUses Uses(*Local); !Uses.Escapes && mayBeUsedAfterEnd(*Local, Uses))
          Found.insert(Local);
  return Found;
}

SmallPtrSet<AllocaInst *, 8> localsPointedTo(Module &M) {
  SmallPtrSet<AllocaInst *, 8> Found;
  for (Function &F : M)
    if (hasMarkers(F))
      for (AllocaInst *Local : localsOf(F))
        if (LocalUses Uses(*Local); Uses.Escapes && !Uses.Markers.empty())
          Found.insert(Local);
  return Found;
}

void dropPointlessMarkers(Module &M) {
  for (Function &F : M) {
    if (!hasMarkers(F))
      continue;
    DominatorTree Dominators(F);
    for (AllocaInst *Local : localsOf(F)) {
      LocalUses Uses(*Local);
      if (Uses.Markers.empty())
        continue;
      bool Noticed = Uses.Escapes || Uses.Carried || mayBeUsedAfterEnd(*Local, Uses);
      if (Noticed && beginsBeforeAllUses(*Local, Uses, Dominators))
        continue;
      for (LifetimeIntrinsic *Marker : Uses.Markers)
        Marker->eraseFromParent();
    }
  }
}

/// The variable that a block asks where to go on, after nothing but the ends of variables. Null if the block is
/// another.
static const AllocaInst *destinationOf(const BasicBlock &Block) {
  auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator());
  auto *Loaded = Switch ? dyn_cast<LoadInst>(Switch->getCondition()) : nullptr;
  if (!Loaded || Loaded->getParent() != &Block || !Loaded->hasOneUse() || Loaded->isVolatile())
    return nullptr;
  for (const Instruction &I : Block)
    if (&I != Loaded && &I != Switch && !isMarker(I))
      return nullptr;
  auto *Slot = dyn_cast<AllocaInst>(Loaded->getPointerOperand());
  return Slot && !LocalUses(*Slot).Escapes ? Slot : nullptr;
}

/// What a block leaves in the variable, if it is a known number.
static ConstantInt *lastStored(BasicBlock &Block, const AllocaInst &Slot) {
  for (Instruction &I : reverse(Block))
    if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->getPointerOperand() == &Slot)
      return dyn_cast<ConstantInt>(Store->getValueOperand());
  return nullptr;
}

/// The only successor of a block in which nothing else happens.
static BasicBlock *onlyEndsVariables(BasicBlock &Block) {
  auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
  bool Only = Branch && Branch->isUnconditional() &&
              all_of(Block, [&](const Instruction &I) { return &I == Branch || isMarker(I); });
  return Only ? Branch->getSuccessor(0) : nullptr;
}

static bool goOnDirectly(BasicBlock &From) {
  auto *Branch = dyn_cast<BranchInst>(From.getTerminator());
  if (!Branch || Branch->isConditional())
    return false;
  // Blocks that only end variables may lie on the way to the one that asks.
  SmallVector<BasicBlock *, 4> Way = {Branch->getSuccessor(0)};
  while (BasicBlock *Next = onlyEndsVariables(*Way.back())) {
    if (is_contained(Way, Next))
      return false;
    Way.push_back(Next);
  }
  const AllocaInst *Slot = destinationOf(*Way.back());
  ConstantInt *Known = Slot ? lastStored(From, *Slot) : nullptr;
  if (!Known)
    return false;
  for (BasicBlock *Left : Way)
    for (Instruction &I : *Left)
      if (isMarker(I))
        I.clone()->insertBefore(Branch->getIterator());
  Branch->setSuccessor(0, cast<SwitchInst>(Way.back()->getTerminator())->findCaseValue(Known)->getCaseSuccessor());
  return true;
}

void separateWaysOut(Module &M) {
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    for (BasicBlock &Block : F)
      while (goOnDirectly(Block))
        ;
    removeUnreachableBlocks(F);
  }
}

/// Whether nothing happens from `First` on but the function's return.
static bool onlyReturns(const Instruction &First) {
  SmallVector<const Instruction *, 4> Pending = {&First};
  SmallPtrSet<const BasicBlock *, 8> Seen;
  while (!Pending.empty()) {
    for (const Instruction *I = Pending.pop_back_val(); I; I = I->getNextNode()) {
      if (I->isTerminator()) {
        if (!isa<ReturnInst, BranchInst, SwitchInst, UnreachableInst>(I))
          return false;
        for (const BasicBlock *Next : successors(I->getParent()))
          if (Seen.insert(Next).second)
            Pending.push_back(&Next->front());
        continue;
      }
      // What Clang keeps the result in, and where it notes which scopes are still to be left.
      auto *Slot = dyn_cast_if_present<AllocaInst>(getLoadStorePointerOperand(I));
      bool Harmless = Slot ? !LocalUses(*Slot).Escapes : !I->mayReadOrWriteMemory();
      if (auto *Call = dyn_cast<IntrinsicInst>(I))
        Harmless |= isMarker(*I) || Call->getIntrinsicID() == Intrinsic::stackrestore;
      if (!Harmless)
        return false;
    }
  }
  return true;
}

void keepLocalsOfMain(Module &M) {
  Function *Main = M.getFunction("main");
  if (!Main || Main->isDeclaration())
    return;
  SmallVector<Instruction *, 8> Dropped;
  for (Instruction &I : instructions(*Main))
    if (isMarker(I, Intrinsic::lifetime_end) && onlyReturns(I))
      Dropped.push_back(&I);
  for (Instruction *I : Dropped)
    I->eraseFromParent();
}

} // namespace picket
