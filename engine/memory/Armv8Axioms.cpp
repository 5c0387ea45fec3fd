#include "memory/Armv8Axioms.h"

namespace picket {

namespace {

bool acquires(Order Mode) { return Mode >= Order::AcquirePC && Mode != Order::Release; } // A and Q, of a read
bool releases(Order Mode) { return Mode >= Order::Release; }                             // L, of a write

/// Earlier accesses of the thread that overlap an event. Their addresses are known.
template <unsigned Words> EventSet<Words> overlapping(const ExecutionGraph<Words> &G, EventId E) {
  EventSet<Words> Same;
  if (G[E].Place == NoPlace)
    return Same;
  G[E].Before.forEach([&](EventId Earlier) {
    if (G[Earlier].Place != NoPlace && G.overlap(Earlier, E))
      Same.insert(Earlier);
  });
  return Same;
}

/// Of these the accesses behind which no other write stands in front of E: the last writes (lrs), and later reads.
template <unsigned Words> EventSet<Words> lastOverlapping(const ExecutionGraph<Words> &G, EventId E) {
  EventSet<Words> Left = overlapping(G, E), Last;
  while (!Left.empty()) {
    const EventId Earlier = Left.takeLast();
    Last.insert(Earlier);
    if (!G.AnySplit && G[Earlier].IsWrite && !G[Earlier].Void)
      break;
  }
  return Last;
}

} // namespace

template <unsigned Words> EventSet<Words> Armv8Axioms<Words>::commitBefore(const Graph &G, EventId E) const {
  const Event &Access = G[E];
  Set Direct = Access.Address | Access.Data | Access.Control | Access.AddressBefore | Access.Fetch | Access.Sync |
               Access.ControlISync;
  if (Access.IsWrite || Access.Decides)
    return Direct;
  if (Access.Mode >= Order::Acquire)
    Direct |= Access.LwSync;
  return Direct | lastOverlapping(G, E);
}

template <unsigned Words> EventSet<Words> Armv8Axioms<Words>::preferBefore(const Graph &G, EventId E) const {
  return localOrder(G, E);
}

template <unsigned Words> EventSet<Words> Armv8Axioms<Words>::localOrder(const Graph &G, EventId E) {
  const Event &Access = G[E];
  Set Before = Access.Address | Access.Sync | Access.ControlISync;
  if (Access.IsWrite) {
    Before |= Access.Data | Access.Control | Access.AddressBefore | overlapping(G, E);
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
    if (!G[Write].IsWrite)
      return;
    Before |= G[Write].Address | G[Write].Data;
    if (const EventId Read = G.readOf(Write); Read != NoEvent && acquires(Access.Mode))
      Before.insert(Read);
  });
  return Before;
}

template <unsigned Words> void Armv8Axioms<Words>::extend(Graph &G, EventId E) const { G[E].Order = localOrder(G, E); }

/// What comes before E in its thread and location is no newer than E. Here for what comes after it and is committed: only
/// a write can be.
template <unsigned Words> bool Armv8Axioms<Words>::isInternallyVisible(const Graph &G, EventId E) {
  return !G.anyCell(E, [&](const GraphCell &C) {
    const uint32_t Here = G.coherenceIn(C.Place, E);
    bool Broken = false;
    (G.Places[C.Place].Writes | G.Places[C.Place].Reads).forEach([&](EventId X) {
      if (X == E || G.isExternal(X, E))
        return;
      const uint32_t There = G.coherenceIn(C.Place, X);
      if (G[X].Before.contains(E)) // later
        Broken |= G[X].IsWrite ? There <= Here : There < Here;
      else if (G[E].Before.contains(X))
        Broken |= G[E].IsWrite ? Here <= There : Here < There;
    });
    return Broken;
  });
}

template <unsigned Words> bool Armv8Axioms<Words>::isExternallyVisible(const Graph &G, EventId E) {
  Set Seen, Left;
  Left.insert(E);
  while (!Left.empty()) {
    const EventId To = Left.takeFirst();
    const Event &Access = G[To];
    Set From = Access.Order;
    G.forEachCell(To, [&](const GraphCell &C) { // obs
      auto Add = [&](EventId X) {
        if (G.isExternal(X, To))
          From.insert(X);
      };
      if (!Access.IsWrite) {
        if (C.Source != NoEvent)
          Add(C.Source);
        return;
      }
      const auto &Place = G.Places[C.Place];
      for (uint32_t K = 0; K + 1 < C.Position; ++K)
        Add(Place.Coherence[K]);
      for (uint32_t K = 0; K < C.Position; ++K)
        (K == 0 ? Place.InitialReaders : G.readersOf(C.Place, Place.Coherence[K - 1])).forEach(Add);
    });
    From &= G.Reads | G.Writes;
    if (From.contains(E))
      return false;
    Left |= From - Seen;
    Seen |= From;
  }
  return true;
}

template <unsigned Words> bool Armv8Axioms<Words>::allows(const Graph &G, EventId E) const {
  return isInternallyVisible(G, E) && isExternallyVisible(G, E);
}

template class Armv8Axioms<0>;
template class Armv8Axioms<1>;
template class Armv8Axioms<4>;
template class Armv8Axioms<16>;

} // namespace picket
