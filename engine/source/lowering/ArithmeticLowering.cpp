#include "source/lowering/FunctionLowering.h"

using namespace llvm;

namespace picket {

static Opcode integerOpcode(unsigned Op) {
  switch (Op) {
  case llvm::Instruction::Add: return Opcode::Add;
  case llvm::Instruction::Sub: return Opcode::Sub;
  case llvm::Instruction::Mul: return Opcode::Mul;
  case llvm::Instruction::UDiv: return Opcode::UDiv;
  case llvm::Instruction::SDiv: return Opcode::SDiv;
  case llvm::Instruction::URem: return Opcode::URem;
  case llvm::Instruction::SRem: return Opcode::SRem;
  case llvm::Instruction::Shl: return Opcode::Shl;
  case llvm::Instruction::LShr: return Opcode::LShr;
  case llvm::Instruction::AShr: return Opcode::AShr;
  case llvm::Instruction::And: return Opcode::And;
  case llvm::Instruction::Or: return Opcode::Or;
  default: return Opcode::Xor;
  }
}

static Opcode floatOpcode(unsigned Op) {
  switch (Op) {
  case llvm::Instruction::FAdd: return Opcode::FAdd;
  case llvm::Instruction::FSub: return Opcode::FSub;
  case llvm::Instruction::FMul: return Opcode::FMul;
  case llvm::Instruction::FDiv: return Opcode::FDiv;
  default: return Opcode::FRem;
  }
}

void FunctionLowering::lowerBinary(const BinaryOperator &I) {
  if (I.getType()->isVectorTy())
    return refuse(I, "vector arithmetic");
  unsigned Bits = bitsOf(I);
  Operand L = scalar(*I.getOperand(0)), R = scalar(*I.getOperand(1));
  if (I.getType()->isFloatingPointTy())
    return define(I, Builder.binary(floatOpcode(I.getOpcode()), Bits, L, R));
  Opcode Op = integerOpcode(I.getOpcode());
  if (Bits <= 64)
    return define(I, Builder.binary(Op, Bits, L, R));
  std::optional<Operand> Halves = byHalves(Op, Bits, L, R);
  define(I, Halves ? *Halves : Builder.wideBinary(Op, Bits, L, R));
}

Operand FunctionLowering::compare(CmpInst::Predicate Predicate, unsigned Bits, Operand L, Operand R) {
  if (Predicate == CmpInst::ICMP_UGT || Predicate == CmpInst::ICMP_UGE || Predicate == CmpInst::ICMP_SGT ||
      Predicate == CmpInst::ICMP_SGE) {
    Predicate = CmpInst::getSwappedPredicate(Predicate);
    std::swap(L, R);
  }
  Opcode Op;
  switch (Predicate) {
  case CmpInst::ICMP_EQ: Op = Opcode::Eq; break;
  case CmpInst::ICMP_NE: Op = Opcode::Ne; break;
  case CmpInst::ICMP_ULT: Op = Opcode::ULt; break;
  case CmpInst::ICMP_ULE: Op = Opcode::ULe; break;
  case CmpInst::ICMP_SLT: Op = Opcode::SLt; break;
  default: Op = Opcode::SLe; break;
  }
  return Bits > 64 ? Builder.wideBinary(Op, Bits, L, R) : Builder.binary(Op, Bits, L, R);
}

void FunctionLowering::lowerCompare(const CmpInst &I) {
  if (I.getType()->isVectorTy())
    return refuse(I, "vector arithmetic");
  unsigned Bits = bitsOf(*I.getOperand(0));
  Operand L = scalar(*I.getOperand(0)), R = scalar(*I.getOperand(1));
  if (isa<ICmpInst>(I))
    return define(I, compare(I.getPredicate(), Bits, L, R));
  Operand Dst = Builder.newSlots();
  Builder.emit({.Op = Opcode::FCmp,
                .Width = static_cast<uint8_t>(Bits),
                .Flags = static_cast<uint8_t>(I.getPredicate()),
                .Dst = Dst,
                .A = L,
                .B = R});
  define(I, Dst);
}

void FunctionLowering::lowerCast(const CastInst &I) {
  unsigned From = bitsOf(*I.getOperand(0)), To = bitsOf(I);
  switch (I.getOpcode()) {
  case llvm::Instruction::BitCast:
  case llvm::Instruction::AddrSpaceCast: return define(I, scalar(*I.getOperand(0)));
  case llvm::Instruction::Trunc:
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt:
  case llvm::Instruction::PtrToInt:
  case llvm::Instruction::PtrToAddr:
  case llvm::Instruction::IntToPtr: return lowerIntegerCast(I, From, To);
  default: break;
  }
  if (I.getType()->isVectorTy())
    return refuse(I, "vector arithmetic");
  Operand Value = scalar(*I.getOperand(0));
  switch (I.getOpcode()) {
  case llvm::Instruction::FPExt: return define(I, Builder.unary(Opcode::FExt, From, Value));
  case llvm::Instruction::FPTrunc: return define(I, Builder.unary(Opcode::FTrunc, From, Value));
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::FPToUI:
  case llvm::Instruction::SIToFP:
  case llvm::Instruction::UIToFP: break;
  default: return refuse(I, std::string("instruction '") + I.getOpcodeName() + "'");
  }
  bool Signed = I.getOpcode() == llvm::Instruction::FPToSI || I.getOpcode() == llvm::Instruction::SIToFP;
  if (From > 64)
    return define(I, wideToFloat(Value, From, Signed, To));
  if (To > 64)
    return define(I, floatToWide(Value, From, Signed, To));
  Opcode Op = I.getOpcode() == llvm::Instruction::FPToSI   ? Opcode::FToSI
              : I.getOpcode() == llvm::Instruction::FPToUI ? Opcode::FToUI
              : I.getOpcode() == llvm::Instruction::SIToFP ? Opcode::SIToF
                                                           : Opcode::UIToF;
  define(I, Builder.unary(Op, From, Value, 0, static_cast<int32_t>(To)));
}

void FunctionLowering::lowerIntegerCast(const CastInst &I, unsigned From, unsigned To) {
  if (I.getType()->isVectorTy())
    return refuse(I, "vector arithmetic");
  Operand Value = scalar(*I.getOperand(0));
  bool Signed = I.getOpcode() == llvm::Instruction::SExt;
  if (To < From) {
    auto *Widened = dyn_cast<ZExtInst>(I.getOperand(0));
    if (Widened && bitsOf(*Widened->getOperand(0)) <= To && From <= 64)
      return define(I, Value); // a _Bool on its way through memory's type
    if (To <= 64)
      return define(I, To == 64 ? Value : Builder.unary(Opcode::Truncate, To, Value)); // the low slot of a wide value
    uint64_t HighMask = (1ull << (To - 64)) - 1;
    return define(I, Builder.makeWide(Value, Builder.binary(Opcode::And, 64, high(Value), Builder.constant(HighMask))));
  }
  if (To == From || (!Signed && (To <= 64 || From > 64)))
    return define(I, Value); // integers are kept zero-extended
  if (To <= 64)
    return define(I, Builder.unary(Opcode::SignExtend, From, Value, 0, static_cast<int32_t>(To)));
  if (From <= 64)
    return define(I, Signed ? Builder.toWide(Value, From, To, Signed) : Builder.makeWide(Value, Builder.constant(0)));
  // From one wide width to another: extend the upper half.
  Operand High = Builder.unary(Opcode::SignExtend, From - 64, high(Value), 0, static_cast<int32_t>(To - 64));
  define(I, Builder.makeWide(Value, High));
}

void FunctionLowering::lowerSelect(const SelectInst &I) {
  if (I.getCondition()->getType()->isVectorTy())
    return refuse(I, "vector arithmetic");
  Operand Condition = scalar(*I.getCondition());
  Parts L = valueOf(*I.getTrueValue()), R = valueOf(*I.getFalseValue()), Result;
  Leaves All = leavesOf(I.getType());
  for (size_t K = 0; K < All.size(); ++K)
    Result.push_back(Builder.select(Condition, L[K], R[K], All[K].isWide()));
  define(I, Result);
}

void FunctionLowering::lowerExtractValue(const ExtractValueInst &I) {
  Parts Whole = valueOf(*I.getAggregateOperand());
  unsigned First = leafIndex(I.getAggregateOperand()->getType(), I.getIndices(), Layout);
  size_t Count = leavesOf(I.getType()).size();
  define(I, Parts(Whole.begin() + First, Whole.begin() + First + Count));
}

void FunctionLowering::lowerInsertValue(const InsertValueInst &I) {
  Parts Whole = valueOf(*I.getAggregateOperand());
  Parts Inserted = valueOf(*I.getInsertedValueOperand());
  unsigned First = leafIndex(I.getType(), I.getIndices(), Layout);
  size_t Count = leavesOf(I.getInsertedValueOperand()->getType()).size();
  std::copy(Inserted.begin(), Inserted.begin() + Count, Whole.begin() + First);
  define(I, Whole);
}

Operand FunctionLowering::extractElement(Operand Vector, unsigned ElementBits, unsigned Index) {
  Operand Shifted =
      Index == 0 ? Vector : Builder.binary(Opcode::LShr, 64, Vector, Builder.constant(Index * ElementBits));
  return ElementBits == 64 ? Shifted : Builder.unary(Opcode::Truncate, ElementBits, Shifted);
}

Operand FunctionLowering::insertElement(Operand Vector, unsigned VectorBits, Operand Element, unsigned ElementBits,
                                        unsigned Index) {
  if (ElementBits == VectorBits)
    return Element;
  uint64_t ElementMask = (1ull << ElementBits) - 1; // ElementBits < VectorBits <= 64
  Operand Rest = Builder.binary(Opcode::And, 64, Vector, Builder.constant(~(ElementMask << (Index * ElementBits))));
  Operand Placed = Builder.binary(Opcode::Shl, 64, Element, Builder.constant(Index * ElementBits));
  return Builder.binary(Opcode::Or, 64, Rest, Placed);
}

/// Vectors reach us where the calling convention packs two floats into one register; the elements are picked out of the
/// packed integer.
void FunctionLowering::lowerVector(const llvm::Instruction &I) {
  auto *T = dyn_cast<FixedVectorType>(I.getOperand(0)->getType());
  if (!T)
    return refuse(I, "a vector type");
  unsigned Bits = bitsOf(*I.getOperand(0)), ElementBits = Bits / T->getNumElements();
  auto ConstantIndex = [&](const Value *V) -> std::optional<unsigned> {
    auto *Index = dyn_cast<ConstantInt>(V);
    if (!Index || Index->getValue().uge(T->getNumElements()))
      return std::nullopt;
    return static_cast<unsigned>(Index->getZExtValue());
  };
  if (isa<ExtractElementInst>(I)) {
    if (auto Index = ConstantIndex(I.getOperand(1)))
      return define(I, extractElement(scalar(*I.getOperand(0)), ElementBits, *Index));
  } else if (isa<InsertElementInst>(I)) {
    if (auto Index = ConstantIndex(I.getOperand(2)))
      return define(I, insertElement(scalar(*I.getOperand(0)), Bits, scalar(*I.getOperand(1)), ElementBits, *Index));
  } else if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I)) {
    Operand Sources[] = {scalar(*I.getOperand(0)), scalar(*I.getOperand(1))};
    Operand Result = Builder.constant(0);
    int Elements = static_cast<int>(T->getNumElements());
    for (auto [Index, From] : enumerate(Shuffle->getShuffleMask()))
      if (From >= 0) {
        Operand Element = extractElement(Sources[From / Elements], ElementBits, From % Elements);
        Result = insertElement(Result, bitsOf(I), Element, ElementBits, static_cast<unsigned>(Index));
      }
    return define(I, Result);
  }
  refuse(I, "vector arithmetic");
}

} // namespace picket
