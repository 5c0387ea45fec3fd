#include "machine/StateDescription.h"

#include "machine/Process.h"

#include <algorithm>
#include <cstring>

namespace picket {

namespace {

template <typename T> void put(std::string &Into, const T &Value) {
  Into.append(reinterpret_cast<const char *>(&Value), sizeof(T));
}

uint32_t firstArrivalAfter(const std::vector<FailurePoint> &Failures) {
  uint32_t After = 0;
  for (const FailurePoint &F : Failures)
    After = std::max(After, F.Arrival + 1);
  return After;
}

} // namespace

void StateDescription::describe(ThreadId Id, std::string &Into) const {
  const Thread &T = Threads[Id];
  const ThreadState &S = T.State;
  put(Into, S.Exists);
  if (!S.Exists)
    return;
  put(Into, S.Status);
  put(Into, T.Joined);
  put(Into, T.Detached);
  switch (S.Status) {
  case ThreadStatus::Finished:
    put(Into, T.Joined || T.Detached ? uint64_t(0) : S.Result);
    put(Into, S.Failures);
    return;
  case ThreadStatus::Failed: put(Into, S.Pc); return;
  case ThreadStatus::Assumed: return;
  case ThreadStatus::Exited: put(Into, S.Failures); return;
  default: break;
  }
  put(Into, S.Stage);
  put(Into, S.Phase);
  put(Into, S.InAtomic);
  put(Into, S.Pc);
  put(Into, S.Depth);
  put(Into, S.StackBytes);
  put(Into, S.Children);
  put(Into, S.Stage || S.Phase == ThreadState::Constructing ? S.Scratch : uint64_t(0));
  put(Into, S.Result);
  // How often it was at operations that may fail counts as long as one of them is yet to fail.
  const uint32_t ToCome = firstArrivalAfter(Prog.Failures);
  put(Into, std::min(S.Arrivals, ToCome));
  put(Into, S.Failures);
  for (uint32_t D = 0; D < S.Depth; ++D) {
    const StackFrame &F = T.Frames[D];
    put(Into, F.Function);
    put(Into, F.CallPc);
    put(Into, F.StackObjects);
    const bool Top = D + 1 == S.Depth;
    for (uint32_t Slot : Top ? Options.Live->before(S.Pc) : Options.Live->during(T.Frames[D + 1].CallPc)) {
      uint64_t Value = T.Registers[F.Base + (Slot & ~LiveSlots::OfSpin)];
      put(Into, Slot & LiveSlots::OfSpin ? uint64_t(Value == S.Effects) : Value);
    }
  }
  Into.append(reinterpret_cast<const char *>(T.StackSlots), S.StackObjects * sizeof(uint32_t));
}

void StateDescription::describeProgramPoint(ThreadId Id, std::vector<uint32_t> &Into) const {
  const Thread &T = Threads[Id];
  Into.push_back(Id);
  Into.push_back(static_cast<uint32_t>(T.State.Status) << 8 | T.State.Stage);
  Into.push_back(T.State.Pc);
  for (uint32_t D = 1; D < T.State.Depth; ++D)
    Into.push_back(T.Frames[D].CallPc);
}

/// The values that threads hold. Those in memory come on top of that.
void StateDescription::findHeldValues(std::vector<uint64_t> &Words) const {
  for (const std::unique_ptr<Thread> &T : Threads) {
    const ThreadState &S = T->State;
    if (!S.Exists)
      continue;
    Words.push_back(S.Result);
    Words.push_back(S.Scratch);
    Words.push_back(S.Pending.Where);
    Words.push_back(S.Pending.Value);
    Words.push_back(S.Pending.Value2);
    Words.push_back(S.Pending.Expected);
    Words.push_back(S.Pending.Expected2);
    if (S.Status == ThreadStatus::Finished || S.Status == ThreadStatus::Exited || S.Status == ThreadStatus::Failed ||
        S.Status == ThreadStatus::Assumed)
      continue;
    for (uint32_t D = 0; D < S.Depth; ++D) {
      const bool Top = D + 1 == S.Depth;
      for (uint32_t Slot : Top ? Options.Live->before(S.Pc) : Options.Live->during(T->Frames[D + 1].CallPc))
        if (!(Slot & LiveSlots::OfSpin))
          Words.push_back(T->Registers[T->Frames[D].Base + Slot]);
    }
  }
  if (Outside)
    Outside(Words);
}

void StateDescription::findNamed(std::vector<bool> &Named) const {
  Named.assign(Mem.numSlots(), false);
  std::vector<uint32_t> Work; // objects whose bytes are to be looked at
  auto Name = [&](uint32_t Slot) {
    if (Named[Slot])
      return;
    Named[Slot] = true;
    if (const Object &O = Mem.at(Slot); O.Kind == ObjectKind::Heap && O.Life == Lifetime::Alive)
      Work.push_back(Slot);
  };
  // Globals and what the process remembers are there for ever; what comes behind them may be forgotten.
  const uint32_t First = Process.slot() + 1, Count = Mem.numSlots() - First;
  std::vector<uint64_t> Words;
  findHeldValues(Words);
  for (uint64_t Word : Words)
    if (slotOf(Word) - First < Count)
      Name(slotOf(Word));
  for (uint32_t Slot = 1; Slot < Mem.numSlots(); ++Slot)
    if (const Object &O = Mem.at(Slot); O.Life == Lifetime::Alive && O.Kind != ObjectKind::Heap &&
                                        O.Kind != ObjectKind::Constant && Slot != Process.slot())
      Work.push_back(Slot);
  while (!Work.empty()) {
    const Object &O = Mem.at(Work.back());
    Work.pop_back();
    constexpr uint32_t Upper = sizeof(uint32_t);                       // the slot is in the upper half of an address
    for (uint32_t At = Upper; At + sizeof(uint32_t) <= O.Size; ++At) { // packed structures hold pointers anywhere
      uint32_t Slot;
      std::memcpy(&Slot, O.Data + At, sizeof Slot);
      if (Slot - First < Count)
        Name(Slot);
    }
  }
}

uint32_t StateDescription::forgottenSlot(const Thread &T, uint32_t Site, uint32_t Size) const {
  auto MayBe = [&](const Object &O) {
    bool Over = O.Life == Lifetime::Left || O.Life == Lifetime::Freed;
    const bool Lost = O.Life == Lifetime::Alive && O.Kind == ObjectKind::Heap && !Options.Looked.has(BugKind::Leak);
    return (Over || Lost) && O.Site == Site && O.Size == Size;
  };
  std::vector<bool> Named;
  for (uint32_t Index = 0; Index < T.State.Allocations; ++Index) {
    uint32_t Slot = T.Slots[Index];
    if (!MayBe(Mem.at(Slot)))
      continue;
    if (Named.empty())
      findNamed(Named);
    if (!Named[Slot])
      return Slot;
  }
  return 0;
}

} // namespace picket
