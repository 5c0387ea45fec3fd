// How an execution ended: well, in a deadlock or endless loop, or in a way that says nothing about the program.
#include "memory/Configuration.h"

#include <utility>

namespace picket {

/// Whether the loop in which T waits goes round for ever if nobody changes memory any more. T may have begun an
/// iteration with values that have changed since, so it gets a whole iteration with what is there now. If that leads to
/// another loop, it is in front of that loop that T waits, in an execution in which it read what is there.
bool Configuration::spinsForever(ThreadId T) {
  Mark Before = mark();
  M.newStep();
  bool Forever = true;
  int32_t Head = 0;
  for (int Round = 0; Round < 2 && Forever; ++Round) {
    if (Round > 0)
      M.spinOn(T);
    while (M.status(T) == ThreadStatus::Ready && M.pending(T).MaySpin) {
      Operation Op = M.pending(T);
      if (Op.Kind == OperationKind::Fence) {
        M.resume(T, 0, 0, false);
        continue;
      }
      Object *O = M.memory().find(Op.Where);
      if (!O || O->Life != Lifetime::Alive)
        break;
      uint64_t Low, High;
      readFor(T, Op, Low, High, false);
      M.resume(T, Low, High, false);
    }
    Forever = M.status(T) == ThreadStatus::Spinning;
    if (!Forever)
      break;
    const int32_t Before = std::exchange(Head, M.program().Code[M.pc(T)].A);
    Forever = Round == 0 || Head == Before;
  }
  undoTo(Before);
  M.newStep();
  M.clearCreated();
  return Forever;
}

bool Configuration::anyUnfinished() const {
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    if (M.exists(T) && M.status(T) != ThreadStatus::Finished)
      return true;
  return false;
}

Ending Configuration::ending() {
  if (!M.bugs().empty())
    return Ending::Buggy;
  if (!anyUnfinished())
    return Ending::Complete;
  bool Cut = false, Given = false, Waits = false;
  ThreadId Hangs = ~0u, Locked = ~0u;
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    if (!M.exists(T))
      continue;
    switch (M.status(T)) {
    case ThreadStatus::Finished:
    case ThreadStatus::Failed: break;
    case ThreadStatus::Cut: Cut = true; break;
    case ThreadStatus::Assumed: Given = true; break;
    case ThreadStatus::Spinning: Hangs = T; break;
    case ThreadStatus::Ready:
      if (M.pending(T).Kind == OperationKind::Join) {
        Waits = true;
      } else if (M.pending(T).MaySpin) {
        if (spinsForever(T))
          Hangs = T;
        else
          Given = true;
      } else if (!M.exitCalled() || M.pending(T).Sync == SyncOp::MutexLock || M.pending(T).Sync == SyncOp::SpinLock) {
        // Once main has returned, whoever still waits for a signal or semaphore goes down with the process.
        if (Locked == ~0u || M.pending(Locked).Sync != SyncOp::MutexLock)
          Locked = T;
      }
      break;
    }
  }
  if (Cut)
    return Ending::Cut;
  if (Given)
    return Ending::Blocked;
  if (Locked != ~0u || Hangs != ~0u) {
    M.reportStuck(Locked != ~0u ? Locked : Hangs, Locked != ~0u);
    return Ending::Buggy;
  }
  if (Waits && !M.exitCalled()) { // threads that wait for each other's end
    for (ThreadId T = 0; T < M.numThreads(); ++T)
      if (M.exists(T) && M.status(T) == ThreadStatus::Ready) {
        M.reportStuck(T, true);
        return Ending::Buggy;
      }
  }
  return Ending::Complete;
}

} // namespace picket
