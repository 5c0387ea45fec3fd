// A Program is what the checker runs: flat register bytecode, global objects and a source map.
// No LLVM type appears past this header; all later modules see only Programs.
#pragma once

#include "program/Architecture.h"
#include "program/BrokenPromise.h"
#include "program/Builtin.h"
#include "program/FailurePoints.h"
#include "program/SourceNames.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace picket {

/// Simulated addresses: the upper 32 bits name an object (its slot), the lower 32 an offset in it. Slot 0 is
/// the null page. Global i lives in slot i + 1. Functions have addresses of their own.
/// Offsets count from where the slot begins, which is not 0: programs look at the lower half of addresses too, and the
/// first byte of an object is not null there. It is a multiple of 64 KiB, so that objects are aligned in whatever way
/// they ask for, and less than 1 GiB, so that the offsets of an object stay in its slot.
using Address = uint64_t;
constexpr uint32_t FirstFunctionSlot = 0x7f000000;

inline uint32_t slotOf(Address A) { return static_cast<uint32_t>(A >> 32); }
inline uint32_t beginOf(uint32_t Slot) { return ((Slot ^ Slot >> 14) & 0x3fff) << 16; }
inline uint32_t offsetOf(Address A) { return static_cast<uint32_t>(A) - beginOf(slotOf(A)); }
inline Address addressOf(uint32_t Slot, uint32_t Offset = 0) {
  return (static_cast<Address>(Slot) << 32) | static_cast<uint32_t>(beginOf(Slot) + Offset);
}
/// Not above any address of the slot, be its offset within an object or not.
inline Address lowestAddress(uint32_t Slot) { return static_cast<Address>(Slot) << 32; }
inline Address globalAddress(uint32_t Global) { return addressOf(Global + 1); }
inline Address functionAddress(uint32_t Function) { return addressOf(FirstFunctionSlot + Function); }

/// Memory orders of atomic accesses and fences, weakest first. Volatile and plain accesses are NotAtomic. AcquirePC is
/// what ARM's LDAPR does: an acquire that an earlier release does not wait for. Other models take it for an acquire.
enum class Order : uint8_t { NotAtomic, Relaxed, AcquirePC, Acquire, Release, AcqRel, SeqCst };

/// What a fence orders. CompilerBarrier never reaches the bytecode.
enum class FenceKind : uint8_t {
  Full,       // mfence, sync, __sync_synchronize, atomic_thread_fence(seq_cst), lock-prefixed instructions
  StoreStore, // sfence, stbar, eieio
  Acquire,    // atomic_thread_fence(acquire), lfence
  Release,    // atomic_thread_fence(release)
  AcqRel,     // atomic_thread_fence(acq_rel)
  LwSync,     // POWER's lightweight sync
  ISync,      // POWER's isync
  // ARM's, in litmus tests. DMB with the option SY, ISH, OSH or NSH is Full.
  DmbLd, // the options LD, ISHLD, OSHLD, NSHLD
  DmbSt, // the options ST, ISHST, OSHST, NSHST
  Dsb,   // DSB with the options that make a DMB Full
  DsbLd,
  DsbSt,
  Isb
};

/// What a barrier of ARM is to the other models: a fence they know that orders at least as much.
constexpr FenceKind withoutArm(FenceKind Kind) {
  switch (Kind) {
  case FenceKind::DmbLd:
  case FenceKind::DsbLd: return FenceKind::Acquire;
  case FenceKind::DmbSt: return FenceKind::StoreStore;
  case FenceKind::Dsb:
  case FenceKind::DsbSt: return FenceKind::Full; // DSB ST orders stores before later loads as well
  case FenceKind::Isb: return FenceKind::ISync;
  default: return Kind;
  }
}

enum class RmwOp : uint8_t { Xchg, Add, Sub, And, Nand, Or, Xor, Max, Min, UMax, UMin, FAdd, FSub };

/// Functions of one floating-point number that are exact on every host.
enum class FloatFunction : uint8_t { Sqrt, Floor, Ceil, Truncate, Round, RoundEven };

/// An operand is a frame slot (>= 0) or the constant Program::Constants[~operand] (< 0).
using Operand = int32_t;

/// Integers live zero-extended in 64-bit slots: bits above their width are zero. `Width` is in *bits* for
/// arithmetic and in *bytes* for memory accesses. Pointers are 64-bit integers. Floats are their bit patterns.
/// Integers of 65 to 128 bits take two consecutive slots (low, high; constants likewise: ~A and ~A + 1 in the
/// pool) and go through the Wide opcodes.
enum class Opcode : uint16_t {
  Move,     // Dst = A
  WideMove, // Dst, Dst+1 = A, A+1

  // Dst = A op B on Width bits (1..64).
  Add,
  Sub,
  Mul,
  UDiv,
  SDiv,
  URem,
  SRem,
  Shl,
  LShr,
  AShr,
  And,
  Or,
  Xor,
  Eq,
  Ne,
  ULt,
  ULe,
  SLt,
  SLe,
  // Dst = f(A) on Width bits (1..64; ByteSwap: 16, 32, 48 or 64). Leading and trailing zeros of 0 are Width.
  CountOnes,
  LeadingZeros,
  TrailingZeros,
  ByteSwap,
  // Width = operand bits, 65..128. Flags holds the Opcode (Add..SLe) to apply. B of a shift is wide as well.
  WideBinary,

  Truncate,   // Dst = A cut to Width bits (A narrow, or the low slot of a wide value)
  SignExtend, // Dst = A sign-extended from Width bits to C bits (C <= 64)
  ToWide,     // Dst, Dst+1 = A, sign-extended from Width bits if Flags is 1, else zero-extended; C = result bits

  // Width = 32 or 64.
  FAdd,
  FSub,
  FMul,
  FDiv,
  FRem,
  FNeg,
  FMath, // Dst = f(A), Flags = FloatFunction
  FCmp,  // Flags = llvm::CmpInst::Predicate (FCMP_FALSE = 0 .. FCMP_TRUE = 15)
  FToSI,
  FToUI, // Width = float bits, C = integer bits
  SIToF,
  UIToF, // Width = integer bits, C = float bits
  FExt,
  FTrunc, // float <-> double

  Select,     // Dst = A ? B : C
  WideSelect, // the same for two slots

  Jump,     // to Imm
  CondJump, // A != 0 ? B : C (pcs)
  Switch,   // on A: Program::SwitchTables[Imm]

  AddScaled, // Dst = A + sext(B, Width bits) * Imm: pointer arithmetic

  // Memory. Address = A + Imm. Width in bytes (1..16; values of more than 8 take two slots). Flags = Order, plus
  // InSpinCandidate. D = the loops (bits, see LoopBack) whose exit the value read decides.
  Load,    // Dst = [A + Imm]
  Store,   // [A + Imm] = B
  Rmw,     // Dst = old value; [A] = RmwOp(C) applied to (old, B)
  CmpXchg, // Dst = old value, and in the slot behind it success; expected B, new C. Imm = failure Order
  // POWER's lwarx and stwcx., ARM's exclusive loads and stores (litmus tests only). Width 4 or 8.
  LoadReserve,      // Dst = [A + Imm], which the thread reserves
  StoreConditional, // Dst = 1 if [A + Imm] = B was done, else 0; it may always fail
  Fence,            // C = FenceKind, Flags: InSpinCandidate

  Alloca, // Dst = address of a new object that dies with the frame; size = Imm * A bytes; D = site
  // The lifetime of a local variable within its frame. ScopeEnter of one that has ended makes a new object (Dst, the
  // slot of the Alloca, is its address then), so that pointers to the old one stay wrong.
  ScopeEnter,  // Dst = A
  ScopeLeave,  // the object at A ends
  CopyWritten, // C bytes from B are about to be copied to A: which of them were ever written is copied now
  ThreadLocal, // Dst = address of the running thread's copy of the thread-local global Imm

  // Calls. Arguments: the C operands at Program::Arguments[B..B+C). Dst = -1: no result. Flags = 1: the result is wide.
  // Wide arguments take two consecutive entries. D = the loops whose exit the result decides.
  Call,         // function Imm
  CallIndirect, // the function at address A
  CallBuiltin,  // Builtin Imm. A = site of the allocation, where the builtin allocates
  Return,       // A, if Flags >= 1; Flags == 2: wide. (Flags == 0: no value)

  // Loops whose exit another thread may decide, or that have none (all other loops have plain jumps). Dst names
  // consecutive slots, see LoopSlots.
  LoopInit, // on entry to the loop: its slots = 0
  SpinHead, // first instruction of a spin candidate's header, each iteration: slot Effects = the thread's effect count
  LoopExit, // on a way out of Program::Loops[B]
  LoopNote, // on a back edge: A is carried into the next iteration and decides, with what is read, when the loop ends
  /// The back edge. Program::Loops[B]; bit Imm (0..31) of slot C, the function's FedSlot; jumps to pc A.
  /// The bit is cleared. Past the bound the execution ends as "bound reached", and so it does if an iteration decides
  /// as the one before it did, and the next will.
  LoopBack,
  /// The same for a spin candidate (no stores or calls; every value live around the back edge is unchanged by an
  /// iteration): if the effect count did not change since SpinHead, the iteration left everything as it was, and
  /// the thread waits until its last access would give another value. Otherwise like LoopBack.
  SpinBack,

  FailIf,      // A != 0: signed arithmetic overflows, or a shift is too wide; C = OverflowKind
  Unreachable, // code the compiler was promised is never reached. Imm = BrokenPromise
  Unsupported  // Program::Messages[Imm] names what is not modelled
};

/// What overflows in a FailIf, as Clang's traps number it.
enum class OverflowKind : uint8_t { Add = 0, Divide = 3, Multiply = 12, Negate = 13, Shift = 20, Subtract = 21 };

/// The slots of a loop, from its Dst on.
namespace loopslots {
enum : int32_t {
  Fed,     // iterations in which a read marked with the loop's bit saw something another thread writes
  Total,   // all iterations
  Effects, // spin candidates: the thread's effect count at the loop's head
  // What tells whether an iteration decides as an earlier one did (Interpreter::repeats):
  Trail, // the thread's trail and its weight at the last back edge
  Weight,
  Sample,  // an earlier iteration
  Matches, // iterations like that since
  Count
};
} // namespace loopslots

// Flags of LoopBack and SpinBack.
constexpr uint8_t CarriedUnknown = 1; // no LoopNote tells what an iteration leaves to the next
constexpr uint8_t ReadsNothing = 2;   // SpinBack: no thread can end the loop

constexpr uint8_t OrderMask = 0x07;
constexpr uint8_t InSpinCandidate = 0x80; // flag of accesses between SpinHead and SpinBack
constexpr uint8_t InText = 0x40;          // flag of accesses that read, and do so in the user's text
constexpr uint8_t OfCopy = 0x20;          // flag of stores behind a CopyWritten
constexpr uint8_t ResultUnused =
    0x08;                            // flag of Rmw and CmpXchg: ARM's forms that return nothing, whose reads are weaker
constexpr uint8_t OfVolatile = 0x08; // flag of Load and Store: the program says 'volatile'
constexpr uint8_t MayFail = 0x10; // flag of CmpXchg and of waits: it may fail for no reason, and the program can tell

struct Instruction {
  Opcode Op;
  uint8_t Width = 0;
  uint8_t Flags = 0;
  int32_t Dst = -1;
  int32_t A = 0, B = 0, C = 0, D = 0;
  int64_t Imm = 0;
};
static_assert(sizeof(Instruction) == 32);

/// A source location as a program keeps it. Lines and columns count from 1, columns in bytes; line 0 means unknown.
struct ProgramLocation {
  uint32_t File = 0; // index into Program::Files
  uint32_t Line = 0;
  uint32_t Column = 0;
  uint32_t Function = 0;    // index into Program::FunctionNames: the function the text belongs to
  uint32_t InlinedAt = 0;   // index into Program::Locations, 0 if not inlined
  uint32_t BenignRaces = 0; // 1: the text says that data races of accesses here are intended
};

struct SwitchTable {
  uint32_t Default = 0;
  std::vector<std::pair<uint64_t, uint32_t>> Cases; // value -> pc, sorted by value

  uint32_t target(uint64_t Value) const {
    auto Found = std::lower_bound(Cases.begin(), Cases.end(), std::pair(Value, 0u));
    return Found != Cases.end() && Found->first == Value ? Found->second : Default;
  }
};

struct Function {
  std::string Name;
  uint32_t Entry = 0;         // pc; meaningful if Defined
  uint32_t NumSlots = 0;      // frame size, parameters included
  uint32_t NumParameters = 0; // slots the parameters take: they arrive in slots 0..; a wide one takes two
  bool Defined = false;
  bool Variadic = false; // extra arguments are dropped: va_arg is refused by name
  int32_t FedSlot = -1;  // slot with the bits of fed loops, -1 if the function has no LoopBack; zero on entry
  uint32_t Message = 0;  // if not Defined: Program::Messages index that says what calling it means
  uint32_t Location = 0; // Program::Locations index of the declaration
};

struct Global {
  std::string Name;
  uint32_t Size = 0;
  uint32_t Location = 0;
  bool Constant = false;
  bool ThreadLocal = false;
  std::vector<uint8_t> Initial; // Size bytes, addresses of globals and functions already in place
};

struct Loop {
  uint32_t Location = 0; // of the loop's first line
  bool HasExit = true;   // other than by a failure
  int32_t Outer = -1;    // index of the loop in which it is, if there is one
};

/// ARM64: the instructions that an atomic update becomes. Any: whatever is weaker, since a binary may meet both.
enum class ArmUpdates : uint8_t {
  Any,
  Exclusive, // a load-exclusive and a store-exclusive, in a loop
  Single     // one instruction (LSE)
};

/// ARM64: the instructions that atomic operations become (docs/models.md). What is here is the weakest of all processors.
struct ArmInstructions {
  ArmUpdates Updates = ArmUpdates::Any;
  bool HasLdapr = true; // a load acquire is LDAPR, which a store release may still be behind
};

struct Program {
  std::vector<Instruction> Code;
  std::vector<uint32_t> CodeLocations; // per instruction: index into Locations
  std::vector<uint64_t> Constants;
  std::vector<Operand> Arguments;
  std::vector<SwitchTable> SwitchTables;
  std::vector<Function> Functions;
  std::vector<Global> Globals;
  std::vector<Loop> Loops;
  std::vector<std::string> Messages;
  std::vector<uint32_t> Constructors; // functions to run before main, in order
  int32_t Main = -1;                  // function index
  // Run what atexit and at_quick_exit noted: functions of the models, if the program needs them.
  int32_t ExitFunctions = -1, QuickExitFunctions = -1;
  int32_t ArgvGlobal = -1;    // the array handed to main as argv, if main takes it
  int32_t ErrnoGlobal = -1;   // the thread-local global that stands for errno, if the program looks at it
  uint32_t NumSites = 0;      // allocation sites: one per alloca and per allocating call
  bool StartsThreads = false; // some function that could run calls a thread-creating builtin
  ArmInstructions Arm;
  Architecture For = HostArchitecture; // what it is compiled for
  bool TargetNamed = false;            // by the command that compiles the text, so that models have no say in it
  // Where the user's text first tests a macro of an architecture, and where it first finds one defined: indices into
  // Locations, 0 if it does not.
  uint32_t ArchitectureTested = 0, ArchitectureFound = 0;
  bool FailsForNoReason = false; // it has instructions with the flag MayFail

  // Which operations fail for no reason. Executions in which not all of them do are not executions of this program.
  std::vector<FailurePoint> Failures;
  std::shared_ptr<FailurePoints> Reached; // null: not needed

  // Source map. Locations[0] is "unknown". Files[i] that are not the user's (models) have UserFile[i] == false.
  std::vector<std::string> Files;
  std::vector<bool> UserFile;
  std::vector<std::string> FunctionNames;
  std::vector<ProgramLocation> Locations;
  SourceNames Names;

  /// The place to show for an instruction: the innermost inlined location that lies in a user's file.
  const ProgramLocation &locationOf(uint32_t Pc) const;
};

/// Readable listing of the bytecode, for tests and `--dump-bytecode`.
std::string toString(const Program &P);

} // namespace picket
