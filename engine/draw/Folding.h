// Folding: decides which events of a picture share a node.
#pragma once

#include "draw/Highlight.h"

namespace picket {

/// The nodes of a picture: each event of the trace is in at most one. Events that share a node follow each other in a
/// column, that is among the updates of a thread, or among its other events.
struct Folding {
  struct Node {
    std::vector<uint32_t> Events; // more than one: folded
    uint32_t Thread = 0;
    bool Buffer = false; // in the column of updates
    bool isFold() const { return Events.size() > 1; }
  };
  std::vector<Node> Nodes;      // by thread, the updates last; from top to bottom
  std::vector<uint32_t> NodeOf; // per event of the recording; NoEvent: not in the picture
};

/// Every event is a node.
Folding unfolded(const Recording &R, const TraceGraph &Graph);

/// Leaves out threads that only start others and wait for them. Folds runs of accesses that concern no other thread. If
/// more than MaxNodes nodes are left, folds also what is far from the cycle and the bug, until there are no more than
/// that, or nothing but those is left.
Folding fold(const Recording &R, const TraceGraph &Graph, const Highlight &Cycle, unsigned MaxNodes);

} // namespace picket
