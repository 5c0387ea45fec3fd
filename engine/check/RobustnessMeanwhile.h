// While the executions of SC are explored and monitored: searches through states whether the program is robust.
#pragma once

#include "check/Meanwhile.h"
#include "check/RobustnessCheck.h"

namespace picket {

/// States may say it for loops without a bound. Where they say nothing soon, a lower bound of loops may have to do.
class RobustnessMeanwhile : public Meanwhile {
public:
  /// `Exploration` has a monitor.
  RobustnessMeanwhile(const CheckContext &Context, const RobustnessOptions &Asked,
                      const ExplorationOptions &Exploration, ModelReport &Report)
      : Meanwhile(Context, Exploration, Report, Turns(.1, 4)), Asked(Asked) {}

  /// Whether it is known of each model that is asked for. Shorter witnesses than the first are looked for a while.
  bool isEnough(const ExplorationResult &SoFar) override;
  void addAnswer() override;

private:
  bool alarmed(MemoryModel M) const { return Exploration.Monitor->alarmed(M); }
  std::optional<Robustness::Answer> saidByStates(MemoryModel M) const;
  void searchStates(double Seconds, const ExplorationResult &SoFar);
  void lowerBound();
  void addAsFar(MemoryModel M);
  void add(Robustness Answer);

  const RobustnessOptions &Asked;
  std::vector<Robustness> ByStates; // the answers of the states
  std::optional<StateCounts> Counts;
  bool Lowered = false;             // the bound was
  std::optional<ModelReport> AsFar; // the answer up to there
};

} // namespace picket
