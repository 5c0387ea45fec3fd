// How long an exploration goes on, from what was asked for.
#pragma once

#include "check/CheckContext.h"
#include "explore/Exploration.h"

#include <algorithm>
#include <thread>

namespace picket {

inline double secondsSince(std::chrono::steady_clock::time_point Start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
}

inline unsigned coresOf(unsigned Jobs) { return Jobs ? Jobs : std::max(1u, std::thread::hardware_concurrency()); }

/// `Seconds`: from now on; 0: without an end.
inline ExplorationOptions limitsOf(const CheckContext &Context, double Seconds) {
  using Clock = std::chrono::steady_clock;
  const CheckOptions &Options = Context.Options;
  ExplorationOptions E;
  E.Exhaustive = Options.Exhaustive;
  E.Machine.Looked = checksOf(Options);
  E.Machine.RacesGoOn = Options.Races == RaceReporting::Warning;
  E.Machine.Language = {Options.Volatile, Options.Sequences};
  E.Machine.Unroll = std::max(1u, Options.Unroll);
  E.Machine.MaxMemoryBytes = E.MaxMemoryBytes = Options.MaxMemoryBytes / modelsAtOnce(Options.Models, Options.Jobs);
  E.Cancel = Context.Cancel;
  if (Seconds > 0)
    E.Deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(Seconds));
  return E;
}

/// What is left for a search through states once a model was explored up to the bound, so that nobody waits long for what
/// may come to nothing.
inline ExplorationOptions limitsOfSecondLook(const CheckContext &Context, const ModelReport &Explored) {
  constexpr double Least = .5, Most = 5, TimesAsLong = 4; // seconds; of what the executions took
  double Seconds = std::clamp(TimesAsLong * Explored.Seconds, Least, Most);
  if (Context.Options.TimeoutSeconds > 0)
    Seconds = std::clamp(Context.Options.TimeoutSeconds - Explored.Seconds, 1e-3, Seconds);
  return limitsOf(Context, Seconds);
}

} // namespace picket
