// Decides models by their states, with loops that have no bound: SC by StateSearch, TSO and PSO by lazy
// reachability.
#pragma once

#include "check/Check.h"
#include "explore/Exploration.h"

namespace picket {

/// Whether the states of a model can be searched.
inline bool isSearched(MemoryModel M) { return infoOf(M).Searched; }

struct StateCheck {
  const std::string &File;
  const Program &P;
  const CheckOptions &Options;
  const ExplorationOptions &Limits;
  const std::function<void(const Progress &)> &OnProgress;

  /// Searches the states of the report's model. True: the report has the answer, verified or a violation, and the
  /// numbers. Otherwise its Reason says why there is none, and `Ended` what kind of reason it is.
  bool run(ModelReport &Report);
  /// Whether the program is robust against TSO or PSO: the only question.
  void findRobustness(ModelReport &Sc, MemoryModel Against);
  /// The same for each of the two that is asked for, side by side if there is a core to spare.
  void findRobustness(ModelReport &Sc);
  /// The same, where a monitor found it to be as far as loops were followed.
  void decideRobustness(ModelReport &Sc, Robustness &R);

  Verdict Ended = Verdict::Inconclusive;
};

} // namespace picket
