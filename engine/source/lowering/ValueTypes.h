// Maps LLVM's first-class types to slots: an aggregate is the row of its scalars ("leaves"), each in a slot of its
// own; an integer of more than 64 bits takes two; a small vector is one integer with the elements packed.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Type.h"

#include <string>

namespace picket {

struct Leaf {
  llvm::Type *Type;
  uint64_t Offset; // bytes, in memory
  unsigned Bits;   // 1..128
  unsigned Bytes;  // what a load or store of it touches
  bool isWide() const { return Bits > 64; }
};
using Leaves = llvm::SmallVector<Leaf, 2>;

/// The leaves of a type, in order. False if some part of it is not modelled.
bool flatten(llvm::Type *T, const llvm::DataLayout &Layout, Leaves &Found, uint64_t Offset = 0);

bool isModelled(llvm::Type *T, const llvm::DataLayout &Layout);

/// "type 'long double'": what flatten would not take.
std::string describeUnmodelled(llvm::Type *T, const llvm::DataLayout &Layout);

/// Slots of all leaves together.
unsigned countSlots(llvm::Type *T, const llvm::DataLayout &Layout);

/// The first leaf of the element an extractvalue or insertvalue with these indices names.
unsigned leafIndex(llvm::Type *T, llvm::ArrayRef<unsigned> Indices, const llvm::DataLayout &Layout);

} // namespace picket
