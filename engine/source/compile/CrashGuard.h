// Runs code that may crash (the compiler, on unusual input) so that a crash costs one check and not the process.
#pragma once

#include "base/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace picket {

/// Why guarded work did not come to its end.
struct GuardFailure {
  std::string Message;  // a sentence, or its beginning ("the compiler crashed") if there is no place
  SourceLocation Where; // line 0 if it is not known
};

/// Runs `Work` on a thread with a deep stack of its own and waits for it. Returns false if it crashed, called LLVM's
/// fatal error handler, gave up or overflowed its stack; `Why` then says what is known. Nothing is printed.
/// After a crash the destructors of `Work`'s frames have not run: what they held is leaked, and what they were
/// changing may be half changed.
bool runGuarded(llvm::function_ref<void()> Work, GuardFailure &Why);

/// Ends guarded work from within, on its own thread, as a crash does.
void giveUp(SourceLocation Where, std::string Message);

} // namespace picket
