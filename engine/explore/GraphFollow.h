// The replay of a run on an execution graph that an exploration came to: to record it, or to show it again.
#pragma once

#include "explore/GraphRun.h"
#include "machine/Bug.h"
#include "machine/Machine.h"
#include "memory/Axioms.h"

#include <functional>

namespace picket {

/// Replays a script on a fresh machine, until nothing of it is left that can be done, or there is the bug that is
/// wanted (null: none). Of data races there is only the one that the script ends with. What a thread does with memory that no other thread accesses need not be in the script. What
/// was fetched in front of something that happened then happens too, if it can. At the end `Then` is called with the
/// run and, per step, whether it was done. May throw MachineStop.
void followGraph(const Program &P, const GraphModel &Model, const MachineOptions &Options, Sharing &Shared,
                 const GraphScript &Script, const BugReport *Wanted,
                 const std::function<void(GraphRun &, const std::vector<bool> &)> &Then);

} // namespace picket
