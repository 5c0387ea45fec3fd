#include "source/lowering/CodeLayout.h"

#include "program/Operands.h"

#include <algorithm>

namespace picket {

/// What comes after something that is not modelled stays, though no execution gets there: a refusal names what is not
/// modelled in it, too.
static void cutDeadTails(VirtualCode &Code) {
  for (VirtualBlock &Block : Code.Blocks)
    for (size_t I = 0; I + 1 < Block.Code.size(); ++I)
      if (Block.Code[I].Op == Opcode::Unreachable) {
        Block.Code.resize(I + 1);
        Block.Locations.resize(I + 1);
      }
}

static std::vector<BlockId> successors(VirtualCode &Code, BlockId B) {
  std::vector<BlockId> Found;
  forEachTarget(Code, Code.Blocks[B], [&](BlockId Target) { Found.push_back(Target); });
  return Found;
}

void orderBlocks(VirtualCode &Code) {
  cutDeadTails(Code);
  // Depth first without recursion: functions with thousands of blocks are normal for generated code.
  struct Visit {
    BlockId Block;
    std::vector<BlockId> Successors;
  };
  std::vector<bool> Seen(Code.Blocks.size());
  std::vector<BlockId> Postorder;
  std::vector<Visit> Stack;
  Seen[0] = true;
  Stack.push_back({0, successors(Code, 0)});
  while (!Stack.empty()) {
    Visit &Top = Stack.back();
    if (Top.Successors.empty()) {
      Postorder.push_back(Top.Block);
      Stack.pop_back();
      continue;
    }
    BlockId Next = Top.Successors.back();
    Top.Successors.pop_back();
    if (Seen[Next])
      continue;
    Seen[Next] = true;
    Stack.push_back({Next, successors(Code, Next)});
  }

  std::vector<BlockId> NewId(Code.Blocks.size());
  std::vector<VirtualBlock> Ordered;
  std::vector<SwitchTable> Switches; // those of unreachable blocks are dropped
  for (auto It = Postorder.rbegin(); It != Postorder.rend(); ++It) {
    NewId[*It] = static_cast<BlockId>(Ordered.size());
    Ordered.push_back(std::move(Code.Blocks[*It]));
    Instruction *Last = Ordered.back().Code.empty() ? nullptr : &Ordered.back().Code.back();
    if (Last && Last->Op == Opcode::Switch) {
      Switches.push_back(std::move(Code.Switches[Last->Imm]));
      Last->Imm = static_cast<int64_t>(Switches.size()) - 1;
    }
  }
  Code.Blocks = std::move(Ordered);
  Code.Switches = std::move(Switches);
  for (VirtualBlock &Block : Code.Blocks)
    forEachTarget(Code, Block, [&](BlockId &Target) { Target = NewId[Target]; });
}

/// Where control really goes that is sent to B: blocks that only jump on are skipped.
static BlockId throughEmptyBlocks(const VirtualCode &Code, BlockId B) {
  for (size_t Steps = 0; Steps < Code.Blocks.size(); ++Steps) {
    const std::vector<Instruction> &Block = Code.Blocks[B].Code;
    if (Block.size() != 1 || Block[0].Op != Opcode::Jump)
      break;
    B = static_cast<BlockId>(Block[0].Imm);
  }
  return B;
}

static std::vector<bool> reachableBlocks(VirtualCode &Code) {
  std::vector<bool> Reached(Code.Blocks.size());
  std::vector<BlockId> Work = {0};
  Reached[0] = true;
  while (!Work.empty()) {
    BlockId B = Work.back();
    Work.pop_back();
    for (BlockId Target : successors(Code, B))
      if (!Reached[Target]) {
        Reached[Target] = true;
        Work.push_back(Target);
      }
  }
  return Reached;
}

uint32_t layOut(VirtualCode &Code, Program &P) {
  for (VirtualBlock &Block : Code.Blocks)
    forEachTarget(Code, Block, [&](BlockId &Target) { Target = throughEmptyBlocks(Code, Target); });
  std::vector<bool> Reached = reachableBlocks(Code);

  const uint32_t Entry = static_cast<uint32_t>(P.Code.size());
  const int32_t FirstArgument = static_cast<int32_t>(P.Arguments.size());
  const int64_t FirstSwitch = static_cast<int64_t>(P.SwitchTables.size());
  std::vector<BlockId> Row;
  for (BlockId B = 0; B < Code.Blocks.size(); ++B)
    if (Reached[B])
      Row.push_back(B);

  std::vector<uint32_t> PcOf(Code.Blocks.size());
  uint32_t Pc = Entry;
  for (size_t K = 0; K < Row.size(); ++K) {
    std::vector<Instruction> &Block = Code.Blocks[Row[K]].Code;
    PcOf[Row[K]] = Pc;
    bool FallsThrough = Block.back().Op == Opcode::Jump && K + 1 < Row.size() && Block.back().Imm == Row[K + 1];
    if (FallsThrough)
      Block.pop_back();
    Pc += static_cast<uint32_t>(Block.size());
  }
  for (BlockId B : Row) {
    VirtualBlock &Block = Code.Blocks[B];
    forEachTarget(Code, Block, [&](BlockId &Target) { Target = PcOf[Target]; });
    for (size_t K = 0; K < Block.Code.size(); ++K) {
      Instruction &I = Block.Code[K];
      if (isCall(I.Op))
        I.B += FirstArgument;
      else if (I.Op == Opcode::Switch)
        I.Imm += FirstSwitch;
      P.Code.push_back(I);
      P.CodeLocations.push_back(Block.Locations[K]);
    }
  }
  P.Arguments.insert(P.Arguments.end(), Code.Arguments.begin(), Code.Arguments.end());
  for (SwitchTable &Table : Code.Switches)
    P.SwitchTables.push_back(std::move(Table));
  return Entry;
}

} // namespace picket
