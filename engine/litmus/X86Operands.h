// The operands of X86 instructions, in Intel's spelling and in AT&T's.
#pragma once

#include "litmus/LitmusInstructions.h"

namespace picket {

struct X86Register {
  std::string Name; // as the test's tables have it
  uint8_t Bits;
};
/// A register of X86_64, with or without '%': "rax", "%r8d".
std::optional<X86Register> x86RegisterIn(std::string_view Text);

/// An address of X86_64: [x], [rax+8], (x), 8(%rax), (%rax,%rbx,4), x(%rip).
struct X86Address {
  std::string Location; // may be empty
  std::string Base, Index;
  int64_t Scale = 1, Offset = 0;
};

/// An instruction of X86_64 as Intel writes it: the destination first, and the size apart from the name.
struct X86Instruction {
  bool Locked = false;
  std::string Mnemonic; // as written
  std::string Name;     // in small letters, without the letter for the size
  std::vector<std::string> Operands;
  uint8_t Bits = 32; // of its operands

  X86Instruction(const LitmusInstruction &I, bool IsWide);
  static bool isMemory(std::string_view Operand);
  static X86Address addressIn(std::string_view Operand, uint32_t Line);

private:
  void splitPrefix(const LitmusInstruction &I);
  void normalise(const LitmusInstruction &I);
};

/// Whether an instruction of this name is one that operands of 32 and 64 bits can have.
bool isSizedX86(std::string_view Name);

} // namespace picket
