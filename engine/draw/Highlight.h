// Finds the nodes and edges of a trace that belong to the cycle of its counterexample.
#pragma once

#include "trace/Counterexample.h"

namespace picket {

/// The part of a trace that shows the cycle. In a chronological trace, which has no cycles, it is what the cycle is
/// made of: its events, their updates, and the edges between those.
struct Highlight {
  std::vector<bool> Events; // per event of the recording
  std::vector<bool> Edges;  // per edge of the graph
};

/// Graph: C.Chronological or C.ShashaSnir.
Highlight highlightCycle(const Counterexample &C, const TraceGraph &Graph);

} // namespace picket
