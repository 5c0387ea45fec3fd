// Race detection of RSMC (the paper's DetectRace): which loads could have read a store, and the branches that let them.
// A part of RsmcWorker.cpp: not for others to include.
#pragma once

#include "explore/BranchOrder.h"
#include "explore/RsmcWorker.h"

namespace picket {

/// Loads that could have read a write to a location, each with its frame and the cell.
template <unsigned Words, template <unsigned> class Base>
template <typename Visitor>
void RsmcWorker<Words, Base>::forEachRace(LocationId Location, const Set &Past, Visitor Visit) {
  auto VisitCells = [&](EventId Load, uint32_t Home, uint32_t From) {
    for (uint32_t K = From; K < Graph[Load].NumCells; ++K)
      if (const GraphCell &C = Graph.cell(Load, K); C.Location == Location) {
        if (const uint32_t In = Home == ~0u ? C.Home : Home; In != ~0u)
          Visit(Load, In, K);
      }
  };
  (Graph.Locations[Location].Reads - Past).forEach([&](EventId Load) { VisitCells(Load, ~0u, 0); });
  for (auto [Load, Home] : Deferred)
    VisitCells(Load, Home, Graph[Load].Chosen);
}

/// Finds the loads that could read the store if it were committed before them: those that are split in each cell.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::detectRaces(EventId Store) {
  const Set &Past = Graph[Store].Past;
  Graph.forEachCell(Store, [&](const GraphCell &C) {
    forEachRace(C.Location, Past, [&](EventId Load, uint32_t Home, uint32_t Cell) {
      if (!Graph[Store].Before.contains(Load)) // nobody reads what it writes later
        addBranch(Home, Cell, Past, Store, Any);
    });
  });
}

/// The same for the write of an exchange whose read is chosen: the load may be what keeps the read from anything.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::detectRacesOfExchange(EventId Read) {
  const EventId Write = Read + 1;
  if (isHalf(Read) || Graph.Committed.contains(Write) || !isEnabled(Write))
    return;
  Graph[Write].Past = pastOf(commitBefore(Write));
  detectRaces(Write);
}

/// The same for the write of an update that reads Source, whether it can do so here or not: it may be the load that
/// keeps it from doing so.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::detectRaces(EventId Update, EventId Source) {
  const LocationId Id = Graph[Update].Location;
  if (Graph.positionIn(Id, Source) < oldestFor(Update)) // its thread has seen something newer, and will have
    return;
  const Set Past = pastOf(Update, Source);
  if (Source != NoEvent && Graph[Source].Ends) // a use of memory that has ended, which writes nothing
    return;
  auto Done = Flow.update(Update, Graph.valueIn(Id, Source));
  if (Done.Does != FetchedEvents<Words>::Update::Writes || isTaken(Id, Source, Past))
    return;
  forEachRace(Id, Past, [&](EventId Load, uint32_t Home, uint32_t Cell) {
    const bool Waits = Graph[Load].OfUpdate && !Graph.isSplit(Load) &&
                       Flow.update(Load, Done.Value).Does == FetchedEvents<Words>::Update::Waits;
    // What comes before the load has taken the source, as a lock has before its unlock: nobody else can.
    if (Load != Update && !Waits && !isTaken(Id, Source, pastOf(commitBefore(Load))))
      addBranch(Home, Cell, Past, Update, keyOf(Source));
  });
}

/// Whether there is an update of a source that comes before.
template <unsigned Words, template <unsigned> class Base>
bool RsmcWorker<Words, Base>::isTaken(LocationId Location, EventId Source, const Set &Past) const {
  bool Taken = false;
  (Graph.readersOf(Location, Source) & Past).forEach([&](EventId R) {
    Taken |= Graph[R].OfUpdate && Graph.Writes.contains(R + 1) && (!Graph[R].Alone || Past.contains(R + 1));
  });
  return Taken;
}

/// The same for an update that is split, with all that is there in the cells that are not chosen.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::detectRacesOfSplit(EventId Update) {
  const LocationId Id = locationOf(Update);
  std::vector<EventId> Sources = Graph.Locations[Id].Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  for (size_t K = oldestFor(Update); K < Sources.size(); ++K) {
    if ((Sources[K] != NoEvent && Graph[Sources[K]].Ends) || !Graph.agrees(Update, Sources[K]))
      continue;
    if (!hasMore(Update)) {
      considerSplit(Update, Sources[K]);
      continue;
    }
    Graph.choose(Update, Sources[K]);
    detectRacesOfSplit(Update);
    --Graph[Update].Chosen;
  }
}

/// Of an update all of whose sources are chosen but for the last.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::considerSplit(EventId Update, EventId Last) {
  const Set Past = pastOf(Update, Last);
  Graph.choose(Update, Last);
  const auto Done = Flow.update(Update, Flow.joined(Update));
  bool Writes = Done.Does == FetchedEvents<Words>::Update::Writes;
  std::vector<Key> Sources;
  Graph.forEachCell(Update, [&](const GraphCell &C) {
    Writes &= !(C.Source != NoEvent && Graph[C.Source].Ends) && !isTaken(C.Location, C.Source, Past);
    Sources.push_back(keyOf(C.Source));
  });
  --Graph[Update].Chosen;
  if (!Writes)
    return;
  Graph.forEachCell(Update, [&](const GraphCell &C) {
    forEachRace(C.Location, Past, [&](EventId Load, uint32_t Home, uint32_t Cell) {
      if (Load != Update)
        addBranch(Home, Cell, Past, Update, Initial, Sources);
    });
  });
}

/// The position of a write among those that are present. With reads-from alone it has none.
template <unsigned Words, template <unsigned> class Base>
typename RsmcWorker<Words, Base>::Key RsmcWorker<Words, Base>::parameterOf(EventId Write, uint32_t Cell,
                                                                           const Set &Present) const {
  if (OnlyReadsFrom)
    return 0;
  const GraphCell &C = Graph.cell(Write, Cell);
  const auto &Coherence = Graph.Locations[C.Location].Coherence;
  if constexpr (IsLarge) { // nearly all are present
    Key Absent = 0;
    (Graph.Locations[C.Location].Writes - Present).forEach([&](EventId W) {
      Absent += Graph.positionIn(C.Location, W) < C.Position;
    });
    return C.Position - Absent;
  }
  return 1 + static_cast<Key>(std::count_if(Coherence.begin(), Coherence.begin() + (C.Position - 1),
                                            [&](EventId W) { return Present.contains(W); }));
}

/// How an event of the current run is committed behind those that are present, to which it is added.
template <unsigned Words, template <unsigned> class Base>
RsmcStep RsmcWorker<Words, Base>::stepOf(EventId E, uint32_t Cell, Set &Present) const {
  if (Graph[E].Decides)
    return {keyOf(E), Flow.succeeds(E)};
  if (Graph[E].Void) // a fence, or a late write that leaves things as they are
    return {keyOf(E), 0};
  const Key Parameter = Graph[E].IsWrite ? parameterOf(E, Cell, Present) : keyOf(Graph.cell(E, Cell).Source);
  if (Cell + 1 == Graph[E].NumCells)
    Present.insert(Graph.lastWith(E));
  return {keyOf(E, Cell), Parameter};
}

/// What of the run since a load is before something. Present: what was there already.
template <unsigned Words, template <unsigned> class Base>
typename RsmcWorker<Words, Base>::Set RsmcWorker<Words, Base>::eventsSince(const Frame &F, const Set &Past,
                                                                           Set &Present) const {
  Set Left;
  if constexpr (IsLarge) {
    if (!F.Committed.empty() || F.Prefix == 0) { // else another began the frame
      Present = F.Committed;
      ((Past & Graph.Committed) - F.Committed).forEach([&](EventId E) { Left.insert(Graph.firstWith(E)); });
      return Left;
    }
  }
  for (size_t K = 0; K < Run.size(); ++K) {
    EventId E = Run[K];
    const EventId Last = Graph.lastWith(E);
    if (K < F.Prefix) {
      // The load itself may be half chosen there: it is not present.
      const auto End = Run.begin() + static_cast<ptrdiff_t>(F.Prefix);
      if (!Graph.isSplit(E) || std::count(Run.begin(), End, E) == Graph[E].NumCells)
        Present.insert(Last);
    } else if (Past.contains(E) || Past.contains(Last)) {
      Left.insert(E);
    }
  }
  return Left;
}

/// Cuts the run since the load down to what is before the store, normalises its order, and queues it.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::addBranch(uint32_t Home, uint32_t Cell, const Set &Past, EventId Store, Key Parameter,
                                        std::vector<Key> Sources) {
  Frame &F = Frames[Home];
  Set Present;
  Set Left = eventsSince(F, Past, Present);
  Branch B;
  auto Take = [&](EventId E) {
    for (uint32_t K = 0, Number = Graph[E].Void ? 1 : Graph[E].NumCells; K < Number; ++K)
      B.Steps.push_back(stepOf(E, K, Present));
  };
  if constexpr (IsLarge) {
    inBranchOrder(Graph, Left, [&](EventId E) { return keyOf(E); }, Take, [&] { countWork(1); });
    Left.clear();
  }
  while (!Left.empty()) {
    EventId Next = NoEvent;
    size_t Number = 0;
    Left.forEach([&](EventId E) {
      ++Number;
      if (!Graph[E].Past.intersects(Left) && (Next == NoEvent || keyOf(E) < keyOf(Next)))
        Next = E;
    });
    countWork(Number);
    Left.erase(Next);
    Take(Next);
  }
  B.Store = keyOf(Store);
  B.StoreParameter = Parameter;
  B.StoreSources = std::move(Sources);
  B.Cell = Cell;
  std::vector<uint64_t> Name;
  for (const auto &Step : B.Steps) {
    Name.push_back(Step.Event);
    Name.push_back(Step.Parameter);
  }
  Name.push_back(B.Store);
  Name.push_back(B.StoreParameter);
  Name.insert(Name.end(), B.StoreSources.begin(), B.StoreSources.end());
  Name.push_back(B.Cell);
  const size_t Bytes = 2 * Name.size() * sizeof(uint64_t) + sizeof(Branch) + 64;
  if (F.With) {
    std::unique_lock<std::mutex> Guard(F.With->Lock);
    if (!F.With->Known.insert(std::move(Name)).second)
      return;
    F.With->addBytes(Bytes);
    Guard.unlock();
    return Context.Team.offer({F.With, std::move(B), {}});
  }
  if (!F.Known.insert(std::move(Name)).second)
    return;
  F.Queue.push_back(std::move(B));
  F.Bytes += Bytes;
  BranchBytes += Bytes;
}

} // namespace picket
