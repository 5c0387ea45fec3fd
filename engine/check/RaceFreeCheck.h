// Checks a race-free program by its executions under SC: it has no others (see explore/DrfMonitor.h).
#pragma once

#include "check/CheckContext.h"
#include "explore/Exploration.h"

#include <optional>

namespace picket {

/// What the executions under SC say about the report's model, a weaker one, or about data races under SC. `Observer` hears
/// of them. None, and `Observer` has to forget what it heard: a data race or a bug was found, or a limit was reached, which is
/// half of the time there is. Then the executions of the model itself have to be explored.
std::optional<ExplorationResult> exploreRaceFree(const Program &Compiled, ExplorationOptions Exploration,
                                                 ExplorationObserver &Observer);

} // namespace picket
