// Builds the reordering witness of a monitor's alarm: an execution of TSO or PSO that SC does not allow.
#pragma once

#include "explore/ScMonitor.h"
#include "trace/Recording.h"

#include <optional>

namespace picket {

/// A schedule of the configuration (of TSO or PSO, started) that delays the alarm's store past its overtaker, lets the
/// observer go first and then runs to the end: the soundness proof of the monitors. Stores wait in their buffers until
/// another thread must see them. Empty if the program does not behave like that, which would be a bug in Picket.
std::optional<std::vector<ProcessId>> scheduleOf(const RobustnessAlarm &Alarm, Configuration &C);

/// The recorded execution. `Known` is what the exploration that raised the alarm found to be shared.
std::optional<Recording> findWitness(const Program &P, const MachineOptions &Machine, const Sharing &Known,
                                     MemoryModel Model, const RobustnessAlarm &Alarm);

} // namespace picket
