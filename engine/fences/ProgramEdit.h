// A Program with fences put in or taken out and orders of atomic accesses changed, without compiling anything again.
#pragma once

#include "program/Program.h"

#include <optional>

namespace picket {

/// A point between two instructions: in front of one, where every way to it leads through, or right behind one, where
/// jumps to what follows do not come by.
struct ProgramPoint {
  uint32_t Pc = 0;
  bool Behind = false;
  auto operator<=>(const ProgramPoint &) const = default;
};

struct ProgramEdit {
  struct NewFence {
    ProgramPoint Where;
    FenceKind Kind = FenceKind::Full;
  };
  struct NewOrder {
    uint32_t Pc = 0; // an atomic access; of a compare-exchange the order of success is meant
    Order To = Order::SeqCst;
  };

  std::vector<NewFence> Fences;
  std::vector<NewOrder> Orders;
  std::vector<uint32_t> Removed; // fences
};

struct EditedProgram {
  Program Code;
  std::vector<uint32_t> OriginalPc; // per instruction; of a new fence that of the instruction it stands beside
};

/// Places behind an instruction that never goes on to the next one are not allowed. Several new orders for one access
/// add up.
EditedProgram edited(const Program &Compiled, const ProgramEdit &Edit);

/// The weakest order that is at least as strong as both, for an access that reads and writes.
Order joined(Order A, Order B);
/// Whether A orders everything that B orders.
bool atLeast(Order A, Order B);

/// Whether control can go on from an instruction to the next one.
bool goesOn(Opcode Op);

/// Calls `F(uint32_t Pc)` for every instruction that may run after the one at Pc in the same frame.
template <typename Visitor> void forEachSuccessor(const Program &Compiled, uint32_t Pc, Visitor F) {
  const Instruction &I = Compiled.Code[Pc];
  switch (I.Op) {
  case Opcode::Jump: F(static_cast<uint32_t>(I.Imm)); break;
  case Opcode::CondJump:
    F(static_cast<uint32_t>(I.B));
    F(static_cast<uint32_t>(I.C));
    break;
  case Opcode::LoopBack:
  case Opcode::SpinBack: F(static_cast<uint32_t>(I.A)); break;
  case Opcode::Switch:
    for (const auto &[Value, Target] : Compiled.SwitchTables[static_cast<size_t>(I.Imm)].Cases)
      F(Target);
    F(Compiled.SwitchTables[static_cast<size_t>(I.Imm)].Default);
    break;
  default:
    if (goesOn(I.Op))
      F(Pc + 1);
  }
}

/// Per instruction: it stands in a loop that can wait instead of going round (see Opcode::SpinBack).
std::vector<bool> inSpinLoops(const Program &Compiled);

} // namespace picket
