// The end of memory. What only one thread has ever touched ends at once. Else the end is a write to every place in it
// that is accessed: reading it, or writing behind it, is a use of memory that has ended. A part of OutOfOrder.cpp: not
// for others to include.
#pragma once

#include "machine/Messages.h"
#include "memory/OutOfOrderValues.h"

namespace picket {

constexpr uint32_t LifeOffset = 0xfffffff0; // beyond every object: a place that only ends are written to

// How much of an object is accessed is learned while it is explored. So the events of its end are not counted, but
// named after the places.
constexpr uint64_t copyPart(uint32_t Offset, bool IsWrite) { return 2ull * Offset + IsWrite; }
constexpr uint64_t endPart(uint32_t Ordinal, uint32_t Offset) { return (Ordinal + 1ull) << 32 | Offset; }

/// Ordinal: which of the objects that the operation ends.
template <unsigned Words> void OutOfOrder<Words>::addEnds(ThreadId T, Address Where, uint32_t Ordinal) {
  const Object &O = *M.Mem.find(Where);
  Ending.Ended.insert(O.Site);
  std::set<std::pair<uint32_t, uint32_t>> Parts = Ending.partsOf(O.Site);
  Parts.insert({LifeOffset, 1});
  for (auto [Offset, Size] : Parts) {
    if (Offset != LifeOffset && uint64_t(Offset) + Size > O.Size)
      continue;
    Operation Op;
    Op.Kind = OperationKind::Store;
    Op.Width = static_cast<uint8_t>(Size);
    EventId E = addEvent(T, Op, true);
    G[E].Ends = true;
    G[E].Part = endPart(Ordinal, Offset);
    Accesses[E].Where = {addressOf(slotOf(Where), Offset), 0};
  }
}

template <unsigned Words> void OutOfOrder<Words>::endLocals(ThreadId T) {
  M.save(T);
  uint32_t Ordinal = 0;
  for (const Machine::Access &Local : M.pendingEnds(T))
    addEnds(T, Local.Where, Ordinal++);
  Interpreter(M, T).completeEnd();
}

template <unsigned Words> void OutOfOrder<Words>::endBlock(ThreadId T, const Instruction &I) {
  Machine::State &S = M.Threads[T]->S;
  Address Where = S.Pending.Where;
  const Object &O = *M.Mem.find(Where);
  uint32_t Pc = S.Pc;
  const bool IsShared = M.Shared.isShared(O.Site), Drains = !AsGraphs && IsShared;
  if (Drains)
    fence(Flows[T], FenceKind::Full);
  if (!IsShared && O.Life != Lifetime::Alive) {
    Interpreter(M, T).completeFree(); // which finds that it has ended
  } else if (static_cast<Builtin>(I.Imm) == Builtin::Realloc) {
    moveBlock(T, I, Where);
  } else if (IsShared) {
    addEnds(T, Where);
    S.Pending = Operation();
    ++S.Operations;
    ++S.Effects;
    ++S.Pc;
  } else {
    Interpreter(M, T).completeFree();
  }
  if (Drains)
    fence(Flows[T], FenceKind::Full);
  if (S.Status == ThreadStatus::Ready && S.Pc == Pc + 1 && I.Dst >= 0)
    setTag(tags(T)[I.Dst], 0);
}

/// realloc: a new block with what is in the old one, which ends.
template <unsigned Words> void OutOfOrder<Words>::moveBlock(ThreadId T, const Instruction &I, Address Old) {
  Machine::State &S = M.Threads[T]->S;
  Interpreter Run(M, T);
  Run.enterFrame();
  const Address New = addressOf(Run.newBlock(I, Run.argument(I, 1), Content::Nothing));
  Object &From = *M.Mem.find(Old);
  const uint32_t Size = std::min(M.Mem.find(New)->Size, From.Size);
  M.Mem.copyWritten(New, Old, Size);
  std::memcpy(M.Mem.bytes(New), M.Mem.bytes(Old), Size);
  addCopies(T, Old, New, Size);
  Ending.Ended.insert(From.Site); // what else turns out to be in it must be copied too
  if (M.Shared.isShared(From.Site))
    addEnds(T, Old);
  else
    M.Mem.end(From, Lifetime::Freed, S.Pc);
  S.Pending = Operation();
  ++S.Operations;
  Run.finishBuiltin(I, New);
}

/// Reads what is known to be in the old block and writes it to the new one.
template <unsigned Words> void OutOfOrder<Words>::addCopies(ThreadId T, Address Old, Address New, uint32_t Size) {
  for (auto [Offset, Width] : Ending.partsOf(M.Mem.find(Old)->Site)) {
    if (uint64_t(Offset) + Width > Size)
      continue;
    if (Width > 8) { // a synchronisation object or 16 bytes, which are read and written as bytes here
      Ending.Cut.cut(*M.Mem.find(Old), Old + Offset);
      Ending.Cut.cut(*M.Mem.find(New), New + Offset);
      Ending.Changed = true;
      continue;
    }
    Operation Op;
    Op.Kind = OperationKind::Load;
    Op.Width = static_cast<uint8_t>(Width);
    EventId Read = addEvent(T, Op, false);
    Accesses[Read].Where = {Old + Offset, 0};
    G[Read].Part = copyPart(Offset, false);
    Op.Kind = OperationKind::Store;
    EventId Write = addEvent(T, Op, true);
    Accesses[Write].Where = {New + Offset, 0};
    Accesses[Write].Data = {0, resultNode(Read, Node::Result)};
    G[Write].Part = copyPart(Offset, true);
    G[Write].Data.insert(Read);
  }
}

template <unsigned Words> std::vector<PlaceId> OutOfOrder<Words>::placesOf(uint32_t Slot) const {
  std::vector<PlaceId> All;
  for (auto At = Places.lower_bound(lowestAddress(Slot)); At != Places.end() && slotOf(At->first) == Slot; ++At)
    All.push_back(At->second);
  return All;
}

template <unsigned Words> PlaceId OutOfOrder<Words>::lifeOf(uint32_t Slot) const {
  auto Found = Places.find(addressOf(Slot, LifeOffset));
  return Found == Places.end() ? NoPlace : Found->second;
}

template <unsigned Words> void OutOfOrder<Words>::failEnded(EventId E, EventId End) {
  const Address Where = whereOf(E);
  Object &O = M.Mem.at(slotOf(Where));
  const Instruction &I = P.Code[G[E].Pc];
  const bool Moves = !G[E].IsWrite && I.Op == Opcode::CallBuiltin && static_cast<Builtin>(I.Imm) == Builtin::Realloc;
  if (G[E].Ends || Moves)
    return fail(E, BugKind::DoubleFree,
                "free of a heap block that was freed already (line " + std::to_string(P.placeOf(G[End].Pc).Line) + ")");
  M.Mem.end(O, O.Kind == ObjectKind::Heap ? Lifetime::Freed : Lifetime::Left, G[End].Pc);
  auto [Kind, Message] = describeBadAccess(M, Where, widthOf(E), G[E].IsWrite);
  fail(E, Kind, std::move(Message));
}

template <unsigned Words> void OutOfOrder<Words>::failRace(EventId E, EventId Other) {
  fail(E, BugKind::DataRace,
       describeRace(M, whereOf(E), G[E].IsWrite, G[Other].Thread, G[Other].Pc, G[Other].IsWrite,
                    G[Other].Mode != Order::NotAtomic));
}

template <unsigned Words> bool OutOfOrder<Words>::failsUnwritten(EventId Read) {
  const OperationKind Kind = Accesses[Read].Op.Kind;
  const bool Reads = Kind == OperationKind::Load || Kind == OperationKind::Rmw || Kind == OperationKind::CmpXchg;
  if (!M.checks(BugKind::Uninitialised) || !Reads)
    return false;
  const Object &O = M.Mem.at(slotOf(whereOf(Read)));
  const bool Fails = G.anyCell(Read, [&](const GraphCell &C) {
    const auto &Place = G.Places[C.Place];
    return C.Source == NoEvent && M.readsUnwritten(G[Read].Pc, O, Place.Where, Place.Width);
  });
  if (Fails)
    fail(Read, BugKind::Uninitialised, describeUnwritten(M, O, whereOf(Read), widthOf(Read)));
  return Fails;
}

/// A thread whose divisor turns out to be zero ends there: what it has fetched behind is never committed any more. What
/// is committed by then did not depend on the quotient.
template <unsigned Words> void OutOfOrder<Words>::failDivisions() {
  for (const Condition &D : Divisions) {
    uint64_t Divisor = 0;
    if (Flows[D.Thread].FailedAt <= D.EventsBefore || !resolve(D.Fails, Divisor) ||
        lowBits(Divisor, P.Code[D.Pc].Width) != 0)
      continue;
    M.newStep();
    M.save(D.Thread);
    M.undo().save(Flows[D.Thread]);
    M.addBug(BugKind::DivisionByZero, D.Thread, D.Pc, "division by zero");
    M.Threads[D.Thread]->S.Status = ThreadStatus::Failed;
    Flows[D.Thread].FailedAt = D.EventsBefore;
    Flows[D.Thread].Bug = NoEvent;
  }
}

template <unsigned Words> bool OutOfOrder<Words>::reportOverflows() {
  bool Found = false;
  for (const Condition &C : Conditions) {
    uint64_t Fails = 0;
    if (!M.checks(BugKind::Overflow) || Flows[C.Thread].FailedAt < C.EventsBefore || !resolve(C.Fails, Fails) || !Fails)
      continue;
    const BugReport New{BugKind::Overflow, C.Thread, C.Pc, describe(static_cast<OverflowKind>(P.Code[C.Pc].C))};
    if (std::none_of(M.bugs().begin(), M.bugs().end(), [&](const BugReport &B) { return isSame(B, New); }))
      M.addBug(New.Kind, New.Thread, New.Pc, New.Message);
    Found = true;
  }
  return Found;
}

/// What is in memory, and which of it has ended, is in the graph. It is put into the machine for the search.
template <unsigned Words> bool OutOfOrder<Words>::reportLeaks() {
  if (!M.checks(BugKind::Leak))
    return false;
  const UndoLog::Mark Before = M.undo().mark();
  for (PlaceId Id = 0; Id < G.Places.size(); ++Id) {
    const auto &Place = G.Places[Id];
    if (Place.Coherence.empty())
      continue;
    const EventId Last = Place.Coherence.back();
    if (Object &O = M.Mem.at(slotOf(Place.Where)); G[Last].Ends && O.Life == Lifetime::Alive)
      M.Mem.end(O, O.Kind == ObjectKind::Heap ? Lifetime::Freed : Lifetime::Left, G[Last].Pc);
    else if (!G[Last].Ends && Place.Holds == Graph::PlaceState::Bits)
      M.Mem.write(Place.Where, Place.Width, G.valueIn(Id, Last), 0);
    else if (!G[Last].Ends && Accesses[Last].Op.Kind != OperationKind::Sync) { // 16 bytes
      uint64_t Low, High;
      Memory::readWords(stateOf(G.valueIn(Id, Last)), Place.Width, Low, High);
      M.Mem.write(Place.Where, Place.Width, Low, High);
    }
  }
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    if (!M.exists(T) || M.isFinished(T))
      continue;
    Machine::Thread &Thread = *M.Threads[T];
    for (uint32_t K = 0, Count = M.numRegisters(Thread, Thread.S, Thread.Frames); K < Count; ++K)
      if (uint64_t Bits; Tags[T][K] && resolve({0, Tags[T][K]}, Bits)) {
        M.undo().save(Thread.Registers[K]);
        Thread.Registers[K] = Bits;
      }
  }
  const bool Found = M.reportLeaks();
  M.undo().undoTo(Before);
  return Found;
}

} // namespace picket
