#include "memory/Rc11Axioms.h"

#include "memory/Orders.h"

namespace picket {

namespace {

template <unsigned Words> EventSet<Words> committed(const ExecutionGraph<Words> &G) {
  return G.Reads | G.Writes | G.Fences;
}

/// The committed accesses of the locations of an event. A fence has none.
template <unsigned Words> EventSet<Words> sameLocation(const ExecutionGraph<Words> &G, EventId E) {
  EventSet<Words> Same;
  if (!G[E].IsFence)
    G.forEachCell(E,
                  [&](const GraphCell &C) { Same |= G.Locations[C.Location].Writes | G.Locations[C.Location].Reads; });
  return Same;
}

/// sb!= into an event.
template <unsigned Words> EventSet<Words> differentBefore(const ExecutionGraph<Words> &G, EventId E) {
  return (G[E].Before & committed(G)) - sameLocation(G, E);
}

/// Adds what is before a write by modification order and reads-before; or, if Eco is said, before any access by extended
/// coherence order.
template <unsigned Words> void addEarlier(const ExecutionGraph<Words> &G, EventId E, bool Eco, EventSet<Words> &Into) {
  if (G[E].IsFence || (!Eco && !G[E].IsWrite))
    return;
  G.forEachCell(E, [&](const GraphCell &C) {
    const auto &Location = G.Locations[C.Location];
    const uint32_t Position = G.coherenceIn(C.Location, E);
    // A read comes behind the write it reads, and behind the readers of those in front of that.
    for (uint32_t K = 0; K < (G[E].IsWrite ? Position - 1 : Position); ++K)
      Into.insert(Location.Coherence[K]);
    for (uint32_t K = 0; K < Position; ++K)
      Into |= K == 0 ? Location.InitialReaders : G.readersOf(C.Location, Location.Coherence[K - 1]);
  });
}

} // namespace

/// The release that a write is by itself, or that a fence in front of it is.
template <unsigned Words> EventSet<Words> Rc11Axioms<Words>::ownHeads(const Graph &G, EventId Write) const {
  Set Heads;
  if (releases(G[Write].Mode)) {
    Heads.insert(Write);
    return Heads;
  }
  for (Set Left = G[Write].Before & G.Fences; !Left.empty();) // earlier ones happen before the last
    if (const EventId Fence = Left.takeLast(); releases(G[Fence].Mode)) {
      Heads.insert(Fence);
      break;
    }
  return Heads;
}

/// The releases that synchronise with an event.
template <unsigned Words> EventSet<Words> Rc11Axioms<Words>::acquired(const Graph &G, EventId E) const {
  Set Heads;
  auto Add = [&](EventId Read) {
    if (G[Read].Mode != Order::NotAtomic)
      G.forEachCell(Read, [&](const GraphCell &C) {
        if (C.Source != NoEvent)
          Heads |= heads(G[C.Source]);
      });
  };
  if (!acquires(G[E].Mode))
    return Heads;
  if (G[E].IsFence)
    (G[E].Before & G.Reads).forEach(Add);
  else if (!G[E].IsWrite)
    Add(E);
  return Heads;
}

template <unsigned Words> void Rc11Axioms<Words>::extend(Graph &G, EventId E) const {
  Event &New = G[E];
  const Set Here = committed(G);
  New.Order = New.Before & Here;
  Set Past;
  // Adds what happens before some events to Past, and returns sb!= ; hb into what comes after them.
  auto Follow = [&](Set Left) {
    Set Behind;
    while (!Left.empty()) { // what happens before one of these has given its rows to it
      const EventId Earlier = Left.takeLast();
      Past |= happensBefore(G[Earlier]);
      Behind |= differentThenHb(G[Earlier]) | differentBefore(G, Earlier);
      Left -= happensBefore(G[Earlier]);
    }
    return Behind;
  };
  // The start of the thread, and joins, are like fences: what they come behind is of another location.
  const Set Created = New.Sync & Here;
  const Set BehindStart = Created | Follow(Created);
  const Set Behind = BehindStart | Follow(New.Order | acquired(G, E));
  Past.insert(E);
  New.OrderPast = Past;
  New.CI = Behind;

  New.CC = New.Order | BehindStart | (Past & sameLocation(G, E));
  if (Set Different = differentBefore(G, E); !Different.empty())
    New.CC |= differentThenHb(G[Different.takeLast()]); // which has those of the earlier ones
  New.CC.erase(E);

  New.PropBase.clear();
  if (!New.IsWrite || New.Mode == Order::NotAtomic)
    return;
  New.PropBase = ownHeads(G, E);
  if (New.OfUpdate)
    G.forEachCell(E - 1, [&](const GraphCell &C) {
      if (C.Source != NoEvent)
        New.PropBase |= heads(G[C.Source]);
    });
  if (Kind == ReleaseSequences::C11)
    (G.sameLocationBefore(E) & G.Writes).forEach([&](EventId Earlier) { New.PropBase |= ownHeads(G, Earlier); });
}

template <unsigned Words> bool Rc11Axioms<Words>::isCoherent(const Graph &G, EventId E) {
  return !G.anyCell(E, [&](const GraphCell &C) {
    const uint32_t Here = G.coherenceIn(C.Location, E);
    bool Broken = false;
    Set Earlier = happensBefore(G[E]) & (G.Locations[C.Location].Writes | G.Locations[C.Location].Reads);
    Earlier.erase(E);
    Earlier.forEach([&](EventId X) {
      const uint32_t Seen = G.coherenceIn(C.Location, X);
      Broken |= G[E].IsWrite ? Seen >= Here : Seen > Here;
    });
    return Broken;
  });
}

template <unsigned Words> EventSet<Words> Rc11Axioms<Words>::racesOf(const Graph &G, EventId E) {
  Set Found;
  if (G[E].IsFence || G[E].Ends || G[E].Void)
    return Found;
  const bool IsAtomic = G[E].Mode != Order::NotAtomic;
  G.forEachCell(E, [&](const GraphCell &C) {
    const auto &Location = G.Locations[C.Location];
    ((G[E].IsWrite ? Location.Writes | Location.Reads : Location.Writes) - happensBefore(G[E])).forEach([&](EventId X) {
      if (G.isExternal(X, E) && !G[X].Ends && !(IsAtomic && G[X].Mode != Order::NotAtomic))
        Found.insert(X);
    });
  });
  return Found;
}

/// A cycle goes through the new event, and nothing but modification order and reads-before leads on from it.
template <unsigned Words> bool Rc11Axioms<Words>::isInterleaving(const Graph &G, EventId E) {
  if (!leadsOn(G, E))
    return true;
  Set Seen, Left;
  Left.insert(E);
  while (!Left.empty()) {
    const EventId To = Left.takeFirst();
    Set From = G[To].Order | (G[To].Sync & committed(G));
    addEarlier(G, To, true, From);
    if (From.contains(E))
      return false;
    Left |= From - Seen;
    Seen |= From;
  }
  return true;
}

/// A cycle goes through the new event E: something leads to E, and from there modification order, reads-before or, between
/// fences, extended coherence order leads on. So what leads to E by psc is searched for what E leads to.
template <unsigned Words> bool Rc11Axioms<Words>::isSequential(const Graph &G, EventId E) {
  const Set Fences = G.SeqCst & G.Fences;
  Set Left = Fences & happensBefore(G[E]);
  if (Left.empty() && G[E].Mode != Order::SeqCst)
    return true;
  Set LaterWrites, Later; // by mo and rb; by eco
  G.forEachCell(E, [&](const GraphCell &C) {
    const auto &Location = G.Locations[C.Location];
    const uint32_t Here = G.coherenceIn(C.Location, E);
    (Location.Writes | Location.Reads).forEach([&](EventId X) {
      if (X != E && G.coherenceIn(C.Location, X) > Here)
        (G[X].IsWrite ? LaterWrites : Later).insert(X);
    });
  });
  Later |= LaterWrites;

  Set Seen = Left;
  auto Search = [&](bool FromFence) {
    while (!Left.empty()) {
      const EventId To = Left.takeFirst();
      const bool IsFence = G[To].IsFence;
      Set Ends; // where scb leads, to be or to happen before the next one
      if (IsFence)
        Ends = happensBefore(G[To]);
      else
        Ends.insert(To);
      if (Ends.intersects(LaterWrites) || (FromFence && IsFence && Ends.intersects(Later)))
        return false;
      Set From, FromEco;
      Ends.forEach([&](EventId X) {
        From |= partialScb(G[X]);
        addEarlier(G, X, false, From);
        if (IsFence)
          addEarlier(G, X, true, FromEco);
      });
      Set Found = (From & G.SeqCst) | (IsFence ? Ends & Fences : Set());
      (From | FromEco).forEach([&](EventId X) { Found |= happensBefore(G[X]) & Fences; });
      Left |= Found - Seen;
      Seen |= Found;
    }
    return true;
  };
  if (!Search(true))
    return false;
  if (G[E].Mode != Order::SeqCst || Seen.contains(E))
    return true;
  Left.insert(E);
  Seen.insert(E);
  return Search(false);
}

template <unsigned Words> bool Rc11Axioms<Words>::allows(const Graph &G, EventId E) const {
  if (Sequential)
    return isInterleaving(G, E);
  return isCoherent(G, E) && (!leadsOn(G, E) || G.SeqCst.empty() || isSequential(G, E));
}

GraphModel graphModelOf(MemoryModel Model, const LanguageRules &Rules) {
  if (Model == MemoryModel::SC || Model == MemoryModel::C11)
    return GraphModel::of<Rc11Axioms>(MemoryModel::C11, Rules.Sequences, Model == MemoryModel::SC);
  return Model;
}

template class Rc11Axioms<0>;
template class Rc11Axioms<1>;
template class Rc11Axioms<4>;
template class Rc11Axioms<16>;

} // namespace picket
