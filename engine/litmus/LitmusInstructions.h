// Translates the instructions of each architecture from text to bytecode.
#pragma once

#include "litmus/LitmusCode.h"

#include <optional>

namespace picket {

struct LitmusInstruction {
  std::string Mnemonic;              // as written
  std::vector<std::string> Operands; // without space around them
  uint32_t Line = 0;
};

/// The name of a register as the test's tables have it ("r1", "EAX", "X1"), or nothing if it is none.
using RegisterName = std::optional<std::string> (*)(std::string_view);
std::optional<std::string> ppcRegister(std::string_view Text);
std::optional<std::string> x86Register(std::string_view Text);
std::optional<std::string> x86WideRegister(std::string_view Text);
std::optional<std::string> aarch64Register(std::string_view Text);

/// Notes the flags that an instruction looks at, and which registers and locations it uses with 64 bits. To be called
/// for all of a thread's before the first is written.
void preparePpc(const LitmusInstruction &I, LitmusThread &Code);
void prepareX86(const LitmusInstruction &I, LitmusThread &Code);
void prepareX86Wide(const LitmusInstruction &I, LitmusThread &Code);
void prepareAArch64(const LitmusInstruction &I, LitmusThread &Code);

/// Writes one instruction. Throws LitmusError.
void writePpc(const LitmusInstruction &I, LitmusThread &Code);
void writeX86(const LitmusInstruction &I, LitmusThread &Code);
void writeX86Wide(const LitmusInstruction &I, LitmusThread &Code);
void writeAArch64(const LitmusInstruction &I, LitmusThread &Code);

/// A branch: jumps to its label if the flag is `Set`.
struct LitmusBranch {
  LitmusFlag Flag;
  bool Set;
};

void wantOperands(const LitmusInstruction &I, size_t Count);

} // namespace picket
