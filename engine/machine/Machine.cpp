#include "machine/Machine.h"

#include "machine/Interpreter.h"
#include "machine/LocalVariables.h"
#include "machine/Messages.h"

#include <algorithm>
#include <cstring>

namespace picket {

void stopUnsupported(ThreadId T, uint32_t Pc, const std::string &What) {
  throw MachineStop{MachineStop::Unsupported, Pc, T, What};
}

void stopAtLimit(ThreadId T, uint32_t Pc, const std::string &What) {
  throw MachineStop{MachineStop::Limit, Pc, T, What};
}

/// Points need threads that stop in front of operations, and states that are not compared.
static MachineOptions withoutPointsIfUseless(MachineOptions Options) {
  if (Options.Speculative || Options.Live)
    Options.Points = MachineOptions::Points::Off;
  return Options;
}

MachineParts::MachineParts(const Program &Prog, Sharing &Shared, const MachineOptions &Options)
    : Prog(Prog), Shared(Shared), Options(withoutPointsIfUseless(Options)),
      Threads(Prog, Undo, Options.Names, this->Options.Points != MachineOptions::Points::Off) {}

void MachineParts::failSync(ThreadId Id, const SyncResult &Misuse) {
  Thread &T = Threads[Id];
  if (!Misuse.BugKind)
    stopUnsupported(Id, T.Now->Pc, Misuse.Phrase);
  Points.leave(T);
  Bugs.add(*Misuse.BugKind, Id, T.State.Pc, Misuse.Phrase);
  ++T.State.Operations;
  T.fail();
}

void Machine::start() {
  const Program &P = Parts.Prog;
  if (numThreads() == 0) {
    for (uint32_t G = 0; G < P.Globals.size(); ++G)
      Parts.Mem.newSlot(); // G + 1, as Program.h promises
    Parts.Process.reserve();
  } else { // threads and objects keep their identities, and are no more
    Parts.Undo.setRecording(false);
    Parts.Undo.clear();
    Parts.Mem.clear();
    Parts.Points.clear();
    Parts.Bugs.drop(0);
  }
  for (uint32_t G = 0; G < P.Globals.size(); ++G) {
    const Global &Source = P.Globals[G];
    const uint32_t Slot = G + 1;
    if (Source.ThreadLocal)
      continue;
    Object &O = Parts.Mem.allocate(Slot, Source.Constant ? ObjectKind::Constant : ObjectKind::Global, Source.Size,
                                   Parts.Shared.siteOfGlobal(G), 0, 0);
    if (!Source.Initial.empty())
      std::memcpy(O.Data, Source.Initial.data(), Source.Initial.size());
  }
  Parts.Process.begin();
  Thread &Main = Parts.Threads.startMain(static_cast<uint32_t>(P.Main));
  Parts.NestedCreations = 0; // also if it was interrupted
  Parts.Effects.DependsOnOthers = false;
  Interpreter(Parts, 0).enterPhase();
  if (!Parts.Effects.DependsOnOthers)
    Parts.Points.rememberRoot(Main, 0);
}

/// Takes a thread on by running it: `How` completes its pending operation, and says whether it goes on.
template <typename Complete> void Machine::run(Thread &T, const ThreadOutcome &Came, Complete How) {
  ThreadPoint *From = T.isAtPoint() && Parts.Points.areUsed() ? static_cast<ThreadPoint *>(T.Now) : nullptr;
  Parts.Points.leave(T);
  const uint64_t Version = Parts.Shared.version(), Turns = Parts.Mem.turns();
  const size_t BugsBefore = bugs().size();
  Parts.Effects.begin();
  Interpreter I(Parts, T.Id);
  if (How(I))
    I.run();
  Parts.Effects.DoesMore |= Parts.Mem.turns() != Turns;
  if (From && !Parts.Effects.DependsOnOthers && bugs().size() == BugsBefore && !T.State.InAtomic &&
      Parts.Points.areUsed())
    Parts.Points.remember(T, *From, Came, Version);
}

void Machine::runOn(Thread &T, const ThreadOutcome &Came) {
  run(T, Came, [&](Interpreter &I) { return I.complete(Came.Value, Came.Value2, Came.Changed); });
}

void Machine::resume(ThreadId Id, uint64_t Value, uint64_t Value2, bool Changed) {
  Thread &T = Parts.Threads[Id];
  assert(T.Now->Exists && T.Now->Status == ThreadStatus::Ready && T.Now->Pending.Kind != OperationKind::None);
  const ThreadOutcome Came{Value, Value2, Changed};
  const bool MayFollow = T.isAtPoint() && Parts.Points.mayFollow();
  ThreadPoint *Next = MayFollow ? Parts.Points.findNext(*static_cast<ThreadPoint *>(T.Now), Came) : nullptr;
  if (!Next || Next->MustRun)
    return runOn(T, Came);
  for (uint32_t K = 0; K < Next->NumWrites; ++K) {
    const OwnWrite &W = Next->writes()[K];
    Parts.Mem.write(W.Where, W.Width, W.Value, W.Value2);
  }
  Parts.Undo.save(T.Now);
  T.Now = Next;
  ++T.reuseAt(*Next).Followed;
}

void Machine::completeJoin(ThreadId Id) {
  Thread &Target = Parts.Threads[static_cast<ThreadId>(pending(Id).Where)];
  if (const char *Misuse = Parts.Threads.cannotJoin(Target.Id)) {
    Thread &T = Parts.Threads[Id];
    Parts.Points.leave(T);
    Parts.Bugs.add(BugKind::BadSynchronisation, Id, pc(Id), Misuse);
    T.fail();
    return;
  }
  Parts.Threads.join(Target);
  resume(Id, Target.Now->Result, 0, true);
}

bool Machine::runAtomic(ThreadId T) {
  Parts.Section.Accesses.clear();
  Parts.Section.IsBlocked = false;
  save(T);
  Parts.Threads[T].State.InAtomic = true;
  resume(T, 0, 0, true);
  return !Parts.Section.IsBlocked;
}

void Machine::completeFree(ThreadId T) {
  run(Parts.Threads[T], {0, 0, true}, [](Interpreter &I) { return I.completeFree(); });
}

std::vector<Machine::Access> Machine::pendingEnds(ThreadId Id) const {
  const Thread &T = Parts.Threads[Id];
  std::vector<Access> Ends;
  findSeenEnds(Parts.Prog, Parts.Mem, Parts.Shared, T, viewOf(T), Ends);
  return Ends;
}

void Machine::completeEnd(ThreadId T) {
  run(Parts.Threads[T], {0, 0, true}, [](Interpreter &I) { return I.completeEnd(); });
}

void Machine::spinOn(ThreadId T) {
  assert(status(T) == ThreadStatus::Spinning || status(T) == ThreadStatus::Endless);
  save(T);
  Interpreter I(Parts, T);
  I.goToLoopHead();
  I.run();
}

bool Machine::probeSpins(ThreadId Id, uint64_t Value, uint64_t Value2, bool Changed) {
  Thread &T = Parts.Threads[Id];
  ThreadState &Known = *T.Now;
  if (Known.Probed && Known.ProbeValue == Value && Known.ProbeValue2 == Value2)
    return Known.ProbeSpins;
  UndoLog &Undo = Parts.Undo;
  const bool WasRecording = Undo.recording();
  const UndoLog::Mark Before = Undo.mark();
  const size_t BugsBefore = bugs().size(), CreatedBefore = created().size(), LoopsBefore = loops().events().size();
  Undo.setRecording(true);
  Parts.Effects.Probing = true;
  newStep();
  const ThreadState &S = T.State;
  resume(Id, Value, Value2, Changed);
  constexpr uint32_t FencesBetweenLooks = 10'000;
  for (uint32_t Fences = 1;
       S.Status == ThreadStatus::Ready && S.Pending.Kind == OperationKind::Fence && S.Pending.MaySpin; ++Fences) {
    resume(Id, 0, 0, false);
    if (Fences % FencesBetweenLooks == 0 && Parts.WhileRunning)
      Parts.WhileRunning();
  }
  const bool Spins = S.Status == ThreadStatus::Spinning;
  Parts.Effects.Probing = false;
  Undo.undoTo(Before);
  Undo.setRecording(WasRecording);
  newStep();
  dropBugs(BugsBefore);
  Parts.Threads.Created.resize(CreatedBefore);
  Parts.Loops.drop(LoopsBefore);
  Known.Probed = true;
  Known.ProbeSpins = Spins;
  Known.ProbeValue = Value;
  Known.ProbeValue2 = Value2;
  return Spins;
}

void Machine::fail(BugReport New) {
  const ThreadId T = New.Thread;
  save(T);
  Parts.Bugs.add(std::move(New));
  Parts.Threads[T].State.Status = ThreadStatus::Failed;
}

bool Machine::failsAccess(ThreadId Id, Address A, uint32_t Size, bool Write) {
  const Object *O = Parts.Mem.find(A);
  if (O && O->Life == Lifetime::Alive && Memory::inBounds(*O, A, Size))
    return false;
  reportAccess(Id, pc(Id), A, Size, Write);
  Thread &T = Parts.Threads[Id];
  Parts.Points.leave(T);
  ++T.State.Operations;
  T.fail();
  return true;
}

void Machine::reportAccess(ThreadId T, uint32_t Pc, Address A, uint32_t Size, bool Write) {
  auto [Kind, Message] = describeBadAccess(Parts.Prog, Parts.Mem, A, Size, Write);
  Parts.Bugs.add(Kind, T, Pc, std::move(Message));
}

bool Machine::reportStuckAt(ThreadId T, uint32_t Pc, bool Deadlock) {
  const BugKind Kind = Deadlock ? BugKind::Deadlock : BugKind::Hang;
  if (!checks(Kind))
    return false;
  report({Kind, T, Pc,
          Deadlock ? describeDeadlock(Parts.Prog, Parts.Mem, Parts.Threads)
                   : "the loop never ends: no other thread is left that could change what it waits for"});
  return true;
}

} // namespace picket
