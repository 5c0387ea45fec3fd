#include "memory/PowerAxioms.h"

#include "memory/LargePower.h"

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

} // namespace

template <unsigned Words> EventSet<Words> PowerAxioms<Words>::commitBefore(const Graph &G, EventId E) const {
  if constexpr (Words == 0)
    return large::commitBefore(G, E);
  const GraphEvent<Words> &Event = G[E];
  Set Direct = Event.Address | Event.Data | Event.Control | Event.AddressBefore | Event.Fetch | Event.Sync;
  // Whether an event is a write is known at once, not only when it is committed.
  Event.LwSync.forEach([&](EventId Earlier) {
    if (Event.IsWrite || !G[Earlier].IsWrite)
      Direct.insert(Earlier);
  });
  if (Event.IsWrite)
    Event.Eieio.forEach([&](EventId Earlier) {
      if (G[Earlier].IsWrite)
        Direct.insert(Earlier);
    });
  if (Event.Place != NoPlace)
    Event.Before.forEach([&](EventId Earlier) {
      if (G[Earlier].Place == Event.Place)
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
  Set SamePlace = G.samePlaceBefore(E);
  Set Dependencies = (New.Address | New.Data) & G.Reads;
  Set II0 = Dependencies, CI0 = New.ControlISync & G.Reads;
  Set CC0 = Dependencies | SamePlace | (New.Control & G.Reads) | (New.AddressBefore & G.Reads);
  if (!New.IsWrite && New.Source != NoEvent) {
    if (!G.isExternal(New.Source, E)) {
      II0.insert(New.Source); // rfi
    } else if constexpr (Words == 0) {
      const Set Earlier = large::beforeSource(G, E, SamePlace);
      CI0 |= Earlier & G.Writes;
      II0 |= Earlier - G.Writes;
    } else {
      // rdw and detour: an earlier access of the same place comes before the other thread's write that E reads.
      SamePlace.forEach([&](EventId Earlier) {
        if (G.coherenceOf(Earlier) < G[New.Source].Position)
          (G[Earlier].IsWrite ? CI0 : II0).insert(Earlier);
      });
    }
  }
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
  if (!New.IsWrite && New.Source != NoEvent && G.isExternal(New.Source, E))
    New.Order.insert(New.Source);

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

  (Fences & G.Reads).forEach([&](EventId Read) {
    if (EventId Source = G[Read].Source; Source != NoEvent && G.isExternal(Source, Read))
      New.PropBase.insert(Source);
  });
  New.PropBasePast = closedRowsOf(G, New.PropBase, &Event::PropBasePast);
  New.PropBasePast.insert(E);
  New.Strong |= closedRowsOf(G, Full, &Event::PropBasePast);
}

template <unsigned Words> void PowerAxioms<Words>::extend(Graph &G, EventId E) const {
  preserveProgramOrder(G, E);
  propagate(G, E);
}

template <unsigned Words> EventSet<Words> PowerAxioms<Words>::communicatesTo(const Graph &G, const Set &To) {
  // Of the events of a place, the one furthest on in coherence has all that lead to the others before it.
  Set From = To, Left = To;
  while (!Left.empty()) {
    EventId First = Left.takeFirst();
    const auto &Place = G.Places[G[First].Place];
    uint32_t Furthest = G.coherenceOf(First);
    (Left & (Place.Writes | Place.Reads)).forEach([&](EventId Other) {
      Furthest = std::max(Furthest, G.coherenceOf(Other));
    });
    Left -= Place.Writes | Place.Reads;
    for (uint32_t K = 0; K < Furthest; ++K) {
      EventId Write = Place.Coherence[K];
      From.insert(Write);
      From |= K == 0 ? Place.InitialReaders : G.readersOf(G[First].Place, Place.Coherence[K - 1]);
    }
  }
  return From;
}

template <unsigned Words> bool PowerAxioms<Words>::observes(const Graph &G, EventId E) {
  if constexpr (Words == 0)
    return large::observes(G, E);
  const GraphEvent<Words> &New = G[E];
  const auto &Place = G.Places[New.Place];
  if (!New.IsWrite) {
    // E reads before some write that has been propagated to what happens before E.
    Set Propagated = communicatesTo(G, New.Strong);
    (New.OrderPast & G.Writes).forEach([&](EventId W) { Propagated |= G[W].PropBase & G.Writes; });
    bool Allowed = true;
    (Propagated & Place.Writes).forEach([&](EventId W) {
      Allowed &= !(G[W].Position > G.positionOf(New.Source) && G.isExternal(W, E));
    });
    return Allowed;
  }
  // Somebody read before E, and E leads (by com) to something that was propagated to them.
  bool Allowed = true;
  Place.Reads.forEach([&](EventId R) {
    if (G.coherenceOf(R) >= New.Position || !G.isExternal(R, E))
      return;
    (G[R].Strong & (Place.Writes | Place.Reads)).forEach([&](EventId Y) {
      Allowed &= Y == E || G.coherenceOf(Y) <= New.Position;
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
      const auto &Coherence = G.Places[Event.Place].Coherence;
      for (uint32_t K = 0; K + 1 < Event.Position; ++K)
        From.insert(Coherence[K]);
    }
    if (From.contains(E))
      return false;
    Left |= From - Seen;
    Seen |= From;
  }
  return true;
}

template <unsigned Words> bool PowerAxioms<Words>::allows(const Graph &G, EventId E) const {
  return !leadsOn(G, E) || (observes(G, E) && propagates(G, E));
}

template class PowerAxioms<0>;
template class PowerAxioms<1>;
template class PowerAxioms<4>;
template class PowerAxioms<16>;

} // namespace picket
