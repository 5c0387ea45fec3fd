// Records an execution that is a graph, as under POWER. The run is followed once more for it.
#pragma once

#include "explore/GraphFollow.h"
#include "trace/Recording.h"

#include <optional>

namespace picket {

/// Writes down a run that is followed (followGraph), with the bug it ends in, if there is one. Of SC: in an order in
/// which it may have happened.
Recording recordRun(GraphRun &Run, MemoryModel Model, const BugReport *Bug);

/// Follows a run that an exploration found up to its bug and writes it down. Empty if it does not happen again, which
/// would be a mistake of Picket's own.
std::optional<Recording> record(const Program &P, MemoryModel Model, const MachineOptions &Options, Sharing Known,
                                const GraphScript &Script, const BugReport &Bug);

} // namespace picket
