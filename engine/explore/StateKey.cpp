#include "explore/StateKey.h"

namespace picket {

namespace {

template <typename T> void put(std::string &Into, const T &Value) {
  Into.append(reinterpret_cast<const char *>(&Value), sizeof(T));
}

bool isOver(const Object &O) { return O.Life == Lifetime::Left || O.Life == Lifetime::Freed; }

} // namespace

void forEachBuffered(const Configuration &C, ThreadId T, const std::function<void(const StoreBuffer::Entry &)> &Do) {
  if (C.buffering() == Buffering::None || C.bufferEmpty(T))
    return;
  for (uint32_t Index = C.nextEntry(C.updatesOf(T).front());;) {
    const StoreBuffer::Entry &E = C.bufferEntry(T, Index);
    Do(E);
    if (!E.Next) // entry 0 comes behind none
      return;
    Index = E.Next;
  }
}

void StateKey::addBytes(const Object &O, std::string &Whole) {
  std::string_view Bytes(reinterpret_cast<const char *>(O.Data), O.Size);
  constexpr uint32_t Small = 16;
  if (O.Size <= Small)
    Whole.append(Bytes);
  else
    put(Whole, Parts.insert(Bytes).first);
}

/// Whether there are objects that may be forgotten.
bool StateKey::needsNames() const {
  const Memory &Mem = C.machine().memory();
  for (auto Slot = static_cast<uint32_t>(C.machine().program().Globals.size()) + 1; Slot < Mem.numSlots(); ++Slot)
    if (const Object &O = Mem.at(Slot); isOver(O) || (O.Life == Lifetime::Alive && O.Kind == ObjectKind::Heap))
      return true;
  return false;
}

void StateKey::addMemory(std::string &Whole) {
  const Memory &Mem = C.machine().memory();
  const auto Globals = static_cast<uint32_t>(C.machine().program().Globals.size());
  for (uint32_t Slot = 1; Slot <= Globals; ++Slot)
    if (const Object &O = Mem.at(Slot); O.Life == Lifetime::Alive && O.Kind != ObjectKind::Constant)
      addBytes(O, Whole);
  const bool Names = needsNames();
  if (Names)
    C.machine().findNamed(Named);
  for (uint32_t Slot = Globals + 1; Slot < Mem.numSlots(); ++Slot) {
    const Object &O = Mem.at(Slot);
    const bool Forgettable = isOver(O) || O.Kind == ObjectKind::Heap;
    const bool Forgotten = Forgettable && !Named[Slot];
    if (Forgotten && O.Life == Lifetime::Alive && C.machine().checks(BugKind::Leak)) {
      put(Whole, Slot); // that it was lost is all that matters
      put(Whole, O.AllocatedAt);
    }
    if (O.Life == Lifetime::Absent || Forgotten)
      continue;
    put(Whole, Slot);
    put(Whole, O.Life);
    put(Whole, O.Size);
    put(Whole, O.Site);
    if (!isOver(O))
      addBytes(O, Whole);
  }
}

void StateKey::addBuffer(ThreadId T, std::string &Whole) {
  Part.clear();
  forEachBuffered(C, T, [&](const StoreBuffer::Entry &E) {
    put(Part, E.Where);
    put(Part, E.Value);
    put(Part, E.Value2);
    put(Part, E.Width);
    put(Part, E.Pc);
  });
  put(Whole, Parts.insert(Part).first);
}

void StateKey::compute(std::string &Whole, std::vector<uint32_t> &Threads, ThreadId But) {
  Machine &M = C.machine();
  Whole.clear();
  Threads.clear();
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    Part.clear();
    M.describe(T, Part);
    Threads.push_back(Parts.insert(Part).first);
    // Threads that were found in another execution and are not there in this one leave no trace.
    if (!M.exists(T))
      continue;
    put(Whole, T);
    put(Whole, Threads.back());
    if (C.buffering() != Buffering::None && T != But)
      addBuffer(T, Whole);
  }
  put(Whole, StateKey::NoThread);
  addMemory(Whole);
}

} // namespace picket
