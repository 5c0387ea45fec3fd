// The parts of an execution that the race detector and the monitor read.
#pragma once

#include "explore/CellHistory.h"
#include "explore/VectorClocks.h"

namespace picket {

struct ExecutionParts {
  Configuration &Config;
  const Cells &AllCells;
  const EventList &Events;
  VectorClocks &Clocks;
  CellHistory &History;
  RunningStep &Step;
};

} // namespace picket
