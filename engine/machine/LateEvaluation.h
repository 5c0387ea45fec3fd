// What an instruction that computes in registers yields, for operands that are known only after it was fetched.
#pragma once

#include "machine/Arithmetic.h"

namespace picket {

constexpr bool divides(Opcode Op) {
  return Op == Opcode::UDiv || Op == Opcode::SDiv || Op == Opcode::URem || Op == Opcode::SRem;
}

/// Instructions on more than 64 bits.
constexpr bool isWideOpcode(Opcode Op) {
  return Op == Opcode::WideMove || Op == Opcode::ToWide || Op == Opcode::WideSelect || Op == Opcode::WideBinary;
}

/// Whether a thread can go on behind an instruction whose operands are not known.
constexpr bool canWait(const Instruction &I) {
  switch (I.Op) {
  case Opcode::Move:
  case Opcode::CountOnes:
  case Opcode::LeadingZeros:
  case Opcode::TrailingZeros:
  case Opcode::ByteSwap:
  case Opcode::Truncate:
  case Opcode::SignExtend:
  case Opcode::Select:
  case Opcode::AddScaled: return true;
  // Divisions of more than 64 bits wait for their operands: few programs have them between shared accesses.
  case Opcode::WideBinary: return !divides(static_cast<Opcode>(I.Flags));
  default:
    return isWideOpcode(I.Op) || (I.Op >= Opcode::Add && I.Op <= Opcode::SLe) ||
           (I.Op >= Opcode::FAdd && I.Op <= Opcode::FTrunc);
  }
}

/// Of an instruction on up to 64 bits.
inline uint64_t evaluate(const Instruction &I, uint64_t A, uint64_t B, uint64_t C) {
  switch (I.Op) {
  case Opcode::Move: return A;
  case Opcode::CountOnes:
  case Opcode::LeadingZeros:
  case Opcode::TrailingZeros:
  case Opcode::ByteSwap: return evaluateBits(I.Op, A, I.Width);
  case Opcode::Truncate: return lowBits(A, I.Width);
  case Opcode::SignExtend: return lowBits(static_cast<uint64_t>(signedValue(A, I.Width)), static_cast<unsigned>(I.C));
  case Opcode::Select: return A ? B : C;
  case Opcode::AddScaled: return A + static_cast<uint64_t>(signedValue(B, I.Width)) * static_cast<uint64_t>(I.Imm);
  case Opcode::UDiv:
  case Opcode::SDiv:
  case Opcode::URem:
  case Opcode::SRem:
    if (lowBits(B, I.Width) == 0)
      return 0; // a bug (SpeculativeInterpreter::failDivisions), behind which nothing counts
    [[fallthrough]];
  default:
    if (I.Op >= Opcode::FAdd && I.Op <= Opcode::FTrunc)
      return evaluateFloating(I, A, B);
    return static_cast<uint64_t>(evaluateWide(I.Op, A, B, I.Width));
  }
}

/// Of an instruction on more than 64 bits, one half. C and D are the upper halves of A and B, but for a WideSelect.
inline uint64_t evaluateHalf(const Instruction &I, bool Upper, uint64_t A, uint64_t B, uint64_t C, uint64_t D) {
  auto Half = [&](Wide V) { return static_cast<uint64_t>(Upper ? V >> 64 : V); };
  switch (I.Op) {
  case Opcode::WideMove: return A;
  case Opcode::WideSelect: return A ? B : C;
  case Opcode::ToWide: return Half(evaluateToWide(I, A));
  default: return Half(evaluateWide(static_cast<Opcode>(I.Flags), makeWide(A, C), makeWide(B, D), I.Width));
  }
}

} // namespace picket
