#include "source/lowering/SpinLoops.h"

#include "source/assembly/Barriers.h"
#include "source/assembly/ReplacedAssembly.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

using namespace llvm;

namespace picket {

LoopPlan::LoopPlan(const llvm::Function &F, const ModuleSymbols &Symbols) : Symbols(Symbols) {
  // LLVM's analyses ask for a function they could change, and leave it as it is.
  auto &Mutable = const_cast<llvm::Function &>(F);
  Cycles.compute(Mutable);
  if (Cycles.toplevel_begin() == Cycles.toplevel_end())
    return;
  DominatorTree Dominators(Mutable);
  PrivateMemory Private;
  SmallVector<const Cycle *, 8> Pending;
  for (const Cycle *C : Cycles.toplevel_cycles())
    Pending.push_back(C);
  while (!Pending.empty()) {
    const Cycle *C = Pending.pop_back_val();
    plan(*C, Dominators, Private);
    for (const Cycle *Child : C->children())
      Pending.push_back(Child);
  }
}

void LoopPlan::plan(const Cycle &Loop, const DominatorTree &Dominators, PrivateMemory &Private) {
  LoopFeeders Fed(Loop, Dominators, Symbols, Private);
  std::vector<const llvm::Instruction *> Feeders = Fed.find();
  if (Feeders.empty() && Fed.hasExit())
    return;
  unsigned Bit = std::min<unsigned>(Loops.size(), 31);
  IndexOf[&Loop] = static_cast<unsigned>(Loops.size());
  int Outer = -1;
  for (const Cycle *C = Loop.getParentCycle(); C && Outer < 0; C = C->getParentCycle())
    if (auto It = IndexOf.find(C); It != IndexOf.end())
      Outer = static_cast<int>(It->second);
  Loops.push_back({&Loop, Bit, isSpinCandidate(Loop), readsMemory(Loop), Fed.hasExit(), Outer, {}});
  if (!Loops.back().SpinCandidate) // whose iterations carry nothing
    Loops.back().Carried = Fed.carried();
  for (const llvm::Instruction *I : Feeders)
    Feeds[I] |= 1u << Bit;
  if (Loops.back().SpinCandidate)
    for (const BasicBlock *B : Loop.blocks())
      SpinBlocks.insert(B);
}

static bool isSchedulingHint(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases({"sched_yield", "pthread_yield", "thrd_yield", "usleep", "sleep"}, true)
      .Cases({"nanosleep", "clock_nanosleep", "thrd_sleep"}, true)
      .Default(false);
}

/// `x++` always leaves something else than it found.
static bool alwaysChanges(const AtomicRMWInst &I) {
  auto *Operand = dyn_cast<ConstantInt>(I.getValOperand());
  return (I.getOperation() == AtomicRMWInst::Add || I.getOperation() == AtomicRMWInst::Sub) && Operand &&
         !Operand->isZero();
}

/// May stand in a spin loop. Read-modify-writes may: whether they changed something is seen when they run.
bool LoopPlan::isHarmless(const llvm::Instruction &I) const {
  if (auto *Rmw = dyn_cast<AtomicRMWInst>(&I))
    return !alwaysChanges(*Rmw);
  if (isa<LoadInst, AtomicCmpXchgInst, FenceInst>(I))
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return !I.mayWriteToMemory() && !isa<AllocaInst>(I);
  Callee C = Symbols.resolve(*Call);
  switch (C.Kind) {
  case Callee::Assembly:
    return !refusalOfAssembly(*Call)
               ? readBarriers(cast<InlineAsm>(Call->getCalledOperand())->getAsmString()).has_value()
               : isUnusedUnknown(*Call);
  case Callee::Builtin: return C.What == Builtin::Ignore && isSchedulingHint(C.Target->getName());
  case Callee::Intrinsic: return !isa<MemIntrinsic>(Call) && !isa<VAStartInst, VACopyInst>(Call);
  default: return false;
  }
}

bool LoopPlan::readsMemory(const Cycle &Loop) {
  return any_of(Loop.blocks(), [](const BasicBlock *B) {
    return any_of(*B, [](const llvm::Instruction &I) { return isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(I); });
  });
}

bool LoopPlan::isSpinCandidate(const Cycle &Loop) const {
  if (!Loop.isReducible())
    return false;
  for (const BasicBlock *B : Loop.blocks())
    for (const llvm::Instruction &I : *B)
      if (!isHarmless(I))
        return false;
  // Nothing an iteration computes may reach the next one, except what was there on entry already.
  for (const PHINode &Phi : Loop.getHeader()->phis()) {
    if (Phi.use_empty())
      continue;
    const Value *Entry = nullptr;
    for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I)
      if (!Loop.contains(Phi.getIncomingBlock(I))) {
        if (Entry && Entry != Phi.getIncomingValue(I))
          Entry = &Phi; // several: no single value to compare with
        else
          Entry = Phi.getIncomingValue(I);
      }
    for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
      const Value *V = Phi.getIncomingValue(I);
      if (Loop.contains(Phi.getIncomingBlock(I)) && V != &Phi && V != Entry)
        return false;
    }
  }
  return true;
}

int LoopPlan::backEdge(const BasicBlock &From, const BasicBlock &To) const {
  for (const Cycle *C = Cycles.getCycle(&To); C; C = C->getParentCycle())
    if (C->getHeader() == &To && C->contains(&From)) {
      auto It = IndexOf.find(C);
      return It == IndexOf.end() ? -1 : static_cast<int>(It->second);
    }
  return -1;
}

SmallVector<unsigned, 2> LoopPlan::entered(const BasicBlock &From, const BasicBlock &To) const {
  SmallVector<unsigned, 2> Found;
  for (const Cycle *C = Cycles.getCycle(&To); C && !C->contains(&From); C = C->getParentCycle())
    if (auto It = IndexOf.find(C); It != IndexOf.end())
      Found.insert(Found.begin(), It->second);
  return Found;
}

SmallVector<unsigned, 2> LoopPlan::left(const BasicBlock &From, const BasicBlock &To) const {
  SmallVector<unsigned, 2> Found;
  for (const Cycle *C = Cycles.getCycle(&From); C && !C->contains(&To); C = C->getParentCycle())
    if (auto It = IndexOf.find(C); It != IndexOf.end())
      Found.push_back(It->second);
  return Found;
}

int LoopPlan::spinHeader(const BasicBlock &B) const {
  for (const Cycle *C = Cycles.getCycle(&B); C; C = C->getParentCycle())
    if (C->getHeader() == &B)
      if (auto It = IndexOf.find(C); It != IndexOf.end() && Loops[It->second].SpinCandidate)
        return static_cast<int>(It->second);
  return -1;
}

const DILocation *LoopPlan::startOf(const Cycle &Loop) {
  for (const BasicBlock *Latch : predecessors(Loop.getHeader())) {
    const MDNode *Tag = Loop.contains(Latch) ? Latch->getTerminator()->getMetadata(LLVMContext::MD_loop) : nullptr;
    for (unsigned I = 1; Tag && I < Tag->getNumOperands(); ++I)
      if (auto *Start = dyn_cast<DILocation>(Tag->getOperand(I)); Start && Start->getLine())
        return Start;
  }
  // What was inlined into the loop is not where it begins.
  auto Depth = [](const DILocation *Where) {
    unsigned Calls = 0;
    for (; (Where = Where->getInlinedAt()); ++Calls) {
    }
    return Calls;
  };
  const DILocation *First = nullptr;
  for (const BasicBlock *B : Loop.blocks()) // the header comes first
    for (const llvm::Instruction &I : *B)
      if (const DILocation *Where = I.getDebugLoc(); Where && Where->getLine())
        if (!First || Depth(Where) < Depth(First))
          First = Where;
  return First;
}

} // namespace picket
