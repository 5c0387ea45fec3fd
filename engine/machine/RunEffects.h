// What the present run of a thread has done besides changing the thread, for ThreadPoints: whether the run may be
// repeated by its writes alone.
#pragma once

#include "program/Program.h"

#include <vector>

namespace picket {

/// A write of memory that nobody else looks at.
struct OwnWrite {
  Address Where;
  uint32_t Width;
  uint64_t Value, Value2;
};

struct RunEffects {
  std::vector<OwnWrite> Writes;
  bool DependsOnOthers = false; // on more than the outcomes of the thread's operations
  bool DoesMore = false;        // than change the thread and what is in Writes
  bool Probing = false;         // what is run now need not be a part of any execution

  void begin() {
    DependsOnOthers = DoesMore = false;
    Writes.clear();
  }
  void write(const OwnWrite &New) {
    constexpr size_t MaxWrites = 64;
    if (Writes.size() < MaxWrites)
      Writes.push_back(New);
    else
      DoesMore = true;
  }
};

} // namespace picket
