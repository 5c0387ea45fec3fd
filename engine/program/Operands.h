// Operands: the fields of an instruction that name frame slots, with the number of consecutive slots. All code that
// rewrites or lists bytecode uses this, so that the operands of an opcode are defined in one place.
#pragma once

#include "program/Program.h"

namespace picket {

struct OperandShape {
  uint8_t A = 0, B = 0, C = 0; // slots read through the field, 0 if it is something else
  uint8_t Dst = 0;             // slots written
  bool ReadsDst = false;       // the slots of Dst are read too, or not all of them are written
  bool HasArguments = false;   // reads Program::Arguments[B..B+C)
};

inline bool isCompare(Opcode Op) { return Op >= Opcode::Eq && Op <= Opcode::SLe; }
inline bool isCall(Opcode Op) { return Op == Opcode::Call || Op == Opcode::CallIndirect || Op == Opcode::CallBuiltin; }
inline bool isLoopBack(Opcode Op) { return Op == Opcode::LoopBack || Op == Opcode::SpinBack; }

/// The shape of an instruction. Every instruction reads all it reads before it writes Dst; a Call writes Dst when the
/// callee returns.
inline OperandShape shapeOf(const Instruction &I) {
  uint8_t Access = I.Width > 8 ? 2 : 1; // of memory
  switch (I.Op) {
  case Opcode::Move:
  case Opcode::Truncate:
  case Opcode::SignExtend:
  case Opcode::CountOnes:
  case Opcode::LeadingZeros:
  case Opcode::TrailingZeros:
  case Opcode::ByteSwap:
  case Opcode::FNeg:
  case Opcode::FMath:
  case Opcode::FToSI:
  case Opcode::FToUI:
  case Opcode::SIToF:
  case Opcode::UIToF:
  case Opcode::FExt:
  case Opcode::FTrunc:
  case Opcode::Alloca:
  case Opcode::ScopeEnter: return {.A = 1, .Dst = 1};
  case Opcode::WideMove: return {.A = 2, .Dst = 2};
  case Opcode::ToWide: return {.A = 1, .Dst = 2};
  case Opcode::WideBinary:
    return {.A = 2, .B = 2, .Dst = static_cast<uint8_t>(isCompare(static_cast<Opcode>(I.Flags)) ? 1 : 2)};
  case Opcode::CopyWritten: return {.A = 1, .B = 1, .C = 1};
  case Opcode::Select: return {.A = 1, .B = 1, .C = 1, .Dst = 1};
  case Opcode::WideSelect: return {.A = 1, .B = 2, .C = 2, .Dst = 2};
  case Opcode::CondJump:
  case Opcode::Switch:
  case Opcode::FailIf:
  case Opcode::ScopeLeave: return {.A = 1};
  case Opcode::Load:
  case Opcode::LoadReserve: return {.A = 1, .Dst = Access};
  case Opcode::Store: return {.A = 1, .B = Access};
  case Opcode::StoreConditional: return {.A = 1, .B = 1, .Dst = 1};
  case Opcode::CmpXchg: return {.A = 1, .B = Access, .C = Access, .Dst = static_cast<uint8_t>(Access + 1)};
  case Opcode::Rmw: return {.A = 1, .B = Access, .Dst = Access};
  case Opcode::ThreadLocal: return {.Dst = 1};
  case Opcode::Call:
  case Opcode::CallIndirect:
  case Opcode::CallBuiltin: {
    uint8_t Result = I.Dst < 0 ? 0 : I.Flags == 1 ? 2 : 1;
    uint8_t Callee = I.Op == Opcode::CallIndirect ? 1 : 0;
    return {.A = Callee, .Dst = Result, .HasArguments = true};
  }
  case Opcode::Return: return {.A = I.Flags};
  case Opcode::LoopInit: return {.Dst = loopslots::Count};
  case Opcode::LoopBack:
  case Opcode::SpinHead:
  case Opcode::SpinBack: return {.Dst = loopslots::Count, .ReadsDst = true};
  case Opcode::LoopNote: return {.A = 1};
  case Opcode::Jump:
  case Opcode::LoopExit:
  case Opcode::Fence:
  case Opcode::Unreachable:
  case Opcode::Unsupported: return {};
  default: // binary arithmetic and AddScaled
    return {.A = 1, .B = 1, .Dst = 1};
  }
}

} // namespace picket
