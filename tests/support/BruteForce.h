// The test oracle: every interleaving of every step, without any cleverness. Only for very small programs.
#pragma once

#include "explore/Exploration.h"
#include "support/TraceKey.h"

#include <set>

namespace picket {

struct BruteForceResult {
  std::set<TraceKey> Complete, Blocked, Cut, Unchecked; // by how the execution ended
  std::set<TraceKey> Buggy;                             // those among Complete with a bug
  uint64_t Interleavings = 0;
  bool GaveUp = false; // more than MaxInterleavings
};

BruteForceResult exploreByBruteForce(const Program &P, const ExplorationOptions &Options, uint64_t MaxInterleavings);

} // namespace picket
