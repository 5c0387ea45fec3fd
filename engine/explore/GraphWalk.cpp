#include "explore/GraphWalk.h"

#include "explore/GraphEnding.h"
#include "explore/GraphFacts.h"
#include "memory/Rc11Axioms.h"

namespace picket {

template <unsigned Words> bool GraphWalk<Words>::start() {
  TheMachine.start();
  TheMachine.undo().setRecording(true);
  return advance();
}

template <unsigned Words> EventSet<Words> GraphWalk<Words>::commitBefore(EventId E) const {
  Set Direct = Model->commitBefore(Graph, E);
  if (!Graph[E].OfUpdate || Graph[E].IsWrite)
    return Direct;
  if (mayWriteLate(E)) {
    // POWER: earlier writes too: all that those need is kept before the read by the same fence.
    if (!HasPreferences && KeepsCoherence)
      Direct |= Graph[E].LwSync;
  } else {
    Direct |= Model->commitBefore(Graph, E + 1);
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
  Set More = Model->commitBefore(Graph, Read + 1) - pastOf(commitBefore(Read));
  More.erase(Read);
  return !More.empty();
}

template <unsigned Words> bool GraphWalk<Words>::hasGaps() const {
  for (EventId E = 0; HasPreferences && E < Graph.size(); ++E)
    if (!Graph.Committed.contains(E) && !Graph[E].Decides && !Flow.isAbandoned(E) && Graph.isBehindCommitted(E))
      return true;
  return false;
}

template <unsigned Words> EventSet<Words> GraphWalk<Words>::pastOf(const Set &Direct) const {
  if constexpr (IsLarge)
    return Direct | Graph.rowsOf(Direct, EventRow::Past);
  Set Past = Direct;
  Direct.forEach([&](EventId E) { Past |= Graph[E].Past; });
  return Past;
}

template <unsigned Words> EventSet<Words> GraphWalk<Words>::pastOf(EventId Read, EventId LastSource) const {
  Set Direct = commitBefore(Read);
  for (uint32_t K = 0; K < Graph[Read].Chosen; ++K)
    if (EventId Source = Graph.cell(Read, K).Source; Source != NoEvent)
      Direct.insert(Source);
  if (LastSource != NoEvent)
    Direct.insert(LastSource);
  return pastOf(Direct);
}

template <unsigned Words> bool GraphWalk<Words>::allowsChosen(EventId Read) {
  StepScope Here(*this);
  const auto Before = Flow.mark();
  const uint32_t NumCells = std::exchange(Graph[Read].NumCells, Graph[Read].Chosen);
  const EventId Last = Graph.cell(Read, --Graph[Read].Chosen).Source;
  Graph.commitRead(Read, Last);
  extend(Read);
  const bool Allowed = Model->allows(Graph, Read);
  Graph.uncommitRead(Read);
  Flow.undoTo(Before);
  ++Graph[Read].Chosen;
  Graph[Read].NumCells = NumCells;
  return Allowed;
}

template <unsigned Words> bool GraphWalk<Words>::isEnabled(EventId E) {
  if (!Flow.locate(E))
    return false;
  // A compare-and-swap that finds something else needs no operand.
  if (Graph.isLateWrite(E) && commitBeforeNothing(E).isSubsetOf(Graph.Committed) && leaves(E))
    return true;
  const bool NeedsOperands = Graph[E].IsWrite || !Graph[E].OfExchange;
  if (!Graph[E].OfUpdate || Graph[E].IsWrite)
    return (!NeedsOperands || Flow.hasOperands(E)) && commitBefore(E).isSubsetOf(Graph.Committed);
  return Flow.locate(E + 1) && commitBefore(E).isSubsetOf(Graph.Committed) && (Flow.hasOperands(E) || writesLate(E));
}

/// Whether an event may be committed as soon as it is enabled.
template <unsigned Words> bool GraphWalk<Words>::isOpen(EventId E) const {
  return !Graph.Committed.contains(E) && (!(Graph[E].OfUpdate && Graph[E].IsWrite) || Graph.isLateWrite(E)) &&
         !Flow.isAbandoned(E) && !LeftOut.contains(E) &&
         std::none_of(Deferred.begin(), Deferred.end(), [E](auto &D) { return D.first == E; });
}

/// In which order to commit. Writes first: a read can then choose among them, which saves races. Reads that may have to
/// wait for others come late, and last the writes that may turn out to be impossible. But an exchange whose read is
/// committed writes at once: what is impossible is then seen before anything depends on it.
template <unsigned Words> uint64_t GraphWalk<Words>::rankOf(EventId E) const {
  const bool MayBeImpossible = Graph[E].Conditional || (Graph[E].OfUpdate && Graph[E].IsWrite);
  const bool Completes = Graph[E].IsWrite && Graph[E].OfExchange && Graph.Committed.contains(E - 1);
  uint64_t Group = Graph[E].Decides || Graph[E].IsFence || Completes ? 0
                   : MayBeImpossible                                 ? 6
                   : Graph[E].IsWrite                                ? 1
                   : Flow.mayWait(E)                                 ? 3
                                                                     : 2;
  auto IsTooEarly = [&] {
    return !Model->preferBefore(Graph, E).isSubsetOf(Graph.Committed) ||
           (Graph[E].OfExchange && !Graph[E].IsWrite && !commitBefore(E + 1).isSubsetOf(Graph.Committed));
  };
  if (HasPreferences && Group && IsTooEarly())
    Group = MayBeImpossible ? 7 : 5;
  return (Group << 32) + Graph[E].Index;
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
  auto Consider = [&](EventId E) {
    if (!isOpen(E) || !isEnabled(E))
      return;
    if (uint64_t Rank = rankOf(E); Rank < BestRank || (Rank == BestRank && E < Best)) {
      Best = E;
      BestRank = Rank;
    }
  };
  if (!InOrder) {
    for (EventId E = 0; E < Graph.size(); ++E)
      Consider(E);
    return Best;
  }
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T)
    if (TheMachine.exists(T))
      if (Set Left = Flow.fetchedBy(T) - Graph.Committed; !Left.empty())
        Consider(Left.takeFirst());
  return Best;
}

/// The same in a large graph.
template <unsigned Words> EventId GraphWalk<Words>::chooseReady() {
  if constexpr (IsLarge) {
    for (EventId E : Ready.toCheck(Graph.size(), Graph.Large.Order))
      checkReady(E);
    for (auto [Rank, E] : Ready.ready())
      if (isOpen(E))
        return E;
  }
  return NoEvent;
}

template <unsigned Words> void GraphWalk<Words>::checkReady(EventId E) {
  if constexpr (IsLarge) {
    if (Graph.Committed.contains(E) || Flow.isAbandoned(E))
      return;
    if (Graph[E].OfUpdate && Graph[E].IsWrite && !Graph.isLateWrite(E)) // it is committed with its read, unless that is
      return Ready.waitFor(E, E - 1);
    if (isEnabled(E))
      return Ready.setReady(E, rankOf(E));
    if (Flow.isAbandoned(E)) // that was a bug
      return;
    // Of what has to come first, the latest mostly comes last. But where it is has to be found out as soon as it can
    // be: later accesses of the same location come behind it.
    Set Missing = commitBefore(E) - Graph.Committed;
    if (const Set Addresses = Missing & (Graph[E].Address | Graph[E].AddressBefore);
        Graph[E].Location == NoLocation && !Graph[E].Decides && !Addresses.empty())
      return Ready.waitFor(E, Addresses.last());
    if (Missing.empty() && Graph[E].Conditional && !Graph.Committed.contains(Graph[E].Reserved))
      Missing.insert(Graph[E].Reserved);
    if (Missing.empty())
      Ready.poll(E);
    else
      Ready.waitFor(E, Missing.last());
  }
}

template <unsigned Words> void GraphWalk<Words>::restartIfSharingChanged() {
  if (!Shared.takeChanged() && !Memory.Changed)
    return;
  Memory.Changed = false;
  throw GraphRestart();
}

template <unsigned Words> bool GraphWalk<Words>::findBugs(EventId Committed) {
  return findUsesAfterEnd(Committed) || (HasC11Orders && findDataRace(Committed));
}

/// Finds data races of the event that was just committed, or of the write that was committed with it. True: its thread
/// ends with one.
template <unsigned Words> bool GraphWalk<Words>::findDataRace(EventId Committed) {
  if (!TheMachine.checks(BugKind::DataRace))
    return false;
  for (EventId E = Committed; E <= Graph.lastWith(Committed); ++E)
    for (Set Others = Rc11Axioms<Words>::racesOf(Graph, E); !Others.empty();) {
      const EventId Other = Others.takeFirst();
      if (!isRace(Other, E))
        continue;
      Races.push_back({Other, E});
      if (TheMachine.options().RacesGoOn)
        continue;
      Flow.failRace(E, Other);
      return true;
    }
  return false;
}

template <unsigned Words> std::vector<GraphRace> GraphWalk<Words>::races() {
  std::vector<GraphRace> All;
  for (auto [First, Second] : Races)
    All.push_back({Flow.raceOf(Second, First), {nameOfEvent(First), nameOfEvent(Second)}});
  return All;
}

/// Finds uses of memory that has ended, which the event that was just committed makes; and reads of memory that nothing
/// has written, where they are checked for.
template <unsigned Words> bool GraphWalk<Words>::findUsesAfterEnd(EventId Committed) {
  for (uint32_t K = 0; K < Graph[Committed].NumCells; ++K) {
    const GraphCell &C = Graph.cell(Committed, K);
    if (!Graph[Committed].IsWrite) {
      if (C.Source == NoEvent ? Flow.failsUnwritten(Committed) : Graph[C.Source].Ends) {
        if (C.Source != NoEvent)
          Flow.failEnded(Committed, C.Source);
        return true;
      }
      continue;
    }
    // The write itself comes behind an end; or it is one, and what was there already comes behind it.
    if (!Graph.Locations[C.Location].NumEnds)
      continue;
    const std::vector<EventId> &Coherence = Graph.Locations[C.Location].Coherence;
    auto Here = std::find(Coherence.begin(), Coherence.end(), Committed);
    auto End = std::find_if(Coherence.begin(), Here, [&](EventId W) { return Graph[W].Ends; });
    if (End != Here)
      Flow.failEnded(Committed, *End);
    else if (Graph[Committed].Ends && Here + 1 != Coherence.end())
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
  restartIfSharingChanged();
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T)
    if (TheMachine.exists(T) && Flow.isSpinning(T) && !TheMachine.alone())
      return false;
  return true;
}

template <unsigned Words> bool GraphWalk<Words>::place(EventId Read, EventId Source, Update &Done) {
  Graph.commitRead(Read, Source);
  if (Graph.isSplit(Read))
    Graph[Read].Value = Flow.joined(Read);
  if (HasC11Orders && Graph[Read].OfUpdate) {
    const bool HasEnded = Source != NoEvent && Graph[Source].Ends;
    Graph.setMode(Read, HasEnded ? Order::Relaxed : Flow.modeOfRead(Read));
  }
  extend(Read);
  const EventId Early = HasPreferences ? Graph.earlyWriteOf(Read) : NoEvent;
  if (Model->allows(Graph, Read) && (Early == NoEvent || Graph.keepsUpdatesWhole(Early)) &&
      (Graph.lastWith(Read) == Read || placeUpdate(Read, Source, Done)))
    return true;
  Graph.uncommitRead(Read);
  return false;
}

template <unsigned Words> bool GraphWalk<Words>::commitUpdate(EventId Read, EventId Source, Update &Done) {
  const EventId Write = Read + 1;
  const bool HasEnded =
      Graph.isSplit(Read)
          ? Graph.anyCell(Read, [&](const GraphCell &C) { return C.Source != NoEvent && Graph[C.Source].Ends; })
          : Source != NoEvent && Graph[Source].Ends;
  if (HasEnded)
    Done.Does = Update::Leaves; // there is no value to do anything with: it is a use of memory that has ended
  else
    Done = Flow.update(Read, Graph[Read].Value);
  if (Done.Does == Update::Waits)
    return false;
  Graph[Write].Past = Graph[Read].Past;
  Graph[Write].Past.insert(Read);
  Graph[Write].Home = ~0u;
  if (Done.Does != Update::Writes) {
    Graph.commitVoid(Write);
    return true;
  }
  Graph[Write].Value = Done.Value;
  extend(Write);
  if (Graph.isSplit(Write)) {
    Flow.divide(Write);
    for (uint32_t K = 0; K < Graph[Write].NumCells; ++K)
      Graph.cell(Write, K).Position = Graph.positionIn(Graph.cell(Write, K).Location, Graph.cell(Read, K).Source) + 1;
    Graph.commitWrite(Write, 0);
  } else {
    Graph.commitWrite(Write, Graph.positionIn(Graph[Write].Location, Source) + 1);
  }
  return true;
}

template <unsigned Words> bool GraphWalk<Words>::placeUpdate(EventId Read, EventId Source, Update &Done) {
  if (!commitUpdate(Read, Source, Done))
    return false;
  const EventId Write = Read + 1;
  if (Graph[Write].Void || (Graph.keepsUpdatesWhole(Write) && Model->allows(Graph, Write)))
    return true;
  Graph.uncommitWrite(Write);
  return false;
}

template <unsigned Words> void GraphWalk<Words>::takeBack(EventId Read) {
  const EventId Write = Graph.lastWith(Read);
  if (Write != Read && Graph[Write].Void)
    Graph.uncommitVoid(Write);
  else if (Write != Read)
    Graph.uncommitWrite(Write);
  Graph.uncommitRead(Read);
}

template class GraphWalk<0>;
template class GraphWalk<1>;
template class GraphWalk<4>;
template class GraphWalk<16>;

} // namespace picket
