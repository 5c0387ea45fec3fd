// Records an execution of SC, TSO or PSO that was found by an exploration of reads-from relations. It is run again with
// store buffers, in the order in which its operations took effect.
#pragma once

#include "explore/GraphRun.h"
#include "memory/Configuration.h"
#include "trace/Recording.h"

#include <functional>
#include <optional>

namespace picket {

/// `Threads`: the paths of the threads that the effects name. Explored: what the exploration knew to be shared. Once
/// there is the bug that is wanted (or another, if it has that only), `OnBug` is called with the machine that has it,
/// and says whether to write the execution down. Empty if there is nothing to write down; Found tells whether there was
/// a bug at all: if there is none, or a limit keeps it from being shown, the graph alone says that there is one.
std::optional<Recording> recordEffects(const Program &P, const MachineOptions &Options, MemoryModel Model,
                                       const Sharing &Explored, const std::vector<std::vector<uint32_t>> &Threads,
                                       const std::vector<GraphEffect> &Effects, const BugReport &Wanted,
                                       const std::function<bool(Machine &, const BugReport &)> &OnBug, bool &Found);

} // namespace picket
