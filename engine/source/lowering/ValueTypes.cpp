#include "source/lowering/ValueTypes.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace picket {

static bool isScalar(Type *T, const DataLayout &Layout) {
  if (T->isIntegerTy())
    return T->getIntegerBitWidth() <= 128;
  if (auto *V = dyn_cast<FixedVectorType>(T))
    return isScalar(V->getElementType(), Layout) && Layout.getTypeSizeInBits(T).getFixedValue() <= 64;
  return T->isFloatTy() || T->isDoubleTy() || T->isPointerTy();
}

bool flatten(Type *T, const DataLayout &Layout, Leaves &Found, uint64_t Offset) {
  if (T->isVoidTy())
    return true;
  if (auto *S = dyn_cast<StructType>(T)) {
    if (S->isOpaque())
      return false;
    const StructLayout *Fields = Layout.getStructLayout(S);
    for (unsigned I = 0; I < S->getNumElements(); ++I)
      if (!flatten(S->getElementType(I), Layout, Found, Offset + Fields->getElementOffset(I)))
        return false;
    return true;
  }
  if (auto *A = dyn_cast<ArrayType>(T)) {
    uint64_t Stride = Layout.getTypeAllocSize(A->getElementType()).getFixedValue();
    for (uint64_t I = 0; I < A->getNumElements(); ++I)
      if (!flatten(A->getElementType(), Layout, Found, Offset + I * Stride))
        return false;
    return true;
  }
  if (!isScalar(T, Layout))
    return false;
  Found.push_back({T, Offset, static_cast<unsigned>(Layout.getTypeSizeInBits(T).getFixedValue()),
                   static_cast<unsigned>(Layout.getTypeStoreSize(T).getFixedValue())});
  return true;
}

bool isModelled(Type *T, const DataLayout &Layout) {
  if (T->isVoidTy() || isScalar(T, Layout))
    return true;
  Leaves Ignored;
  return T->isAggregateType() && flatten(T, Layout, Ignored);
}

static Type *firstUnmodelled(Type *T, const DataLayout &Layout) {
  if (auto *S = dyn_cast<StructType>(T)) {
    for (Type *Element : S->elements())
      if (!isModelled(Element, Layout))
        return firstUnmodelled(Element, Layout);
    return T;
  }
  if (auto *A = dyn_cast<ArrayType>(T))
    return firstUnmodelled(A->getElementType(), Layout);
  return T;
}

std::string describeUnmodelled(Type *T, const DataLayout &Layout) {
  T = firstUnmodelled(T, Layout);
  if (T->isX86_FP80Ty())
    return "type 'long double'";
  if (T->isFP128Ty())
    return "type '__float128'";
  if (T->isHalfTy())
    return "type '_Float16'";
  if (T->isBFloatTy())
    return "type '__bf16'";
  if (T->isIntegerTy())
    return "type '_BitInt(" + std::to_string(T->getIntegerBitWidth()) + ")'";
  if (T->isVectorTy())
    return "a vector type";
  std::string Name;
  raw_string_ostream Stream(Name);
  T->print(Stream);
  return "type '" + Name + "'";
}

unsigned countSlots(Type *T, const DataLayout &Layout) {
  Leaves All;
  flatten(T, Layout, All);
  unsigned Slots = 0;
  for (const Leaf &L : All)
    Slots += L.isWide() ? 2 : 1;
  return Slots;
}

static unsigned countLeaves(Type *T, const DataLayout &Layout) {
  Leaves All;
  flatten(T, Layout, All);
  return static_cast<unsigned>(All.size());
}

unsigned leafIndex(Type *T, ArrayRef<unsigned> Indices, const DataLayout &Layout) {
  unsigned First = 0;
  for (unsigned Index : Indices) {
    if (auto *S = dyn_cast<StructType>(T)) {
      for (unsigned I = 0; I < Index; ++I)
        First += countLeaves(S->getElementType(I), Layout);
      T = S->getElementType(Index);
    } else {
      T = cast<ArrayType>(T)->getElementType();
      First += Index * countLeaves(T, Layout);
    }
  }
  return First;
}

} // namespace picket
