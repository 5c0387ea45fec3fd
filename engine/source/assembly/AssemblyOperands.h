// Reads the operands of instructions: registers, numbers, addresses and labels of x86 (AT&T), AArch64 and POWER.
#pragma once

#include "source/assembly/AssemblyText.h"

#include <cstdint>
#include <optional>

namespace picket {

/// A register, or a part of one.
struct AssemblyRegister {
  int Operand = -1; // of the statement
  std::string
      Name; // else: the canonical name of the whole register ("rax", "x0", "r3"); empty for one that is always zero
  unsigned Bits = 0;       // 0: as many as the operand has (x86), or all
  unsigned From = 0;       // the first bit: 8 for %ah
  bool SecondHalf = false; // of an operand in two registers
  bool isZero() const { return Operand < 0 && Name.empty(); }
};

struct AssemblyOperand {
  enum Kind : uint8_t { Register, Number, Memory, Word } What = Word;
  AssemblyRegister Reg; // Register; Memory: the base, if HasBase
  AssemblyRegister Index;
  int64_t Value = 0; // Number; Memory: what is added
  unsigned Scale = 1;
  bool HasBase = false, HasIndex = false;
  int MemoryOperand = -1; // Memory: an operand of the statement that is one
  std::string Text;       // Word: a label, a condition
};

class AssemblyOperandReader {
public:
  /// IsMemory: whether an operand of the statement is in memory.
  AssemblyOperandReader(Architecture For, std::vector<bool> IsMemory) : For(For), IsMemory(std::move(IsMemory)) {}

  AssemblyOperand read(llvm::StringRef Text) const;

  /// The register that a constraint (`{ax}`) or a clobber names; nothing if it is none that can be modelled.
  static std::optional<AssemblyRegister> registerNamed(Architecture For, llvm::StringRef Name);

private:
  std::optional<AssemblyRegister> registerIn(llvm::StringRef Text) const;
  AssemblyOperand readX86Memory(llvm::StringRef Text) const;
  AssemblyOperand readArmMemory(llvm::StringRef Text) const;
  AssemblyOperand readPowerMemory(llvm::StringRef Text) const;

  Architecture For;
  std::vector<bool> IsMemory;
};

} // namespace picket
