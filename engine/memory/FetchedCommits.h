// What an explorer asks of events before it commits them, and tells when it does. A part of FetchedEvents.cpp: not for
// others to include.
#pragma once

#include "machine/Arithmetic.h"
#include "machine/Messages.h"
#include "memory/ChangesMemory.h"
#include "memory/FetchedEnds.h"

namespace picket {

template <unsigned Words> uint64_t FetchedEvents<Words>::internBytes(const uint8_t *From, uint32_t Size) {
  Bytes Key{};
  std::memcpy(Key.data(), From, Size);
  auto [Found, New] = StateIds.try_emplace(Key, States.size());
  if (New)
    States.push_back(Key);
  return Found->second;
}

template <unsigned Words> uint64_t FetchedEvents<Words>::internWords(uint64_t Low, uint64_t High) {
  const uint64_t Both[2] = {Low, High};
  return internBytes(reinterpret_cast<const uint8_t *>(Both), sizeof(Both));
}

/// The location of an access, or of a part of it. None if it overlaps others: then it is known where to cut them.
template <unsigned Words> LocationId FetchedEvents<Words>::locationFor(EventId E, Address Where, uint32_t Width) {
  auto Found = Locations.lower_bound(Where);
  if (Found == Locations.end() || Found->first != Where) {
    bool Overlaps = Found != Locations.end() && Found->first < Where + Width;
    if (Found != Locations.begin()) {
      auto Before = std::prev(Found);
      Overlaps |= Before->first + Graph.Locations[Before->second].Width > Where;
    }
    if (!Overlaps) {
      auto &New = Graph.Locations.emplace_back();
      New.Where = Where;
      New.Width = Width;
      Found = Locations.emplace_hint(Found, Where, static_cast<LocationId>(Graph.Locations.size() - 1));
      return Found->second;
    }
  } else if (Graph.Locations[Found->second].Width == Width) {
    return Found->second;
  }
  if (!AsGraphs)
    throw GraphStop(Graph[E].Thread, Graph[E].Pc, "accesses of different sizes that overlap");
  learnCuts(Where, Width);
  return NoLocation;
}

/// Notes where an access and the locations it overlaps cut each other.
template <unsigned Words> void FetchedEvents<Words>::learnCuts(Address Where, uint32_t Width) {
  const Object &O = *TheMachine.memory().find(Where);
  auto Cut = [&](Address At, Address First, uint32_t Size) {
    if (At > First && At < First + Size)
      Ending.Cut.cut(O, At);
  };
  auto At = Locations.lower_bound(Where);
  if (At != Locations.begin())
    --At;
  for (; At != Locations.end() && At->first < Where + Width; ++At) {
    const uint32_t Size = Graph.Locations[At->second].Width;
    if (At->first + Size <= Where)
      continue;
    Cut(At->first, Where, Width);
    Cut(At->first + Size, Where, Width);
    Cut(Where, At->first, Size);
    Cut(Where + Width, At->first, Size);
  }
  Ending.Changed = true;
}

/// Whether an access has all the cells that it must have, and is aligned. Else that is known from now on.
template <unsigned Words>
bool FetchedEvents<Words>::isCutAsKnown(EventId E, const Object &O, Address Where, uint32_t Width) {
  const Access &A = Accesses[E];
  const bool IsSync = A.Op.Kind == OperationKind::Sync;
  if (!AsGraphs)
    return true;
  if (!IsSync && !Graph[E].Ends && !Partition::isAligned(Where, Width)) {
    const Opcode Op = Prog.Code[Graph[E].Pc].Op;
    if (!A.Where.Node || A.Op.Ordering != Order::NotAtomic || Graph[E].OfUpdate ||
        (Op != Opcode::Load && Op != Opcode::Store))
      throw GraphStop(Graph[E].Thread, Graph[E].Pc, "an atomic access that is not aligned");
    const auto Start = static_cast<uint32_t>(A.Offset - Prog.Code[Graph[E].Pc].Imm); // of this piece
    for (auto [Offset, Size] : Partition::pieces(Where, Width))
      if (Offset)
        Ending.Cut.divideCode(Graph[E].Pc, Start + Offset);
    Ending.Changed = true;
    return false;
  }
  if (!A.Where.Node || Ending.Cut.empty())
    return true;
  bool AsKnown = true;
  for (auto [Offset, Size] :
       hasState(A.Op) ? Ending.Cut.partsOfState(O, Where, Width) : Ending.Cut.partsOf(O, Where, Width))
    if (Offset &&
        !(Graph.isSplit(E) && Graph.anyCell(E, [Offset](const GraphCell &C) { return C.Offset == Offset; }))) {
      Ending.Cut.cutCode(Graph[E].Pc, Offset);
      Ending.Changed = true;
      AsKnown = false;
    }
  return AsKnown;
}

template <unsigned Words>
uint64_t FetchedEvents<Words>::resultOf(EventId E, ResultPart Part, uint64_t Expected, uint64_t Expected2) const {
  assert(isCommitted(E));
  const Operation &Op = Accesses[E].Op;
  const uint64_t Value = Graph[E].Value;
  switch (Part) {
  case ResultPart::Whole: break;
  case ResultPart::Low: return Memory::readWord(stateOf(Value), 8);
  case ResultPart::High: return Memory::readWord(stateOf(Value) + 8, 8);
  case ResultPart::Success: return isValue(Op, Value, Expected, Expected2) && !Op.Fails;
  case ResultPart::Returned: return static_cast<uint32_t>(Accesses[E].Result.Value);
  }
  return Value;
}

template <unsigned Words> void FetchedEvents<Words>::fail(EventId E, BugReport New) {
  const ThreadId T = Graph[E].Thread;
  TheMachine.newStep();
  TheMachine.fail(std::move(New));
  save(T);
  Flows[T].FailedAt = Graph[E].Index;
  Flows[T].Bug = E;
}

template <unsigned Words> bool FetchedEvents<Words>::reportHang(EventId Load) {
  return TheMachine.reportStuckAt(Graph[Load].Thread, Graph[Load].Pc, false);
}

/// What is in a location before the first access of it. Of a synchronisation object, or of what is accessed as 16 bytes,
/// that is the number of its state, as long as there are no other accesses of it. False: there are, as is known from now
/// on.
template <unsigned Words> bool FetchedEvents<Words>::readInitial(EventId E, LocationId Id, bool IsState) {
  auto &Location = Graph.Locations[Id];
  const auto Holds = IsState ? ExecutionGraph<Words>::LocationState::State : ExecutionGraph<Words>::LocationState::Bits;
  if (Location.Holds == ExecutionGraph<Words>::LocationState::Unknown)
    Location.Holds = Holds;
  if (Location.Holds != Holds) {
    if (!AsGraphs)
      throw GraphStop(Graph[E].Thread, Graph[E].Pc, "a plain access of a synchronisation object");
    Ending.Cut.cut(*TheMachine.memory().find(Location.Where), Location.Where);
    Ending.Changed = true;
    return false;
  }
  const bool Untouched = Location.Reads.empty() && std::all_of(Location.Coherence.begin(), Location.Coherence.end(),
                                                               [&](EventId W) { return Graph[W].Ends; });
  if (!Untouched)
    return true;
  const uint8_t *Bytes = TheMachine.memory().bytes(Location.Where);
  Location.Initial = IsState ? internBytes(Bytes, Location.Width) : Memory::readWord(Bytes, Location.Width);
  return true;
}

template <unsigned Words> bool FetchedEvents<Words>::locate(EventId E) {
  Event &Found = Graph[E];
  if (Found.Location != NoLocation || Found.Decides || Found.IsFence)
    return true;
  const Access &A = Accesses[E];
  Address Where;
  if (!resolve(A.Where, Where))
    return false;
  Where += static_cast<uint64_t>(A.Offset);
  // A store-conditional cannot succeed elsewhere than at its reservation.
  if (Found.Conditional && (!locate(Found.Reserved) || Graph.Locations[Graph[Found.Reserved].Location].Where != Where))
    return false;
  ThreadId T = Found.Thread;
  bool IsSync = A.Op.Kind == OperationKind::Sync, Writes = A.Op.Kind != OperationKind::Load;
  uint32_t Width = IsSync ? sizeOf(A.Op.Sync) : A.Op.Width;
  bool IsLife = Found.Ends && offsetOf(Where) == LifeOffset;
  Object *O = TheMachine.memory().find(Where);
  if (!IsLife && (!O || !Memory::inBounds(*O, Where, Width) || (Writes && O->Kind == ObjectKind::Constant))) {
    auto [Kind, Message] = describeBadAccess(Prog, TheMachine.memory(), Where, Width, Writes);
    fail(E, Kind, std::move(Message));
    return false;
  }
  if (!Found.Ends && O->Kind != ObjectKind::Constant && Writes)
    TheMachine.sharing().noteWrite(Where, Width, T);
  if (!Found.Ends &&
      (O->Kind == ObjectKind::Heap || O->Kind == ObjectKind::Stack || O->Kind == ObjectKind::ThreadLocal)) {
    if ((O->Owner != T || A.Where.Node) && !TheMachine.sharing().isShared(O->Site))
      TheMachine.sharing().markShared(O->Site);
    if (Ending.Accessed[O->Site].insert({offsetOf(Where), Width}).second)
      Ending.Changed |= Ending.Ended.count(O->Site) != 0;
  }
  if (Ending.Sections && Writes && !Ending.Writers.note(Where, Width, T))
    Ending.Changed = true;
  if (!IsLife && !isCutAsKnown(E, *O, Where, Width))
    return false;
  LocationId First = NoLocation;
  for (uint32_t K = 0; K < Found.NumCells; ++K) {
    GraphCell &C = Graph.cell(E, K);
    LocationId Id = Graph.isSplit(E) ? locationFor(E, Where + C.Offset, C.Width) : locationFor(E, Where, Width);
    if (Id == NoLocation || (!Found.Ends && !readInitial(E, Id, hasState(A.Op) && !Graph.isSplit(E))))
      return false;
    First = K == 0 ? Id : First;
    if (Graph.isSplit(E)) {
      TheMachine.undo().save(C.Location);
      C.Location = Id;
    }
  }
  TheMachine.undo().save(Found.Location);
  Found.Location = First;
  if constexpr (ExecutionGraph<Words>::IsLarge)
    Graph.forEachCell(E, [&](const GraphCell &C) {
      if (Graph.Large.Located.size() <= C.Location)
        Graph.Large.Located.resize(C.Location + 1);
      TheMachine.undo().save(Graph.Large.Located[C.Location]);
      Graph.Large.Located[C.Location].insert(E);
    });
  return true;
}

template <unsigned Words> bool FetchedEvents<Words>::hasOperands(EventId E) {
  uint64_t Bits;
  const Access &A = Accesses[E];
  return (A.Op.Kind == OperationKind::Load || (resolve(A.Data, Bits) && resolve(A.Data2, Bits))) &&
         resolve(A.Expected, Bits) && resolve(A.Expected2, Bits);
}

template <unsigned Words> uint64_t FetchedEvents<Words>::valueOf(EventId Write) {
  assert(Graph[Write].IsWrite && hasOperands(Write));
  uint64_t Bits = 0;
  resolve(Accesses[Write].Data, Bits);
  if (hasState(Accesses[Write].Op)) {
    uint64_t High = 0;
    resolve(Accesses[Write].Data2, High);
    return internWords(Bits, High);
  }
  return lowBits(Bits >> Accesses[Write].Shift, Accesses[Write].Op.Width * 8u);
}

template <unsigned Words> void FetchedEvents<Words>::divide(EventId Write) {
  const bool HasState = hasState(Accesses[Write].Op);
  for (uint32_t K = 0; K < Graph[Write].NumCells; ++K) {
    GraphCell &C = Graph.cell(Write, K);
    C.Value = HasState ? Memory::readWord(stateOf(Graph[Write].Value) + C.Offset, C.Width)
                       : lowBits(Graph[Write].Value >> 8 * C.Offset, 8 * C.Width);
  }
}

template <unsigned Words> uint64_t FetchedEvents<Words>::joined(EventId Read) {
  Bytes All{};
  Graph.forEachCell(Read, [&](const GraphCell &C) { std::memcpy(All.data() + C.Offset, &C.Value, C.Width); });
  const Operation &Op = Accesses[Read].Op;
  return hasState(Op) ? internBytes(All.data(), widthOf(Read)) : Memory::readWord(All.data(), Op.Width);
}

template <unsigned Words>
typename FetchedEvents<Words>::Update FetchedEvents<Words>::update(EventId Read, uint64_t Old) {
  assert(!Graph[Read].IsWrite && Graph[Read].OfUpdate);
  const Access &A = Accesses[Read];
  Update Done;
  if (A.Op.Kind != OperationKind::Sync && A.Op.Width > 8)
    return updateWide(A, Old);
  uint64_t Operand = 0, Expected = 0;
  switch (A.Op.Kind) {
  case OperationKind::Rmw:
    resolve(A.Data, Operand);
    Done.Value = applyRmw(A.Op.Rmw, Old, Operand, A.Op.Width);
    return Done;
  case OperationKind::CmpXchg:
    resolve(A.Data, Operand);
    resolve(A.Expected, Expected);
    Done.Does = lowBits(Expected, A.Op.Width * 8u) == Old && !A.Op.Fails ? Update::Writes : Update::Leaves;
    Done.Value = lowBits(Operand, A.Op.Width * 8u);
    return Done;
  default: break;
  }
  Bytes State = States[Old];
  Done.Result = apply(A.Op.Sync, State.data(), Graph[Read].Thread, A.Op.Value);
  switch (Done.Result.Outcome) {
  case SyncResult::Blocked: Done.Does = Update::Waits; break;
  case SyncResult::Misuse: Done.Does = Update::Fails; break;
  case SyncResult::Done:
    Done.Value = internBytes(State.data(), sizeOf(A.Op.Sync));
    Done.Does = Done.Value == Old ? Update::Leaves : Update::Writes;
    break;
  }
  return Done;
}

template <unsigned Words>
typename FetchedEvents<Words>::Update FetchedEvents<Words>::updateWide(const Access &A, uint64_t Old) {
  Operation Op = A.Op;
  resolve(A.Data, Op.Value);
  resolve(A.Data2, Op.Value2);
  resolve(A.Expected, Op.Expected);
  resolve(A.Expected2, Op.Expected2);
  uint64_t Low, High;
  Memory::readWords(stateOf(Old), Op.Width, Low, High);
  Update Done;
  if (Op.Kind == OperationKind::CmpXchg && (Op.Fails || !findsExpected(Op, Low, High))) {
    Done.Does = Update::Leaves;
    return Done;
  }
  updateWord(Op, Low, High);
  Done.Value = internWords(Low, High);
  return Done;
}

template <unsigned Words> void FetchedEvents<Words>::noteUpdate(EventId Read, const Update &Done) {
  assert(Done.Does != Update::Waits);
  ThreadId T = Graph[Read].Thread;
  if (Done.Does == Update::Fails) {
    if (!Done.Result.BugKind)
      stopUnsupported(T, Graph[Read].Pc, Done.Result.Phrase);
    fail(Read, *Done.Result.BugKind, Done.Result.Phrase);
    Flows[T].FailedAt = Graph[Read].Index + 2;
    return;
  }
  Access &A = Accesses[Read];
  TheMachine.undo().save(A.Result);
  A.Result = Done.Result;
  if (A.Op.MaySpin && Done.Does == Update::Writes && Done.Value != Graph[Read].Value)
    TheMachine.countEffect(T);
}

template <unsigned Words> bool FetchedEvents<Words>::hasOtherFailure() {
  for (EventId E : Odd) {
    const Access &A = Accesses[E];
    uint64_t Expected = 0, Expected2 = 0;
    if (A.Op.Fails && !Graph[E].IsWrite && Graph.Committed.contains(E) && resolve(A.Expected, Expected) &&
        resolve(A.Expected2, Expected2) && !isValue(A.Op, Graph[E].Value, Expected, Expected2))
      return true;
  }
  return false;
}

template <unsigned Words> void FetchedEvents<Words>::noteOutcome(EventId Decided, bool Succeeds) {
  TheMachine.undo().save(Accesses[Decided].Succeeds);
  Accesses[Decided].Succeeds = Succeeds;
}

template <unsigned Words> uint64_t FetchedEvents<Words>::finalValue(Address Where, unsigned Width) {
  uint8_t Bytes[8] = {};
  std::memcpy(Bytes, TheMachine.memory().bytes(Where), Width);
  for (auto At = Locations.lower_bound(Where >= 64 ? Where - 64 : 0);
       At != Locations.end() && At->first < Where + Width; ++At) {
    const auto &Location = Graph.Locations[At->second];
    if (Location.Coherence.empty() || Graph[Location.Coherence.back()].Ends)
      continue;
    const uint64_t Value = Graph.valueIn(At->second, Location.Coherence.back());
    const bool IsState = Location.Holds == ExecutionGraph<Words>::LocationState::State;
    for (uint32_t K = 0; K < Location.Width; ++K)
      if (Location.Where + K >= Where && Location.Where + K < Where + Width)
        Bytes[Location.Where + K - Where] = IsState ? stateOf(Value)[K] : static_cast<uint8_t>(Value >> 8 * K);
  }
  return Memory::readWord(Bytes, Width);
}

} // namespace picket
