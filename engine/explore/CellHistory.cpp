#include "explore/CellHistory.h"

#include <cstring>

namespace picket {

bool CellHistory::hasEnded(uint32_t Slot) const {
  const Memory &M = Config.machine().memory();
  return Slot < M.numSlots() && M.at(Slot).Life != Lifetime::Alive && M.at(Slot).Life != Lifetime::Absent;
}

void CellHistory::find(const MemoryAccess &A, std::vector<CellId> &Found) {
  Found.clear();
  if (const CellId Known = findKnown(A)) {
    Found.push_back(Known);
    return;
  }
  const Object &O = Config.machine().memory().at(slotOf(A.Where));
  const bool Whole = O.Size == A.Size && A.Size > 64; // the end of a block, not an access of all of it
  if (Whole)
    AllCells.findAll(slotOf(A.Where), Found);
  else {
    CellId New = AllCells.size();
    AllCells.find(A.Where, A.Size, O.Size, Found);
    // Whoever ended an object did not know that these bytes matter.
    for (; New < AllCells.size(); ++New)
      if (hasEnded(slotOf(AllCells.addressOf(New))))
        AllCells.markChanged();
  }
  if (CellStates.size() < AllCells.size())
    CellStates.resize(AllCells.size());
}

TouchNumber CellHistory::firstWriteOf(CellId Cell) const {
  TouchNumber First = CellStates[Cell].LastWrite;
  while (Touches[First - 1].PrevWrite)
    First = Touches[First - 1].PrevWrite;
  return First;
}

/// The end of a local variable and the updates of its own thread's stores to it are in no order: where both come last,
/// this is the one besides `Write` (none if there is none).
TouchNumber CellHistory::alsoLast(TouchNumber Write) const {
  const ThreadId Owner = Events[eventOf(Write)].Touched.Owner;
  for (TouchNumber W = Touches[Write - 1].PrevWrite; W && isOwn(W, Owner); W = Touches[W - 1].PrevWrite)
    if (isEnd(W) != isEnd(Write))
      return W;
  return NoTouch;
}

/// The bytes of a cell before the event, where the write does not tell them.
void CellHistory::findOldBytes(uint32_t Event, CellId Cell, uint8_t *Into) {
  uint8_t *Bytes = Config.machine().memory().bytes(AllCells.addressOf(Cell));
  Config.machine().undo().bytesAt(Events[Event].Before.Log, Bytes, AllCells.sizeOf(Cell), Into);
}

/// The loads of a cell that an entry was forwarded to: when it lands they count as reads of memory.
TouchNumber CellHistory::takeLoadsOf(ThreadId T, uint32_t Entry, CellId Cell) {
  for (TouchNumber Load = EntryStates[T][Entry].LastLoad; Load; Load = Touches[Load - 1].PrevOnEntry)
    if (Touches[Load - 1].Cell == Cell) {
      Touches[Load - 1].NextRead = NoTouch;
      return Load;
    }
  return NoTouch;
}

CellHistory::Source CellHistory::sourceOf(uint32_t Event, uint32_t Number) const {
  const Touch &T = touchOf(Event, Number);
  const ThreadId Owner = Events[Event].Touched.Owner;
  if (T.How == CellAccess::Forwarded)
    return {false, Owner, Config.bufferEntry(Owner, T.Entry).Operation, false};
  TouchNumber From = T.PrevWrite;
  bool Besides = false;
  if (NumEnds && From) {
    const bool Writes = T.How == CellAccess::Write, Ends = Events[Event].Kind == OperationKind::End;
    while (Writes && From && isOwn(From, Owner) && isEnd(From) != Ends) // see RaceDetector::writeApart
      From = Touches[From - 1].PrevWrite;
    if (const TouchNumber Also = From && !isOwn(From, Owner) ? alsoLast(From) : NoTouch) {
      Besides = true;
      From = isEnd(From) ? From : Also;
    }
  }
  if (!From)
    return {};
  const picket::Event &W = Events[eventOf(From)];
  return {false, W.Touched.Owner, W.Operation, Besides};
}

size_t CellHistory::bytes() const {
  size_t Sum = Touches.capacity() * sizeof(Touch) + OldBytes.capacity();
  for (const std::vector<EntryState> &OfThread : EntryStates)
    Sum += OfThread.capacity() * sizeof(EntryState);
  return Sum;
}

} // namespace picket
