// The few lines of assembly that concurrent C carries: fences and pauses of x86, POWER, SPARC and Arm. The text is
// read, not the target: Clang passes on what it does not know.
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
