#include "explore/Execution.h"

#include <algorithm>
#include <cstring>

namespace picket {

Execution::Execution(Configuration &C, Cells &Memory, ScMonitor *Monitor) : C(C), Memory(Memory), Monitor(Monitor) {}

/// Gives the clocks in `Rows`, each behind `Extra` other numbers, room for `Wider` processes.
void Execution::widen(PodArray<uint32_t> &Rows, uint32_t Wider, uint32_t Extra) const {
  if (Stride == 0)
    return;
  const size_t From = Stride + Extra, To = Wider + Extra;
  PodArray<uint32_t> Result;
  Result.resize(Rows.size() / From * To);
  std::fill(Result.begin(), Result.end(), 0);
  for (size_t Row = 0; Row < Rows.size() / From; ++Row)
    std::copy_n(&Rows[Row * From], From, &Result[Row * To]);
  Rows = std::move(Result);
}

void Execution::makeRoom() {
  NumThreads = C.machine().numThreads();
  EntryClocks.resize(NumThreads);
  EntryStates.resize(NumThreads);
  if (C.numProcesses() <= Stride)
    return;
  if (C.numProcesses() > MaxProcesses)
    throw TooManyProcesses();
  // Programs have few processes, and short clocks are quick; but those with many are not to come here often.
  uint32_t Wider = C.numProcesses() + C.numProcesses() / 8 + ClockStep - 1;
  Wider -= Wider % ClockStep;
  widen(Clocks, Wider);
  widen(ClocksBefore, Wider);
  widen(Current, Wider);
  widen(Saved, Wider, 1);
  for (PodArray<uint32_t> &OfThread : EntryClocks)
    widen(OfThread, Wider);
  Stride = Wider;
  Seen.resize(Stride);
  SavedAt.resize(Stride);
  if (Monitor)
    Histories.resize(Stride);
  const size_t Known = Current.size();
  Current.resize(static_cast<size_t>(Stride) * Stride);
  std::fill(Current.begin() + Known, Current.end(), 0);
}

void Execution::saveCurrent(ProcessId P) {
  // Within one step once is enough, and the process that takes the step is saved anyway.
  if (SavedAt[P] == Step)
    return;
  SavedAt[P] = Step;
  ++NumSaved;
  size_t At = Saved.size();
  Saved.resize(At + 1 + Stride);
  Saved[At] = P;
  copyClock(&Saved[At + 1], current(P));
}

void Execution::joinUpdates(uint32_t *Into, ThreadId T) {
  for (ProcessId P : C.updatesOf(T))
    join(Into, current(P));
}

/// PSO: the updates of the stores in front of a store-store barrier. Those in front of earlier barriers happen before
/// these.
void Execution::joinBarrier(uint32_t *Into, ThreadId T, uint32_t Barrier) {
  if (Barrier == 0)
    return;
  for (uint32_t K = C.bufferEntry(T, Barrier - 1).WaitFor; K < Barrier; ++K)
    join(Into, clock(EntryStates[T][K].Update));
}

/// PSO: stores that overlap land in order, even if they are of different sizes and so have different update processes.
void Execution::joinOverlapping(uint32_t *Into, ThreadId T, uint32_t Entry) {
  const StoreBuffer::Entry &Mine = C.bufferEntry(T, Entry);
  for (uint32_t K = 0; K < Entry; ++K)
    if (C.bufferEntry(T, K).overlaps(Mine.Where, Mine.Width))
      join(Into, clock(EntryStates[T][K].Update));
}

bool Execution::hasEnded(uint32_t Slot) const {
  const picket::Memory &M = C.machine().memory();
  return Slot < M.numSlots() && M.at(Slot).Life != Lifetime::Alive && M.at(Slot).Life != Lifetime::Absent;
}

void Execution::findCells(const MemoryAccess &A) {
  Found.clear();
  if (CellId Known = Memory.exactly(A.Where, A.Size); Known && Known < State.size()) {
    Found.push_back(Known);
    return;
  }
  const Object &O = C.machine().memory().at(slotOf(A.Where));
  bool Whole = O.Size == A.Size && A.Size > 64; // the end of a block, not an access of all of it
  if (Whole)
    Memory.findAll(slotOf(A.Where), Found);
  else {
    CellId New = Memory.size();
    Memory.find(A.Where, A.Size, O.Size, Found);
    // Whoever ended an object did not know that these bytes matter.
    for (; New < Memory.size(); ++New)
      if (hasEnded(slotOf(Memory.addressOf(New))))
        Memory.markChanged();
  }
  if (State.size() < Memory.size())
    State.resize(Memory.size());
}

/// An update waits for the thread's own stores to its memory to land (PSO; elsewhere it has waited for all of them). If
/// that is several cells, what such a store has seen by way of one of them comes before the update in all.
void Execution::joinOwnStores(ThreadId T) {
  if (Found.size() < 2)
    return;
  for (CellId Cell : Found)
    for (uint32_t W = State[Cell].LastWrite; W; W = Touches[W - 1].PrevWrite)
      if (uint32_t Writer = Touches[W - 1].Event; Events[Writer].Touched.Owner == T) {
        join(Seen.data(), clock(Writer));
        break;
      }
}

/// Whether a compare-and-swap, which is the event to come or the one just made, finds what it expects in the execution
/// without event First and all that happens after it. Its cells are those found last.
bool Execution::wouldSwap(uint32_t First, bool DidSwap) const {
  if (Pending.Fails)
    return false;
  const uint64_t Words[] = {Pending.Expected, Pending.Expected2};
  const auto *Expected = reinterpret_cast<const uint8_t *>(Words);
  for (CellId Cell : Found) {
    const uint8_t *Before = nullptr; // of the earliest write that is taken out
    for (uint32_t T = State[Cell].LastWrite; T; T = Touches[T - 1].PrevWrite) {
      const Touch &W = Touches[T - 1];
      if (W.Event != Length && W.Event != First && !happensBefore(First, W.Event))
        break;
      Before = &OldBytes[W.Old];
    }
    if (!Before && DidSwap)
      continue; // it found what it expects
    if (!Before)
      Before = C.machine().memory().bytes(Memory.addressOf(Cell));
    if (std::memcmp(Before, Expected + (Memory.addressOf(Cell) - Pending.Where), Memory.sizeOf(Cell)) != 0)
      return false;
  }
  return true;
}

/// The value before a write may be one the operation would have waited for. Then the write cannot be overtaken, and the
/// one before it is tried: the operation races with the latest write before which it could have happened.
void Execution::findWaitingRaces(const uint32_t *SeenClock, PodArray<Race> &Result) {
  const Event &Mine = Events[Length];
  for (CellId Cell : Found)
    for (uint32_t T = State[Cell].LastWrite; T;) {
      const Touch &W = Touches[T - 1];
      const Event &E = Events[W.Event];
      if (E.Touched.Owner == Mine.Touched.Owner || SeenClock[E.Process] >= E.Index)
        break;
      const uint8_t *Before = &OldBytes[W.Old];
      if (!C.wouldWait(Mine.Process, Before)) {
        Result.push_back({W.Event, Length, Pending.Kind != OperationKind::Load && C.wouldWrite(Mine.Process, Before)});
        break;
      }
      T = W.PrevWrite;
    }
}

/// Prepares event Length for the pending operation of P, which can have to wait, and finds what it races with.
void Execution::lookAtWaiting(ProcessId P, PodArray<Race> &Result) {
  // A load of what the thread itself stored and has not landed races with nothing.
  const ThreadId T = C.threadOf(P);
  const bool Forwarded = Pending.Kind == OperationKind::Load && C.readsOwnBuffer(T, Pending);
  if (Forwarded && C.readsOwnBufferOnly(T, Pending))
    return;
  if (C.drainsBefore(Pending))
    joinUpdates(Seen.data(), T);
  uint32_t Size = Pending.Kind == OperationKind::Sync ? sizeOf(Pending.Sync) : Pending.Width;
  findCells({Pending.Where, Size, true});
  if (Forwarded)
    std::erase_if(Found, [&](CellId Cell) { return C.buffer(T).holds(Memory.addressOf(Cell), Memory.sizeOf(Cell)); });
  else if (Pending.Kind != OperationKind::Load)
    joinOwnStores(T);
  WaitsForSeveral = Found.size() > 1 || (Found.size() == 1 && Memory.sizeOf(Found[0]) != Size);
  if (WaitsForSeveral)
    findWaitingRacesOfSeveral(Size, Seen.data(), Result);
  else
    findWaitingRaces(Seen.data(), Result);
  if (!Monitor)
    return;
  Events[Length].Operation = C.machine().operations(T);
  Events[Length].Pc = C.machine().pc(T);
  if (Found.size() == 1)
    return monitorBefore(Seen.data(), Found[0], true);
  const MemoryAccess Whole{Pending.Where, Size, Pending.Kind != OperationKind::Load};
  monitorSeveral({&Whole, 1}, false);
}

void Execution::begin(ProcessId P) {
  if (MaxLength <= Length) {
    Events.emplace_back();
    ++MaxLength;
    Clocks.resize(Events.size() * static_cast<size_t>(Stride));
    ClocksBefore.resize(Clocks.size());
  }
  Event &E = Events[Length];
  E.Process = P;
  E.Touched.clear();
  E.Touched.Owner = C.threadOf(P);
  E.Touched.IsUpdate = C.isUpdate(P);
  E.Index = current(P)[P] + 1;
  E.ReadsOwnLanded = false;
  if (E.Touched.IsUpdate) {
    Pending.Kind = OperationKind::None;
    return;
  }
  const picket::Operation &Op = C.machine().pending(E.Touched.Owner);
  if (!Monitor && !Op.MaySpin && (Op.Kind == OperationKind::Load || Op.Kind == OperationKind::Store))
    Pending.Kind = Op.Kind; // more is not asked of them
  else
    Pending = Op;
}

void Execution::racesOfStuck(ProcessId P, PodArray<Race> &Result) {
  begin(P);
  copyClock(Seen.data(), current(P));
  Event &E = Events[Length];
  E.Kind = Pending.Kind;
  lookAtWaiting(P, Result);
  for (CellId Cell : Found)
    E.Touched.add({Cell, Pending.Kind == OperationKind::Load ? CellAccess::Read : CellAccess::Write, 0});
}

/// The event that is being appended accesses a cell.
[[gnu::always_inline]] inline void Execution::touch(const MemoryAccess &A, CellId Cell, const uint32_t *SeenClock) {
  Event &E = Events[Length];
  CellAccess Access{Cell, CellAccess::Read, 0};
  if (A.Write) {
    Access.How = CellAccess::Write;
    Access.Entry = E.Touched.IsUpdate ? C.entry() : 0;
  } else if (A.Forwarded) {
    Access.How = CellAccess::Forwarded;
    Access.Entry = A.Entry;
  }
  E.Touched.add(Access);
  const bool BehindEnd = NumEnds && E.Touched.IsUpdate && State[Cell].LastWrite && isEnd(State[Cell].LastWrite) &&
                         isOwn(State[Cell].LastWrite, E.Touched.Owner);
  if (A.Write && (E.Kind == OperationKind::End || BehindEnd))
    touchApart(Length, Cell, A, SeenClock);
  else if (A.Write)
    touchWrite(Length, Cell, A, SeenClock, !Waits);
  else if (A.Forwarded)
    touchForwarded(Length, Cell, A.Entry);
  else
    touchRead(Length, Cell, SeenClock, !Waits);
}

/// Of the races of E, drops those whose first event happens before that of another: a third event lies between.
void Execution::keepImmediateRaces(uint32_t E) {
  uint32_t From = Events[E].FirstRace;
  auto Between = [&](const Race &R) {
    for (uint32_t K = From; K < Races.size(); ++K)
      if (Races[K].First != R.First && happensBefore(R.First, Races[K].First))
        return true;
    return false;
  };
  // Decide first, remove afterwards: a dropped race still lies between others.
  Kept.clear();
  for (uint32_t K = From; K < Races.size(); ++K) {
    bool Twice = std::any_of(Kept.begin(), Kept.end(), [&](const Race &R) { return R.First == Races[K].First; });
    if (!Twice && !Between(Races[K]))
      Kept.push_back(Races[K]);
  }
  Races.resize(From);
  for (const Race &R : Kept)
    Races.push_back(R);
}

void Execution::follow(const StepNote &N) {
  if (Monitor)
    monitorNote(N);
  switch (N.What) {
  case StepNote::Created: {
    ProcessId Child = C.processOf(N.B), Parent = C.processOf(N.A);
    saveCurrent(Child);
    copyClock(current(Child), current(Parent));
    break;
  }
  case StepNote::Joined: {
    ProcessId P = C.processOf(N.A);
    saveCurrent(P);
    join(current(P), current(C.processOf(N.B)));
    joinUpdates(current(P), N.B);
    break;
  }
  case StepNote::Drained: {
    ProcessId P = C.processOf(N.A);
    saveCurrent(P);
    joinUpdates(current(P), N.A);
    break;
  }
  case StepNote::DrainedBefore:
  case StepNote::BarrierBefore:
  case StepNote::Fenced: break;
  case StepNote::Stored: {
    PodArray<uint32_t> &Clocks = EntryClocks[N.A];
    std::vector<EntryState> &States = EntryStates[N.A];
    if (Clocks.size() < static_cast<size_t>(N.B + 1) * Stride)
      Clocks.resize(static_cast<size_t>(N.B + 1) * Stride);
    if (States.size() <= N.B)
      States.resize(N.B + 1);
    copyClock(&Clocks[static_cast<size_t>(N.B) * Stride], current(C.processOf(N.A)));
    States[N.B] = EntryState();
    break;
  }
  }
}

/// What main waited for at its end nobody asks any more, if nobody else is left.
inline bool Execution::matters(const StepNote &N) const {
  const bool OnlyClock = N.What == StepNote::Joined || N.What == StepNote::Drained;
  const Machine &M = C.machine();
  const bool MainEnded = M.isFinished(0) || M.status(0) == ThreadStatus::Exited;
  return !OnlyClock || N.A != 0 || Monitor || !MainEnded || !M.alone();
}

void Execution::started() {
  checkRoom();
  for (const StepNote &N : C.notes())
    follow(N);
  Saved.clear();
  NumSaved = 0;
}

void Execution::append(ProcessId P) {
  begin(P);
  Event &E = Events[Length];
  E.Before = C.mark();
  E.FirstTouch = static_cast<uint32_t>(Touches.size());
  E.FirstRace = static_cast<uint32_t>(Races.size());
  E.FirstAlso = static_cast<uint32_t>(AlsoOut.size());
  E.NumSaved = NumSaved;
  E.FirstOld = NumOld;
  E.FirstLanding = static_cast<uint32_t>(Landed.size());
  Waits = C.canWait(P);
  bool KeepsSeen = Waits || Monitor;
  if (KeepsSeen)
    copyClock(Seen.data(), current(P));
  if (Waits) // whether it would have had to wait can only be asked while it has not happened
    lookAtWaiting(P, Races);

  C.step(P);
  checkRoom();
  E.Kind = C.kind();
  E.Operation = C.operation();
  E.Pc = C.pc();
  uint32_t *const Before = &ClocksBefore[static_cast<size_t>(Length) * Stride];
  copyClock(Before, current(P));
  const bool Swaps = !Waits && (E.Kind == OperationKind::Rmw || E.Kind == OperationKind::CmpXchg);
  if (!KeepsSeen && (E.Touched.IsUpdate || Swaps || !C.notes().empty())) {
    copyClock(Seen.data(), Before);
    KeepsSeen = true;
  }
  if (!C.notes().empty() && C.notes().front().What == StepNote::DrainedBefore && C.buffering() != Buffering::None)
    joinUpdates(Seen.data(), E.Touched.Owner);
  if (!C.notes().empty() && C.notes().front().What == StepNote::BarrierBefore)
    joinBarrier(Seen.data(), E.Touched.Owner, C.notes().front().B);
  if (E.Touched.IsUpdate) {
    join(Seen.data(), &EntryClocks[E.Touched.Owner][static_cast<size_t>(C.entry()) * Stride]);
    joinBarrier(Seen.data(), E.Touched.Owner, C.bufferEntry(E.Touched.Owner, C.entry()).WaitFor);
    if (C.overlapsOthers(P))
      joinOverlapping(Seen.data(), E.Touched.Owner, C.entry());
    EntryStates[E.Touched.Owner][C.entry()].Update = Length;
  }
  if (Swaps) {
    findCells({Pending.Where, Pending.Width, true});
    joinOwnStores(E.Touched.Owner);
  }
  const uint32_t *const Known = KeepsSeen ? Seen.data() : Before;
  copyClock(clock(Length), Known);
  const PodArray<MemoryAccess> &Accesses = C.accesses();
  CellId Only = 0;
  if (!Monitor && Accesses.size() == 1)
    Only = Memory.exactly(Accesses.front().Where, Accesses.front().Size);
  if (Only && Only < State.size()) {
    Found.clear();
    Found.push_back(Only);
    touch(Accesses.front(), Only, Known);
  } else {
    const bool Several = Accesses.size() > 1;
    if (Monitor && !Waits && Several)
      monitorSeveral({Accesses.begin(), Accesses.end()}, false);
    for (const MemoryAccess &A : Accesses) {
      findCells(A);
      if (Monitor && !Waits && !Several)
        monitorAccess(A);
      for (CellId Cell : Found)
        touch(A, Cell, Known);
    }
  }
  clock(Length)[P] = E.Index;
  if (Monitor)
    monitorStep(Length);
  copyClock(current(P), clock(Length));
  if (Races.size() > E.FirstRace + 1u && !(Waits && WaitsForSeveral))
    keepImmediateRaces(Length);
  ++Length;
  SavedAt[P] = ++Step;
  for (const StepNote &N : C.notes())
    if (matters(N))
      follow(N);
}

void Execution::removeLast() {
  Event &E = Events[--Length];
  for (auto T = static_cast<uint32_t>(Touches.size()); T-- > E.FirstTouch;) {
    const Touch &Gone = Touches[T];
    if (Gone.How == CellAccess::Forwarded) {
      EntryStates[E.Touched.Owner][Gone.Entry].LastLoad = Gone.PrevOnEntry;
      continue;
    }
    if (Gone.How == CellAccess::Write && Gone.PrevWrite)
      Touches[Gone.PrevWrite - 1].NextWrite = 0;
    State[Gone.Cell].LastWrite = Gone.PrevWrite;
    State[Gone.Cell].Reads = Gone.PrevReads;
    NumEnds -= Gone.How == CellAccess::Write && E.Kind == OperationKind::End;
  }
  for (; NumSaved > E.NumSaved; --NumSaved) {
    size_t At = Saved.size() - Stride - 1;
    copyClock(current(Saved[At]), &Saved[At + 1]);
    Saved.resize(At);
  }
  copyClock(current(E.Process), &ClocksBefore[static_cast<size_t>(Length) * Stride]);
  if (Monitor)
    forgetStep(E);
  Touches.resize(E.FirstTouch);
  NumOld = E.FirstOld;
  Races.resize(E.FirstRace);
  if (AlsoOut.size() > E.FirstAlso)
    AlsoOut.resize(E.FirstAlso);
  C.undoTo(E.Before);
}

} // namespace picket
