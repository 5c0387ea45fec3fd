// Traces of a recorded execution: graphs over its events. The edge relations are those of "Stateless Model Checking for
// TSO and PSO", section 3 and appendix A, and for POWER those of "Herding cats".
#pragma once

#include "trace/Recording.h"

namespace picket {

enum class EdgeKind : uint8_t {
  ProgramOrder,   // po
  StoreToUpdate,  // su
  UpdateToUpdate, // uu: consecutive updates of a location
  StoreOrder,     // st (co): the same between stores, in a Shasha-Snir trace
  Source,         // src (rf)
  Conflict,       // cf (fr): to the write that overwrites what was read
  UpdateToFence,  // uf
  SyncOrder,      // consecutive operations on a synchronisation object
  Lifecycle,      // creating a thread, waiting for its end
  AddressDependency,
  DataDependency,
  ControlDependency,
  FenceOrder, // POWER: ordered by a fence between them
  Race        // in pictures only: the accesses of a data race
};
const char *
nameOf(EdgeKind
           Kind); // "po", "su", "uu", "st", "src", "cf", "uf", "sync", "life", "addr", "data", "ctrl", "fence", "race"

struct TraceEdge {
  uint32_t From = 0, To = 0; // events
  EdgeKind Kind = EdgeKind::ProgramOrder;
  auto operator<=>(const TraceEdge &) const = default;
};

/// A graph over events of a recording. Edges are sorted and each is there once.
struct TraceGraph {
  std::vector<uint32_t> Nodes; // events, in the recording's order
  std::vector<TraceEdge> Edges;
};

/// Every event, updates apart from stores. Acyclic. Empty under POWER, where things happen in no order that all threads
/// agree on.
TraceGraph chronologicalTrace(const Recording &R);
/// Without updates: a store stands for its update. Cyclic if and only if the execution is not sequentially consistent.
/// All stores of the recording must have landed. Under POWER with the dependencies, and what fences order.
TraceGraph shashaSnirTrace(const Recording &R);

} // namespace picket
