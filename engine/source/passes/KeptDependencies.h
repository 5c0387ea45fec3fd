// Keeps the passes from removing dependencies: under POWER a value that goes into an address, a stored value or a
// condition orders what the thread does, even if it has no other effect (v - v, an empty if).
#pragma once

#include "llvm/IR/Module.h"

#include <map>
#include <tuple>

namespace picket {

/// The inliner simplifies what it copies. Until shown again, computations whose result could turn out not to depend on
/// an operand are calls of unknown functions.
class HiddenComputations {
public:
  explicit HiddenComputations(llvm::Module &Mod);
  ~HiddenComputations();
  HiddenComputations(const HiddenComputations &) = delete;
  HiddenComputations &operator=(const HiddenComputations &) = delete;

  void show();

private:
  /// Opcode, what else tells computations apart (predicate, intrinsic), types.
  using Kind = std::tuple<unsigned, uintptr_t, llvm::FunctionType *>;
  struct Computation {
    llvm::Function *Hidden;
    llvm::Instruction *Model; // to be copied, without operands
  };

  void hide(llvm::Instruction &I);

  llvm::Module &Mod;
  std::map<Kind, Computation> Known;
};

/// Makes branches and switches that decide nothing look as if they did.
void keepIdleBranches(llvm::Module &M);
void releaseIdleBranches(llvm::Module &M);

} // namespace picket
