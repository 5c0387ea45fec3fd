// Marks the loads that are reads in the user's text. Clang and the passes add others, which copy structs and lay out
// arguments; those may read padding, so they are not checked for uninitialised memory.
#pragma once

namespace llvm {
class Instruction;
class Module;
} // namespace llvm

namespace picket {

/// To be called before any pass: what passes add is not marked.
void markReads(llvm::Module &M);
bool isMarkedRead(const llvm::Instruction &I);

} // namespace picket
