#include "memory/Configuration.h"

#include "memory/ChangesMemory.h"

#include <algorithm>

namespace picket {

Configuration::Configuration(const Program &P, Sharing &Shared, MachineOptions Options, MemoryModel Model)
    : TheMachine(P, Shared, (Options.StopAtFences |= infoOf(Model).Buffers != Buffering::None, Options)), Model(Model),
      Buffers(infoOf(Model).Buffers) {}

void Configuration::ensureThread(ThreadId T) {
  while (ThreadProcesses.size() <= T) {
    auto New = static_cast<ThreadId>(ThreadProcesses.size());
    ThreadProcesses.push_back(addProcess(TheMachine.names() ? TheMachine.names()->threadProcess(New) : numProcesses(),
                                         Process{New, false, 0, 0, {}, false}));
    UpdateProcesses.emplace_back();
    MustDrain.push_back(0);
    StoreBuffers.push_back(Buffers == Buffering::None ? nullptr : std::make_unique<StoreBuffer>());
  }
}

/// Processes that only other configurations have come upon so far never have anything to do.
ProcessId Configuration::addProcess(ProcessId Id, const Process &New) {
  while (Processes.size() <= Id)
    Processes.push_back(std::make_unique<Process>(Process{0, true, 0, 0, {}, false}));
  *Processes[Id] = New;
  return Id;
}

ProcessId Configuration::updateProcess(ThreadId T, Address Where, uint8_t Width) {
  if (Buffers == Buffering::Fifo) {
    if (UpdateProcesses[T].empty()) {
      const ProcessId New = TheMachine.names() ? TheMachine.names()->updateProcess(T, 0) : numProcesses();
      UpdateProcesses[T].push_back(addProcess(New, Process{T, true, 0, 0, {}, false}));
    }
    return UpdateProcesses[T].front();
  }
  auto [Found, IsNew] = ByLocation.try_emplace({T, Where}, numProcesses());
  if (IsNew) {
    if (TheMachine.names())
      Found->second = TheMachine.names()->updateProcess(T, Where);
    UpdateProcesses[T].push_back(addProcess(Found->second, Process{T, true, Where, 0, {}, false}));
  }
  ProcessId Mine = Found->second;
  if (Width > Processes[Mine]->Width) {
    Processes[Mine]->Width = Width;
    for (ProcessId P : UpdateProcesses[T])
      if (P != Mine && Processes[P]->Where < Where + Width && Where < Processes[P]->Where + Processes[P]->Width)
        Processes[P]->Overlaps = Processes[Mine]->Overlaps = true;
  }
  return Mine;
}

void Configuration::start() {
  TheMachine.start();
  TheMachine.undo().setRecording(true);
  CreatedAtStart = TheMachine.created();
  AtStart = mark();
  TheMachine.newStep(); // threads that came into being on the way are saved from here on
  begin();
}

void Configuration::begin() {
  Notes.clear();
  noteCreated();
  ensureThread(0);
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T)
    runQuietly(T);
}

void Configuration::startOver(StepListener *NewListener) {
  Listener = NewListener;
  undoTo(AtStart);
  TheMachine.newStep();
  TheMachine.showAll(Listener != nullptr);
  TheMachine.setCreated(CreatedAtStart);
  begin();
}

void Configuration::startAnew() {
  undoTo(AtStart);
  Listener = nullptr;
  TheMachine.showAll(false);
  start();
}

/// New threads inherit their creator's past; they may also have something to do immediately (stores to buffer).
void Configuration::noteCreated() {
  while (!TheMachine.created().empty()) {
    auto Created = TheMachine.created();
    TheMachine.clearCreated();
    for (auto [Parent, Child] : Created) {
      ensureThread(Child);
      Notes.push_back({StepNote::Created, Parent, Child});
      if (Listener)
        Listener->created(Parent, Child);
    }
    for (auto [Parent, Child] : Created)
      runQuietly(Child);
  }
}

uint64_t Configuration::bytes() const {
  uint64_t Sum = Notes.capacity() * sizeof(StepNote);
  for (const std::unique_ptr<StoreBuffer> &Buffer : StoreBuffers)
    Sum += Buffer ? Buffer->bytes() : 0;
  return Sum;
}

void Configuration::lookWhetherToStop() {
  QuietSinceLook = 0;
  if (ShouldStop && ShouldStop())
    throw Interrupted();
}

/// Whether a read-modify-write waits for all earlier stores. Under PSO the location's own buffer suffices for relaxed
/// and acquire; the store-store barrier in front of a release makes its write, which is made immediately, wait for all.
bool Configuration::drainsAll(const Operation &Rmw) const {
  return Buffers == Buffering::Fifo || drainsPso(Rmw.Ordering);
}

/// Whether the buffer lets the operation happen now.
bool Configuration::drainedFor(ThreadId T, const Operation &Op) const {
  if (Buffers == Buffering::None)
    return true;
  const StoreBuffer &Buffer = *StoreBuffers[T];
  if (Buffer.empty())
    return true;
  if (MustDrain[T])
    return false;
  switch (Op.Kind) {
  case OperationKind::Load:
  case OperationKind::Yield:
  case OperationKind::Exit:
  case OperationKind::End: return true; // returning from a function is no fence
  case OperationKind::Rmw:
  case OperationKind::CmpXchg: // its write is made immediately, so a store-store barrier makes it wait like a store
    return !drainsAll(Op) && !Buffer.holds(Op.Where, Op.Width) && Buffer.head() >= Buffer.barrier();
  default: return false;
  }
}

bool Configuration::canStep(ThreadId T) {
  if (!TheMachine.exists(T) || TheMachine.status(T) != ThreadStatus::Ready)
    return false;
  const Operation &Op = TheMachine.pending(T);
  if (!drainedFor(T, Op))
    return false;
  switch (Op.Kind) {
  case OperationKind::None:
  case OperationKind::Join: return false;
  case OperationKind::Fence:
  case OperationKind::Drain: return TheMachine.comparesStates(); // see runQuietly()
  case OperationKind::Load:
  case OperationKind::Rmw:
  case OperationKind::CmpXchg: {
    if (!Op.MaySpin)
      return true;
    Object *O = TheMachine.memory().find(Op.Where);
    if (!O || O->Life != Lifetime::Alive)
      return true;
    uint64_t Low = 0, High = 0;
    readFor(T, Op, Low, High, false);
    return !TheMachine.probeSpins(T, Low, High, changesMemory(Op, Low, High));
  }
  case OperationKind::Sync: {
    Object *O = TheMachine.memory().find(Op.Where);
    if (!isBlocking(Op.Sync) || !O || O->Life != Lifetime::Alive)
      return true;
    return !wouldWait(processOf(T), TheMachine.memory().bytes(Op.Where));
  }
  case OperationKind::Atomic: {
    Mark Before = mark();
    TheMachine.newStep();
    bool Runs = TheMachine.runAtomic(T);
    undoTo(Before);
    TheMachine.newStep();
    TheMachine.clearCreated();
    return Runs;
  }
  default: return true;
  }
}

bool Configuration::canUpdate(ProcessId P) const {
  const Process &Update = *Processes[P];
  if (Update.Queue.Front.Count == 0)
    return false;
  const StoreBuffer &Buffer = *StoreBuffers[Update.Thread];
  uint32_t Entry = Update.Queue.Front.First;
  if (Buffers == Buffering::Fifo)
    return Entry == Buffer.head();
  return Buffer.at(Entry).WaitFor <= Buffer.head() && (!Update.Overlaps || !Buffer.waitsForOverlap(Entry));
}

bool Configuration::isEnabled(ProcessId P) {
  if (P >= Processes.size() || isOver())
    return false;
  return Processes[P]->Update ? canUpdate(P) : canStep(Processes[P]->Thread);
}

void Configuration::enabled(std::vector<ProcessId> &Result) {
  Result.clear();
  if (isOver())
    return;
  // Updates first, in the order of the stores: an execution that empties buffers as soon as it can is as sequential
  // as can be.
  if (Buffers != Buffering::None)
    for (ThreadId T = 0; T < TheMachine.numThreads(); ++T) {
      if (T >= StoreBuffers.size() || StoreBuffers[T]->empty())
        continue;
      size_t First = Result.size();
      for (ProcessId P : UpdateProcesses[T])
        if (canUpdate(P))
          Result.push_back(P);
      if (Result.size() - First > 1)
        std::sort(Result.begin() + static_cast<ptrdiff_t>(First), Result.end(), [&](ProcessId A, ProcessId B) {
          return Processes[A]->Queue.Front.First < Processes[B]->Queue.Front.First;
        });
    }
  size_t Yielding = 0;
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T)
    if (TheMachine.status(T) == ThreadStatus::Ready && canStep(T)) {
      Result.push_back(processOf(T));
      Yielding += TheMachine.pending(T).Kind == OperationKind::Yield;
    }
  if (Yielding) // those let all others go first
    std::stable_partition(Result.begin(), Result.end(), [&](ProcessId P) {
      return Processes[P]->Update || TheMachine.pending(Processes[P]->Thread).Kind != OperationKind::Yield;
    });
}

/// What a load of T sees: byte by byte the newest entry of its own buffer, else memory.
void Configuration::readFor(ThreadId T, const Operation &Op, uint64_t &Low, uint64_t &High, bool Record) {
  const uint8_t *InMemory = TheMachine.memory().bytes(Op.Where);
  const StoreBuffer *Buffer = StoreBuffers[T].get();
  if (!Buffer || Buffer->empty() || !Buffer->holds(Op.Where, Op.Width)) {
    if (Record)
      Accesses.push_back({Op.Where, Op.Width, false});
    Memory::readWords(InMemory, Op.Width, Low, High);
    return;
  }
  uint8_t Bytes[16] = {};
  std::memcpy(Bytes, InMemory, Op.Width);
  for (uint32_t K = 0; K < Op.Width; ++K) {
    uint32_t Source = Buffer->sourceOf(Op.Where + K);
    bool Forwarded = Source != Buffer->tail();
    if (Forwarded)
      Bytes[K] = Buffer->at(Source).byteAt(Op.Where + K);
    if (!Record)
      continue;
    if (!Accesses.empty() && Accesses.back().Forwarded == Forwarded &&
        Accesses.back().Entry == (Forwarded ? Source : 0))
      ++Accesses.back().Size;
    else
      Accesses.push_back({Op.Where + K, 1, false, Forwarded, Forwarded ? Source : 0});
  }
  Low = Memory::readWord(Bytes, 8);
  High = Memory::readWord(Bytes + 8, 8);
}

void Configuration::step(ProcessId P) {
  Accesses.clear();
  Notes.clear();
  TheMachine.newStep();
  if (Processes[P]->Update)
    stepUpdate(P);
  else
    stepThread(Processes[P]->Thread);
}

void Configuration::stepUpdate(ProcessId P) {
  assert(canUpdate(P));
  ThreadId T = Processes[P]->Thread;
  StoreBuffer &Buffer = *StoreBuffers[T];
  auto &Queue = Processes[P]->Queue.Front;
  uint32_t Index = Queue.First;
  assert(Buffer.at(Index).Process == P && (Buffers != Buffering::Fifo || Index == Buffer.head()));
  TheMachine.undo().save(Queue);
  --Queue.Count;
  Queue.First = Buffer.at(Index).Next;
  const StoreBuffer::Entry &E = Buffer.at(Index);
  Kind = OperationKind::Store;
  OperationIndex = E.Operation;
  Pc = E.Pc;
  UpdatedEntry = Index;
  Buffer.land(Index, TheMachine.undo());
  Object *O = TheMachine.memory().find(E.Where);
  // What a thread stored to its own variable lands even if the variable has ended by then: nobody is left to see it.
  const bool OwnLeft = O->Life == Lifetime::Left && O->Owner == T;
  if (O->Life != Lifetime::Alive && !OwnLeft) {
    Accesses.push_back({E.Where, E.Width, true});
    TheMachine.reportAccess(T, E.Pc, E.Where, E.Width, true); // what the thread does meanwhile does not depend on it
  } else {
    write(E.Where, E.Width, E.Value, E.Value2);
  }
  runQuietly(T);
}

void Configuration::writeBytes(Address Where, uint8_t Width, uint64_t Value, uint64_t Value2) {
  if (Object &O = TheMachine.memory().at(slotOf(Where)); O.Unwritten)
    TheMachine.memory().markWritten(O, offsetOf(Where), Width);
  TheMachine.memory().write(Where, Width, Value, Value2);
}

/// The write of a step.
void Configuration::write(Address Where, uint8_t Width, uint64_t Value, uint64_t Value2) {
  Object &O = TheMachine.memory().at(slotOf(Where));
  MemoryAccess A{Where, Width, true};
  A.HasOld = true;
  if (Width > 8) {
    Memory::readWords(O.Data + offsetOf(Where), Width, A.Old, A.Old2);
    writeBytes(Where, Width, Value, Value2);
  } else {
    if (O.Unwritten)
      TheMachine.memory().markWritten(O, offsetOf(Where), Width);
    A.Old = TheMachine.memory().exchangeWord(O.Data + offsetOf(Where), Value, Width);
  }
  Accesses.push_back(A);
}

void Configuration::stepThread(ThreadId T) {
  Operation Op = TheMachine.pending(T);
  assert(TheMachine.exists(T) && TheMachine.status(T) == ThreadStatus::Ready && drainedFor(T, Op));
  Kind = Op.Kind;
  OperationIndex = TheMachine.operations(T);
  Pc = TheMachine.pc(T);
  switch (Op.Kind) {
  case OperationKind::Load: load(T, Op); break;
  case OperationKind::Store: store(T, Op); break;
  case OperationKind::Rmw:
  case OperationKind::CmpXchg: readModifyWrite(T, Op); break;
  case OperationKind::Sync: synchronise(T, Op); break;
  case OperationKind::Free:
    Notes.push_back({StepNote::DrainedBefore, T, 0});
    Accesses.push_back({Op.Where, TheMachine.memory().find(Op.Where)->Size, true});
    TheMachine.completeFree(T);
    break;
  case OperationKind::End:
    for (const Machine::Access &A : TheMachine.pendingEnds(T))
      Accesses.push_back({A.Where, A.Size, A.Write});
    TheMachine.completeEnd(T);
    break;
  case OperationKind::Atomic:
    Notes.push_back({StepNote::DrainedBefore, T, 0});
    TheMachine.runAtomic(T);
    for (const Machine::Access &A : TheMachine.atomicAccesses())
      Accesses.push_back({A.Where, A.Size, A.Write});
    break;
  default: TheMachine.resume(T, 0, 0, Op.Kind == OperationKind::Drain); break; // Yield, or see runQuietly()
  }
  runQuietly(T);
}

/// Tells the machine of a read of memory that may never have been written. True: that is a bug, with which T ended.
bool Configuration::noteRead(ThreadId T, const Operation &Op) {
  const Object &O = TheMachine.memory().at(slotOf(Op.Where));
  return O.Unwritten && !readsOwnBuffer(T, Op) && TheMachine.noteRead(T, O, Op.Where, Op.Width);
}

void Configuration::load(ThreadId T, const Operation &Op) {
  if (TheMachine.failsAccess(T, Op.Where, Op.Width, false)) {
    Accesses.push_back({Op.Where, Op.Width, false});
    return;
  }
  if (noteRead(T, Op)) {
    Accesses.push_back({Op.Where, Op.Width, false});
    return;
  }
  uint64_t Low, High;
  readFor(T, Op, Low, High, true);
  TheMachine.resume(T, Low, High, false);
}

void Configuration::store(ThreadId T, const Operation &Op) {
  if (TheMachine.failsAccess(T, Op.Where, Op.Width, true)) {
    Accesses.push_back({Op.Where, Op.Width, true});
    return;
  }
  write(Op.Where, Op.Width, Op.Value, Op.Value2);
  TheMachine.resume(T, 0, 0, true);
}

void Configuration::readModifyWrite(ThreadId T, const Operation &Op) {
  if (Buffers != Buffering::None && drainsAll(Op))
    Notes.push_back({StepNote::DrainedBefore, T, 0});
  else if (Buffers != Buffering::None && StoreBuffers[T]->barrier() > 0)
    Notes.push_back({StepNote::BarrierBefore, T, StoreBuffers[T]->barrier()});
  if (TheMachine.failsAccess(T, Op.Where, Op.Width, true)) {
    Accesses.push_back({Op.Where, Op.Width, true});
    return;
  }
  if (noteRead(T, Op)) {
    Accesses.push_back({Op.Where, Op.Width, true});
    return;
  }
  uint64_t Low, High;
  Memory::readWords(TheMachine.memory().bytes(Op.Where), Op.Width, Low, High);
  uint64_t NewLow = Low, NewHigh = High;
  const bool Writes = Op.Kind == OperationKind::Rmw || (findsExpected(Op, Low, High) && !Op.Fails);
  if (Writes) {
    updateWord(Op, NewLow, NewHigh);
    write(Op.Where, Op.Width, NewLow, NewHigh);
  } else {
    Accesses.push_back({Op.Where, Op.Width, false});
  }
  TheMachine.resume(T, Low, High, NewLow != Low || NewHigh != High);
}

void Configuration::synchronise(ThreadId T, const Operation &Op) {
  Notes.push_back({StepNote::DrainedBefore, T, 0});
  uint32_t Size = sizeOf(Op.Sync);
  Accesses.push_back({Op.Where, Size, true});
  if (TheMachine.failsAccess(T, Op.Where, Size, true))
    return;
  uint8_t *Bytes = TheMachine.memory().bytes(Op.Where);
  TheMachine.undo().save(Bytes, Size);
  uint8_t Old[64];
  std::memcpy(Old, Bytes, Size);
  SyncResult Result = apply(Op.Sync, Bytes, T, Op.Value);
  Accesses.back().Leaves = std::memcmp(Old, Bytes, Size) == 0;
  if (Result.Outcome == SyncResult::Misuse)
    TheMachine.failSync(T, Result);
  else
    TheMachine.resume(T, static_cast<uint64_t>(Result.Value), static_cast<uint64_t>(Result.Errno), true);
}

bool Configuration::canWait(ProcessId P) const {
  if (Processes[P]->Update)
    return false;
  const Operation &Op = TheMachine.pending(Processes[P]->Thread);
  return Op.MaySpin || (Op.Kind == OperationKind::Sync && isBlocking(Op.Sync));
}

bool Configuration::wouldWait(ProcessId P, const uint8_t *Bytes) {
  ThreadId T = Processes[P]->Thread;
  const Operation &Op = TheMachine.pending(T);
  if (Op.Kind == OperationKind::Sync) {
    uint8_t Copy[64];
    std::memcpy(Copy, Bytes, sizeOf(Op.Sync));
    return apply(Op.Sync, Copy, T, Op.Value).Outcome == SyncResult::Blocked;
  }
  uint64_t Low, High;
  Memory::readWords(Bytes, Op.Width, Low, High);
  return TheMachine.probeSpins(T, Low, High, changesMemory(Op, Low, High));
}

bool Configuration::wouldWrite(ProcessId P, const uint8_t *Bytes) const {
  const Operation &Op = TheMachine.pending(Processes[P]->Thread);
  if (Op.Kind != OperationKind::CmpXchg)
    return true;
  uint64_t Low, High;
  Memory::readWords(Bytes, Op.Width, Low, High);
  return findsExpected(Op, Low, High) && !Op.Fails;
}

} // namespace picket
