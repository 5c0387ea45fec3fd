#include "memory/OrderAxioms.h"

#include "memory/Armv8Axioms.h"
#include "memory/PowerAxioms.h"
#include "memory/Rc11Axioms.h"

namespace picket {

/// Whether two accesses of a thread reach memory in program order.
template <unsigned Words> bool OrderAxioms<Words>::preserves(const Graph &G, EventId Earlier, EventId Later) const {
  const GraphEvent<Words> &A = G[Earlier], &B = G[Later];
  // The write of an update never went through a buffer.
  if (Model == MemoryModel::SC || !A.IsWrite || A.OfUpdate || B.Locked || B.Sync.contains(Earlier))
    return true;
  if (!B.IsWrite) // an update needs what is in its buffer for the same location to have landed
    return B.OfUpdate && (Model == MemoryModel::TSO || A.Location == B.Location || B.Eieio.contains(Earlier));
  return Model == MemoryModel::TSO || A.Location == B.Location || B.Eieio.contains(Earlier);
}

template <unsigned Words> void OrderAxioms<Words>::extend(Graph &G, EventId E) const {
  GraphEvent<Words> &New = G[E];
  New.Order = New.Sync & (G.Reads | G.Writes);
  (New.Before & (G.Reads | G.Writes)).forEach([&](EventId Earlier) {
    if (preserves(G, Earlier, E))
      New.Order.insert(Earlier);
  });
}

template <unsigned Words> bool OrderAxioms<Words>::allows(const Graph &G, EventId E) const {
  if (!leadsOn(G, E))
    return true;
  Set Seen, Left;
  Left.insert(E);
  while (!Left.empty()) {
    EventId To = Left.takeFirst();
    const GraphEvent<Words> &Event = G[To];
    Set From = Event.Order;
    if (!Event.IsWrite) {
      // A thread may read its own store before it lands.
      if (Event.Source != NoEvent && (Model == MemoryModel::SC || G.isExternal(Event.Source, To)))
        From.insert(Event.Source);
    } else {
      const auto &Location = G.Locations[Event.Location];
      for (uint32_t K = 0; K + 1 < Event.Position; ++K)
        From.insert(Location.Coherence[K]);
      for (uint32_t K = 0; K < Event.Position; ++K)
        From |= K == 0 ? Location.InitialReaders : G.readersOf(Event.Location, Location.Coherence[K - 1]);
    }
    if (From.contains(E))
      return false;
    Left |= From - Seen;
    Seen |= From;
  }
  return true;
}

template <unsigned Words> std::unique_ptr<Axioms<Words>> Axioms<Words>::make(MemoryModel Model) {
  switch (Model) { // without a default: a model that is added needs its axioms
  case MemoryModel::SC:
  case MemoryModel::TSO:
  case MemoryModel::PSO: return std::make_unique<OrderAxioms<Words>>(Model);
  case MemoryModel::Power: return std::make_unique<PowerAxioms<Words>>();
  case MemoryModel::Armv8: return std::make_unique<Armv8Axioms<Words>>();
  case MemoryModel::C11: return std::make_unique<Rc11Axioms<Words>>();
  }
  return nullptr;
}

template class OrderAxioms<0>;
template class OrderAxioms<1>;
template class OrderAxioms<4>;
template class OrderAxioms<16>;
template class Axioms<0>;
template class Axioms<1>;
template class Axioms<4>;
template class Axioms<16>;

} // namespace picket
