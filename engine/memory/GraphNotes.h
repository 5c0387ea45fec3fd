// What a recording wants to know of a run besides its graph: how each event was come to, and what threads did that is
// no event.
#pragma once

#include "machine/Machine.h"

namespace picket {

struct GraphNotes {
  struct Deed {
    enum : uint8_t { Fence, Create, Join, SectionBegin, SectionEnd } What;
    ThreadId Thread;
    uint32_t Before; // how many events the thread had fetched
    FenceKind Kind;  // Fence
    ThreadId Other;  // Create, Join
    std::vector<uint32_t> Stack;
  };
  std::vector<std::vector<uint32_t>> Stacks; // per event
  std::vector<Deed> Deeds;                   // in the order of fetching
};

} // namespace picket
