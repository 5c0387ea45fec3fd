#include "source/lowering/CodeBuilder.h"

namespace picket {

BlockId CodeBuilder::newBlock() {
  Code.Blocks.emplace_back();
  return static_cast<BlockId>(Code.Blocks.size() - 1);
}

Operand CodeBuilder::newSlots(unsigned Count) {
  uint32_t First = static_cast<uint32_t>(Code.GroupOf.size());
  for (unsigned I = 0; I < Count; ++I) {
    Code.GroupOf.push_back(First);
    Code.GroupSize.push_back(I == 0 ? static_cast<uint8_t>(Count) : 0);
  }
  return static_cast<Operand>(First);
}

bool CodeBuilder::isConstant(Operand O, uint64_t &Value) const {
  if (O >= 0)
    return false;
  Value = Tables.constantAt(O);
  return true;
}

void CodeBuilder::emit(const Instruction &I) {
  VirtualBlock &Block = Code.Blocks[Current];
  Block.Code.push_back(I);
  Block.Locations.push_back(Location);
}

Operand CodeBuilder::binary(Opcode Op, unsigned Width, Operand A, Operand B) {
  Operand Dst = newSlots();
  emit({.Op = Op, .Width = static_cast<uint8_t>(Width), .Dst = Dst, .A = A, .B = B});
  return Dst;
}

Operand CodeBuilder::unary(Opcode Op, unsigned Width, Operand A, unsigned Flags, int32_t C) {
  Operand Dst = newSlots();
  emit({.Op = Op,
        .Width = static_cast<uint8_t>(Width),
        .Flags = static_cast<uint8_t>(Flags),
        .Dst = Dst,
        .A = A,
        .C = C});
  return Dst;
}

Operand CodeBuilder::wideBinary(Opcode Op, unsigned Width, Operand A, Operand B) {
  bool Compares = Op >= Opcode::Eq && Op <= Opcode::SLe;
  Operand Dst = newSlots(Compares ? 1 : 2);
  emit({.Op = Opcode::WideBinary,
        .Width = static_cast<uint8_t>(Width),
        .Flags = static_cast<uint8_t>(Op),
        .Dst = Dst,
        .A = A,
        .B = B});
  return Dst;
}

Operand CodeBuilder::toWide(Operand A, unsigned FromBits, unsigned ToBits, bool Signed) {
  Operand Dst = newSlots(2);
  emit({.Op = Opcode::ToWide,
        .Width = static_cast<uint8_t>(FromBits),
        .Flags = static_cast<uint8_t>(Signed),
        .Dst = Dst,
        .A = A,
        .C = static_cast<int32_t>(ToBits)});
  return Dst;
}

Operand CodeBuilder::select(Operand Condition, Operand A, Operand B, bool Wide) {
  Operand Dst = newSlots(Wide ? 2 : 1);
  emit({.Op = Wide ? Opcode::WideSelect : Opcode::Select, .Dst = Dst, .A = Condition, .B = A, .C = B});
  return Dst;
}

Operand CodeBuilder::makeWide(Operand Low, Operand High) {
  Operand Dst = newSlots(2);
  move(Dst, Low);
  move(Dst + 1, High);
  return Dst;
}

Operand CodeBuilder::addOffset(Operand Pointer, int64_t Offset) {
  if (Offset == 0)
    return Pointer;
  uint64_t Known;
  if (isConstant(Pointer, Known))
    return constant(Known + static_cast<uint64_t>(Offset));
  return binary(Opcode::Add, 64, Pointer, constant(static_cast<uint64_t>(Offset)));
}

Operand CodeBuilder::addScaled(Operand Pointer, Operand Index, unsigned IndexBits, int64_t Scale) {
  Operand Dst = newSlots();
  emit({.Op = Opcode::AddScaled,
        .Width = static_cast<uint8_t>(IndexBits),
        .Dst = Dst,
        .A = Pointer,
        .B = Index,
        .Imm = Scale});
  return Dst;
}

void CodeBuilder::move(Operand Dst, Operand Source, bool Wide) {
  emit({.Op = Wide ? Opcode::WideMove : Opcode::Move, .Dst = Dst, .A = Source});
}

void CodeBuilder::jump(BlockId Target) { emit({.Op = Opcode::Jump, .Imm = Target}); }

void CodeBuilder::branch(Operand Condition, BlockId IfTrue, BlockId IfFalse) {
  emit({.Op = Opcode::CondJump, .A = Condition, .B = static_cast<int32_t>(IfTrue), .C = static_cast<int32_t>(IfFalse)});
}

int32_t CodeBuilder::arguments(const std::vector<Operand> &Operands) {
  int32_t First = static_cast<int32_t>(Code.Arguments.size());
  Code.Arguments.insert(Code.Arguments.end(), Operands.begin(), Operands.end());
  return First;
}

void CodeBuilder::unsupported(const std::string &What) {
  emit({.Op = Opcode::Unsupported, .Imm = Tables.message(What)});
}

} // namespace picket
