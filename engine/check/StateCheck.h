// Decides models by their states, with loops that have no bound: SC by StateSearch, TSO and PSO by lazy
// reachability.
#pragma once

#include "check/CheckContext.h"
#include "explore/Exploration.h"

namespace picket {

/// Whether the states of a model can be searched.
inline bool isSearched(MemoryModel M) { return infoOf(M).Searched; }

/// A search for one model. The report is that of the model.
struct StateCheck {
  const CheckContext &Context;
  const ExplorationOptions &Limits;

  /// Searches the states of the report's model. True: the report has the answer, verified or a violation, and the
  /// numbers. Otherwise its Reason says why there is none, and `Ended` what kind of reason it is.
  bool run(ModelReport &Report);
  /// Whether the program is robust against TSO or PSO: the only question.
  void findRobustness(ModelReport &Sc, MemoryModel Against);
  /// The same for each of these, two of them side by side if there is a core to spare.
  void findRobustness(ModelReport &Sc, const std::vector<MemoryModel> &Against);
  /// The same, where a monitor found it to be as far as loops were followed.
  void decideRobustness(ModelReport &Sc, Robustness &R);

  Verdict Ended = Verdict::Inconclusive;
};

} // namespace picket
