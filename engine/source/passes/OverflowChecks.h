// Checks for signed arithmetic that overflows and shifts that are too wide, if they are enabled. Clang puts checks with
// traps into the program; a check must not be a branch, since what comes after it would then depend on what is checked.
#pragma once

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace picket {

/// Turns the branches to traps into calls that fail if their argument is true.
void makeOverflowChecks(llvm::Module &M);

/// Whether a call, or the function it calls, is one of these.
bool isOverflowCheck(const llvm::CallBase &Call);
bool isOverflowCheck(const llvm::Function &F);

} // namespace picket
