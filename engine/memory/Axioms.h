// Memory models as axioms over execution graphs. A model says in which order events may be committed, which edges lead
// to a newly committed event, and whether the graph with it is allowed.
#pragma once

#include "memory/ExecutionGraph.h"

#include <memory>

namespace picket {

enum class AxiomaticModel : uint8_t { SC, TSO, PSO, Power };

template <unsigned Words> class Axioms {
public:
  using Graph = ExecutionGraph<Words>;
  using Set = EventSet<Words>;

  virtual ~Axioms() = default;

  /// The fetched events of its thread that must be committed before E. (Reads-from adds the source.) Which accesses of
  /// the same place there are is known only once what this names apart from them is committed.
  virtual Set commitBefore(const Graph &G, EventId E) const = 0;

  /// Fills in the rows of E, which is committed but for its position, if it is a write. Nothing leads from E to events
  /// that were committed before, apart from coherence and from-reads.
  virtual void extend(Graph &G, EventId E) const = 0;

  /// Whether the graph is allowed, if it was so without E. The rows of E are there.
  virtual bool allows(const Graph &G, EventId E) const = 0;

  static std::unique_ptr<Axioms> make(AxiomaticModel Model);
};

/// SC per location: the oldest place in coherence that E may read (or write behind), given what its thread has seen.
template <unsigned Words> uint32_t coherenceFloor(const ExecutionGraph<Words> &G, EventId E) {
  uint32_t Floor = 0;
  G.samePlaceBefore(E).forEach([&](EventId Earlier) { Floor = std::max(Floor, G.coherenceOf(Earlier)); });
  return Floor;
}

/// Whether an edge leads from a newly committed event to another one: to the writes behind it in coherence. Without one
/// it is in no cycle.
template <unsigned Words> bool leadsOn(const ExecutionGraph<Words> &G, EventId E) {
  return G.coherenceOf(E) < G.Places[G[E].Place].Coherence.size();
}

} // namespace picket
