// Runs code that may crash (the compiler, on strange input) so that a crash costs one check and not the process.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace picket {

/// Runs `Work` on a thread with a deep stack of its own and waits for it. Returns false if it crashed, called LLVM's
/// fatal error handler or overflowed its stack; `Reason` then says what is known. Nothing is printed.
/// After a crash the destructors of `Work`'s frames have not run: what they held is leaked, and what they were
/// changing may be half changed.
bool runGuarded(llvm::function_ref<void()> Work, std::string &Reason);

} // namespace picket
