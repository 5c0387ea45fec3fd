// The threads of a machine: their identities, how many there are, and how their frames and registers are pushed and
// saved.
#pragma once

#include "machine/Identities.h"
#include "machine/Thread.h"
#include "machine/UndoLog.h"

#include <cassert>
#include <memory>
#include <string>

namespace picket {

class ThreadTable {
public:
  /// ClearsRegisters: a new frame begins with zeros, so that equal threads have equal registers.
  ThreadTable(const Program &Prog, UndoLog &Undo, Identities *Names, bool ClearsRegisters)
      : Prog(Prog), Undo(Undo), Names(Names), ClearsRegisters(ClearsRegisters) {}

  uint32_t size() const { return static_cast<uint32_t>(Threads.size()); }
  Thread &operator[](ThreadId T) {
    assert(T < Threads.size());
    return *Threads[T];
  }
  const Thread &operator[](ThreadId T) const {
    assert(T < Threads.size());
    return *Threads[T];
  }
  auto begin() const { return Threads.begin(); }
  auto end() const { return Threads.end(); }
  bool exists(ThreadId T) const { return T < Threads.size() && Threads[T]->Now->Exists; }

  /// The first thread, ready to run the constructors. Called again, all threads begin anew and keep their identities.
  Thread &startMain(uint32_t Main);
  /// A new child that stands in front of its first instruction.
  ThreadId create(ThreadId Parent, uint32_t Function, uint64_t Argument);
  /// Target has ended, and a thread has waited for that.
  void join(Thread &Target);
  /// What is wrong with joining a thread; null if nothing is.
  const char *cannotJoin(ThreadId Target) const;

  /// Created and not yet joined.
  uint32_t numLive() const { return Live; }
  /// No other thread runs, and none is left to be joined.
  bool alone() const { return Live == 1; }
  /// How often a thread that was alone created another one.
  uint32_t concurrentPhases() const { return ConcurrentPhases; }
  /// Whether some thread has ended the process.
  bool anyExited() const;

  /// Parent and child of those that came into being since the list was cleared.
  std::vector<std::pair<ThreadId, ThreadId>> Created;

  // Frames and registers.

  void pushFrame(Thread &T, uint32_t Function, uint32_t CallPc);
  /// Begins a step: what was saved for the one before does not count.
  void newStep() { ++Step; }
  uint64_t step() const { return Step; }
  /// Saves T, which is at no point, so that whatever happens to it in this step can be taken back.
  void save(Thread &T) {
    assert(!T.isAtPoint());
    if (T.SavedInStep == Step)
      return;
    T.SavedInStep = Step;
    Undo.save(T.State);
    T.State.SavedDepth = T.State.Depth;
    if (T.State.Depth)
      saveFrame(T, T.State.Depth - 1);
  }
  void saveFrame(Thread &T, uint32_t Index);
  /// Registers of all frames.
  uint32_t numRegisters(const Thread &T, const ThreadState &S, const StackFrame *Frames) const;

  // Identities.

  /// A thread is the n-th child of the n-th child ... of main.
  std::vector<uint32_t> pathOf(ThreadId T) const;
  /// Which allocation of its owner an object was, from 0. With the owner's path, its identity.
  uint32_t allocationIndex(ThreadId Owner, uint32_t Slot) const;
  /// "main", "worker", "worker#2"; stable over executions.
  std::string nameOf(ThreadId T) const;
  /// Call sites from the outermost to the innermost, ending with the thread's own pc.
  void callStack(ThreadId T, std::vector<uint32_t> &Stack) const;

private:
  ThreadId childOf(ThreadId Parent, uint32_t Index);

  const Program &Prog;
  UndoLog &Undo;
  Identities *const Names;
  const bool ClearsRegisters;
  std::vector<std::unique_ptr<Thread>> Threads;
  uint32_t Live = 0;
  uint32_t ConcurrentPhases = 0;
  uint64_t Step = 1;
};

} // namespace picket
