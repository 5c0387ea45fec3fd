#include "explore/ExecutionMonitor.h"

#include <algorithm>
#include <cstring>

namespace picket {

/// Whether another thread than `Writer` did one of these reads of a cell, in what `Known` has seen.
bool ExecutionMonitor::readByOthers(ThreadId Writer, TouchNumber Reads, const uint32_t *Known) const {
  for (TouchNumber T = Reads; T; T = History[T].NextRead)
    if (isSeenOfOther(Events[History.eventOf(T)], Writer, Known))
      return true;
  return false;
}

/// Whether another thread has accessed some cell of the store after it, in what `Known` has seen.
bool ExecutionMonitor::seenByOthers(uint32_t Store, const uint32_t *Known) const {
  return History.anyAfter(Store,
                          [&](const Event &Later) { return isSeenOfOther(Later, Events[Store].Touched.Owner, Known); });
}

/// Whether another thread has accessed a cell directly after this write of it, in what `Known` has seen.
bool ExecutionMonitor::wasSeen(uint32_t Writer, const uint32_t *Known) const {
  const ThreadId Owner = Events[Writer].Touched.Owner;
  for (uint32_t K = 0, Number = History.numTouchesOf(Writer); K < Number; ++K) {
    const CellHistory::Touch &W = History.touchOf(Writer, K);
    if (W.How != CellAccess::Write)
      continue;
    const TouchNumber Next = W.NextWrite;
    if (readByOthers(Owner, Next ? History[Next].PrevReads : History.at(W.Cell).Reads, Known))
      return true;
    if (Next && isSeenOfOther(Events[History.eventOf(Next)], Owner, Known))
      return true;
  }
  return false;
}

/// Whether an update, or one that was tried, of the storing process itself came after the store, in what `Known` has
/// seen: it waits for the thread's own stores to the same bytes, whatever its order.
bool ExecutionMonitor::waitedFor(uint32_t Store, const uint32_t *Known) const {
  return History.anyAfter(Store, [&](const Event &Later) {
    return (Later.Kind == OperationKind::CmpXchg || Later.Kind == OperationKind::Rmw) &&
           Later.Process == Events[Store].Process && isSeen(Later, Known);
  });
}

ExecutionMonitor::Landing &ExecutionMonitor::addLanding(ProcessId P, uint32_t Index) {
  std::vector<Landing> &Landings = Pasts[P].Landings;
  Landed.push_back(P);
  Landings.push_back(Landing(Landings.back()));
  Landings.back().Index = Index;
  return Landings.back();
}

const ExecutionMonitor::Landing &ExecutionMonitor::landingAt(ProcessId P, uint32_t Index) const {
  const std::vector<Landing> &Landings = Pasts[P].Landings; // the first has no Index
  auto IsLater = [](uint32_t Index, const Landing &L) { return Index < L.Index; };
  return *(std::upper_bound(Landings.begin(), Landings.end(), Index, IsLater) - 1);
}

/// The end of those events of a process that a clock has seen.
std::vector<uint32_t>::const_iterator ExecutionMonitor::endOfSeen(ProcessId P, const uint32_t *Known) const {
  const std::vector<uint32_t> &All = Pasts[P].Events;
  return std::upper_bound(All.begin(), All.end(), Known[P],
                          [&](uint32_t Index, uint32_t E) { return Index < Events[E].Index; });
}

/// Whether a store must have landed for a thread that has seen `Known` and is about to access the cell. Its thread may
/// have seen to that. Or another one has accessed what it wrote since: that has landed then, and with it all that has
/// to land first: under TSO what the thread stored earlier, under PSO what it stored before a barrier.
void ExecutionMonitor::findLanded(const Event &Store, CellId Cell, const uint32_t *Known, bool &Tso, bool &Pso) const {
  const ProcessId P = Store.Process;
  const Landing &Own = landingAt(P, Known[P]);
  Tso = Own.Tso >= Store.Index;
  Pso = Own.Pso >= Store.Index;
  for (auto E = endOfSeen(P, Known); !Pso && E != Pasts[P].Events.begin() && Events[*--E].Index >= Store.Index;) {
    const bool BehindBarrier = landingAt(P, Events[*E].Index).Barrier >= Store.Index;
    if (Tso && !BehindBarrier) // nor is an earlier one
      break;
    if (wasSeen(*E, Known)) {
      Tso = true;
      Pso = BehindBarrier;
    }
  }
  for (auto [Other, Writes] : Accessed) { // comes after these as well
    const TouchNumber Write = Other == Cell ? NoTouch : History.at(Other).LastWrite;
    if (!Write)
      continue;
    const Event &E = Events[History.eventOf(Write)];
    Tso = Tso || (E.Process == P && E.Index >= Store.Index);
    Pso = Pso || (E.Process == P && landingAt(P, E.Index).Barrier >= Store.Index);
  }
}

/// Whether the compare-and-swap to come would find what it expects if the store were late: in the cells of the store
/// what was there before it, in others what is there, which it comes after in either case.
bool ExecutionMonitor::swapsWithout(uint32_t Store) const {
  if (Step.Pending.Fails)
    return false;
  const uint64_t Words[] = {Step.Pending.Expected, Step.Pending.Expected2};
  const auto *Expected = reinterpret_cast<const uint8_t *>(Words);
  for (CellId Cell : Step.Cells) {
    const uint8_t *There = Config.machine().memory().bytes(AllCells.addressOf(Cell));
    bool IsOfStore = false;
    for (uint32_t K = 0, Number = History.numTouchesOf(Store); K < Number; ++K)
      if (History.touchOf(Store, K).Cell == Cell) {
        There = History.bytesBefore(History.numberOf(Store, K));
        IsOfStore = true;
      }
    if (!IsOfStore && Swaps.Did)
      continue; // it found what it expects
    if (std::memcmp(There, Expected + (AllCells.addressOf(Cell) - Step.Pending.Where), AllCells.sizeOf(Cell)) != 0)
      return false;
  }
  return true;
}

/// The event to come accesses this cell and perhaps others of the store: it comes before all of it, or after. If there
/// are others, asks again what it has seen by way of those that are not the store's. False if there are none.
bool ExecutionMonitor::beforeWithout(const Event &Store, CellId Cell) {
  auto OfStore = [&](const std::pair<CellId, bool> &A) {
    if (A.first == Cell)
      return false;
    for (uint32_t K = 0; K < Store.Touched.size(); ++K)
      if (A.first == Store.Touched[K].Cell)
        return true;
    return false;
  };
  std::vector<std::pair<CellId, bool>> All = Accessed;
  if (std::erase_if(Accessed, OfStore) > 0) {
    std::vector<uint32_t> Known = Step.Seen;
    for (auto [Other, Writes] : Accessed)
      if (Other != Cell)
        joinConflicts(Known.data(), Other, Writes);
    before(Known.data(), Cell, false);
    Accessed.swap(All);
    return true;
  }
  return false;
}

/// The thread that has seen `Known` is about to access the cell, or waits to: could it do so before a store lands that
/// it has seen the thread of go past? An access that may wait does so only where it finds a value that ends the
/// waiting.
void ExecutionMonitor::before(const uint32_t *Known, CellId Cell, bool MayWait) {
  const Event &Mine = Events.next();
  TouchNumber Write = History.at(Cell).LastWrite, Reads = History.at(Cell).Reads;
  while (Write) { // to the last write it has seen
    if (isSeen(Events[History.eventOf(Write)], Known))
      break;
    Reads = History[Write].PrevReads;
    Write = History[Write].PrevWrite;
  }
  if (!Write)
    return;
  const Event &Last = Events[History.eventOf(Write)];
  const uint32_t Store = History.eventOf(Write);
  if (Last.Kind != OperationKind::Store || Last.Touched.Owner == Mine.Touched.Owner)
    return;
  // Under TSO whatever has landed under PSO has, too. Earlier stores of the same thread may be pending as well.
  bool Tso = true, Wanted = true;
  AlarmInstructions At;
  for (; Write; Reads = History[Write].PrevReads, Write = History[Write].PrevWrite) {
    const Event &E = Events[History.eventOf(Write)];
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
    if (LandedPso || waitedFor(History.eventOf(Write), Known))
      return;
    if (E.Touched.size() > 1 && (beforeWithout(E, Cell) || seenByOthers(History.eventOf(Write), Known)))
      return;
    Tso = Tso && !LandedTso;
    if (Swaps.Asked && swapsWithout(History.eventOf(Write)) != Swaps.Would)
      continue; // it would do something else without the store, but perhaps not without the one before it as well
    if (!MayWait || !Config.wouldWait(Mine.Process, History.bytesBefore(Write))) {
      if (Swaps.Asked) // the first of the late ones: with the last alone it would do something else
        At.Store = E.Pc;
      raise(Known, Swaps.Asked ? History.eventOf(Write) : Store, At, Tso);
      return;
    }
  }
}

/// The instructions of an alarm about the store and the event to come. Of the storing thread the last event that was
/// seen overtakes the store: others have seen it, and not the store.
AlarmInstructions ExecutionMonitor::instructionsOf(const Event &Store, const uint32_t *Known) const {
  const Event &Observer = Events.next();
  const std::vector<uint32_t> &Own = Pasts[Observer.Process].Events;
  const uint32_t Overtaker = *(endOfSeen(Store.Process, Known) - 1);
  AlarmInstructions At;
  At.Store = Store.Pc;
  At.Overtaker = Events[Overtaker].Pc;
  At.Observer = Observer.Pc;
  if (!Own.empty())
    At.Previous = Events[Own.back()].Pc;
  return At;
}

/// Whether an alarm with this past would be the first or the shortest of its kind in the executions seen here.
bool ExecutionMonitor::wantsAlarm(const AlarmInstructions &At, const uint32_t *Known) const {
  const auto Before = RaisedHere.find(At);
  return Before == RaisedHere.end() || Clocks.numSeen(Known) < std::max(Before->second[0], Before->second[1]);
}

void ExecutionMonitor::raise(const uint32_t *Known, uint32_t Store, const AlarmInstructions &At, bool Tso) {
  const size_t Size = Clocks.numSeen(Known);
  constexpr size_t Never = std::numeric_limits<size_t>::max();
  std::array<size_t, 2> &Shortest = RaisedHere.try_emplace(At, std::array{Never, Never}).first->second;
  auto MakeAlarm = [&] {
    const Event &Delayed = Events[Store], &Observer = Events.next();
    auto Describe = [&](const Event &E) {
      return MonitoredAccess{Config.machine().pathOf(E.Touched.Owner), E.Operation, E.Pc};
    };
    RobustnessAlarm Alarm;
    for (uint32_t K = 0; K < Events.length(); ++K)
      if (isSeen(Events[K], Known)) {
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
      Alarms.raise(Models[K], At, Size, MakeAlarm);
    }
}

void ExecutionMonitor::beforeWaiting(const MemoryAccess &A) {
  if (Step.Cells.size() == 1)
    return before(Step.Seen.data(), Step.Cells[0], true);
  beforeSeveral({&A, 1}, false);
}

void ExecutionMonitor::beforeAccess(const MemoryAccess &A) {
  if (Step.Cells.size() == 1)
    return before(Step.Seen.data(), Step.Cells[0], false);
  beforeSeveral({&A, 1}, A.Write);
  History.find(A, Step.Cells);
}

void ExecutionMonitor::beforeSeveral(std::span<const MemoryAccess> Accesses, bool DidSwap) {
  std::vector<std::pair<CellId, bool>> &Cells = Accessed;
  for (const MemoryAccess &A : Accesses) {
    History.find(A, Step.Cells);
    for (CellId Cell : Step.Cells)
      Cells.push_back({Cell, A.Write});
  }
  if (Step.Pending.Kind != OperationKind::CmpXchg) {
    beforeEach();
  } else { // without a store that is late it may do the other thing
    Swaps.Asked = true;
    Swaps.Did = DidSwap;
    for (bool Would : {false, true}) {
      Swaps.Would = Would;
      for (auto &[Cell, Writes] : Cells)
        Writes = Would;
      beforeEach();
    }
    Swaps.Asked = false;
  }
  Cells.clear();
}

/// Asks about each of the cells that are Accessed.
void ExecutionMonitor::beforeEach() {
  const std::vector<std::pair<CellId, bool>> Cells = Accessed;
  const uint32_t Stride = Clocks.stride();
  // Per cell: what was seen, and by way of all cells in front of it; then those behind it are added from the end.
  std::vector<uint32_t> InFront((Cells.size() + 1) * Stride), Behind(Stride);
  Clocks.copy(InFront.data(), Step.Seen.data());
  for (size_t K = 0; K < Cells.size(); ++K) {
    Clocks.copy(&InFront[(K + 1) * Stride], &InFront[K * Stride]);
    joinConflicts(&InFront[(K + 1) * Stride], Cells[K].first, Cells[K].second);
  }
  for (size_t K = Cells.size(); K-- > 0;) {
    Clocks.join(&InFront[K * Stride], Behind.data());
    before(&InFront[K * Stride], Cells[K].first, false);
    joinConflicts(Behind.data(), Cells[K].first, Cells[K].second);
  }
}

/// What happens before an access of the cell by the event to come, by way of the cell.
void ExecutionMonitor::joinConflicts(uint32_t *Into, CellId Cell, bool Writes) const {
  if (const TouchNumber Write = History.at(Cell).LastWrite)
    Clocks.join(Into, Clocks.ofEvent(History.eventOf(Write)));
  if (Writes)
    History.forEachRead(History.at(Cell).Reads, [&](uint32_t Reader) { Clocks.join(Into, Clocks.ofEvent(Reader)); });
}

/// Where all stores of the thread have landed, there is nothing to note.
void ExecutionMonitor::append(const Event &Mine) {
  Past &Own = Pasts[Mine.Process];
  assert(Own.Events.empty() || Events[Own.Events.back()].Index < Mine.Index);
  Befores.push_back({Own.LastStore, Landed.size()});
  Own.Events.push_back(Events.length());
  switch (Mine.Kind) {
  case OperationKind::Store: {
    const bool OrdersOthers = Step.Pending.Ordering >= Order::Release && !Own.allLanded();
    Own.LastStore = Mine.Index;
    if (!OrdersOthers && Step.Pending.Ordering != Order::SeqCst)
      return;
    Landing &L = addLanding(Mine.Process, Mine.Index);
    L.Barrier = Mine.Index - 1;
    if (Step.Pending.Ordering ==
        Order::SeqCst) // a fence follows: who has seen more than the store knows that it landed
      L.Tso = L.Pso = Mine.Index;
    return;
  }
  case OperationKind::Rmw:
  case OperationKind::CmpXchg: {
    if (Own.allLanded())
      return;
    const bool All = Step.Pending.Ordering == Order::NotAtomic || Step.Pending.Ordering >= Order::Release;
    Landing &L = addLanding(Mine.Process, Mine.Index);
    L.Tso = Mine.Index;
    L.Pso = All ? Mine.Index : std::max(L.Pso, L.Barrier);
    return;
  }
  case OperationKind::Sync:
  case OperationKind::Free:
  case OperationKind::Atomic: {
    if (Own.allLanded())
      return;
    Landing &L = addLanding(Mine.Process, Mine.Index);
    L.Tso = L.Pso = Mine.Index;
    return;
  }
  default: return;
  }
}

void ExecutionMonitor::remove(const Event &Last) {
  Past &Own = Pasts[Last.Process];
  const Before &There = Befores.back();
  assert(Own.Events.back() == Events.length() && There.NumLandings <= Landed.size());
  Own.Events.pop_back();
  Own.LastStore = There.LastStore;
  for (; Landed.size() > There.NumLandings; Landed.pop_back())
    Pasts[Landed.back()].Landings.pop_back();
  Befores.pop_back();
}

void ExecutionMonitor::drain(ProcessId P, uint32_t Effect) {
  if (Pasts[P].allLanded())
    return;
  Clocks.save(P);
  const uint32_t Index = Clocks.ofProcess(P)[P]++;
  Landing &L = addLanding(P, Index + 1);
  if (Effect & StepNote::DrainsTso)
    L.Tso = Index;
  if (Effect & StepNote::DrainsPso)
    L.Pso = Index;
  if (Effect & StepNote::StoreBarrier)
    L.Barrier = Index;
}

/// This is not part of the step's event: others do not see it from the event alone. So it counts as something that the
/// process has done since.
void ExecutionMonitor::follow(const StepNote &N) {
  constexpr uint32_t All = StepNote::DrainsTso | StepNote::DrainsPso;
  if (N.What == StepNote::Fenced) {
    drain(Config.processOf(N.A), N.B);
  } else if (N.What == StepNote::Joined) {
    drain(Config.processOf(N.A), All);
    drain(Config.processOf(N.B), All);
  }
}

} // namespace picket
