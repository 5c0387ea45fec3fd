// Recognises statements of inline assembly that are barriers and pauses only, of x86, POWER, SPARC and Arm. It reads the
// text, whatever the target is: Clang passes on text that it does not know.
#pragma once

#include "program/Program.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace picket {

/// The fences a piece of assembly stands for, in order; empty for pauses and compiler barriers. No value if some
/// instruction in it is anything else.
std::optional<std::vector<FenceKind>> readBarriers(llvm::StringRef Text);

/// The same for text as it stands in a C file: `%%rsp`, `$0`.
std::optional<std::vector<FenceKind>> readWrittenBarriers(llvm::StringRef Text);

/// The text as a user wrote it, on one line.
std::string describeAssembly(llvm::StringRef Text);

} // namespace picket
