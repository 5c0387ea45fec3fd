// Replaces calls of atomic library functions by instructions.
#pragma once

namespace llvm {
class Module;
}

namespace picket {

/// Clang calls `__atomic_load(16, &x, &result, order)` and the like where the machine may have no instruction for it.
/// Where the size is one that an access can have, such a call becomes that access: so that what it is handed through
/// memory can become a register, and what looks for loops that wait or try again sees an access.
void makeAtomicInstructions(llvm::Module &M);

} // namespace picket
