// Finds a coherence order for a graph of which only reads-from is given, under SC, TSO and PSO: whether a reads-from
// relation is that of an execution. What must hold of coherence is derived until nothing more follows (as in Abdulla,
// Atig, Jonsson, Lång, Ngo, Sagonas, "Optimal Stateless Model Checking for Reads-From Equivalence under Sequential
// Consistency", section 5); pairs of writes that are still open are then tried one way and the other.
#pragma once

#include "memory/ExecutionGraph.h"

#include <utility>
#include <vector>

namespace picket {

template <unsigned Words> class CoherenceSearch {
public:
  using Set = EventSet<Words>;
  using Graph = ExecutionGraph<Words>;

  /// `Committed`: in an order in which whatever leads to an event by program order or reads-from comes before it.
  /// OwnReadsWait: a read of the thread's own store comes after that has reached memory (SC).
  CoherenceSearch(const Graph &G, bool OwnReadsWait) : G(G), OwnReadsWait(OwnReadsWait) {}

  using Pairs = std::vector<std::pair<EventId, EventId>>; // writes of one place, the earlier one first

  /// Whether there is a coherence order with which the graph is allowed, and which has the given pairs in it.
  bool find(const std::vector<EventId> &Committed, const Pairs &Given = {});

  /// The order found, of one place.
  std::vector<EventId> orderOf(PlaceId Place) const;

private:
  struct Closure {
    std::vector<Set> Before, Behind; // per event, all that must come before it and behind it
  };

  bool begin(const std::vector<EventId> &Committed);
  bool keepsPlaces(EventId E);
  bool addEdge(EventId From, EventId To);
  bool addCoherence(EventId From, EventId To);
  bool saturate();
  bool saturate(EventId Read);
  bool guess();
  bool decide();
  bool openPair(EventId &Earlier, EventId &Later) const;

  const Graph &G;
  const bool OwnReadsWait;
  Closure C;
  std::vector<EventId> Reads; // committed
  bool Changed = false;
};

} // namespace picket
