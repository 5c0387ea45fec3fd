// What else is tried while the executions of a model are explored, which may take for ever where loops make them many:
// their states may be few, and for robustness a lower bound of loops may have to do. The exploration waits meanwhile.
#pragma once

#include "check/WithoutBound.h"

namespace picket {

class StatesMeanwhile {
public:
  /// All must outlive it. `Report` is that of the exploration.
  StatesMeanwhile(const std::string &File, const Program &P, const CheckOptions &Options,
                  const ExplorationOptions &Exploration, ModelReport &Report,
                  const std::function<void(const Progress &)> &OnProgress);

  /// To be asked now and then while executions are explored. True: there is an answer, and no need to go on.
  bool isEnough(const ExplorationResult &SoFar);

  /// To be called when the exploration is over and its verdict is in the report: puts an answer there, if there is one.
  void addStates();

private:
  /// When states are searched, and for how long: a fifth of the time is theirs.
  class Turns {
  public:
    /// `Least`: seconds of executions before the first search, which may take `Budget` seconds.
    Turns(double Least, double Budget) : NextAt(Least), Budget(Budget) {}
    /// Whether it is time for a search, and what it may take.
    std::optional<double> due(double Now);

  private:
    static constexpr double Growth = 4;
    double NextAt, Budget; // seconds
  };

  bool alarmed(MemoryModel M) const;
  std::optional<Robustness::Answer> saidByStates(MemoryModel M) const;
  void searchRobustness(double Seconds, const ExplorationResult &SoFar);
  bool knowsRobustness(const ExplorationResult &SoFar);
  bool knowsStates(const ExplorationResult &SoFar);
  void lowerBound();
  void addAsFar(MemoryModel M);
  void addAnswer(Robustness Answer);
  ExplorationOptions limitsOfStates(double Seconds, const ExplorationResult &SoFar) const;

  const std::string &File;
  const Program &P;
  const CheckOptions &Options;
  const ExplorationOptions &Exploration;
  ModelReport &Report;
  const std::function<void(const Progress &)> &OnProgress;
  const std::chrono::steady_clock::time_point Start = std::chrono::steady_clock::now();
  Turns Searches;
  std::optional<ModelReport> ByStates; // the answer of the states
  bool Lowered = false;                // the bound was, for robustness
  std::optional<ModelReport> AsFar;    // the answer up to there
};

} // namespace picket
