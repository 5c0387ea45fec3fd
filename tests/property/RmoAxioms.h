// RmoAxioms: a memory model like SPARC's RMO that only tests have, added as docs/how-to-add-a-memory-model.md says. Of
// program order, only dependencies and fences are preserved, but all threads see writes in one order, unlike under
// POWER.
#pragma once

#include "memory/OrderAxioms.h"
#include "memory/PowerAxioms.h"

namespace picket::testing {

template <unsigned Words> class RmoAxioms : public OrderAxioms<Words> {
public:
  using typename OrderAxioms<Words>::Graph;
  using typename OrderAxioms<Words>::Set;

  /// That what is preserved has no cycle with communication is asked as for PSO: threads may read their own stores
  /// early.
  RmoAxioms() : OrderAxioms<Words>(MemoryModel::PSO) {}

  Set commitBefore(const Graph &G, EventId E) const override { return PowerAxioms<Words>().commitBefore(G, E); }

  void extend(Graph &G, EventId E) const override {
    GraphEvent<Words> &New = G[E];
    const Set Needed = neededFor(G, E);
    New.II = Needed;
    Needed.forEach([&](EventId Earlier) { New.II |= G[Earlier].II; });
    New.Order = (New.II & G.Reads) | PowerAxioms<Words>::fullFence(G, E) | PowerAxioms<Words>::lightFence(G, E);
  }

private:
  /// What E depends on. A store is not made before it is certain that it happens, and where earlier accesses go.
  static Set neededFor(const Graph &G, EventId E) {
    const GraphEvent<Words> &Event = G[E];
    Set Needed = Event.Address | Event.ControlISync;
    if (Event.IsWrite)
      Needed |= Event.Data | Event.Control | Event.AddressBefore | G.sameLocationBefore(E);
    else if (Event.Source != NoEvent && !G.isExternal(Event.Source, E))
      Needed.insert(Event.Source);
    return Needed & (G.Reads | G.Writes);
  }
};

/// C11's orders and fences mean the instructions that they mean under POWER.
inline GraphModel rmo() { return GraphModel::of<RmoAxioms>(MemoryModel::Power); }

} // namespace picket::testing
