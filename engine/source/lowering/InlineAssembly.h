// Recognises the inline assembly that concurrent C uses: fences and pauses of x86, POWER, SPARC and Arm. It reads the
// text, whatever the target is: Clang passes on text that it does not know.
#pragma once

#include "program/Program.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace picket {

/// The fences a piece of assembly stands for, in order; empty for pauses and compiler barriers. No value if some
/// statement in it is anything else.
std::optional<std::vector<FenceKind>> readAssembly(llvm::StringRef Text);

/// The text as a user wrote it, on one line.
std::string describeAssembly(llvm::StringRef Text);

} // namespace picket
