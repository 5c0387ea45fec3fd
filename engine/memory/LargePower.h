// The relations of POWER in graphs of any length: what PowerAxioms says, without looking at every event. A part of
// PowerAxioms.cpp: not for others to include.
#pragma once

#include "memory/PowerAxioms.h"

#include <unordered_map>

namespace picket::large {

using Graph = ExecutionGraph<0>;
using Set = EventSet<0>;
using Event = GraphEvent<0>;

inline Set commitBefore(const Graph &G, EventId E) {
  const Event &Event = G[E];
  Set Direct = Event.Address | Event.Data | Event.Control | Event.AddressBefore | Event.Fetch | Event.Sync;
  Direct |= Event.IsWrite ? Event.LwSync | (Event.Eieio & G.Large.Writes) : Event.LwSync - G.Large.Writes;
  if (Event.Location != NoLocation)
    G.forEachCell(E, [&](const GraphCell &C) { Direct |= Event.Before & G.Large.Located[C.Location]; });
  return Direct;
}

/// rdw and detour: earlier accesses of the same locations that come before the other thread's write that is read in a
/// cell. What a thread sees of a location never goes back, so the latest of them are those that do not.
inline Set beforeSource(const Graph &G, const GraphCell &Read, const Set &SamePlace) {
  Set Before;
  G.forEachCell(Read.Source, [&](const GraphCell &C) {
    Set Here = (SamePlace & (G.Locations[C.Location].Writes | G.Locations[C.Location].Reads)) -
               G.readersOf(C.Location, Read.Source);
    if (C.Location != Read.Location)
      while (!Here.empty() && G.coherenceIn(C.Location, Here.last()) >= C.Position)
        Here.takeLast();
    Before |= Here;
  });
  return Before;
}

inline void propagate(Graph &G, EventId E) {
  Event &New = G[E];
  const Set Full = PowerAxioms<0>::fullFence(G, E), Fences = Full | PowerAxioms<0>::lightFence(G, E);
  New.Order = ((New.IsWrite ? New.IC : New.II) & G.Reads) | Fences;
  if (!New.IsWrite)
    New.Order |= New.More.From;
  New.OrderPast = G.rowsOf(New.Order, EventRow::OrderPast);
  New.OrderPast.insert(E);
  New.PropBase = Fences | G.rowsOf(New.Order, EventRow::PropBase) | G.rowsOf(Fences & G.Reads, EventRow::From);
  New.PropBasePast = G.rowsOf(New.PropBase, EventRow::PropBasePast);
  New.PropBasePast.insert(E);
  New.Strong = G.rowsOf(New.Order, EventRow::Strong) | G.rowsOf(Full, EventRow::PropBasePast);
}

/// The first position of a location, counted from 0, at which there are certain events: writes there, or reads of what is
/// in front of it.
inline uint32_t firstPosition(const Graph &G, LocationId Id, const Set &Among) {
  const auto &Location = G.Locations[Id];
  auto First = static_cast<uint32_t>(Location.Coherence.size());
  (Location.Writes & Among).forEach([&](EventId W) { First = std::min(First, G.positionIn(Id, W) - 1); });
  (Location.Reads & Among).forEach([&](EventId R) { First = std::min(First, G.coherenceIn(Id, R)); });
  return First;
}

/// Everything among certain events from which com* leads to events that are added one after the other.
class Communication {
public:
  Communication(const Graph &G, const Set &Among) : TheGraph(G), Among(Among) {}

  /// Adds to `From` what leads to some more events.
  void add(const Set &To, Set &From) {
    const Set More = (To & Among) - Added;
    Added |= More;
    From |= More;
    More.forEach([&](EventId E) {
      TheGraph.forEachCell(E,
                           [&](const GraphCell &C) { addIn(C.Location, TheGraph.coherenceIn(C.Location, E), From); });
    });
  }

private:
  /// Of the events of a location, the one furthest on in coherence has all that lead to the others before it.
  void addIn(LocationId Id, uint32_t Position, Set &From) {
    const auto &Location = TheGraph.Locations[Id];
    const auto [Found, New] = FurthestOf.try_emplace(Id);
    uint32_t &Furthest = Found->second;
    if (New)
      Furthest = firstPosition(TheGraph, Id, Among);
    for (; Furthest < Position; ++Furthest) {
      if (const EventId Write = Location.Coherence[Furthest]; Among.contains(Write))
        From.insert(Write);
      From |= Among & TheGraph.readersOf(Id, Furthest == 0 ? NoEvent : Location.Coherence[Furthest - 1]);
    }
  }

  const Graph &TheGraph;
  const Set &Among;
  Set Added;
  std::unordered_map<LocationId, uint32_t> FurthestOf;
};

inline bool observes(const Graph &G, EventId E) {
  const Event &New = G[E];
  // What leads from E to other events leads to writes behind it, and from there to what was committed after them.
  const Set Reachable = G.reachable();
  auto FurthestOf = [&](LocationId Location, const Set &Events) {
    uint32_t Furthest = 0;
    (Events & (G.Locations[Location].Writes | G.Locations[Location].Reads) & Reachable).forEach([&](EventId Y) {
      Furthest = std::max(Furthest, Y == E ? 0 : G.coherenceIn(Location, Y));
    });
    return Furthest;
  };
  if (!New.IsWrite) {
    // E reads before some write that has been propagated to what happens before E.
    const Set Propagated = G.rowsOf(New.OrderPast & G.Writes & Reachable, EventRow::PropBase);
    std::unordered_map<LocationId, uint32_t> Known;
    auto LeadsToStrong = [&](const GraphCell &C) { // by com, in this location
      const auto [Found, IsNew] = Known.try_emplace(C.Location);
      if (IsNew)
        Found->second = FurthestOf(C.Location, New.Strong);
      return C.Position <= Found->second;
    };
    return !G.anyCell(E, [&](const GraphCell &C) {
      const auto &Coherence = G.Locations[C.Location].Coherence;
      for (uint32_t K = G.positionIn(C.Location, C.Source); K < Coherence.size(); ++K)
        if (const EventId W = Coherence[K];
            G.isExternal(W, E) && (Propagated.contains(W) || G.anyCell(W, LeadsToStrong)))
          return true;
      return false;
    });
  }
  // Somebody read before E, and E leads (by com) to something that was propagated to them.
  bool Allowed = true;
  G.forEachCell(E, [&](const GraphCell &C) {
    (G.Locations[C.Location].Reads & Reachable).forEach([&](EventId R) {
      if (Allowed && G.coherenceIn(C.Location, R) < C.Position && G.isExternal(R, E))
        Allowed = !G.anyCell(
            E, [&](const GraphCell &Other) { return FurthestOf(Other.Location, G[R].Strong) > Other.Position; });
    });
  });
  return Allowed;
}

inline bool propagates(const Graph &G, EventId E) {
  // Backwards from E along coherence and propagation. A cycle goes on from E to what is reachable, and stays there.
  const Set Reachable = G.reachable();
  Communication Leads(G, Reachable);
  std::unordered_map<LocationId, uint32_t> Behind; // writes of a location that were looked at, as positions
  Set Seen, Left;
  Left.insert(E);
  while (!Left.empty()) {
    const EventId To = Left.takeFirst();
    const Event &Event = G[To];
    Set From;
    Leads.add(Event.Strong, From);
    if (Event.IsWrite) {
      From |= Event.PropBase & G.Writes & Reachable;
      G.forEachCell(To, [&](const GraphCell &C) {
        const auto &Coherence = G.Locations[C.Location].Coherence;
        const auto [Found, New] = Behind.try_emplace(C.Location);
        uint32_t &K = Found->second;
        if (New)
          K = firstPosition(G, C.Location, Reachable);
        for (; K + 1 < C.Position; ++K)
          if (Reachable.contains(Coherence[K]))
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

} // namespace picket::large
