#include "robust/LazyReachability.h"

#include <algorithm>

namespace picket {

namespace {

class LazyReachability : StateWalk::Listener {
public:
  LazyReachability(const Program &P, const ExplorationOptions &Options, Buffering Buffers, LazyObserver &Observer)
      : P(P), Options(Options), Buffers(Buffers), Observer(Observer), Live(P),
        Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size())) {}

  LazyResult run() {
    // The oracle goes through all states of R as well. In the first round, which is the only one for robust programs, it
    // does both; later on what was looked for is most likely there, and found sooner without it.
    do
      ++Result.Rounds;
    while (!(Result.Rounds > 1 && searched(false)) && !searched(true) && !isEnough() && extend());
    Result.Delayed.assign(Allowed.Known.begin(), Allowed.Known.end());
    Observer.finished(**C, Result);
    return std::move(Result);
  }

private:
  bool searched(bool Attacks);
  bool walk(WalkResult &Into, bool Attacks);
  bool isEnough();
  bool extend();

  bool foundBug(const BugReport &Bug, const std::vector<Choice> &Way) override {
    if (!Observer.wantsBugs())
      return false;
    StateSearchResult::Found &New = Result.Found.emplace(StateSearchResult::Found{Bug, {}});
    for (const Choice &Step : Way)
      New.Schedule.push_back(Step.Process);
    return true;
  }
  void progress(const WalkResult &Walk) override {
    LazyResult SoFar = Result;
    SoFar.States += Walk.States;
    SoFar.Transitions += Walk.Transitions;
    Observer.progress(SoFar);
  }
  void worked(const WalkResult &Walk) override {
    if (Rules && Rules->hasWitness() && Walk.States > 2 * StatesAtFirst + FewStates)
      Walking->stop(); // enough to go on with
    else if (Rules && !Rules->hasWitness())
      StatesAtFirst = Walk.States;
  }

  const Program &P;
  const ExplorationOptions &Options;
  const Buffering Buffers;
  LazyObserver &Observer;
  const LiveSlots Live;
  Sharing Shared;
  std::optional<SearchedConfiguration> C;
  Delays Allowed;
  std::set<Delay> Found;
  bool ReachedBound = false, ToldWitness = false;
  std::vector<ProcessId> WitnessSteps; // the shortest of this search
  AttackPlaces WitnessPlaces;
  AttackRules *Rules = nullptr;
  StateWalk *Walking = nullptr;
  static constexpr uint64_t FewStates = 2'000;
  uint64_t StatesAtFirst = 0;
  LazyResult Result;
};

/// One walk through the states, in which bugs or attacks are looked for. False: what is shared turned out differently.
bool LazyReachability::walk(WalkResult &Into, bool Attacks) {
  (*C)->start();
  Found.clear();
  WitnessSteps.clear();
  StatesAtFirst = 0;
  if (!Attacks) {
    DelayRules Delaying(**C, Allowed);
    const bool Over = StateWalk(**C, Delaying, *this, Options, true).run(Into);
    ReachedBound = Delaying.reachedBound();
    return Over;
  }
  AttackRules Attacking(**C, Allowed);
  StateWalk Walk(**C, Attacking, *this, Options, true);
  Rules = &Attacking;
  Walking = &Walk;
  Attacking.OnWitness = [&](const AttackPlaces &Places) {
    if (!WitnessSteps.empty() && WitnessSteps.size() <= Walk.way().size())
      return;
    WitnessSteps.clear();
    for (const Choice &Step : Walk.way())
      WitnessSteps.push_back(Step.Process);
    WitnessPlaces = Places;
  };
  const bool Over = Walk.run(Into);
  Rules = nullptr;
  ReachedBound |= Attacking.reachedBound();
  Result.Witnesses += Attacking.witnesses();
  Found = Attacking.found();
  return Over;
}

/// True if that gave an answer.
bool LazyReachability::searched(bool Attacks) {
  using Answer = LazyResult::Answer;
  WalkResult Walk;
  for (bool Over = false; !Over;) {
    Walk = WalkResult();
    Shared.takeChanged();
    C.emplace(P, Live, Shared, Options, Buffers);
    try {
      Over = walk(Walk, Attacks);
    } catch (const MachineStop &Stop) {
      Rules = nullptr;
      Over = !Shared.changed();
      noteStop(Walk, Stop);
    } catch (const std::bad_alloc &) {
      Rules = nullptr;
      Over = true;
      Walk.Ended = ExplorationResult::End::Limit;
      Walk.Reason = "memory ran out, or a thread stores for ever without reading anything";
    }
  }
  ++Result.Searches;
  Result.States += Walk.States;
  Result.Unchecked += Walk.Unchecked;
  Result.Transitions += Walk.Transitions;
  Result.Bytes = std::max(Result.Bytes, Walk.Bytes);
  if (Result.Found) {
    Result.What = Answer::Violation;
    return true;
  }
  if (Walk.Ended == ExplorationResult::End::Everything && (*C)->machine().numThreads() > AttackRules::MostThreads) {
    Walk.Ended = ExplorationResult::End::Limit;
    Walk.Reason = "there are more than " + std::to_string(AttackRules::MostThreads) + " threads";
  }
  if (Walk.Ended == ExplorationResult::End::Everything)
    return false;
  Result.What = Walk.Ended == ExplorationResult::End::Unsupported ? Answer::Unsupported : Answer::Limit;
  Result.Reason = Walk.Reason;
  Result.ReasonPc = Walk.ReasonPc;
  Result.HasReasonPc = Walk.HasReasonPc;
  return true;
}

/// Tells of a witness against the program as it was, once.
bool LazyReachability::isEnough() {
  if (!Allowed.Known.empty() || WitnessSteps.empty())
    return false;
  ToldWitness = true;
  if (Observer.notRobust(**C, WitnessSteps, WitnessPlaces))
    return false;
  Result.What = LazyResult::Answer::NotRobust;
  return true;
}

/// Adds what the oracle found to the program. False: that is nothing, and there is an answer.
bool LazyReachability::extend() {
  if (!Found.empty()) {
    Allowed.Known.insert(Found.begin(), Found.end());
    return true;
  }
  constexpr uint32_t MostEver = 1024;
  if (!ReachedBound) {
    Result.What = LazyResult::Answer::Verified;
    Result.Robust = Allowed.Known.empty();
    if (!Result.Robust && !ToldWitness && !Observer.wantsBugs()) {
      Result.What = LazyResult::Answer::Limit;
      Result.Reason = "a store can be late, and the only thread that could observe it waits in a loop";
    }
    return false;
  }
  Allowed.MostBuffered *= 2;
  if (Allowed.MostBuffered <= MostEver)
    return true;
  Result.What = LazyResult::Answer::Limit;
  Result.Reason = "more and more stores can be delayed at a time";
  return false;
}

} // namespace

LazyResult checkLazily(const Program &P, const ExplorationOptions &Options, Buffering Buffers, LazyObserver &Observer) {
  return LazyReachability(P, Options, Buffers, Observer).run();
}

} // namespace picket
