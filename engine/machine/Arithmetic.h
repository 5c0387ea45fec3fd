// Evaluation of the arithmetic opcodes on values as Program.h lays them out.
#pragma once

#include "program/Program.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace picket {

inline uint64_t lowBits(uint64_t Value, unsigned Width) { return Width >= 64 ? Value : Value & ((1ull << Width) - 1); }

inline int64_t signedValue(uint64_t Value, unsigned Width) {
  unsigned Shift = 64 - Width;
  return static_cast<int64_t>(Value << Shift) >> Shift;
}

using Wide = unsigned __int128;
using SignedWide = __int128;

inline Wide makeWide(uint64_t Low, uint64_t High) { return (static_cast<Wide>(High) << 64) | Low; }
inline Wide lowBitsWide(Wide Value, unsigned Width) {
  return Width >= 128 ? Value : Value & ((static_cast<Wide>(1) << Width) - 1);
}
inline SignedWide signedWide(Wide Value, unsigned Width) {
  unsigned Shift = 128 - Width;
  return static_cast<SignedWide>(Value << Shift) >> Shift;
}

inline float asFloat(uint64_t Bits) { return std::bit_cast<float>(static_cast<uint32_t>(Bits)); }
inline double asDouble(uint64_t Bits) { return std::bit_cast<double>(Bits); }
inline uint64_t bitsOf(float F) { return std::bit_cast<uint32_t>(F); }
inline uint64_t bitsOf(double D) { return std::bit_cast<uint64_t>(D); }

/// Division and remainder are only called with a divisor that is not zero.
Wide evaluateWide(Opcode Op, Wide A, Wide B, unsigned Width);

/// ToWide: a value of up to 64 bits, extended.
inline Wide evaluateToWide(const Instruction &I, uint64_t A) {
  const Wide V = I.Flags ? static_cast<Wide>(static_cast<SignedWide>(signedValue(A, I.Width))) : A;
  return lowBitsWide(V, static_cast<unsigned>(I.C));
}

/// CountOnes, LeadingZeros, TrailingZeros, ByteSwap.
uint64_t evaluateBits(Opcode Op, uint64_t A, unsigned Width);

/// Conversions to integers, with the processor's answer where the value does not fit.
int64_t toSigned(double D);
uint64_t toUnsigned(double D);

double evaluateFunction(FloatFunction Function, double A);
double evaluateFloat(Opcode Op, double A, double B);
/// FAdd to FTrunc.
uint64_t evaluateFloating(const Instruction &I, uint64_t A, uint64_t B);

/// The value a read-modify-write leaves, on Width bytes (up to 8).
uint64_t applyRmw(RmwOp Op, uint64_t Old, uint64_t Operand, unsigned Width);
/// The same on 16 bytes. There are none of floating-point numbers.
Wide applyWideRmw(RmwOp Op, Wide Old, Wide Operand);

/// LLVM's floating-point predicates: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered.
inline bool compareFloat(unsigned Predicate, double A, double B) {
  unsigned Relation = std::isnan(A) || std::isnan(B) ? 8u : A == B ? 1u : A > B ? 2u : 4u;
  return (Predicate & Relation) != 0;
}

} // namespace picket
