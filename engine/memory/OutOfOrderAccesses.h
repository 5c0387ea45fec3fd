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

template <unsigned Words> EventId OutOfOrder<Words>::addEvent(ThreadId T, const Operation &Op, bool IsWrite) {
  if (G.size() >= Set::Capacity)
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
  F.Events.insert(Id);
  Fetched[T].push_back(Id);
  if (Notes)
    Notes->Stacks.push_back(M.callStack(T));
  Access &A = Accesses.emplace_back();
  A.Op = Op;
  A.Waits = Op.Kind == OperationKind::Sync ? isBlocking(Op.Sync) : Op.MaySpin;
  return Id;
}

/// An access by an instruction of the program.
template <unsigned Words> bool OutOfOrder<Words>::access(ThreadId T, const Instruction &I) {
  Machine::State &S = M.Threads[T]->S;
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
  Machine::State &S = M.Threads[T]->S;
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

/// Puts the access at which a thread stands into the graph and goes on behind it.
template <unsigned Words> void OutOfOrder<Words>::fetchAccess(ThreadId T, const Instruction &I, Operation Op) {
  Machine::State &S = M.Threads[T]->S;
  Flow &F = Flows[T];
  if (Op.Width > 8)
    throw GraphStop(T, S.Pc, "a 16-byte access that other threads see");
  bool HasOffset = I.Op != Opcode::Rmw && I.Op != Opcode::CmpXchg;
  Value Where = read(T, I.A);
  Set AddressLoads = loadsOf(Where);
  bool Updates = Op.Kind == OperationKind::Rmw || Op.Kind == OperationKind::CmpXchg;
  if (Op.Kind == OperationKind::CmpXchg && I.Flags & MayFail) { // whether it had another reason is seen in the end
    Op.Fails = M.failsNow(*M.Threads[T]);
    if (!Op.Fails)
      M.noteNoFailure(*M.Threads[T]);
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
    G[E].Locked =
        Updates && (Model == AxiomaticModel::TSO || Op.Ordering == Order::NotAtomic || Op.Ordering >= Order::Release);
  }
  if (Write != NoEvent) {
    Value Data = read(T, I.Op == Opcode::CmpXchg ? I.C : I.B);
    Accesses[Write].Data = Data;
    G[Write].Data = loadsOf(Data);
    if (Updates) {
      Accesses[Read].Data = Data;
      F.Updates.insert(Read);
      if (Op.Kind == OperationKind::CmpXchg) {
        Accesses[Read].Expected = Accesses[Write].Expected = read(T, I.B);
        G[Write].Control.insert(Read);
        G[Write].Control |= loadsOf(Accesses[Read].Expected);
      } else if (Op.Rmw != RmwOp::Xchg) {
        G[Write].Data.insert(Read);
      }
    }
    if (I.Op == Opcode::StoreConditional) {
      G[Write].Conditional = true;
      G[Write].Reserved = F.Reserved;
    }
  }
  if (I.Op == Opcode::LoadReserve)
    F.Reserved = Read;
  F.AddressBefore |= AddressLoads;
  fencesBehind(F, Op, Read);

  // Behind it, as Interpreter::complete does.
  Interpreter Run(M, T);
  Run.enterFrame();
  S.Pending = Operation();
  ++S.Operations;
  S.Effects += Write != NoEvent && !Op.MaySpin; // of an update in a spin loop it is seen later (noteUpdate)
  auto Tag = [&](int32_t Slot, uint8_t Kind, EventId From) {
    registers(T)[Slot] = 0;
    const uint32_t New = resultNode(From, Kind);
    if (Kind == Node::Success) // it was compared with what is expected
      Nodes[New].Loads |= loadsOf(Accesses[From].Expected);
    setTag(tags(T)[Slot], New);
  };
  if (Read != NoEvent) {
    Tag(I.Dst, Node::Result, Read);
    if (Op.Kind == OperationKind::CmpXchg)
      Tag(I.Dst + 1, Node::Success, Read);
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
  }
  G[Write].Data.insert(Read);
  F.AddressBefore |= AddressLoads;
  fencesBehind(F, Op, Read);
  if (Op.Sync != SyncOp::MutexUnlock && Op.Sync != SyncOp::SpinUnlock) {
    F.Waiting = Read;
    return;
  }
  uint32_t Pc = M.pc(T);
  completeBuiltin(T, I, 0, 0);
  if (M.pc(T) == Pc + 1 && I.Dst >= 0)
    setTag(tags(T)[I.Dst], resultNode(Read, Node::Returned));
}

template <unsigned Words> void OutOfOrder<Words>::fence(Flow &F, FenceKind Kind) {
  bool Light = Model == AxiomaticModel::Power;
  switch (Kind) {
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
  }
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

/// The fences that stand in front of an operation of a certain order. Locks acquire, other synchronisation releases
/// too.
template <unsigned Words> void OutOfOrder<Words>::fencesBefore(Flow &F, const Operation &Op) {
  if (Op.Kind == OperationKind::Sync) {
    if (!isLock(Op.Sync))
      fence(F, FenceKind::Release);
  } else if (Op.Kind != OperationKind::Load && (Op.Ordering == Order::Release || Op.Ordering == Order::AcqRel)) {
    fence(F, FenceKind::Release);
  } else if (Op.Ordering == Order::SeqCst) {
    if (Model == AxiomaticModel::Power)
      fence(F, FenceKind::Full);
    else if (Op.Kind != OperationKind::Load)
      fence(F, FenceKind::Release);
  }
}

template <unsigned Words> void OutOfOrder<Words>::fencesBehind(Flow &F, const Operation &Op, EventId Read) {
  bool Unlocks = Op.Kind == OperationKind::Sync && (Op.Sync == SyncOp::MutexUnlock || Op.Sync == SyncOp::SpinUnlock);
  if (Model != AxiomaticModel::Power) {
    if (Op.Kind == OperationKind::Store && Op.Ordering == Order::SeqCst)
      fence(F, FenceKind::Full);
    return;
  }
  bool Acquires = Op.Kind == OperationKind::Sync
                      ? !Unlocks
                      : Op.Ordering == Order::Acquire || Op.Ordering == Order::AcqRel || Op.Ordering == Order::SeqCst;
  if (Read != NoEvent && Acquires) {
    F.Control.insert(Read);
    F.ControlISync.insert(Read);
  }
}

} // namespace picket
