// The parts of an execution that those who judge its events share: the race detector and the monitor.
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
