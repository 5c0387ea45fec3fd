// How the accesses, synchronisation and fences that threads come to are added to the graph. A part of FetchedEvents.cpp: not for
// others to include.
#pragma once

#include "memory/FetchedEvents.h"
#include "memory/Orders.h"

namespace picket {

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

/// The order of the instruction that an operation becomes.
template <unsigned Words> Order FetchedEvents<Words>::instructionOrder(const Operation &Op) const {
  if (Op.Kind == OperationKind::Sync)
    return orderOf(Op.Sync);
  if (Model != MemoryModel::Armv8)
    return Op.Ordering;
  // One instruction compares, whether it fails or not. It has the order of both.
  if (Op.Kind == OperationKind::CmpXchg && Op.FailureOrdering > Order::AcquirePC) {
    if (Op.FailureOrdering == Order::SeqCst)
      return Order::SeqCst;
    return Op.Ordering == Order::Release ? Order::AcqRel : std::max(Op.Ordering, Order::Acquire);
  }
  const bool IsLdapr = Op.Kind == OperationKind::Load && Op.Ordering == Order::Acquire && Prog.Arm.HasLdapr;
  return IsLdapr ? Order::AcquirePC : Op.Ordering;
}

template <unsigned Words> EventId FetchedEvents<Words>::addEvent(ThreadId T, const Operation &Op, bool IsWrite) {
  // Nobody reads a recording of so many accesses, and what is made of it takes time: it is then told without one.
  constexpr uint32_t MostRecorded = 4'000;
  if (Graph.size() >= Set::Capacity || (Notes && Graph.size() >= MostRecorded))
    throw GraphFull();
  Flow &F = Flows[T];
  Event E;
  E.Thread = T;
  E.Index = F.NumEvents++;
  E.Pc = TheMachine.pc(T);
  E.Operation = TheMachine.operations(T);
  if (E.Index > 0)
    if (const Event &Last = Graph[Fetched[T].back()]; Last.Operation == E.Operation && !Last.IsFence)
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
  EventId Id = Graph.add(E);
  assert(Id == Accesses.size() && E.Index == Fetched[T].size() && "events are numbered in the order of fetching");
  if constexpr (ExecutionGraph<Words>::IsLarge)
    if (IsWrite) {
      TheMachine.undo().save(Graph.Large.Writes);
      Graph.Large.Writes.insert(Id);
    }
  if (F.InSection) {
    Graph.AnySections = true;
    if (!F.Section)
      F.Section = Id + 1;
    Graph[Id].Section = F.Section;
    F.Fetch.insert(Id); // they are committed in program order
  }
  F.Events.insert(Id);
  Fetched[T].push_back(Id);
  if (Notes)
    Notes->Stacks.push_back(TheMachine.callStack(T));
  Access &A = Accesses.emplace_back();
  A.Op = Op;
  if (hasModes(Model)) {
    const bool IsRelaxed = Op.Volatile && Op.Ordering == Order::NotAtomic && Model == MemoryModel::C11 &&
                           TheMachine.options().Language.Volatile == VolatileMeaning::Relaxed;
    Graph[Id].Mode = IsRelaxed ? Order::Relaxed : modeOf(instructionOrder(Op), IsWrite);
  }
  A.Waits = Op.Kind == OperationKind::Sync ? isBlocking(Op.Sync) : Op.MaySpin;
  if (F.InSection) {
    if (A.Waits && !IsWrite)
      refuseToWaitInSection(T);
    F.WritesInSection |= IsWrite;
  }
  return Id;
}

/// The choice how a store-conditional turns out. It needs no operands and orders nothing.
template <unsigned Words> EventId FetchedEvents<Words>::fetchConditional(ThreadId T, const Instruction &I) {
  Flow &F = Flows[T];
  if (F.Reserved == NoEvent)
    return NoEvent;
  const EventId Decided = addEvent(T, accessOf(OperationKind::Store, I), true);
  Event &E = Graph[Decided];
  E.Decides = true;
  Odd.push_back(Decided);
  E.Before = F.Fetch;
  for (Set *None : {&E.Control, &E.ControlISync, &E.AddressBefore, &E.Sync, &E.LwSync, &E.Eieio})
    None->clear();
  return Decided;
}

/// Where accesses that overlap cut an access that was just added. What is not known when it is fetched, or known in some
/// runs only, must not make a difference: it is cut wherever the accesses of its instruction are.
template <unsigned Words> AccessParts FetchedEvents<Words>::partsOf(EventId E) const {
  const Access &A = Accesses[E];
  if (Ending.Cut.empty() || !AsGraphs)
    return {};
  if (A.Where.Node)
    return Ending.Cut.partsOfCode(Graph[E].Pc, A.Op.Width);
  const Address Where = A.Where.Bits + static_cast<uint64_t>(A.Offset);
  const Object *O = TheMachine.memory().find(Where);
  if (!O)
    return {};
  return hasState(A.Op) ? Ending.Cut.partsOfState(*O, Where, widthOf(E)) : Ending.Cut.partsOf(*O, Where, A.Op.Width);
}

template <unsigned Words> void FetchedEvents<Words>::splitAccess(EventId E, const AccessParts &Parts) {
  if (!Parts.empty())
    Graph.split(E, Parts);
}

/// False: the access is aligned. All its pieces are accesses that are in no order among themselves.
template <unsigned Words>
bool FetchedEvents<Words>::fetchPieces(ThreadId T, const Instruction &I, const LateAccess &A,
                                       std::vector<AccessPiece> &Pieces) {
  const LateValue &Where = A.Where;
  const Address Known = Where.Bits + static_cast<uint64_t>(I.Imm); // if it is
  if (!AsGraphs || (Where.Node ? !Ending.Cut.dividesCode() : Partition::isAligned(Known, A.Op.Width)))
    return false;
  const AccessParts Parts =
      Where.Node ? Ending.Cut.piecesOfCode(TheMachine.pc(T), A.Op.Width) : Partition::pieces(Known, A.Op.Width);
  if (Parts.size() < 2)
    return false;
  if (A.Op.Ordering != Order::NotAtomic)
    refuse(T, "an atomic access that is not aligned");
  const bool Stores = A.Op.Kind == OperationKind::Store;
  Flow &F = Flows[T];
  const Set Before = F.Events;
  for (auto [Offset, Width] : Parts) {
    Operation Piece = A.Op;
    Piece.Width = static_cast<uint8_t>(Width);
    const EventId E = addEvent(T, Piece, Stores);
    Graph[E].Before = Before;
    Graph[E].Address = loadsOf(Where);
    Access &New = Accesses[E];
    New.Where = Where;
    New.Offset = I.Imm + Offset;
    New.Shift = static_cast<uint8_t>(8 * Offset);
    if (Stores) {
      New.Data = A.Data;
      Graph[E].Data = loadsOf(A.Data);
    }
    splitAccess(E, partsOf(E));
    Pieces.push_back({E, New.Shift});
  }
  F.AddressBefore |= loadsOf(Where);
  return true;
}

/// ARM64: whether the write of an update needs nothing of its read, so that its thread may read it before the update has
/// read. What acquires has read before anything later. In a spin loop whatever is written later depends on the read.
inline bool isExchange(const Operation &Op, Order Read) {
  return Op.Kind == OperationKind::Rmw && Op.Rmw == RmwOp::Xchg && !Op.MaySpin && Read < Order::AcquirePC;
}

/// Of an update: what its write needs beside its read, and what follows for events behind it.
template <unsigned Words>
void FetchedEvents<Words>::addDependenciesOfUpdate(Flow &F, const Instruction &I, const Operation &Op,
                                                   const AccessEvents &New) {
  Event &Read = Graph[New.Read], &Write = Graph[New.Write];
  const bool IsArm = Model == MemoryModel::Armv8;
  const bool ReadsFirst = !IsArm || Prog.Arm.Updates == ArmUpdates::Exclusive;
  if (IsArm && isExchange(Op, Read.Mode)) {
    Read.OfExchange = Write.OfExchange = Write.Conditional = true;
    Read.Unused = Write.Unused = I.Flags & ResultUnused;
    Write.Reserved = New.Read;
    Odd.push_back(New.Write);
    return;
  }
  for (Event *E : {&Read, &Write}) {
    E->OfUpdate = true;
    E->Unused = I.Flags & ResultUnused;
    E->Locked = Model == MemoryModel::TSO || Op.Ordering == Order::NotAtomic || Op.Ordering >= Order::Release;
  }
  Odd.push_back(New.Write);
  if (Op.MaySpin) // of the others what they do to the iteration is known already
    F.Updates.insert(New.Read);
  if (Op.Kind != OperationKind::CmpXchg) {
    if (Op.Rmw != RmwOp::Xchg && ReadsFirst)
      Write.Data.insert(New.Read);
    return;
  }
  const Set Compared = loadsOf(Accesses[New.Read].Expected) | loadsOf(Accesses[New.Read].Expected2);
  Write.Control |= Compared;
  if (ReadsFirst)
    Write.Control.insert(New.Read);
  if (ReadsFirst) { // it branches on the comparison
    F.Control |= Write.Control;
  } else {
    Read.Data = Compared;
    Read.Compares = Graph.AnyCompares = true;
    Graph.AnyLateExpected |= !Compared.empty();
  }
}

template <unsigned Words>
AccessEvents FetchedEvents<Words>::fetchAccess(ThreadId T, const Instruction &I, const LateAccess &A) {
  Flow &F = Flows[T];
  const Operation &Op = A.Op;
  const bool HasOffset = I.Op != Opcode::Rmw && I.Op != Opcode::CmpXchg;
  const Set AddressLoads = loadsOf(A.Where);
  fencesBefore(F, Op);
  AccessEvents New;
  if (Op.Kind != OperationKind::Store)
    New.Read = addEvent(T, Op, false);
  if (Op.Kind != OperationKind::Load)
    New.Write = addEvent(T, Op, true);
  for (EventId E : {New.Read, New.Write}) {
    if (E == NoEvent)
      continue;
    static_cast<LateAccess &>(Accesses[E]) = A;
    Accesses[E].Offset = HasOffset ? I.Imm : 0;
    Graph[E].Address = AddressLoads;
    splitAccess(E, partsOf(E));
  }
  if (New.Write != NoEvent)
    Graph[New.Write].Data = loadsOf(A.Data) | loadsOf(A.Data2);
  if (New.Read != NoEvent && New.Write != NoEvent)
    addDependenciesOfUpdate(F, I, Op, New);
  if (I.Op == Opcode::StoreConditional) {
    Graph[New.Write].Conditional = true;
    Odd.push_back(New.Write);
    Graph[New.Write].Reserved = F.Reserved;
  }
  if (Op.Fails)
    Odd.push_back(New.Read);
  if (I.Op == Opcode::LoadReserve)
    F.Reserved = New.Read;
  F.AddressBefore |= AddressLoads;
  fencesBehind(F, Op, New.Read, New.Write);
  return New;
}

/// It is a store whose address and value are known.
template <unsigned Words> void FetchedEvents<Words>::fetchResult(ThreadId T, const Operation &Op) {
  const EventId E = addEvent(T, Op, true);
  Accesses[E].Where = {Op.Where, 0};
  Accesses[E].Data = {Op.Value, 0};
  splitAccess(E, partsOf(E));
}

template <unsigned Words>
EventId FetchedEvents<Words>::fetchSync(ThreadId T, const Operation &Op, const Set &AddressLoads) {
  Flow &F = Flows[T];
  fencesBefore(F, Op);
  const EventId Read = addEvent(T, Op, false), Write = addEvent(T, Op, true);
  for (EventId E : {Read, Write}) {
    Accesses[E].Where = {Op.Where, 0};
    Graph[E].Address = AddressLoads;
    Graph[E].OfUpdate = Graph[E].Locked = true;
    splitAccess(E, partsOf(E));
  }
  if (Model != MemoryModel::Armv8)
    Graph[Write].Data.insert(Read);
  F.AddressBefore |= AddressLoads;
  fencesBehind(F, Op, Read, Write);
  return Read;
}

template <unsigned Words> void FetchedEvents<Words>::noteFence(ThreadId T, FenceKind Kind) {
  note({GraphNotes::Action::Fence, T, 0, Kind, 0, {}});
  if (Model == MemoryModel::C11)
    fetchFence(T, Kind);
  else
    fence(Flows[T], Kind);
}

/// C11: a fence is an event. The others have it as a set of what comes before it.
template <unsigned Words> void FetchedEvents<Words>::fetchFence(ThreadId T, FenceKind Kind) {
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
  if (TheMachine.alone())
    return;
  Operation Op;
  Op.Kind = OperationKind::Fence;
  Op.Ordering = Mode;
  const EventId E = addEvent(T, Op, false);
  Graph[E].IsFence = true;
  Graph[E].Mode = Mode;
  Graph[E].Part = 1ull << 63 | Graph[E].Index; // accesses have the same names with and without it
}

template <unsigned Words> Order FetchedEvents<Words>::modeOfRead(EventId Read) {
  const Operation &Op = Accesses[Read].Op;
  if (Op.Kind == OperationKind::CmpXchg && update(Read, Graph[Read].Value).Does != Update::Writes)
    return modeOf(Op.FailureOrdering, false);
  return modeOf(Op.Kind == OperationKind::Sync ? orderOf(Op.Sync) : Op.Ordering, false);
}

/// ARM64: F.Sync is what comes before everything later, F.Eieio before later writes.
template <unsigned Words> void FetchedEvents<Words>::barrier(Flow &F, FenceKind Kind) {
  auto Add = [&](bool Writes, Set &Into) {
    F.Events.forEach([&](EventId E) {
      if (Graph[E].IsWrite == Writes && !Graph[E].Decides && !(Graph[E].Unused && !Writes))
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

template <unsigned Words> void FetchedEvents<Words>::keepBarrier(const Flow &F, FenceKind Kind, const Set &Control) {
  if (Graph.KeepsBarriers)
    Graph.Barriers.push_back({F.Thread, F.NumEvents, Kind, Control});
}

template <unsigned Words> void FetchedEvents<Words>::fence(Flow &F, FenceKind Kind) {
  keepBarrier(F, Kind, F.Control);
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
template <unsigned Words> void FetchedEvents<Words>::fencesBefore(Flow &F, const Operation &Op) {
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
template <unsigned Words> void FetchedEvents<Words>::orderBehind(Flow &F, EventId Read, EventId Write) {
  const bool Acquires = Read != NoEvent && Graph[Read].Mode >= Order::AcquirePC && Graph[Read].Mode != Order::Release;
  const bool Releases = Write != NoEvent && Graph[Write].Mode >= Order::Release;
  if (Acquires)
    F.Sync.insert(Read);
  if (Releases)
    F.LwSync.insert(Write);
  // One instruction that does both is a barrier for what comes after it.
  if (Acquires && Releases && Prog.Arm.Updates == ArmUpdates::Single && Graph[Read].Mode != Order::AcquirePC)
    F.Sync.insert(Write);
}

template <unsigned Words>
void FetchedEvents<Words>::fencesBehind(Flow &F, const Operation &Op, EventId Read, EventId Write) {
  bool Unlocks = Op.Kind == OperationKind::Sync && isUnlock(Op.Sync);
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
    keepBarrier(F, FenceKind::ISync, F.ControlISync);
  }
}

} // namespace picket
