#include "source/assembly/AssemblyStatement.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace picket {

static constexpr Architecture X86 = Architecture::X86_64, Arm = Architecture::Aarch64,
                              Power = Architecture::Powerpc64le;

void AssemblyStatement::need(const Line &L, size_t NumOperands) {
  if (L.Parsed.size() != NumOperands)
    throw AssemblyRefused{"'" + L.Mnemonic + "' with " + std::to_string(L.Parsed.size()) + " operands is not modelled"};
}

/// How wide an operation is: as its suffix says, or the first of its registers.
unsigned AssemblyStatement::widthOf(const Line &L) const {
  if (L.Form->Bytes && L.Form->Row->What != Meaning::ZeroExtend && L.Form->Row->What != Meaning::SignExtend)
    return 8 * L.Form->Bytes;
  if (For == Power)
    return 64;
  for (const AssemblyOperand &O : L.Parsed)
    if (O.What == AssemblyOperand::Register && bitsOf(O.Reg))
      return bitsOf(O.Reg);
  throw AssemblyRefused{"how many bytes '" + L.Mnemonic + "' is about is not known"};
}

Value *AssemblyStatement::condition(StringRef Name, unsigned Set) {
  return conditionOf(Builder, For, Name, State.Flags[Set]);
}

/// POWER: which of its eight sets of flags an instruction names, as its first operand.
unsigned AssemblyStatement::takeFlagSet(std::vector<AssemblyOperand> &Operands) const {
  unsigned Set = 0;
  AssemblyOperand &First = Operands.front();
  if (First.What == AssemblyOperand::Number)
    Set = static_cast<unsigned>(First.Value);
  else if (StringRef Name = First.Text;
           First.What != AssemblyOperand::Word || !Name.consume_front("cr") || Name.getAsInteger(10, Set))
    throw AssemblyRefused{"the operand '" + First.Text + "' is not modelled"};
  if (Set > 7)
    throw AssemblyRefused{"an operand is not modelled"};
  Operands.erase(Operands.begin());
  return Set;
}

void AssemblyStatement::execute(size_t Number) {
  const Line &L = Lines[Number];
  const AssemblyRow &Row = *L.Form->Row;
  switch (Row.What) {
  case Meaning::Nothing: return;
  case Meaning::Barrier: return fence(static_cast<FenceKind>(Row.Detail));
  case Meaning::Unknowable: return executeUnknowable(L);
  case Meaning::Move: {
    need(L, 2);
    const unsigned Bits = widthOf(L);
    return write(L.Parsed[0], read(L.Parsed[1], Bits), Bits);
  }
  case Meaning::ZeroExtend:
  case Meaning::SignExtend: {
    need(L, 2);
    const unsigned Bits = L.Parsed[0].What == AssemblyOperand::Register ? widthOf(L) : 64, From = 8 * Row.Bytes;
    Value *V = readKnown(L.Parsed[1], From);
    Type *Wide = Builder.getIntNTy(Bits);
    return write(L.Parsed[0],
                 {Row.What == Meaning::SignExtend ? Builder.CreateSExt(V, Wide) : Builder.CreateZExt(V, Wide), Bits},
                 Bits);
  }
  case Meaning::MoveIf: {
    need(L, 2);
    const unsigned Bits = widthOf(L);
    Value *New = readKnown(L.Parsed[1], Bits), *Old = readKnown(L.Parsed[0], Bits);
    return write(L.Parsed[0], {Builder.CreateSelect(condition(L.Form->Condition), New, Old), Bits}, Bits);
  }
  case Meaning::Address: {
    need(L, 2);
    if (L.Parsed[1].What != AssemblyOperand::Memory || widthOf(L) != 64)
      throw AssemblyRefused{"'" + L.Mnemonic + "' with these operands is not modelled"};
    Value *Pointer = address(L.Parsed[1]);
    return write(L.Parsed[0], {Builder.CreatePtrToInt(Pointer, Builder.getInt64Ty()), 64, Pointer}, 64);
  }
  case Meaning::Unary: return executeUnary(L, widthOf(L));
  case Meaning::Binary: return executeBinary(L, widthOf(L));
  case Meaning::Compare:
  case Meaning::CompareUnsigned:
  case Meaning::CompareNegative:
  case Meaning::Test: return executeCompare(L);
  case Meaning::Set: return executeSet(L);
  case Meaning::Branch:
  case Meaning::BranchIfZero:
  case Meaning::BranchIfBit:
    for (const Exclusive &E : Exclusives)
      if (E.Retry == Number && !E.Placeholder) // it always succeeds
        return;
    return executeBranch(L);
  case Meaning::Load:
  case Meaning::Store: return executeAccess(L);
  case Meaning::LoadExclusive:
  case Meaning::StoreExclusive: {
    Exclusive *Loop = nullptr;
    for (Exclusive &E : Exclusives)
      if (E.Load == Number || E.Store == Number)
        Loop = &E;
    return Row.What == Meaning::LoadExclusive ? loadExclusive(L, Loop) : storeExclusive(L, Loop);
  }
  case Meaning::Exchange:
  case Meaning::ExchangeAdd: return executeExchange(L, widthOf(L));
  case Meaning::CompareExchange: return executeCompareExchange(L, widthOf(L));
  case Meaning::CompareExchangePair: return executePair(L);
  case Meaning::TestBit: return executeBits(L, widthOf(L));
  case Meaning::Update: return executeUpdate(L);
  case Meaning::CompareSwap: return executeCompareSwap(L);
  }
}

void AssemblyStatement::executeUnknowable(const Line &L) {
  const std::string Why = "what '" + L.Mnemonic + "' gives is not known when a program is checked";
  if (L.Form->Row->Detail) // and a barrier
    fence(FenceKind::Full);
  auto Give = [&](const AssemblyRegister &R) {
    State.Registers[registerOf(R)] = {unknown(Builder.getInt64Ty(), Why), 64};
  };
  if (For == X86) {
    for (const char *Name : {"rax", "rdx"})
      Give({-1, Name, 64});
    if (L.Mnemonic != "rdtsc")
      Give({-1, "rcx", 64});
    if (L.Mnemonic == "cpuid")
      Give({-1, "rbx", 64});
    return;
  }
  if (L.Parsed.empty() || L.Parsed[0].What != AssemblyOperand::Register)
    throw AssemblyRefused{"'" + L.Mnemonic + "' with these operands is not modelled"};
  write(L.Parsed[0], {unknown(Builder.getInt64Ty(), Why), 64}, 64);
}

static bool carriesUpwards(BinaryOp Op) { // lower bits of the result depend on lower bits only
  return Op != BinaryOp::ShiftRight && Op != BinaryOp::ShiftRightSigned;
}

Value *AssemblyStatement::arithmetic(BinaryOp Op, Value *A, Value *B) {
  switch (Op) {
  case BinaryOp::Add: return Builder.CreateAdd(A, B);
  case BinaryOp::Subtract: return Builder.CreateSub(A, B);
  case BinaryOp::And: return Builder.CreateAnd(A, B);
  case BinaryOp::Or: return Builder.CreateOr(A, B);
  case BinaryOp::Xor: return Builder.CreateXor(A, B);
  case BinaryOp::ShiftLeft: return Builder.CreateShl(A, B);
  case BinaryOp::ShiftRight: return Builder.CreateLShr(A, B);
  case BinaryOp::ShiftRightSigned: return Builder.CreateAShr(A, B);
  case BinaryOp::Multiply: return Builder.CreateMul(A, B);
  }
  return nullptr;
}

void AssemblyStatement::setComparison(Value *A, Value *B, bool Unsigned, unsigned Set) {
  if (!UsesFlags)
    return;
  AssemblyFlags &F = State.Flags[Set];
  F.Zero = Builder.CreateICmpEQ(A, B);
  F.Lower = Builder.CreateICmpULT(A, B);
  F.Less = Unsigned ? F.Lower : Builder.CreateICmpSLT(A, B);
  F.Negative =
      For == Power ? nullptr : Builder.CreateICmpSLT(Builder.CreateSub(A, B), Constant::getNullValue(A->getType()));
}

void AssemblyStatement::setFlags(BinaryOp Op, Value *A, Value *B, Value *Result, unsigned Set) {
  if (!UsesFlags)
    return;
  if (Op == BinaryOp::Subtract && For != Power)
    return setComparison(A, B, false, Set);
  AssemblyFlags &F = State.Flags[Set];
  Value *None = Constant::getNullValue(Result->getType());
  const bool IsLogic = Op == BinaryOp::And || Op == BinaryOp::Or || Op == BinaryOp::Xor;
  F.Zero = Builder.CreateICmpEQ(Result, None);
  F.Negative = Builder.CreateICmpSLT(Result, None);
  F.Less = IsLogic || For == Power ? F.Negative : nullptr;
  F.Lower = nullptr;
  if (For == X86 && IsLogic)
    F.Lower = Builder.getFalse();
  else if (For == X86 && Op == BinaryOp::Add)
    F.Lower = Builder.CreateICmpULT(Result, A);
}

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

void AssemblyStatement::executeUnary(const Line &L, unsigned Bits) {
  need(L, For == X86 ? 1 : 2);
  const auto Op = static_cast<UnaryOp>(L.Form->Row->Detail);
  Type *T = Builder.getIntNTy(Bits);
  Value *One = ConstantInt::get(T, 1), *None = ConstantInt::get(T, 0), *All = ConstantInt::getAllOnesValue(T);
  const AssemblyOperand &To = L.Parsed.front(), &From = L.Parsed.back();
  const bool InMemory = To.What == AssemblyOperand::Memory;
  const AssemblyFlags Before = State.Flags[0];
  auto Flags = [&](BinaryOp As, Value *A, Value *B, Value *Result) {
    if (For != X86)
      return;
    setFlags(As, A, B, Result);
    if (Op == UnaryOp::Increment || Op == UnaryOp::Decrement)
      State.Flags[0].Lower = Before.Lower;
  };
  if (Op == UnaryOp::ByteSwap) {
    need(L, 1);
    Value *Old = readKnown(To, Bits);
    return write(To, {Builder.CreateUnaryIntrinsic(Intrinsic::bswap, Old), Bits}, Bits);
  }
  if (Op == UnaryOp::Negate && InMemory && L.Locks) {
    Value *Old = updateInLoop(address(To), T, [&](Value *V) { return Builder.CreateSub(None, V); });
    return Flags(BinaryOp::Subtract, None, Old, UsesFlags ? Builder.CreateSub(None, Old) : Old);
  }
  if (Op == UnaryOp::Negate) {
    const AssemblyValue Old = read(From, Bits);
    Value *New = Builder.CreateSub(None, Old.V);
    write(To, {New, Old.Known}, Bits);
    return Old.Known >= Bits ? Flags(BinaryOp::Subtract, None, Old.V, New) : void();
  }
  const BinaryOp As = Op == UnaryOp::Not         ? BinaryOp::Xor
                      : Op == UnaryOp::Increment ? BinaryOp::Add
                                                 : BinaryOp::Subtract;
  Value *With = Op == UnaryOp::Not ? All : One;
  AssemblyValue Old;
  if (InMemory)
    Old = {updateMemory(L, To, As, With), Bits};
  else {
    Old = read(From, Bits);
    write(To, {arithmetic(As, Old.V, With), Old.Known}, Bits);
  }
  if (Op != UnaryOp::Not && UsesFlags)
    Flags(As, known(Old, Bits), With, arithmetic(As, Old.V, With));
}

void AssemblyStatement::executeBinary(const Line &L, unsigned Bits) {
  const AssemblyRow &Row = *L.Form->Row;
  const auto Op = static_cast<BinaryOp>(Row.Detail);
  const size_t Count = L.Parsed.size();
  if (Count != 2 && (Count != 3 || For == X86))
    need(L, For == X86 ? 2 : 3);
  AssemblyOperand First = L.Parsed[Count - 2], Second = L.Parsed[Count - 1];
  if (Row.Swaps)
    std::swap(First, Second);
  const AssemblyOperand &To = L.Parsed[0];
  const bool IsShift = Op == BinaryOp::ShiftLeft || !carriesUpwards(Op);
  auto IsRegister = [](const AssemblyOperand &O) { return O.What == AssemblyOperand::Register; };
  AssemblyValue B;
  if (IsShift) { // by the lower bits of the second
    const unsigned Of = For == X86 && IsRegister(Second) && Second.Reg.Operand < 0 ? 8 : Bits;
    B = {Builder.CreateAnd(Builder.CreateZExtOrTrunc(readKnown(Second, Of), Builder.getIntNTy(Bits)),
                           Bits == 64 ? 63 : 31),
         Bits};
  } else
    B = read(Second, Bits);
  if (Row.InvertsSecond)
    B.V = Builder.CreateNot(B.V);
  if (To.What == AssemblyOperand::Memory) {
    if (IsShift)
      throw AssemblyRefused{"'" + L.Mnemonic + "' in memory is not modelled"};
    Value *With = known(B, Bits), *Old = updateMemory(L, To, Op, With);
    if (UsesFlags)
      setFlags(Op, Old, With, arithmetic(Op, Old, With));
    return;
  }
  if (L.Locks)
    throw AssemblyRefused{"the prefix 'lock' without memory is not modelled"};
  const bool IsSame = For == X86 && Op == BinaryOp::Xor && IsRegister(First) && IsRegister(Second) &&
                      registerOf(First.Reg) == registerOf(Second.Reg);
  if (IsSame) // it is zero whatever it was
    B = {ConstantInt::get(Builder.getIntNTy(Bits), 0), Bits};
  const AssemblyValue A = IsSame ? B : read(First, Bits);
  Value *Result = arithmetic(Op, carriesUpwards(Op) ? A.V : known(A, Bits), B.V);
  const unsigned Known = std::min(A.Known, B.Known);
  if (Row.InvertsResult)
    Result = Builder.CreateNot(Result);
  write(To, {Result, Known}, Bits);
  if (UsesFlags && (For == X86 || Row.SetsFlags)) {
    if (IsShift)
      State.Flags[0] = {};
    else
      setFlags(Op, known(A, Bits), known(B, Bits), Result);
  }
}

void AssemblyStatement::executeCompare(const Line &L) {
  std::vector<AssemblyOperand> Operands = L.Parsed;
  const unsigned Set = For == Power && Operands.size() == 3 ? takeFlagSet(Operands) : 0;
  const Meaning What = L.Form->Row->What;
  if (Operands.size() != 2)
    need(L, 2);
  const unsigned Bits = widthOf(L);
  Value *A = readKnown(Operands[0], Bits), *B = readKnown(Operands[1], Bits);
  if (What == Meaning::Test)
    return setFlags(BinaryOp::And, A, B, Builder.CreateAnd(A, B));
  if (What == Meaning::CompareNegative) {
    setFlags(BinaryOp::Add, A, B, Builder.CreateAdd(A, B));
    return;
  }
  setComparison(A, B, What == Meaning::CompareUnsigned, Set);
}

/// sete %al; cset w0, eq; sbb %eax, %eax
void AssemblyStatement::executeSet(const Line &L) {
  if (L.Form->Row->Detail) {
    need(L, 2);
    const unsigned Bits = widthOf(L);
    const bool OfItself = L.Parsed[0].What == AssemblyOperand::Register &&
                          L.Parsed[1].What == AssemblyOperand::Register &&
                          registerOf(L.Parsed[0].Reg) == registerOf(L.Parsed[1].Reg);
    if (!OfItself)
      throw AssemblyRefused{"'" + L.Mnemonic + "' of two registers is not modelled"};
    return write(L.Parsed[0], {Builder.CreateSExt(condition("c"), Builder.getIntNTy(Bits)), Bits}, Bits);
  }
  need(L, For == X86 ? 1 : 2);
  const unsigned Bits = For == X86 ? 8 : widthOf(L);
  Value *Holds = condition(For == X86 ? StringRef(L.Form->Condition) : StringRef(L.Parsed[1].Text));
  write(L.Parsed[0], {Builder.CreateZExt(Holds, Builder.getIntNTy(Bits)), Bits}, Bits);
}

void AssemblyStatement::executeBranch(const Line &L) {
  std::vector<AssemblyOperand> Operands = L.Parsed; // without the label
  const bool Inverts = L.Form->Row->Detail == 0;
  switch (L.Form->Row->What) {
  case Meaning::BranchIfZero: {
    need(L, 1);
    Value *V = readKnown(Operands[0], widthOf(L));
    Value *IsZero = Builder.CreateIsNull(V);
    return jump(Inverts ? IsZero : Builder.CreateNot(IsZero), L.JumpsTo);
  }
  case Meaning::BranchIfBit: {
    need(L, 2);
    const unsigned Bits = widthOf(L);
    Value *Bit = Builder.CreateTrunc(Builder.CreateLShr(readKnown(Operands[0], Bits), readKnown(Operands[1], Bits)),
                                     Builder.getInt1Ty());
    return jump(Inverts ? Builder.CreateNot(Bit) : Bit, L.JumpsTo);
  }
  default: break;
  }
  if (L.Form->Condition.empty()) {
    need(L, 0);
    return jump(Builder.getTrue(), L.JumpsTo);
  }
  const unsigned Set = For == Power && !Operands.empty() ? takeFlagSet(Operands) : 0;
  if (!Operands.empty())
    need(L, 0);
  jump(condition(L.Form->Condition, Set), L.JumpsTo);
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
