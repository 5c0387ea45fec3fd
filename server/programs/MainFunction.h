// Finds the `main` of a C text without compiling it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace picket {

/// Where the name stands in a definition or declaration of `main` in this text, if there is one.
std::optional<size_t> findMain(llvm::StringRef Text);

} // namespace picket
