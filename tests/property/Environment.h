// Reads the environment variables of tests: the number of random programs and their seed, or the defaults; and says how
// much so many random programs must show.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace picket::testing {

/// PICKET_RANDOM_PROGRAMS: a number, or a share of what is usual ("20%").
inline unsigned programsOr(unsigned Usual) {
  const char *Given = std::getenv("PICKET_RANDOM_PROGRAMS");
  if (!Given)
    return Usual;
  const auto Number = static_cast<unsigned>(std::atoi(Given));
  return std::string_view(Given).ends_with('%') ? std::max(Usual * Number / 100, 1U) : Number;
}

/// How often random programs must at least show what a test is about, if each of them shows it Share times on average.
/// Of fewer programs than usual less is asked, because they differ more from the average; of a handful nothing.
inline uint64_t atLeast(double Share, uint64_t Programs) {
  const double Number = static_cast<double>(Programs), Expected = Share * Number;
  if (!std::getenv("PICKET_RANDOM_PROGRAMS"))
    return static_cast<uint64_t>(std::ceil(Expected));
  // Rare events come three standard deviations less often; what some programs show much more often than others, less.
  const double Least = std::min(Expected - 3 * std::sqrt(Expected), Expected * (1 - 5 / std::sqrt(Number)));
  return static_cast<uint64_t>(std::max(Least, 0.0));
}

/// PICKET_RANDOM_SEED: a number.
inline unsigned seedOr(unsigned Usual) {
  const char *Given = std::getenv("PICKET_RANDOM_SEED");
  return Given ? static_cast<unsigned>(std::atoi(Given)) : Usual;
}

/// Not under sanitizers (PICKET_UNMEASURED): what depends on how much is done in some time is not asked for then.
inline bool isMeasured() { return !std::getenv("PICKET_UNMEASURED"); }

} // namespace picket::testing
