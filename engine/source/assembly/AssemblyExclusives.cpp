// Loads and stores that are exclusive (Arm) or reserve (POWER). A loop that tries again until its store succeeds is one atomic
// update, or one compare-and-swap, where it can be seen to be; else it compares and swaps what it has loaded.
#include "source/assembly/AssemblyStatement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;

namespace picket {

namespace {

bool acquires(Order O) { return O == Order::Acquire; }
bool releases(Order O) { return O == Order::Release; }

Order joined(Order Load, Order Store) {
  if (acquires(Load))
    return releases(Store) ? Order::AcqRel : Order::Acquire;
  return releases(Store) ? Order::Release : Order::Relaxed;
}

/// The same number, as far as its lower bits go.
const Value *withoutCasts(const Value *V, unsigned Bits) {
  while (isa<ZExtInst, TruncInst>(V)) {
    const Value *Inner = cast<CastInst>(V)->getOperand(0);
    if (Inner->getType()->getIntegerBitWidth() < Bits)
      break;
    V = Inner;
  }
  return V;
}

/// What is computed from a value, in its own block or in another one.
bool dependsOn(const Value *V, const Value *On) {
  if (V == On)
    return true;
  auto *I = dyn_cast<llvm::Instruction>(V);
  return I && !isa<PHINode>(I) && any_of(I->operands(), [&](const Use &U) { return dependsOn(U.get(), On); });
}

} // namespace

/// The jump back if the store has failed.
bool AssemblyStatement::isRetry(const Line &Jump, const Line &Store, size_t Load) const {
  if (!Jump.Form || Jump.JumpsTo < 0 || static_cast<size_t>(Jump.JumpsTo) > Load)
    return false;
  if (For == Architecture::Powerpc64le)
    return Jump.Form->Condition == "ne" &&
           (Jump.Operands.size() == 1 || Jump.Operands[0] == "0" || Jump.Operands[0] == "cr0");
  if (Jump.Form->Row->What != Meaning::BranchIfZero || Jump.Form->Row->Detail != 1 || Jump.Parsed.size() != 1)
    return false;
  auto Is = [](const AssemblyOperand &O) { return O.What == AssemblyOperand::Register && !O.Reg.isZero(); };
  return Is(Jump.Parsed[0]) && Is(Store.Parsed[0]) && registerOf(Jump.Parsed[0].Reg) == registerOf(Store.Parsed[0].Reg);
}

void AssemblyStatement::findExclusives() {
  std::optional<size_t> Load;
  for (size_t K = 0; K < Lines.size(); ++K) {
    if (!Lines[K].Form)
      continue;
    const Meaning What = Lines[K].Form->Row->What;
    if (What == Meaning::LoadExclusive)
      Load = K;
    if (What != Meaning::StoreExclusive)
      continue;
    if (!Load)
      throw AssemblyRefused{"'" + Lines[K].Mnemonic +
                            "' is modelled only in one statement with the load that belongs to it"};
    if (Lines[K].Parsed.empty() || K + 1 == Lines.size() || !isRetry(Lines[K + 1], Lines[K], *Load))
      throw AssemblyRefused{"'" + Lines[K].Mnemonic +
                            "' is modelled only in a loop that tries again immediately when it has failed"};
    for (size_t Between = *Load + 1; Between <= K + 1; ++Between)
      if (ComesBack.count(static_cast<int>(Between)))
        throw AssemblyRefused{"a jump to between '" + Lines[*Load].Mnemonic + "' and '" + Lines[K].Mnemonic +
                              "' is not modelled"};
    Exclusive E;
    E.Load = *Load;
    E.Store = K;
    E.Retry = K + 1;
    E.Waits =
        K + 2 < Lines.size() && Lines[K + 2].Form && Lines[K + 2].Labels.empty() && Lines[K + 2].Mnemonic == "isync";
    Exclusives.push_back(E);
    Load.reset();
  }
}

/// One without a store is an ordinary load: no other statement can store what it has reserved.
void AssemblyStatement::loadExclusive(const Line &L, Exclusive *Loop) {
  const bool IsPair = L.Form->Bytes == 16;
  const size_t First = IsPair ? 2 : 1;
  if (L.Parsed.size() <= First)
    need(L, First + 1);
  const unsigned Bits = widthOf(L);
  const AssemblyOperand &Data = L.Parsed[0];
  const unsigned Register = For == Architecture::Aarch64 ? std::max(bitsOf(Data.Reg), 32u) : 64;
  Value *Pointer = address(memoryOf(L, First));
  // It is LDAR that an acquiring one is like, not LDAPR.
  LoadInst *Loaded = load(Pointer, Bits, acquires(L.Form->Ordering) ? Order::SeqCst : Order::Relaxed);
  Value *Old = Loaded;
  if (Loop) {
    auto *Stands = cast<llvm::Instruction>(Builder.CreateFreeze(Loaded));
    Loop->Pointer = Pointer;
    Loop->Type = Loaded->getType();
    Loop->Placeholder = Loaded;
    Loop->Old = Stands;
    Loop->HasOtherAccesses = false;
    Loop->Exits.clear();
    Current = Loop;
    Old = Stands;
  }
  Type *Whole = Builder.getIntNTy(Register);
  if (!IsPair)
    return write(Data, {Builder.CreateZExt(Old, Whole), Register}, Register);
  write(Data, {Builder.CreateTrunc(Old, Whole), Register}, Register);
  write(L.Parsed[1], {Builder.CreateTrunc(Builder.CreateLShr(Old, Bits / 2), Whole), Register}, Register);
}

void AssemblyStatement::storeExclusive(const Line &L, Exclusive *Loop) {
  const bool IsArm = For == Architecture::Aarch64, IsPair = L.Form->Bytes == 16;
  const size_t First = IsArm ? 1 : 0, Count = IsPair ? 2 : 1;
  if (!Loop || Loop != Current || L.Parsed.size() <= First + Count)
    throw AssemblyRefused{"'" + L.Mnemonic + "' is modelled only after the load that belongs to it"};
  Current = nullptr;
  const unsigned Bits = widthOf(Lines[Loop->Load]);
  Value *Pointer = address(memoryOf(L, First + Count));
  const unsigned Own = L.Form->Bytes ? 8 * L.Form->Bytes : bitsOf(L.Parsed[First].Reg);
  if (Pointer != Loop->Pointer || Own != Bits)
    throw AssemblyRefused{"'" + L.Mnemonic + "' stores to another place than '" + Lines[Loop->Load].Mnemonic +
                          "' loads from"};
  Value *New = readKnown(L.Parsed[First], Bits / Count);
  if (IsPair) {
    Value *High = readKnown(L.Parsed[First + 1], Bits / 2);
    New = Builder.CreateOr(Builder.CreateShl(Builder.CreateZExt(High, Loop->Type), Bits / 2),
                           Builder.CreateZExt(New, Loop->Type));
  }
  const Order Load = Lines[Loop->Load].Form->Ordering;
  Order Ordering = joined(Load, L.Form->Ordering);
  const Order Failure = acquires(Load) ? Order::Acquire : Order::Relaxed;
  Value *Success = Builder.getTrue();
  if (Loop->HasOtherAccesses || !(makeUpdate(*Loop, New, Loop->Waits ? Order::Acquire : Ordering) ||
                                  makeCompareExchange(*Loop, New, Ordering, Failure))) {
    AtomicCmpXchgInst *Swap =
        Builder.CreateAtomicCmpXchg(Pointer, Loop->Old, New, Align(Bits / 8), llvmOrder(Ordering), llvmOrder(Failure));
    assemblymarks::set(*Swap, assemblymarks::Exclusive);
    Success = Builder.CreateExtractValue(Swap, 1);
  } else
    Loop->Placeholder = nullptr;
  if (IsArm)
    write(L.Parsed[0], {Builder.CreateZExt(Builder.CreateNot(Success), Builder.getInt32Ty()), 32}, 32);
  else {
    State.Flags[0] = {};
    State.Flags[0].Zero = Success;
  }
}

/// Replaces the placeholder. What was computed from it comes after what was made.
void AssemblyStatement::putAfter(Exclusive &Loop, llvm::Instruction *Made, Value *Old) {
  SmallVector<llvm::Instruction *, 8> Later;
  SmallPtrSet<llvm::Instruction *, 8> Dependent = {Loop.Placeholder};
  for (llvm::Instruction *I = Loop.Placeholder->getNextNode(); I && I != Made; I = I->getNextNode())
    if (any_of(I->operands(), [&](const Use &U) {
          auto *From = dyn_cast<llvm::Instruction>(U.get());
          return From && Dependent.contains(From);
        })) {
      Dependent.insert(I);
      Later.push_back(I);
    }
  auto *Last = Old == Made ? Made : cast<llvm::Instruction>(Old);
  for (llvm::Instruction *I : Later) {
    I->moveAfter(Last);
    Last = I;
  }
  Loop.Placeholder->replaceAllUsesWith(Old);
  Loop.Placeholder->eraseFromParent();
}

/// Between load and store there is arithmetic only, of a kind that an atomic update has.
bool AssemblyStatement::makeUpdate(Exclusive &Loop, Value *New, Order Ordering) {
  if (!Loop.Exits.empty() || Loop.Placeholder->getParent() != Builder.GetInsertBlock())
    return false;
  const unsigned Bits = Loop.Type->getIntegerBitWidth();
  auto IsOld = [&](const Value *V) { return withoutCasts(V, Bits) == Loop.Old; };
  AtomicRMWInst::BinOp Op = AtomicRMWInst::Xchg;
  Value *With = New;
  if (dependsOn(New, Loop.Old)) {
    auto *Made = dyn_cast<BinaryOperator>(withoutCasts(New, Bits));
    if (!Made)
      return false;
    switch (Made->getOpcode()) {
    case llvm::Instruction::Add: Op = AtomicRMWInst::Add; break;
    case llvm::Instruction::Sub: Op = AtomicRMWInst::Sub; break;
    case llvm::Instruction::And: Op = AtomicRMWInst::And; break;
    case llvm::Instruction::Or: Op = AtomicRMWInst::Or; break;
    case llvm::Instruction::Xor: Op = AtomicRMWInst::Xor; break;
    default: return false;
    }
    Value *A = Made->getOperand(0), *B = Made->getOperand(1);
    if (!IsOld(A) && Made->isCommutative())
      std::swap(A, B);
    if (!IsOld(A) || dependsOn(B, Loop.Old))
      return false;
    With = lowerBits(B, Bits);
  }
  AtomicRMWInst *Update = Builder.CreateAtomicRMW(Op, Loop.Pointer, With, Align(Bits / 8), llvmOrder(Ordering));
  assemblymarks::set(*Update, assemblymarks::Exclusive);
  putAfter(Loop, Update, Update);
  return true;
}

/// Between load and store there is one way out, if what was loaded is not what was expected, and what is stored does not depend on it.
bool AssemblyStatement::makeCompareExchange(Exclusive &Loop, Value *New, Order Ordering, Order Failure) {
  BasicBlock *Rest = Builder.GetInsertBlock(), *Head = Loop.Placeholder->getParent();
  if (Loop.Exits.size() != 1 || Loop.Exits[0]->getParent() != Head || Loop.Exits[0]->getSuccessor(1) != Rest ||
      dependsOn(New, Loop.Old))
    return false;
  BranchInst *Exit = Loop.Exits[0];
  const unsigned Bits = Loop.Type->getIntegerBitWidth();
  Value *Condition = Exit->getCondition();
  bool IfEqual = false;
  if (auto *Not = dyn_cast<BinaryOperator>(Condition);
      Not && Not->getOpcode() == llvm::Instruction::Xor && isa<ConstantInt>(Not->getOperand(1))) {
    Condition = Not->getOperand(0);
    IfEqual = true;
  }
  auto *Compares = dyn_cast<ICmpInst>(Condition);
  if (!Compares || !Compares->isEquality())
    return false;
  IfEqual = (Compares->getPredicate() == ICmpInst::ICMP_EQ) != IfEqual;
  Value *A = Compares->getOperand(0), *B = Compares->getOperand(1);
  // eor tmp, old, expected; cbnz tmp
  if (auto *Difference = dyn_cast<BinaryOperator>(withoutCasts(A, A->getType()->getIntegerBitWidth()));
      Difference && Difference->getOpcode() == llvm::Instruction::Xor && isa<ConstantInt>(B) &&
      cast<ConstantInt>(B)->isZero()) {
    A = Difference->getOperand(0);
    B = Difference->getOperand(1);
  }
  auto IsOld = [&](const Value *V) { return withoutCasts(V, Bits) == Loop.Old; };
  if (!IsOld(A))
    std::swap(A, B);
  // It compares all bits, and leaves if they differ.
  if (IfEqual || !IsOld(A) || A->getType()->getIntegerBitWidth() != Bits || dependsOn(B, Loop.Old))
    return false;
  for (llvm::Instruction &I : *Rest)
    if (dependsOn(&I, Loop.Old) || I.mayHaveSideEffects())
      return false;
  for (llvm::Instruction &I : make_early_inc_range(*Rest))
    I.moveBefore(Exit->getIterator());
  Builder.SetInsertPoint(Exit);
  AtomicCmpXchgInst *Swap =
      Builder.CreateAtomicCmpXchg(Loop.Pointer, B, New, Align(Bits / 8), llvmOrder(Ordering), llvmOrder(Failure));
  assemblymarks::set(*Swap, assemblymarks::Exclusive);
  Value *Old = Builder.CreateExtractValue(Swap, 0), *Success = Builder.CreateExtractValue(Swap, 1);
  putAfter(Loop, Swap, Old);
  BasicBlock *Out = Exit->getSuccessor(0);
  Builder.SetInsertPoint(Exit);
  Builder.CreateCondBr(Success, Rest, Out);
  Exit->eraseFromParent();
  Builder.SetInsertPoint(Rest);
  return true;
}

} // namespace picket
