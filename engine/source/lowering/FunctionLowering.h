// Lowers one LLVM function to bytecode. The class is spread over several files by subject:
//   FunctionLowering.cpp    blocks, edges, values
//   ArithmeticLowering.cpp  integers, floats, casts, selections, aggregates, vectors
//   WideConversions.cpp     between floats and integers of more than 64 bits
//   MemoryLowering.cpp      allocas, addresses, loads, stores, atomics
//   CopyLowering.cpp        memcpy, memmove, memset
//   CallLowering.cpp        calls, builtins, inline assembly
//   AtomicLibrary.cpp       the __atomic_* functions
//   IntrinsicLowering.cpp   LLVM's intrinsics
//
// It is large because it has a method for each kind of LLVM instruction; what these share is apart (LoweringContext).
#pragma once

#include "source/lowering/CodeBuilder.h"
#include "source/lowering/ConstantLowering.h"
#include "source/lowering/ModuleSymbols.h"
#include "source/lowering/RetryLoops.h"
#include "source/lowering/SpinLoops.h"
#include "source/lowering/ValueTypes.h"
#include "source/naming/SourceNaming.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace picket {

/// What the functions of a module share while they are lowered.
struct LoweringContext {
  LoweringContext(const llvm::Module &M, Program &Prog, const std::string &ModelsFile, const SourceFacts &Facts)
      : Prog(Prog), Tables(Prog), Sources(Prog, ModelsFile, Facts), Symbols(M, Prog, Tables, Sources),
        Constants(Symbols) {}
  Program &Prog;
  ProgramTables Tables;
  SourceMap Sources;
  ModuleSymbols Symbols;
  ConstantLowering Constants;
  LocalSites Locals;
};

class FunctionLowering {
public:
  FunctionLowering(const llvm::Function &Func, LoweringContext &Context);

  /// Appends the function's code to the Program and completes its entry in Program::Functions.
  void run();

private:
  /// One operand per leaf of a value's type.
  using Parts = llvm::SmallVector<Operand, 2>;
  struct Pointer {
    Operand Base;
    int64_t Offset;
  };
  struct Chunk {
    uint64_t Offset;
    unsigned Bytes; // 1..8
  };

  // Blocks and edges.
  void lowerParameters();
  void lowerBlock(const llvm::BasicBlock &Block);
  void lowerInstruction(const llvm::Instruction &I);
  void lowerTerminator(const llvm::Instruction &I);
  void lowerReturn(const llvm::ReturnInst &I);
  void lowerSwitch(const llvm::SwitchInst &I);
  bool onlyStoresExpected(const llvm::BranchInst &Branch) const;
  BlockId edge(const llvm::BasicBlock &To);
  void emitEdge(const llvm::BasicBlock &To);
  void emitCopies(const llvm::BasicBlock &To);
  const llvm::Value *branchCondition(const llvm::Value *V, bool &Negated) const;
  bool isDead(const llvm::Instruction &I) const;
  void setLocation(const llvm::Instruction &I);

  // Values.
  Parts valueOf(const llvm::Value &V);
  Operand scalar(const llvm::Value &V) { return valueOf(V)[0]; }
  Parts constantParts(const llvm::Constant &C);
  void define(const llvm::Value &V, Parts P) { Values[&V] = std::move(P); }
  void define(const llvm::Value &V, Operand O) { Values[&V] = Parts{O}; }
  Parts newParts(llvm::Type *T);
  Leaves leavesOf(llvm::Type *T) const;
  unsigned bitsOf(const llvm::Value &V) const;
  /// Ends the execution here: `What` is not modelled. The instruction's result, if any, is zero.
  void refuse(const llvm::Instruction &I, const std::string &What);
  void defineZero(const llvm::Instruction &I);

  // ArithmeticLowering.cpp
  void lowerBinary(const llvm::BinaryOperator &I);
  void lowerCompare(const llvm::CmpInst &I);
  Operand compare(llvm::CmpInst::Predicate Predicate, unsigned Bits, Operand A, Operand B);
  void lowerCast(const llvm::CastInst &I);
  void lowerIntegerCast(const llvm::CastInst &I, unsigned From, unsigned To);
  Operand wideToFloat(Operand Value, unsigned Bits, bool Signed, unsigned FloatBits); // WideConversions.cpp
  Operand floatToWide(Operand Value, unsigned FloatBits, bool Signed, unsigned Bits);
  std::optional<Operand> byHalves(Opcode Op, unsigned Bits, Operand L, Operand R); // WideHalves.cpp
  Operand halfOf(Opcode Op, Operand L, Operand R);
  Operand shiftHalves(bool Left, Operand Value, unsigned Amount);
  void lowerSelect(const llvm::SelectInst &I);
  void lowerExtractValue(const llvm::ExtractValueInst &I);
  void lowerInsertValue(const llvm::InsertValueInst &I);
  void lowerVector(const llvm::Instruction &I);
  Operand extractElement(Operand Vector, unsigned ElementBits, unsigned Index);
  Operand insertElement(Operand Vector, unsigned VectorBits, Operand Element, unsigned ElementBits, unsigned Index);

  // MemoryLowering.cpp
  void lowerAlloca(const llvm::AllocaInst &I);
  void lowerLifetime(const llvm::CallBase &Marker);
  void lowerAddress(const llvm::GetElementPtrInst &I);
  Pointer pointer(const llvm::Value &V);
  void lowerLoad(const llvm::LoadInst &I);
  void lowerStore(const llvm::StoreInst &I);
  void lowerRmw(const llvm::AtomicRMWInst &I);
  void lowerCmpXchg(const llvm::AtomicCmpXchgInst &I);
  void lowerFence(const llvm::FenceInst &I);
  void emitFence(const llvm::Instruction &I, FenceKind Kind);
  Operand loadLeaf(const Leaf &L, Pointer From, uint8_t Flags, int32_t Feeds);
  void storeLeaf(const Leaf &L, Pointer To, Operand Value, uint8_t Flags);
  /// One access of up to 16 bytes. The value takes as many slots as slotsOf says.
  Operand load(unsigned Bytes, Pointer From, uint8_t Flags, int32_t Feeds);
  void store(unsigned Bytes, Pointer To, Operand Value, uint8_t Flags);
  static unsigned slotsOf(unsigned Bytes) { return Bytes > 8 ? 2 : 1; }
  Operand loadPlain(unsigned Bytes, Pointer From, uint8_t Flags, int32_t Feeds);
  void storePlain(unsigned Bytes, Pointer To, Operand Value, uint8_t Flags);
  uint8_t accessFlags(const llvm::Instruction &I, Order O) const;
  Operand allocate(uint64_t ElementSize, Operand Count);

  // CopyLowering.cpp
  static constexpr uint64_t MaxUnrolledBytes = 128; // larger blocks are copied by a loop
  void lowerCopy(const llvm::CallBase &Call, bool MayOverlap);
  void lowerSet(const llvm::CallBase &Call);
  void copyConstant(Pointer To, Pointer From, const std::vector<Chunk> &Chunks, bool MayOverlap, uint8_t Flags,
                    int32_t Feeds);
  void copyLoop(Operand To, Operand From, Operand Size, bool Backwards, uint8_t Flags, int32_t Feeds);
  std::vector<Chunk> chunksOf(llvm::ArrayRef<const llvm::Value *> Objects, uint64_t Size, uint64_t Alignment) const;
  bool typedChunks(const llvm::Value *Object, uint64_t Size, std::vector<Chunk> &Chunks) const;

  // CallLowering.cpp
  void lowerCall(const llvm::CallBase &I);
  void lowerAssembly(const llvm::CallBase &I);
  void lowerBuiltin(const llvm::CallBase &I, Builtin Which);
  void lowerDirectCall(const llvm::CallBase &I, const llvm::Function &Target);
  void lowerInPlace(const llvm::CallBase &I, Inlined How);
  bool lowerOutput(const llvm::CallBase &I, llvm::StringRef Name);
  void emitCall(const llvm::CallBase &I, Instruction Call, std::vector<Operand> Arguments, uint8_t Flags = 0);
  void appendArgument(const llvm::Value &V, std::vector<Operand> &Arguments);
  void callBuiltin(Builtin Which);
  bool refuseTypes(const llvm::Instruction &I);

  // AtomicLibrary.cpp
  void lowerAtomicLibrary(const llvm::CallBase &I);
  void lowerAtomicCompareExchange(const llvm::CallBase &I, unsigned Bytes, bool Sized, unsigned First);

  // IntrinsicLowering.cpp
  void lowerIntrinsic(const llvm::CallBase &I);
  bool lowerIntegerIntrinsic(const llvm::CallBase &I, unsigned Id);
  bool lowerFloatIntrinsic(const llvm::CallBase &I, unsigned Id);
  bool lowerOverflow(const llvm::CallBase &I, unsigned Id);
  bool lowerBitCount(const llvm::CallBase &I, unsigned Id);
  Operand funnelShift(bool Left, unsigned Bits, Operand A, Operand B, Operand Amount);

  const llvm::Function &Func;
  LoweringContext &Context;
  const llvm::DataLayout &Layout;
  VirtualCode Code;
  CodeBuilder Builder;
  LoopPlan Plan;
  RetryLoops Retries;
  llvm::DenseMap<const llvm::Value *, Parts> Values;
  llvm::DenseMap<const llvm::Value *, Pointer> FoldedAddresses; // base and offset, where only accesses use them
  llvm::DenseMap<const llvm::BasicBlock *, BlockId> Blocks;
  const llvm::BasicBlock *CurrentBlock = nullptr;
  std::vector<Operand> LoopSlots;  // per fed loop: its counters
  std::vector<uint32_t> LoopIndex; // per fed loop: index into Program::Loops
  uint32_t FunctionLocation = 0;
  bool IsAtomicSection = false; // an SV-COMP __VERIFIER_atomic_ function
};

Order orderOf(llvm::AtomicOrdering O);

} // namespace picket
