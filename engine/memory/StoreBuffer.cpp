#include "memory/StoreBuffer.h"

namespace picket {

void StoreBuffer::push(const Entry &E, UndoLog &Undo) {
  if (State.Tail == MaxEntries)
    throw std::bad_alloc();
  Undo.save(State.Tail);
  if (State.Tail / ChunkSize == Chunks.size())
    Chunks.push_back(std::make_unique<Entry[]>(ChunkSize));
  Entry &New = entry(State.Tail++);
  New = E;
  New.WaitFor = State.Barrier;
  New.Landed = false;
  assert(State.Head < State.Tail && State.Barrier < State.Tail && New.Width > 0 && New.Width <= 16);
}

void StoreBuffer::land(uint32_t Index, UndoLog &Undo) {
  assert(Index >= State.Head && Index < State.Tail && !at(Index).Landed && "a store lands once");
  assert(at(Index).WaitFor <= State.Head && "no store overtakes a store-store barrier");
  assert(!waitsForOverlap(Index) && "stores to the same bytes land in order");
  Undo.save(entry(Index).Landed);
  entry(Index).Landed = true;
  if (Index != State.Head)
    return;
  Undo.save(State.Head);
  while (State.Head < State.Tail && at(State.Head).Landed)
    ++State.Head;
  assert(State.Head <= State.Tail);
}

bool StoreBuffer::holds(Address A, uint32_t Size) const {
  for (uint32_t K = State.Head; K < State.Tail; ++K)
    if (!at(K).Landed && at(K).overlaps(A, Size))
      return true;
  return false;
}

uint32_t StoreBuffer::sourceOf(Address A) const {
  for (uint32_t K = State.Tail; K-- > State.Head;)
    if (!at(K).Landed && at(K).covers(A, 1))
      return K;
  return State.Tail;
}

bool StoreBuffer::waitsForOverlap(uint32_t Index) const {
  for (uint32_t K = State.Head; K < Index; ++K)
    if (!at(K).Landed && at(K).overlaps(at(Index).Where, at(Index).Width))
      return true;
  return false;
}

} // namespace picket
