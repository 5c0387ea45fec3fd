#include "source/passes/ReadMarks.h"

#include "source/models/Models.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace picket {

static constexpr StringLiteral MarkName = "picket.read";

static bool isStruct(const DIType *T) {
  while (auto *Derived = dyn_cast_if_present<DIDerivedType>(T)) {
    if (Derived->getTag() == dwarf::DW_TAG_pointer_type)
      return false;
    T = Derived->getBaseType();
  }
  return isa_and_present<DICompositeType>(T) && T->getTag() != dwarf::DW_TAG_enumeration_type;
}

/// Whether structs are among what goes into or comes out of a function. They travel as integers, padding included.
static bool passesStructs(const Function *F) {
  if (!F)
    return true;
  const DISubprogram *S = F->getSubprogram();
  return S && S->getType() && any_of(S->getType()->getTypeArray(), [](const DIType *T) { return isStruct(T); });
}

static bool mayBePartOfStruct(const LoadInst &I) {
  return any_of(I.users(), [&](const User *U) {
    if (isa<ReturnInst>(U))
      return passesStructs(I.getFunction());
    auto *Call = dyn_cast<CallBase>(U);
    return Call && passesStructs(Call->getCalledFunction());
  });
}

/// The first store to a bit-field reads its storage unit, to put it back with some bits changed.
static bool isBitFieldUpdate(const LoadInst &I) {
  auto GoesBack = [&](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return Store && Store->getPointerOperand() == I.getPointerOperand();
  };
  return !I.use_empty() && all_of(I.users(), [&](const User *U) {
    auto *Mask = dyn_cast<BinaryOperator>(U);
    if (!Mask || Mask->getOpcode() != Instruction::And || !isa<ConstantInt>(Mask->getOperand(1)))
      return false;
    return all_of(Mask->users(), [&](const User *Masked) {
      auto *Set = dyn_cast<BinaryOperator>(Masked);
      return GoesBack(Masked) || (Set && Set->getOpcode() == Instruction::Or && all_of(Set->users(), GoesBack));
    });
  });
}

/// Whether the address is that of a scalar, as far as it tells.
static bool namesScalar(const Value &Pointer) {
  if (auto *Local = dyn_cast<AllocaInst>(&Pointer))
    return Local->getAllocatedType()->isSingleValueType();
  auto *Address = dyn_cast<GEPOperator>(&Pointer);
  if (!Address)
    return true;
  auto *Struct = dyn_cast<StructType>(Address->getSourceElementType());
  return (!Struct || !Struct->isLiteral()) && Address->getResultElementType()->isSingleValueType();
}

static bool isRead(const Instruction &I) {
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return true;
  auto *Load = dyn_cast<LoadInst>(&I);
  return Load && (Load->getType()->isIntOrPtrTy() || Load->getType()->isFloatingPointTy()) &&
         namesScalar(*Load->getPointerOperand()) && !mayBePartOfStruct(*Load) && !isBitFieldUpdate(*Load);
}

void markReads(Module &M) {
  MDNode *Mark = MDNode::get(M.getContext(), {});
  for (Function &F : M) {
    const DISubprogram *S = F.getSubprogram();
    if (!S || S->getFilename() == StringRef(modelsFileName()))
      continue;
    for (Instruction &I : instructions(F))
      if (isRead(I))
        I.setMetadata(MarkName, Mark);
  }
}

bool isMarkedRead(const Instruction &I) { return I.hasMetadata(MarkName); }

} // namespace picket
