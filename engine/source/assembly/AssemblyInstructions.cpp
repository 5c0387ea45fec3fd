#include "source/assembly/AssemblyStatement.h"

using namespace llvm;

namespace picket {

static constexpr Architecture X86 = Architecture::X86_64, Power = Architecture::Powerpc64le;

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

} // namespace picket
