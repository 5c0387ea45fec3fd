// The loops that threads went round or left in a step, for searches that compare states.
#pragma once

#include "machine/Operation.h"

#include <vector>

namespace picket {

struct LoopEvent {
  ThreadId Thread;
  uint32_t Loop; // index into Program::Loops
  bool Left;
  bool operator==(const LoopEvent &) const = default;
};

class LoopLog {
public:
  const std::vector<LoopEvent> &events() const { return Events; }
  void clear() { Events.clear(); }
  /// In long steps the same things come again and again.
  void add(const LoopEvent &New) {
    if (Events.empty() || Events.back() != New)
      Events.push_back(New);
  }
  void drop(size_t Keep) { Events.resize(std::min(Keep, Events.size())); }

private:
  std::vector<LoopEvent> Events;
};

} // namespace picket
