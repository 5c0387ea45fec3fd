// What the explorer asks of events before it commits them, and tells when it does. A part of OutOfOrder.cpp: not for
// others to include.
#pragma once

#include "memory/OutOfOrderEnds.h"

namespace picket {

template <unsigned Words> uint64_t OutOfOrder<Words>::internBytes(const uint8_t *From, uint32_t Size) {
  Bytes Key{};
  std::memcpy(Key.data(), From, Size);
  auto [Found, New] = StateIds.try_emplace(Key, States.size());
  if (New)
    States.push_back(Key);
  return Found->second;
}

template <unsigned Words> uint64_t OutOfOrder<Words>::internWords(uint64_t Low, uint64_t High) {
  const uint64_t Both[2] = {Low, High};
  return internBytes(reinterpret_cast<const uint8_t *>(Both), sizeof(Both));
}

/// The place of an access, or of a part of it. None if it overlaps others: then it is known where to cut them.
template <unsigned Words> PlaceId OutOfOrder<Words>::placeFor(EventId E, Address Where, uint32_t Width) {
  auto Found = Places.lower_bound(Where);
  if (Found == Places.end() || Found->first != Where) {
    bool Overlaps = Found != Places.end() && Found->first < Where + Width;
    if (Found != Places.begin()) {
      auto Before = std::prev(Found);
      Overlaps |= Before->first + G.Places[Before->second].Width > Where;
    }
    if (!Overlaps) {
      auto &New = G.Places.emplace_back();
      New.Where = Where;
      New.Width = Width;
      Found = Places.emplace_hint(Found, Where, static_cast<PlaceId>(G.Places.size() - 1));
      return Found->second;
    }
  } else if (G.Places[Found->second].Width == Width) {
    return Found->second;
  }
  if (!AsGraphs)
    throw GraphStop(G[E].Thread, G[E].Pc, "accesses of different sizes that overlap");
  learnCuts(Where, Width);
  return NoPlace;
}

/// Notes where an access and the places it overlaps cut each other.
template <unsigned Words> void OutOfOrder<Words>::learnCuts(Address Where, uint32_t Width) {
  const Object &O = *Parts.Mem.find(Where);
  auto Cut = [&](Address At, Address First, uint32_t Size) {
    if (At > First && At < First + Size)
      Ending.Cut.cut(O, At);
  };
  auto At = Places.lower_bound(Where);
  if (At != Places.begin())
    --At;
  for (; At != Places.end() && At->first < Where + Width; ++At) {
    const uint32_t Size = G.Places[At->second].Width;
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
bool OutOfOrder<Words>::isCutAsKnown(EventId E, const Object &O, Address Where, uint32_t Width) {
  const Access &A = Accesses[E];
  const bool IsSync = A.Op.Kind == OperationKind::Sync;
  if (!AsGraphs)
    return true;
  if (!IsSync && !G[E].Ends && !Partition::isAligned(Where, Width)) {
    const Opcode Op = P.Code[G[E].Pc].Op;
    if (!A.Where.Node || A.Op.Ordering != Order::NotAtomic || G[E].OfUpdate ||
        (Op != Opcode::Load && Op != Opcode::Store))
      throw GraphStop(G[E].Thread, G[E].Pc, "an atomic access that is not aligned");
    const auto Start = static_cast<uint32_t>(A.Offset - P.Code[G[E].Pc].Imm); // of this piece
    for (auto [Offset, Size] : Partition::pieces(Where, Width))
      if (Offset)
        Ending.Cut.divideCode(G[E].Pc, Start + Offset);
    Ending.Changed = true;
    return false;
  }
  if (!A.Where.Node || Ending.Cut.empty())
    return true;
  bool AsKnown = true;
  for (auto [Offset, Size] :
       hasState(A.Op) ? Ending.Cut.partsOfState(O, Where, Width) : Ending.Cut.partsOf(O, Where, Width))
    if (Offset && !(G.isSplit(E) && G.anyCell(E, [Offset](const GraphCell &C) { return C.Offset == Offset; }))) {
      Ending.Cut.cutCode(G[E].Pc, Offset);
      Ending.Changed = true;
      AsKnown = false;
    }
  return AsKnown;
}

template <unsigned Words> void OutOfOrder<Words>::fail(EventId E, BugKind Kind, std::string Message) {
  ThreadId T = G[E].Thread;
  M.newStep();
  M.save(T);
  M.undo().save(Flows[T]);
  Parts.Bugs.add(Kind, T, G[E].Pc, std::move(Message));
  Parts.Threads[T].State.Status = ThreadStatus::Failed;
  Flows[T].FailedAt = G[E].Index;
  Flows[T].Bug = E;
}

template <unsigned Words> bool OutOfOrder<Words>::reportHang(EventId Load) {
  return M.reportStuckAt(G[Load].Thread, G[Load].Pc, false);
}

/// What is in a place before the first access of it. Of a synchronisation object, or of what is accessed as 16 bytes,
/// that is the number of its state, as long as there are no other accesses of it. False: there are, as is known from now
/// on.
template <unsigned Words> bool OutOfOrder<Words>::readInitial(EventId E, PlaceId Id, bool IsState) {
  auto &Place = G.Places[Id];
  const auto Holds = IsState ? Graph::PlaceState::State : Graph::PlaceState::Bits;
  if (Place.Holds == Graph::PlaceState::Unknown)
    Place.Holds = Holds;
  if (Place.Holds != Holds) {
    if (!AsGraphs)
      throw GraphStop(G[E].Thread, G[E].Pc, "a plain access of a synchronisation object");
    Ending.Cut.cut(*Parts.Mem.find(Place.Where), Place.Where);
    Ending.Changed = true;
    return false;
  }
  const bool Untouched = Place.Reads.empty() && std::all_of(Place.Coherence.begin(), Place.Coherence.end(),
                                                            [&](EventId W) { return G[W].Ends; });
  if (!Untouched)
    return true;
  const uint8_t *Bytes = Parts.Mem.bytes(Place.Where);
  Place.Initial = IsState ? internBytes(Bytes, Place.Width) : Memory::readWord(Bytes, Place.Width);
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::locate(EventId E) {
  Event &Found = G[E];
  if (Found.Place != NoPlace || Found.Decides || Found.IsFence)
    return true;
  const Access &A = Accesses[E];
  Address Where;
  if (!resolve(A.Where, Where))
    return false;
  Where += static_cast<uint64_t>(A.Offset);
  // A store-conditional cannot succeed elsewhere than at its reservation.
  if (Found.Conditional && (!locate(Found.Reserved) || G.Places[G[Found.Reserved].Place].Where != Where))
    return false;
  ThreadId T = Found.Thread;
  bool IsSync = A.Op.Kind == OperationKind::Sync, Writes = A.Op.Kind != OperationKind::Load;
  uint32_t Width = IsSync ? sizeOf(A.Op.Sync) : A.Op.Width;
  bool IsLife = Found.Ends && offsetOf(Where) == LifeOffset;
  Object *O = Parts.Mem.find(Where);
  if (!IsLife && (!O || !Memory::inBounds(*O, Where, Width) || (Writes && O->Kind == ObjectKind::Constant))) {
    auto [Kind, Message] = describeBadAccess(P, Parts.Mem, Where, Width, Writes);
    fail(E, Kind, std::move(Message));
    return false;
  }
  if (!Found.Ends && O->Kind != ObjectKind::Constant && Writes)
    Parts.Shared.noteWrite(Where, Width, T);
  if (!Found.Ends &&
      (O->Kind == ObjectKind::Heap || O->Kind == ObjectKind::Stack || O->Kind == ObjectKind::ThreadLocal)) {
    if ((O->Owner != T || A.Where.Node) && !Parts.Shared.isShared(O->Site))
      Parts.Shared.markShared(O->Site);
    if (Ending.Accessed[O->Site].insert({offsetOf(Where), Width}).second)
      Ending.Changed |= Ending.Ended.count(O->Site) != 0;
  }
  if (Ending.Sections && Writes && !Ending.Writers.note(Where, Width, T))
    Ending.Changed = true;
  if (!IsLife && !isCutAsKnown(E, *O, Where, Width))
    return false;
  PlaceId First = NoPlace;
  for (uint32_t K = 0; K < Found.NumCells; ++K) {
    GraphCell &C = G.cell(E, K);
    PlaceId Id = G.isSplit(E) ? placeFor(E, Where + C.Offset, C.Width) : placeFor(E, Where, Width);
    if (Id == NoPlace || (!Found.Ends && !readInitial(E, Id, hasState(A.Op) && !G.isSplit(E))))
      return false;
    First = K == 0 ? Id : First;
    if (G.isSplit(E)) {
      M.undo().save(C.Place);
      C.Place = Id;
    }
  }
  M.undo().save(Found.Place);
  Found.Place = First;
  if constexpr (Graph::IsLarge)
    G.forEachCell(E, [&](const GraphCell &C) {
      if (G.Large.Located.size() <= C.Place)
        G.Large.Located.resize(C.Place + 1);
      M.undo().save(G.Large.Located[C.Place]);
      G.Large.Located[C.Place].insert(E);
    });
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::hasOperands(EventId E) {
  uint64_t Bits;
  const Access &A = Accesses[E];
  return (A.Op.Kind == OperationKind::Load || (resolve(A.Data, Bits) && resolve(A.Data2, Bits))) &&
         resolve(A.Expected, Bits) && resolve(A.Expected2, Bits);
}

template <unsigned Words> uint64_t OutOfOrder<Words>::valueOf(EventId Write) {
  uint64_t Bits = 0;
  resolve(Accesses[Write].Data, Bits);
  if (hasState(Accesses[Write].Op)) {
    uint64_t High = 0;
    resolve(Accesses[Write].Data2, High);
    return internWords(Bits, High);
  }
  return lowBits(Bits >> Accesses[Write].Shift, Accesses[Write].Op.Width * 8u);
}

template <unsigned Words> void OutOfOrder<Words>::divide(EventId Write) {
  const bool HasState = hasState(Accesses[Write].Op);
  for (uint32_t K = 0; K < G[Write].NumCells; ++K) {
    GraphCell &C = G.cell(Write, K);
    C.Value = HasState ? Memory::readWord(stateOf(G[Write].Value) + C.Offset, C.Width)
                       : lowBits(G[Write].Value >> 8 * C.Offset, 8 * C.Width);
  }
}

template <unsigned Words> uint64_t OutOfOrder<Words>::joined(EventId Read) {
  Bytes All{};
  G.forEachCell(Read, [&](const GraphCell &C) { std::memcpy(All.data() + C.Offset, &C.Value, C.Width); });
  const Operation &Op = Accesses[Read].Op;
  return hasState(Op) ? internBytes(All.data(), widthOf(Read)) : Memory::readWord(All.data(), Op.Width);
}

template <unsigned Words> typename OutOfOrder<Words>::Update OutOfOrder<Words>::update(EventId Read, uint64_t Old) {
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
  Done.Result = apply(A.Op.Sync, State.data(), G[Read].Thread, A.Op.Value);
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
typename OutOfOrder<Words>::Update OutOfOrder<Words>::updateWide(const Access &A, uint64_t Old) {
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

template <unsigned Words> void OutOfOrder<Words>::noteUpdate(EventId Read, const Update &Done) {
  ThreadId T = G[Read].Thread;
  if (Done.Does == Update::Fails) {
    if (!Done.Result.BugKind)
      stopUnsupported(T, G[Read].Pc, Done.Result.Phrase);
    fail(Read, *Done.Result.BugKind, Done.Result.Phrase);
    Flows[T].FailedAt = G[Read].Index + 2;
    return;
  }
  Access &A = Accesses[Read];
  M.undo().save(A.Result);
  A.Result = Done.Result;
  if (A.Op.MaySpin && Done.Does == Update::Writes && Done.Value != G[Read].Value) {
    M.undo().save(Parts.Threads[T].State.Effects);
    ++Parts.Threads[T].State.Effects;
  }
}

template <unsigned Words> bool OutOfOrder<Words>::hasOtherFailure() {
  for (EventId E : Odd) {
    const Access &A = Accesses[E];
    uint64_t Expected = 0, Expected2 = 0;
    if (A.Op.Fails && !G[E].IsWrite && G.Committed.contains(E) && resolve(A.Expected, Expected) &&
        resolve(A.Expected2, Expected2) && !isValue(A.Op, G[E].Value, Expected, Expected2))
      return true;
  }
  return false;
}

template <unsigned Words> void OutOfOrder<Words>::noteOutcome(EventId Decided, bool Succeeds) {
  M.undo().save(Accesses[Decided].Succeeds);
  Accesses[Decided].Succeeds = Succeeds;
}

template <unsigned Words> uint64_t OutOfOrder<Words>::finalSlot(ThreadId T, uint32_t Slot) {
  uint64_t Bits = 0;
  resolve({Parts.Threads[T].Registers[Slot], Tags[T][Slot]}, Bits);
  return Bits;
}

template <unsigned Words> uint64_t OutOfOrder<Words>::finalValue(Address Where, unsigned Width) {
  uint8_t Bytes[8] = {};
  std::memcpy(Bytes, Parts.Mem.bytes(Where), Width);
  for (auto At = Places.lower_bound(Where >= 64 ? Where - 64 : 0); At != Places.end() && At->first < Where + Width;
       ++At) {
    const auto &Place = G.Places[At->second];
    if (Place.Coherence.empty() || G[Place.Coherence.back()].Ends)
      continue;
    const uint64_t Value = G.valueIn(At->second, Place.Coherence.back());
    const bool IsState = Place.Holds == Graph::PlaceState::State;
    for (uint32_t K = 0; K < Place.Width; ++K)
      if (Place.Where + K >= Where && Place.Where + K < Where + Width)
        Bytes[Place.Where + K - Where] = IsState ? stateOf(Value)[K] : static_cast<uint8_t>(Value >> 8 * K);
  }
  return Memory::readWord(Bytes, Width);
}

} // namespace picket
