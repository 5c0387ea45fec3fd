// How an event of an execution touches cells of memory: what it comes after there, what it races with, and what it
// reads.
#include "explore/Execution.h"

namespace picket {

/// The end of a local variable and the updates of its own thread's stores to it are in no order: where both come last,
/// this is the one besides `Write` (0: there is none).
uint32_t Execution::alsoLast(uint32_t Write) const {
  const ThreadId Owner = Events[Touches[Write - 1].Event].Touched.Owner;
  for (uint32_t W = Touches[Write - 1].PrevWrite; W && isOwn(W, Owner); W = Touches[W - 1].PrevWrite)
    if (isEnd(W) != isEnd(Write))
      return W;
  return 0;
}

void Execution::touchRead(uint32_t E, CellId Cell, const uint32_t *SeenClock, bool FindRaces) {
  CellState &S = State[Cell];
  Touches.push_back({Cell, CellAccess::Read, E, 0, S.LastWrite, S.Reads, S.Reads, 0});
  if (S.LastWrite) {
    uint32_t Writer = Touches[S.LastWrite - 1].Event;
    // A load is not related to updates of its own thread (rule 1).
    if (Events[Writer].Touched.Owner != Events[E].Touched.Owner) {
      if (FindRaces) {
        addRace(Writer, E, Pending.Kind == OperationKind::CmpXchg && wouldSwap(Writer, false), SeenClock);
      }
      join(clock(E), clock(Writer));
      if (const uint32_t Other = NumEnds ? alsoLast(S.LastWrite) : 0) {
        const uint32_t Also = Touches[Other - 1].Event;
        if (FindRaces)
          addRace(Also, E, Pending.Kind == OperationKind::CmpXchg && wouldSwap(Also, false), SeenClock);
        join(clock(E), clock(Also));
      }
    } else if (Events[E].Kind == OperationKind::CmpXchg) { // has waited for it, also where it writes nothing
      join(clock(E), clock(Writer));
    } else {
      Events[E].ReadsOwnLanded = true;
    }
  }
  S.Reads = static_cast<uint32_t>(Touches.size());
}

void Execution::touchForwarded(uint32_t E, CellId Cell, uint32_t Entry) {
  EntryState &S = EntryStates[Events[E].Touched.Owner][Entry];
  Touches.push_back({Cell, CellAccess::Forwarded, E, Entry, State[Cell].LastWrite, State[Cell].Reads, 0, S.LastLoad});
  S.LastLoad = static_cast<uint32_t>(Touches.size());
}

/// Keeps what was in the cell before event E wrote it. Returns its place in OldBytes.
uint32_t Execution::keepOld(uint32_t E, CellId Cell, const MemoryAccess &A) {
  size_t Old = NumOld;
  uint32_t Size = Memory.sizeOf(Cell);
  NumOld += Size;
  if (OldBytes.size() < NumOld + 16) // so that two words can always be copied
    OldBytes.resize(2 * NumOld + 1024);
  if (A.HasOld && A.Size == Size) {
    std::memcpy(&OldBytes[Old], &A.Old, 8);
    if (Size > 8)
      std::memcpy(&OldBytes[Old + 8], &A.Old2, 8);
  } else {
    uint8_t *Bytes = C.machine().memory().bytes(Memory.addressOf(Cell));
    C.machine().undo().bytesAt(Events[E].Before.Log, Bytes, Size, &OldBytes[Old]);
  }
  return static_cast<uint32_t>(Old);
}

/// The loads that this update's entry was forwarded to: now they count as reads of memory.
uint32_t Execution::readsOfEntry(uint32_t E, CellId Cell) {
  for (uint32_t T = EntryStates[Events[E].Touched.Owner][C.entry()].LastLoad; T; T = Touches[T - 1].PrevOnEntry)
    if (Touches[T - 1].Cell == Cell) {
      Touches[T - 1].NextRead = 0;
      return T;
    }
  return 0;
}

void Execution::touchWrite(uint32_t E, CellId Cell, const MemoryAccess &A, const uint32_t *SeenClock, bool FindRaces) {
  CellState &S = State[Cell];
  const Event &Mine = Events[E];
  uint32_t Old = keepOld(E, Cell, A);
  for (uint32_t T = S.Reads; T; T = Touches[T - 1].NextRead) {
    uint32_t Reader = Touches[T - 1].Event;
    if (Events[Reader].Touched.Owner == Mine.Touched.Owner)
      continue;
    if (!(Waits && WaitsForSeveral)) // else that is known
      addRace(Reader, E, true, SeenClock);
    join(clock(E), clock(Reader));
  }
  if (S.LastWrite) {
    const Touch &W = Touches[S.LastWrite - 1];
    if (FindRaces) {
      addRace(W.Event, E, Pending.Kind != OperationKind::CmpXchg || wouldSwap(W.Event, true), SeenClock);
    }
    join(clock(E), clock(W.Event));
    const bool MayBeTwo = NumEnds && !isOwn(S.LastWrite, Mine.Touched.Owner);
    if (const uint32_t Other = MayBeTwo ? alsoLast(S.LastWrite) : 0) {
      const uint32_t Also = Touches[Other - 1].Event;
      if (FindRaces)
        addRace(Also, E, Pending.Kind != OperationKind::CmpXchg || wouldSwap(Also, true), SeenClock);
      join(clock(E), clock(Also));
    }
  }

  const uint32_t Reads = Mine.Touched.IsUpdate ? readsOfEntry(E, Cell) : 0;
  Touches.push_back(
      {Cell, CellAccess::Write, E, Mine.Touched.IsUpdate ? C.entry() : 0, S.LastWrite, S.Reads, 0, 0, Old});
  if (S.LastWrite)
    Touches[S.LastWrite - 1].NextWrite = static_cast<uint32_t>(Touches.size());
  S.LastWrite = static_cast<uint32_t>(Touches.size());
  S.Reads = Reads;
}

/// The end of a local variable is a write that does not wait for the thread's own stores: it is not related to their
/// updates, nor these to it, and what others did before those is looked at as well.
void Execution::touchApart(uint32_t E, CellId Cell, const MemoryAccess &A, const uint32_t *SeenClock) {
  CellState &S = State[Cell];
  const bool Ends = Events[E].Kind == OperationKind::End;
  const ThreadId Owner = Events[E].Touched.Owner;
  uint32_t Old = keepOld(E, Cell, A);
  auto RaceWith = [&](uint32_t Other) {
    addRace(Other, E, true, SeenClock);
    join(clock(E), clock(Other));
  };
  uint32_t Write = S.LastWrite, Reads = S.Reads;
  for (;;) {
    for (uint32_t T = Reads; T; T = Touches[T - 1].NextRead)
      if (Events[Touches[T - 1].Event].Touched.Owner != Owner)
        RaceWith(Touches[T - 1].Event);
    if (!Write)
      break;
    const Touch &W = Touches[Write - 1];
    if (!isOwn(Write, Owner) || isEnd(Write) == Ends) {
      RaceWith(W.Event);
      break;
    }
    Write = W.PrevWrite;
    Reads = W.PrevReads;
  }
  Touches.push_back({Cell, CellAccess::Write, E, Ends ? 0 : C.entry(), S.LastWrite, S.Reads, 0, 0, Old});
  if (S.LastWrite)
    Touches[S.LastWrite - 1].NextWrite = static_cast<uint32_t>(Touches.size());
  S.LastWrite = static_cast<uint32_t>(Touches.size());
  S.Reads = Ends ? 0 : readsOfEntry(E, Cell);
  NumEnds += Ends;
}

uint32_t Execution::numTouches(uint32_t K) const {
  return (K + 1 < Length ? Events[K + 1].FirstTouch : static_cast<uint32_t>(Touches.size())) - Events[K].FirstTouch;
}

Execution::Source Execution::sourceOf(uint32_t K, uint32_t Index) const {
  const Touch &T = Touches[Events[K].FirstTouch + Index];
  if (T.How == CellAccess::Forwarded)
    return {false, Events[K].Touched.Owner, C.bufferEntry(Events[K].Touched.Owner, T.Entry).Operation, false};
  uint32_t From = T.PrevWrite;
  bool Besides = false;
  if (NumEnds && From) {
    const ThreadId Owner = Events[K].Touched.Owner;
    const bool Writes = T.How == CellAccess::Write, Ends = Events[K].Kind == OperationKind::End;
    while (Writes && From && isOwn(From, Owner) && isEnd(From) != Ends) // see touchApart
      From = Touches[From - 1].PrevWrite;
    if (const uint32_t Also = From && !isOwn(From, Owner) ? alsoLast(From) : 0) {
      Besides = true;
      From = isEnd(From) ? From : Also;
    }
  }
  if (!From)
    return {};
  const Event &W = Events[Touches[From - 1].Event];
  return {false, W.Touched.Owner, W.Operation, Besides};
}

bool Execution::findFootprintWithout(const Race &R, uint32_t B, Footprint &Result) const {
  const Event &Load = Events[B];
  if (Load.Kind != OperationKind::Load)
    return false;
  bool Changes = false;
  for (uint32_t K = 0; K < Load.Touched.size(); ++K) {
    const Touch &T = Touches[Load.FirstTouch + K];
    if (T.How != CellAccess::Read || !T.PrevWrite)
      continue;
    const Touch &W = Touches[T.PrevWrite - 1];
    const Event &Writer = Events[W.Event];
    bool Own = Writer.Touched.IsUpdate && Writer.Touched.Owner == Load.Touched.Owner;
    bool Gone = W.Event != R.Second && isOut(R, W.Event);
    if (!Own || !Gone)
      continue;
    if (!Changes)
      Result = Load.Touched;
    Changes = true;
    Result[K].How = CellAccess::Forwarded;
    Result[K].Entry = W.Entry;
  }
  return Changes;
}

} // namespace picket
