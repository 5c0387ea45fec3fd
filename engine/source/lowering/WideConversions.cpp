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
  Operand Zero = B.wideConstant(0, 0), Negative = B.constant(0);
  if (Signed) {
    Negative = compare(CmpInst::ICMP_SLT, Bits, Value, Zero);
    Value = B.select(Negative, B.wideBinary(Opcode::Sub, Bits, Zero, Value), Value, /*Wide=*/true);
  }
  Operand UpperZeros = B.unary(Opcode::LeadingZeros, 64, high(Value));
  Operand Shifted = B.wideBinary(Opcode::Shl, 128, Value, B.toWide(UpperZeros, 64, 128, /*Signed=*/false));
  Operand Lost = B.binary(Opcode::Ne, 64, Shifted, B.constant(0));
  Operand Top = B.binary(Opcode::Or, 64, high(Shifted), Lost);
  Operand Rounded = B.unary(Opcode::UIToF, 64, Top, 0, static_cast<int32_t>(FloatBits));
  // Times 2^(64 - UpperZeros), made by hand from its exponent.
  unsigned ExponentAt = FloatBits == 32 ? 23 : 52;
  Operand Scale = B.binary(Opcode::Sub, 64, B.constant(powerOfTwo(64, FloatBits) >> ExponentAt), UpperZeros);
  Scale = B.binary(Opcode::Shl, 64, Scale, B.constant(ExponentAt));
  Operand Result = B.binary(Opcode::FMul, FloatBits, Rounded, Scale);
  if (!Signed)
    return Result;
  return B.select(Negative, B.unary(Opcode::FNeg, FloatBits, Result), Result);
}

/// Splits the magnitude into its upper and lower 64 bits; both steps are exact.
Operand FunctionLowering::floatToWide(Operand Value, unsigned FloatBits, bool Signed, unsigned Bits) {
  uint64_t SignBit = 1ull << (FloatBits - 1);
  Operand Magnitude = B.binary(Opcode::And, 64, Value, B.constant(SignBit - 1));
  Operand Scaled = B.binary(Opcode::FMul, FloatBits, Magnitude, B.constant(powerOfTwo(-64, FloatBits)));
  Operand High = B.unary(Opcode::FToUI, FloatBits, Scaled, 0, 64);
  Operand Upper =
      B.binary(Opcode::FMul, FloatBits, B.unary(Opcode::UIToF, 64, High, 0, static_cast<int32_t>(FloatBits)),
               B.constant(powerOfTwo(64, FloatBits)));
  Operand Rest = B.binary(Opcode::FSub, FloatBits, Magnitude, Upper);
  Operand Low = B.unary(Opcode::FToUI, FloatBits, Rest, 0, 64);
  Operand Result = B.makeWide(Low, High);
  Operand Mask = Bits == 128 ? B.wideConstant(~0ull, ~0ull) : B.wideConstant(~0ull, (1ull << (Bits - 64)) - 1);
  if (Signed) {
    Operand Negative = B.binary(Opcode::And, 64, Value, B.constant(SignBit));
    Operand Negated = B.wideBinary(Opcode::Sub, 128, B.wideConstant(0, 0), Result);
    Result = B.select(Negative, Negated, Result, /*Wide=*/true);
  }
  return B.wideBinary(Opcode::And, 128, Result, Mask);
}

} // namespace picket
