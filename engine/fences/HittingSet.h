// The cheapest choice that has something of everything.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace picket {

/// A set of elements (0 .. Costs.size() - 1) that has an element of every clause, with the least sum of costs there is.
/// Costs are positive. The answer is exact and depends on nothing but the arguments. Empty if some clause is empty, or
/// if `IsCancelled` (may be empty; asked now and then) said so.
std::optional<std::vector<uint32_t>> cheapestHittingSet(const std::vector<uint64_t> &Costs,
                                                        const std::vector<std::vector<uint32_t>> &Clauses,
                                                        const std::function<bool()> &IsCancelled = {});

} // namespace picket
