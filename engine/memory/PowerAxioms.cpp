#include "memory/PowerAxioms.h"

#include "memory/LargePower.h"
#include "memory/PowerSections.h"

#include <algorithm>

namespace picket {

namespace {

/// The union of one row of each event of a set.
template <EventRow Row, unsigned Words>
EventSet<Words> rowsOf(const ExecutionGraph<Words> &G, const EventSet<Words> &Of) {
  if constexpr (Words == 0)
    return G.rowsOf(Of, Row);
  constexpr auto Member = Row == EventRow::II   ? &GraphEvent<Words>::II
                          : Row == EventRow::IC ? &GraphEvent<Words>::IC
                          : Row == EventRow::CI ? &GraphEvent<Words>::CI
                                                : &GraphEvent<Words>::CC;
  EventSet<Words> All;
  Of.forEach([&](EventId E) { All |= G[E].*Member; });
  return All;
}

/// Whether coherence or from-reads lead from an event to a write.
template <unsigned Words> bool comesBefore(const ExecutionGraph<Words> &G, EventId E, EventId Write) {
  return G.anyCell(Write, [&](const GraphCell &C) {
    return G.accesses(E, C.Location) && G.coherenceIn(C.Location, E) < C.Position;
  });
}

} // namespace

template <unsigned Words> EventSet<Words> PowerAxioms<Words>::commitBefore(const Graph &G, EventId E) const {
  if constexpr (Words == 0)
    return large::commitBefore(G, E);
  const GraphEvent<Words> &Event = G[E];
  Set Direct = Event.Address | Event.Data | Event.Control | Event.AddressBefore | Event.Fetch | Event.Sync;
  // Whether an event is a write is known immediately, not only when it is committed.
  Event.LwSync.forEach([&](EventId Earlier) {
    if (Event.IsWrite || !G[Earlier].IsWrite)
      Direct.insert(Earlier);
  });
  if (Event.IsWrite)
    Event.Eieio.forEach([&](EventId Earlier) {
      if (G[Earlier].IsWrite)
        Direct.insert(Earlier);
    });
  if (Event.Location == NoLocation)
    return Direct;
  if (G.AnySplit)
    Event.Before.forEach([&](EventId Earlier) {
      if (G.overlap(Earlier, E))
        Direct.insert(Earlier);
    });
  else
    Event.Before.forEach([&](EventId Earlier) {
      if (G[Earlier].Location == Event.Location)
        Direct.insert(Earlier);
    });
  return Direct;
}

template <unsigned Words> EventSet<Words> PowerAxioms<Words>::fullFence(const Graph &G, EventId E) {
  return G[E].Sync & (G.Reads | G.Writes);
}

template <unsigned Words> EventSet<Words> PowerAxioms<Words>::lightFence(const Graph &G, EventId E) {
  if (!G[E].IsWrite)
    return G[E].LwSync & G.Reads;
  return (G[E].LwSync & (G.Reads | G.Writes)) | (G[E].Eieio & G.Writes);
}

/// ii, ic, ci and cc: the least sets with the equations of the model, as far as they lead to E.
template <unsigned Words> void PowerAxioms<Words>::preserveProgramOrder(Graph &G, EventId E) {
  GraphEvent<Words> &New = G[E];
  Set SamePlace = G.sameLocationBefore(E);
  Set Dependencies = (New.Address | New.Data) & G.Reads;
  Set II0 = Dependencies, CI0 = New.ControlISync & G.Reads;
  Set CC0 = Dependencies | SamePlace | (New.Control & G.Reads) | (New.AddressBefore & G.Reads);
  if (!New.IsWrite)
    G.forEachCell(E, [&](const GraphCell &C) {
      if (C.Source == NoEvent)
        return;
      if (!G.isExternal(C.Source, E)) {
        II0.insert(C.Source); // rfi
        return;
      }
      if constexpr (Words == 0) {
        const Set Earlier = large::beforeSource(G, C, SamePlace);
        CI0 |= Earlier & G.Writes;
        II0 |= Earlier - G.Writes;
        return;
      }
      // rdw and detour: an earlier access of the same location comes before the other thread's write that E reads.
      SamePlace.forEach([&](EventId Earlier) {
        if (comesBefore(G, Earlier, C.Source))
          (G[Earlier].IsWrite ? CI0 : II0).insert(Earlier);
      });
    });
  New.II = II0;
  New.CI = CI0;
  New.CC = CC0;
  New.IC.clear();
  for (bool Grows = true; Grows;) {
    Set II = II0 | New.CI | rowsOf<EventRow::IC>(G, New.CI) | rowsOf<EventRow::II>(G, New.II);
    Set IC = New.II | New.CC | rowsOf<EventRow::IC>(G, New.CC) | rowsOf<EventRow::II>(G, New.IC);
    Set CI = CI0 | rowsOf<EventRow::CI>(G, New.II) | rowsOf<EventRow::CC>(G, New.CI);
    Set CC = CC0 | New.CI | rowsOf<EventRow::CI>(G, New.IC) | rowsOf<EventRow::CC>(G, New.CC);
    Grows = !(II == New.II && IC == New.IC && CI == New.CI && CC == New.CC);
    New.II = II;
    New.IC = IC;
    New.CI = CI;
    New.CC = CC;
  }
}

/// The union of a row of each event of a set, where the row of one event holds those of all events in it: these need
/// not be looked at, and the latest events have most of the others in their rows.
template <unsigned Words>
static EventSet<Words> closedRowsOf(const ExecutionGraph<Words> &G, EventSet<Words> Of,
                                    EventSet<Words> GraphEvent<Words>::*Row) {
  EventSet<Words> All;
  while (!Of.empty()) {
    EventId E = Of.takeLast();
    All |= G[E].*Row;
    Of -= G[E].*Row;
  }
  return All;
}

/// hb, prop-base and the strong part of prop that full fences make: prop-base* ; ffence ; hb*.
template <unsigned Words> void PowerAxioms<Words>::propagate(Graph &G, EventId E) {
  if constexpr (Words == 0)
    return large::propagate(G, E);
  using Event = GraphEvent<Words>;
  Event &New = G[E];
  Set Full = fullFence(G, E), Fences = Full | lightFence(G, E);
  New.Order = ((New.IsWrite ? New.IC : New.II) & G.Reads) | Fences;
  auto ExternalSources = [&G](EventId Read, Set &Into) {
    G.forEachCell(Read, [&](const GraphCell &C) {
      if (C.Source != NoEvent && G.isExternal(C.Source, Read))
        Into.insert(C.Source);
    });
  };
  if (!New.IsWrite)
    ExternalSources(E, New.Order);

  // What happens before something that happens before E has given its rows to it.
  New.OrderPast.clear();
  New.PropBase = Fences;
  New.Strong.clear();
  for (Set Left = New.Order; !Left.empty();) {
    const Event &Earlier = G[Left.takeLast()];
    New.OrderPast |= Earlier.OrderPast;
    New.PropBase |= Earlier.PropBase;
    New.Strong |= Earlier.Strong;
    Left -= Earlier.OrderPast;
  }
  New.OrderPast.insert(E);

  (Fences & G.Reads).forEach([&](EventId Read) { ExternalSources(Read, New.PropBase); });
  New.PropBasePast = closedRowsOf(G, New.PropBase, &Event::PropBasePast);
  New.PropBasePast.insert(E);
  New.Strong |= closedRowsOf(G, Full, &Event::PropBasePast);
}

template <unsigned Words> void PowerAxioms<Words>::extend(Graph &G, EventId E) const {
  preserveProgramOrder(G, E);
  propagate(G, E);
}

/// Location by location: where an access is split, what is before one of its locations is not before what comes behind another.
template <unsigned Words> EventSet<Words> PowerAxioms<Words>::communicatesTo(const Graph &G, const Set &To) {
  // Of the events of a location, the one furthest on in coherence has all that lead to the others before it.
  Set From = To;
  auto Add = [&](LocationId Where, uint32_t Furthest) {
    const auto &Location = G.Locations[Where];
    for (uint32_t K = 0; K < Furthest; ++K) {
      From.insert(Location.Coherence[K]);
      From |= K == 0 ? Location.InitialReaders : G.readersOf(Where, Location.Coherence[K - 1]);
    }
  };
  for (Set Left = To; !Left.empty();) {
    const EventId First = Left.takeFirst();
    G.forEachCell(First, [&](const GraphCell &C) {
      const Set Here = G.Locations[C.Location].Writes | G.Locations[C.Location].Reads;
      uint32_t Furthest = G.coherenceIn(C.Location, First);
      ((G.AnySplit ? To : Left) & Here).forEach([&](EventId Other) {
        Furthest = std::max(Furthest, G.coherenceIn(C.Location, Other));
      });
      Add(C.Location, Furthest);
      if (!G.AnySplit) // else they may have other locations
        Left -= Here;
    });
  }
  return From;
}

template <unsigned Words> bool PowerAxioms<Words>::observes(const Graph &G, EventId E) {
  if constexpr (Words == 0)
    return large::observes(G, E);
  const GraphEvent<Words> &New = G[E];
  bool Allowed = true;
  if (!New.IsWrite) {
    // E reads before some write that has been propagated to what happens before E.
    Set Propagated = communicatesTo(G, New.Strong);
    (New.OrderPast & G.Writes).forEach([&](EventId W) { Propagated |= G[W].PropBase & G.Writes; });
    G.forEachCell(E, [&](const GraphCell &C) {
      const uint32_t Read = G.positionIn(C.Location, C.Source);
      (Propagated & G.Locations[C.Location].Writes).forEach([&](EventId W) {
        Allowed &= !(G.cellIn(C.Location, W).Position > Read && G.isExternal(W, E));
      });
    });
    return Allowed;
  }
  // Somebody read before E, and E leads (by com) to something that was propagated to them.
  Set Behind; // by com
  G.forEachCell(E, [&](const GraphCell &C) {
    const auto &Location = G.Locations[C.Location];
    (Location.Writes | Location.Reads).forEach([&](EventId Y) {
      if (Y != E && G.coherenceIn(C.Location, Y) > C.Position)
        Behind.insert(Y);
    });
  });
  G.forEachCell(E, [&](const GraphCell &C) {
    G.Locations[C.Location].Reads.forEach([&](EventId R) {
      if (G.coherenceIn(C.Location, R) < C.Position && G.isExternal(R, E))
        Allowed &= !G[R].Strong.intersects(Behind);
    });
  });
  return Allowed;
}

template <unsigned Words> bool PowerAxioms<Words>::propagates(const Graph &G, EventId E) {
  if constexpr (Words == 0)
    return large::propagates(G, E);
  // Backwards from E along coherence and propagation.
  Set Seen, Left;
  Left.insert(E);
  while (!Left.empty()) {
    EventId To = Left.takeFirst();
    const GraphEvent<Words> &Event = G[To];
    Set From = communicatesTo(G, Event.Strong);
    if (Event.IsWrite) {
      From |= Event.PropBase & G.Writes;
      G.forEachCell(To, [&](const GraphCell &C) {
        const auto &Coherence = G.Locations[C.Location].Coherence;
        for (uint32_t K = 0; K + 1 < C.Position; ++K)
          From.insert(Coherence[K]);
      });
    }
    if (From.contains(E))
      return false;
    Left |= From - Seen;
    Seen |= From;
  }
  return true;
}

template <unsigned Words> bool PowerAxioms<Words>::seesWhole(const Graph &G, EventId E) {
  bool Whole = true;
  Set Reads = G[E].OrderPast & G.Reads;
  if constexpr (Words == 0)
    Reads &= G.reachable(); // from E: they come behind a write that does
  Reads.forEach([&](EventId Read) {
    if (G.isExternal(Read, E))
      return;
    G.forEachCell(Read, [&](const GraphCell &C) {
      Whole &=
          C.Source == NoEvent || !G.isSplit(C.Source) || !G.isExternal(C.Source, Read) || !comesBefore(G, E, C.Source);
    });
  });
  return Whole;
}

template <unsigned Words> bool PowerAxioms<Words>::keepsSectionsWhole(const Graph &G, EventId E) {
  return !sections::leadsOut(G, E) || sections::Quotient<Words>(G, E).isAllowed();
}

template <unsigned Words> bool PowerAxioms<Words>::allows(const Graph &G, EventId E) const {
  return (!leadsOn(G, E) || (observes(G, E) && propagates(G, E) && (!G.AnySplit || seesWhole(G, E)))) &&
         (!G.AnySections || keepsSectionsWhole(G, E));
}

template class PowerAxioms<0>;
template class PowerAxioms<1>;
template class PowerAxioms<4>;
template class PowerAxioms<16>;

} // namespace picket
