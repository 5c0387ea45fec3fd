// Finds spurious failures that need not be explored: of weak compare-and-swaps, and waits on condition variables. Most
// are in a loop that only tries again after a failure. No thread can distinguish that from not having begun the
// iteration. If this cannot be seen from the code, the failure is explored.
#pragma once

#include "source/lowering/ModuleSymbols.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace picket {

class RetryLoops {
public:
  RetryLoops(const llvm::Function &Func, const ModuleSymbols &Symbols) : Func(Func), Symbols(Symbols) {}

  /// Whether the program may be able to tell that the operation failed for no reason.
  bool canTell(const llvm::Instruction &I);

private:
  using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 8>;

  bool isRetry(const llvm::Cycle &L);
  bool walkFailure(const llvm::Cycle &L);
  bool walkBack(const llvm::Cycle &L);
  bool isHarmless(const llvm::Instruction &I, bool OnFailure);
  bool isRepeated(const llvm::StoreInst &S, const llvm::Cycle &L) const;
  bool isPure(const llvm::Value &V, const llvm::Cycle &L, unsigned Depth = 0) const;
  bool isApart(const llvm::Value &Address) const;
  bool isSame(const llvm::Value *V, const llvm::PHINode &Phi, const llvm::Cycle &L, unsigned Depth = 0) const;
  bool isOnlyIf(const llvm::Value &Condition, bool Holds) const;
  bool isKnownToBe(const llvm::PHINode &Phi, const llvm::Constant &C) const;
  llvm::Constant *fold(const llvm::Value *V, unsigned Depth = 0) const;
  llvm::Constant *foldAfter(const llvm::PHINode &Phi, unsigned Depth) const;

  const llvm::Function &Func;
  const ModuleSymbols &Symbols;
  std::optional<llvm::CycleInfo> Cycles;
  std::optional<llvm::DominatorTree> Dominators;

  // Of the question that is being answered:
  const llvm::Instruction *Failing = nullptr;
  const llvm::Value *Swapped = nullptr, *Mutex = nullptr; // what it accesses: one of them
  Blocks AfterFailure, Before;                            // from it back to the header, and from there to it
  llvm::SmallVector<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, 8> Edges; // of AfterFailure
  llvm::SmallVector<const llvm::StoreInst *, 4> Stores;
  llvm::SmallVector<const llvm::LoadInst *, 8> Loads;
  int Locks = 0, Unlocks = 0;
};

} // namespace picket
