#include "machine/ThreadObjects.h"

#include "machine/Process.h"

#include <cstring>

namespace picket {

uint32_t ThreadObjects::slotFor(Thread &T, uint32_t Site, uint32_t Size) {
  if (Options.Live)
    if (uint32_t Slot = States.forgottenSlot(T, Site, Size))
      return Slot;
  uint32_t Index = T.State.Allocations++;
  assert(Index <= T.Slots.size() && "allocations are numbered in the order in which they are made");
  if (Index == T.Slots.size())
    T.Slots.push_back(Options.Names ? Mem.useSlot(Options.Names->allocation(T.Id, Index)) : Mem.newSlot());
  return T.Slots[Index];
}

Address ThreadObjects::threadLocal(Thread &T, uint32_t Global) {
  if (T.ThreadLocals.size() < Prog.Globals.size())
    T.ThreadLocals.resize(Prog.Globals.size(), 0);
  uint32_t &Slot = T.ThreadLocals[Global];
  if (!Slot)
    Slot = Options.Names ? Mem.useSlot(Options.Names->threadLocal(T.Id, Global)) : Mem.newSlot();
  if (Mem.at(Slot).Life == Lifetime::Absent) {
    const picket::Global &Source = Prog.Globals[Global];
    Object &O = Mem.allocate(Slot, ObjectKind::ThreadLocal, Source.Size, Shared.siteOfGlobal(Global), T.Id, T.State.Pc);
    if (!Source.Initial.empty())
      std::memcpy(O.Data, Source.Initial.data(), Source.Initial.size());
  }
  return addressOf(Slot);
}

Object &ThreadObjects::specificValues(Thread &T) {
  if (!T.SpecificSlot)
    T.SpecificSlot = Options.Names ? Mem.useSlot(Options.Names->specificValues(T.Id)) : Mem.newSlot();
  Object &O = Mem.at(T.SpecificSlot);
  if (O.Life == Lifetime::Absent)
    Mem.allocate(T.SpecificSlot, ObjectKind::Hidden, process::MaxKeys * sizeof(uint64_t), 0, T.Id, T.State.Pc);
  return O;
}

} // namespace picket
