// What a recording wants to know of a run besides its graph: how threads came to each event, and what they did that is
// no event.
#pragma once

#include "machine/Machine.h"

namespace picket {

struct GraphNotes {
  struct Action {
    enum : uint8_t { Fence, Create, Join, SectionBegin, SectionEnd, Choice } What;
    ThreadId Thread;
    uint32_t Before; // how many events the thread had fetched
    FenceKind Kind;  // Fence
    ThreadId Other;  // Create, Join
    std::vector<uint32_t> Stack;
    int64_t Value = 0; // Choice
  };
  std::vector<std::vector<uint32_t>> Stacks; // per event
  std::vector<Action> Actions;               // in the order of fetching
};

} // namespace picket
