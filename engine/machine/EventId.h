// The number of an event: an access, or a fence, that a SpeculativeInterpreter has fetched. What is done with events is
// for others to say; an execution graph numbers them in the order of fetching.
#pragma once

#include <cstdint>

namespace picket {

using EventId = uint32_t;
constexpr EventId NoEvent = ~0u;

} // namespace picket
