// Finds the loops of a function that other threads can keep going or that have no end, and those that only spin.
#pragma once

#include "source/lowering/LoopFeeders.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CycleInfo.h"

namespace picket {

struct FedLoop {
  const llvm::Cycle *Where;
  unsigned Bit; // 0..31; from the 32nd fed loop of a function on they share bit 31
  /// An iteration that changes nothing leaves everything as it was: no stores, no calls, no value carried over. Then
  /// the loop can wait instead of going round.
  bool SpinCandidate;
  bool ReadsMemory;
  bool HasExit;
  int Outer;                                  // index of the fed loop in which it is, or -1
  std::vector<const llvm::PHINode *> Carried; // what an iteration leaves to the next and decides when the loop ends
};

/// All cycles count, irreducible ones too: each has a header, and every way round passes an edge into one.
class LoopPlan {
public:
  LoopPlan(const llvm::Function &F, const ModuleSymbols &Symbols);

  const std::vector<FedLoop> &loops() const { return Loops; }

  /// Bits of the loops whose exit the result of `I` decides.
  uint32_t fedBy(const llvm::Instruction &I) const { return Feeds.lookup(&I); }
  bool inSpinCandidate(const llvm::BasicBlock &B) const { return SpinBlocks.contains(&B); }

  /// The fed loop whose back edge this is, or -1.
  int backEdge(const llvm::BasicBlock &From, const llvm::BasicBlock &To) const;
  /// The fed loops an edge enters, outermost first.
  llvm::SmallVector<unsigned, 2> entered(const llvm::BasicBlock &From, const llvm::BasicBlock &To) const;
  /// The fed loops an edge leaves, innermost first.
  llvm::SmallVector<unsigned, 2> left(const llvm::BasicBlock &From, const llvm::BasicBlock &To) const;
  /// The spin candidate with this header, or -1.
  int spinHeader(const llvm::BasicBlock &B) const;

  /// Where the loop starts in the text; null if unknown.
  static const llvm::DILocation *startOf(const llvm::Cycle &Loop);

private:
  void plan(const llvm::Cycle &Loop, const llvm::DominatorTree &Dominators, PrivateMemory &Private);
  bool isSpinCandidate(const llvm::Cycle &Loop) const;
  static bool readsMemory(const llvm::Cycle &Loop);
  bool isHarmless(const llvm::Instruction &I) const;

  const ModuleSymbols &Symbols;
  llvm::CycleInfo Cycles;
  std::vector<FedLoop> Loops;
  llvm::DenseMap<const llvm::Cycle *, unsigned> IndexOf;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> Feeds;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> SpinBlocks;
};

} // namespace picket
