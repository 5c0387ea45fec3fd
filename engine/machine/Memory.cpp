#include "machine/Memory.h"

#include <algorithm>
#include <cstdlib>

namespace picket {

Memory::~Memory() {
  for (uint32_t Slot = 0; Slot < NumSlots; ++Slot)
    std::free(at(Slot).Data);
}

uint32_t Memory::newSlot() {
  if (NumSlots % ChunkSize == 0)
    Chunks.push_back(std::make_unique<Object[]>(ChunkSize));
  Capacities.push_back(0);
  return NumSlots++;
}

void Memory::clear() {
  for (uint32_t Slot = 0; Slot < NumSlots; ++Slot)
    at(Slot).Life = Lifetime::Absent;
}

Object &Memory::allocate(uint32_t Slot, ObjectKind Kind, uint32_t Size, uint32_t Site, uint32_t Owner, uint32_t Pc,
                         Content First) {
  assert(Slot > 0 && "slot 0 is null");
  ++Turns;
  Object &O = at(Slot);
  bool Tracked = First == Content::Nothing && Size <= MaxTrackedSize;
  uint32_t Needed = Tracked ? 2 * Size : Size;
  // A slot comes to life once per execution; the bytes an earlier execution left in it belong to nobody.
  if (Capacities[Slot] < Needed || !O.Data) {
    std::free(O.Data);
    O.Data = static_cast<uint8_t *>(std::calloc(Needed ? Needed : 1, 1));
    if (!O.Data)
      throw std::bad_alloc();
    Allocated += Needed - Capacities[Slot];
    Capacities[Slot] = Needed;
  } else {
    if (O.Life != Lifetime::Absent) // a search that compares states gives the slot of a forgotten object to a new one
      Undo.save(O.Data, Needed);
    std::memset(O.Data, 0, Needed);
  }
  Undo.save(O); // only now: what is restored must not name freed bytes
  O.Size = Size;
  O.Site = Site;
  O.Owner = Owner;
  O.AllocatedAt = Pc;
  O.Tracked = Tracked;
  O.Unwritten = Tracked ? Size : 0;
  O.Kind = Kind;
  O.Life = Lifetime::Alive;
  return O;
}

uint32_t Memory::countWritten(const Object &O, uint32_t Offset, uint32_t Size) {
  assert(O.Tracked && static_cast<uint64_t>(Offset) + Size <= O.Size);
  const uint8_t *Written = O.Data + O.Size + Offset;
  return static_cast<uint32_t>(std::count(Written, Written + Size, 1));
}

void Memory::markWritten(Object &O, uint32_t Offset, uint32_t Size) {
  uint32_t New = Size - countWritten(O, Offset, Size);
  if (!New)
    return;
  ++Turns;
  uint8_t *Written = O.Data + O.Size + Offset;
  Undo.save(Written, Size);
  Undo.save(O.Unwritten);
  std::memset(Written, 1, Size);
  assert(New <= O.Unwritten);
  O.Unwritten -= New;
}

void Memory::copyWritten(Address To, Address From, uint64_t Size) {
  Object *Target = find(To), *Source = find(From);
  if (!Target || !Source || !Target->Tracked || Target->Life != Lifetime::Alive || Source->Life != Lifetime::Alive ||
      offsetOf(To) + Size > Target->Size || offsetOf(From) + Size > Source->Size)
    return;
  auto Count = static_cast<uint32_t>(Size);
  if (!Source->Unwritten) {
    if (Target->Unwritten)
      markWritten(*Target, offsetOf(To), Count);
    return;
  }
  ++Turns;
  uint8_t *Into = Target->Data + Target->Size + offsetOf(To);
  uint32_t Before = countWritten(*Target, offsetOf(To), Count);
  Undo.save(Into, Count);
  Undo.save(Target->Unwritten);
  std::memmove(Into, Source->Data + Source->Size + offsetOf(From), Count);
  Target->Unwritten += Before;
  Target->Unwritten -= countWritten(*Target, offsetOf(To), Count);
}

} // namespace picket
