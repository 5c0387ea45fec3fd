// Riding on executions under SC: which stores must have landed, and the question whether the next access of a thread
// could come before one that has not. See ScMonitor.h. Most accesses come upon no store that could be late; what has
// landed is therefore not kept in clocks, but looked up in what the asking thread has seen.
#include "explore/Execution.h"

#include <algorithm>
#include <cstring>
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

/// Whether another thread has accessed a cell directly after this write of it, in what `Known` has seen.
bool Execution::wasSeen(uint32_t Writer, const uint32_t *Known) const {
  const Event &E = Events[Writer];
  const uint32_t End = E.FirstTouch + numTouches(Writer);
  for (uint32_t T = E.FirstTouch; T < End; ++T) {
    const Touch &W = Touches[T];
    if (W.How != CellAccess::Write)
      continue;
    if (readByOthers(E.Touched.Owner, W.NextWrite ? Touches[W.NextWrite - 1].PrevReads : State[W.Cell].Reads, Known))
      return true;
    if (!W.NextWrite)
      continue;
    const Event &Next = Events[Touches[W.NextWrite - 1].Event];
    if (Next.Touched.Owner != E.Touched.Owner && Known[Next.Process] >= Next.Index)
      return true;
  }
  return false;
}

Execution::Landing &Execution::addLanding(ProcessId P, uint32_t Index) {
  std::vector<Landing> &Landings = Histories[P].Landings;
  Landed.push_back(P);
  Landings.push_back(Landing(Landings.back()));
  Landings.back().Index = Index;
  return Landings.back();
}

const Execution::Landing &Execution::landingAt(ProcessId P, uint32_t Index) const {
  const std::vector<Landing> &Landings = Histories[P].Landings; // the first has no Index
  auto IsLater = [](uint32_t Index, const Landing &L) { return Index < L.Index; };
  return *(std::upper_bound(Landings.begin(), Landings.end(), Index, IsLater) - 1);
}

/// Whether a store must have landed for a thread that has seen `Known` and is about to access the cell. Its thread may
/// have seen to that. Or another one has accessed what it wrote since: that has landed then, and with it all that has
/// to land first: under TSO what the thread stored earlier, under PSO what it stored before a barrier.
void Execution::findLanded(const Event &Store, CellId Cell, const uint32_t *Known, bool &Tso, bool &Pso) const {
  const ProcessId P = Store.Process;
  const Landing &Own = landingAt(P, Known[P]);
  Tso = Own.Tso >= Store.Index;
  Pso = Own.Pso >= Store.Index;
  const std::vector<uint32_t> &All = Histories[P].Events;
  auto IsLater = [&](uint32_t Index, uint32_t E) { return Index < Events[E].Index; };
  for (auto E = std::upper_bound(All.begin(), All.end(), Known[P], IsLater);
       !Pso && E != All.begin() && Events[*--E].Index >= Store.Index;) {
    const bool BehindBarrier = landingAt(P, Events[*E].Index).Barrier >= Store.Index;
    if (Tso && !BehindBarrier) // nor is an earlier one
      break;
    if (wasSeen(*E, Known)) {
      Tso = true;
      Pso = BehindBarrier;
    }
  }
  for (auto [Other, Writes] : Monitored) { // comes after these as well
    const uint32_t Write = Other == Cell ? 0 : State[Other].LastWrite;
    if (!Write)
      continue;
    const Event &E = Events[Touches[Write - 1].Event];
    Tso = Tso || (E.Process == P && E.Index >= Store.Index);
    Pso = Pso || (E.Process == P && landingAt(P, E.Index).Barrier >= Store.Index);
  }
}

/// Whether the compare-and-swap to come would find what it expects if the store were late: in the cells of the store
/// what was there before it, in others what is there, which it comes after in either case.
bool Execution::swapsBefore(uint32_t Store) const {
  if (Pending.Fails)
    return false;
  const uint64_t Words[] = {Pending.Expected, Pending.Expected2};
  const auto *Expected = reinterpret_cast<const uint8_t *>(Words);
  const uint32_t First = Events[Store].FirstTouch, End = First + numTouches(Store);
  for (CellId Cell : Found) {
    const uint8_t *There = C.machine().memory().bytes(Memory.addressOf(Cell));
    bool IsOfStore = false;
    for (uint32_t T = First; T < End; ++T)
      if (Touches[T].Cell == Cell) {
        There = &OldBytes[Touches[T].Old];
        IsOfStore = true;
      }
    if (!IsOfStore && Swaps.Did)
      continue; // it found what it expects
    if (std::memcmp(There, Expected + (Memory.addressOf(Cell) - Pending.Where), Memory.sizeOf(Cell)) != 0)
      return false;
  }
  return true;
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
/// it has seen the thread of go past? An access that may wait does so only where it finds a value that ends the
/// waiting.
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
  bool Tso = true, Wanted = true;
  AlarmInstructions At;
  // An update, or one that was tried, waits for the thread's own stores to the same bytes, whatever its order.
  auto Waits = [&](uint32_t Touch) {
    const Event &Later = Events[Touches[Touch - 1].Event];
    return (Later.Kind == OperationKind::CmpXchg || Later.Kind == OperationKind::Rmw) &&
           Later.Process == Last.Process && Known[Later.Process] >= Later.Index;
  };
  auto WaitedFor = [&](uint32_t Delayed) {
    const uint32_t First = Events[Delayed].FirstTouch, End = First + numTouches(Delayed);
    for (uint32_t Touch = First; Touch < End; ++Touch) {
      uint32_t After = State[Touches[Touch].Cell].Reads;
      for (uint32_t W = State[Touches[Touch].Cell].LastWrite; W; W = Touches[W - 1].PrevWrite) {
        for (uint32_t T = After; T; T = Touches[T - 1].NextRead)
          if (Waits(T))
            return true;
        if (W == Touch + 1)
          break;
        if (Waits(W))
          return true;
        After = Touches[W - 1].PrevReads;
      }
    }
    return false;
  };
  for (; Write; Reads = Touches[Write - 1].PrevReads, Write = Touches[Write - 1].PrevWrite) {
    const Event &E = Events[Touches[Write - 1].Event];
    if (E.Kind != OperationKind::Store || E.Process != Last.Process || readByOthers(E.Touched.Owner, Reads, Known))
      return;
    if (At.Store == AlarmInstructions::None) {
      At = instructionsOf(Last, Known);
      Wanted = wantsAlarm(At, Known);
    }
    if (!Wanted && E.Touched.size() == 1)
      return;
    bool LandedTso, LandedPso;
    findLanded(E, Cell, Known, LandedTso, LandedPso);
    if (LandedPso || WaitedFor(Touches[Write - 1].Event))
      return;
    if (E.Touched.size() > 1 && (monitorWithout(E, Cell) || seenByOthers(Touches[Write - 1].Event, Known)))
      return;
    Tso = Tso && !LandedTso;
    if (Swaps.Asked && swapsBefore(Touches[Write - 1].Event) != Swaps.Would)
      continue; // it would do something else without the store, but perhaps not without the one before it as well
    if (!MayWait || !C.wouldWait(Mine.Process, &OldBytes[Touches[Write - 1].Old])) {
      if (Swaps.Asked) // the first of the late ones: with the last alone it would do something else
        At.Store = E.Pc;
      raise(Known, Swaps.Asked ? Touches[Write - 1].Event : Store, At, Tso);
      return;
    }
  }
}

/// The instructions of an alarm about the store and the event to come. Of the storing thread the last event that was
/// seen overtakes the store: others have seen it, and not the store.
AlarmInstructions Execution::instructionsOf(const Event &Store, const uint32_t *Known) const {
  const Event &Observer = Events[Length];
  const std::vector<uint32_t> &All = Histories[Store.Process].Events, &Own = Histories[Observer.Process].Events;
  auto IsLater = [&](uint32_t Index, uint32_t E) { return Index < Events[E].Index; };
  const uint32_t Overtaker = *(std::upper_bound(All.begin(), All.end(), Known[Store.Process], IsLater) - 1);
  AlarmInstructions At;
  At.Store = Store.Pc;
  At.Overtaker = Events[Overtaker].Pc;
  At.Observer = Observer.Pc;
  if (!Own.empty())
    At.Previous = Events[Own.back()].Pc;
  return At;
}

/// Whether an alarm with this past would be the first or the shortest of its kind in the executions seen here.
bool Execution::wantsAlarm(const AlarmInstructions &At, const uint32_t *Known) const {
  const auto Before = RaisedHere.find(At);
  return Before == RaisedHere.end() ||
         std::accumulate(Known, Known + Stride, size_t(0)) < std::max(Before->second[0], Before->second[1]);
}

void Execution::raise(const uint32_t *Known, uint32_t Store, const AlarmInstructions &At, bool Tso) {
  const size_t Size = std::accumulate(Known, Known + Stride, size_t(0));
  constexpr size_t Never = std::numeric_limits<size_t>::max();
  std::array<size_t, 2> &Shortest = RaisedHere.try_emplace(At, std::array{Never, Never}).first->second;
  auto MakeAlarm = [&] {
    const Event &Delayed = Events[Store], &Observer = Events[Length];
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
    return Alarm;
  };
  constexpr MemoryModel Models[] = {MemoryModel::TSO, MemoryModel::PSO};
  for (size_t K = Tso ? 0 : 1; K < Shortest.size(); ++K)
    if (Size < Shortest[K]) {
      Shortest[K] = Size;
      Monitor->raise(Models[K], At, Size, MakeAlarm);
    }
}

/// The only access of the step that has just been made, before it counts. Its cells have been found.
void Execution::monitorAccess(const MemoryAccess &A) {
  if (Found.size() == 1)
    return monitorBefore(Seen.data(), Found[0], false);
  monitorSeveral({&A, 1}, A.Write);
  findCells(A);
}

/// An event of several cells: one of them may come too early for a store that happens before it by way of another.
void Execution::monitorSeveral(std::span<const MemoryAccess> Accesses, bool DidSwap) {
  std::vector<std::pair<CellId, bool>> &Cells = Monitored;
  for (const MemoryAccess &A : Accesses) {
    findCells(A);
    for (CellId Cell : Found)
      Cells.push_back({Cell, A.Write});
  }
  if (Pending.Kind != OperationKind::CmpXchg) {
    monitorEach();
  } else { // without a store that is late it may do the other thing
    Swaps.Asked = true;
    Swaps.Did = DidSwap;
    for (bool Would : {false, true}) {
      Swaps.Would = Would;
      for (auto &[Cell, Writes] : Cells)
        Writes = Would;
      monitorEach();
    }
    Swaps.Asked = false;
  }
  Cells.clear();
}

/// Asks about each of the cells that are Monitored.
void Execution::monitorEach() {
  const std::vector<std::pair<CellId, bool>> Cells = Monitored;
  // Per cell: what was seen, and by way of all cells in front of it; then those behind it are added from the end.
  std::vector<uint32_t> InFront((Cells.size() + 1) * Stride), Behind(Stride);
  copyClock(InFront.data(), Seen.data());
  for (size_t K = 0; K < Cells.size(); ++K) {
    copyClock(&InFront[(K + 1) * Stride], &InFront[K * Stride]);
    joinConflicts(&InFront[(K + 1) * Stride], Cells[K].first, Cells[K].second);
  }
  for (size_t K = Cells.size(); K-- > 0;) {
    join(&InFront[K * Stride], Behind.data());
    monitorBefore(&InFront[K * Stride], Cells[K].first, false);
    joinConflicts(Behind.data(), Cells[K].first, Cells[K].second);
  }
}

/// What happens before an access of the cell by the event to come, by way of the cell.
void Execution::joinConflicts(uint32_t *Into, CellId Cell, bool Writes) {
  if (uint32_t Write = State[Cell].LastWrite)
    join(Into, clock(Touches[Write - 1].Event));
  for (uint32_t T = Writes ? State[Cell].Reads : 0; T; T = Touches[T - 1].NextRead)
    join(Into, clock(Touches[T - 1].Event));
}

/// What the step itself means for the stores of its thread. Where all have landed, there is nothing to note.
void Execution::monitorStep(uint32_t E) {
  Event &Mine = Events[E];
  History &Past = Histories[Mine.Process];
  Past.Events.push_back(E);
  Mine.LastStore = Past.LastStore;
  switch (Mine.Kind) {
  case OperationKind::Store: {
    const bool OrdersOthers = Pending.Ordering >= Order::Release && !Past.allLanded();
    Past.LastStore = Mine.Index;
    if (!OrdersOthers && Pending.Ordering != Order::SeqCst)
      return;
    Landing &L = addLanding(Mine.Process, Mine.Index);
    L.Barrier = Mine.Index - 1;
    if (Pending.Ordering == Order::SeqCst) // a fence follows: whoever has seen more than the store knows that it landed
      L.Tso = L.Pso = Mine.Index;
    return;
  }
  case OperationKind::Rmw:
  case OperationKind::CmpXchg: {
    if (Past.allLanded())
      return;
    const bool All = Pending.Ordering == Order::NotAtomic || Pending.Ordering >= Order::Release;
    Landing &L = addLanding(Mine.Process, Mine.Index);
    L.Tso = Mine.Index;
    L.Pso = All ? Mine.Index : std::max(L.Pso, L.Barrier);
    return;
  }
  case OperationKind::Sync:
  case OperationKind::Free:
  case OperationKind::Atomic: {
    if (Past.allLanded())
      return;
    Landing &L = addLanding(Mine.Process, Mine.Index);
    L.Tso = L.Pso = Mine.Index;
    return;
  }
  default: return;
  }
}

/// Takes back what the last step has left.
void Execution::forgetStep(const Event &E) {
  Histories[E.Process].Events.pop_back();
  Histories[E.Process].LastStore = E.LastStore;
  for (; Landed.size() > E.FirstLanding; Landed.pop_back())
    Histories[Landed.back()].Landings.pop_back();
}

/// What happens along with a step, and is not part of its event: others do not see it from the event alone. So it
/// counts as something that the process has done since.
void Execution::monitorNote(const StepNote &N) {
  auto Drain = [&](ProcessId P, uint32_t Effect) {
    if (Histories[P].allLanded())
      return;
    saveCurrent(P);
    const uint32_t Index = current(P)[P]++;
    Landing &L = addLanding(P, Index + 1);
    if (Effect & StepNote::DrainsTso)
      L.Tso = Index;
    if (Effect & StepNote::DrainsPso)
      L.Pso = Index;
    if (Effect & StepNote::StoreBarrier)
      L.Barrier = Index;
  };
  constexpr uint32_t All = StepNote::DrainsTso | StepNote::DrainsPso;
  if (N.What == StepNote::Fenced) {
    Drain(C.processOf(N.A), N.B);
  } else if (N.What == StepNote::Joined) {
    Drain(C.processOf(N.A), All);
    Drain(C.processOf(N.B), All);
  }
}

} // namespace picket
