// Finds a coherence order for a graph of which only reads-from is given, under SC, TSO and PSO: whether a reads-from
// relation is that of an execution. What must hold of coherence is derived until nothing more follows (as in Abdulla,
// Atig, Jonsson, Lång, Ngo, Sagonas, "Optimal Stateless Model Checking for Reads-From Equivalence under Sequential
// Consistency", section 5); pairs of writes that are still open are then tried one way and the other.
#pragma once

#include "memory/ExecutionGraph.h"

#include <functional>
#include <utility>
#include <vector>

namespace picket {

template <unsigned Words> class CoherenceSearch {
public:
  using Set = EventSet<Words>;
  using Graph = ExecutionGraph<Words>;

  /// OwnReadsWait: a read of the thread's own store comes after that has reached memory (SC). A search can take long:
  /// Look is called now and then, with about how many events were looked at, and may throw.
  CoherenceSearch(const Graph &G, bool OwnReadsWait, std::function<void(size_t)> Look)
      : TheGraph(G), OwnReadsWait(OwnReadsWait), Look(std::move(Look)) {}

  using Pairs = std::vector<std::pair<EventId, EventId>>; // writes of one location, the earlier one first

  /// Whether there is a coherence order with which the graph is allowed, and which has the given pairs in it.
  /// `Committed`: in an order in which whatever leads to an event by program order or reads-from comes before it.
  bool find(const std::vector<EventId> &Committed, const Pairs &Given = {});

  /// The order found, of one location.
  std::vector<EventId> orderOf(LocationId Location) const;

  size_t bytes() const {
    return (Before.capacity() + Behind.capacity()) * sizeof(Set) + Replaced.capacity() * sizeof(Row);
  }

private:
  /// A pair of writes of a location, by their positions in the graph as it is.
  struct Pair {
    LocationId Location = 0;
    size_t Earlier = 0, Later = 1;
  };
  /// What a row was before it was changed.
  struct Row {
    EventId Of;
    bool IsBehind;
    Set Was;
  };

  bool begin(const std::vector<EventId> &Committed);
  bool keepsPlaces(EventId E);
  bool addEdge(EventId From, EventId To);
  bool addCoherence(EventId From, EventId To);
  bool saturate();
  bool saturate(EventId Read);
  bool decide();
  bool nextOpen(Pair &At) const;
  void undoTo(size_t Rows);

  const Graph &TheGraph;
  const bool OwnReadsWait;
  const std::function<void(size_t)> Look;
  std::vector<Set> Before, Behind; // per event, all that must come before it and behind it
  std::vector<Row> Replaced;       // since pairs are decided, the latest last
  std::vector<EventId> Reads;      // committed
  bool Changed = false, Deciding = false;
};

} // namespace picket
