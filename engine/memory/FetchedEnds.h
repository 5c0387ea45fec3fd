// The end of memory. What only one thread has ever touched ends immediately. Else the end is a write to every location in it
// that is accessed: reading it, or writing behind it, is a use of memory that has ended. A part of FetchedEvents.cpp: not
// for others to include.
#pragma once

#include "machine/Messages.h"
#include "memory/FetchedEvents.h"

namespace picket {

constexpr uint32_t LifeOffset = 0xfffffff0; // beyond every object: a location that only ends are written to

// How much of an object is accessed is learned while it is explored. So the events of its end are not counted, but
// named after the locations.
constexpr uint64_t copyPart(uint32_t Offset, bool IsWrite) { return 2ull * Offset + IsWrite; }
constexpr uint64_t endPart(uint32_t Ordinal, uint32_t Offset) { return (Ordinal + 1ull) << 32 | Offset; }

/// Ordinal: which of the objects that the operation ends.
template <unsigned Words> void FetchedEvents<Words>::fetchEnd(ThreadId T, Address Where, uint32_t Ordinal) {
  const Object &O = *TheMachine.memory().find(Where);
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
    Graph[E].Ends = true;
    Graph[E].Part = endPart(Ordinal, Offset);
    Accesses[E].Where = {addressOf(slotOf(Where), Offset), 0};
  }
}

/// Reads what is known to be in the old block and writes it to the new one.
template <unsigned Words> void FetchedEvents<Words>::fetchCopies(ThreadId T, Address Old, Address New, uint32_t Size) {
  for (auto [Offset, Width] : Ending.partsOf(TheMachine.memory().find(Old)->Site)) {
    if (uint64_t(Offset) + Width > Size)
      continue;
    if (Width > 8) { // a synchronisation object or 16 bytes, which are read and written as bytes here
      Ending.Cut.cut(*TheMachine.memory().find(Old), Old + Offset);
      Ending.Cut.cut(*TheMachine.memory().find(New), New + Offset);
      Ending.Changed = true;
      continue;
    }
    Operation Op;
    Op.Kind = OperationKind::Load;
    Op.Width = static_cast<uint8_t>(Width);
    EventId Read = addEvent(T, Op, false);
    Accesses[Read].Where = {Old + Offset, 0};
    Graph[Read].Part = copyPart(Offset, false);
    Op.Kind = OperationKind::Store;
    EventId Write = addEvent(T, Op, true);
    Accesses[Write].Where = {New + Offset, 0};
    Accesses[Write].Data = Threads.resultOf(Read);
    Graph[Write].Part = copyPart(Offset, true);
    Graph[Write].Data.insert(Read);
  }
}

template <unsigned Words> std::vector<LocationId> FetchedEvents<Words>::locationsOf(uint32_t Slot) const {
  std::vector<LocationId> All;
  for (auto At = Locations.lower_bound(lowestAddress(Slot)); At != Locations.end() && slotOf(At->first) == Slot; ++At)
    All.push_back(At->second);
  return All;
}

template <unsigned Words> LocationId FetchedEvents<Words>::lifeOf(uint32_t Slot) const {
  auto Found = Locations.find(addressOf(Slot, LifeOffset));
  return Found == Locations.end() ? NoLocation : Found->second;
}

template <unsigned Words> void FetchedEvents<Words>::failEnded(EventId E, EventId End) {
  const Address Where = whereOf(E);
  Object &O = TheMachine.memory().at(slotOf(Where));
  const Instruction &I = Prog.Code[Graph[E].Pc];
  const bool Moves =
      !Graph[E].IsWrite && I.Op == Opcode::CallBuiltin && static_cast<Builtin>(I.Imm) == Builtin::Realloc;
  if (Graph[E].Ends || Moves)
    return fail(E, BugKind::DoubleFree,
                "free of a heap block that was freed already (line " +
                    std::to_string(Prog.locationOf(Graph[End].Pc).Line) + ")");
  TheMachine.memory().end(O, O.Kind == ObjectKind::Heap ? Lifetime::Freed : Lifetime::Left, Graph[End].Pc);
  auto [Kind, Message] = describeBadAccess(Prog, TheMachine.memory(), Where, widthOf(E), Graph[E].IsWrite);
  fail(E, Kind, std::move(Message));
}

template <unsigned Words> BugReport FetchedEvents<Words>::raceOf(EventId E, EventId Other) const {
  const RacingAccess With{Graph[Other].Thread, Graph[Other].Pc, Graph[Other].IsWrite,
                          Graph[Other].Mode != Order::NotAtomic};
  const uint32_t Slot = slotOf(whereOf(E));
  BugReport Race{BugKind::DataRace, Graph[E].Thread, Graph[E].Pc,
                 describeRace(Prog, TheMachine.memory().at(Slot), Slot, Graph[E].IsWrite, With,
                              TheMachine.threadName(With.Thread))};
  Race.Other = With;
  return Race;
}

template <unsigned Words> bool FetchedEvents<Words>::failsUnwritten(EventId Read) {
  const OperationKind Kind = Accesses[Read].Op.Kind;
  const bool Reads = Kind == OperationKind::Load || Kind == OperationKind::Rmw || Kind == OperationKind::CmpXchg;
  if (!TheMachine.checks(BugKind::Uninitialised) || !Reads)
    return false;
  const Object &O = TheMachine.memory().at(slotOf(whereOf(Read)));
  const bool Fails = Graph.anyCell(Read, [&](const GraphCell &C) {
    const auto &Location = Graph.Locations[C.Location];
    return C.Source == NoEvent && TheMachine.readsUnwritten(Graph[Read].Pc, O, Location.Where, Location.Width);
  });
  if (Fails)
    fail(Read, BugKind::Uninitialised, describeUnwritten(Prog, O, whereOf(Read), widthOf(Read)));
  return Fails;
}

template <unsigned Words> void FetchedEvents<Words>::writeToMemory() {
  Memory &Mem = TheMachine.memory();
  for (LocationId Id = 0; Id < Graph.Locations.size(); ++Id) {
    const auto &Location = Graph.Locations[Id];
    if (Location.Coherence.empty())
      continue;
    const EventId Last = Location.Coherence.back();
    if (Object &O = Mem.at(slotOf(Location.Where)); Graph[Last].Ends && O.Life == Lifetime::Alive)
      Mem.end(O, O.Kind == ObjectKind::Heap ? Lifetime::Freed : Lifetime::Left, Graph[Last].Pc);
    else if (!Graph[Last].Ends && Location.Holds == ExecutionGraph<Words>::LocationState::Bits)
      Mem.write(Location.Where, Location.Width, Graph.valueIn(Id, Last), 0);
    else if (!Graph[Last].Ends && Accesses[Last].Op.Kind != OperationKind::Sync) { // 16 bytes
      uint64_t Low, High;
      Memory::readWords(stateOf(Graph.valueIn(Id, Last)), Location.Width, Low, High);
      Mem.write(Location.Where, Location.Width, Low, High);
    }
  }
}

} // namespace picket
