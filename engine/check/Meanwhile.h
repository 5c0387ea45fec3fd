// What else is tried while the executions of a model are explored.
#pragma once

#include "check/CheckContext.h"
#include "explore/Exploration.h"

#include <chrono>

namespace picket {

/// Executions may take for ever where loops make them many, and their states may be few. So the exploration asks now and
/// then whether there is an answer by another way, and waits meanwhile.
class Meanwhile {
public:
  virtual ~Meanwhile() = default;
  /// True: there is an answer, and no need to go on.
  virtual bool isEnough(const ExplorationResult &SoFar) = 0;
  /// To be called when the exploration is over and its verdict is in the report: puts the answer there, if there is one.
  virtual void addAnswer() = 0;

protected:
  /// When states are searched, and for how long: a fifth of the time is theirs.
  class Turns {
  public:
    /// `Least`: seconds of executions before the first search, which may take `Budget` seconds.
    Turns(double Least, double Budget) : NextAt(Least), Budget(Budget) {}
    /// Whether it is time for a search, and what it may take.
    std::optional<double> due(double Now) {
      if (Now < NextAt)
        return std::nullopt;
      const double Seconds = Budget;
      Budget *= Growth;
      NextAt = Now + Seconds + Growth * Seconds;
      return Seconds;
    }

  private:
    static constexpr double Growth = 4;
    double NextAt, Budget; // seconds
  };

  /// All must outlive it. `Report` is that of the exploration.
  Meanwhile(const CheckContext &Context, const ExplorationOptions &Exploration, ModelReport &Report, Turns Searches)
      : Context(Context), Exploration(Exploration), Report(Report), Searches(Searches) {}

  /// The limits of a search beside the exploration: the memory that executions take up at the time is not its own.
  ExplorationOptions limitsOfStates(double Seconds, const ExplorationResult &SoFar) const;

  const CheckContext &Context;
  const ExplorationOptions &Exploration;
  ModelReport &Report;
  const std::chrono::steady_clock::time_point Start = std::chrono::steady_clock::now();
  Turns Searches;
};

} // namespace picket
