#include "explore/Execution.h"

#include <algorithm>

namespace picket {

Execution::Execution(Configuration &Config, Cells &AllCells, ScMonitor *Alarms, RaceFreedom *RaceFree)
    : Config(Config), AllCells(AllCells), History(Config, AllCells, Events),
      Detector({Config, AllCells, Events, Clocks, History, Step}) {
  const ExecutionParts Parts{Config, AllCells, Events, Clocks, History, Step};
  if (Alarms)
    Monitor = std::make_unique<ExecutionMonitor>(*Alarms, Parts);
  if (RaceFree)
    Drf = std::make_unique<DrfMonitor>(*RaceFree, Parts);
}

Execution::~Execution() = default;

void Execution::makeRoom() {
  Clocks.makeRoomForThreads(Config.machine().numThreads());
  History.makeRoomForThreads(Config.machine().numThreads());
  Clocks.makeRoomForProcesses(Config.numProcesses());
  Step.Seen.resize(Clocks.stride());
  if (Monitor)
    Monitor->makeRoom();
  if (Drf)
    Drf->makeRoom();
}

void Execution::joinUpdates(uint32_t *Into, ThreadId T) {
  for (ProcessId P : Config.updatesOf(T))
    Clocks.join(Into, Clocks.ofProcess(P));
}

/// PSO: the updates of the stores in front of a store-store barrier. Those in front of earlier barriers happen before
/// these.
void Execution::joinBarrier(uint32_t *Into, ThreadId T, uint32_t Barrier) {
  if (Barrier == 0)
    return;
  for (uint32_t K = Config.bufferEntry(T, Barrier - 1).WaitFor; K < Barrier; ++K)
    Clocks.join(Into, Clocks.ofEvent(History.updateOf(T, K)));
}

/// PSO: stores that overlap land in order, even if they are of different sizes and so have different update processes.
void Execution::joinOverlapping(uint32_t *Into, ThreadId T, uint32_t Entry) {
  const StoreBuffer::Entry &Mine = Config.bufferEntry(T, Entry);
  for (uint32_t K = 0; K < Entry; ++K)
    if (Config.bufferEntry(T, K).overlaps(Mine.Where, Mine.Width))
      Clocks.join(Into, Clocks.ofEvent(History.updateOf(T, K)));
}

/// What a step needed to have landed.
inline void Execution::joinNeeded(const Event &E, const StepNote &First) {
  if (First.What == StepNote::DrainedBefore && Config.buffering() != Buffering::None)
    joinUpdates(Step.Seen.data(), E.Touched.Owner);
  if (First.What == StepNote::BarrierBefore)
    joinBarrier(Step.Seen.data(), E.Touched.Owner, First.B);
}

/// What happens before an update: the store that it lands, and updates that had to come first.
inline void Execution::joinStoreOf(const Event &Update) {
  uint32_t *const Seen = Step.Seen.data();
  const ThreadId T = Update.Touched.Owner;
  const uint32_t Entry = Config.entry();
  Clocks.join(Seen, Clocks.ofEntry(T, Entry));
  joinBarrier(Seen, T, Config.bufferEntry(T, Entry).WaitFor);
  if (Config.overlapsOthers(Update.Process))
    joinOverlapping(Seen, T, Entry);
  History.landed(T, Entry, Events.length());
}

/// An update waits for the thread's own stores to its memory to land (PSO; elsewhere it has waited for all of them). If
/// that is several cells, what such a store has seen by way of one of them comes before the update in all.
void Execution::joinOwnStores(ThreadId T) {
  if (Step.Cells.size() < 2)
    return;
  for (CellId Cell : Step.Cells)
    for (TouchNumber W = History.at(Cell).LastWrite; W; W = History[W].PrevWrite)
      if (History.isOwn(W, T)) {
        Clocks.join(Step.Seen.data(), Clocks.ofEvent(History.eventOf(W)));
        break;
      }
}

/// Prepares the event to come for the pending operation of P, which can have to wait, and finds what it races with.
void Execution::findRacesOfWaiting(ProcessId P, PodArray<Race> &Result) {
  const Operation &Pending = Step.Pending;
  // A load of what the thread itself stored and has not landed races with nothing.
  const ThreadId T = Config.threadOf(P);
  const bool Forwarded = Pending.Kind == OperationKind::Load && Config.readsOwnBuffer(T, Pending);
  if (Forwarded && Config.readsOwnBufferOnly(T, Pending))
    return;
  if (Config.drainsBefore(Pending))
    joinUpdates(Step.Seen.data(), T);
  const uint32_t Size = Pending.Kind == OperationKind::Sync ? sizeOf(Pending.Sync) : Pending.Width;
  const MemoryAccess Whole{Pending.Where, Size, Pending.Kind != OperationKind::Load};
  std::vector<CellId> &Cells = Step.Cells;
  History.find(Whole, Cells);
  if (Forwarded)
    std::erase_if(Cells,
                  [&](CellId Cell) { return Config.buffer(T).holds(AllCells.addressOf(Cell), AllCells.sizeOf(Cell)); });
  else if (Whole.Write)
    joinOwnStores(T);
  Step.WaitsForSeveral = Cells.size() > 1 || (Cells.size() == 1 && AllCells.sizeOf(Cells[0]) != Size);
  Detector.findRacesOfWaiting(Size, Result);
  if (!Monitor)
    return;
  Events.next().Operation = Config.machine().operations(T);
  Events.next().Pc = Config.machine().pc(T);
  Monitor->beforeWaiting(Whole);
}

void Execution::begin(ProcessId P) {
  if (Events.makeNext())
    Clocks.addEvent();
  Event &E = Events.next();
  E.Process = P;
  E.Touched.clear();
  E.Touched.Owner = Config.threadOf(P);
  E.Touched.IsUpdate = Config.isUpdate(P);
  E.Index = Clocks.ofProcess(P)[P] + 1;
  E.ReadsOwnLanded = false;
  if (E.Touched.IsUpdate) {
    Step.Pending.Kind = OperationKind::None;
    return;
  }
  const Operation &Op = Config.machine().pending(E.Touched.Owner);
  if (!Monitor && !Drf && !Op.MaySpin && (Op.Kind == OperationKind::Load || Op.Kind == OperationKind::Store))
    Step.Pending.Kind = Op.Kind; // more is not asked of them
  else
    Step.Pending = Op;
}

void Execution::racesOfStuck(ProcessId P, PodArray<Race> &Result) {
  begin(P);
  Clocks.copy(Step.Seen.data(), Clocks.ofProcess(P));
  Event &E = Events.next();
  const OperationKind Kind = Step.Pending.Kind;
  E.Kind = Kind;
  findRacesOfWaiting(P, Result);
  for (CellId Cell : Step.Cells)
    E.Touched.add({Cell, Kind == OperationKind::Load ? CellAccess::Read : CellAccess::Write, 0});
}

/// The event to come accesses a cell.
[[gnu::always_inline]] inline void Execution::touch(const MemoryAccess &A, CellId Cell, const uint32_t *Known) {
  Event &E = Events.next();
  CellAccess Access{Cell, CellAccess::Read, 0};
  if (A.Write) {
    Access.How = CellAccess::Write;
    Access.Entry = E.Touched.IsUpdate ? Config.entry() : 0;
  } else if (A.Forwarded) {
    Access.How = CellAccess::Forwarded;
    Access.Entry = A.Entry;
  }
  E.Touched.add(Access);
  auto ComesBehindOwnEnd = [&] {
    const TouchNumber Last = History.at(Cell).LastWrite;
    return E.Touched.IsUpdate && Last && History.isEnd(Last) && History.isOwn(Last, E.Touched.Owner);
  };
  if (A.Write && (E.Kind == OperationKind::End || (History.hasEnds() && ComesBehindOwnEnd())))
    Detector.writeApart(E, Cell, A, Known);
  else if (A.Write)
    Detector.write(E, Cell, A, Known, !Step.MayWait);
  else if (A.Forwarded)
    History.addForwarded(Events.length(), Cell, A.Entry);
  else
    Detector.read(E, Cell, Known, !Step.MayWait);
}

/// The accesses of the step that has just been taken, all of which come after what is known.
[[gnu::always_inline]] inline void Execution::touchAll(const uint32_t *Known) {
  const PodArray<MemoryAccess> &Accesses = Config.accesses();
  if (!Monitor && Accesses.size() == 1)
    if (const CellId Only = History.findKnown(Accesses.front())) {
      Step.Cells.clear();
      Step.Cells.push_back(Only);
      if (Drf)
        Drf->access(Accesses.front());
      return touch(Accesses.front(), Only, Known);
    }
  const bool Several = Accesses.size() > 1;
  if (Monitor && !Step.MayWait && Several)
    Monitor->beforeSeveral({Accesses.begin(), Accesses.end()}, false);
  for (const MemoryAccess &A : Accesses) {
    History.find(A, Step.Cells);
    if (Monitor && !Step.MayWait && !Several)
      Monitor->beforeAccess(A);
    if (Drf)
      Drf->access(A);
    for (CellId Cell : Step.Cells)
      touch(A, Cell, Known);
  }
}

void Execution::follow(const StepNote &N) {
  if (Monitor)
    Monitor->follow(N);
  if (Drf)
    Drf->follow(N);
  switch (N.What) {
  case StepNote::Created: {
    const ProcessId Child = Config.processOf(N.B), Parent = Config.processOf(N.A);
    Clocks.save(Child);
    Clocks.copy(Clocks.ofProcess(Child), Clocks.ofProcess(Parent));
    break;
  }
  case StepNote::Joined: {
    const ProcessId P = Config.processOf(N.A);
    Clocks.save(P);
    Clocks.join(Clocks.ofProcess(P), Clocks.ofProcess(Config.processOf(N.B)));
    joinUpdates(Clocks.ofProcess(P), N.B);
    break;
  }
  case StepNote::Drained: {
    const ProcessId P = Config.processOf(N.A);
    Clocks.save(P);
    joinUpdates(Clocks.ofProcess(P), N.A);
    break;
  }
  case StepNote::DrainedBefore:
  case StepNote::BarrierBefore:
  case StepNote::Fenced: break;
  case StepNote::Stored:
    Clocks.setOfEntry(N.A, N.B, Clocks.ofProcess(Config.processOf(N.A)));
    History.storeEntered(N.A, N.B);
    break;
  }
}

/// What main waited for at its end nobody asks any more, if nobody else is left.
inline bool Execution::matters(const StepNote &N) const {
  const bool OnlyClock = N.What == StepNote::Joined || N.What == StepNote::Drained;
  const Machine &M = Config.machine();
  const bool MainEnded = M.isFinished(0) || M.status(0) == ThreadStatus::Exited;
  return !OnlyClock || N.A != 0 || Monitor || !MainEnded || !M.alone();
}

void Execution::started() {
  checkRoom();
  for (const StepNote &N : Config.notes())
    follow(N);
  Clocks.forgetSaved();
  if (Drf)
    Drf->started();
}

/// For assertions: notes what there is before the event to come.
void Execution::keepChecks() {
  const uint32_t NumProcesses = std::min(Config.numProcesses(), MostChecked);
  Checks.resize(Events.length());
  Checks.push_back({NumProcesses, Clocks.hashOfProcesses(NumProcesses)});
}

/// Whether the same is there again, now that the event is gone.
bool Execution::isRestored() const {
  const Check &Before = Checks[Events.length()];
  return Clocks.hashOfProcesses(Before.NumProcesses) == Before.Clocks;
}

void Execution::append(ProcessId P) {
  begin(P);
  Event &E = Events.next();
  const uint32_t Own = Events.length();
  E.Before = Config.mark();
  E.FirstTouch = History.numTouches();
  E.FirstOldByte = History.numOldBytes();
  E.NumSavedClocks = Clocks.numSaved();
  Detector.begin(E);
  if (Drf)
    Drf->begin();
  assert((keepChecks(), true));
  Step.MayWait = Config.canWait(P);
  bool KeepsSeen = Step.MayWait || Monitor;
  if (KeepsSeen)
    Clocks.copy(Step.Seen.data(), Clocks.ofProcess(P));
  if (Step.MayWait) // whether it would have had to wait can only be asked while it has not happened
    findRacesOfWaiting(P, Detector.races());

  Config.step(P);
  checkRoom();
  E.Kind = Config.kind();
  E.Operation = Config.operation();
  E.Pc = Config.pc();
  if (Drf)
    Drf->step(E.Kind);
  uint32_t *const Before = Clocks.beforeEvent(Own);
  Clocks.copy(Before, Clocks.ofProcess(P));
  const bool Swaps = !Step.MayWait && (E.Kind == OperationKind::Rmw || E.Kind == OperationKind::CmpXchg);
  if (!KeepsSeen && (E.Touched.IsUpdate || Swaps || !Config.notes().empty())) {
    Clocks.copy(Step.Seen.data(), Before);
    KeepsSeen = true;
  }
  if (!Config.notes().empty())
    joinNeeded(E, Config.notes().front());
  if (E.Touched.IsUpdate)
    joinStoreOf(E);
  if (Swaps) {
    History.find({Step.Pending.Where, Step.Pending.Width, true}, Step.Cells);
    joinOwnStores(E.Touched.Owner);
  }
  const uint32_t *const Known = KeepsSeen ? Step.Seen.data() : Before;
  uint32_t *const Clock = Clocks.ofEvent(Own);
  Clocks.copy(Clock, Known);
  touchAll(Known);
  assert(Clocks.covers(Clock, Before) && Clock[P] + 1 == E.Index && "a process sees more and more");
  Clock[P] = E.Index;
  if (Monitor)
    Monitor->append(E);
  Clocks.copy(Clocks.ofProcess(P), Clock);
  Detector.finish(E);
  Events.append();
  Clocks.beginChanges(P);
  for (const StepNote &N : Config.notes())
    if (matters(N))
      follow(N);
  assert(Clocks.stride() > MostChecked || Clocks.areConsistent());
}

void Execution::removeLast() {
  Event &E = Events.removeLast();
  History.remove(E);
  Clocks.restoreTo(E.NumSavedClocks);
  Clocks.copy(Clocks.ofProcess(E.Process), Clocks.beforeEvent(Events.length()));
  if (Monitor)
    Monitor->remove(E);
  if (Drf)
    Drf->remove();
  Detector.remove(E);
  Config.undoTo(E.Before);
  assert(isRestored());
}

} // namespace picket
