// VirtualCode: the bytecode of one function before layout, with basic blocks instead of pcs and a slot per value.
// RegisterAllocation merges slots, CodeLayout orders the blocks.
#pragma once

#include "program/Program.h"

namespace picket {

using BlockId = uint32_t;

/// Jump targets (Jump.Imm, CondJump.B and C, LoopBack.A, SpinBack.A, the tables of Switch) are block ids.
struct VirtualBlock {
  std::vector<Instruction> Code;   // ends with the only instruction that leaves the block
  std::vector<uint32_t> Locations; // per instruction
};

/// Slots come in groups of consecutive ones that keep together: a wide value, the results of a CmpXchg, the
/// counters of a loop. A group with several slots is defined by writing its first slot first.
struct VirtualCode {
  std::vector<VirtualBlock> Blocks; // the function starts in block 0
  std::vector<uint32_t> GroupOf;    // per slot: the first slot of its group
  std::vector<uint8_t> GroupSize;   // per slot: size of the group that starts here, 0 if none does
  std::vector<Operand> Arguments;   // of calls; Instruction::B counts from here
  std::vector<SwitchTable> Switches;
  uint32_t NumParameters = 0; // slots 0.. arrive as parameters
  bool HasLoops = false;      // LoopBack or SpinBack is used: the function needs a FedSlot
  int32_t FedSlot = -1;       // set by allocateRegisters
  uint32_t NumSlots = 0;      // set by allocateRegisters
};

/// Calls `F(BlockId &)` for everything a block may jump to.
template <typename Visitor> void forEachTarget(VirtualCode &Code, VirtualBlock &Block, Visitor F) {
  if (Block.Code.empty())
    return;
  Instruction &Last = Block.Code.back();
  auto Visit = [&](auto &Field) {
    BlockId Target = static_cast<BlockId>(Field);
    F(Target);
    Field = Target;
  };
  switch (Last.Op) {
  case Opcode::Jump: Visit(Last.Imm); break;
  case Opcode::CondJump:
    Visit(Last.B);
    Visit(Last.C);
    break;
  case Opcode::LoopBack:
  case Opcode::SpinBack: Visit(Last.A); break;
  case Opcode::Switch: {
    SwitchTable &Table = Code.Switches[Last.Imm];
    for (auto &Case : Table.Cases)
      Visit(Case.second);
    Visit(Table.Default);
    break;
  }
  default: break;
  }
}

} // namespace picket
