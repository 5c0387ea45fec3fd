#include "memory/StoreBuffer.h"

#include <sys/mman.h>

namespace picket {

StoreBuffer::StoreBuffer() {
  void *Where = mmap(nullptr, MaxEntries * sizeof(Entry), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Where == MAP_FAILED)
    throw std::bad_alloc();
  Entries = static_cast<Entry *>(Where);
}

StoreBuffer::~StoreBuffer() { munmap(Entries, MaxEntries * sizeof(Entry)); }

void StoreBuffer::push(const Entry &E, UndoLog &Undo) {
  if (State.Tail == MaxEntries)
    throw std::bad_alloc();
  Undo.save(State);
  Entries[State.Tail] = E;
  Entries[State.Tail].WaitFor = State.Barrier;
  Entries[State.Tail].Landed = false;
  ++State.Tail;
}

void StoreBuffer::land(uint32_t Index, UndoLog &Undo) {
  Undo.save(Entries[Index].Landed);
  Entries[Index].Landed = true;
  Undo.save(State);
  while (State.Head < State.Tail && Entries[State.Head].Landed)
    ++State.Head;
}

bool StoreBuffer::holds(Address A, uint32_t Size) const {
  for (uint32_t K = State.Head; K < State.Tail; ++K)
    if (!Entries[K].Landed && Entries[K].overlaps(A, Size))
      return true;
  return false;
}

uint32_t StoreBuffer::sourceOf(Address A) const {
  for (uint32_t K = State.Tail; K-- > State.Head;)
    if (!Entries[K].Landed && Entries[K].covers(A, 1))
      return K;
  return State.Tail;
}

bool StoreBuffer::waitsForOverlap(uint32_t Index) const {
  for (uint32_t K = State.Head; K < Index; ++K)
    if (!Entries[K].Landed && Entries[K].overlaps(Entries[Index].Where, Entries[Index].Width))
      return true;
  return false;
}

} // namespace picket
