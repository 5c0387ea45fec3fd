// The ending of a run on an execution graph in which nothing is left to be committed: which threads wait, and whether
// for ever. A part of GraphWalk.cpp: not for others to include.
#pragma once

#include "explore/GraphWalk.h"

namespace picket {

/// The first load of a thread that may wait and can be committed.
template <unsigned Words> EventId GraphWalk<Words>::nextWaitOf(ThreadId T) {
  EventId Found = NoEvent;
  auto Check = [&](EventId E) {
    if (Found == NoEvent && Graph[E].Thread == T && !Graph.Committed.contains(E) && !Graph[E].IsWrite &&
        Flow.mayWait(E) && isEnabled(E))
      Found = E;
  };
  if constexpr (IsLarge)
    (Flow.fetchedBy(T) - Graph.Committed).forEach(Check);
  else
    for (EventId E = 0; E < Graph.size() && Found == NoEvent; ++E)
      Check(E);
  return Found;
}

template <unsigned Words> bool GraphWalk<Words>::canGoOn(EventId Waiting) {
  std::vector<EventId> Sources = Graph.Locations[locationOf(Waiting)].Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  const bool More = hasMore(Waiting);
  for (size_t K = oldestFor(Waiting); K < Sources.size(); ++K) {
    bool Goes = !More;
    if (withRead(Waiting, Sources[K], ~0u, [&] { Goes = Goes || canGoOn(Waiting); }) && Goes)
      return true;
  }
  return false;
}

/// The thread may have begun its iteration with values that others have since replaced, so it gets a whole one with the
/// latest, which must lead back to the same head. Loops may be inside each other and have several ways round, but the
/// thread must have been in this one all the time. If it leads elsewhere, it is there that the thread waits, in a run
/// in which it read what is latest.
template <unsigned Words> bool GraphWalk<Words>::spinsForEver(EventId Load, std::vector<SpinRead> *SpinReads) {
  const ThreadId T = Graph[Load].Thread;
  StepScope Here(*this);
  auto Before = Flow.mark();
  std::vector<EventId> Reads;
  std::set<int32_t> Entered;
  Flow.watchLoops(T, &Entered);
  bool Forever = false;
  int32_t Head = -1; // once it has come back to one
  while (Load != NoEvent) {
    bool HasEnded = false; // a use of memory that has ended
    EventId Latest = NoEvent;
    for (uint32_t K = 0; K < Graph[Load].NumCells && !HasEnded; ++K) {
      const auto &Coherence = Graph.Locations[Graph.cell(Load, K).Location].Coherence;
      Latest = Coherence.empty() ? NoEvent : Coherence.back();
      HasEnded = Latest != NoEvent && Graph[Latest].Ends;
      if (!HasEnded && K + 1 < Graph[Load].NumCells)
        Graph.choose(Load, Latest);
    }
    if (HasEnded) {
      Graph[Load].Chosen = 0;
      break;
    }
    if (SpinReads)
      SpinReads->push_back({Graph[Load].Pc, Graph[Load].Location});
    Graph[Load].Past = pastOf(Load, Latest);
    Graph.commitRead(Load, Latest);
    if (Graph.isSplit(Load))
      Graph[Load].Value = Flow.joined(Load);
    this->extend(Load);
    Update Done;
    if (Graph[Load].OfUpdate && !placeUpdate(Load, Latest, Done)) {
      Graph.uncommitRead(Load);
      Graph[Load].Chosen = 0;
      break;
    }
    if (Graph[Load].OfUpdate)
      Flow.noteUpdate(Load, Done);
    Reads.push_back(Load);
    Flow.fetch();
    if (Flow.isSpinning(T)) {
      const Instruction &Back = TheMachine.program().Code[TheMachine.pc(T)];
      const int32_t Last = std::exchange(Head, Back.A);
      Forever = Last == Head && !Entered.count(Back.Dst);
      if (Last != -1 || Entered.count(Back.Dst))
        break;
      Flow.goRound(T);
      Flow.fetch();
    }
    Load = nextWaitOf(T);
  }
  Flow.watchLoops(T, nullptr);
  while (!Reads.empty()) {
    takeBack(Reads.back());
    Graph[Reads.back()].Chosen = 0;
    Reads.pop_back();
  }
  Flow.undoTo(Before);
  return Forever;
}

template <unsigned Words> Ending GraphWalk<Words>::ending(ThreadId &Stuck, bool &Superfluous) {
  if (TheMachine.missesFailures() || Flow.hasOtherFailure())
    return Ending::Blocked;
  const Ending How = endingOfThreads(Stuck, Superfluous);
  if (Superfluous)
    return How;
  const bool Overflows = Flow.reportOverflows(), Leaks = How == Ending::Complete && Flow.reportLeaks();
  return Overflows || Leaks ? Ending::Buggy : How;
}

template <unsigned Words> Ending GraphWalk<Words>::endingOfThreads(ThreadId &Stuck, bool &Superfluous) {
  if (!TheMachine.bugs().empty())
    return Ending::Buggy;
  if (TheMachine.hasUncheckedError())
    return Ending::Unchecked;
  bool Given = false, Unfinished = false;
  ThreadId Alone = ~0u; // in a loop, which never ends then
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T) {
    if (!TheMachine.exists(T))
      continue;
    switch (TheMachine.status(T)) {
    case ThreadStatus::Cut: return Ending::Cut;
    case ThreadStatus::Assumed: Given = true; break;
    case ThreadStatus::Finished:
    case ThreadStatus::Exited:
    case ThreadStatus::Failed: break;
    case ThreadStatus::Spinning:
    case ThreadStatus::Endless: Alone = T; [[fallthrough]];
    default: Unfinished = true;
    }
  }
  if (Given)
    return Ending::Blocked;
  if (!Unfinished)
    return Ending::Complete;
  if (Alone != ~0u && Deferred.empty()) {
    if (TheMachine.hasEnded()) // it goes down with the process
      return Ending::Complete;
    if (!TheMachine.reportStuck(Alone, false))
      return Ending::Blocked;
    Stuck = Alone;
    return Ending::Buggy;
  }
  // Blames whom Configuration::ending does.
  EventId Locked = NoEvent, Hangs = NoEvent;
  auto Waiting = std::exchange(Deferred, {}), InOrder = Waiting;
  std::sort(InOrder.begin(), InOrder.end(), [&](auto &A, auto &B) {
    return std::pair(Graph[A.first].Thread, Graph[A.first].Index) <
           std::pair(Graph[B.first].Thread, Graph[B.first].Index);
  });
  bool Moves = false;
  for (auto [E, Home] : InOrder) {
    const Operation &Op = Flow.operation(E);
    bool IsSync = Op.Kind == OperationKind::Sync;
    Moves |= IsSync ? canGoOn(E) : !spinsForEver(E);
    if (!IsSync)
      Hangs = E;
    else if (Locked == NoEvent || Flow.operation(Locked).Sync != SyncOp::MutexLock)
      Locked = E;
  }
  Deferred = std::move(Waiting);
  if (Moves) { // the runs in which they do are explored elsewhere
    Superfluous = true;
    return Ending::Blocked;
  }
  if (TheMachine.hasEnded()) // threads that still wait go down with the process
    return Ending::Complete;
  bool Joins = Deferred.empty(); // threads that wait for each other's end
  if (Locked == NoEvent && Hangs == NoEvent && !Joins)
    return Ending::Complete;
  if (Joins)
    for (ThreadId T = TheMachine.numThreads(); T-- > 0;)
      if (TheMachine.exists(T) && TheMachine.status(T) == ThreadStatus::Ready)
        Stuck = T;
  const bool IsDeadlock = Joins || (Locked != NoEvent && (Hangs == NoEvent || TheMachine.checks(BugKind::Deadlock)));
  if (!Joins)
    Stuck = Graph[IsDeadlock ? Locked : Hangs].Thread;
  if (IsDeadlock ? TheMachine.reportStuck(Stuck, true) : Flow.reportHang(Hangs))
    return Ending::Buggy;
  Stuck = ~0u;
  return Ending::Blocked;
}

} // namespace picket
