// Call stacks as they are told: the outermost and the innermost calls. Of a recursion that does not end there are a
// hundred thousand, for each event of an execution, and nobody reads those in between.
#pragma once

#include <cstdint>

namespace picket {

constexpr uint32_t OutermostCalls = 8, InnermostCalls = 24;
/// Stands for those that were left out.
constexpr uint32_t CallsLeftOut = ~0u;

} // namespace picket
