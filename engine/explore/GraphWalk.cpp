#include "explore/GraphWalk.h"

namespace picket {

template <unsigned Words> bool GraphWalk<Words>::start() {
  M.start();
  M.undo().setRecording(true);
  return advance();
}

template <unsigned Words> EventSet<Words> GraphWalk<Words>::commitBefore(EventId E) const {
  Set Direct = Model->commitBefore(G, E);
  if (G[E].OfUpdate && !G[E].IsWrite && !maySplit(E)) {
    Direct |= Model->commitBefore(G, E + 1);
    Direct.erase(E);
  }
  return Direct;
}

/// In a spin loop an update is one: whether it waits is seen from what it does.
template <unsigned Words> bool GraphWalk<Words>::maySplit(EventId Read) const {
  return SplitsUpdates && !Flow.mayWait(Read) && Flow.operation(Read).Kind != OperationKind::Sync;
}

template <unsigned Words> bool GraphWalk<Words>::isSplit(EventId Read) const {
  if (!maySplit(Read))
    return false;
  Set More = Model->commitBefore(G, Read + 1) - pastOf(Model->commitBefore(G, Read));
  More.erase(Read);
  return !More.empty();
}

template <unsigned Words> EventSet<Words> GraphWalk<Words>::pastOf(const Set &Direct) const {
  Set Past = Direct;
  Direct.forEach([&](EventId E) { Past |= G[E].Past; });
  return Past;
}

template <unsigned Words> bool GraphWalk<Words>::isEnabled(EventId E) {
  if (!Flow.locate(E))
    return false;
  if (!G[E].OfUpdate || G[E].IsWrite)
    return Flow.hasOperands(E) && commitBefore(E).isSubsetOf(G.Committed);
  return Flow.locate(E + 1) && commitBefore(E).isSubsetOf(G.Committed) && (Flow.hasOperands(E) || isSplit(E));
}

/// Whether an event may be committed as soon as it is enabled.
template <unsigned Words> bool GraphWalk<Words>::isOpen(EventId E) const {
  return !G.Committed.contains(E) && (!(G[E].OfUpdate && G[E].IsWrite) || G.isLateWrite(E)) && !Flow.isAbandoned(E) && !LeftOut.contains(E) &&
         std::none_of(Deferred.begin(), Deferred.end(), [E](auto &D) { return D.first == E; });
}

/// In which order to commit. Writes first: a read can then choose among them, which saves races. Reads that may have to
/// wait for others come late, and last the writes that may turn out to be impossible.
template <unsigned Words> uint64_t GraphWalk<Words>::rankOf(EventId E) const {
  uint64_t Group = G[E].Decides ? 0 : G[E].Conditional || (G[E].OfUpdate && G[E].IsWrite) ? 4 : G[E].IsWrite ? 1 : Flow.mayWait(E) ? 3 : 2;
  return (Group << 32) + G[E].Index;
}

template <unsigned Words> EventId GraphWalk<Words>::choose() {
  EventId Best = NoEvent;
  uint64_t BestRank = ~0ull;
  for (EventId E = 0; E < G.size(); ++E) {
    if (!isOpen(E) || !isEnabled(E))
      continue;
    if (uint64_t Rank = rankOf(E); Rank < BestRank) {
      Best = E;
      BestRank = Rank;
    }
  }
  return Best;
}

template <unsigned Words> void GraphWalk<Words>::startOverIfSurprised() {
  if (!Shared.takeChanged() && !Memory.Changed)
    return;
  Memory.Changed = false;
  throw StartOver();
}

/// Finds uses of memory that has ended, which the event that was just committed makes; and reads of memory that nothing
/// has written, where they are looked for.
template <unsigned Words> bool GraphWalk<Words>::lookForEnds(EventId Committed) {
  if (!G[Committed].IsWrite) {
    EventId Source = G[Committed].Source;
    if (Source == NoEvent)
      return Flow.failsUnwritten(Committed);
    if (!G[Source].Ends)
      return false;
    Flow.failEnded(Committed, Source);
    return true;
  }
  // The write itself comes behind an end; or it is one, and what was there already comes behind it.
  const std::vector<EventId> &Coherence = G.Places[G[Committed].Place].Coherence;
  auto Here = std::find(Coherence.begin(), Coherence.end(), Committed);
  auto End = std::find_if(Coherence.begin(), Here, [&](EventId W) { return G[W].Ends; });
  if (End != Here)
    Flow.failEnded(Committed, *End);
  else if (G[Committed].Ends && Here + 1 != Coherence.end())
    Flow.failEnded(Here[1], Committed);
  else
    return false;
  return true;
}

/// Fetches. False if a thread came back to the head of its spin loop: what it read last is nothing to go on with. A
/// thread that is alone has read nothing that could be anything else: it goes round for ever.
template <unsigned Words> bool GraphWalk<Words>::advance() {
  Flow.fetch();
  startOverIfSurprised();
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    if (M.exists(T) && Flow.isSpinning(T) && !M.alone())
      return false;
  return true;
}

template <unsigned Words> bool GraphWalk<Words>::place(EventId Read, EventId Source, Update &Done) {
  G.commitRead(Read, Source);
  Model->extend(G, Read);
  if (Model->allows(G, Read) && (G.lastWith(Read) == Read || placeUpdate(Read, Source, Done)))
    return true;
  G.uncommitRead(Read);
  return false;
}

template <unsigned Words> bool GraphWalk<Words>::commitUpdate(EventId Read, EventId Source, Update &Done) {
  const EventId Write = Read + 1;
  if (Source != NoEvent && G[Source].Ends)
    Done.Does = Update::Leaves; // there is no value to do anything with: it is a use of memory that has ended
  else
    Done = Flow.update(Read, G[Read].Value);
  if (Done.Does == Update::Waits)
    return false;
  G[Write].Past = G[Read].Past;
  G[Write].Past.insert(Read);
  G[Write].Home = ~0u;
  if (Done.Does != Update::Writes) {
    G.commitVoid(Write);
    return true;
  }
  G[Write].Value = Done.Value;
  Model->extend(G, Write);
  G.commitWrite(Write, G.positionOf(Source) + 1);
  return true;
}

template <unsigned Words> bool GraphWalk<Words>::placeUpdate(EventId Read, EventId Source, Update &Done) {
  if (!commitUpdate(Read, Source, Done))
    return false;
  const EventId Write = Read + 1;
  if (G[Write].Void || (G.keepsUpdatesWhole(Write) && Model->allows(G, Write)))
    return true;
  G.uncommitWrite(Write);
  return false;
}

template <unsigned Words> void GraphWalk<Words>::takeBack(EventId Read) {
  const EventId Write = G.lastWith(Read);
  if (Write != Read && G[Write].Void)
    G.uncommitVoid(Write);
  else if (Write != Read)
    G.uncommitWrite(Write);
  G.uncommitRead(Read);
}

template <unsigned Words> bool GraphWalk<Words>::canGoOn(EventId Waiting) {
  std::vector<EventId> Sources = G.Places[G[Waiting].Place].Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  for (size_t K = oldestFor(Waiting); K < Sources.size(); ++K)
    if (withRead(Waiting, Sources[K], ~0u, [] {}))
      return true;
  return false;
}

/// The thread may have begun its iteration with values that others have since replaced, so it gets a whole one with the
/// latest, which must lead back to the same head. Loops may be inside each other and have several ways round, but the
/// thread must have been in this one all the time. If it leads elsewhere, it is there that the thread waits, in a run in
/// which it read what is latest.
template <unsigned Words> bool GraphWalk<Words>::goesRoundForEver(EventId Load, std::vector<Glance> *Looked) {
  const ThreadId T = G[Load].Thread;
  auto Before = Flow.mark();
  std::vector<EventId> Reads;
  std::set<int32_t> Entered;
  Flow.watchLoops(T, &Entered);
  bool Forever = false;
  int32_t Head = -1; // once it has come back to one
  while (Load != NoEvent) {
    const auto &Coherence = G.Places[G[Load].Place].Coherence;
    EventId Latest = Coherence.empty() ? NoEvent : Coherence.back();
    if (Latest != NoEvent && G[Latest].Ends) // a use of memory that has ended
      break;
    if (Looked)
      Looked->push_back({G[Load].Pc, G[Load].Place});
    Set Direct = commitBefore(Load);
    if (Latest != NoEvent)
      Direct.insert(Latest);
    G[Load].Past = pastOf(Direct);
    G.commitRead(Load, Latest);
    Model->extend(G, Load);
    Update Done;
    if (G[Load].OfUpdate && !placeUpdate(Load, Latest, Done)) {
      G.uncommitRead(Load);
      break;
    }
    if (G[Load].OfUpdate)
      Flow.noteUpdate(Load, Done);
    Reads.push_back(Load);
    Flow.fetch();
    if (Flow.isSpinning(T)) {
      const Instruction &Back = M.program().Code[M.pc(T)];
      const int32_t Last = std::exchange(Head, Back.A);
      Forever = Last == Head && !Entered.count(Back.Dst);
      if (Last != -1 || Entered.count(Back.Dst))
        break;
      Flow.goRound(T);
      Flow.fetch();
    }
    Load = NoEvent;
    for (EventId E = 0; E < G.size() && Load == NoEvent; ++E)
      if (G[E].Thread == T && !G.Committed.contains(E) && !G[E].IsWrite && Flow.mayWait(E) && isEnabled(E))
        Load = E;
  }
  Flow.watchLoops(T, nullptr);
  while (!Reads.empty()) {
    takeBack(Reads.back());
    Reads.pop_back();
  }
  Flow.undoTo(Before);
  return Forever;
}

template <unsigned Words> Ending GraphWalk<Words>::ending(ThreadId &Stuck, bool &Superfluous) {
  if (M.missesFailures() || Flow.hasOtherFailure())
    return Ending::Blocked;
  const Ending How = endingOfThreads(Stuck, Superfluous);
  if (Superfluous)
    return How;
  const bool Overflows = Flow.reportOverflows(), Leaks = How == Ending::Complete && Flow.reportLeaks();
  return Overflows || Leaks ? Ending::Buggy : How;
}

template <unsigned Words> Ending GraphWalk<Words>::endingOfThreads(ThreadId &Stuck, bool &Superfluous) {
  if (!M.bugs().empty())
    return Ending::Buggy;
  if (M.hasUncheckedError())
    return Ending::Unchecked;
  bool Given = false, Unfinished = false;
  ThreadId Alone = ~0u; // in a loop, which never ends then
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    if (!M.exists(T))
      continue;
    switch (M.status(T)) {
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
    if (M.hasEnded()) // it goes down with the process
      return Ending::Complete;
    if (!M.reportStuck(Alone, false))
      return Ending::Blocked;
    Stuck = Alone;
    return Ending::Buggy;
  }
  // Blames whom Configuration::ending does.
  EventId Locked = NoEvent, Hangs = NoEvent;
  auto Waiting = std::exchange(Deferred, {}), InOrder = Waiting;
  std::sort(InOrder.begin(), InOrder.end(), [&](auto &A, auto &B) {
    return std::pair(G[A.first].Thread, G[A.first].Index) < std::pair(G[B.first].Thread, G[B.first].Index);
  });
  bool Moves = false;
  for (auto [E, Home] : InOrder) {
    const Operation &Op = Flow.operation(E);
    bool IsSync = Op.Kind == OperationKind::Sync;
    Moves |= IsSync ? canGoOn(E) : !goesRoundForEver(E);
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
  if (M.hasEnded()) // whoever still waits goes down with the process
    return Ending::Complete;
  bool Joins = Deferred.empty(); // threads that wait for each other's end
  if (Locked == NoEvent && Hangs == NoEvent && !Joins)
    return Ending::Complete;
  if (Joins)
    for (ThreadId T = M.numThreads(); T-- > 0;)
      if (M.exists(T) && M.status(T) == ThreadStatus::Ready)
        Stuck = T;
  const bool IsDeadlock = Joins || (Locked != NoEvent && (Hangs == NoEvent || M.checks(BugKind::Deadlock)));
  if (!Joins)
    Stuck = G[IsDeadlock ? Locked : Hangs].Thread;
  if (IsDeadlock ? M.reportStuck(Stuck, true) : Flow.reportHang(Hangs))
    return Ending::Buggy;
  Stuck = ~0u;
  return Ending::Blocked;
}

template <unsigned Words> std::vector<GraphAccess> GraphWalk<Words>::accesses() {
  std::vector<EventId> Order;
  for (EventId E : Run) {
    if (!G[E].Void)
      Order.push_back(E);
    if (const EventId Write = G.lastWith(E); Write != E && !G[Write].Void)
      Order.push_back(Write);
  }
  std::vector<GraphAccess> All;
  for (EventId E : Order) {
    const auto &Place = G.Places[G[E].Place];
    auto Source = static_cast<uint32_t>(std::find(Order.begin(), Order.end(), G[E].Source) - Order.begin());
    All.push_back({G[E].Thread, G[E].Index, G[E].Pc, G[E].IsWrite, G[E].OfUpdate, Place.Where, Place.Width, G[E].Value,
                   G[E].IsWrite || G[E].Source == NoEvent ? ~0u : Source, G[E].IsWrite ? G[E].Position : 0});
  }
  return All;
}

template <unsigned Words> std::vector<GraphFact> GraphWalk<Words>::facts() {
  auto List = [](const Set &Events) {
    std::vector<EventId> All;
    Events.forEach([&](EventId E) { All.push_back(E); });
    return All;
  };
  const Set Happened = G.Reads | G.Writes;
  std::vector<GraphFact> All;
  for (EventId E = 0; E < G.size(); ++E) {
    const auto &Event = G[E];
    GraphFact &F = All.emplace_back();
    F.Thread = Event.Thread;
    F.Pc = Event.Pc;
    F.Op = Flow.operation(E);
    F.Number = Event.Operation;
    F.Part = Event.Part;
    F.IsWrite = Event.IsWrite;
    F.OfUpdate = Event.OfUpdate;
    F.Ends = Event.Ends;
    F.IsBug = Flow.bugOf(Event.Thread) == E;
    F.Happened = Happened.contains(E);
    if (!F.Happened)
      continue;
    const auto &Place = G.Places[Event.Place];
    F.Where = Place.Where;
    F.Width = Place.Width;
    F.Value = Event.Value;
    F.Initial = Place.Initial;
    F.Source = Event.IsWrite ? NoEvent : Event.Source;
    F.Position = Event.IsWrite ? Event.Position : 0;
    const Set Own = Event.Before & Happened;
    F.AddressFrom = List(Event.Address & Own);
    F.DataFrom = List(Event.Data & Own);
    F.ControlFrom = List(Event.Control & Own);
    F.Fenced = List((PowerAxioms<Words>::fullFence(G, E) | PowerAxioms<Words>::lightFence(G, E)) & Own);
    F.Kept = List(Event.Order & Own);
    F.Past = List(Event.Past);
    if (F.Op.Kind == OperationKind::Sync && !F.IsWrite) {
      F.State.assign(sizeOf(F.Op.Sync), 0);
      if (F.Source == NoEvent || !G[F.Source].Ends)
        std::copy_n(Flow.stateOf(F.Value), F.State.size(), F.State.begin());
    }
  }
  return All;
}

template <unsigned Words> GraphScript GraphWalk<Words>::script() {
  GraphScript Script;
  Script.Accessed = Memory.Accessed;
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    Script.Threads.push_back(M.exists(T) ? M.pathOf(T) : std::vector<uint32_t>());
  std::vector<uint32_t> StepOf(G.size(), ~0u);
  for (EventId E : Run) {
    if (G[E].Void)
      continue;
    GraphScript::Step &S = Script.Steps.emplace_back();
    S.Thread = G[E].Thread;
    S.Number = G[E].Operation;
    S.Part = G[E].Part;
    if (!G[E].IsWrite && G[E].Source != NoEvent)
      S.Source = StepOf[G[E].Source];
    const EventId Last = G.lastWith(E);
    S.Position = G[Last].IsWrite && !G[Last].Void ? G[Last].Position : 0;
    StepOf[E] = StepOf[Last] = static_cast<uint32_t>(Script.Steps.size() - 1);
  }
  return Script;
}

template class GraphWalk<1>;
template class GraphWalk<4>;
template class GraphWalk<16>;

} // namespace picket
