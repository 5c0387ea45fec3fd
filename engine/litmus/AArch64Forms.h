// Decodes the names of AArch64 instructions.
#pragma once

#include "litmus/LitmusInstructions.h"

namespace picket {

/// An instruction that accesses memory.
struct AArch64Form {
  enum Kind : uint8_t {
    Plain,      // LDR, STR
    Ordered,    // LDAR, LDAPR, STLR
    Exclusive,  // LDXR, LDAXR, STXR, STLXR
    Update,     // SWP, LDADD and the like, STADD and the like
    CompareSwap // CAS
  };
  Kind What;
  bool Loads; // it has a result
  Order Ordering = Order::NotAtomic;
  uint8_t Narrow = 0; // bytes, if the register does not say it
  RmwOp Op = RmwOp::Xchg;
  bool Clears = false; // Op gets the complement of the operand

  static std::string nameOf(const LitmusInstruction &I);
  /// By the name in small letters.
  static std::optional<AArch64Form> of(std::string_view Name);

  size_t numOperands() const { return What == CompareSwap || (What == Update && Loads) || isStoreExclusive() ? 3 : 2; }
  /// The operand whose register says how many bytes are accessed.
  size_t dataOperand() const { return isStoreExclusive() ? 1 : 0; }
  /// Flags of the bytecode. A read whose result goes nowhere does not acquire.
  uint8_t flags(bool Unused) const;

  /// "[X1,W2,SXTW]": X1, W2 and SXTW. At least one.
  static std::vector<std::string> partsOfAddress(std::string_view Text, uint32_t Line);

private:
  bool isStoreExclusive() const { return What == Exclusive && !Loads; }
};

/// EQ, LT and the like: what a comparison must have left.
struct AArch64Condition {
  LitmusFlag Flag;
  bool Set;
  static std::optional<AArch64Condition> named(std::string_view Name); // in small letters
};

} // namespace picket
