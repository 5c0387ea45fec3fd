// Chooses executions that together show which accesses of shared memory there are, and which stores of a thread its
// later accesses overtook: for people who point at them, also where no bug is.
#pragma once

#include "explore/Execution.h"

#include <unordered_set>

namespace picket {

class AccessSampler {
public:
  /// Keeps the execution if it shows something new. It looks at the first ones, and then at some: that is enough to
  /// see nearly everything, and costs next to nothing.
  void look(Execution &E);
  void clear() { *this = AccessSampler(); }
  const std::vector<std::vector<ProcessId>> &chosen() const { return Chosen; }

private:
  bool showsNews(Execution &E);

  struct Step {
    uint32_t Operation, Pc;
  };
  uint64_t Offered = 0;
  size_t KeptEvents = 0;
  std::unordered_set<uint64_t> Accesses;   // thread, place
  std::unordered_set<uint64_t> Overtakers; // place of the store, place of what went before it
  std::vector<std::vector<Step>> Steps;    // per thread
  std::vector<std::vector<ProcessId>> Chosen;
};

} // namespace picket
