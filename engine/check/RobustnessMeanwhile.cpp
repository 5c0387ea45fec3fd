#include "check/RobustnessMeanwhile.h"

#include "check/Limits.h"
#include "check/RobustnessText.h"
#include "check/StateCheck.h"

#include <cassert>

namespace picket {

/// An execution of a model is one of weaker models, too.
std::optional<Robustness::Answer> RobustnessMeanwhile::saidByStates(MemoryModel M) const {
  for (const Robustness &R : ByStates)
    if (R.Against == M || (isWeaker(M, R.Against) && R.Known == Robustness::NotRobust))
      return R.Known;
  return std::nullopt;
}

/// Asks the states of the models of which nothing is known yet.
void RobustnessMeanwhile::searchStates(double Seconds, const ExplorationResult &SoFar) {
  const ExplorationOptions Limits = limitsOfStates(Seconds, SoFar);
  for (MemoryModel M : Asked.Against) {
    if (alarmed(M) || saidByStates(M))
      continue;
    ModelReport Sc;
    try {
      StateCheck{Context, Limits}.findRobustness(Sc, M);
    } catch (const std::bad_alloc &) { // executions go on
    }
    if (Sc.Robust.empty())
      continue;
    ByStates.push_back(std::move(Sc.Robust.front()));
    Counts = Sc.States;
  }
}

bool RobustnessMeanwhile::isEnough(const ExplorationResult &SoFar) {
  constexpr double Least = .1;
  const double Now = secondsSince(Start);
  if (Context.Options.Search != Engine::Auto || Now < Least)
    return false;
  const std::vector<MemoryModel> &Models = Asked.Against;
  auto IsOpen = [&](MemoryModel M) { return !alarmed(M) && !saidByStates(M); };
  if (std::any_of(Models.begin(), Models.end(), IsOpen))
    if (std::optional<double> Seconds = Searches.due(Now))
      searchStates(*Seconds, SoFar);
  if (std::none_of(Models.begin(), Models.end(), IsOpen)) {
    auto IsRobust = [&](MemoryModel M) { return saidByStates(M) == Robustness::Robust; };
    return !Asked.EveryViolation || std::all_of(Models.begin(), Models.end(), IsRobust);
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
void RobustnessMeanwhile::lowerBound() {
  constexpr double Soon = .2; // seconds
  RobustnessOptions Lower = Asked;
  Lower.Search = Engine::Bounded;
  Lower.TimeoutSeconds = Soon;
  for (Lower.Unroll = 1; Lower.Unroll < Asked.Unroll; Lower.Unroll *= 2) {
    RobustnessReport Checked = checkRobustness(Context.File, {Context.Compiled, {}}, Lower, {}, Exploration.Cancel);
    ModelReport &Sc = Checked.sc();
    if (Sc.Robust.size() < monitoredModels().size())
      return;
    AsFar = std::move(Sc);
  }
}

void RobustnessMeanwhile::addAnswer() {
  for (Robustness &R : ByStates)
    add(std::move(R));
  for (MemoryModel M : monitoredModels())
    if (AsFar && std::none_of(Report.Robust.begin(), Report.Robust.end(), [&](auto &R) { return R.Against == M; }))
      addAsFar(M);
}

/// What executions up to a lower bound said.
void RobustnessMeanwhile::addAsFar(MemoryModel M) {
  for (const Robustness &R : AsFar->Robust)
    if (R.Against == M) {
      Report.Robust.push_back(R);
      Report.Loops = AsFar->Loops;
    }
}

/// What states said of a model. An execution of it is one of weaker models, too.
void RobustnessMeanwhile::add(Robustness Answer) {
  assert(Answer.Known != Robustness::Unknown);
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
      Report.States = Counts;
    }
  }
}

} // namespace picket
