#include "trace/Recorder.h"

#include "memory/ChangesMemory.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <map>

namespace picket {

Recorder::Recorder(Configuration &C) : Config(C), Mach(C.machine()), Into(Mach) {
  Mach.onChoice([this](ThreadId T, int64_t Value) {
    if (!Mach.undo().recording()) {
      const auto &Created = Mach.created();
      const auto Children =
          std::count_if(Created.begin(), Created.end(), [T](const auto &Pair) { return Pair.first == T; });
      AtStart.push_back({T, static_cast<uint32_t>(Children), Value, Mach.callStack(T)});
    } else if (!Trying && !Starting) {
      add(EventKind::Choice, T, Mach.callStack(T)).What = "chooses " + std::to_string(Value);
    }
  });
}

Recorder::~Recorder() { Mach.onChoice({}); }

void Recorder::begin() {
  Into.clear();
  FailedAccess.clear();
  Entries.clear();
  LastStore.clear();
  if (Mach.program().Chooses) { // starting over does not run again what ran before the first step
    AtStart.clear();
    Starting = true;
    Config.startAnew();
    Starting = false;
    addChoicesOfStart(0, 0);
  }
  Config.startOver(this);
  AtStart.clear();
  Children.clear();
}

/// The choices that a thread made before the first step, when it had so many children.
void Recorder::addChoicesOfStart(ThreadId T, uint32_t HadChildren) {
  for (const StartChoice &C : AtStart)
    if (C.Thread == T && C.Children == HadChildren)
      add(EventKind::Choice, T, C.Stack).What = "chooses " + std::to_string(C.Value);
}

TraceEvent &Recorder::add(EventKind Kind, ThreadId T, const std::vector<uint32_t> &Stack) {
  TraceEvent &E = Into.add(Kind, T, Stack);
  if (T >= Entries.size()) {
    Entries.resize(T + 1);
    LastStore.resize(T + 1, NoEvent);
  }
  return E;
}

void Recorder::stored(ThreadId T, uint32_t Entry) {
  if (Trying)
    return;
  const Operation &Op = Mach.pending(T);
  TraceAccess A = Into.access(Op.Where, Op.Width, true, Op.Value, Op.Value2);
  TraceEvent &E = add(EventKind::Store, T, Mach.callStack(T));
  E.Accesses = {A};
  E.Ordering = nameOf(Op.Ordering);
  E.StoreBarrier = Config.buffering() == Buffering::PerLocation && Op.Ordering >= Order::Release;
  auto Id = static_cast<uint32_t>(Into.Events.size() - 1);
  if (Entry >= Entries[T].size())
    Entries[T].resize(Entry + 1, NoEvent);
  Entries[T][Entry] = LastStore[T] = Id;
}

void Recorder::fenced(ThreadId T, const Operation *Fence) {
  if (Trying || (Fence && Fence->Kind == OperationKind::Drain))
    return; // part of creating a thread, which is an event of its own
  TraceEvent &E = Fence || LastStore[T] == NoEvent ? add(EventKind::Fence, T, Mach.callStack(T))
                                                   : add(EventKind::Fence, T, Into.Stacks[LastStore[T]]);
  E.FullFence = !Fence || Fence->Fence == FenceKind::Full;
  E.StoreBarrier = Fence && Config.buffering() == Buffering::PerLocation && Fence->Fence != FenceKind::Acquire &&
                   Fence->Fence != FenceKind::ISync;
  if (Fence && !Fence->isFenceOfAccess())
    E.What = fenceText(Fence->Fence);
  else if (Fence && Mach.program().Code[Mach.pc(T)].Op != Opcode::Store)
    E.What = "fence of the read-modify-write";
  else
    E.What = E.FullFence ? "fence of the seq_cst store" : "fence of the release store";
}

void Recorder::joined(ThreadId T, ThreadId Ended) {
  if (Trying)
    return;
  TraceEvent &E = add(EventKind::Join, T, Mach.callStack(T));
  E.Other = Ended;
  E.FullFence = true;
}

void Recorder::created(ThreadId Parent, ThreadId Child) {
  if (Trying)
    return;
  TraceEvent &E = add(EventKind::Create, Parent, Mach.createdFrom(Child));
  E.Other = Child;
  E.FullFence = true;
  if (AtStart.empty())
    return;
  addChoicesOfStart(Parent, ++Children[Parent]);
  addChoicesOfStart(Child, 0);
}

void Recorder::step(ProcessId Process) {
  if (Config.isUpdate(Process))
    stepUpdate(Process);
  else
    stepThread(Config.threadOf(Process), Process);
}

/// Writes down that a store reaches memory.
void Recorder::land(uint32_t Store) {
  auto Stack = Into.Stacks[Store];
  TraceEvent &E = add(EventKind::Update, Into.Events[Store].Thread, Stack);
  E.Accesses = Into.Events[Store].Accesses;
  E.Partner = Store;
  Into.Events[Store].Partner = static_cast<uint32_t>(Into.Events.size() - 1);
}

void Recorder::stepUpdate(ProcessId Process) {
  land(Entries[Config.threadOf(Process)][Config.nextEntry(Process)]);
  const size_t Bugs = Mach.bugs().size();
  const auto Here = static_cast<uint32_t>(Into.Events.size());
  Config.step(Process);
  if (Mach.bugs().size() > Bugs)
    LandedTooLate.emplace_back(Bugs, Here);
}

void Recorder::stepThread(ThreadId T, ProcessId Process) {
  const Operation Op = Mach.pending(T);
  if (Op.Kind == OperationKind::Yield) {
    Config.step(Process);
    return;
  }
  if (Op.Kind == OperationKind::Fence || Op.Kind == OperationKind::Drain) { // takes a step where states are compared
    // A relaxed read-modify-write of the thread's own memory waits for nothing, and is no fence where it takes no step.
    const bool WaitsForNothing = Op.isFenceOfAccess() && Op.Fence == FenceKind::Full && !Config.drainsBefore(Op);
    if (Config.buffering() != Buffering::None && !WaitsForNothing)
      fenced(T, &Op);
    Config.step(Process);
    return;
  }
  auto Id = static_cast<uint32_t>(Into.Events.size());
  std::vector<TraceAccess> Accesses;
  const Object *O =
      Op.Kind == OperationKind::Atomic || Op.Kind == OperationKind::End ? nullptr : Mach.memory().find(Op.Where);
  bool Alive = O && O->Life == Lifetime::Alive;
  EventKind Kind = EventKind::Load;
  uint64_t Low = 0, High = 0;
  switch (Op.Kind) {
  case OperationKind::Load:
    if (Alive)
      Config.valueFor(T, Op, Low, High);
    Accesses.push_back(Into.access(Op.Where, Op.Width, false, Low, High));
    break;
  case OperationKind::Store: // reaches memory immediately
    Kind = EventKind::Store;
    Accesses.push_back(Into.access(Op.Where, Op.Width, true, Op.Value, Op.Value2));
    break;
  case OperationKind::Rmw:
  case OperationKind::CmpXchg:
    Kind = EventKind::Rmw;
    if (Alive)
      Memory::readWords(Mach.memory().bytes(Op.Where), Op.Width, Low, High);
    Accesses.push_back(Into.access(Op.Where, Op.Width, false, Low, High));
    if (Op.Kind == OperationKind::Rmw || (findsExpected(Op, Low, High) && !Op.Fails)) {
      uint64_t NewLow = Low, NewHigh = High;
      updateWord(Op, NewLow, NewHigh);
      Accesses.push_back(Into.access(Op.Where, Op.Width, true, NewLow, NewHigh));
    }
    break;
  case OperationKind::Sync:
    Kind = EventKind::Sync;
    Accesses.push_back(Into.access(Op.Where, sizeOf(Op.Sync), true, 0, 0));
    break;
  case OperationKind::Free:
    Kind = EventKind::Free;
    Accesses.push_back(Into.access(Op.Where, O->Size, true, 0, 0));
    break;
  case OperationKind::End: // of local variables that others can see
    Kind = EventKind::Free;
    for (const Machine::Access &A : Mach.pendingEnds(T))
      Accesses.push_back(Into.access(A.Where, A.Size, true, 0, 0));
    break;
  default:
    Kind = EventKind::Atomic;
    Accesses = accessesOfSection(Process);
    break;
  }
  TraceEvent &E = add(Kind, T, Mach.callStack(T));
  E.Accesses = std::move(Accesses);
  E.FullFence = Kind == EventKind::Sync || Op.Kind == OperationKind::Free || Kind == EventKind::Atomic ||
                (Kind == EventKind::Rmw && Config.drainsBefore(Op));
  if (E.isAccess())
    E.Ordering = nameOf(Op.Ordering);
  if (Kind == EventKind::Load)
    E.Forwarded = Config.readsOwnBuffer(T, Op);
  if (Op.Kind == OperationKind::End)
    E.What = "ends the lifetime of";
  if (Op.Fails && findsExpected(Op, Low, High))
    E.What = FailsForNoReason;
  if (Kind == EventKind::Sync)
    E.Action = syncActionOf(Op.Sync, Alive ? Mach.memory().bytes(Op.Where) : nullptr, T, Op.Value);
  Config.step(Process);
  bool Failed = Mach.status(T) == ThreadStatus::Failed && !Mach.bugs().empty() && Mach.bugs().back().Thread == T;
  if (Failed && Kind != EventKind::Atomic && Mach.bugs().back().Pc == Into.Stacks[Id].back()) {
    // It did not happen: it is the bug.
    FailedAccess = std::move(Into.Events[Id].Accesses);
    FailedAccess.resize(1);
    FailedAccess[0].Write = false;
    Into.Events.resize(Id);
    Into.Stacks.resize(Id);
    return;
  }
  if (Kind == EventKind::Atomic)
    for (TraceAccess &A : Into.Events[Id].Accesses)
      if (A.Write && Into.Variables[A.Variable].Size <= 16)
        Into.readMemory(Into.Variables[A.Variable], A.Low, A.High);
}

/// What an atomic section reads from others and what it writes. That is known once it has run: it runs twice.
std::vector<TraceAccess> Recorder::accessesOfSection(ProcessId Process) {
  Configuration::Mark Before = Config.mark();
  Trying = true;
  Config.step(Process);
  const std::vector<MemoryAccess> Touched(Config.accesses().begin(), Config.accesses().end());
  Config.undoTo(Before);
  Mach.newStep();
  Mach.clearCreated();
  Trying = false;

  std::vector<TraceAccess> Reads, Writes;
  auto Known = [&](const std::vector<TraceAccess> &In, uint32_t V) {
    return std::any_of(In.begin(), In.end(), [&](const TraceAccess &A) { return A.Variable == V; });
  };
  for (const MemoryAccess &A : Touched) {
    uint32_t V = Into.variable(A.Where, A.Size);
    if (Known(Writes, V) || (!A.Write && Known(Reads, V)))
      continue; // read from itself, or read before
    TraceAccess &New = (A.Write ? Writes : Reads).emplace_back();
    New.Variable = V;
    New.Write = A.Write;
    if (!A.Write && A.Size <= 16)
      Into.readMemory(Into.Variables[V], New.Low, New.High);
  }
  Reads.insert(Reads.end(), Writes.begin(), Writes.end());
  return Reads;
}

Recording Recorder::finish(const BugReport *Bug) {
  // A thread can have gone on, and have been joined, as soon as the last of its stores has landed: after the bug.
  for (auto [Number, Event] : LandedTooLate)
    if (Bug == &Mach.bugs()[Number]) {
      Into.Events.resize(Event);
      Into.Stacks.resize(Event);
      for (TraceEvent &E : Into.Events)
        if (E.Kind == EventKind::Store && E.Partner != NoEvent && E.Partner >= Event)
          E.Partner = NoEvent;
    }
  if (Bug)
    Into.addBug(*Bug, FailedAccess);
  for (uint32_t K = 0, End = static_cast<uint32_t>(Into.Events.size()); K < End; ++K)
    if (Into.Events[K].Kind == EventKind::Store && Into.Events[K].Partner == NoEvent &&
        Config.buffering() != Buffering::None)
      land(K);
  return Into.finish(Config.model());
}

namespace {

/// Runs an execution again with more accesses shown than the exploration saw. Those it did not see happen as soon as
/// they can, which is when they happened there.
class Rerun {
public:
  Rerun(Configuration &C, Recorder &Into, const Sharing &Explored)
      : Config(C), Mach(C.machine()), Into(Into), Explored(Explored) {}

  /// False: it does not happen again. `Wanted` becomes the machine's own report of that bug.
  bool run(const std::vector<ProcessId> &Schedule, const BugReport *&Wanted) {
    Into.begin();
    if (Wanted && Wanted->GoesRound)
      Livelock = Wanted;
    bool GoesOn = passUnseen();
    for (ProcessId P : Schedule) {
      if (find(Wanted))
        return true;
      if (CameRound)
        break;
      if (!GoesOn || !Config.isEnabled(P))
        return false;
      Into.step(P);
      GoesOn = passUnseen();
    }
    if (!Wanted || find(Wanted))
      return true;
    if (Wanted->GoesRound)
      Mach.report(BugReport(*Wanted));
    else
      Config.ending();
    return find(Wanted);
  }

private:
  bool find(const BugReport *&Wanted) const {
    for (const BugReport &B : Mach.bugs())
      if (Wanted && B.Kind == Wanted->Kind && B.Thread == Wanted->Thread && B.Pc == Wanted->Pc) {
        Wanted = &B;
        return true;
      }
    return false;
  }

  /// Whether the exploration did not see the pending access of T as a step.
  bool unseen(ThreadId T) {
    const Operation &Op = Mach.pending(T);
    if (Op.Kind != OperationKind::Load && Op.Kind != OperationKind::Store && Op.Kind != OperationKind::Rmw &&
        Op.Kind != OperationKind::CmpXchg)
      return false;
    if (Op.Fails) // always a step
      return false;
    const Object *O = Mach.memory().find(Op.Where);
    return Mach.alone() || !Explored.isShared(O->Site) || Config.isQuiet(T, Explored);
  }
  bool unseenStore(ThreadId T, const StoreBuffer::Entry &E) {
    const Object *O = Mach.memory().find(E.Where);
    return !Explored.isShared(O->Site) || Explored.writesOnlyOwn(E.Where, E.Width, T);
  }

  /// False: a thread repeats a loop of its own forever.
  bool passUnseen() {
    constexpr uint32_t MaxUnseen = 200'000, ManyRounds = 20;
    for (bool Again = true; Again;) {
      Again = false;
      for (ThreadId T = 0; T < Mach.numThreads(); ++T) {
        if (!Mach.exists(T))
          continue;
        std::vector<ProcessId> Updates = Config.updatesOf(T);
        for (ProcessId P : Updates)
          while (Unseen < MaxUnseen && Config.isEnabled(P) &&
                 (Mach.alone() || unseenStore(T, Config.bufferEntry(T, Config.nextEntry(P))))) {
            Into.step(P);
            ++Unseen;
            Again = true;
          }
        while (Unseen < MaxUnseen && Mach.status(T) == ThreadStatus::Ready && unseen(T) &&
               Config.isEnabled(Config.processOf(T))) {
          if (Livelock && T == Livelock->Thread && ++Passed[Mach.pc(T)] > ManyRounds) { // a loop of its own
            CameRound = true;
            return true;
          }
          Into.step(Config.processOf(T));
          ++Unseen;
          Again = true;
        }
      }
    }
    return Unseen < MaxUnseen;
  }

  Configuration &Config;
  Machine &Mach;
  Recorder &Into;
  Sharing Explored; // its own copy: what the exploration knew
  uint32_t Unseen = 0;
  const BugReport *Livelock = nullptr; // that is to be shown
  std::map<uint32_t, uint32_t> Passed; // per instruction, of its thread
  bool CameRound = false;
};

} // namespace

std::optional<Recording> record(Configuration &C, const std::vector<ProcessId> &Schedule, const BugReport *Bug) {
  Machine &M = C.machine();
  Recorder Into(C);
  const Sharing Explored = M.sharing();
  std::optional<Recording> Result;
  bool Anew = false;
  for (;; Anew = true) {
    const BugReport *Found = Bug;
    bool Happened = false;
    try {
      Happened = Rerun(C, Into, Explored).run(Schedule, Found);
    } catch (const MachineStop &) { // a limit: there is nothing to show
    }
    if (!M.sharing().changed()) {
      if (Happened)
        Result = Into.finish(Found);
      break;
    }
    // Showing more accesses can show more sharing (main reads what a thread that has ended left), and so more events:
    // also of threads that main starts before anything is an event.
    M.sharing().takeChanged();
    C.startAnew();
  }
  M.sharing() = Explored; // for the next one
  if (Anew)
    C.startAnew();
  else
    C.startOver(nullptr);
  return Result;
}

} // namespace picket
