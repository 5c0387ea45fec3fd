#include "explore/StateKey.h"

#include "explore/StateTeam.h"

#include <algorithm>

namespace picket {

namespace {

template <typename T> void put(std::string &Into, const T &Value) {
  Into.append(reinterpret_cast<const char *>(&Value), sizeof(T));
}

bool isOver(const Object &O) { return O.Life == Lifetime::Left || O.Life == Lifetime::Freed; }

} // namespace

void StateKey::share(StateTeam &All) {
  if (Common)
    return;
  Common = &All;
  for (uint32_t Own = 0; Own < Parts.size(); ++Own)
    CommonNumbers.push_back(All.part(Parts[Own]));
}

uint32_t StateKey::commonNumber(uint32_t Own, bool IsNew) {
  if (IsNew)
    CommonNumbers.push_back(Common->part(Parts[Own]));
  return CommonNumbers[Own];
}

void StateKey::addBytes(const Object &O, std::string &Whole) {
  std::string_view Bytes(reinterpret_cast<const char *>(O.Data), O.Size);
  constexpr uint32_t Small = 16;
  if (O.Size <= Small)
    Whole.append(Bytes);
  else
    put(Whole, numberOf(Bytes));
}

/// Whether there are objects that may be forgotten.
bool StateKey::needsNames() const {
  const Memory &Mem = Config.machine().memory();
  for (auto Slot = static_cast<uint32_t>(Config.machine().program().Globals.size()) + 1; Slot < Mem.numSlots(); ++Slot)
    if (const Object &O = Mem.at(Slot); isOver(O) || (O.Life == Lifetime::Alive && O.Kind == ObjectKind::Heap))
      return true;
  return false;
}

void StateKey::addMemory(std::string &Whole) {
  const Memory &Mem = Config.machine().memory();
  const auto Globals = static_cast<uint32_t>(Config.machine().program().Globals.size());
  for (uint32_t Slot = 1; Slot <= Globals; ++Slot)
    if (const Object &O = Mem.at(Slot); O.Life == Lifetime::Alive && O.Kind != ObjectKind::Constant)
      addBytes(O, Whole);
  const bool Names = needsNames();
  if (Names)
    Config.machine().states().findNamed(Named);
  for (uint32_t Slot = Globals + 1; Slot < Mem.numSlots(); ++Slot) {
    const Object &O = Mem.at(Slot);
    const bool Forgettable = isOver(O) || O.Kind == ObjectKind::Heap;
    const bool Forgotten = Forgettable && !Named[Slot];
    if (Forgotten && O.Life == Lifetime::Alive && Config.machine().checks(BugKind::Leak)) {
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
  const bool InAnyOrder = Config.buffering() == Buffering::PerLocation && !Config.bufferEmpty(T);
  std::vector<uint32_t> Before; // entries that have not landed: indices
  auto NumBefore = [&](uint32_t Index) {
    return static_cast<uint32_t>(std::lower_bound(Before.begin(), Before.end(), Index) - Before.begin());
  };
  forEachBuffered(Config, T, [&](uint32_t Index, const StoreBuffer::Entry &E) {
    put(Part, E.Where);
    put(Part, E.Value);
    put(Part, E.Value2);
    put(Part, E.Width);
    put(Part, E.Pc);
    if (!InAnyOrder)
      return;
    put(Part, NumBefore(E.WaitFor));
    Before.push_back(Index);
  });
  if (InAnyOrder) { // under TSO the newest entry tells
    put(Part, NumBefore(Config.buffer(T).barrier()));
    put(Part, Config.mustDrain(T));
  }
  put(Whole, numberOf(Part));
}

void StateKey::compute(std::string &Whole, std::vector<uint32_t> &Threads, ThreadId But) {
  Machine &M = Config.machine();
  Whole.clear();
  Threads.clear();
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    Part.clear();
    M.states().describe(T, Part);
    Threads.push_back(numberOf(Part));
    // Threads that were found in another execution and are not there in this one leave no trace.
    if (!M.exists(T))
      continue;
    put(Whole, T);
    put(Whole, Threads.back());
    if (Config.buffering() != Buffering::None && T != But)
      addBuffer(T, Whole);
  }
  put(Whole, StateKey::NoThread);
  addMemory(Whole);
}

} // namespace picket
