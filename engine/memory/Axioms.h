// Memory models as axioms over execution graphs. A model says in which order events may be committed, which edges lead
// to a newly committed event, and whether the graph with it is allowed.
#pragma once

#include "machine/LanguageRules.h"
#include "memory/ExecutionGraph.h"
#include "memory/MemoryModel.h"

#include <functional>
#include <memory>
#include <tuple>

namespace picket {

/// Whether accesses have memory orders of their own, where others have fences around them.
constexpr bool hasModes(MemoryModel Model) { return Model == MemoryModel::Armv8 || Model == MemoryModel::C11; }

template <unsigned Words> class Axioms {
public:
  using Graph = ExecutionGraph<Words>;
  using Set = EventSet<Words>;

  virtual ~Axioms() = default;

  /// The fetched events of its thread that must be committed before E. (Reads-from adds the source.) Which accesses of
  /// the same location there are is known only once what this names apart from them is committed.
  virtual Set commitBefore(const Graph &G, EventId E) const = 0;

  /// Whether commit-before contains program order, and nothing else is known of dependencies: threads then wait for what
  /// they read, and what only one thread accesses needs no events.
  virtual bool isInOrder() const { return false; }

  /// Events that E mostly comes after: where there is a choice, these are committed first. A graph that has them in
  /// another order may turn out to be none.
  virtual Set preferBefore(const Graph &, EventId) const { return Set(); }

  /// Fills in the rows of E, which is committed but for its position, if it is a write. Nothing leads from E to events
  /// that were committed before, apart from coherence and from-reads.
  virtual void extend(Graph &G, EventId E) const = 0;

  /// Whether the graph is allowed, if it was so without E. The rows of E are there.
  virtual bool allows(const Graph &G, EventId E) const = 0;

  /// Whether it says what atomic sections are. If not, programs that come to one are refused.
  virtual bool knowsSections() const { return false; }

  // Axioms that are not monotonic, or that are used with a commit-before which is too weak for them, reject runs at
  // their end.

  /// Whether a run that came to its end is allowed. `Complete`: nothing more would have happened in it.
  virtual bool allowsWhole(const Graph &, bool Complete) const { return (void)Complete, true; }
  /// Whether a bug counts only if the run is allowed at its end, so that the other threads go on after it.
  virtual bool judgesAtEnd() const { return false; }
  /// Whether the explorer keeps SC per location. Otherwise a read may read every write, and a write may come anywhere in
  /// coherence, unless the axioms reject it.
  virtual bool keepsCoherence() const { return true; }
  /// Whether the axioms read ExecutionGraph::Barriers.
  virtual bool readsBarriers() const { return false; }

  static std::unique_ptr<Axioms> make(MemoryModel Model);
};

/// What an exploration of graphs has to know of a memory model: its axioms, for graphs of every size, and whose meaning
/// of C11's orders and of fences it shares (FetchedEvents turns them into the sets Sync, LwSync, Eieio and ControlISync of
/// events). The models of Picket itself are given by name.
class GraphModel {
public:
  GraphModel(MemoryModel Model)
      : Orders(Model), Makers{[Model] { return Axioms<1>::make(Model); }, [Model] { return Axioms<4>::make(Model); },
                              [Model] { return Axioms<16>::make(Model); }, [Model] { return Axioms<0>::make(Model); }} {
  }

  /// Other axioms: a class template like PowerAxioms, and what its constructor takes.
  template <template <unsigned> class Rules, typename... Arguments>
  static GraphModel of(MemoryModel Orders, const Arguments &...Given) {
    GraphModel Model(Orders);
    Model.Makers = {
        [=] { return std::make_unique<Rules<1>>(Given...); }, [=] { return std::make_unique<Rules<4>>(Given...); },
        [=] { return std::make_unique<Rules<16>>(Given...); }, [=] { return std::make_unique<Rules<0>>(Given...); }};
    return Model;
  }

  MemoryModel orders() const { return Orders; }
  template <unsigned Words> std::unique_ptr<Axioms<Words>> axioms() const { return std::get<Maker<Words>>(Makers)(); }

private:
  template <unsigned Words> using Maker = std::function<std::unique_ptr<Axioms<Words>>()>;

  MemoryModel Orders;
  std::tuple<Maker<1>, Maker<4>, Maker<16>, Maker<0>> Makers;
};

/// The axioms of a model whose graphs are explored. Of SC: those of C11 restricted to what is sequentially consistent, so
/// that there are data races.
GraphModel graphModelOf(MemoryModel Model, const LanguageRules &Rules);

/// SC per location: the oldest position in coherence that E may read (or write behind), given what its thread has seen.
/// Cell: of an access that is split.
template <unsigned Words> uint32_t coherenceFloor(const ExecutionGraph<Words> &G, EventId E, uint32_t Cell = 0) {
  const LocationId Location = G.cell(E, Cell).Location;
  if constexpr (Words == 0) { // what a thread sees of a location never goes back
    const EventSet<0> Earlier = G[E].Before & (G.Locations[Location].Writes | G.Locations[Location].Reads);
    return Earlier.empty() ? 0 : G.coherenceIn(Location, Earlier.last());
  }
  uint32_t Floor = 0;
  (G[E].Before & (G.Locations[Location].Writes | G.Locations[Location].Reads)).forEach([&](EventId Earlier) {
    Floor = std::max(Floor, G.coherenceIn(Location, Earlier));
  });
  return Floor;
}

/// Whether an edge leads from a newly committed event to another one: to the writes behind it in coherence. Without one
/// it is in no cycle.
template <unsigned Words> bool leadsOn(const ExecutionGraph<Words> &G, EventId E) {
  return G.anyCell(
      E, [&](const GraphCell &C) { return G.coherenceIn(C.Location, E) < G.Locations[C.Location].Coherence.size(); });
}

} // namespace picket
