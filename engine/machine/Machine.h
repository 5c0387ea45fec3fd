// The machine executes the threads of a Program, each up to its next visible operation: a thread runs straight through
// its local instructions and stops in front of that operation; whoever schedules decides when it happens and with which
// result (resume). The machine knows no memory model, and nothing here depends on the order in which threads are run.
//
// The class is a front over the classes of MachineParts, which do what it offers. It is large because it is all that
// explorers, memory models and recorders have to know of them; most of its members are one line.
#pragma once

#include "machine/MachineParts.h"

namespace picket {

class Interpreter;

class Machine {
public:
  static constexpr uint64_t BytesPerThread = 16 << 10; // of registers, frames and stack, if little is used of them

  using Access = AccessedBytes;
  using Visibility = picket::Visibility;
  using UnwrittenRead = picket::UnwrittenRead;

  Machine(const Program &Prog, Sharing &Shared, const MachineOptions &Options) : Parts(Prog, Shared, Options) {}

  /// Runs the constructors and `main` to the first visible operation. May throw MachineStop, like resume. Called again,
  /// it begins anew, which can come out differently: another operation may be visible by now.
  void start();

  // Threads and their operations.

  uint32_t numThreads() const { return Parts.Threads.size(); }
  bool exists(ThreadId T) const { return Parts.Threads.exists(T); }
  ThreadStatus status(ThreadId T) const { return now(T).Status; }
  const Operation &pending(ThreadId T) const { return now(T).Pending; }
  uint32_t pc(ThreadId T) const { return now(T).Pc; }
  /// How many visible operations the thread has done: with the thread, the identity of its next one.
  uint32_t operations(ThreadId T) const { return now(T).Operations; }
  bool isFinished(ThreadId T) const { return now(T).Status == ThreadStatus::Finished; }
  /// Spinning, Cut: which loop.
  uint32_t loopOfSpin(ThreadId T) const { return now(T).LoopIndex; }
  /// No other thread runs, and none is left to be joined.
  bool alone() const { return Parts.Threads.alone(); }
  /// Whether some thread has ended the process. What others do besides is then what they could have done before, and
  /// whoever waits does not wait in vain: see docs/exploration.md.
  bool hasEnded() const { return Parts.Threads.anyExited(); }

  /// Completes the pending operation of T with what it read (Load, Rmw, CmpXchg: the old value; Sync: its result) and
  /// runs T on. `Changed`: the operation changed what is in memory.
  void resume(ThreadId T, uint64_t Value, uint64_t Value2, bool Changed);
  /// Completes the pending Join of T: the thread it waits for has ended.
  void completeJoin(ThreadId T);
  /// Runs the pending Atomic section of T. False if something in it has to wait; the caller then takes it back.
  /// Its accesses are in atomicAccesses() until the next section.
  bool runAtomic(ThreadId T);
  const std::vector<Access> &atomicAccesses() const { return Parts.Section.Accesses; }
  /// Ends the heap block of a pending Free (or moves it, for realloc) and runs T on.
  void completeFree(ThreadId T);
  /// The local variables that a pending End ends.
  std::vector<Access> pendingEnds(ThreadId T) const;
  /// Ends them and runs T on.
  void completeEnd(ThreadId T);
  /// Whether completing the pending access of T with these values would only lead back to the head of its spin loop.
  /// Changes nothing that can be seen.
  bool probeSpins(ThreadId T, uint64_t Value, uint64_t Value2, bool Changed);
  /// Takes the back edge of the spin loop in which T is Spinning, as the program itself would.
  void spinOn(ThreadId T);

  /// An operation of T that was completed elsewhere has changed memory.
  void countEffect(ThreadId T) {
    uint32_t &Effects = Parts.Threads[T].State.Effects;
    Parts.Undo.save(Effects);
    ++Effects;
  }

  /// What is known of the pending operation of T.
  Visibility visibility(ThreadId T) const {
    const ThreadState &S = now(T);
    return S.SeenWith == Parts.Shared.version() && S.Status == ThreadStatus::Ready && !Parts.Options.ShowAll
               ? S.Seen
               : Visibility::Unknown;
  }
  void noteVisibility(ThreadId T, Visibility How) {
    Parts.Threads[T].Now->Seen = How;
    Parts.Threads[T].Now->SeenWith = Parts.Shared.version();
  }

  // Going back.

  /// Makes T ready for what happens to it in this step, which can then be taken back.
  void save(ThreadId T) { Parts.Points.leave(Parts.Threads[T]); }
  /// Begins a step: what was saved for the one before does not count.
  void newStep() { Parts.Threads.newStep(); }
  UndoLog &undo() { return Parts.Undo; }

  // Bugs.

  const std::vector<BugReport> &bugs() const { return Parts.Bugs.all(); }
  void dropBugs(size_t Keep) { Parts.Bugs.drop(Keep); }
  const MachineOptions &options() const { return Parts.Options; }
  /// Whether a kind of bug is reported.
  bool checks(BugKind Kind) const { return Parts.Bugs.checks(Kind); }
  /// Records a bug that whoever explores has seen.
  void report(const BugReport &Seen) { Parts.Bugs.report(Seen); }
  /// Ends T with a bug at its pending operation if the access would be one now (the object may have died since).
  bool failsAccess(ThreadId T, Address A, uint32_t Size, bool Write);
  /// Records the bug of an access by an instruction of T, which may have gone on since.
  void reportAccess(ThreadId T, uint32_t Pc, Address A, uint32_t Size, bool Write);
  /// Ends T with the bug of an instruction that it may have gone on from since.
  void fail(ThreadId T, uint32_t Pc, BugKind Kind, std::string Message) { fail({Kind, T, Pc, std::move(Message)}); }
  void fail(BugReport New);
  /// Ends T with the bug that a synchronisation object found.
  void failSync(ThreadId T, const SyncResult &Misuse) { Parts.failSync(T, Misuse); }
  /// Records that T can never go on: a deadlock, or a spin loop without end. False: that is not looked for.
  bool reportStuck(ThreadId T, bool Deadlock) { return reportStuckAt(T, pc(T), Deadlock); }
  /// The same of an instruction that T stands at no more.
  bool reportStuckAt(ThreadId T, uint32_t Pc, bool Deadlock);
  /// The process has ended: records the heap blocks that were lost. False: there are none, or nobody asks.
  bool reportLeaks() { return Parts.Leaks.report(); }
  /// Whether a thread has ended in an error that is not reported.
  bool hasUncheckedError() const { return Parts.Process.hasUncheckedError(); }
  /// Whether some operation that is to fail for no reason (Program::Failures) has not done so.
  bool missesFailures() const { return Parts.Failures.areMissing(); }
  /// Reads of what nothing had written: all of this machine's so far.
  const std::vector<UnwrittenRead> &unwrittenReads() const { return Parts.Unwritten.all(); }
  /// Notes that the instruction at which T stands reads from an object. True: T ends with the bug that this is.
  bool noteRead(ThreadId T, const Object &O, Address Where, uint32_t Size) {
    return Parts.Unwritten.note(Parts.Threads[T], O, Where, Size);
  }

  /// Whether an instruction of the user's text that reads there reads what nothing has written.
  bool readsUnwritten(uint32_t Pc, const Object &O, Address Where, uint32_t Size) const {
    return Parts.Unwritten.isUnwritten(Pc, O, Where, Size);
  }

  // Threads that came into being in the last resume: parent and child, which inherits its creator's past.

  const std::vector<std::pair<ThreadId, ThreadId>> &created() const { return Parts.Threads.Created; }
  void clearCreated() { Parts.Threads.Created.clear(); }
  void setCreated(const std::vector<std::pair<ThreadId, ThreadId>> &Children) { Parts.Threads.Created = Children; }

  // Identities, which are the same in all executions.

  ThreadId parentOf(ThreadId T) const { return Parts.Threads[T].Parent; }
  /// A thread is the n-th child of the n-th child ... of main.
  std::vector<uint32_t> pathOf(ThreadId T) const { return Parts.Threads.pathOf(T); }
  /// Which allocation of its owner an object was, from 0. With the owner's path, its identity.
  uint32_t allocationIndex(ThreadId Owner, uint32_t Slot) const { return Parts.Threads.allocationIndex(Owner, Slot); }
  /// The call stack of its creator when T was created.
  const std::vector<uint32_t> &createdFrom(ThreadId T) const { return Parts.Threads[T].CreatedFrom; }
  /// "main", "worker", "worker#2"; stable over executions.
  std::string threadName(ThreadId T) const { return Parts.Threads.nameOf(T); }
  /// Call sites from the outermost to the innermost, ending with the thread's own pc.
  void callStack(ThreadId T, std::vector<uint32_t> &Stack) const { Parts.Threads.callStack(T, Stack); }
  std::vector<uint32_t> callStack(ThreadId T) const {
    std::vector<uint32_t> Stack;
    callStack(T, Stack);
    return Stack;
  }
  /// What a slot of the function a thread started with held when it returned. The thread must be finished.
  uint64_t finalSlot(ThreadId T, uint32_t Slot) const { return viewOf(Parts.Threads[T]).Registers[Slot]; }
  /// The numbers it has in common with other machines, if there are others.
  Identities *names() const { return Parts.Options.Names; }

  // What it was made with.

  const Program &program() const { return Parts.Prog; }
  Memory &memory() { return Parts.Mem; }
  const Memory &memory() const { return Parts.Mem; }
  Sharing &sharing() { return Parts.Shared; }
  unsigned unroll() const { return Parts.Options.Unroll; }
  bool comparesStates() const { return Parts.Options.comparesStates(); }
  bool stopsAtExit() const { return Parts.Options.StopAtExit; }
  bool quietAccesses() const { return Parts.Options.QuietAccesses && !Parts.Options.ShowAll; }
  void showAll(bool On) { Parts.Options.ShowAll = On; }
  /// Called now and then while a thread runs on and on. It may throw.
  /// Calls back when a thread gets a value from outside, for recordings; not in atomic sections, which run for a try, too.
  void onChoice(std::function<void(ThreadId, int64_t)> Hear) { Parts.OnChoice = std::move(Hear); }
  void watch(std::function<void()> Look) { Parts.WhileRunning = std::move(Look); }

  // Subjects of their own.

  /// How threads stand, for searches that compare states.
  StateDescription &states() { return Parts.States; }
  const StateDescription &states() const { return Parts.States; }
  /// Where states are compared: loops that threads went round or left since this was cleared.
  LoopLog &loops() { return Parts.Loops; }
  const LoopLog &loops() const { return Parts.Loops; }
  /// Memory that points of threads take up.
  uint64_t pointBytes() const { return Parts.Points.bytes(); }
  /// For interpreters.
  MachineParts &parts() { return Parts; }

private:
  const ThreadState &now(ThreadId T) const { return *Parts.Threads[T].Now; }
  template <typename Complete> void run(Thread &T, const ThreadOutcome &Came, Complete How);
  void runOn(Thread &T, const ThreadOutcome &Came);

  MachineParts Parts;
};

} // namespace picket
