// Conversions between floating point and integers of more than 64 bits, in terms of those of 64 bits.
#include "source/lowering/FunctionLowering.h"

using namespace llvm;

namespace picket {

/// The bits of 2^Exponent.
static uint64_t powerOfTwo(int Exponent, unsigned FloatBits) {
  return FloatBits == 32 ? static_cast<uint64_t>(Exponent + 127) << 23 : static_cast<uint64_t>(Exponent + 1023) << 52;
}

/// The value shifted up until its upper 64 bits hold all that rounding needs to see; lost bits leave a trace in the
/// lowest one, which is far below what a double keeps.
Operand FunctionLowering::wideToFloat(Operand Value, unsigned Bits, bool Signed, unsigned FloatBits) {
  Operand Zero = Builder.wideConstant(0, 0), Negative = Builder.constant(0);
  if (Signed) {
    Negative = compare(CmpInst::ICMP_SLT, Bits, Value, Zero);
    Value = Builder.select(Negative, Builder.wideBinary(Opcode::Sub, Bits, Zero, Value), Value, /*Wide=*/true);
  }
  Operand UpperZeros = Builder.unary(Opcode::LeadingZeros, 64, high(Value));
  Operand Shifted = Builder.wideBinary(Opcode::Shl, 128, Value, Builder.toWide(UpperZeros, 64, 128, /*Signed=*/false));
  Operand Lost = Builder.binary(Opcode::Ne, 64, Shifted, Builder.constant(0));
  Operand Top = Builder.binary(Opcode::Or, 64, high(Shifted), Lost);
  Operand Rounded = Builder.unary(Opcode::UIToF, 64, Top, 0, static_cast<int32_t>(FloatBits));
  // Times 2^(64 - UpperZeros), made by hand from its exponent.
  unsigned ExponentAt = FloatBits == 32 ? 23 : 52;
  Operand Scale =
      Builder.binary(Opcode::Sub, 64, Builder.constant(powerOfTwo(64, FloatBits) >> ExponentAt), UpperZeros);
  Scale = Builder.binary(Opcode::Shl, 64, Scale, Builder.constant(ExponentAt));
  Operand Result = Builder.binary(Opcode::FMul, FloatBits, Rounded, Scale);
  if (!Signed)
    return Result;
  return Builder.select(Negative, Builder.unary(Opcode::FNeg, FloatBits, Result), Result);
}

/// Splits the magnitude into its upper and lower 64 bits; both steps are exact.
Operand FunctionLowering::floatToWide(Operand Value, unsigned FloatBits, bool Signed, unsigned Bits) {
  uint64_t SignBit = 1ull << (FloatBits - 1);
  Operand Magnitude = Builder.binary(Opcode::And, 64, Value, Builder.constant(SignBit - 1));
  Operand Scaled = Builder.binary(Opcode::FMul, FloatBits, Magnitude, Builder.constant(powerOfTwo(-64, FloatBits)));
  Operand High = Builder.unary(Opcode::FToUI, FloatBits, Scaled, 0, 64);
  Operand Upper = Builder.binary(Opcode::FMul, FloatBits,
                                 Builder.unary(Opcode::UIToF, 64, High, 0, static_cast<int32_t>(FloatBits)),
                                 Builder.constant(powerOfTwo(64, FloatBits)));
  Operand Rest = Builder.binary(Opcode::FSub, FloatBits, Magnitude, Upper);
  Operand Low = Builder.unary(Opcode::FToUI, FloatBits, Rest, 0, 64);
  Operand Result = Builder.makeWide(Low, High);
  Operand Mask =
      Bits == 128 ? Builder.wideConstant(~0ull, ~0ull) : Builder.wideConstant(~0ull, (1ull << (Bits - 64)) - 1);
  if (Signed) {
    Operand Negative = Builder.binary(Opcode::And, 64, Value, Builder.constant(SignBit));
    Operand Negated = Builder.wideBinary(Opcode::Sub, 128, Builder.wideConstant(0, 0), Result);
    Result = Builder.select(Negative, Negated, Result, /*Wide=*/true);
  }
  return Builder.wideBinary(Opcode::And, 128, Result, Mask);
}

} // namespace picket
