#include "source/assembly/AssemblyStatement.h"

using namespace llvm;

namespace picket {

static constexpr Architecture Arm = Architecture::Aarch64, Power = Architecture::Powerpc64le;

/// Changes memory; gives what was there before. One step if it is locked.
Value *AssemblyStatement::updateMemory(const Line &L, const AssemblyOperand &Where, BinaryOp Op, Value *With) {
  Value *Pointer = address(Where);
  const unsigned Bits = With->getType()->getIntegerBitWidth();
  if (!L.Locks) {
    LoadInst *Old = load(Pointer, Bits, Order::NotAtomic);
    store(Pointer, arithmetic(Op, Old, With), Order::NotAtomic);
    return Old;
  }
  AtomicRMWInst::BinOp Rmw = AtomicRMWInst::Add;
  switch (Op) {
  case BinaryOp::Subtract: Rmw = AtomicRMWInst::Sub; break;
  case BinaryOp::And: Rmw = AtomicRMWInst::And; break;
  case BinaryOp::Or: Rmw = AtomicRMWInst::Or; break;
  case BinaryOp::Xor: Rmw = AtomicRMWInst::Xor; break;
  default: break;
  }
  Value *Old = Builder.CreateAtomicRMW(Rmw, Pointer, With, Align(Bits / 8), AtomicOrdering::SequentiallyConsistent);
  if (auto *Number = dyn_cast<ConstantInt>(With); Number && Number->isZero()) // the idiom of a barrier
    fence(FenceKind::Full);
  return Old;
}

/// One step of which LLVM has no instruction: compares and swaps until nothing came between. Gives what was there.
Value *AssemblyStatement::updateInLoop(Value *Pointer, Type *T, function_ref<Value *(Value *)> New) {
  const Align Natural(T->getIntegerBitWidth() / 8);
  LoadInst *First = Builder.CreateAlignedLoad(T, Pointer, Natural);
  First->setAtomic(AtomicOrdering::Monotonic);
  BasicBlock *Before = Builder.GetInsertBlock();
  BasicBlock *Again = BasicBlock::Create(Builder.getContext(), "", Call.getFunction());
  BasicBlock *After = BasicBlock::Create(Builder.getContext(), "", Call.getFunction());
  Builder.CreateBr(Again);
  Builder.SetInsertPoint(Again);
  PHINode *Old = Builder.CreatePHI(T, 2);
  Old->addIncoming(First, Before);
  Value *Swap = Builder.CreateAtomicCmpXchg(Pointer, Old, New(Old), Natural, AtomicOrdering::SequentiallyConsistent,
                                            AtomicOrdering::SequentiallyConsistent);
  Old->addIncoming(Builder.CreateExtractValue(Swap, 0), Again);
  Builder.CreateCondBr(Builder.CreateExtractValue(Swap, 1), After, Again);
  Builder.SetInsertPoint(After);
  return Old;
}

/// The address of an access of Arm or POWER. Of POWER it may be the sum of two operands.
AssemblyOperand AssemblyStatement::memoryOf(const Line &L, size_t First) const {
  if (L.Parsed.size() == First + 1 && L.Parsed[First].What == AssemblyOperand::Memory)
    return L.Parsed[First];
  // "0,%y1" is the address in %1.
  if (For == Power && L.Parsed.size() == First + 2) {
    const AssemblyOperand &A = L.Parsed[First], &B = L.Parsed[First + 1];
    AssemblyOperand Sum;
    Sum.What = AssemblyOperand::Memory;
    if (B.What == AssemblyOperand::Register && A.What == AssemblyOperand::Number && A.Value == 0) {
      Sum.Reg = B.Reg;
      Sum.HasBase = true;
      return Sum;
    }
    if (B.What == AssemblyOperand::Register && A.What == AssemblyOperand::Register) {
      Sum.Reg = A.Reg;
      Sum.Index = B.Reg;
      Sum.HasBase = Sum.HasIndex = true;
      return Sum;
    }
  }
  throw AssemblyRefused{"the address of '" + L.Mnemonic + "' is not modelled"};
}

void AssemblyStatement::executeAccess(const Line &L) {
  if (L.Parsed.size() < 2)
    need(L, 2);
  const AssemblyOperand &Data = L.Parsed[0];
  const unsigned Bits = widthOf(L), Register = For == Arm ? std::max(bitsOf(Data.Reg), 32u) : 64;
  Value *Pointer = address(memoryOf(L, 1));
  if (L.Form->Row->What == Meaning::Store)
    return store(Pointer, known(read(Data, Bits), Bits), L.Form->Ordering);
  Value *Loaded = load(Pointer, Bits, L.Form->Ordering);
  write(Data, {Builder.CreateZExt(Loaded, Builder.getIntNTy(Register)), Register}, Register);
}

/// xchg, xadd
void AssemblyStatement::executeExchange(const Line &L, unsigned Bits) {
  need(L, 2);
  const bool Adds = L.Form->Row->What == Meaning::ExchangeAdd;
  AssemblyOperand To = L.Parsed[0], With = L.Parsed[1];
  if (With.What == AssemblyOperand::Memory)
    std::swap(To, With);
  const AssemblyValue New = read(With, Bits);
  if (To.What != AssemblyOperand::Memory) {
    const AssemblyValue Old = read(To, Bits);
    if (L.Locks)
      throw AssemblyRefused{"the prefix 'lock' without memory is not modelled"};
    write(With, Old, Bits);
    return write(To, Adds ? AssemblyValue{Builder.CreateAdd(Old.V, New.V), std::min(Old.Known, New.Known)} : New, Bits);
  }
  Value *Value = known(New, Bits), *Old = nullptr;
  if (Adds) {
    Old = updateMemory(L, To, BinaryOp::Add, Value);
    if (UsesFlags)
      setFlags(BinaryOp::Add, Old, Value, Builder.CreateAdd(Old, Value));
  } else // with or without the prefix
    Old = Builder.CreateAtomicRMW(AtomicRMWInst::Xchg, address(To), Value, Align(Bits / 8),
                                  AtomicOrdering::SequentiallyConsistent);
  write(With, {Old, Bits}, Bits);
}

void AssemblyStatement::executeCompareExchange(const Line &L, unsigned Bits) {
  need(L, 2);
  if (!L.Locks || L.Parsed[0].What != AssemblyOperand::Memory)
    throw AssemblyRefused{"'cmpxchg' without the prefix 'lock' is not modelled"};
  const AssemblyRegister Accumulator{-1, "rax", Bits};
  Value *Expected = known(read(Accumulator, Bits), Bits), *New = readKnown(L.Parsed[1], Bits);
  Value *Swap =
      Builder.CreateAtomicCmpXchg(address(L.Parsed[0]), Expected, New, Align(Bits / 8),
                                  AtomicOrdering::SequentiallyConsistent, AtomicOrdering::SequentiallyConsistent);
  Value *Old = Builder.CreateExtractValue(Swap, 0);
  if (UsesFlags) {
    State.Flags[0] = {};
    State.Flags[0].Zero = Builder.CreateExtractValue(Swap, 1);
  }
  write(Accumulator, {Old, Bits}, Bits);
  if (Bits == 32) // where it succeeds, the upper half stays
    State.Registers[registerOf(Accumulator)].Known = 32;
}

static Value *joinHalves(IRBuilderBase &Builder, Value *Low, Value *High) {
  const unsigned Bits = Low->getType()->getIntegerBitWidth();
  Type *Wide = Builder.getIntNTy(2 * Bits);
  return Builder.CreateOr(Builder.CreateShl(Builder.CreateZExt(High, Wide), Bits), Builder.CreateZExt(Low, Wide));
}

/// cmpxchg8b, cmpxchg16b: what is compared is in dx:ax, the new value in cx:bx.
void AssemblyStatement::executePair(const Line &L) {
  need(L, 1);
  if (!L.Locks || L.Parsed[0].What != AssemblyOperand::Memory)
    throw AssemblyRefused{"'" + L.Mnemonic + "' without the prefix 'lock' is not modelled"};
  const unsigned Bits = 8 * L.Form->Bytes;
  auto Half = [&](const char *Name) { return known(read(AssemblyRegister{-1, Name, Bits}, Bits), Bits); };
  Value *Expected = joinHalves(Builder, Half("rax"), Half("rdx"));
  Value *New = joinHalves(Builder, Half("rbx"), Half("rcx"));
  Value *Swap =
      Builder.CreateAtomicCmpXchg(address(L.Parsed[0]), Expected, New, Align(Bits / 4),
                                  AtomicOrdering::SequentiallyConsistent, AtomicOrdering::SequentiallyConsistent);
  Value *Old = Builder.CreateExtractValue(Swap, 0);
  Type *Part = Builder.getIntNTy(Bits);
  write(AssemblyRegister{-1, "rax", Bits}, {Builder.CreateTrunc(Old, Part), Bits}, Bits);
  write(AssemblyRegister{-1, "rdx", Bits}, {Builder.CreateTrunc(Builder.CreateLShr(Old, Bits), Part), Bits}, Bits);
  if (UsesFlags)
    State.Flags[0].Zero = Builder.CreateExtractValue(Swap, 1);
}

/// In memory, a register numbers bits beyond the word at the address as well.
void AssemblyStatement::executeBits(const Line &L, unsigned Bits) {
  need(L, 2);
  const auto Op = static_cast<BitOp>(L.Form->Row->Detail);
  const AssemblyOperand &Where = L.Parsed[0], &Which = L.Parsed[1];
  Type *T = Builder.getIntNTy(Bits);
  Value *Number = readKnown(Which, Bits);
  Value *Mask = Builder.CreateShl(ConstantInt::get(T, 1), Builder.CreateAnd(Number, Bits - 1));
  const BinaryOp As = Op == BitOp::Reset ? BinaryOp::And : Op == BitOp::Complement ? BinaryOp::Xor : BinaryOp::Or;
  Value *With = Op == BitOp::Reset ? Builder.CreateNot(Mask) : Mask;
  Value *Old = nullptr;
  if (Where.What != AssemblyOperand::Memory) {
    if (L.Locks)
      throw AssemblyRefused{"the prefix 'lock' without memory is not modelled"};
    Old = readKnown(Where, Bits);
    if (Op != BitOp::Keep)
      write(Where, {arithmetic(As, Old, With), Bits}, Bits);
  } else {
    Value *Pointer = address(Where);
    if (Which.What == AssemblyOperand::Register) {
      Value *Word = Builder.CreateAShr(Builder.CreateSExt(Number, Builder.getInt64Ty()), Log2_32(Bits));
      Pointer = Builder.CreateGEP(T, Pointer, Word);
    }
    AssemblyOperand There;
    There.What = AssemblyOperand::Memory;
    Slots.emplace_back();
    Slots.back().IsMemory = true;
    Slots.back().Pointer = Pointer;
    There.MemoryOperand = static_cast<int>(Slots.size()) - 1;
    Old = Op == BitOp::Keep ? load(Pointer, Bits, Order::NotAtomic) : updateMemory(L, There, As, With);
    Slots.pop_back();
  }
  if (UsesFlags) {
    Value *WasZero = State.Flags[0].Zero;
    State.Flags[0] = {};
    State.Flags[0].Zero = WasZero;
    State.Flags[0].Lower = Builder.CreateIsNotNull(Builder.CreateAnd(Old, Mask));
  }
}

/// Arm's updates do not acquire if nothing receives what they read.
static Order withoutResult(Order Ordering, bool Unused) {
  if (!Unused)
    return Ordering;
  return Ordering == Order::Acquire ? Order::Relaxed : Ordering == Order::AcqRel ? Order::Release : Ordering;
}

/// Arm: swp, ld<op>, st<op>
void AssemblyStatement::executeUpdate(const Line &L) {
  const auto Op = static_cast<RmwOp>(L.Form->Row->Detail);
  const bool HasResult = L.Form->Row->Name.starts_with("ld") || Op == RmwOp::Xchg;
  need(L, HasResult ? 3 : 2);
  const unsigned Bits = widthOf(L), Register = std::max(bitsOf(L.Parsed[0].Reg), 32u);
  const bool Unused = !HasResult || (L.Parsed[1].What == AssemblyOperand::Register && L.Parsed[1].Reg.isZero());
  Value *With = readKnown(L.Parsed[0], Bits);
  AtomicRMWInst::BinOp Rmw = AtomicRMWInst::Xchg;
  switch (Op) {
  case RmwOp::Add: Rmw = AtomicRMWInst::Add; break;
  case RmwOp::And:
    Rmw = AtomicRMWInst::And;
    With = Builder.CreateNot(With); // the bits that are given are cleared
    break;
  case RmwOp::Or: Rmw = AtomicRMWInst::Or; break;
  case RmwOp::Xor: Rmw = AtomicRMWInst::Xor; break;
  case RmwOp::Max: Rmw = AtomicRMWInst::Max; break;
  case RmwOp::Min: Rmw = AtomicRMWInst::Min; break;
  case RmwOp::UMax: Rmw = AtomicRMWInst::UMax; break;
  case RmwOp::UMin: Rmw = AtomicRMWInst::UMin; break;
  default: break;
  }
  const Order Ordering = withoutResult(L.Form->Ordering, Unused);
  AtomicRMWInst *Made =
      Builder.CreateAtomicRMW(Rmw, address(memoryOf(L, HasResult ? 2 : 1)), With, Align(Bits / 8), llvmOrder(Ordering));
  assemblymarks::set(*Made, assemblymarks::Single);
  if (Unused)
    assemblymarks::set(*Made, assemblymarks::NoResult);
  else
    write(L.Parsed[1], {Builder.CreateZExt(Made, Builder.getIntNTy(Register)), Register}, Register);
}

/// Arm: cas, and casp with pairs of registers
void AssemblyStatement::executeCompareSwap(const Line &L) {
  const bool Pairs = L.Form->Row->Detail;
  const size_t Each = Pairs ? 2 : 1;
  need(L, 2 * Each + 1);
  const unsigned Bits = widthOf(L), Register = std::max(bitsOf(L.Parsed[0].Reg), 32u);
  auto Operand = [&](size_t First) {
    Value *Low = readKnown(L.Parsed[First], Bits);
    return Pairs ? joinHalves(Builder, Low, readKnown(L.Parsed[First + 1], Bits)) : Low;
  };
  const bool Unused = !Pairs && L.Parsed[0].Reg.isZero();
  const Order Ordering = withoutResult(L.Form->Ordering, Unused);
  const bool Acquires = Ordering == Order::Acquire || Ordering == Order::AcqRel;
  Value *Expected = Operand(0), *New = Operand(Each);
  auto *Swap =
      Builder.CreateAtomicCmpXchg(address(memoryOf(L, 2 * Each)), Expected, New, Align(Each * Bits / 8),
                                  llvmOrder(Ordering), Acquires ? AtomicOrdering::Acquire : AtomicOrdering::Monotonic);
  assemblymarks::set(*Swap, assemblymarks::Single);
  if (Unused)
    assemblymarks::set(*Swap, assemblymarks::NoResult);
  Value *Old = Builder.CreateExtractValue(Swap, 0);
  Type *Whole = Builder.getIntNTy(Register), *Part = Builder.getIntNTy(Bits);
  write(L.Parsed[0], {Builder.CreateZExt(Builder.CreateTrunc(Old, Part), Whole), Register}, Register);
  if (Pairs)
    write(L.Parsed[1], {Builder.CreateTrunc(Builder.CreateLShr(Old, Bits), Part), Register}, Register);
}

} // namespace picket
