#include "machine/Memory.h"

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

Object &Memory::allocate(uint32_t Slot, ObjectKind Kind, uint32_t Size, uint32_t Site, uint32_t Owner, uint32_t Pc) {
  Object &O = at(Slot);
  // A slot comes to life once per execution; the bytes an earlier execution left in it belong to nobody.
  if (Capacities[Slot] < Size || !O.Data) {
    std::free(O.Data);
    O.Data = static_cast<uint8_t *>(std::calloc(Size ? Size : 1, 1));
    if (!O.Data)
      throw std::bad_alloc();
    Allocated += Size - Capacities[Slot];
    Capacities[Slot] = Size;
  } else {
    std::memset(O.Data, 0, Size);
  }
  Undo.save(O); // only now: what is restored must not name freed bytes
  O.Size = Size;
  O.Site = Site;
  O.Owner = Owner;
  O.AllocatedAt = Pc;
  O.Kind = Kind;
  O.Life = Lifetime::Alive;
  return O;
}

} // namespace picket
