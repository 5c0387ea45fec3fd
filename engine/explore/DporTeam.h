// The team of workers of the optimal DPOR, and the jobs that they steal. Each explores a subtree at a time, alone. Only
// the prefixes from which a subtree was given away are shared: what is planned from them, and what a worker has begun
// to explore, which then need not be explored from there by another.
//
// A branch relies on what sleeps in it: an execution of it can be one that only a race in the sleeper's branch leads
// to, and that must be planned before the branch is begun. So a branch is begun only when all that would sleep in it
// has been explored to the end; its first step conflicts with those of the branches that others are still in, which are
// awake in it then. It also conflicts with what was planned before it and is passed over, so that none of that is led
// into what is explored here. That keeps its position in front: what goes with both is planned there.
#pragma once

#include "explore/Team.h"
#include "explore/WakeupTree.h"

#include <memory>

namespace picket {

/// A process that need not be explored from a prefix, with what its next step touches.
struct Sleeper {
  ProcessId Process;
  Footprint Touched;
};

/// A prefix from which several workers explore.
struct SharedPrefix {
  struct Branch {
    Sleeper First;
    uint32_t Inside; // workers that are in it, or on the way
    bool Early;      // begun before others that were planned before it: in Planned a mark has its position
  };
  std::mutex Lock;
  std::vector<Sleeper> Asleep;   // from before it was shared
  std::vector<Branch> Branches;  // explored from here, or being explored
  uint32_t DoneBefore = 0;       // branches, before it was shared
  WakeupNode *Planned = nullptr; // what nobody has begun to explore
};

/// A prefix that is shared, and the branch of it that a worker is in.
struct SharedLevel {
  std::shared_ptr<SharedPrefix> Prefix;
  size_t Branch = 0; // of Prefix->Branches; of no meaning where the worker has not begun one
};

/// Where there is something left to explore: the last of these prefixes, to which the branches of those before it lead.
struct DporJob {
  std::vector<SharedLevel> Levels;
  std::vector<ProcessId> Steps;
};

struct DporTeam : Team<DporJob> {
  WakeupStore Nodes;
};

} // namespace picket
