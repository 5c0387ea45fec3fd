// Draws a counterexample as Graphviz text: one lane per thread, time from top to bottom, the cycle with thick lines.
//
// The ids and classes of nodes and edges are those of docs/counterexample-json.md. The text has no colours: a style
// sheet sets them through the classes, and without one the kinds of edges differ by line style and arrow head. The text
// has all positions (layout=nop2), because Graphviz would not keep the threads in order, and would be too slow.
#pragma once

#include "trace/Counterexample.h"

namespace picket {

enum class View : uint8_t { Chronological, ShashaSnir };

struct DotOptions {
  bool Fold = true;       // runs of events that do not matter become one node
  unsigned MaxNodes = 60; // fold more if there are more nodes than this
  bool Legend = true;     // explain the lines in the picture itself
};

/// Every drawn edge is an edge of the trace and named after it, also where an end is hidden in a folded node. Left out
/// are, unless they are on the cycle: edges between two folded nodes of different threads; conflicts, store order and
/// lock order within a thread, which program order implies; the order of two writes, if a read between them implies it;
/// what a branch or fence has to do with accesses that are further away than others.
/// Of several edges of a kind between two nodes one is drawn.
std::string toDot(const Counterexample &C, View V, const DotOptions &Options = {});

} // namespace picket
