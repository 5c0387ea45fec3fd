// SC, TSO and PSO as axioms: what the model preserves of program order, together with communication, has no cycle.
// A second opinion on the store buffers of Configuration.
#pragma once

#include "memory/Axioms.h"

namespace picket {

template <unsigned Words> class OrderAxioms : public Axioms<Words> {
public:
  using Graph = ExecutionGraph<Words>;
  using Set = EventSet<Words>;

  explicit OrderAxioms(MemoryModel Model) : Model(Model) {}

  Set commitBefore(const Graph &G, EventId E) const override { return G[E].Before | G[E].Sync; }
  void extend(Graph &G, EventId E) const override;
  bool allows(const Graph &G, EventId E) const override;

private:
  bool preserves(const Graph &G, EventId Earlier, EventId Later) const;

  MemoryModel Model;
};

} // namespace picket
