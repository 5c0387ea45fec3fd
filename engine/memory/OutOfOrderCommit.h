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
  throw GraphStop(G[E].Thread, G[E].Pc, "accesses of different sizes that overlap");
}

template <unsigned Words> void OutOfOrder<Words>::fail(EventId E, BugKind Kind, std::string Message) {
  ThreadId T = G[E].Thread;
  M.newStep();
  M.save(T);
  M.undo().save(Flows[T]);
  M.addBug(Kind, T, G[E].Pc, std::move(Message));
  M.Threads[T]->S.Status = ThreadStatus::Failed;
  Flows[T].FailedAt = G[E].Index;
  Flows[T].Bug = E;
}

template <unsigned Words> bool OutOfOrder<Words>::reportHang(EventId Load) {
  if (!M.reportStuck(G[Load].Thread, false))
    return false;
  M.Bugs.back().Pc = G[Load].Pc;
  return true;
}

/// What is in a place before the first access of it. Of a synchronisation object that is the number of its state, which
/// no plain access can do anything with, nor the other way round.
template <unsigned Words> void OutOfOrder<Words>::readInitial(EventId E, PlaceId Id, bool IsSync) {
  auto &Place = G.Places[Id];
  const auto Holds = IsSync ? Graph::PlaceState::State : Graph::PlaceState::Bits;
  if (Place.Holds == Graph::PlaceState::Unknown)
    Place.Holds = Holds;
  if (Place.Holds != Holds || (!IsSync && Place.Width > 8))
    throw GraphStop(G[E].Thread, G[E].Pc, "a plain access of a synchronisation object");
  const bool Untouched = Place.Reads.empty() && std::all_of(Place.Coherence.begin(), Place.Coherence.end(),
                                                            [&](EventId W) { return G[W].Ends; });
  if (!Untouched)
    return;
  const uint8_t *Bytes = M.Mem.bytes(Place.Where);
  Place.Initial = IsSync ? internBytes(Bytes, Place.Width) : Memory::readWord(Bytes, Place.Width);
}

template <unsigned Words> bool OutOfOrder<Words>::locate(EventId E) {
  Event &Found = G[E];
  if (Found.Place != NoPlace || Found.Decides)
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
  Object *O = M.Mem.find(Where);
  if (!IsLife && (!O || !Memory::inBounds(*O, Where, Width) || (Writes && O->Kind == ObjectKind::Constant))) {
    auto [Kind, Message] = describeBadAccess(M, Where, Width, Writes);
    fail(E, Kind, std::move(Message));
    return false;
  }
  if (!Found.Ends && O->Kind != ObjectKind::Constant && Writes)
    M.Shared.noteWrite(Where, Width, T);
  if (!Found.Ends &&
      (O->Kind == ObjectKind::Heap || O->Kind == ObjectKind::Stack || O->Kind == ObjectKind::ThreadLocal)) {
    if ((O->Owner != T || A.Where.Node) && !M.Shared.isShared(O->Site))
      M.Shared.markShared(O->Site);
    if (Ending.Accessed[O->Site].insert({offsetOf(Where), Width}).second)
      Ending.Changed |= Ending.Ended.count(O->Site) != 0;
  }
  PlaceId Id = placeFor(E, Where, Width);
  if (!Found.Ends)
    readInitial(E, Id, IsSync);
  M.undo().save(Found.Place);
  Found.Place = Id;
  if constexpr (Graph::IsLarge) {
    if (G.Large.Located.size() <= Id)
      G.Large.Located.resize(Id + 1);
    M.undo().save(G.Large.Located[Id]);
    G.Large.Located[Id].insert(E);
  }
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::hasOperands(EventId E) {
  uint64_t Bits;
  const Access &A = Accesses[E];
  return (A.Op.Kind == OperationKind::Load || resolve(A.Data, Bits)) && resolve(A.Expected, Bits);
}

template <unsigned Words> uint64_t OutOfOrder<Words>::valueOf(EventId Write) {
  uint64_t Bits = 0;
  resolve(Accesses[Write].Data, Bits);
  return lowBits(Bits, Accesses[Write].Op.Width * 8u);
}

template <unsigned Words> typename OutOfOrder<Words>::Update OutOfOrder<Words>::update(EventId Read, uint64_t Old) {
  const Access &A = Accesses[Read];
  Update Done;
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

template <unsigned Words> void OutOfOrder<Words>::noteUpdate(EventId Read, const Update &Done) {
  ThreadId T = G[Read].Thread;
  if (Done.Does == Update::Fails) {
    if (std::string_view(Done.Result.BugKind) == "unsupported")
      M.unsupported(T, G[Read].Pc, Done.Result.Phrase);
    fail(Read, bugKindOf(Done.Result), Done.Result.Phrase);
    Flows[T].FailedAt = G[Read].Index + 2;
    return;
  }
  Access &A = Accesses[Read];
  M.undo().save(A.Result);
  A.Result = Done.Result;
  if (A.Op.MaySpin && Done.Does == Update::Writes && Done.Value != G[Read].Value) {
    M.undo().save(M.Threads[T]->S.Effects);
    ++M.Threads[T]->S.Effects;
  }
}

template <unsigned Words> bool OutOfOrder<Words>::hasOtherFailure() {
  for (EventId E : Odd) {
    const Access &A = Accesses[E];
    uint64_t Expected = 0;
    if (A.Op.Fails && !G[E].IsWrite && G.Committed.contains(E) && resolve(A.Expected, Expected) &&
        lowBits(Expected, A.Op.Width * 8u) != G[E].Value)
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
  resolve({M.Threads[T]->Registers[Slot], Tags[T][Slot]}, Bits);
  return Bits;
}

template <unsigned Words> uint64_t OutOfOrder<Words>::finalValue(Address Where, unsigned Width) {
  auto Found = Places.find(Where);
  if (Found != Places.end() && !G.Places[Found->second].Coherence.empty())
    return G[G.Places[Found->second].Coherence.back()].Value;
  return Memory::readWord(M.Mem.bytes(Where), Width);
}

} // namespace picket
