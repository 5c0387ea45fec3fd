// Routes the edges of a picture through the gaps between the columns and between the rows of the lanes, never through a
// node. (Graphviz can route edges too, but takes seconds for pictures with many nodes.)
#pragma once

#include "draw/Lanes.h"

namespace picket {

/// A line from one node to another, and how long its arrow heads are.
struct Route {
  uint32_t From = 0, To = 0; // nodes
  double HeadLength = 7, TailLength = 0;
  std::string Position; // the answer: Graphviz' `pos`
};

void route(const LaneLayout &Layout, std::vector<Route> &Routes);

/// A number, and a point, as Graphviz takes them whatever the locale.
std::string dotNumber(double Value);
std::string dotPoint(double X, double Y); // "1.00,2.00", without quotes

} // namespace picket
