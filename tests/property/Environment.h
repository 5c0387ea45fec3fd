// Reads the environment variables of tests: the number of random programs and their seed, or the defaults.
#pragma once

#include <algorithm>
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

/// PICKET_RANDOM_SEED: a number.
inline unsigned seedOr(unsigned Usual) {
  const char *Given = std::getenv("PICKET_RANDOM_SEED");
  return Given ? static_cast<unsigned>(std::atoi(Given)) : Usual;
}

/// Not under sanitizers (PICKET_UNMEASURED): what depends on how much is done in some time is not asked for then.
inline bool isMeasured() { return !std::getenv("PICKET_UNMEASURED"); }

} // namespace picket::testing
