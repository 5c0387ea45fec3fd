#include "machine/Machine.h"

#include "machine/CallStack.h"
#include "machine/Interpreter.h"
#include "machine/Messages.h"
#include "machine/Points.h"
#include "machine/Process.h"

#include <algorithm>
#include <sys/mman.h>

namespace picket {

namespace {

/// Address space for a thread's registers, frames and stack: it costs memory only where it is touched, and never moves.
/// Explorations of small programs are shorter than it takes to get it from the system, so a few are kept. What they
/// hold is of no meaning: nothing is read that was not written before.
class ThreadSpaces {
public:
  ~ThreadSpaces() {
    for (void *Space : Kept)
      munmap(Space, Bytes);
  }
  void *take() {
    if (!Kept.empty()) {
      void *Space = Kept.back();
      Kept.pop_back();
      return Space;
    }
    void *Space = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Space == MAP_FAILED)
      throw std::bad_alloc();
    return Space;
  }
  void giveBack(void *Space) {
    if (Kept.size() == MostKept) {
      munmap(Space, Bytes);
      return;
    }
    // What only deep recursion uses goes back to the system.
    for (size_t Part = 0; Part < Bytes; Part += PartBytes)
      madvise(static_cast<char *>(Space) + Part + KeptOfPart, PartBytes - KeptOfPart, MADV_DONTNEED);
    Kept.push_back(Space);
  }

  static constexpr size_t PartBytes = 8 << 20, Bytes = 3 * PartBytes; // registers, frames, stack
private:
  static constexpr size_t KeptOfPart = 64 << 10, MostKept = 16;
  std::vector<void *> Kept;
};

thread_local ThreadSpaces Spaces;

} // namespace

Machine::Thread::Thread(ThreadId Id) : Id(Id) {
  static_assert(MaxRegisters * sizeof(uint64_t) <= ThreadSpaces::PartBytes &&
                MaxFrames * sizeof(Frame) <= ThreadSpaces::PartBytes &&
                MaxStackObjects * sizeof(uint32_t) <= ThreadSpaces::PartBytes);
  char *Space = static_cast<char *>(Spaces.take());
  Registers = reinterpret_cast<uint64_t *>(Space);
  Frames = reinterpret_cast<Frame *>(Space + ThreadSpaces::PartBytes);
  StackSlots = reinterpret_cast<uint32_t *>(Space + 2 * ThreadSpaces::PartBytes);
}

Machine::Thread::~Thread() { Spaces.giveBack(Registers); }

Machine::Machine(const Program &P, Sharing &Shared, const MachineOptions &Options)
    : P(P), Shared(Shared), Options(Options), Mem(Undo) {
  if (Options.OutOfOrder || Options.Live)
    this->Options.Points = MachineOptions::Points::Off;
  if (checks(BugKind::Leak) && !Options.Live)
    LiveForLeaks = std::make_unique<const LiveSlots>(P);
}

Machine::~Machine() = default;

uint64_t Machine::finalSlot(ThreadId Id, uint32_t Slot) const { return standing(*Threads[Id]).Registers[Slot]; }

void Machine::unsupported(ThreadId T, uint32_t Pc, const std::string &What) {
  throw MachineStop{MachineStop::Unsupported, Pc, T, What};
}

void Machine::limit(ThreadId T, uint32_t Pc, const std::string &What) {
  throw MachineStop{MachineStop::Limit, Pc, T, What};
}

/// Threads and objects keep their identities, and are no more.
void Machine::clear() {
  Undo.setRecording(false);
  Undo.clear();
  Mem.clear();
  for (std::unique_ptr<Thread> &T : Threads) {
    T->S = State();
    T->Now = &T->S;
    T->Held = nullptr;
    T->Joined = T->Detached = false;
    T->Roots = nullptr;
    std::fill_n(T->Reuses, Thread::NumReuses, Thread::Reuse());
  }
  PointChunks.clear();
  PointBytes = ChunkLeft = 0;
  Gatherings = 0;
  Created.clear();
  Bugs.clear();
}

void Machine::start() {
  if (Threads.empty()) {
    for (uint32_t G = 0; G < P.Globals.size(); ++G)
      Mem.newSlot(); // G + 1, as Program.h promises
    ProcessSlot = Mem.newSlot();
    Threads.push_back(std::make_unique<Thread>(0));
  } else {
    clear();
  }
  for (uint32_t G = 0; G < P.Globals.size(); ++G) {
    const Global &Source = P.Globals[G];
    const uint32_t Slot = G + 1;
    if (Source.ThreadLocal)
      continue;
    Object &O = Mem.allocate(Slot, Source.Constant ? ObjectKind::Constant : ObjectKind::Global, Source.Size,
                             Shared.siteOfGlobal(G), 0, 0);
    if (!Source.Initial.empty())
      std::memcpy(O.Data, Source.Initial.data(), Source.Initial.size());
  }
  Mem.allocate(ProcessSlot, ObjectKind::Hidden, process::Words * sizeof(uint64_t), 0, 0, 0);

  Thread &Main = *Threads[0];
  Main.Start = static_cast<uint32_t>(P.Main);
  Main.S.Exists = true;
  Main.S.Phase = State::Constructing;
  LiveThreads = 1;
  NestedCreations = 0; // also if it was interrupted
  DependsOnOthers = false;
  Interpreter(*this, 0).enterPhase();
  if (!DependsOnOthers)
    rememberRoot(Main, 0);
}

ThreadId Machine::threadFor(ThreadId Parent, uint32_t Index) {
  std::vector<ThreadId> &Children = Threads[Parent]->ChildIds;
  if (Index == Children.size()) {
    const auto New = Options.Names ? Options.Names->thread(Parent, Index) : numThreads();
    while (Threads.size() <= New) // threads that only other machines have come upon so far do not exist
      Threads.push_back(std::make_unique<Thread>(numThreads()));
    Threads[New]->Parent = Parent;
    Children.push_back(New);
  }
  return Threads[Parent]->ChildIds[Index];
}

ThreadId Machine::create(ThreadId Parent, uint32_t Function, uint64_t Argument) {
  if (LiveThreads >= MaxThreads)
    limit(Parent, Threads[Parent]->S.Pc,
          "more than " + std::to_string(MaxThreads) + " threads run or are still to be joined");
  ThreadId Id = threadFor(Parent, Threads[Parent]->S.Children++);
  Thread &T = *Threads[Id];
  T.SavedInStep = Step; // before it existed: none of its frames need saving
  Undo.save(T.S);
  Undo.save(T.Now);
  Undo.save(T.Held);
  Undo.save(T.Joined);
  Undo.save(T.Detached);
  Undo.save(LiveThreads);
  Undo.save(Gatherings);
  Gatherings += LiveThreads == 1;
  ++LiveThreads;
  DoesMore = true;
  T.Start = Function;
  callStack(Parent, T.CreatedFrom);
  T.S = State();
  T.S.Exists = true;
  T.Now = &T.S;
  T.Held = nullptr;
  T.Joined = T.Detached = false;
  pushFrame(T, Function, 0);
  const picket::Function &F = P.Functions[Function];
  if (F.NumParameters > 0)
    T.Registers[0] = Argument;
  T.S.Pc = F.Entry;
  Created.push_back({Parent, Id});
  if (!Options.OutOfOrder) {
    const bool Before = DependsOnOthers;
    DependsOnOthers = false;
    if (NestedCreations >= MaxNestedCreations)
      limit(Parent, Threads[Parent]->S.Pc,
            "threads create threads, each the next, more than " + std::to_string(MaxNestedCreations) + " of them");
    ++NestedCreations;
    Interpreter(*this, Id).run();
    --NestedCreations;
    if (!DependsOnOthers)
      rememberRoot(T, Argument);
    DependsOnOthers |= Before;
  }
  return Id;
}

uint32_t Machine::slotFor(Thread &T, uint32_t Site, uint32_t Size) {
  if (Options.Live)
    if (uint32_t Slot = forgottenSlot(T, Site, Size))
      return Slot;
  uint32_t Index = T.S.Allocations++;
  if (Index == T.Slots.size())
    T.Slots.push_back(Options.Names ? Mem.useSlot(Options.Names->allocation(T.Id, Index)) : Mem.newSlot());
  return T.Slots[Index];
}

Address Machine::threadLocal(Thread &T, uint32_t G) {
  if (T.ThreadLocals.size() < P.Globals.size())
    T.ThreadLocals.resize(P.Globals.size(), 0);
  uint32_t &Slot = T.ThreadLocals[G];
  if (!Slot)
    Slot = Options.Names ? Mem.useSlot(Options.Names->threadLocal(T.Id, G)) : Mem.newSlot();
  if (Mem.at(Slot).Life == Lifetime::Absent) {
    Object &O = Mem.allocate(Slot, ObjectKind::ThreadLocal, P.Globals[G].Size, Shared.siteOfGlobal(G), T.Id, T.S.Pc);
    if (!P.Globals[G].Initial.empty())
      std::memcpy(O.Data, P.Globals[G].Initial.data(), P.Globals[G].Initial.size());
  }
  return addressOf(Slot);
}

void Machine::pushFrame(Thread &T, uint32_t Function, uint32_t CallPc) {
  State &S = T.S;
  uint32_t Base = 0;
  if (S.Depth) {
    const Frame &Caller = T.Frames[S.Depth - 1];
    Base = Caller.Base + P.Functions[Caller.Function].NumSlots;
  }
  T.Frames[S.Depth++] = {Function, CallPc, Base, S.StackObjects, S.Reads};
  if (Options.Points != MachineOptions::Points::Off) // points are compared as a whole
    std::fill_n(T.Registers + Base, P.Functions[Function].NumSlots, 0);
  if (int32_t Fed = P.Functions[Function].FedSlot; Fed >= 0)
    T.Registers[Base + static_cast<uint32_t>(Fed)] = 0;
}

void Machine::saveFrame(Thread &T, uint32_t Index) {
  Frame &F = T.Frames[Index];
  Undo.save(F);
  Undo.save(T.Registers + F.Base, P.Functions[F.Function].NumSlots * sizeof(uint64_t));
  T.S.SavedDepth = Index;
}

/// Saves T, which is at no point, so that whatever happens to it in this step can be taken back.
void Machine::save(Thread &T) {
  if (T.SavedInStep == Step)
    return;
  T.SavedInStep = Step;
  Undo.save(T.S);
  T.S.SavedDepth = T.S.Depth;
  if (T.S.Depth)
    saveFrame(T, T.S.Depth - 1);
}

void Machine::resume(ThreadId Id, uint64_t Value, uint64_t Value2, bool Changed) {
  Thread &T = *Threads[Id];
  const Outcome Came{Value, Value2, Changed};
  const bool IsAtPoint = T.Now != &T.S && mayFollow();
  Point *Next = IsAtPoint ? findNext(*static_cast<Point *>(T.Now), Came) : nullptr;
  if (!Next || Next->MustRun)
    return runOn(T, Came);
  for (uint32_t K = 0; K < Next->NumWrites; ++K) {
    const OwnWrite &W = Next->writes()[K];
    Mem.write(W.Where, W.Width, W.Value, W.Value2);
  }
  Undo.save(T.Now);
  T.Now = Next;
  ++T.reuseAt(*Next).Followed;
}

/// What is wrong with joining a thread; null if nothing is.
const char *Machine::cannotJoin(ThreadId Target) const {
  return Threads[Target]->Joined     ? "pthread_join of a thread that was joined already"
         : Threads[Target]->Detached ? "pthread_join of a detached thread"
                                     : nullptr;
}

void Machine::completeJoin(ThreadId Id) {
  Thread &Target = *Threads[pending(Id).Where];
  if (const char *Misuse = cannotJoin(Target.Id)) {
    takeUp(*Threads[Id]);
    addBug(BugKind::BadSynchronisation, Id, pc(Id), Misuse);
    Threads[Id]->S.Status = ThreadStatus::Failed;
    Threads[Id]->S.Pending = Operation();
    return;
  }
  Undo.save(Target.Joined);
  Undo.save(LiveThreads);
  Target.Joined = true;
  --LiveThreads;
  resume(Id, Target.Now->Result, 0, true);
}

bool Machine::runAtomic(ThreadId T) {
  AtomicAccesses.clear();
  AtomicBlocked = false;
  takeUp(*Threads[T]);
  Threads[T]->S.InAtomic = true;
  resume(T, 0, 0, true);
  return !AtomicBlocked;
}

void Machine::completeFree(ThreadId T) {
  run(*Threads[T], {0, 0, true}, [](Interpreter &I) { return I.completeFree(); });
}

std::vector<Machine::Access> Machine::pendingEnds(ThreadId T) const {
  std::vector<Access> Ends;
  findSeenEnds(*Threads[T], standing(*Threads[T]), Ends);
  return Ends;
}

void Machine::completeEnd(ThreadId T) {
  run(*Threads[T], {0, 0, true}, [](Interpreter &I) { return I.completeEnd(); });
}

void Machine::spinOn(ThreadId T) {
  takeUp(*Threads[T]);
  Interpreter I(*this, T);
  I.leaveLoop();
  I.run();
}

bool Machine::failsAccess(ThreadId Id, Address A, uint32_t Size, bool Write) {
  Object *O = Mem.find(A);
  if (O && O->Life == Lifetime::Alive && Memory::inBounds(*O, A, Size))
    return false;
  reportAccess(Id, pc(Id), A, Size, Write);
  takeUp(*Threads[Id]);
  State &S = Threads[Id]->S;
  ++S.Operations;
  S.Status = ThreadStatus::Failed;
  S.Pending = Operation();
  return true;
}

void Machine::reportAccess(ThreadId Id, uint32_t Pc, Address A, uint32_t Size, bool Write) {
  auto [Kind, Message] = describeBadAccess(*this, A, Size, Write);
  addBug(Kind, Id, Pc, std::move(Message));
}

bool Machine::probeSpins(ThreadId Id, uint64_t Value, uint64_t Value2, bool Changed) {
  Thread &T = *Threads[Id];
  State &Known = *T.Now;
  if (Known.Probed && Known.ProbeValue == Value && Known.ProbeValue2 == Value2)
    return Known.ProbeSpins;
  bool WasRecording = Undo.recording();
  UndoLog::Mark Before = Undo.mark();
  size_t BugsBefore = Bugs.size(), CreatedBefore = Created.size(), LoopsBefore = LoopEvents.size();
  Undo.setRecording(true);
  Probing = true;
  newStep();
  const State &S = T.S;
  resume(Id, Value, Value2, Changed);
  constexpr uint32_t FencesBetweenLooks = 10'000;
  for (uint32_t Fences = 1;
       S.Status == ThreadStatus::Ready && S.Pending.Kind == OperationKind::Fence && S.Pending.MaySpin; ++Fences) {
    resume(Id, 0, 0, false);
    if (Fences % FencesBetweenLooks == 0 && WhileRunning)
      WhileRunning();
  }
  bool Spins = S.Status == ThreadStatus::Spinning;
  Probing = false;
  Undo.undoTo(Before);
  Undo.setRecording(WasRecording);
  newStep();
  dropBugs(BugsBefore);
  Created.resize(CreatedBefore);
  LoopEvents.resize(std::min(LoopsBefore, LoopEvents.size()));
  Known.Probed = true;
  Known.ProbeSpins = Spins;
  Known.ProbeValue = Value;
  Known.ProbeValue2 = Value2;
  return Spins;
}

bool Machine::readsUnwritten(uint32_t Pc, const Object &O, Address Where, uint32_t Size) const {
  return O.Unwritten && P.Code[Pc].Flags & InText && P.Code[Pc].Op != Opcode::CallBuiltin &&
         Memory::countWritten(O, offsetOf(Where), Size) < Size;
}

bool Machine::noteRead(ThreadId T, const Object &O, Address Where, uint32_t Size) {
  uint32_t Pc = pc(T);
  if (Probing || !readsUnwritten(Pc, O, Where, Size))
    return false;
  if (checks(BugKind::Uninitialised)) {
    takeUp(*Threads[T]);
    State &S = Threads[T]->S;
    addBug(BugKind::Uninitialised, T, Pc, describeUnwritten(*this, O, Where, Size));
    S.Operations += S.Pending.Kind != OperationKind::None;
    S.Status = ThreadStatus::Failed;
    S.Pending = Operation();
    return true;
  }
  uint32_t Written = Memory::countWritten(O, offsetOf(Where), Size);
  bool Known = std::any_of(UnwrittenReads.begin(), UnwrittenReads.end(),
                           [&](const UnwrittenRead &Read) { return Read.Pc == Pc; });
  if (!Known)
    UnwrittenReads.push_back({Pc, Written > 0});
  return false;
}

void Machine::failSync(ThreadId Id, const SyncResult &Misuse) {
  if (!Misuse.BugKind)
    unsupported(Id, pc(Id), Misuse.Phrase);
  takeUp(*Threads[Id]);
  State &S = Threads[Id]->S;
  addBug(*Misuse.BugKind, Id, S.Pc, Misuse.Phrase);
  ++S.Operations;
  S.Status = ThreadStatus::Failed;
  S.Pending = Operation();
}

/// Records a bug with which a thread ends, or, if its kind is not looked for, that there was one.
void Machine::addBug(BugKind Kind, ThreadId Id, uint32_t Pc, std::string Message) {
  if (checks(Kind)) {
    Bugs.push_back({Kind, Id, Pc, std::move(Message)});
    return;
  }
  DependsOnOthers = true; // the way that led here leads to no point, as those with a bug
  uint8_t *Word = Mem.at(ProcessSlot).Data + process::UncheckedError * sizeof(uint64_t);
  if (!Memory::readWord(Word, 8))
    Mem.writeWord(Word, 1, 8);
}

bool Machine::hasUncheckedError() const {
  return Memory::readWord(Mem.at(ProcessSlot).Data + process::UncheckedError * sizeof(uint64_t), 8) != 0;
}

bool Machine::hasEnded() const {
  return std::any_of(Threads.begin(), Threads.end(), [](const std::unique_ptr<Thread> &T) {
    return T->Now->Exists && T->Now->Status == ThreadStatus::Exited;
  });
}

bool Machine::missesFailures() const {
  size_t Had = 0;
  for (const std::unique_ptr<Thread> &T : Threads)
    Had += T->Now->Exists ? T->Now->Failures : 0;
  return Had < P.Failures.size();
}

/// Whether the operation at which T stands is to fail for no reason.
bool Machine::failsNow(const Thread &T) const {
  // The thread may have come elsewhere at this arrival, because of another failure.
  return std::any_of(P.Failures.begin(), P.Failures.end(), [&](const FailurePoint &F) {
    return F.Arrival == T.S.Arrivals && F.Pc == T.S.Pc && F.Thread == pathOf(T.Id);
  });
}

/// The operation at which T stands might have failed, and does not. Each fails at most once in a thread.
void Machine::noteNoFailure(const Thread &T) {
  if (!P.Reached || Probing)
    return;
  FailurePoint Here{pathOf(T.Id), T.S.Arrivals, T.S.Pc};
  if (std::none_of(P.Failures.begin(), P.Failures.end(),
                   [&](const FailurePoint &F) { return F.Pc == Here.Pc && F.Thread == Here.Thread; }))
    P.Reached->add(std::move(Here));
}

std::string Machine::threadName(ThreadId Id) const {
  if (Id == 0)
    return "main";
  const std::string &Name = P.Functions[Threads[Id]->Start].Name;
  unsigned Before = 0, All = 0;
  for (ThreadId T = 1; T < Threads.size(); ++T)
    if (exists(T) && Threads[T]->Start == Threads[Id]->Start) {
      ++All;
      Before += T < Id;
    }
  return All > 1 ? Name + "#" + std::to_string(Before + 1) : Name;
}

std::vector<uint32_t> Machine::pathOf(ThreadId T) const {
  std::vector<uint32_t> Path;
  for (; T != 0; T = Threads[T]->Parent) {
    const std::vector<ThreadId> &Siblings = Threads[Threads[T]->Parent]->ChildIds;
    Path.insert(Path.begin(), static_cast<uint32_t>(std::find(Siblings.begin(), Siblings.end(), T) - Siblings.begin()));
  }
  return Path;
}

uint32_t Machine::allocationIndex(ThreadId Owner, uint32_t Slot) const {
  const std::vector<uint32_t> &Slots = Threads[Owner]->Slots;
  return static_cast<uint32_t>(std::find(Slots.begin(), Slots.end(), Slot) - Slots.begin());
}

void Machine::callStack(ThreadId Id, std::vector<uint32_t> &Stack) const {
  const Standing Here = standing(*Threads[Id]);
  Stack.clear();
  if (Here.S.Depth > 0 && Here.Frames[0].CallPc) // the end of the process, called for by a function that is over
    Stack.push_back(Here.Frames[0].CallPc);
  for (uint32_t Depth = 1; Depth < Here.S.Depth; ++Depth) {
    if (Depth > OutermostCalls && Here.S.Depth > OutermostCalls + InnermostCalls + 2 &&
        Stack.size() == OutermostCalls) {
      Stack.push_back(CallsLeftOut);
      Depth = Here.S.Depth - InnermostCalls;
    }
    Stack.push_back(Here.Frames[Depth].CallPc);
  }
  Stack.push_back(Here.S.Pc);
}

} // namespace picket
