#include "source/assembly/AssemblyStatement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace picket {

void assemblymarks::set(llvm::Instruction &I, StringRef Mark) { I.setMetadata(Mark, MDNode::get(I.getContext(), {})); }

AtomicOrdering llvmOrder(Order Ordering) {
  switch (Ordering) {
  case Order::NotAtomic: return AtomicOrdering::NotAtomic;
  case Order::Relaxed: return AtomicOrdering::Monotonic;
  case Order::AcquirePC:
  case Order::Acquire: return AtomicOrdering::Acquire;
  case Order::Release: return AtomicOrdering::Release;
  case Order::AcqRel: return AtomicOrdering::AcquireRelease;
  case Order::SeqCst: return AtomicOrdering::SequentiallyConsistent;
  }
  return AtomicOrdering::SequentiallyConsistent;
}

unsigned AssemblyStatement::registerOf(const AssemblyRegister &R) const {
  if (R.Operand < 0)
    return static_cast<unsigned>(find(RegisterNames, R.Name) - RegisterNames.begin());
  const Slot &S = Slots[static_cast<size_t>(R.Operand)];
  if (!S.Condition.empty())
    throw AssemblyRefused{"its constraints are not modelled"};
  if (R.SecondHalf && !S.SecondRegister)
    throw AssemblyRefused{"an operand has no second register"};
  return R.SecondHalf ? S.SecondRegister : S.Register;
}

unsigned AssemblyStatement::bitsOf(const AssemblyRegister &R) const {
  if (R.Bits || R.Operand < 0)
    return R.Bits;
  const unsigned Bits = Slots[static_cast<size_t>(R.Operand)].Bits;
  return Bits <= 8 ? 8 : Bits <= 16 ? 16 : Bits <= 32 ? 32 : 64;
}

/// Without the steps between, where it was made wider before.
Value *AssemblyStatement::lowerBits(Value *V, unsigned Bits) {
  if (auto *Wider = dyn_cast<ZExtInst>(V); Wider && Wider->getSrcTy()->getIntegerBitWidth() >= Bits)
    V = Wider->getOperand(0);
  return Builder.CreateTrunc(V, Builder.getIntNTy(Bits));
}

AssemblyValue AssemblyStatement::read(const AssemblyRegister &R, unsigned Bits) {
  Type *T = Builder.getIntNTy(Bits);
  if (R.isZero())
    return {ConstantInt::get(T, 0), Bits};
  const AssemblyValue &Whole = State.Registers[registerOf(R)];
  Value *V = Whole.V         ? Whole.V
             : Whole.Pointer ? Builder.CreatePtrToInt(Whole.Pointer, Builder.getInt64Ty())
                             : Builder.getInt64(0);
  if (R.From)
    V = Builder.CreateLShr(V, R.From);
  const unsigned Known = Whole.Known > R.From ? Whole.Known - R.From : 0;
  return {lowerBits(V, Bits), std::min(Known, Bits), Bits == 64 ? Whole.Pointer : nullptr};
}

AssemblyValue AssemblyStatement::read(const AssemblyOperand &O, unsigned Bits) {
  switch (O.What) {
  case AssemblyOperand::Register: return read(O.Reg, Bits);
  case AssemblyOperand::Number:
    return {ConstantInt::get(Builder.getIntNTy(Bits), static_cast<uint64_t>(O.Value), true, true), Bits};
  case AssemblyOperand::Memory: return {load(address(O), Bits, Order::NotAtomic), Bits};
  case AssemblyOperand::Word: break;
  }
  throw AssemblyRefused{"the operand '" + O.Text + "' is not modelled"};
}

Value *AssemblyStatement::known(const AssemblyValue &V, unsigned Bits) const {
  if (V.Known >= Bits)
    return V.V;
  throw AssemblyRefused{V.Known == 0 ? std::string("it reads a register that has no value")
                                     : "it uses " + std::to_string(Bits) + " bits of a value that has " +
                                           std::to_string(V.Known)};
}

/// Parts of a register of x86 leave the others as they are; those of 32 bits, and registers of others, set them to zero.
void AssemblyStatement::write(const AssemblyRegister &R, AssemblyValue V, unsigned Bits) {
  if (R.isZero())
    return;
  const unsigned Number = registerOf(R);
  if (!MayChange[Number])
    throw AssemblyRefused{"it changes an operand that is only an input"};
  AssemblyValue &Into = State.Registers[Number];
  Value *New = Builder.CreateZExt(V.V, Builder.getInt64Ty());
  if (For != Architecture::X86_64 || Bits >= 32) {
    Into = {New, V.Known >= Bits ? 64 : V.Known, Bits == 64 ? V.Pointer : nullptr};
    return;
  }
  const uint64_t Mask = maskTrailingOnes<uint64_t>(Bits) << R.From;
  if (V.Known < Bits)
    throw AssemblyRefused{"it reads a register that has no value"};
  if (R.From == 0 && Into.Known <= Bits) {
    Into = {New, Bits};
    return;
  }
  if (Into.Known < R.From)
    throw AssemblyRefused{"it reads a register that has no value"};
  Value *Kept = Builder.CreateAnd(Into.V, Builder.getInt64(~Mask));
  Into = {Builder.CreateOr(Kept, Builder.CreateShl(New, R.From)), std::max(Into.Known, R.From + Bits)};
}

void AssemblyStatement::write(const AssemblyOperand &O, AssemblyValue V, unsigned Bits) {
  if (O.What == AssemblyOperand::Register)
    return write(O.Reg, V, Bits);
  if (O.What != AssemblyOperand::Memory)
    throw AssemblyRefused{"its destination is not modelled"};
  store(address(O), known(V, Bits), Order::NotAtomic);
}

Value *AssemblyStatement::pointerIn(const AssemblyRegister &R) {
  if (!R.isZero())
    if (Value *Pointer = State.Registers[registerOf(R)].Pointer)
      return Pointer;
  return Builder.CreateIntToPtr(known(read(R, 64), 64), Builder.getPtrTy());
}

Value *AssemblyStatement::address(const AssemblyOperand &O) {
  Value *Pointer = nullptr;
  if (O.MemoryOperand >= 0)
    Pointer = Slots[static_cast<size_t>(O.MemoryOperand)].Pointer;
  else if (O.HasBase)
    Pointer = pointerIn(O.Reg);
  else
    throw AssemblyRefused{"an address is not modelled"};
  if (O.HasIndex) {
    Value *Index = known(read(O.Index, 64), 64);
    Pointer = Builder.CreateGEP(Builder.getInt8Ty(), Pointer, Builder.CreateMul(Index, Builder.getInt64(O.Scale)));
  }
  if (O.Value)
    Pointer = Builder.CreateGEP(Builder.getInt8Ty(), Pointer, Builder.getInt64(static_cast<uint64_t>(O.Value)));
  return Pointer;
}

static bool isOwnLocal(const Value *Pointer) { return isa<AllocaInst>(getUnderlyingObject(Pointer)); }

/// Compilers do not see plain accesses of instructions, and so cannot tear, invent or join them: they are relaxed atomics.
template <typename Access> static void setOrdering(Access &I, const Value *Pointer, Order Ordering) {
  if (Ordering != Order::NotAtomic) {
    I.setAtomic(llvmOrder(Ordering));
  } else if (!isOwnLocal(Pointer)) {
    I.setVolatile(true);
    I.setAtomic(AtomicOrdering::Monotonic);
  }
}

LoadInst *AssemblyStatement::load(Value *Pointer, unsigned Bits, Order Ordering) {
  if (Current)
    Current->HasOtherAccesses = true;
  LoadInst *Load = Builder.CreateAlignedLoad(Builder.getIntNTy(Bits), Pointer, Align(Bits / 8));
  setOrdering(*Load, Pointer, Ordering);
  if (Ordering == Order::AcquirePC)
    assemblymarks::set(*Load, assemblymarks::WeakAcquire);
  return Load;
}

void AssemblyStatement::store(Value *Pointer, Value *V, Order Ordering) {
  if (Current)
    Current->HasOtherAccesses = true;
  StoreInst *Store = Builder.CreateAlignedStore(V, Pointer, Align(V->getType()->getIntegerBitWidth() / 8));
  setOrdering(*Store, Pointer, Ordering);
}

/// A value that is not known: refused only if something needs it.
CallInst *AssemblyStatement::unknown(Type *T, const std::string &What) {
  InlineAsm *Nothing = InlineAsm::get(FunctionType::get(T, false), "", "=r", /*hasSideEffects=*/true);
  CallInst *Made = Builder.CreateCall(Nothing);
  LLVMContext &Context = Made->getContext();
  Made->setMetadata(assemblymarks::Unknown, MDNode::get(Context, MDString::get(Context, What)));
  return Made;
}

/// LLVM has no instructions for all of them: barriers stay assembly.
void AssemblyStatement::fence(FenceKind Kind) {
  for (const AssemblyRow &Row : assemblyTable())
    if (Row.What == Meaning::Barrier && static_cast<FenceKind>(Row.Detail) == Kind) {
      InlineAsm *Text = InlineAsm::get(FunctionType::get(Builder.getVoidTy(), false), Row.Name, "~{memory}",
                                       /*hasSideEffects=*/true);
      Builder.CreateCall(Text);
      return;
    }
}

} // namespace picket
