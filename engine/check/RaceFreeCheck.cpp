#include "check/RaceFreeCheck.h"

#include "explore/OptimalDpor.h"

namespace picket {

namespace {

/// Passes on what it hears as long as the program looks race-free, and right.
class RaceFreeObserver : public ExplorationObserver {
public:
  RaceFreeObserver(RaceFreedom &Program, ExplorationObserver &Next) : Program(Program), Next(Next) {}

  void ended(Execution &Run, Ending How) override {
    if (isWrong(How))
      Program.breakIt();
    else
      Next.ended(Run, How);
  }
  bool mustKnow(const Execution &Run, Ending How) const override { return isWrong(How) || Next.mustKnow(Run, How); }
  void progress(const ExplorationResult &Result) override { Next.progress(Result); }
  bool isEnough(const ExplorationResult &Result) override { return !Program.isKept() || Next.isEnough(Result); }
  void restarted() override { Next.restarted(); }

private:
  static bool isWrong(Ending How) { return How == Ending::Buggy || How == Ending::Unchecked; }

  RaceFreedom &Program;
  ExplorationObserver &Next;
};

} // namespace

std::optional<ExplorationResult> exploreRaceFree(const Program &Compiled, ExplorationOptions Exploration,
                                                 ExplorationObserver &Observer) {
  using Clock = std::chrono::steady_clock;
  RaceFreedom RaceFree;
  Exploration.Model = MemoryModel::SC;
  Exploration.Exhaustive = false;
  Exploration.RaceFree = &RaceFree;
  if (Exploration.Deadline) {
    const Clock::time_point Now = Clock::now();
    Exploration.Deadline = Now + (*Exploration.Deadline - Now) / 2;
  }
  RaceFreeObserver Listener(RaceFree, Observer);
  ExplorationResult Result;
  try {
    Result = exploreOptimally(Compiled, Exploration, Listener);
  } catch (const std::bad_alloc &) {
    return std::nullopt;
  }
  if (Result.Ended != ExplorationResult::End::Everything || !RaceFree.isKept() || Result.FailedWakeups ||
      !Result.Executions)
    return std::nullopt;
  return Result;
}

} // namespace picket
