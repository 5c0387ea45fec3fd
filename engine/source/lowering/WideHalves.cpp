// Operations on integers of more than 64 bits that work on each half by itself. A struct that is accessed as one number
// is put together and taken apart by them: so what its members are made from stays apart, and no member waits for, or
// depends on, what the others are.
#include "source/lowering/FunctionLowering.h"

using namespace llvm;

namespace picket {

/// And, Or or Xor of 64 bits. Where a mask leaves nothing of an operand, the result has nothing to do with it.
Operand FunctionLowering::halfOf(Opcode Op, Operand L, Operand R) {
  for (auto [Mask, Other] : {std::pair(L, R), std::pair(R, L)}) {
    uint64_t Known;
    if (!Builder.isConstant(Mask, Known))
      continue;
    if (Op == Opcode::And && Known == 0)
      return Builder.constant(0);
    if (Op == Opcode::And ? Known == ~0ull : Known == 0)
      return Other;
  }
  return Builder.binary(Op, 64, L, R);
}

/// A shift of 128 bits by an amount that is known, as parts of 64 bits.
Operand FunctionLowering::shiftHalves(bool Left, Operand Value, unsigned Amount) {
  const Operand From = Left ? Value : high(Value), Other = Left ? high(Value) : Value, Zero = Builder.constant(0);
  const Opcode Along = Left ? Opcode::Shl : Opcode::LShr, Back = Left ? Opcode::LShr : Opcode::Shl;
  auto Shift = [&](Opcode Op, Operand Half, unsigned By) {
    return By == 0 ? Half : Builder.binary(Op, 64, Half, Builder.constant(By));
  };
  if (Amount == 0)
    return Value;
  Operand Kept = Zero, Reached;
  if (Amount >= 64) {
    Reached = Shift(Along, From, Amount - 64);
  } else {
    Kept = Shift(Along, From, Amount);
    Reached = halfOf(Opcode::Or, Shift(Along, Other, Amount), Shift(Back, From, 64 - Amount));
  }
  return Left ? Builder.makeWide(Kept, Reached) : Builder.makeWide(Reached, Kept);
}

/// The result of an operation of `Bits` bits (65 to 128), if it is one of those.
std::optional<Operand> FunctionLowering::byHalves(Opcode Op, unsigned Bits, Operand L, Operand R) {
  uint64_t Low, High;
  switch (Op) {
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor: {
    Operand Lower = halfOf(Op, L, R);
    return Builder.makeWide(Lower, halfOf(Op, high(L), high(R)));
  }
  case Opcode::Shl:
  case Opcode::LShr:
    if (Bits != 128 || !Builder.isConstant(R, Low) || !Builder.isConstant(high(R), High) || High != 0 || Low >= 128)
      return std::nullopt;
    return shiftHalves(Op == Opcode::Shl, L, static_cast<unsigned>(Low));
  default: return std::nullopt;
  }
}

} // namespace picket
