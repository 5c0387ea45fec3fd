// The memory that tables take up which double their room when it is full. Old and new room are there at the same time
// for a moment: a search that keeps to a limit of memory has to count on that before it happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace picket {

/// Entries that a table may get before limits are checked again.
constexpr size_t EntriesBetweenChecks = 4096;

/// What a vector (or string) takes up, as if it had doubled already where that may be soon.
template <typename Table> uint64_t bytesWithGrowth(const Table &T) {
  const bool Soon = T.size() + EntriesBetweenChecks > T.capacity() && T.capacity() > EntriesBetweenChecks;
  return T.capacity() * sizeof(typename Table::value_type) * (Soon ? 2 : 1);
}

inline uint64_t bytesWithGrowth(const std::vector<bool> &Bits) { return Bits.capacity() / 8; }

} // namespace picket
