// A visible operation: what a thread wants to do next, where other threads can see it.
#pragma once

#include "machine/SyncObjects.h"
#include "program/Program.h"

namespace picket {

using ThreadId = uint32_t;

enum class OperationKind : uint8_t {
  None,
  Load,
  Store,
  Rmw,
  CmpXchg,
  Fence,  // only where fences are asked for (MachineOptions::StopAtFences)
  Sync,   // an operation on a synchronisation object
  Free,   // also realloc: the block's end
  End,    // local variables end that others have seen
  Atomic, // a __VERIFIER_atomic section: runs to its end in one step
  Yield,  // a long loop lets the others go first
  Exit,   // the end of the process, only where it is asked for (MachineOptions::StopAtExit)
  Drain,  // waits for the thread's stores to land (pthread_create, with store buffers)
  Join    // waits for a thread to end
};

struct Operation {
  OperationKind Kind = OperationKind::None;
  uint8_t Width = 0; // bytes, for accesses of up to 16
  Order Ordering = Order::NotAtomic;
  Order FailureOrdering = Order::NotAtomic; // CmpXchg
  RmwOp Rmw = RmwOp::Xchg;
  FenceKind Fence = FenceKind::Full;
  SyncOp Sync = SyncOp::MutexLock;
  bool MaySpin = false;  // the access stands in a spin candidate: some values only lead back to it
  bool Volatile = false; // Load, Store
  bool Fails = false;    // CmpXchg: it fails for no reason, if it finds what it expects
  Address Where = 0;     // Join: the thread
  // Accesses of 16 bytes have the upper half of a value behind the lower one.
  uint64_t Value = 0, Value2 = 0;       // stored value, operand of a Rmw, new value of a CmpXchg, argument of a Sync
  uint64_t Expected = 0, Expected2 = 0; // CmpXchg

  bool operator==(const Operation &) const = default;
  /// A fence that comes with an access of the thread's own memory, and has its width and ordering.
  bool isFenceOfAccess() const { return Kind == OperationKind::Fence && Width != 0; }
};

/// The access that an instruction of this kind is, but for where it is and its values.
inline Operation accessOf(OperationKind Kind, const Instruction &I) {
  Operation Op;
  Op.Kind = Kind;
  Op.Width = I.Width;
  Op.Ordering = static_cast<Order>(I.Flags & OrderMask);
  Op.MaySpin = (I.Flags & InSpinCandidate) != 0;
  if (Kind == OperationKind::Load || Kind == OperationKind::Store)
    Op.Volatile = (I.Op == Opcode::Load || I.Op == Opcode::Store) && (I.Flags & OfVolatile);
  if (Kind == OperationKind::Rmw)
    Op.Rmw = static_cast<RmwOp>(I.C);
  if (Kind == OperationKind::CmpXchg)
    Op.FailureOrdering = static_cast<Order>(I.Imm);
  return Op;
}

/// Bytes of memory that an operation accesses.
struct AccessedBytes {
  Address Where;
  uint32_t Size;
  bool Write;
};

} // namespace picket
