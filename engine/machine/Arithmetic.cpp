#include "machine/Arithmetic.h"

namespace picket {

Wide evaluateWide(Opcode Op, Wide A, Wide B, unsigned Width) {
  switch (Op) {
  case Opcode::Add: return lowBitsWide(A + B, Width);
  case Opcode::Sub: return lowBitsWide(A - B, Width);
  case Opcode::Mul: return lowBitsWide(A * B, Width);
  case Opcode::UDiv: return A / B;
  case Opcode::URem: return A % B;
  case Opcode::SDiv: return lowBitsWide(static_cast<Wide>(signedWide(A, Width) / signedWide(B, Width)), Width);
  case Opcode::SRem: return lowBitsWide(static_cast<Wide>(signedWide(A, Width) % signedWide(B, Width)), Width);
  case Opcode::Shl: return B >= Width ? 0 : lowBitsWide(A << static_cast<unsigned>(B), Width);
  case Opcode::LShr: return B >= Width ? 0 : A >> static_cast<unsigned>(B);
  case Opcode::AShr:
    return lowBitsWide(static_cast<Wide>(signedWide(A, Width) >> static_cast<unsigned>(B >= Width ? Width - 1 : B)),
                       Width);
  case Opcode::And: return A & B;
  case Opcode::Or: return A | B;
  case Opcode::Xor: return A ^ B;
  case Opcode::Eq: return A == B;
  case Opcode::Ne: return A != B;
  case Opcode::ULt: return A < B;
  case Opcode::ULe: return A <= B;
  case Opcode::SLt: return signedWide(A, Width) < signedWide(B, Width);
  case Opcode::SLe: return signedWide(A, Width) <= signedWide(B, Width);
  default: return 0;
  }
}

uint64_t evaluateBits(Opcode Op, uint64_t A, unsigned Width) {
  switch (Op) {
  case Opcode::CountOnes: return static_cast<uint64_t>(std::popcount(A));
  case Opcode::LeadingZeros: return static_cast<uint64_t>(std::countl_zero(A)) - (64 - Width);
  case Opcode::TrailingZeros: return A ? static_cast<uint64_t>(std::countr_zero(A)) : Width;
  default: return __builtin_bswap64(A) >> (64 - Width);
  }
}

int64_t toSigned(double D) {
  constexpr double Limit = 9223372036854775808.0; // 2^63
  return D >= -Limit && D < Limit ? static_cast<int64_t>(D) : INT64_MIN;
}

uint64_t toUnsigned(double D) {
  constexpr double Limit = 9223372036854775808.0;
  if (D < Limit)
    return static_cast<uint64_t>(toSigned(D));
  return static_cast<uint64_t>(toSigned(D - Limit)) ^ (1ull << 63);
}

double evaluateFunction(FloatFunction Function, double A) {
  switch (Function) {
  case FloatFunction::Sqrt: return std::sqrt(A);
  case FloatFunction::Floor: return std::floor(A);
  case FloatFunction::Ceil: return std::ceil(A);
  case FloatFunction::Truncate: return std::trunc(A);
  case FloatFunction::Round: return std::round(A);
  case FloatFunction::RoundEven: return std::nearbyint(A);
  }
  return A;
}

double evaluateFloat(Opcode Op, double A, double B) {
  switch (Op) {
  case Opcode::FAdd: return A + B;
  case Opcode::FSub: return A - B;
  case Opcode::FMul: return A * B;
  case Opcode::FDiv: return A / B;
  case Opcode::FRem: return std::fmod(A, B);
  default: return 0;
  }
}

uint64_t applyRmw(RmwOp Op, uint64_t Old, uint64_t Operand, unsigned Width) {
  unsigned Bits = Width * 8;
  auto Smaller = [&] { return signedValue(Old, Bits) < signedValue(Operand, Bits); };
  switch (Op) {
  case RmwOp::Xchg: return Operand;
  case RmwOp::Add: return lowBits(Old + Operand, Bits);
  case RmwOp::Sub: return lowBits(Old - Operand, Bits);
  case RmwOp::And: return Old & Operand;
  case RmwOp::Nand: return lowBits(~(Old & Operand), Bits);
  case RmwOp::Or: return Old | Operand;
  case RmwOp::Xor: return Old ^ Operand;
  case RmwOp::Max: return Smaller() ? Operand : Old;
  case RmwOp::Min: return Smaller() ? Old : Operand;
  case RmwOp::UMax: return Old < Operand ? Operand : Old;
  case RmwOp::UMin: return Old < Operand ? Old : Operand;
  case RmwOp::FAdd:
    return Width == 4 ? bitsOf(asFloat(Old) + asFloat(Operand)) : bitsOf(asDouble(Old) + asDouble(Operand));
  case RmwOp::FSub:
    return Width == 4 ? bitsOf(asFloat(Old) - asFloat(Operand)) : bitsOf(asDouble(Old) - asDouble(Operand));
  }
  return Old;
}

uint64_t evaluateFloating(const Instruction &I, uint64_t A, uint64_t B) {
  const bool Single = I.Width == 32;
  auto Get = [&](uint64_t Bits) { return Single ? static_cast<double>(asFloat(Bits)) : asDouble(Bits); };
  auto Put = [&](double D) { return Single ? bitsOf(static_cast<float>(D)) : bitsOf(D); };
  switch (I.Op) {
  case Opcode::FNeg: return A ^ (1ull << (I.Width - 1));
  case Opcode::FMath: return Put(evaluateFunction(static_cast<FloatFunction>(I.Flags), Get(A)));
  case Opcode::FCmp: return compareFloat(I.Flags, Get(A), Get(B));
  case Opcode::FToSI: return lowBits(static_cast<uint64_t>(toSigned(Get(A))), static_cast<unsigned>(I.C));
  case Opcode::FToUI: return lowBits(toUnsigned(Get(A)), static_cast<unsigned>(I.C));
  case Opcode::SIToF: {
    const int64_t V = signedValue(A, I.Width);
    return I.C == 32 ? bitsOf(static_cast<float>(V)) : bitsOf(static_cast<double>(V));
  }
  case Opcode::UIToF: return I.C == 32 ? bitsOf(static_cast<float>(A)) : bitsOf(static_cast<double>(A));
  case Opcode::FExt: return bitsOf(static_cast<double>(asFloat(A)));
  case Opcode::FTrunc: return bitsOf(static_cast<float>(asDouble(A)));
  default:
    // One operation on floats computed in double and rounded once is exact for + - * / (53 >= 2 * 24 + 2 bits).
    return Put(evaluateFloat(I.Op, Get(A), Get(B)));
  }
}

Wide applyWideRmw(RmwOp Op, Wide Old, Wide Operand) {
  const bool Smaller = static_cast<SignedWide>(Old) < static_cast<SignedWide>(Operand);
  switch (Op) {
  case RmwOp::Xchg: return Operand;
  case RmwOp::Add: return Old + Operand;
  case RmwOp::Sub: return Old - Operand;
  case RmwOp::And: return Old & Operand;
  case RmwOp::Nand: return ~(Old & Operand);
  case RmwOp::Or: return Old | Operand;
  case RmwOp::Xor: return Old ^ Operand;
  case RmwOp::Max: return Smaller ? Operand : Old;
  case RmwOp::Min: return Smaller ? Old : Operand;
  case RmwOp::UMax: return Old < Operand ? Operand : Old;
  case RmwOp::UMin: return Old < Operand ? Old : Operand;
  case RmwOp::FAdd:
  case RmwOp::FSub: break;
  }
  return Old;
}

} // namespace picket
