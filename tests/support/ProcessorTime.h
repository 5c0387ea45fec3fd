// Measures processor time, for tests that compare costs or check deadlines. On a busy machine a test takes longer, but
// its processor time stays the same.
#pragma once

#include <algorithm>
#include <ctime>

namespace picket::testing {

/// What this process has used so far, all threads together.
inline double processorSeconds() {
  timespec Now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) + static_cast<double>(Now.tv_nsec) * 1e-9;
}

/// What doing something costs: the least of several times, since the first one may find nothing in the caches.
template <typename Function> double leastCost(unsigned Times, Function Do) {
  double Least = 0;
  for (unsigned Round = 0; Round < Times; ++Round) {
    const double Start = processorSeconds();
    Do();
    const double Cost = processorSeconds() - Start;
    Least = Round == 0 ? Cost : std::min(Least, Cost);
  }
  return Least;
}

} // namespace picket::testing
