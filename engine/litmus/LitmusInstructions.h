// The instructions of one architecture: text in, bytecode out.
#pragma once

#include "litmus/LitmusCode.h"

#include <optional>

namespace picket {

struct LitmusInstruction {
  std::string Mnemonic;              // as written
  std::vector<std::string> Operands; // without space around them
  uint32_t Line = 0;
};

/// The name of a register as the test's tables have it ("r1", "EAX"), or nothing if it is none.
std::optional<std::string> ppcRegister(std::string_view Text);
std::optional<std::string> x86Register(std::string_view Text);

/// Asks for the flags that an instruction looks at. To be called for all of a thread's before the first is written.
void needFlagsPpc(const LitmusInstruction &I, LitmusThread &Code);
void needFlagsX86(const LitmusInstruction &I, LitmusThread &Code);

/// Writes one instruction. Throws LitmusError.
void writePpc(const LitmusInstruction &I, LitmusThread &Code);
void writeX86(const LitmusInstruction &I, LitmusThread &Code);

/// A branch: jumps to its label if the flag is `Set`.
struct LitmusBranch {
  LitmusFlag Flag;
  bool Set;
};

void wantOperands(const LitmusInstruction &I, size_t Count);

} // namespace picket
