// What monitoring costs per event, against the number of events and of threads: one execution of SC, event by event, with
// and without a monitor.
#pragma once

namespace picket {

/// Prints a table as tab separated values. Returns what the process is to return.
int printMonitorGrowth();

} // namespace picket
