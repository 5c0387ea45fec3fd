#include "machine/Leaks.h"

#include "machine/Messages.h"

#include <cstring>
#include <set>

namespace picket {

LeakSearch::LeakSearch(const Program &Prog, const MachineOptions &Options, ThreadTable &Threads, Memory &Mem,
                       ThreadObjects &Objects, BugLog &Bugs, RunEffects &Effects)
    : Prog(Prog), Options(Options), Threads(Threads), Mem(Mem), Objects(Objects), Bugs(Bugs), Effects(Effects) {
  if (Bugs.checks(BugKind::Leak) && !Options.Live)
    OwnLive = std::make_unique<const LiveSlots>(Prog);
}

void LeakSearch::keepRoots(Thread &T) {
  if (!Bugs.checks(BugKind::Leak))
    return;
  std::vector<uint64_t> Words;
  for (uint32_t K = 0; K < T.State.StackObjects; ++K)
    Words.push_back(addressOf(T.StackSlots[K]));
  for (uint32_t Slot : T.ThreadLocals)
    if (Slot)
      Words.push_back(addressOf(Slot));
  if (T.SpecificSlot)
    Words.push_back(addressOf(T.SpecificSlot));
  const uint32_t Count = Threads.numRegisters(T, T.State, T.Frames);
  Words.insert(Words.end(), T.Registers, T.Registers + Count);
  std::erase_if(Words, [&](uint64_t Word) { return slotOf(Word) == 0 || slotOf(Word) >= Mem.numSlots(); });
  const uint32_t Slot = Objects.slotFor(T, 0, static_cast<uint32_t>(Words.size() * sizeof(uint64_t)));
  Object &Kept =
      Mem.allocate(Slot, ObjectKind::Hidden, static_cast<uint32_t>(Words.size() * sizeof(uint64_t)), 0, 0, T.State.Pc);
  if (!Words.empty())
    std::memcpy(Kept.Data, Words.data(), Kept.Size);
  Effects.DoesMore = true;
}

std::vector<bool> LeakSearch::findReachable() const {
  const LiveSlots &Live = Options.Live ? *Options.Live : *OwnLive;
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
    case ObjectKind::Hidden: return O.Owner == 0 || Threads[O.Owner].Now->Status != ThreadStatus::Finished;
    default: return false; // those that matter are named
    }
  };
  for (uint32_t Slot = 1; Slot < Mem.numSlots(); ++Slot)
    if (const Object &O = Mem.at(Slot); O.Life == Lifetime::Alive && IsThere(O))
      Reach(addressOf(Slot));
  for (const std::unique_ptr<Thread> &T : Threads) {
    if (!T->Now->Exists)
      continue;
    const ThreadView Here = viewOf(*T);
    if (Here.State.Status == ThreadStatus::Finished) {
      if (!T->Joined && !T->Detached) // somebody could still ask for it
        Reach(Here.State.Result);
      continue;
    }
    for (uint32_t K = 0; K < Here.State.StackObjects; ++K)
      Reach(addressOf(Here.StackSlots[K]));
    for (uint32_t D = 0; D < Here.State.Depth; ++D)
      for (uint32_t Slot :
           D + 1 == Here.State.Depth ? Live.before(Here.State.Pc) : Live.during(Here.Frames[D + 1].CallPc))
        if (!(Slot & LiveSlots::OfSpin))
          Reach(Here.Registers[Here.Frames[D].Base + Slot]);
    const Operation &Op = Here.State.Pending;
    for (uint64_t Word : {Op.Where, Op.Value, Op.Value2, Op.Expected, Op.Expected2, Here.State.Scratch})
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

bool LeakSearch::report() {
  if (!Bugs.checks(BugKind::Leak))
    return false;
  const std::vector<bool> Reached = findReachable();
  std::set<std::pair<ThreadId, uint32_t>> Told; // one for each program point
  for (uint32_t Slot = 1; Slot < Mem.numSlots(); ++Slot) {
    const Object &O = Mem.at(Slot);
    if (O.Kind != ObjectKind::Heap || O.Life != Lifetime::Alive || Reached[Slot] ||
        !Told.insert({O.Owner, O.AllocatedAt}).second)
      continue;
    const std::string What = describeObject(Prog, O, Slot);
    Bugs.report({BugKind::Leak, O.Owner, O.AllocatedAt,
                 What + " is never freed, and nothing points to it when the process ends"});
  }
  return !Told.empty();
}

} // namespace picket
