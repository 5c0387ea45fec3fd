// Riding on executions under SC: the parts of clocks that tell which stores must have landed, and the question whether
// the next access of a thread could come before one that has not. See ScMonitor.h.
#include "explore/Execution.h"

#include <algorithm>
#include <numeric>

namespace picket {

/// Whether another thread than `Writer` did one of these reads of a cell, in what `Known` has seen.
bool Execution::readByOthers(ThreadId Writer, uint32_t Reads, const uint32_t *Known) const {
  for (uint32_t T = Reads; T; T = Touches[T - 1].NextRead) {
    const Event &Reader = Events[Touches[T - 1].Event];
    if (Reader.Touched.Owner != Writer && Known[Reader.Process] >= Reader.Index)
      return true;
  }
  return false;
}

/// Whether another thread has accessed some cell of the store after it, in what `Known` has seen.
bool Execution::seenByOthers(uint32_t Store, const uint32_t *Known) const {
  const Event &E = Events[Store];
  const uint32_t End = E.FirstTouch + numTouches(Store);
  for (uint32_t Touch = E.FirstTouch; Touch < End; ++Touch) {
    const CellState &Cell = State[Touches[Touch].Cell];
    uint32_t Reads = Cell.Reads;
    for (uint32_t W = Cell.LastWrite; W; W = Touches[W - 1].PrevWrite) {
      if (readByOthers(E.Touched.Owner, Reads, Known))
        return true;
      const Event &Writer = Events[Touches[W - 1].Event];
      if (W == Touch + 1)
        break;
      if (Writer.Touched.Owner != E.Touched.Owner && Known[Writer.Process] >= Writer.Index)
        return true;
      Reads = Touches[W - 1].PrevReads;
    }
  }
  return false;
}

/// The event to come accesses this cell and perhaps others of the store: it comes before all of it, or after. If there
/// are others, asks again what it has seen by way of those that are not the store's. False if there are none.
bool Execution::monitorWithout(const Event &Store, CellId Cell) {
  auto OfStore = [&](const std::pair<CellId, bool> &A) {
    if (A.first == Cell)
      return false;
    for (uint32_t K = 0; K < Store.Touched.size(); ++K)
      if (A.first == Store.Touched[K].Cell)
        return true;
    return false;
  };
  std::vector<std::pair<CellId, bool>> All = Monitored;
  if (std::erase_if(Monitored, OfStore) > 0) {
    std::vector<uint32_t> Known = Seen;
    for (auto [Other, Writes] : Monitored)
      if (Other != Cell)
        joinConflicts(Known.data(), Other, Writes);
    monitorBefore(Known.data(), Cell, false);
    Monitored.swap(All);
    return true;
  }
  return false;
}

/// The thread that has seen `Known` is about to access the cell, or waits to: could it do so before a store lands that
/// it has seen the thread of go past? An access that may wait does so only where it finds a value that ends the waiting.
void Execution::monitorBefore(const uint32_t *Known, CellId Cell, bool MayWait) {
  const Event &Mine = Events[Length];
  uint32_t Write = State[Cell].LastWrite, Reads = State[Cell].Reads;
  while (Write) { // to the last write it has seen
    const Event &E = Events[Touches[Write - 1].Event];
    if (Known[E.Process] >= E.Index)
      break;
    Reads = Touches[Write - 1].PrevReads;
    Write = Touches[Write - 1].PrevWrite;
  }
  if (!Write)
    return;
  const Event &Last = Events[Touches[Write - 1].Event];
  const uint32_t Store = Touches[Write - 1].Event;
  if (Last.Kind != OperationKind::Store || Last.Touched.Owner == Mine.Touched.Owner)
    return;
  // Under TSO whatever has landed under PSO has, too. Earlier stores of the same thread may be pending as well.
  bool Tso = true;
  for (; Write; Reads = Touches[Write - 1].PrevReads, Write = Touches[Write - 1].PrevWrite) {
    const Event &E = Events[Touches[Write - 1].Event];
    if (E.Kind != OperationKind::Store || E.Process != Last.Process ||
        E.Index <= entry(Known, LandedPso, E.Process) || readByOthers(E.Touched.Owner, Reads, Known))
      return;
    if (E.Touched.size() > 1 && (monitorWithout(E, Cell) || seenByOthers(Touches[Write - 1].Event, Known)))
      return;
    Tso = Tso && E.Index > entry(Known, LandedTso, E.Process);
    if (!MayWait || !C.wouldWait(Mine.Process, &OldBytes[Touches[Write - 1].Old])) {
      raise(Known, Store, Tso);
      return;
    }
  }
}

void Execution::raise(const uint32_t *Known, uint32_t Store, bool Tso) {
  const Event &Delayed = Events[Store], &Observer = Events[Length];
  const size_t Size = std::accumulate(Known, Known + Stride, size_t(0));
  const bool Wanted[] = {Tso && Monitor->wants(ScMonitor::Tso, Size), Monitor->wants(ScMonitor::Pso, Size)};
  if (!Wanted[ScMonitor::Tso] && !Wanted[ScMonitor::Pso])
    return;
  auto Describe = [&](const Event &E) {
    return MonitoredAccess{C.machine().pathOf(E.Touched.Owner), E.Operation, E.Pc};
  };
  RobustnessAlarm Alarm;
  for (uint32_t K = 0; K < Length; ++K)
    if (Known[Events[K].Process] >= Events[K].Index) {
      Alarm.Past.push_back(Describe(Events[K]));
      if (Events[K].Process == Delayed.Process) // the last one that was seen of the thread
        Alarm.Overtaker = Alarm.Past.back();
    }
  Alarm.Delayed = Describe(Delayed);
  Alarm.Observer = Describe(Observer);
  if (Wanted[ScMonitor::Tso])
    Monitor->raise(ScMonitor::Tso, Alarm);
  if (Wanted[ScMonitor::Pso])
    Monitor->raise(ScMonitor::Pso, std::move(Alarm));
}

/// The accesses of the step that has just been made, before they count.
void Execution::monitorAccesses() {
  if (C.accesses().size() == 1) {
    findCells(C.accesses().front());
    if (Found.size() == 1)
      return monitorBefore(Seen.data(), Found[0], false);
  }
  monitorSeveral(C.accesses());
}

/// An event of several cells: one of them may come too early for a store that happens before it by way of another.
void Execution::monitorSeveral(const std::vector<MemoryAccess> &Accesses) {
  std::vector<std::pair<CellId, bool>> &Cells = Monitored;
  for (const MemoryAccess &A : Accesses) {
    findCells(A);
    for (CellId Cell : Found)
      Cells.push_back({Cell, A.Write});
  }
  // Per cell: what was seen, and by way of all cells in front of it; then those behind it are added from the end.
  std::vector<uint32_t> InFront((Cells.size() + 1) * Width), Behind(Width);
  copyClock(InFront.data(), Seen.data());
  for (size_t K = 0; K < Cells.size(); ++K) {
    copyClock(&InFront[(K + 1) * Width], &InFront[K * Width]);
    joinConflicts(&InFront[(K + 1) * Width], Cells[K].first, Cells[K].second);
  }
  for (size_t K = Cells.size(); K-- > 0;) {
    join(&InFront[K * Width], Behind.data());
    monitorBefore(&InFront[K * Width], Cells[K].first, false);
    joinConflicts(Behind.data(), Cells[K].first, Cells[K].second);
  }
  Monitored.clear();
}

/// What happens before an access of the cell by the event to come, by way of the cell.
void Execution::joinConflicts(uint32_t *Into, CellId Cell, bool Writes) {
  if (uint32_t Write = State[Cell].LastWrite)
    join(Into, clock(Touches[Write - 1].Event));
  for (uint32_t T = Writes ? State[Cell].Reads : 0; T; T = Touches[T - 1].NextRead)
    join(Into, clock(Touches[T - 1].Event));
  monitorLanded(Into, Cell);
}

/// The event to come accesses the cell after another thread's write, which has landed by then, and with it all that has
/// to land first: under TSO what the thread stored earlier, under PSO what it stored before a barrier.
void Execution::monitorLanded(uint32_t *Clock, CellId Cell) {
  uint32_t Write = State[Cell].LastWrite;
  if (!Write)
    return;
  const uint32_t Writer = Touches[Write - 1].Event;
  const Event &W = Events[Writer];
  if (W.Touched.Owner == Events[Length].Touched.Owner)
    return;
  uint32_t &Tso = entry(Clock, LandedTso, W.Process), &Pso = entry(Clock, LandedPso, W.Process);
  Tso = std::max(Tso, W.Index);
  Pso = std::max(Pso, entry(clock(Writer), Barriers, W.Process));
}

/// What the step itself means for the stores of its thread. Its clock has all but that.
void Execution::monitorStep(uint32_t E) {
  const Event &Mine = Events[E];
  const ProcessId P = Mine.Process;
  uint32_t *Clock = clock(E);
  auto Lands = [&](Part Which, uint32_t Index) {
    uint32_t &Landed = entry(Clock, Which, P);
    Landed = std::max(Landed, Index);
  };
  switch (Mine.Kind) {
  case OperationKind::Store:
    if (Pending.Ordering >= Order::Release)
      entry(Clock, Barriers, P) = Mine.Index - 1;
    if (Pending.Ordering == Order::SeqCst) { // a fence follows: whoever has seen more than the store knows that it landed
      Lands(LandedTso, Mine.Index);
      Lands(LandedPso, Mine.Index);
    }
    break;
  case OperationKind::Rmw:
  case OperationKind::CmpXchg: {
    bool All = Pending.Ordering == Order::NotAtomic || Pending.Ordering >= Order::Release;
    Lands(LandedTso, Mine.Index);
    Lands(LandedPso, All ? Mine.Index : entry(Clock, Barriers, P));
    break;
  }
  case OperationKind::Sync:
  case OperationKind::Free:
  case OperationKind::Atomic:
    Lands(LandedTso, Mine.Index);
    Lands(LandedPso, Mine.Index);
    break;
  default: break;
  }
}

/// What happens along with a step, and is not part of its event: others do not see it from the event alone.
void Execution::monitorNote(const StepNote &N) {
  auto Drain = [&](uint32_t *Clock, ProcessId P, uint32_t Effect) {
    uint32_t Index = entry(Clock, HappensBefore, P);
    if (Effect & StepNote::DrainsTso)
      entry(Clock, LandedTso, P) = Index;
    if (Effect & StepNote::DrainsPso)
      entry(Clock, LandedPso, P) = Index;
    if (Effect & StepNote::StoreBarrier)
      entry(Clock, Barriers, P) = Index;
  };
  constexpr uint32_t All = StepNote::DrainsTso | StepNote::DrainsPso;
  ProcessId P = C.processOf(N.A);
  if (N.What == StepNote::Fenced) {
    saveCurrent(P);
    Drain(current(P), P, N.B);
  } else if (N.What == StepNote::Joined) {
    ProcessId Ended = C.processOf(N.B);
    saveCurrent(P);
    saveCurrent(Ended);
    Drain(current(P), P, All);
    Drain(current(Ended), Ended, All);
  }
}

} // namespace picket
