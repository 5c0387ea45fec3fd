// Helpers for tests of several workers that explore together.
#pragma once

#include "explore/Exploration.h"

#include <thread>

namespace picket::testing {

/// Gives the others time to come: most programs are over before a thread has started.
class Patience {
public:
  /// At the end of every execution.
  void wait() {
    if (std::this_thread::get_id() != First)
      ++ByOthers;
    else if (++Ended < 40)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }

  uint64_t ByOthers = 0;

private:
  const std::thread::id First = std::this_thread::get_id();
  uint64_t Ended = 0;
};

inline ExplorationOptions together(ExplorationOptions Options, SpareCores &Spare) {
  Options.Spare = &Spare;
  Options.EventsAlone = Options.EventsBetweenOffers = 0;
  return Options;
}

} // namespace picket::testing
