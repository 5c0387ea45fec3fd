// The races of operations that can have to wait. With an operation on one cell that is the latest write before
// which it could have happened. An operation on several cells (others access parts of its memory) would wait or not for
// all cells together. It races with events that are written to different cells, and it can be that only without two of
// them it need not wait: `while (x.a != x.b) ;`.
#include "explore/RaceDetector.h"

#include <algorithm>
#include <cstring>

namespace picket {

void RaceDetector::findRacesOfWaiting(uint32_t Size, PodArray<Race> &Result) {
  if (Step.WaitsForSeveral)
    findRacesOfSeveral(Size, Result);
  else
    findRacesWithWrites(Result);
}

/// The value before a write may be one the operation would have waited for. Then the write cannot be overtaken, and the
/// one before it is tried.
void RaceDetector::findRacesWithWrites(PodArray<Race> &Result) {
  const Event &Mine = Events.next();
  for (CellId Cell : Step.Cells)
    for (TouchNumber T = History.at(Cell).LastWrite; T; T = History[T].PrevWrite) {
      const uint32_t Writer = History.eventOf(T);
      const Event &E = Events[Writer];
      if (E.Touched.Owner == Mine.Touched.Owner || Step.Seen[E.Process] >= E.Index)
        break;
      const uint8_t *Before = History.bytesBefore(T);
      if (Config.wouldWait(Mine.Process, Before))
        continue;
      Result.push_back({Writer, Events.length(),
                        Step.Pending.Kind != OperationKind::Load && Config.wouldWrite(Mine.Process, Before)});
      break;
    }
}

/// Whether event K is one of those that a race takes out besides its second.
bool RaceDetector::isOut(const std::vector<uint32_t> &Out, uint32_t K) const {
  return std::any_of(Out.begin(), Out.end(), [&](uint32_t First) { return K >= First && happensBefore(First, K); });
}

/// The last write of a cell (touch + 1) in the execution without some events and all that happens after them. What the
/// thread itself has written it finds in any case, if only in its buffer.
TouchNumber RaceDetector::lastWithout(const std::vector<uint32_t> &Out, CellId Cell, ThreadId Own) const {
  TouchNumber Last = History.at(Cell).LastWrite;
  while (Last && !History.isOwn(Last, Own) && isOut(Out, History.eventOf(Last)))
    Last = History[Last].PrevWrite;
  return Last;
}

/// What the pending operation would find without some events, `Size` bytes.
void RaceDetector::bytesWithout(const std::vector<uint32_t> &Out, uint32_t Size, ThreadId Own, uint8_t *Bytes) {
  const Operation &Pending = Step.Pending;
  std::memcpy(Bytes, Config.machine().memory().bytes(Pending.Where), Size);
  for (CellId Cell : Step.Cells)
    if (const TouchNumber Last = lastWithout(Out, Cell, Own); Last != History.at(Cell).LastWrite) {
      const TouchNumber Next = Last ? History[Last].NextWrite : History.firstWriteOf(Cell);
      assert(Next != NoTouch && "a write that is not the last one has a next one");
      std::memcpy(Bytes + (AllCells.addressOf(Cell) - Pending.Where), History.bytesBefore(Next), AllCells.sizeOf(Cell));
    }
  if (Pending.Kind != OperationKind::Load || !Config.readsOwnBuffer(Own, Pending))
    return;
  const StoreBuffer &Buffer = Config.buffer(Own);
  for (uint32_t K = 0; K < Size; ++K)
    if (const uint32_t Source = Buffer.sourceOf(Pending.Where + K); Source != Buffer.tail())
      Bytes[K] = Buffer.at(Source).byteAt(Pending.Where + K);
}

/// Takes out the last write of one cell after the other until the operation need not wait. Of the ways to do so only
/// those count that take out no more than another one: the rest is found from there.
void RaceDetector::findRacesOfSeveral(uint32_t Size, PodArray<Race> &Result) {
  const ProcessId P = Events.next().Process;
  const ThreadId Own = Events.next().Touched.Owner;
  auto CanGo = [&](uint32_t E) {
    return Events[E].Touched.Owner != Own && Step.Seen[Events[E].Process] < Events[E].Index;
  };
  auto LastWrites = [&](const std::vector<uint32_t> &Out) {
    std::vector<TouchNumber> Last;
    for (CellId Cell : Step.Cells)
      Last.push_back(lastWithout(Out, Cell, Own));
    return Last;
  };
  uint8_t Bytes[64];
  std::vector<std::vector<uint32_t>> Work = {{}}, Tried = {LastWrites({})}, Ways;
  while (!Work.empty()) {
    const std::vector<uint32_t> Out = std::move(Work.back());
    Work.pop_back();
    for (TouchNumber Last : LastWrites(Out)) {
      if (!Last || !CanGo(History.eventOf(Last)))
        continue;
      std::vector<uint32_t> More = Out;
      More.push_back(History.eventOf(Last));
      std::vector<uint32_t> Left = LastWrites(More);
      if (std::find(Tried.begin(), Tried.end(), Left) != Tried.end())
        continue;
      Tried.push_back(std::move(Left));
      bytesWithout(More, Size, Own, Bytes);
      (Config.wouldWait(P, Bytes) ? Work : Ways).push_back(std::move(More));
    }
  }
  // A write also races with reads that nothing it reads comes after.
  if (Step.Pending.Kind != OperationKind::Load)
    for (CellId Cell : Step.Cells)
      History.forEachRead(History.at(Cell).Reads, [&](uint32_t Reader) {
        if (!CanGo(Reader) || LastWrites({Reader}) != LastWrites({}))
          return;
        bytesWithout({}, Size, Own, Bytes);
        if (!Config.wouldWait(P, Bytes) && Config.wouldWrite(P, Bytes))
          Ways.push_back({Reader});
      });
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
    const bool Writes = Step.Pending.Kind != OperationKind::Load && Config.wouldWrite(P, Bytes);
    const uint32_t First = *std::min_element(Ways[K].begin(), Ways[K].end());
    Result.push_back({First, Events.length(), Writes});
    if (Ways[K].size() > 1) {
      AlsoOut.push_back(Ways[K]);
      Result.back().Also = static_cast<uint32_t>(AlsoOut.size());
    }
  }
}

} // namespace picket
