#include "source/lowering/ConstantLowering.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"

#include <cstring>

using namespace llvm;

namespace picket {

std::optional<APInt> ConstantLowering::evaluate(const Constant &C, std::string &Refusal) const {
  const DataLayout &Layout = Symbols.layout();
  if (auto *I = dyn_cast<ConstantInt>(&C); I && !C.getType()->isVectorTy())
    return I->getValue();
  if (auto *F = dyn_cast<ConstantFP>(&C); F && !C.getType()->isVectorTy())
    return F->getValueAPF().bitcastToAPInt();
  unsigned Bits = static_cast<unsigned>(Layout.getTypeSizeInBits(C.getType()).getFixedValue());
  if (C.isNullValue() || isa<UndefValue>(C))
    return APInt(Bits, 0);
  if (auto *G = dyn_cast<GlobalValue>(&C)) {
    std::optional<Address> Found = Symbols.addressOf(*G, Refusal);
    return Found ? std::optional(APInt(64, *Found)) : std::nullopt;
  }
  if (auto *E = dyn_cast<ConstantExpr>(&C))
    return evaluateExpression(*E, Refusal);
  if (auto *V = dyn_cast<FixedVectorType>(C.getType())) { // packed, element 0 lowest
    APInt Packed(Bits, 0);
    unsigned ElementBits = Bits / V->getNumElements();
    for (unsigned I = 0; I < V->getNumElements(); ++I) {
      std::optional<APInt> Element = evaluate(*C.getAggregateElement(I), Refusal);
      if (!Element)
        return std::nullopt;
      Packed.insertBits(*Element, I * ElementBits);
    }
    return Packed;
  }
  Refusal = isa<BlockAddress>(C) ? "the address of a label" : "a constant expression";
  return std::nullopt;
}

std::optional<APInt> ConstantLowering::evaluateExpression(const ConstantExpr &E, std::string &Refusal) const {
  const DataLayout &Layout = Symbols.layout();
  unsigned Bits = static_cast<unsigned>(Layout.getTypeSizeInBits(E.getType()).getFixedValue());
  std::optional<APInt> A = evaluate(*E.getOperand(0), Refusal);
  if (!A)
    return std::nullopt;
  switch (E.getOpcode()) {
  case llvm::Instruction::GetElementPtr: {
    APInt Offset(64, 0);
    if (!cast<GEPOperator>(E).accumulateConstantOffset(Layout, Offset))
      break;
    return *A + Offset;
  }
  case llvm::Instruction::PtrToInt:
  case llvm::Instruction::PtrToAddr:
  case llvm::Instruction::IntToPtr:
  case llvm::Instruction::Trunc:
  case llvm::Instruction::BitCast:
  case llvm::Instruction::AddrSpaceCast: return A->zextOrTrunc(Bits);
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
  case llvm::Instruction::Xor: {
    std::optional<APInt> B = evaluate(*E.getOperand(1), Refusal);
    if (!B)
      return std::nullopt;
    return E.getOpcode() == llvm::Instruction::Add   ? *A + *B
           : E.getOpcode() == llvm::Instruction::Sub ? *A - *B
                                                     : *A ^ *B;
  }
  default: break;
  }
  Refusal = "a constant expression";
  return std::nullopt;
}

void ConstantLowering::write(const Constant &C, std::vector<uint8_t> &Bytes, uint64_t Offset) const {
  const DataLayout &Layout = Symbols.layout();
  if (C.isNullValue() || isa<UndefValue>(C))
    return;
  if (auto *Data = dyn_cast<ConstantDataSequential>(&C)) { // the host's byte order is the target's
    StringRef Raw = Data->getRawDataValues();
    std::memcpy(Bytes.data() + Offset, Raw.data(), Raw.size());
    return;
  }
  if (auto *S = dyn_cast<ConstantStruct>(&C)) {
    const StructLayout *Fields = Layout.getStructLayout(S->getType());
    for (unsigned I = 0; I < S->getNumOperands(); ++I)
      write(*S->getOperand(I), Bytes, Offset + Fields->getElementOffset(I));
    return;
  }
  if (auto *A = dyn_cast<ConstantArray>(&C)) {
    uint64_t Stride = Layout.getTypeAllocSize(A->getType()->getElementType()).getFixedValue();
    for (unsigned I = 0; I < A->getNumOperands(); ++I)
      write(*A->getOperand(I), Bytes, Offset + I * Stride);
    return;
  }
  std::string Refusal;
  if (std::optional<APInt> Value = evaluate(C, Refusal))
    std::memcpy(Bytes.data() + Offset, Value->getRawData(), Layout.getTypeStoreSize(C.getType()).getFixedValue());
}

std::vector<uint8_t> ConstantLowering::initialBytes(const GlobalVariable &G) const {
  const DataLayout &Layout = Symbols.layout();
  std::vector<uint8_t> Bytes(Layout.getTypeAllocSize(G.getValueType()).getFixedValue());
  if (G.hasInitializer()) {
    write(*G.getInitializer(), Bytes, 0);
  } else if (Bytes.size() == sizeof(Address)) {
    // A standard stream: a pointer that is not null and is only handed back to the library.
    Address Self = globalAddress(Symbols.indexOf(G));
    std::memcpy(Bytes.data(), &Self, sizeof(Self));
  }
  return Bytes;
}

} // namespace picket
