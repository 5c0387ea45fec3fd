// The identity of a Shasha-Snir trace: program order, reads-from and coherence (and the order of operations on each
// synchronisation object). Two executions with equal keys are the same execution to a programmer, whatever model and
// schedule they came from.
#pragma once

#include "explore/Execution.h"

#include <vector>

namespace picket {

using TraceKey = std::vector<uint64_t>;

/// The key of the execution as it stands. All stores must have landed.
TraceKey traceKeyOf(const Execution &E, const Cells &Memory);

} // namespace picket
