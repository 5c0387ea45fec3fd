// What Picket knows of instructions in inline assembly: one table, with a row for each instruction or family of
// instructions. What is not in it is refused by name.
#pragma once

#include "program/Architecture.h"
#include "program/Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace picket {

/// What an instruction does. Operands are named in the order of Arm and POWER, the destination first.
enum class Meaning : uint8_t {
  Nothing,    // a pause, a hint or a prefetch: nothing that another thread could see
  Barrier,    // Detail: FenceKind
  Unknowable, // gives what is not known when checking: the time, the kind of processor
  Move,
  ZeroExtend, // from Bytes
  SignExtend, // from Bytes
  MoveIf,     // under a condition
  Address,    // the address of a memory operand
  Unary,      // Detail: UnaryOp
  Binary,     // Detail: BinaryOp. Of x86 with memory: in memory, atomically with the prefix `lock`
  Compare,
  CompareUnsigned,
  CompareNegative, // with the second operand negated
  Test,            // the conjunction of both, with zero
  Set,             // a condition as a number
  Branch,          // always, or under a condition
  BranchIfZero,    // Detail: 1 if not zero
  BranchIfBit,     // Detail: 1 if the bit is set
  Load,
  Store,
  LoadExclusive,
  StoreExclusive,
  // Of x86, on a register or in memory.
  Exchange,
  ExchangeAdd,
  CompareExchange,
  CompareExchangePair, // of two words
  TestBit,             // Detail: BitOp
  // Of Arm.
  Update,      // Detail: RmwOp. And: with the complement of the operand
  CompareSwap, // Detail: 1 for pairs
};

enum class UnaryOp : uint8_t { Not, Negate, Increment, Decrement, ByteSwap };
enum class BinaryOp : uint8_t { Add, Subtract, And, Or, Xor, ShiftLeft, ShiftRight, ShiftRightSigned, Multiply };
enum class BitOp : uint8_t { Keep, Set, Reset, Complement };

/// What follows the name of an instruction.
enum class Suffix : uint8_t {
  None,
  Width,         // b, w, l or q: how wide an access or an operation of x86 is; none if a register says so
  WidthNeeded,   // the same, never left out
  Narrow,        // b or h, for one or two bytes, or nothing
  Order,         // a, l, al or nothing
  OrderNarrow,   // both, in this order
  ReleaseNarrow, // l or nothing, then b, h or nothing
  Condition,     // e, ne, ...
};

struct AssemblyRow {
  Architecture For;
  llvm::StringLiteral Name; // or the whole instruction, where it has no operands that could differ
  Meaning What;
  Suffix Follows = Suffix::None;
  uint8_t Detail = 0;
  Order Ordering = Order::NotAtomic;
  uint8_t Bytes = 0; // of an access or a value, if the name says it
  // Of arithmetic.
  bool Swaps = false;         // the second operand comes first
  bool InvertsSecond = false; // the complement of the second operand is taken
  bool InvertsResult = false;
  bool SetsFlags = false; // Arm and POWER; those of x86 do so unless they are Moves
  bool Lockable = false;  // may have the prefix `lock`, or locks without it
};

/// An instruction that was found, with what follows its name.
struct AssemblyForm {
  const AssemblyRow *Row;
  unsigned Bytes; // 0: a register says it
  Order Ordering;
  std::string Condition; // as the architecture calls it; empty for none
};

llvm::ArrayRef<AssemblyRow> assemblyTable();

/// The row of a mnemonic in lower case.
std::optional<AssemblyForm> findAssembly(Architecture For, llvm::StringRef Mnemonic);

/// The row of an instruction that is in the table with its operands: `dmb ish`, `or 27,27,27`. Barriers and pauses are found
/// whatever the architecture is: Clang passes on text that it does not know.
const AssemblyRow *findWholeInstruction(llvm::StringRef Instruction);

} // namespace picket
