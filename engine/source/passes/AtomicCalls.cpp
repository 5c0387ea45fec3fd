#include "source/passes/AtomicCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace picket {

namespace {

/// The memory_order constants of C; what is not known when compiling, or not allowed here, is taken as the strongest.
AtomicOrdering orderOf(const Value &V, bool Reads, bool Writes) {
  auto *Constant = dyn_cast<ConstantInt>(&V);
  switch (Constant ? Constant->getZExtValue() & 0xffff : 5) {
  case 0: return AtomicOrdering::Monotonic;
  case 1: // consume
  case 2: return Reads ? AtomicOrdering::Acquire : AtomicOrdering::SequentiallyConsistent;
  case 3: return Writes ? AtomicOrdering::Release : AtomicOrdering::SequentiallyConsistent;
  case 4: return Reads && Writes ? AtomicOrdering::AcquireRelease : AtomicOrdering::SequentiallyConsistent;
  default: return AtomicOrdering::SequentiallyConsistent;
  }
}

/// A call whose first argument is the size of an access.
class AtomicCall {
public:
  AtomicCall(CallInst &Call, unsigned Bytes)
      : Call(Call), Builder(&Call), ValueType(Builder.getIntNTy(8 * Bytes)), Natural(Bytes) {}

  Value *argument(unsigned K) const { return Call.getArgOperand(K); }

  void load() {
    LoadInst *Load = Builder.CreateAlignedLoad(ValueType, argument(1), Natural);
    Load->setAtomic(orderOf(*argument(3), true, false));
    put(Load, 2);
  }

  void store() {
    StoreInst *Store = Builder.CreateAlignedStore(get(2), argument(1), Natural);
    Store->setAtomic(orderOf(*argument(3), false, true));
  }

  void exchange() {
    put(Builder.CreateAtomicRMW(AtomicRMWInst::Xchg, argument(1), get(2), Natural, orderOf(*argument(4), true, true)),
        3);
  }

  /// bool compare_exchange(size, object, expected, desired, success order, failure order): leaves in `expected` what it
  /// found. Where it succeeds that is there already; but no other thread may see a write then.
  void compareExchange() {
    Value *Expected = get(2);
    AtomicCmpXchgInst *Swap = Builder.CreateAtomicCmpXchg(
        argument(1), Expected, get(3), Natural, orderOf(*argument(4), true, true), orderOf(*argument(5), true, false));
    Value *Old = Builder.CreateExtractValue(Swap, 0), *Success = Builder.CreateExtractValue(Swap, 1);
    BasicBlock *Head = Call.getParent();
    BasicBlock *After = Head->splitBasicBlock(Call.getIterator());
    BasicBlock *Failed = BasicBlock::Create(Call.getContext(), "", Head->getParent(), After);
    Head->getTerminator()->eraseFromParent();
    Builder.SetInsertPoint(Head);
    Builder.CreateCondBr(Success, After, Failed);
    Builder.SetInsertPoint(Failed);
    put(Old, 2);
    Builder.CreateBr(After);
    Builder.SetInsertPoint(&Call);
    Call.replaceAllUsesWith(Builder.CreateZExtOrTrunc(Success, Call.getType()));
  }

private:
  Value *get(unsigned K) { return Builder.CreateAlignedLoad(ValueType, argument(K), Align(1)); }
  void put(Value *V, unsigned K) { Builder.CreateAlignedStore(V, argument(K), Align(1)); }

  CallInst &Call;
  IRBuilder<> Builder;
  Type *ValueType;
  Align Natural;
};

/// Replaces the calls of a function of the library by instructions.
template <typename Make> void replaceCalls(Module &M, StringRef Name, unsigned NumArguments, Make Instruction) {
  Function *F = M.getFunction(Name);
  if (!F || !F->isDeclaration())
    return;
  for (User *U : make_early_inc_range(F->users())) {
    auto *Call = dyn_cast<CallInst>(U);
    if (!Call || Call->getCalledOperand() != F || Call->arg_size() != NumArguments)
      continue;
    auto *Size = dyn_cast<ConstantInt>(Call->getArgOperand(0));
    const uint64_t Bytes = Size ? Size->getLimitedValue() : 0;
    if (Bytes > 16 || !isPowerOf2_64(Bytes))
      continue;
    AtomicCall Made(*Call, static_cast<unsigned>(Bytes));
    (Made.*Instruction)();
    Call->eraseFromParent();
  }
}

} // namespace

void makeAtomicInstructions(Module &M) {
  replaceCalls(M, "__atomic_load", 4, &AtomicCall::load);
  replaceCalls(M, "__atomic_store", 4, &AtomicCall::store);
  replaceCalls(M, "__atomic_exchange", 5, &AtomicCall::exchange);
  replaceCalls(M, "__atomic_compare_exchange", 6, &AtomicCall::compareExchange);
}

} // namespace picket
