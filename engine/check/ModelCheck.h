// Checks a program under one memory model.
#pragma once

#include "check/Meanwhile.h"
#include "explore/ScMonitor.h"

namespace picket {

/// By the executions of the report's model, or by its states, as the options want it. `Monitor` looks during SC whether the
/// program is robust; it may be null, as `Spare`, which has cores to use beside this thread's.
void checkModel(const CheckContext &Context, ScMonitor *Monitor, SpareCores *Spare, ModelReport &Report);

/// By its executions, and by what `Others` finds out meanwhile. `Exploration` is of the same model.
void checkExecutions(const CheckContext &Context, const ExplorationOptions &Exploration, Meanwhile &Others,
                     ModelReport &Report);

} // namespace picket
