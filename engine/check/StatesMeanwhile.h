// While the executions of a model are explored: searches through its states for a verdict.
#pragma once

#include "check/Meanwhile.h"

namespace picket {

/// Where executions give an answer up to a bound only, or do not end, the states may give one for loops without a bound.
class StatesMeanwhile : public Meanwhile {
public:
  StatesMeanwhile(const CheckContext &Context, const ExplorationOptions &Exploration, ModelReport &Report)
      : Meanwhile(Context, Exploration, Report, Turns(1, 2)) {}

  bool isEnough(const ExplorationResult &SoFar) override;
  void addAnswer() override;

private:
  std::optional<ModelReport> ByStates; // the answer of the states
};

} // namespace picket
