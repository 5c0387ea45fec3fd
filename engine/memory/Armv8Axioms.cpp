#include "memory/Armv8Axioms.h"

#include "memory/Orders.h"

#include <algorithm>

namespace picket {

namespace {

/// Whether it is a write that takes place. That of a compare-and-swap may not.
template <unsigned Words> bool writes(const GraphEvent<Words> &E) { return E.IsWrite && !E.Void; }

/// Earlier accesses of the thread that overlap an event. Their addresses are known.
template <unsigned Words> EventSet<Words> overlapping(const ExecutionGraph<Words> &G, EventId E) {
  EventSet<Words> Same;
  if (G[E].Location == NoLocation)
    return Same;
  if constexpr (Words == 0) {
    G.forEachCell(E, [&](const GraphCell &C) { Same |= G.Large.Located[C.Location]; });
    return Same & G[E].Before;
  }
  G[E].Before.forEach([&](EventId Earlier) {
    if (G[Earlier].Location != NoLocation && G.overlap(Earlier, E))
      Same.insert(Earlier);
  });
  return Same;
}

/// Of these, in each cell of E, the accesses behind which no other write stands in front of E: the last writes (lrs), and
/// later reads.
template <unsigned Words> EventSet<Words> lastOverlapping(const ExecutionGraph<Words> &G, EventId E) {
  EventSet<Words> Left = overlapping(G, E), Last;
  std::vector<LocationId> Open; // the cells in which no write was met
  if (G.AnySplit)
    G.forEachCell(E, [&](const GraphCell &C) { Open.push_back(C.Location); });
  while (!Left.empty()) {
    const EventId Earlier = Left.takeLast();
    const bool IsLast = writes(G[Earlier]);
    if (!G.AnySplit) {
      Last.insert(Earlier);
      if (IsLast)
        break;
      continue;
    }
    G.forEachCell(Earlier, [&](const GraphCell &C) {
      auto Here = std::find(Open.begin(), Open.end(), C.Location);
      if (Here == Open.end())
        return;
      Last.insert(Earlier);
      if (IsLast)
        Open.erase(Here);
    });
  }
  return Last;
}

/// The loads that flow into an access, by registers, comparisons and the thread's own writes (pick and pmem).
template <unsigned Words> EventSet<Words> flowInto(const ExecutionGraph<Words> &G, EventId E) {
  EventSet<Words> All = G[E].Address | G[E].Data, Left = All;
  if (G[E].IsWrite)
    Left = All |= G[E].Control;
  while (!Left.empty()) {
    const EventId Load = Left.takeLast();
    EventSet<Words> More = G[Load].Compares ? G[Load].Data : EventSet<Words>();
    lastOverlapping(G, Load).forEach([&](EventId Write) {
      if (writes(G[Write]))
        More |= G[Write].Address | G[Write].Data | (G[Write].OfUpdate ? G[Write].Control : EventSet<Words>());
    });
    Left |= More - All;
    All |= More;
  }
  return All;
}

} // namespace

template <unsigned Words>
EventSet<Words> Armv8Axioms<Words>::realLoads(const Graph &G, Set Loads, const Set &Expected) {
  if (!Loads.intersects(Expected))
    return Loads;
  Set Real;
  while (!Loads.empty()) {
    const EventId Load = Loads.takeLast();
    if (Expected.contains(Load))
      Loads |= G[Load].Data; // earlier ones
    else
      Real.insert(Load);
  }
  return Real;
}

template <unsigned Words> EventSet<Words> Armv8Axioms<Words>::commitBefore(const Graph &G, EventId E) const {
  const Event &Access = G[E];
  Set Direct = Access.Address | Access.Data | Access.Control | Access.AddressBefore | Access.Fetch | Access.Sync |
               Access.ControlISync;
  if (Access.IsWrite || Access.Decides) {
    if (Access.OfUpdate)
      Direct.insert(E - 1);
    return Direct;
  }
  if (Access.Mode >= Order::Acquire)
    Access.LwSync.forEach([&](EventId Release) { // one that may turn out to be none is left to the axioms
      const bool MayFail = G[Release].OfUpdate && (G[Release - 1].Compares || G[Release].Control.contains(Release - 1));
      if (!MayFail)
        Direct.insert(Release);
    });
  lastOverlapping(G, E).forEach([&](EventId Earlier) {
    // An earlier read may come later, if it reads something else as well. It only must not read anything newer here.
    const bool ReadsMore = G.AnySplit && !G[Earlier].IsWrite &&
                           G.anyCell(Earlier, [&](const GraphCell &C) { return !G.accesses(E, C.Location); });
    if (!ReadsMore)
      Direct.insert(Earlier);
  });
  return Direct;
}

template <unsigned Words> EventSet<Words> Armv8Axioms<Words>::preferBefore(const Graph &G, EventId E) const {
  return localOrder(G, E);
}

template <unsigned Words>
EventSet<Words> Armv8Axioms<Words>::localOrder(const Graph &G, EventId E, const Set &Expected) {
  const Event &Access = G[E];
  Set Before = realLoads(G, Access.Address, Expected) | Access.Sync | Access.ControlISync |
               realLoads(G, Access.ControlISync, Expected);
  if (Access.IsWrite) {
    // A flow through the comparison of a CAS (pick) orders a write like any other.
    const Set Flow = Access.Address | Access.Data | Access.Control | Access.AddressBefore;
    Before |= Flow | realLoads(G, Flow, Expected) | overlapping(G, E);
    Access.Eieio.forEach([&](EventId Earlier) {
      if (G[Earlier].IsWrite)
        Before.insert(Earlier);
    });
    if (releases(Access.Mode))
      Before |= Access.Before;
    if (const EventId Read = G.readOf(E); Read != NoEvent)
      Before.insert(Read); // rmw
    return Before;
  }
  if (Access.Mode >= Order::Acquire)
    Before |= Access.LwSync;
  lastOverlapping(G, E).forEach([&](EventId Write) {
    if (!writes(G[Write]))
      return;
    Before |= realLoads(G, G[Write].Address | G[Write].Data, Expected);
    // What an update writes is not there before it has read, but for an exchange.
    if (const EventId Read = G.readOf(Write); Read != NoEvent && (G[Write].OfUpdate || acquires(Access.Mode)))
      Before.insert(Read);
  });
  return Before;
}

template <unsigned Words> void Armv8Axioms<Words>::extend(Graph &G, EventId E) const { G[E].Order = localOrder(G, E); }

/// What comes before E in its thread and location is no newer than E. It was placed like that (coherenceFloor), unless it
/// has but one position. Here also for what comes after it and is committed: only a write can be.
template <unsigned Words> bool Armv8Axioms<Words>::isInternallyVisible(const Graph &G, EventId E) {
  if (!G.isBehindCommitted(E) && !G.isLateWrite(E) && !G[E].OfExchange)
    return true;
  return !G.anyCell(E, [&](const GraphCell &C) {
    const uint32_t Here = G.coherenceIn(C.Location, E);
    bool Broken = false;
    (G.Locations[C.Location].Writes | G.Locations[C.Location].Reads).forEach([&](EventId X) {
      if (X == E || G.isExternal(X, E))
        return;
      const uint32_t There = G.coherenceIn(C.Location, X);
      if (G[X].Before.contains(E)) // later
        Broken |= G[X].IsWrite ? There <= Here : There < Here;
      else if (G[E].Before.contains(X))
        Broken |= G[E].IsWrite ? Here <= There : Here < There;
    });
    return Broken;
  });
}

/// plob: loads that flow, in whatever way, into an access that the thread keeps in order before a write.
template <unsigned Words>
EventSet<Words> Armv8Axioms<Words>::pickedBefore(const Graph &G, EventId Write, const Set &Expected) {
  Set Past, Left, Picked;
  Left.insert(Write);
  while (!Left.empty()) {
    const EventId To = Left.takeFirst();
    if (To != Write)
      Picked |= flowInto(G, To);
    Set From = (localOrder(G, To, Expected) & G[Write].Before & (G.Reads | G.Writes)) - Past;
    Past |= From;
    Left |= From;
  }
  return Picked;
}

template <unsigned Words> bool Armv8Axioms<Words>::isAcyclic(const Graph &G, EventId E, const Set &Expected) {
  Set Seen, Left, Around = G.Reads | G.Writes; // what may be on a cycle
  if constexpr (Words == 0)
    Around &= G.reachable();
  Left.insert(E);
  while (!Left.empty()) {
    const EventId To = Left.takeFirst();
    const Event &Access = G[To];
    Set From = Expected.empty() ? Access.Order : localOrder(G, To, Expected);
    if ((G.AnyLateExpected || !Expected.empty()) && Access.IsWrite)
      From |= pickedBefore(G, To, Expected);
    // obs: of what comes before a write in coherence the last write and its readers are enough. The others come before
    // those, by obs or, in one thread, by lws.
    G.forEachCell(To, [&](const GraphCell &C) {
      const EventId Last = !Access.IsWrite  ? C.Source
                           : C.Position > 1 ? G.Locations[C.Location].Coherence[C.Position - 2]
                                            : NoEvent;
      if (Last != NoEvent && G.isExternal(Last, To))
        From.insert(Last);
      if (Access.IsWrite) // fr; of its own thread's reads by lws
        From |= Last == NoEvent ? G.Locations[C.Location].InitialReaders : G.readersOf(C.Location, Last);
    });
    From &= Around;
    if (From.contains(E))
      return false;
    Left |= From - Seen;
    Seen |= From;
  }
  return true;
}

/// The CAS instructions that write and whose result orders a read: for these it makes a difference where it comes from.
template <unsigned Words> EventSet<Words> Armv8Axioms<Words>::choosable(const Graph &G) {
  Set Found;
  G.Reads.forEach([&](EventId Read) {
    Set Orders = G[Read].Address;
    lastOverlapping(G, Read).forEach([&](EventId Write) {
      if (writes(G[Write]))
        Orders |= G[Write].Address | G[Write].Data;
    });
    Orders.forEach([&](EventId Load) {
      if (G[Load].Compares && G.Writes.contains(Load + 1))
        Found.insert(Load);
    });
  });
  return Found;
}

template <unsigned Words> bool Armv8Axioms<Words>::isExternallyVisible(const Graph &G, EventId E) {
  // Nothing leads from it to another event.
  if (!G.isBehindCommitted(E) && !leadsOn(G, E))
    return true;
  if (isAcyclic(G, E, Set()))
    return true;
  if (!G.AnyCompares)
    return false;
  std::vector<EventId> All;
  choosable(G).forEach([&](EventId Read) { All.push_back(Read); });
  constexpr size_t Most = 16; // more than that are all taken alike: whoever has as many tests all threads of them
  const uint32_t Choices = 1u << std::min(All.size(), Most);
  for (uint32_t Choice = 1; Choice < Choices; ++Choice) {
    Set Expected;
    for (size_t K = 0; K < All.size(); ++K)
      if (Choice >> std::min(K, Most - 1) & 1)
        Expected.insert(All[K]);
    if (isAcyclic(G, E, Expected))
      return true;
  }
  return false;
}

template <unsigned Words> bool Armv8Axioms<Words>::allows(const Graph &G, EventId E) const {
  return isInternallyVisible(G, E) && isExternallyVisible(G, E);
}

template class Armv8Axioms<0>;
template class Armv8Axioms<1>;
template class Armv8Axioms<4>;
template class Armv8Axioms<16>;

} // namespace picket
