// The layout of the nodes of a picture: a lane per thread, in the order in which the threads were created, time from
// top to bottom. Graphviz alone would put the lanes in any order.
#pragma once

#include "draw/Folding.h"

namespace picket {

/// In points. As in Graphviz, y grows upwards; the first row is at 0.
struct Box {
  double Left = 0, Bottom = 0, Right = 0, Top = 0;
  double centreX() const { return (Left + Right) / 2; }
  double centreY() const { return (Bottom + Top) / 2; }
};

struct Lane {
  uint32_t Thread = 0;
  size_t Begin = 0, Updates = 0, End = 0; // its nodes, the updates last
  Box Area;
  Box Buffer; // around the updates, if there are any
};

struct LaneLayout {
  std::vector<Lane> Lanes; // from left to right
  std::vector<Box> Nodes;  // as Folding::Nodes
  double Right = 0, Bottom = 0;
};

/// Widths: of the nodes. Down: pairs of nodes of which the second is to be below the first; the first event of the
/// first comes before that of the second, so that these wishes never contradict each other.
LaneLayout layOut(const Folding &Folded, const std::vector<double> &Widths,
                  const std::vector<std::pair<uint32_t, uint32_t>> &Down);

} // namespace picket
