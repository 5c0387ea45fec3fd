#include "source/assembly/AssemblyStatement.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace picket {

static constexpr Architecture X86 = Architecture::X86_64, Power = Architecture::Powerpc64le;

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

} // namespace picket
