// Turns one statement of inline assembly into ordinary LLVM instructions. The class is spread over several files by subject:
//   AssemblyStatement.cpp     the statement's operands, jumps, results
//   AssemblyValues.cpp        registers, addresses, loads and stores as LLVM values
//   AssemblyInstructions.cpp  what each instruction means
//   AssemblyArithmetic.cpp    arithmetic, comparisons, flags, jumps
//   AssemblyAccesses.cpp      memory: accesses, atomic updates
//   AssemblyExclusives.cpp    loads and stores that are exclusive, or reserve
#pragma once

#include "source/assembly/AssemblyOperands.h"
#include "source/assembly/AssemblyState.h"
#include "source/assembly/AssemblyTable.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

#include <map>

namespace picket {

class AssemblyStatement {
public:
  AssemblyStatement(llvm::CallInst &Call, Architecture For);

  /// Replaces the call. Throws AssemblyRefused and leaves the function as it was, if something is not modelled.
  void replace();

private:
  /// An operand of the statement.
  struct Slot {
    bool IsMemory = false, IsInput = false;
    llvm::Value *Pointer = nullptr;
    unsigned Register = 0, SecondRegister = 0;
    unsigned Bits = 64; // of the type; of each half, if there are two
    std::string Condition;
    llvm::Type *Type = nullptr; // of an output that is a result of the call
  };
  struct Line : AssemblyLine {
    std::optional<AssemblyForm> Form; // none behind the last label
    std::vector<AssemblyOperand> Parsed;
    int JumpsTo = -1;
  };
  /// From a load-exclusive to the jump back after a store-exclusive.
  struct Exclusive {
    size_t Load = 0, Store = 0, Retry = 0; // lines
    bool Waits = false;                    // POWER: an isync follows
    llvm::Value *Pointer = nullptr;
    llvm::Type *Type = nullptr;
    llvm::LoadInst *Placeholder = nullptr;
    llvm::Instruction *Old = nullptr; // stands for what is read
    std::vector<llvm::BranchInst *> Exits;
    bool HasOtherAccesses = false;
  };

  // AssemblyStatement.cpp
  void readLines();
  void nameNumberedRegisters(Line &L);
  void findJumps();
  int lineOfLabel(llvm::StringRef Name, size_t From) const;
  void readOperands();
  unsigned registerNumber(const std::string &Name);
  void setInput(Slot &S, llvm::Value &V);
  void emit();
  void jump(llvm::Value *Condition, int To);
  std::vector<llvm::Value *> results();
  void replaceUses(llvm::ArrayRef<llvm::Value *> Results);
  llvm::Value *resultOf(const Slot &S);
  bool isOpen() const { return Builder.GetInsertBlock()->getTerminator() == nullptr; }
  AssemblyLabel &label(int Line);

  // AssemblyValues.cpp
  unsigned registerOf(const AssemblyRegister &R) const;
  unsigned bitsOf(const AssemblyRegister &R) const;
  AssemblyValue read(const AssemblyRegister &R, unsigned Bits);
  AssemblyValue read(const AssemblyOperand &O, unsigned Bits);
  llvm::Value *lowerBits(llvm::Value *V, unsigned Bits);
  llvm::Value *known(const AssemblyValue &V, unsigned Bits) const;
  llvm::Value *readKnown(const AssemblyOperand &O, unsigned Bits) { return known(read(O, Bits), Bits); }
  void write(const AssemblyRegister &R, AssemblyValue V, unsigned Bits);
  void write(const AssemblyOperand &O, AssemblyValue V, unsigned Bits);
  llvm::Value *address(const AssemblyOperand &O);
  llvm::Value *pointerIn(const AssemblyRegister &R);
  llvm::LoadInst *load(llvm::Value *Pointer, unsigned Bits, Order Ordering);
  void store(llvm::Value *Pointer, llvm::Value *V, Order Ordering);
  llvm::CallInst *unknown(llvm::Type *T, const std::string &What);
  void fence(FenceKind Kind);

  // AssemblyInstructions.cpp
  void execute(size_t Number);
  void executeUnknowable(const Line &L);
  unsigned widthOf(const Line &L) const;
  static void need(const Line &L, size_t NumOperands);

  // AssemblyArithmetic.cpp
  void executeUnary(const Line &L, unsigned Bits);
  void executeBinary(const Line &L, unsigned Bits);
  void executeCompare(const Line &L);
  void executeSet(const Line &L);
  void executeBranch(const Line &L);
  llvm::Value *arithmetic(BinaryOp Op, llvm::Value *A, llvm::Value *B);
  void setFlags(BinaryOp Op, llvm::Value *A, llvm::Value *B, llvm::Value *Result, unsigned Set = 0);
  void setComparison(llvm::Value *A, llvm::Value *B, bool Unsigned, unsigned Set);
  unsigned takeFlagSet(std::vector<AssemblyOperand> &Operands) const;
  llvm::Value *condition(llvm::StringRef Name, unsigned Set = 0);

  // AssemblyAccesses.cpp
  void executeAccess(const Line &L);
  void executeExchange(const Line &L, unsigned Bits);
  void executeCompareExchange(const Line &L, unsigned Bits);
  void executePair(const Line &L);
  void executeBits(const Line &L, unsigned Bits);
  void executeUpdate(const Line &L);
  void executeCompareSwap(const Line &L);
  AssemblyOperand memoryOf(const Line &L, size_t First) const;
  llvm::Value *updateMemory(const Line &L, const AssemblyOperand &Where, BinaryOp Op, llvm::Value *With);
  llvm::Value *updateInLoop(llvm::Value *Pointer, llvm::Type *T, llvm::function_ref<llvm::Value *(llvm::Value *)> New);

  // AssemblyExclusives.cpp
  void findExclusives();
  bool isRetry(const Line &Jump, const Line &Store, size_t Load) const;
  void loadExclusive(const Line &L, Exclusive *Loop);
  void storeExclusive(const Line &L, Exclusive *Loop);
  bool makeUpdate(Exclusive &Loop, llvm::Value *New, Order Ordering);
  bool makeCompareExchange(Exclusive &Loop, llvm::Value *New, Order Ordering, Order Failure);
  void putAfter(Exclusive &Loop, llvm::Instruction *Made, llvm::Value *Old);

  llvm::CallInst &Call;
  const llvm::InlineAsm &Asm;
  Architecture For;
  llvm::IRBuilder<> Builder;
  std::vector<Line> Lines;
  std::vector<Slot> Slots;
  std::vector<std::string> RegisterNames; // empty: of an operand
  std::vector<bool> MayChange;            // per register
  AssemblyState State;
  std::map<int, AssemblyLabel> Labels;
  std::map<int, bool> ComesBack; // lines that are jumped to: from behind?
  std::vector<Exclusive> Exclusives;
  Exclusive *Current = nullptr; // whose load was met, and whose store was not
  bool UsesFlags = false;
};

/// Marks of instructions that stand for assembly.
namespace assemblymarks {
constexpr llvm::StringLiteral Unknown = "picket.unknown";     // a call: its result is not known, for this reason
constexpr llvm::StringLiteral Refused = "picket.refused";     // a call that is not modelled, for this reason
constexpr llvm::StringLiteral WeakAcquire = "picket.ldapr";   // a load
constexpr llvm::StringLiteral NoResult = "picket.noresult";   // an update: Arm's form that returns nothing
constexpr llvm::StringLiteral Exclusive = "picket.exclusive"; // an update: Arm's loop of an exclusive load and store
constexpr llvm::StringLiteral Single = "picket.single";       // an update: one instruction of Arm
void set(llvm::Instruction &I, llvm::StringRef Mark);
} // namespace assemblymarks

llvm::AtomicOrdering llvmOrder(Order Ordering);

} // namespace picket
