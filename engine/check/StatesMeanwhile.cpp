#include "check/StatesMeanwhile.h"

#include "check/Limits.h"
#include "check/RobustnessText.h"

namespace picket {

StatesMeanwhile::StatesMeanwhile(const std::string &File, const Program &P, const CheckOptions &Options,
                                 const ExplorationOptions &Exploration, ModelReport &Report,
                                 const std::function<void(const Progress &)> &OnProgress)
    : File(File), P(P), Options(Options), Exploration(Exploration), Report(Report), OnProgress(OnProgress),
      Searches(Options.RobustnessOnly ? Turns(.1, 4) : Turns(1, 2)) {}

std::optional<double> StatesMeanwhile::Turns::due(double Now) {
  if (Now < NextAt)
    return std::nullopt;
  const double Seconds = Budget;
  Budget *= Growth;
  NextAt = Now + Seconds + Growth * Seconds;
  return Seconds;
}

bool StatesMeanwhile::isEnough(const ExplorationResult &SoFar) {
  if (Options.Search != Engine::Auto || !isSearched(Report.Which))
    return false;
  return Options.RobustnessOnly ? knowsRobustness(SoFar) : knowsStates(SoFar);
}

void StatesMeanwhile::addStates() {
  if (ByStates && !Options.RobustnessOnly && Report.Bugs.empty()) {
    ByStates->Robust = std::move(Report.Robust);
    ByStates->Seconds = Report.Seconds;
    ByStates->Executions = Report.Executions; // of all workers
    ByStates->Blocked = Report.Blocked;
    ByStates->CutShort = Report.CutShort;
    ByStates->Rejected = Report.Rejected;
    ByStates->StepsTaken = Report.StepsTaken;
    Report = std::move(*ByStates);
  }
  if (!Options.RobustnessOnly)
    return;
  if (ByStates)
    for (Robustness &R : ByStates->Robust)
      addAnswer(std::move(R));
  for (MemoryModel M : monitoredModels())
    if (AsFar && std::none_of(Report.Robust.begin(), Report.Robust.end(), [&](auto &R) { return R.Against == M; }))
      addAsFar(M);
}

bool StatesMeanwhile::alarmed(MemoryModel M) const { return Exploration.Monitor->alarmed(M); }

/// An execution of a model is one of weaker models, too.
std::optional<Robustness::Answer> StatesMeanwhile::saidByStates(MemoryModel M) const {
  for (const Robustness &R : ByStates ? ByStates->Robust : std::vector<Robustness>())
    if (R.Against == M || (isWeaker(M, R.Against) && R.Known == Robustness::NotRobust))
      return R.Known;
  return std::nullopt;
}

/// Asks the states of the models of which nothing is known yet.
void StatesMeanwhile::searchRobustness(double Seconds, const ExplorationResult &SoFar) {
  const ExplorationOptions Limits = limitsOfStates(Seconds, SoFar);
  for (MemoryModel M : Options.Against) {
    if (alarmed(M) || saidByStates(M))
      continue;
    ModelReport Sc;
    try {
      StateCheck{File, P, Options, Limits, OnProgress}.findRobustness(Sc, M);
    } catch (const std::bad_alloc &) { // executions go on
    }
    if (Sc.Robust.empty())
      continue;
    if (!ByStates)
      ByStates.emplace();
    ByStates->Robust.push_back(std::move(Sc.Robust.front()));
    ByStates->States = Sc.States;
  }
}

/// Whether it is known of each model that is asked for. Shorter witnesses than the first are looked for a while.
bool StatesMeanwhile::knowsRobustness(const ExplorationResult &SoFar) {
  constexpr double Least = .1;
  const double Now = secondsSince(Start);
  if (Now < Least || !Exploration.Monitor)
    return false;
  const std::vector<MemoryModel> &Asked = Options.Against;
  auto IsOpen = [&](MemoryModel M) { return !alarmed(M) && !saidByStates(M); };
  if (std::any_of(Asked.begin(), Asked.end(), IsOpen))
    if (std::optional<double> Seconds = Searches.due(Now))
      searchRobustness(*Seconds, SoFar);
  if (std::none_of(Asked.begin(), Asked.end(), IsOpen)) {
    auto IsRobust = [&](MemoryModel M) { return saidByStates(M) == Robustness::Robust; };
    return !Options.EveryViolation || std::all_of(Asked.begin(), Asked.end(), IsRobust);
  }
  // What is left are executions up to a bound. Where these are many, a lower bound has to do.
  constexpr double MostForBound = .5;
  if (!SoFar.Cut || Now < MostForBound || Lowered)
    return AsFar.has_value();
  Lowered = true;
  lowerBound();
  return AsFar.has_value();
}

/// Follows loops once, twice, ..., as long as that is soon done.
void StatesMeanwhile::lowerBound() {
  constexpr double Soon = .2; // seconds
  CheckOptions Lower = Options;
  Lower.Models = {MemoryModel::SC};
  Lower.Search = Engine::Bounded;
  Lower.TimeoutSeconds = Soon;
  for (Lower.Unroll = 1; Lower.Unroll < Options.Unroll; Lower.Unroll *= 2) {
    CheckReport Checked = checkCompiled(File, {P, {}}, Lower, {}, Exploration.Cancel);
    ModelReport &Sc = Checked.Models.front();
    if (Sc.Robust.size() < monitoredModels().size())
      return;
    AsFar = std::move(Sc);
  }
}

/// What executions up to a lower bound said.
void StatesMeanwhile::addAsFar(MemoryModel M) {
  for (const Robustness &R : AsFar->Robust)
    if (R.Against == M) {
      Report.Robust.push_back(R);
      Report.Loops = AsFar->Loops;
    }
}

/// Whether there is an answer for loops without a bound, where executions only give one up to a bound, or do not end.
bool StatesMeanwhile::knowsStates(const ExplorationResult &SoFar) {
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
  if (!StateCheck{File, P, Options, Limits, OnProgress}.run(Now))
    return false;
  ByStates = std::move(Now);
  return true;
}

/// The memory that executions take up at the time is not theirs.
ExplorationOptions StatesMeanwhile::limitsOfStates(double Seconds, const ExplorationResult &SoFar) const {
  ExplorationOptions Limits = limitsOf(Options, Seconds, Exploration.Cancel);
  if (Exploration.Deadline)
    Limits.Deadline = std::min(*Limits.Deadline, *Exploration.Deadline);
  Limits.MaxMemoryBytes -= std::min(Limits.MaxMemoryBytes, SoFar.Bytes);
  Limits.Machine.MaxMemoryBytes = Limits.MaxMemoryBytes;
  return Limits;
}

/// What states said of a model. An execution of it is one of weaker models, too.
void StatesMeanwhile::addAnswer(Robustness Answer) {
  for (MemoryModel M : monitoredModels()) {
    if (M != Answer.Against && (!isWeaker(M, Answer.Against) || Answer.Known != Robustness::NotRobust))
      continue;
    auto Known =
        std::find_if(Report.Robust.begin(), Report.Robust.end(), [&](const Robustness &R) { return R.Against == M; });
    if (Known == Report.Robust.end())
      Known = Report.Robust.emplace(Report.Robust.end());
    else if (Known->Known == Robustness::NotRobust || !Known->Bounded)
      continue;
    *Known = Answer;
    Known->Against = M;
    if (M != Answer.Against) {
      setNotRobust(*Known, Answer.Store, Answer.Overtaker, Answer.Observer);
      Known->Witness = nullptr;
      Known->Violations.clear();
      putMarkedFirst(*Known);
    } else {
      Report.States = ByStates->States;
    }
  }
}

} // namespace picket
