#include "explore/GraphWalk.h"

#include "explore/GraphEnding.h"
#include "explore/GraphFacts.h"

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

template <unsigned Words> void GraphWalk<Words>::restartIfSharingChanged() {
  if (!Shared.takeChanged() && !Memory.Changed)
    return;
  Memory.Changed = false;
  throw GraphRestart();
}

/// Finds uses of memory that has ended, which the event that was just committed makes; and reads of memory that nothing
/// has written, where they are looked for.
template <unsigned Words> bool GraphWalk<Words>::findUsesAfterEnd(EventId Committed) {
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
  restartIfSharingChanged();
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

template class GraphWalk<0>;
template class GraphWalk<1>;
template class GraphWalk<4>;
template class GraphWalk<16>;

} // namespace picket
