// Which executions count as the same, so that only one of them is explored.
#pragma once

#include <cstdint>

namespace picket {

enum class Equivalence : uint8_t {
  ShashaSnir, // those with the same reads-from and the same coherence
  ReadsFrom   // those with the same reads-from: what a thread does depends on nothing else
};

constexpr const char *nameOf(Equivalence E) { return E == Equivalence::ReadsFrom ? "rf" : "shasha-snir"; }

} // namespace picket
