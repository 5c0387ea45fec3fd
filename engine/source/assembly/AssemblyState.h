// Registers and flags in the middle of a statement of inline assembly, as LLVM values.
#pragma once

#include "source/assembly/AssemblyText.h"

#include "llvm/IR/IRBuilder.h"

#include <array>
#include <optional>

namespace picket {

/// A value, of which only the lower bits may be known: those above an operand's type are not.
struct AssemblyValue {
  llvm::Value *V = nullptr;
  unsigned Known = 0;
  llvm::Value *Pointer = nullptr; // what it was made from, if it was a pointer
};

/// Conditions (i1), null where they are not known.
struct AssemblyFlags {
  llvm::Value *Zero = nullptr;     // equal
  llvm::Value *Lower = nullptr;    // unsigned; x86's carry
  llvm::Value *Less = nullptr;     // signed
  llvm::Value *Negative = nullptr; // the sign of the result
};

struct AssemblyState {
  std::vector<AssemblyValue> Registers; // of 64 bits
  std::array<AssemblyFlags, 8> Flags;   // POWER has eight sets of them, others one
};

/// What a condition says of flags. Refused if they are not known.
llvm::Value *conditionOf(llvm::IRBuilderBase &Builder, Architecture For, llvm::StringRef Name,
                         const AssemblyFlags &Flags);

/// A place in the statement that is jumped to.
class AssemblyLabel {
public:
  AssemblyLabel(llvm::Function &F, bool ComesBack);

  llvm::BasicBlock *block() const { return Block; }
  /// Another way to it.
  void arrive(llvm::BasicBlock &From, const AssemblyState &With);
  /// What is known there. MayChange: per register, whether the statement writes to it.
  AssemblyState open(llvm::IRBuilderBase &Builder, const std::vector<bool> &MayChange);

private:
  struct Joined {
    llvm::PHINode *Phi;
    unsigned Register;
    unsigned Known;
  };
  llvm::BasicBlock *Block;
  bool ComesBack; // something after it jumps to it
  bool IsOpen = false;
  std::vector<std::pair<llvm::BasicBlock *, AssemblyState>> Ways;
  std::vector<Joined> Registers;
};

} // namespace picket
