// Loop feeders: the reads that can keep a loop going. A loop whose exit depends on nothing another thread may write
// runs to its end by itself, and so does one that accesses later memory in every iteration. Every other loop is "fed"
// by reads, and must be bounded.
#pragma once

#include "source/lowering/ModuleSymbols.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/Dominators.h"

namespace picket {

/// Memory that only the running thread can ever see: a local variable whose address goes nowhere.
class PrivateMemory {
public:
  bool contains(const llvm::Value *Pointer);

private:
  llvm::DenseMap<const llvm::Value *, bool> Known;
};

class LoopFeeders {
public:
  LoopFeeders(const llvm::Cycle &Loop, const llvm::DominatorTree &Dominators, const ModuleSymbols &Symbols,
              PrivateMemory &Private);

  /// The loads, read-modify-writes and calls whose results decide how often the loop runs; empty if the loop ends by
  /// itself. Follows the exit conditions backwards through values, through memory written in the loop and through the
  /// branches that choose between values.
  std::vector<const llvm::Instruction *> find();
  /// What the loop carries from an iteration to the next that decides, too. To be asked after find().
  std::vector<const llvm::PHINode *> carried() const;
  /// Whether it can be left other than by a failure. To be asked after find().
  bool hasExit() const { return HasExit; }

private:
  bool endsTheProgram(const llvm::BasicBlock &Exit) const;
  bool countsToConstant() const;
  bool walksThroughMemory() const;
  bool walks(const llvm::Value *Pointer) const;
  bool isCounter(const llvm::Value *V) const;
  bool inEveryIteration(const llvm::BasicBlock &B) const;
  void feedByEverything();
  void follow(const llvm::Value *V);
  void followConditions();
  void followStores(const llvm::Value *Pointer);
  void followCalls();
  void visit(const llvm::Instruction &I);
  void visitLoad(const llvm::Instruction &I, const llvm::Value *Pointer);
  void visitCall(const llvm::CallBase &Call);
  void mark(const llvm::Instruction &I) { Feeders.insert(&I); }

  const llvm::Cycle &Loop;
  const llvm::DominatorTree &Dominators;
  const ModuleSymbols &Symbols;
  PrivateMemory &Private;
  llvm::SmallVector<const llvm::BasicBlock *, 2> Latches;
  llvm::SmallPtrSet<const llvm::Instruction *, 16> Feeders, Seen;
  std::vector<const llvm::Instruction *> Work;
  bool HasExit = true, ConditionsFollowed = false, CallsFollowed = false;
};

} // namespace picket
