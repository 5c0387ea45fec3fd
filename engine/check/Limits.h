// How long an exploration goes on, from what was asked for.
#pragma once

#include "check/Check.h"
#include "explore/Exploration.h"

#include <algorithm>

namespace picket {

inline double secondsSince(std::chrono::steady_clock::time_point Start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
}

/// `Seconds`: from now on; 0: without an end.
inline ExplorationOptions limitsOf(const CheckOptions &Options, double Seconds, const std::atomic<bool> *Cancel) {
  using Clock = std::chrono::steady_clock;
  ExplorationOptions E;
  E.Exhaustive = Options.Exhaustive;
  E.Machine.Looked = Options.Looked;
  E.Machine.Unroll = std::max(1u, Options.Unroll);
  E.Machine.MaxMemoryBytes = E.MaxMemoryBytes = Options.MaxMemoryBytes / modelsAtOnce(Options.Models, Options.Jobs);
  E.Cancel = Cancel;
  if (Seconds > 0)
    E.Deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(Seconds));
  return E;
}

} // namespace picket
