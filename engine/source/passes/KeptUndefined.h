// Keeps the passes from using undefined behaviour for optimisation. They may assume that a program has none, and remove
// code that would run only if it did: the bug would be gone before it could be found.
#pragma once

#include "program/BrokenPromise.h"

#include "llvm/IR/Module.h"

#include <vector>

namespace picket {

/// Code that is never reached, if the program keeps its promises (`__builtin_unreachable()`, the way out of a function
/// that does not return), looks as if it were reached until shown again. Assumptions become branches to such code.
void hideUnreachable(llvm::Module &M);
void showUnreachable(llvm::Module &M);

/// Which promise is broken where control reaches an `unreachable`.
BrokenPromise brokenPromiseOf(const llvm::Instruction &Unreachable);

/// Values that Clang or a pass calls undefined become zeros, as memory is that nothing has written.
void defineUndefined(llvm::Module &M);

/// Variables that are about to become registers hold an unknown value until they are written. Else the value on one
/// way to a use, where they were not, is taken to be the same as on the others.
void hideUnwritten(llvm::Module &M);
/// Makes zeros of those values.
void showUnwritten(llvm::Module &M);

/// Adds a branch to code that is never reached where control leaves a function without `return`, and all callers use
/// the result. Before anything is inlined or becomes a register.
void findMissingReturns(llvm::Module &M);

/// As long as this lives, constant variables are not known to be constant: the inliner makes anything at all of a read
/// that is outside of one.
class HiddenConstants {
public:
  explicit HiddenConstants(llvm::Module &M);
  ~HiddenConstants();
  HiddenConstants(const HiddenConstants &) = delete;
  HiddenConstants &operator=(const HiddenConstants &) = delete;

private:
  std::vector<llvm::GlobalVariable *> Hidden;
};

} // namespace picket
