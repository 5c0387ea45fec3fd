// What an operation that can have to wait races with, where it accesses several cells: others access parts of its
// memory. Whether it would wait is then a matter of all cells together. It races with events that are written to
// different cells, and it can be that only without two of them it need not wait: `while (x.a != x.b) ;`.
#include "explore/Execution.h"

namespace picket {

/// Whether event K is one of those that a race takes out besides its second.
bool Execution::isOut(const std::vector<uint32_t> &Out, uint32_t K) const {
  return std::any_of(Out.begin(), Out.end(), [&](uint32_t First) { return K >= First && happensBefore(First, K); });
}

/// The last write of a cell (touch + 1) in the execution without some events and all that happens after them. What the
/// thread itself has written it finds in any case, if only in its buffer.
uint32_t Execution::lastWithout(const std::vector<uint32_t> &Out, CellId Cell, ThreadId Own) const {
  uint32_t Last = State[Cell].LastWrite;
  while (Last && !isOwn(Last, Own) && isOut(Out, Touches[Last - 1].Event))
    Last = Touches[Last - 1].PrevWrite;
  return Last;
}

/// What the pending operation would find without some events, `Size` bytes.
void Execution::bytesWithout(const std::vector<uint32_t> &Out, uint32_t Size, ThreadId Own, uint8_t *Bytes) {
  std::memcpy(Bytes, C.machine().memory().bytes(Pending.Where), Size);
  for (CellId Cell : Found)
    if (const uint32_t Last = lastWithout(Out, Cell, Own); Last != State[Cell].LastWrite) {
      const uint32_t Next = Last ? Touches[Last - 1].NextWrite : firstWriteOf(Cell);
      std::memcpy(Bytes + (Memory.addressOf(Cell) - Pending.Where), &OldBytes[Touches[Next - 1].Old],
                  Memory.sizeOf(Cell));
    }
  if (Pending.Kind != OperationKind::Load || !C.readsOwnBuffer(Own, Pending))
    return;
  const StoreBuffer &Buffer = C.buffer(Own);
  for (uint32_t K = 0; K < Size; ++K)
    if (const uint32_t Source = Buffer.sourceOf(Pending.Where + K); Source != Buffer.tail())
      Bytes[K] = Buffer.at(Source).byteAt(Pending.Where + K);
}

uint32_t Execution::firstWriteOf(CellId Cell) const {
  uint32_t First = State[Cell].LastWrite;
  while (Touches[First - 1].PrevWrite)
    First = Touches[First - 1].PrevWrite;
  return First;
}

/// Takes out the last write of one cell after the other until the operation need not wait. Of the ways to do so only
/// those count that take out no more than another one: the rest is found from there.
void Execution::findWaitingRacesOfSeveral(uint32_t Size, const uint32_t *SeenClock, PodArray<Race> &Result) {
  const ProcessId P = Events[Length].Process;
  const ThreadId Own = Events[Length].Touched.Owner;
  auto CanGo = [&](uint32_t E) {
    return Events[E].Touched.Owner != Own && SeenClock[Events[E].Process] < Events[E].Index;
  };
  auto LastWrites = [&](const std::vector<uint32_t> &Out) {
    std::vector<uint32_t> Last;
    for (CellId Cell : Found)
      Last.push_back(lastWithout(Out, Cell, Own));
    return Last;
  };
  uint8_t Bytes[64];
  std::vector<std::vector<uint32_t>> Work = {{}}, Looked = {LastWrites({})}, Ways;
  while (!Work.empty()) {
    const std::vector<uint32_t> Out = std::move(Work.back());
    Work.pop_back();
    for (uint32_t Last : LastWrites(Out)) {
      if (!Last || !CanGo(Touches[Last - 1].Event))
        continue;
      std::vector<uint32_t> More = Out;
      More.push_back(Touches[Last - 1].Event);
      std::vector<uint32_t> Left = LastWrites(More);
      if (std::find(Looked.begin(), Looked.end(), Left) != Looked.end())
        continue;
      Looked.push_back(std::move(Left));
      bytesWithout(More, Size, Own, Bytes);
      (C.wouldWait(P, Bytes) ? Work : Ways).push_back(std::move(More));
    }
  }
  // A write also races with reads that nothing it reads comes after.
  if (Pending.Kind != OperationKind::Load)
    for (CellId Cell : Found)
      for (uint32_t T = State[Cell].Reads; T; T = Touches[T - 1].NextRead)
        if (const uint32_t Reader = Touches[T - 1].Event; CanGo(Reader) && LastWrites({Reader}) == LastWrites({})) {
          bytesWithout({}, Size, Own, Bytes);
          if (!C.wouldWait(P, Bytes) && C.wouldWrite(P, Bytes))
            Ways.push_back({Reader});
        }
  auto TakesOutAll = [&](const std::vector<uint32_t> &More, const std::vector<uint32_t> &Less) {
    return std::all_of(Less.begin(), Less.end(), [&](uint32_t E) { return isOut(More, E); });
  };
  for (size_t K = 0; K < Ways.size(); ++K) {
    bool Superfluous = false;
    for (size_t Other = 0; Other < Ways.size(); ++Other)
      Superfluous |=
          Other != K && TakesOutAll(Ways[K], Ways[Other]) && (Other < K || !TakesOutAll(Ways[Other], Ways[K]));
    if (Superfluous)
      continue;
    bytesWithout(Ways[K], Size, Own, Bytes);
    const bool Writes = Pending.Kind != OperationKind::Load && C.wouldWrite(P, Bytes);
    const uint32_t First = *std::min_element(Ways[K].begin(), Ways[K].end());
    Result.push_back({First, Length, Writes});
    if (Ways[K].size() > 1) {
      AlsoOut.push_back(Ways[K]);
      Result.back().Also = static_cast<uint32_t>(AlsoOut.size());
    }
  }
}

} // namespace picket
