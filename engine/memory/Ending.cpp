// How an execution ended: well, in a deadlock or endless loop, or in a way that says nothing about the program.
#include "memory/ChangesMemory.h"
#include "memory/Configuration.h"

#include <utility>

namespace picket {

/// Whether the loop in which T waits goes round for ever if nobody changes memory any more. T may have begun an
/// iteration with values that have changed since, so it gets a whole iteration with what is there now. If that leads to
/// another loop, it is in front of that loop that T waits, in an execution in which it read what is there. There may be
/// a loop inside that does not end, either.
Configuration::Waiting Configuration::spinsForever(ThreadId T) {
  Mark Before = mark();
  TheMachine.newStep();
  Waiting Result = Waiting::Forever;
  int32_t Head = 0;
  for (int Round = 0; Round < 2 && Result == Waiting::Forever; ++Round) {
    if (Round > 0)
      TheMachine.spinOn(T);
    // Where loops have no bound: how the thread stood at an earlier access, and how many there were since (Brent).
    std::string Then, Now;
    uint64_t Reads = 0, NextSample = 1;
    bool Circles = false;
    while (!Circles && TheMachine.status(T) == ThreadStatus::Ready && TheMachine.pending(T).MaySpin) {
      Operation Op = TheMachine.pending(T);
      if (Op.Kind == OperationKind::Fence) {
        TheMachine.resume(T, 0, 0, false);
        continue;
      }
      Object *O = TheMachine.memory().find(Op.Where);
      if (!O || O->Life != Lifetime::Alive)
        break;
      if (TheMachine.comparesStates()) {
        Now.clear();
        TheMachine.states().describe(T, Now);
        Circles = Now == Then;
        if (++Reads == NextSample) {
          Then.swap(Now);
          NextSample *= 2;
        }
      }
      uint64_t Low, High;
      readFor(T, Op, Low, High, false);
      if (changesMemory(Op, Low, High)) // it does not wait: a lock is free by now, say
        break;
      TheMachine.resume(T, Low, High, false);
      countQuiet();
    }
    if (Circles)
      break;
    if (TheMachine.status(T) == ThreadStatus::Cut)
      Result = Waiting::NotKnown;
    else if (TheMachine.status(T) != ThreadStatus::Spinning && TheMachine.status(T) != ThreadStatus::Endless)
      Result = Waiting::NotForever;
    if (TheMachine.status(T) != ThreadStatus::Spinning)
      break;
    const int32_t Before = std::exchange(Head, TheMachine.program().Code[TheMachine.pc(T)].A);
    if (Round > 0 && Head != Before)
      Result = Waiting::NotForever;
  }
  undoTo(Before);
  TheMachine.newStep();
  TheMachine.clearCreated();
  return Result;
}

bool Configuration::anyUnfinished() const {
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T)
    if (TheMachine.exists(T) && TheMachine.status(T) != ThreadStatus::Finished &&
        TheMachine.status(T) != ThreadStatus::Exited)
      return true;
  return false;
}

Ending Configuration::ending() {
  if (TheMachine.missesFailures())
    return Ending::Blocked;
  const Ending How = endingOfThreads();
  return How == Ending::Complete && TheMachine.reportLeaks() ? Ending::Buggy : How;
}

Ending Configuration::endingOfThreads() {
  if (!TheMachine.bugs().empty())
    return Ending::Buggy;
  if (TheMachine.hasUncheckedError()) // whoever waits might not, had the process not ended there
    return Ending::Unchecked;
  if (!anyUnfinished())
    return Ending::Complete;
  bool Cut = false, Given = false, Waits = false;
  ThreadId Hangs = ~0u, Locked = ~0u;
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T) {
    if (!TheMachine.exists(T))
      continue;
    switch (TheMachine.status(T)) {
    case ThreadStatus::Finished:
    case ThreadStatus::Exited:
    case ThreadStatus::Failed: break;
    case ThreadStatus::Cut: Cut = true; break;
    case ThreadStatus::Assumed: Given = true; break;
    case ThreadStatus::Spinning:
    case ThreadStatus::Endless: Hangs = T; break;
    case ThreadStatus::Ready:
      if (TheMachine.pending(T).Kind == OperationKind::Join) {
        Waits = true;
      } else if (TheMachine.pending(T).MaySpin) {
        switch (spinsForever(T)) {
        case Waiting::Forever: Hangs = T; break;
        case Waiting::NotForever: Given = true; break;
        case Waiting::NotKnown: Cut = true; break;
        }
      } else {
        if (Locked == ~0u || TheMachine.pending(Locked).Sync != SyncOp::MutexLock)
          Locked = T;
      }
      break;
    }
  }
  if (Cut)
    return Ending::Cut;
  if (Given)
    return Ending::Blocked;
  if (TheMachine.hasEnded()) // whoever still waits goes down with the process
    return Ending::Complete;
  if (Locked != ~0u || Hangs != ~0u) {
    const bool IsDeadlock = Locked != ~0u && (Hangs == ~0u || TheMachine.checks(BugKind::Deadlock));
    return TheMachine.reportStuck(IsDeadlock ? Locked : Hangs, IsDeadlock) ? Ending::Buggy : Ending::Blocked;
  }
  if (Waits) { // threads that wait for each other's end
    for (ThreadId T = 0; T < TheMachine.numThreads(); ++T)
      if (TheMachine.exists(T) && TheMachine.status(T) == ThreadStatus::Ready)
        return TheMachine.reportStuck(T, true) ? Ending::Buggy : Ending::Blocked;
  }
  return Ending::Complete;
}

} // namespace picket
