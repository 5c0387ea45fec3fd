// Emits virtual bytecode, one instruction at a time. Independent of LLVM: the files that use it do the
// lowering.
#pragma once

#include "source/lowering/ProgramTables.h"
#include "source/lowering/VirtualCode.h"

namespace picket {

class CodeBuilder {
public:
  CodeBuilder(VirtualCode &Code, ProgramTables &Tables) : Code(Code), Tables(Tables) {}

  BlockId newBlock();
  void setBlock(BlockId B) { Current = B; }
  BlockId block() const { return Current; }
  void setLocation(uint32_t L) { Location = L; }
  uint32_t location() const { return Location; }

  /// A new group of consecutive slots; returns the first.
  Operand newSlots(unsigned Count = 1);
  uint32_t groupOf(Operand O) const { return Code.GroupOf[O]; }

  Operand constant(uint64_t Value) { return Tables.constant(Value); }
  Operand wideConstant(uint64_t Low, uint64_t High) { return Tables.wideConstant(Low, High); }
  bool isConstant(Operand O, uint64_t &Value) const;

  void emit(const Instruction &I);

  /// Dst = A op B on Width bits, and its relatives. Each returns a new slot (or the first of two).
  Operand binary(Opcode Op, unsigned Width, Operand A, Operand B);
  Operand unary(Opcode Op, unsigned Width, Operand A, unsigned Flags = 0, int32_t C = 0);
  Operand wideBinary(Opcode Op, unsigned Width, Operand A, Operand B);
  Operand toWide(Operand A, unsigned FromBits, unsigned ToBits, bool Signed);
  Operand select(Operand Condition, Operand A, Operand B, bool Wide = false);
  Operand makeWide(Operand Low, Operand High);
  Operand addOffset(Operand Pointer, int64_t Offset);
  Operand addScaled(Operand Pointer, Operand Index, unsigned IndexBits, int64_t Scale);

  void move(Operand Dst, Operand Source, bool Wide = false);
  void jump(BlockId Target);
  void branch(Operand Condition, BlockId IfTrue, BlockId IfFalse);

  /// Appends the arguments of a call and returns where they start.
  int32_t arguments(const std::vector<Operand> &Operands);

  /// The instruction that ends the execution: `What` is not modelled. Code after it is never reached.
  void unsupported(const std::string &What);

private:
  VirtualCode &Code;
  ProgramTables &Tables;
  BlockId Current = 0;
  uint32_t Location = 0;
};

/// The upper half of a wide operand.
inline Operand high(Operand Wide) { return Wide >= 0 ? Wide + 1 : Wide - 1; }

} // namespace picket
