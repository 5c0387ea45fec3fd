// The passes between Clang's raw output and lowering. They decide what is checked, so they are pinned: nothing here
// merges, moves, invents or removes an access of memory that another thread may see.
#pragma once

#include "llvm/IR/Module.h"

namespace picket {

/// Brings the module into the form lowering expects: locals in registers, small functions inlined, loops in simplified
/// closed form.
/// Functions the checker gives a meaning to by name (reach_error, __VERIFIER_assert, ...) lose the body the program
/// gave them; other functions named __VERIFIER_* are not inlined.
void runCheckerPipeline(llvm::Module &M);

/// Puts LLVM's own optimiser ("O1", "O2") in front, on request: what it makes of the program is checked then. Knows
/// nothing of what the machine runs on, so that it does not use vectors.
void optimize(llvm::Module &M, llvm::StringRef Level);

} // namespace picket
