// Heap blocks that are lost: never freed, and nothing that is still there when the process ends points to them, be it
// by way of other blocks. What is still there are global variables, the thread-local variables, locals and registers of
// threads that have not ended, and those of the thread that called exit. Variables of `main` are gone once it returned.
#include "machine/Machine.h"
#include "machine/Messages.h"
#include "machine/Process.h"

#include <set>

namespace picket {

/// What a thread can still name when it calls exit: its frames are about to go, but the process ends with them in
/// place. The values are kept in a hidden object of their own.
void Machine::keepRoots(Thread &T) {
  if (!checks(BugKind::Leak))
    return;
  std::vector<uint64_t> Words;
  for (uint32_t K = 0; K < T.S.StackObjects; ++K)
    Words.push_back(addressOf(T.StackSlots[K]));
  for (uint32_t Slot : T.ThreadLocals)
    if (Slot)
      Words.push_back(addressOf(Slot));
  if (T.SpecificSlot)
    Words.push_back(addressOf(T.SpecificSlot));
  const uint32_t Count = numRegisters(T, T.S, T.Frames);
  Words.insert(Words.end(), T.Registers, T.Registers + Count);
  std::erase_if(Words, [&](uint64_t Word) { return slotOf(Word) == 0 || slotOf(Word) >= Mem.numSlots(); });
  const uint32_t Slot = slotFor(T, 0, static_cast<uint32_t>(Words.size() * sizeof(uint64_t)));
  Object &Kept =
      Mem.allocate(Slot, ObjectKind::Hidden, static_cast<uint32_t>(Words.size() * sizeof(uint64_t)), 0, 0, T.S.Pc);
  if (!Words.empty())
    std::memcpy(Kept.Data, Words.data(), Kept.Size);
  DoesMore = true;
}

std::vector<bool> Machine::findReachable() const {
  const LiveSlots &Live = Options.Live ? *Options.Live : *LiveForLeaks;
  std::vector<bool> Reached(Mem.numSlots(), false);
  std::vector<uint32_t> Work;
  auto Reach = [&](uint64_t Word) {
    const uint32_t Slot = slotOf(Word);
    if (Slot == 0 || Slot >= Mem.numSlots() || Reached[Slot])
      return;
    // A pointer may stand right behind the object's last byte.
    if (const Object &O = Mem.at(Slot); O.Life == Lifetime::Alive && offsetOf(Word) <= O.Size) {
      Reached[Slot] = true;
      Work.push_back(Slot);
    }
  };
  auto IsThere = [&](const Object &O) {
    switch (O.Kind) {
    case ObjectKind::Global: return true;
    case ObjectKind::ThreadLocal:
    case ObjectKind::Hidden: return O.Owner == 0 || !isFinished(O.Owner);
    default: return false; // those that matter are named
    }
  };
  for (uint32_t Slot = 1; Slot < Mem.numSlots(); ++Slot)
    if (const Object &O = Mem.at(Slot); O.Life == Lifetime::Alive && IsThere(O))
      Reach(addressOf(Slot));
  for (const std::unique_ptr<Thread> &T : Threads) {
    if (!T->Now->Exists)
      continue;
    const Standing Here = standing(*T);
    if (Here.S.Status == ThreadStatus::Finished) {
      if (!T->Joined && !T->Detached) // somebody could still ask for it
        Reach(Here.S.Result);
      continue;
    }
    for (uint32_t K = 0; K < Here.S.StackObjects; ++K)
      Reach(addressOf(Here.StackSlots[K]));
    for (uint32_t D = 0; D < Here.S.Depth; ++D)
      for (uint32_t Slot : D + 1 == Here.S.Depth ? Live.before(Here.S.Pc) : Live.during(Here.Frames[D + 1].CallPc))
        if (!(Slot & LiveSlots::OfSpin))
          Reach(Here.Registers[Here.Frames[D].Base + Slot]);
    const Operation &Op = Here.S.Pending;
    for (uint64_t Word : {Op.Where, Op.Value, Op.Value2, Op.Expected, Op.Expected2, Here.S.Scratch})
      Reach(Word);
  }
  while (!Work.empty()) {
    const Object &O = Mem.at(Work.back());
    Work.pop_back();
    for (uint32_t At = 0; At + sizeof(uint64_t) <= O.Size; At += sizeof(uint64_t))
      Reach(Memory::readWord(O.Data + At, sizeof(uint64_t)));
  }
  return Reached;
}

bool Machine::reportLeaks() {
  if (!checks(BugKind::Leak))
    return false;
  const std::vector<bool> Reached = findReachable();
  std::set<std::pair<ThreadId, uint32_t>> Told; // one for each place
  for (uint32_t Slot = 1; Slot < Mem.numSlots(); ++Slot) {
    const Object &O = Mem.at(Slot);
    if (O.Kind != ObjectKind::Heap || O.Life != Lifetime::Alive || Reached[Slot] ||
        !Told.insert({O.Owner, O.AllocatedAt}).second)
      continue;
    const std::string What = describeObject(*this, O, Slot);
    Bugs.push_back({BugKind::Leak, O.Owner, O.AllocatedAt,
                    What + " is never freed, and nothing points to it when the process ends"});
  }
  return !Told.empty();
}

} // namespace picket
