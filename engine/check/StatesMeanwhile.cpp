#include "check/StatesMeanwhile.h"

#include "check/Limits.h"
#include "check/StateCheck.h"

namespace picket {

ExplorationOptions Meanwhile::limitsOfStates(double Seconds, const ExplorationResult &SoFar) const {
  ExplorationOptions Limits = limitsOf(Context, Seconds);
  if (Exploration.Deadline)
    Limits.Deadline = std::min(*Limits.Deadline, *Exploration.Deadline);
  Limits.MaxMemoryBytes -= std::min(Limits.MaxMemoryBytes, SoFar.Bytes);
  Limits.Machine.MaxMemoryBytes = Limits.MaxMemoryBytes;
  return Limits;
}

bool StatesMeanwhile::isEnough(const ExplorationResult &SoFar) {
  if (Context.Options.Search != Engine::Auto || !isSearched(Report.Which) ||
      looksForRaces(Context.Options, Report.Which))
    return false;
  std::optional<double> Seconds;
  const bool NoneEnds = SoFar.Executions + SoFar.Blocked + SoFar.Cut == 0;
  if ((SoFar.Cut || NoneEnds) && Report.Bugs.empty() && !ByStates)
    Seconds = Searches.due(secondsSince(Start));
  if (!Seconds)
    return false;
  ModelReport Now;
  Now.Which = Report.Which;
  Now.Executions = SoFar.Executions;
  Now.Blocked = SoFar.Blocked;
  Now.CutShort = SoFar.Cut;
  const ExplorationOptions Limits = limitsOfStates(*Seconds, SoFar);
  if (!StateCheck{Context, Limits}.run(Now))
    return false;
  ByStates = std::move(Now);
  return true;
}

void StatesMeanwhile::addAnswer() {
  if (!ByStates || !Report.Bugs.empty())
    return;
  ByStates->Robust = std::move(Report.Robust);
  ByStates->Seconds = Report.Seconds;
  ByStates->Executions = Report.Executions; // of all workers
  ByStates->Blocked = Report.Blocked;
  ByStates->CutShort = Report.CutShort;
  ByStates->Rejected = Report.Rejected;
  ByStates->StepsTaken = Report.StepsTaken;
  Report = std::move(*ByStates);
}

} // namespace picket
