#include "explore/GraphWalk.h"

#include "memory/Rc11Axioms.h"

#include <cstring>

namespace picket {

template <unsigned Words> bool GraphWalk<Words>::start() {
  M.start();
  M.undo().setRecording(true);
  return advance();
}

template <unsigned Words> EventSet<Words> GraphWalk<Words>::commitBefore(EventId E) const {
  Set Direct = Model->commitBefore(G, E);
  if (!G[E].OfUpdate || G[E].IsWrite)
    return Direct;
  if (mayWriteLate(E)) {
    // Earlier writes too: all that those need is kept before the read by the same fence.
    Direct |= G[E].LwSync;
  } else {
    Direct |= Model->commitBefore(G, E + 1);
    Direct.erase(E);
  }
  return Direct;
}

/// In a spin loop an update is one: whether it waits is seen from what it does.
template <unsigned Words> bool GraphWalk<Words>::mayWriteLate(EventId Read) const {
  return WritesLate && !Flow.mayWait(Read) && Flow.operation(Read).Kind != OperationKind::Sync;
}

template <unsigned Words> bool GraphWalk<Words>::writesLate(EventId Read) const {
  if (!mayWriteLate(Read))
    return false;
  Set More = Model->commitBefore(G, Read + 1) - pastOf(commitBefore(Read));
  More.erase(Read);
  return !More.empty();
}

template <unsigned Words> EventSet<Words> GraphWalk<Words>::pastOf(const Set &Direct) const {
  if constexpr (IsLarge)
    return Direct | G.rowsOf(Direct, EventRow::Past);
  Set Past = Direct;
  Direct.forEach([&](EventId E) { Past |= G[E].Past; });
  return Past;
}

template <unsigned Words> EventSet<Words> GraphWalk<Words>::pastOf(EventId Read, EventId LastSource) const {
  Set Direct = commitBefore(Read);
  for (uint32_t K = 0; K < G[Read].Chosen; ++K)
    if (EventId Source = G.cell(Read, K).Source; Source != NoEvent)
      Direct.insert(Source);
  if (LastSource != NoEvent)
    Direct.insert(LastSource);
  return pastOf(Direct);
}

template <unsigned Words> bool GraphWalk<Words>::allowsChosen(EventId Read) {
  Scope Here(*this);
  const uint32_t NumCells = std::exchange(G[Read].NumCells, G[Read].Chosen);
  const EventId Last = G.cell(Read, --G[Read].Chosen).Source;
  G.commitRead(Read, Last);
  Model->extend(G, Read);
  const bool Allowed = Model->allows(G, Read);
  G.uncommitRead(Read);
  ++G[Read].Chosen;
  G[Read].NumCells = NumCells;
  return Allowed;
}

template <unsigned Words> bool GraphWalk<Words>::isEnabled(EventId E) {
  if (!Flow.locate(E))
    return false;
  // A compare-and-swap that finds something else needs no operand.
  if (G.isLateWrite(E) && commitBeforeNothing(E).isSubsetOf(G.Committed) && leaves(E))
    return true;
  if (!G[E].OfUpdate || G[E].IsWrite)
    return Flow.hasOperands(E) && commitBefore(E).isSubsetOf(G.Committed);
  return Flow.locate(E + 1) && commitBefore(E).isSubsetOf(G.Committed) && (Flow.hasOperands(E) || writesLate(E));
}

/// Whether an event may be committed as soon as it is enabled.
template <unsigned Words> bool GraphWalk<Words>::isOpen(EventId E) const {
  return !G.Committed.contains(E) && (!(G[E].OfUpdate && G[E].IsWrite) || G.isLateWrite(E)) && !Flow.isAbandoned(E) &&
         !LeftOut.contains(E) && std::none_of(Deferred.begin(), Deferred.end(), [E](auto &D) { return D.first == E; });
}

/// In which order to commit. Writes first: a read can then choose among them, which saves races. Reads that may have to
/// wait for others come late, and last the writes that may turn out to be impossible.
template <unsigned Words> uint64_t GraphWalk<Words>::rankOf(EventId E) const {
  const bool MayBeImpossible = G[E].Conditional || (G[E].OfUpdate && G[E].IsWrite);
  uint64_t Group = G[E].Decides || G[E].IsFence ? 0 : MayBeImpossible ? 4 : G[E].IsWrite ? 1 : Flow.mayWait(E) ? 3 : 2;
  if (HasPreferences && Group && Group < 4 && !Model->preferBefore(G, E).isSubsetOf(G.Committed))
    Group = MayBeImpossible ? 6 : 5;
  return (Group << 32) + G[E].Index;
}

template <unsigned Words> EventId GraphWalk<Words>::choose() {
  // What is half chosen goes on: others need all of it.
  for (size_t K = NumHalf ? Half.size() : 0; K-- > 0;)
    if (isHalf(Half[K]) && isOpen(Half[K]))
      return Half[K];
  if constexpr (IsLarge)
    return chooseReady();
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

/// The same in a large graph.
template <unsigned Words> EventId GraphWalk<Words>::chooseReady() {
  if constexpr (IsLarge) {
    for (EventId E : Ready.toLookAt(G.size(), G.Large.Order))
      lookAt(E);
    for (auto [Rank, E] : Ready.ready())
      if (isOpen(E))
        return E;
  }
  return NoEvent;
}

template <unsigned Words> void GraphWalk<Words>::lookAt(EventId E) {
  if constexpr (IsLarge) {
    if (G.Committed.contains(E) || Flow.isAbandoned(E))
      return;
    if (G[E].OfUpdate && G[E].IsWrite && !G.isLateWrite(E)) // it is committed with its read, unless that is
      return Ready.waitFor(E, E - 1);
    if (isEnabled(E))
      return Ready.setReady(E, rankOf(E));
    if (Flow.isAbandoned(E)) // that was a bug
      return;
    // Of what has to come first, the latest mostly comes last. But where it is has to be found out as soon as it can
    // be: later accesses of the same place come behind it.
    Set Missing = commitBefore(E) - G.Committed;
    if (const Set Addresses = Missing & (G[E].Address | G[E].AddressBefore);
        G[E].Place == NoPlace && !G[E].Decides && !Addresses.empty())
      return Ready.waitFor(E, Addresses.last());
    if (Missing.empty() && G[E].Conditional && !G.Committed.contains(G[E].Reserved))
      Missing.insert(G[E].Reserved);
    if (Missing.empty())
      Ready.poll(E);
    else
      Ready.waitFor(E, Missing.last());
  }
}

/// The first load of a thread that may wait and can be committed.
template <unsigned Words> EventId GraphWalk<Words>::nextWaitOf(ThreadId T) {
  EventId Found = NoEvent;
  auto Look = [&](EventId E) {
    if (Found == NoEvent && G[E].Thread == T && !G.Committed.contains(E) && !G[E].IsWrite && Flow.mayWait(E) &&
        isEnabled(E))
      Found = E;
  };
  if constexpr (IsLarge)
    (Flow.fetchedBy(T) - G.Committed).forEach(Look);
  else
    for (EventId E = 0; E < G.size() && Found == NoEvent; ++E)
      Look(E);
  return Found;
}

template <unsigned Words> void GraphWalk<Words>::startOverIfSurprised() {
  if (!Shared.takeChanged() && !Memory.Changed)
    return;
  Memory.Changed = false;
  throw StartOver();
}

template <unsigned Words> bool GraphWalk<Words>::lookForBugs(EventId Committed) {
  return lookForEnds(Committed) || (HasC11Orders && lookForRaces(Committed));
}

/// Finds a data race of the event that was just committed, or of the write that was committed with it.
template <unsigned Words> bool GraphWalk<Words>::lookForRaces(EventId Committed) {
  if (!M.checks(BugKind::DataRace))
    return false;
  for (EventId E = Committed; E <= G.lastWith(Committed); ++E)
    if (const EventId Other = Rc11Axioms<Words>::raceOf(G, E); Other != NoEvent) {
      Flow.failRace(E, Other);
      return true;
    }
  return false;
}

/// Finds uses of memory that has ended, which the event that was just committed makes; and reads of memory that nothing
/// has written, where they are looked for.
template <unsigned Words> bool GraphWalk<Words>::lookForEnds(EventId Committed) {
  for (uint32_t K = 0; K < G[Committed].NumCells; ++K) {
    const GraphCell &C = G.cell(Committed, K);
    if (!G[Committed].IsWrite) {
      if (C.Source == NoEvent ? Flow.failsUnwritten(Committed) : G[C.Source].Ends) {
        if (C.Source != NoEvent)
          Flow.failEnded(Committed, C.Source);
        return true;
      }
      continue;
    }
    // The write itself comes behind an end; or it is one, and what was there already comes behind it.
    if (!G.Places[C.Place].NumEnds)
      continue;
    const std::vector<EventId> &Coherence = G.Places[C.Place].Coherence;
    auto Here = std::find(Coherence.begin(), Coherence.end(), Committed);
    auto End = std::find_if(Coherence.begin(), Here, [&](EventId W) { return G[W].Ends; });
    if (End != Here)
      Flow.failEnded(Committed, *End);
    else if (G[Committed].Ends && Here + 1 != Coherence.end())
      Flow.failEnded(Here[1], Committed);
    else
      continue;
    return true;
  }
  return false;
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
  if (G.isSplit(Read))
    G[Read].Value = Flow.joined(Read);
  if (HasC11Orders && G[Read].OfUpdate) {
    const bool HasEnded = Source != NoEvent && G[Source].Ends;
    G.setMode(Read, HasEnded ? Order::Relaxed : Flow.modeOfRead(Read));
  }
  Model->extend(G, Read);
  if (Model->allows(G, Read) && (G.lastWith(Read) == Read || placeUpdate(Read, Source, Done)))
    return true;
  G.uncommitRead(Read);
  return false;
}

template <unsigned Words> bool GraphWalk<Words>::commitUpdate(EventId Read, EventId Source, Update &Done) {
  const EventId Write = Read + 1;
  const bool HasEnded =
      G.isSplit(Read) ? G.anyCell(Read, [&](const GraphCell &C) { return C.Source != NoEvent && G[C.Source].Ends; })
                      : Source != NoEvent && G[Source].Ends;
  if (HasEnded)
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
  if (G.isSplit(Write)) {
    Flow.divide(Write);
    for (uint32_t K = 0; K < G[Write].NumCells; ++K)
      G.cell(Write, K).Position = G.positionIn(G.cell(Write, K).Place, G.cell(Read, K).Source) + 1;
    G.commitWrite(Write, 0);
  } else {
    G.commitWrite(Write, G.positionIn(G[Write].Place, Source) + 1);
  }
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
  std::vector<EventId> Sources = G.Places[placeOf(Waiting)].Coherence;
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
/// thread must have been in this one all the time. If it leads elsewhere, it is there that the thread waits, in a run in
/// which it read what is latest.
template <unsigned Words> bool GraphWalk<Words>::goesRoundForEver(EventId Load, std::vector<Glance> *Looked) {
  const ThreadId T = G[Load].Thread;
  Scope Here(*this);
  auto Before = Flow.mark();
  std::vector<EventId> Reads;
  std::set<int32_t> Entered;
  Flow.watchLoops(T, &Entered);
  bool Forever = false;
  int32_t Head = -1; // once it has come back to one
  while (Load != NoEvent) {
    bool HasEnded = false; // a use of memory that has ended
    EventId Latest = NoEvent;
    for (uint32_t K = 0; K < G[Load].NumCells && !HasEnded; ++K) {
      const auto &Coherence = G.Places[G.cell(Load, K).Place].Coherence;
      Latest = Coherence.empty() ? NoEvent : Coherence.back();
      HasEnded = Latest != NoEvent && G[Latest].Ends;
      if (!HasEnded && K + 1 < G[Load].NumCells)
        G.choose(Load, Latest);
    }
    if (HasEnded) {
      G[Load].Chosen = 0;
      break;
    }
    if (Looked)
      Looked->push_back({G[Load].Pc, G[Load].Place});
    G[Load].Past = pastOf(Load, Latest);
    G.commitRead(Load, Latest);
    if (G.isSplit(Load))
      G[Load].Value = Flow.joined(Load);
    Model->extend(G, Load);
    Update Done;
    if (G[Load].OfUpdate && !placeUpdate(Load, Latest, Done)) {
      G.uncommitRead(Load);
      G[Load].Chosen = 0;
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
    Load = nextWaitOf(T);
  }
  Flow.watchLoops(T, nullptr);
  while (!Reads.empty()) {
    takeBack(Reads.back());
    G[Reads.back()].Chosen = 0;
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
  std::vector<std::pair<EventId, PlaceId>> Order;
  auto Add = [&](EventId E) {
    if (!G[E].Void && G.Committed.contains(E))
      G.forEachCell(E, [&](const GraphCell &C) { Order.push_back({E, C.Place}); });
  };
  Set Seen;
  for (EventId E : Run) {
    if (Seen.contains(E))
      continue; // another cell
    Seen.insert(E);
    Add(E);
    if (const EventId Last = G.lastWith(E); Last != E)
      Add(Last);
  }
  // Where the cells of an event begin in that.
  std::vector<uint32_t> FirstOf(G.size());
  for (auto K = static_cast<uint32_t>(Order.size()); K-- > 0;)
    FirstOf[Order[K].first] = K;
  auto NumberOf = [&](EventId E, PlaceId Id) {
    uint32_t K = FirstOf[E];
    while (Order[K].second != Id)
      ++K;
    return K;
  };
  std::vector<GraphAccess> All;
  for (auto [E, Id] : Order) {
    const auto &Place = G.Places[Id];
    const GraphCell &C = G.cellIn(Id, E);
    const uint32_t Source = G[E].IsWrite || C.Source == NoEvent ? ~0u : NumberOf(C.Source, Id);
    GraphAccess &A = All.emplace_back();
    A = {G[E].Thread, G[E].Index,  G[E].Pc, G[E].IsWrite, G[E].OfUpdate,
         Place.Where, Place.Width, C.Value, Source,       G[E].IsWrite ? C.Position : 0};
    if (Flow.isWide(E) && !G.isSplit(E))
      Memory::readWords(Flow.stateOf(C.Value), Place.Width, A.Value, A.Value2);
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
    F.Width = G.isSplit(E) ? Flow.widthOf(E) : Place.Width;
    F.Value = Event.Value;
    F.Initial = Place.Initial;
    const GraphCell &Cell = G.cell(E, 0);
    F.Source = Event.IsWrite ? NoEvent : Cell.Source;
    F.Position = Event.IsWrite ? Cell.Position : 0;
    if (G.isSplit(E)) {
      uint8_t Initial[64] = {};
      G.forEachCell(E, [&](const GraphCell &C) {
        F.Cells.push_back({C.Offset, C.Width, Event.IsWrite ? NoEvent : C.Source, Event.IsWrite ? C.Position : 0});
        std::memcpy(Initial + C.Offset, &G.Places[C.Place].Initial, C.Width);
      });
      F.Initial = Memory::readWord(Initial, std::min(F.Width, 8u));
      F.Initial2 = F.Width > 8 ? Memory::readWord(Initial + 8, 8) : 0;
    } else if (Flow.isWide(E) && Place.Holds == Graph::PlaceState::State) {
      Memory::readWords(Flow.stateOf(Place.Initial), F.Width, F.Initial, F.Initial2);
    }
    if (Flow.isWide(E))
      Memory::readWords(Flow.stateOf(Event.Value), F.Width, F.Value, F.Value2);
    const Set Own = Event.Before & Happened;
    F.AddressFrom = List(Event.Address & Own);
    F.DataFrom = List(Event.Data & Own);
    F.ControlFrom = List(Event.Control & Own);
    F.Fenced = List((PowerAxioms<Words>::fullFence(G, E) | PowerAxioms<Words>::lightFence(G, E)) & Own);
    F.Kept = List(Event.Order & Own);
    F.Past = List(Event.Past);
    if (F.Op.Kind == OperationKind::Sync && !F.IsWrite) {
      F.State.assign(sizeOf(F.Op.Sync), 0);
      if (!G.anyCell(E, [&](const GraphCell &C) { return C.Source != NoEvent && G[C.Source].Ends; }))
        std::copy_n(Flow.stateOf(F.Value), F.State.size(), F.State.begin());
    }
  }
  return All;
}

template <unsigned Words> GraphScript GraphWalk<Words>::script() {
  GraphScript Script;
  Script.Known = Memory;
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    Script.Threads.push_back(M.exists(T) ? M.pathOf(T) : std::vector<uint32_t>());
  std::vector<uint32_t> StepOf(G.size(), ~0u);
  for (EventId E : Run) {
    if (G[E].Void || StepOf[E] != ~0u || isHalf(E))
      continue;
    GraphScript::Step &S = Script.Steps.emplace_back();
    S.Thread = G[E].Thread;
    S.Number = G[E].Operation;
    S.Part = G[E].Part;
    const EventId Last = G.lastWith(E);
    const EventId Write = G[Last].IsWrite && !G[Last].Void ? Last : NoEvent;
    for (uint32_t K = 0; K < G[E].NumCells; ++K) {
      const GraphCell &C = G.cell(E, K);
      GraphScript::Cell Here{C.Offset, ~0u, 0};
      if (!G[E].IsWrite && C.Source != NoEvent)
        Here.Source = StepOf[C.Source];
      Here.Position = Write == NoEvent ? 0 : G.cell(Write, K).Position;
      if (K == 0) {
        S.Source = Here.Source;
        S.Position = Here.Position;
      }
      if (G.isSplit(E))
        S.Cells.push_back(Here);
    }
    StepOf[E] = StepOf[Last] = static_cast<uint32_t>(Script.Steps.size() - 1);
  }
  return Script;
}

template class GraphWalk<0>;
template class GraphWalk<1>;
template class GraphWalk<4>;
template class GraphWalk<16>;

} // namespace picket
