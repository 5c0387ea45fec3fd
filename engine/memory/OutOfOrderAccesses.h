// Accesses, synchronisation and fences that threads come to: the events of the graph. A part of OutOfOrder.cpp: not for
// others to include.
#pragma once

#include "memory/OutOfOrderValues.h"

namespace picket {

inline Operation operationOf(const Instruction &I) {
  Operation Op;
  switch (I.Op) {
  case Opcode::Store:
  case Opcode::StoreConditional: Op.Kind = OperationKind::Store; break;
  case Opcode::Rmw:
    Op.Kind = OperationKind::Rmw;
    Op.Rmw = static_cast<RmwOp>(I.C);
    break;
  case Opcode::CmpXchg:
    Op.Kind = OperationKind::CmpXchg;
    Op.FailureOrdering = static_cast<Order>(I.Imm);
    break;
  default: Op.Kind = OperationKind::Load; break;
  }
  Op.Width = I.Width;
  Op.Ordering = static_cast<Order>(I.Flags & OrderMask);
  Op.MaySpin = (I.Flags & InSpinCandidate) != 0;
  return Op;
}

inline bool isLock(SyncOp Op) {
  switch (Op) {
  case SyncOp::MutexLock:
  case SyncOp::MutexTryLock:
  case SyncOp::MutexTimedLock:
  case SyncOp::SpinLock:
  case SyncOp::SpinTryLock:
  case SyncOp::RwReadLock:
  case SyncOp::RwTryReadLock:
  case SyncOp::RwWriteLock:
  case SyncOp::RwTryWriteLock: return true;
  default: return false;
  }
}

/// Locks acquire, unlocks release, other synchronisation does both.
inline Order orderOf(SyncOp Op) {
  if (isLock(Op))
    return Order::Acquire;
  return Op == SyncOp::MutexUnlock || Op == SyncOp::SpinUnlock ? Order::Release : Order::AcqRel;
}

/// C11: the order of a read or of a write, given that of the operation. An update has both.
inline Order modeOf(Order Ordering, bool IsWrite) {
  switch (Ordering) {
  case Order::AcqRel: return IsWrite ? Order::Release : Order::Acquire;
  case Order::Release: return IsWrite ? Order::Release : Order::Relaxed;
  case Order::AcquirePC:
  case Order::Acquire: return IsWrite ? Order::Relaxed : Ordering;
  default: return Ordering;
  }
}

template <unsigned Words> EventId OutOfOrder<Words>::addEvent(ThreadId T, const Operation &Op, bool IsWrite) {
  // Nobody reads a recording of so many accesses, and what is made of it takes time: it is then told without one.
  constexpr uint32_t MostRecorded = 4'000;
  if (G.size() >= Set::Capacity || (Notes && G.size() >= MostRecorded))
    throw GraphFull();
  Flow &F = Flows[T];
  Event E;
  E.Thread = T;
  E.Index = F.NumEvents++;
  E.Pc = M.pc(T);
  E.Operation = M.operations(T);
  if (E.Index > 0)
    if (const Event &Last = G[Fetched[T].back()]; Last.Operation == E.Operation)
      E.Part = Last.Part + 1;
  E.IsWrite = IsWrite;
  E.Before = F.Events;
  E.Control = F.Control;
  E.ControlISync = F.ControlISync;
  E.AddressBefore = F.AddressBefore;
  E.Fetch = F.Fetch;
  E.Sync = F.Sync;
  E.LwSync = F.LwSync;
  E.Eieio = F.Eieio;
  EventId Id = G.add(E);
  if constexpr (Graph::IsLarge)
    if (IsWrite) {
      M.undo().save(G.Large.Writes);
      G.Large.Writes.insert(Id);
    }
  if (F.InSection) {
    G.AnySections = true;
    if (!F.Section)
      F.Section = Id + 1;
    G[Id].Section = F.Section;
    F.Fetch.insert(Id); // they are committed in program order
  }
  F.Events.insert(Id);
  Fetched[T].push_back(Id);
  if (Notes)
    Notes->Stacks.push_back(M.callStack(T));
  Access &A = Accesses.emplace_back();
  A.Op = Op;
  if (hasModes(Model))
    G[Id].Mode = modeOf(Op.Kind == OperationKind::Sync ? orderOf(Op.Sync) : Op.Ordering, IsWrite);
  A.Waits = Op.Kind == OperationKind::Sync ? isBlocking(Op.Sync) : Op.MaySpin;
  if (F.InSection) {
    if (A.Waits && !IsWrite)
      refuseToWaitInSection(T);
    F.WritesInSection |= IsWrite;
  }
  return Id;
}

/// An access by an instruction of the program.
template <unsigned Words> bool OutOfOrder<Words>::access(ThreadId T, const Instruction &I) {
  ThreadState &S = Parts.Threads[T].State;
  if (!known(T, I.A) || I.Op == Opcode::LoadReserve) { // it may be anywhere
    Flows[T].StalledOn = 0;
    fetchAccess(T, I, operationOf(I));
    return true;
  }
  Set AddressLoads = loadsOf(read(T, I.A));
  runInstruction(T); // stops in front of the access, if anybody else can be there
  if (S.Status == ThreadStatus::Ready && S.Pending.Kind == OperationKind::None) {
    // It was a constant, or the thread is alone.
    Flows[T].AddressBefore |= AddressLoads;
    for (unsigned K = 0; K < shapeOf(I).Dst; ++K) {
      int32_t Slot = I.Dst + static_cast<int>(K);
      setTag(tags(T)[Slot], AddressLoads.empty() ? 0 : knownNode(registers(T)[Slot], AddressLoads));
    }
  }
  return true;
}

/// In the axioms a store-conditional that fails is no event. So how it turns out is chosen when it is fetched: to fail
/// needs no operands and orders nothing; one that is to succeed is a write that must then be possible.
template <unsigned Words> bool OutOfOrder<Words>::storeConditional(ThreadId T, const Instruction &I) {
  ThreadState &S = Parts.Threads[T].State;
  Flow &F = Flows[T];
  bool Succeeds = false;
  if (F.Waiting != NoEvent) {
    Succeeds = Accesses[F.Waiting].Succeeds;
    F.Fetch.insert(F.Waiting);
    F.Waiting = NoEvent;
  } else if (F.Reserved != NoEvent) {
    EventId Decided = addEvent(T, operationOf(I), true);
    Event &E = G[Decided];
    E.Decides = true;
    Odd.push_back(Decided);
    E.Before = F.Fetch;
    for (Set *None : {&E.Control, &E.ControlISync, &E.AddressBefore, &E.Sync, &E.LwSync, &E.Eieio})
      None->clear();
    F.Waiting = Decided;
    return false;
  }
  if (Succeeds) {
    fetchAccess(T, I, operationOf(I));
  } else {
    ++S.Operations;
    ++S.Pc;
  }
  F.Reserved = NoEvent;
  registers(T)[I.Dst] = Succeeds;
  setTag(tags(T)[I.Dst], 0);
  return true;
}

/// Where accesses that overlap cut an access that was just added. What is not known when it is fetched, or known in some
/// runs only, must not make a difference: it is cut wherever the accesses of its instruction are.
template <unsigned Words> AccessParts OutOfOrder<Words>::partsOf(EventId E) const {
  const Access &A = Accesses[E];
  if (Ending.Cut.empty() || !AsGraphs)
    return {};
  if (A.Where.Node)
    return Ending.Cut.partsOfCode(G[E].Pc, A.Op.Width);
  const Address Where = A.Where.Bits + static_cast<uint64_t>(A.Offset);
  const Object *O = Parts.Mem.find(Where);
  if (!O)
    return {};
  return hasState(A.Op) ? Ending.Cut.partsOfState(*O, Where, widthOf(E)) : Ending.Cut.partsOf(*O, Where, A.Op.Width);
}

template <unsigned Words> void OutOfOrder<Words>::splitAccess(EventId E, const AccessParts &Parts) {
  if (!Parts.empty())
    G.split(E, Parts);
}

/// An access that is not aligned is one for each of its aligned pieces. False: it is aligned.
template <unsigned Words> bool OutOfOrder<Words>::fetchPieces(ThreadId T, const Instruction &I, const Operation &Op) {
  const Value Where = read(T, I.A);
  if (Where.Node ? !Ending.Cut.dividesCode()
                 : Partition::isAligned(Where.Bits + static_cast<uint64_t>(I.Imm), Op.Width))
    return false;
  const AccessParts Pieces = Where.Node ? Ending.Cut.piecesOfCode(M.pc(T), Op.Width)
                                        : Partition::pieces(Where.Bits + static_cast<uint64_t>(I.Imm), Op.Width);
  if (Pieces.size() < 2)
    return false;
  if (Op.Ordering != Order::NotAtomic)
    throw GraphStop(T, M.pc(T), "an atomic access that is not aligned");
  const Set AddressLoads = loadsOf(Where);
  const bool Stores = Op.Kind == OperationKind::Store;
  const Value Data = Stores ? read(T, I.B) : Value();
  Flow &F = Flows[T];
  uint32_t Whole = 0;
  // They are in no order among themselves.
  const Set Before = F.Events;
  for (auto [Offset, Width] : Pieces) {
    Operation Piece = Op;
    Piece.Width = static_cast<uint8_t>(Width);
    EventId E = addEvent(T, Piece, Stores);
    G[E].Before = Before;
    G[E].Address = AddressLoads;
    Access &A = Accesses[E];
    A.Where = Where;
    A.Offset = I.Imm + Offset;
    A.Shift = static_cast<uint8_t>(8 * Offset);
    if (Stores) {
      A.Data = Data;
      G[E].Data = loadsOf(Data);
    } else {
      const uint32_t Part = resultNode(E, Node::Result);
      Node Both;
      Both.Kind = Node::Joined;
      Both.A = {0, Whole};
      Both.B = {0, Part};
      Both.C = {A.Shift, 0};
      Both.Loads = loadsOf(Both.A) | loadsOf(Both.B);
      Whole = Whole ? newNode(Both) : Part;
    }
    splitAccess(E, partsOf(E));
  }
  F.AddressBefore |= AddressLoads;
  ThreadState &S = Parts.Threads[T].State;
  Interpreter Run(Parts, T);
  Run.enterFrame();
  S.Pending = Operation();
  ++S.Operations;
  S.Effects += Stores && !Op.MaySpin;
  if (!Stores) {
    registers(T)[I.Dst] = 0;
    setTag(tags(T)[I.Dst], Whole);
    Run.noteFed(I, Where.Node ? 0 : Op.Where);
  }
  ++S.Pc;
  return true;
}

/// Puts the access at which a thread stands into the graph and goes on behind it.
template <unsigned Words> void OutOfOrder<Words>::fetchAccess(ThreadId T, const Instruction &I, Operation Op) {
  ThreadState &S = Parts.Threads[T].State;
  Flow &F = Flows[T];
  const bool IsWide = Op.Width > 8;
  const bool IsPlain = I.Op == Opcode::Load || I.Op == Opcode::Store;
  if (AsGraphs && IsPlain && Op.Width > 1 && fetchPieces(T, I, Op))
    return;
  bool HasOffset = I.Op != Opcode::Rmw && I.Op != Opcode::CmpXchg;
  Value Where = read(T, I.A);
  Set AddressLoads = loadsOf(Where);
  bool Updates = Op.Kind == OperationKind::Rmw || Op.Kind == OperationKind::CmpXchg;
  if (Op.Kind == OperationKind::CmpXchg && I.Flags & MayFail) { // whether it had another reason is seen in the end
    Op.Fails = Parts.Failures.failsNow(Parts.Threads[T]);
    if (!Op.Fails)
      Parts.Failures.noteNone(Parts.Threads[T]);
    ++S.Arrivals;
    S.Failures += Op.Fails;
  }
  fencesBefore(F, Op);
  EventId Read = NoEvent, Write = NoEvent;
  if (Op.Kind != OperationKind::Store)
    Read = addEvent(T, Op, false);
  if (Op.Kind != OperationKind::Load)
    Write = addEvent(T, Op, true);
  for (EventId E : {Read, Write}) {
    if (E == NoEvent)
      continue;
    Accesses[E].Where = Where;
    Accesses[E].Offset = HasOffset ? I.Imm : 0;
    G[E].Address = AddressLoads;
    G[E].OfUpdate = Updates;
    G[E].Unused = Updates && I.Flags & ResultUnused;
    G[E].Locked =
        Updates && (Model == MemoryModel::TSO || Op.Ordering == Order::NotAtomic || Op.Ordering >= Order::Release);
    splitAccess(E, partsOf(E));
  }
  if (Write != NoEvent) {
    Value Data = read(T, I.Op == Opcode::CmpXchg ? I.C : I.B);
    const Value Data2 = IsWide ? readUpper(T, I.Op == Opcode::CmpXchg ? I.C : I.B) : Value();
    Accesses[Write].Data = Data;
    Accesses[Write].Data2 = Data2;
    G[Write].Data = loadsOf(Data) | loadsOf(Data2);
    if (Updates) {
      Accesses[Read].Data = Data;
      Accesses[Read].Data2 = Data2;
      Odd.push_back(Write);
      if (Op.MaySpin) // of the others what they do to the iteration is known (below)
        F.Updates.insert(Read);
      if (Op.Kind == OperationKind::CmpXchg) {
        Accesses[Read].Expected = Accesses[Write].Expected = read(T, I.B);
        if (IsWide)
          Accesses[Read].Expected2 = Accesses[Write].Expected2 = readUpper(T, I.B);
        const Set Compared = loadsOf(Accesses[Read].Expected) | loadsOf(Accesses[Read].Expected2);
        G[Write].Control |= Compared;
        if (Model != MemoryModel::Armv8 || P.Updates == ArmUpdates::Exclusive)
          G[Write].Control.insert(Read);
        if (Model == MemoryModel::Armv8 && P.Updates == ArmUpdates::Exclusive) // it branches on the comparison
          F.Control |= G[Write].Control;
        if (Model == MemoryModel::Armv8 && P.Updates != ArmUpdates::Exclusive) {
          G[Read].Data = Compared;
          G[Read].Compares = G.AnyCompares = true;
        }
      } else if (Op.Rmw != RmwOp::Xchg && (Model != MemoryModel::Armv8 || P.Updates == ArmUpdates::Exclusive)) {
        G[Write].Data.insert(Read);
      }
    }
    if (I.Op == Opcode::StoreConditional) {
      G[Write].Conditional = true;
      Odd.push_back(Write);
      G[Write].Reserved = F.Reserved;
    }
  }
  if (Op.Fails)
    Odd.push_back(Read);
  if (I.Op == Opcode::LoadReserve)
    F.Reserved = Read;
  F.AddressBefore |= AddressLoads;
  fencesBehind(F, Op, Read, Write);

  // Behind it, as Interpreter::complete does.
  Interpreter Run(Parts, T);
  Run.enterFrame();
  S.Pending = Operation();
  ++S.Operations;
  S.Effects += Write != NoEvent && !Op.MaySpin; // of an update in a spin loop it is seen later (noteUpdate)
  auto Tag = [&](int32_t Slot, uint8_t Kind, EventId From) {
    registers(T)[Slot] = 0;
    const uint32_t New = resultNode(From, Kind);
    if (Kind == Node::Success) // it was compared with what is expected
      Nodes[New].Loads |= loadsOf(Accesses[From].Expected) | loadsOf(Accesses[From].Expected2);
    setTag(tags(T)[Slot], New);
  };
  if (Read != NoEvent) {
    Tag(I.Dst, IsWide ? Node::Low : Node::Result, Read);
    if (IsWide)
      Tag(I.Dst + 1, Node::High, Read);
    if (Op.Kind == OperationKind::CmpXchg)
      Tag(I.Dst + 1 + IsWide, Node::Success, Read);
    // Whether the address is known already depends on the run; whether the loop is bounded must not.
    Run.noteFed(I, Where.Node ? 0 : Op.Where);
  }
  ++S.Pc;
}

template <unsigned Words> void OutOfOrder<Words>::fetchSync(ThreadId T, const Instruction &I, const Operation &Op) {
  Flow &F = Flows[T];
  Set AddressLoads;
  for (int32_t K = 0; K < I.C; ++K)
    AddressLoads |= loadsOf(read(T, P.Arguments[static_cast<size_t>(I.B + K)]));
  fencesBefore(F, Op);
  EventId Read = addEvent(T, Op, false), Write = addEvent(T, Op, true);
  for (EventId E : {Read, Write}) {
    Accesses[E].Where = {Op.Where, 0};
    G[E].Address = AddressLoads;
    G[E].OfUpdate = G[E].Locked = true;
    splitAccess(E, partsOf(E));
  }
  if (Model != MemoryModel::Armv8)
    G[Write].Data.insert(Read);
  F.AddressBefore |= AddressLoads;
  fencesBehind(F, Op, Read, Write);
  if (Op.Sync != SyncOp::MutexUnlock && Op.Sync != SyncOp::SpinUnlock) {
    F.Waiting = Read;
    return;
  }
  uint32_t Pc = M.pc(T);
  completeBuiltin(T, I, 0, 0);
  if (M.pc(T) == Pc + 1 && I.Dst >= 0)
    setTag(tags(T)[I.Dst], resultNode(Read, Node::Returned));
}

/// C11: a fence is an event. The others have it as a set of what comes before it.
template <unsigned Words> void OutOfOrder<Words>::fetchFence(ThreadId T, FenceKind Kind) {
  Order Mode = Order::NotAtomic;
  switch (withoutArm(Kind)) {
  case FenceKind::Full: Mode = Order::SeqCst; break;
  case FenceKind::StoreStore:
  case FenceKind::Release: Mode = Order::Release; break;
  case FenceKind::Acquire: Mode = Order::Acquire; break;
  case FenceKind::AcqRel:
  case FenceKind::LwSync: Mode = Order::AcqRel; break;
  default: return; // C11 has nothing like it
  }
  if (M.alone())
    return;
  Operation Op;
  Op.Kind = OperationKind::Fence;
  Op.Ordering = Mode;
  const EventId E = addEvent(T, Op, false);
  G[E].IsFence = true;
  G[E].Mode = Mode;
  ++Parts.Threads[T].State.Operations;
}

template <unsigned Words> Order OutOfOrder<Words>::modeOfRead(EventId Read) {
  const Operation &Op = Accesses[Read].Op;
  if (Op.Kind == OperationKind::CmpXchg && update(Read, G[Read].Value).Does != Update::Writes)
    return modeOf(Op.FailureOrdering, false);
  return modeOf(Op.Kind == OperationKind::Sync ? orderOf(Op.Sync) : Op.Ordering, false);
}

/// ARM64: F.Sync is what comes before everything later, F.Eieio before later writes.
template <unsigned Words> void OutOfOrder<Words>::barrier(Flow &F, FenceKind Kind) {
  auto Add = [&](bool Writes, Set &Into) {
    F.Events.forEach([&](EventId E) {
      if (G[E].IsWrite == Writes && !G[E].Decides && !(G[E].Unused && !Writes))
        Into.insert(E);
    });
  };
  switch (Kind) {
  case FenceKind::Acquire: // atomic_thread_fence(acquire) is DMB ISHLD
  case FenceKind::DmbLd:
  case FenceKind::DsbLd: Add(false, F.Sync); break;
  case FenceKind::StoreStore:
  case FenceKind::DmbSt: Add(true, F.Eieio); break;
  case FenceKind::DsbSt: Add(true, F.Sync); break;
  case FenceKind::Isb:
  case FenceKind::ISync: F.ControlISync |= F.Control | F.AddressBefore; break;
  default: F.Sync |= F.Events; break;
  }
}

template <unsigned Words> void OutOfOrder<Words>::fence(Flow &F, FenceKind Kind) {
  if (Model == MemoryModel::Armv8)
    return barrier(F, Kind);
  bool Light = Model == MemoryModel::Power;
  switch (withoutArm(Kind)) {
  case FenceKind::Full: F.Sync |= F.Events; break;
  case FenceKind::StoreStore: F.Eieio |= F.Events; break;
  case FenceKind::Acquire:
    if (Light)
      F.LwSync |= F.Events;
    break;
  case FenceKind::Release:
  case FenceKind::AcqRel:
  case FenceKind::LwSync: (Light ? F.LwSync : F.Eieio) |= F.Events; break;
  case FenceKind::ISync: F.ControlISync |= F.Control; break;
  default: break; // none is left
  }
}

/// The fences that stand in front of an operation of a certain order. Locks acquire, other synchronisation releases
/// too.
template <unsigned Words> void OutOfOrder<Words>::fencesBefore(Flow &F, const Operation &Op) {
  if (hasModes(Model)) // orders are of the accesses themselves
    return;
  if (Op.Kind == OperationKind::Sync) {
    if (!isLock(Op.Sync))
      fence(F, FenceKind::Release);
  } else if (Op.Kind != OperationKind::Load && (Op.Ordering == Order::Release || Op.Ordering == Order::AcqRel)) {
    fence(F, FenceKind::Release);
  } else if (Op.Ordering == Order::SeqCst) {
    if (Model == MemoryModel::Power)
      fence(F, FenceKind::Full);
    else if (Op.Kind != OperationKind::Load)
      fence(F, FenceKind::Release);
  }
}

/// ARM64: what an access orders before all that comes after it (F.Sync), and before acquires (F.LwSync).
template <unsigned Words> void OutOfOrder<Words>::orderBehind(Flow &F, EventId Read, EventId Write) {
  const bool Acquires = Read != NoEvent && G[Read].Mode >= Order::AcquirePC && G[Read].Mode != Order::Release;
  const bool Releases = Write != NoEvent && G[Write].Mode >= Order::Release;
  if (Acquires)
    F.Sync.insert(Read);
  if (Releases)
    F.LwSync.insert(Write);
  // One instruction that does both is a barrier for what comes after it.
  if (Acquires && Releases && P.Updates == ArmUpdates::Single && G[Read].Mode != Order::AcquirePC)
    F.Sync.insert(Write);
}

template <unsigned Words>
void OutOfOrder<Words>::fencesBehind(Flow &F, const Operation &Op, EventId Read, EventId Write) {
  bool Unlocks = Op.Kind == OperationKind::Sync && (Op.Sync == SyncOp::MutexUnlock || Op.Sync == SyncOp::SpinUnlock);
  if (hasModes(Model)) {
    if (Model == MemoryModel::Armv8)
      orderBehind(F, Read, Write);
    return;
  }
  if (!AsGraphs) {
    if (Op.Kind == OperationKind::Store && Op.Ordering == Order::SeqCst)
      fence(F, FenceKind::Full);
    return;
  }
  bool Acquires =
      Op.Kind == OperationKind::Sync ? !Unlocks : Op.Ordering >= Order::AcquirePC && Op.Ordering != Order::Release;
  if (Read != NoEvent && Acquires) {
    F.Control.insert(Read);
    F.ControlISync.insert(Read);
  }
}

} // namespace picket
