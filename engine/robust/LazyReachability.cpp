#include "robust/LazyReachability.h"

#include "machine/Identities.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>

namespace picket {

namespace {

/// A worker that keeps to the delays.
class DelayHelper : public SearchHelper {
public:
  DelayHelper(const Delays &Allowed, const Program &P, const LiveSlots &Live, const Sharing &Known,
              const ExplorationOptions &Options, MemoryModel Model)
      : SearchHelper(P, Live, Known, Options, Model), Allowed(Allowed) {}
  StepRules &start() override {
    configuration().start();
    return Rules.emplace(configuration(), Allowed);
  }

private:
  const Delays &Allowed;
  std::optional<DelayRules> Rules;
};

/// One that looks for attacks.
class AttackHelper : public SearchHelper {
public:
  using Hearing = std::function<void(const AttackPlaces &, const std::vector<Choice> &Way)>;
  AttackHelper(const Delays &Allowed, Hearing Hears, const Program &P, const LiveSlots &Live, const Sharing &Known,
               const ExplorationOptions &Options, MemoryModel Model)
      : SearchHelper(P, Live, Known, Options, Model), Allowed(Allowed), Hears(std::move(Hears)) {}
  StepRules &start() override {
    configuration().start();
    return Rules.emplace(configuration(), Allowed);
  }
  void begins(const StateWalk &Walk) override {
    Rules->OnWitness = [this, &Walk](const AttackPlaces &Places) { Hears(Places, Walk.way()); };
  }

private:
  const Delays &Allowed;
  const Hearing Hears;
  std::optional<AttackRules> Rules;
};

/// One search through the states of the program with the delays that are known. Two may run side by side.
class Search : StateWalk::Listener {
public:
  Search(const Program &P, const LiveSlots &Live, const ExplorationOptions &Options, MemoryModel Model,
         const Delays &Allowed, const Sharing &Known, LazyObserver &Observer)
      : Prog(P), Live(Live), Options(Options), Model(Model), Allowed(Allowed), Observer(Observer), Shared(Known) {}

  /// `Attacks`: attacks are looked for, and not only bugs. `SoFar`: what is told on the way goes on from there; null:
  /// nothing is told.
  void run(bool Attacks, const LazyResult *SoFar);
  /// A search that is not for attacks ends after so many states, without an answer.
  void limitTo(uint64_t States) { MostStates = States; }
  /// Makes run() come to its end, from any thread.
  void cancel() { Cancelled = true; }

  WalkResult Walk;
  std::optional<StateSearchResult::Found> Bug;
  std::set<Delay> Found;
  bool ReachedBound = false;
  uint64_t Witnesses = 0;
  std::vector<ProcessId> WitnessSteps; // the shortest
  AttackPlaces WitnessPlaces;
  std::optional<SearchedConfiguration> Config;
  const Sharing &sharing() const { return Shared; }
  /// Heard when a bug was found.
  std::function<void()> OnBug;

private:
  bool walk(bool Attacks);
  void hearOfWitness(const AttackPlaces &Places, const std::vector<Choice> &Way);

  bool foundBug(const BugReport &Report, const std::vector<Choice> &Way) override {
    if (!Observer.wantsBugs())
      return false;
    StateSearchResult::Found &New = Bug.emplace(StateSearchResult::Found{Report, {}});
    for (const Choice &Step : Way)
      New.Schedule.push_back(Step.Process);
    if (OnBug)
      OnBug();
    return true;
  }
  void progress(const WalkResult &Now) override {
    if (!Told)
      return;
    LazyResult SoFar = *Told;
    SoFar.States += Now.States;
    SoFar.Transitions += Now.Transitions;
    Observer.progress(SoFar);
  }
  void worked(const WalkResult &Now) override {
    const bool HasWitness = HeardOfWitness;
    const bool IsEnough = HasWitness ? Now.States > 2 * StatesAtFirst + FewStates : Now.States > MostStates;
    if (Cancelled || IsEnough)
      Walking->stop();
    else if (!HasWitness)
      StatesAtFirst = Now.States;
  }

  const Program &Prog;
  const LiveSlots &Live;
  const ExplorationOptions Options;
  const MemoryModel Model;
  const Delays &Allowed;
  LazyObserver &Observer;
  Sharing Shared;
  const LazyResult *Told = nullptr;
  std::atomic<bool> Cancelled = false;
  std::mutex Hearing; // of witnesses
  std::atomic<bool> HeardOfWitness = false;
  StateWalk *Walking = nullptr;
  static constexpr uint64_t FewStates = 2'000;
  uint64_t StatesAtFirst = 0, MostStates = ~0ull;
};

/// One walk through the states. False: what is shared turned out differently.
bool Search::walk(bool Attacks) {
  (*Config)->start();
  Found.clear();
  WitnessSteps.clear();
  StatesAtFirst = 0;
  HeardOfWitness = false;
  if (!Attacks) {
    DelayRules Delaying(**Config, Allowed);
    StateWalk Walker(**Config, Delaying, *this, Options, true);
    Walking = &Walker;
    Walker.helpWith([&] { return std::make_unique<DelayHelper>(Allowed, Prog, Live, Shared, Options, Model); });
    const bool Over = Walker.run(Walk);
    ReachedBound = Delaying.reachedBound();
    return Over;
  }
  AttackRules Attacking(**Config, Allowed);
  StateWalk Walker(**Config, Attacking, *this, Options, true);
  Walking = &Walker;
  Attacking.OnWitness = [&](const AttackPlaces &Places) { hearOfWitness(Places, Walker.way()); };
  Walker.helpWith([&] {
    auto Hear = [this](const AttackPlaces &Places, const std::vector<Choice> &Way) { hearOfWitness(Places, Way); };
    return std::make_unique<AttackHelper>(Allowed, Hear, Prog, Live, Shared, Options, Model);
  });
  const bool Over = Walker.run(Walk);
  ReachedBound = Attacking.reachedBound();
  Witnesses = Attacking.witnesses();
  Found = Attacking.found();
  return Over;
}

void Search::hearOfWitness(const AttackPlaces &Places, const std::vector<Choice> &Way) {
  const std::lock_guard<std::mutex> Guard(Hearing);
  HeardOfWitness = true;
  if (!WitnessSteps.empty() && WitnessSteps.size() <= Way.size())
    return;
  WitnessSteps.clear();
  for (const Choice &Step : Way)
    WitnessSteps.push_back(Step.Process);
  WitnessPlaces = Places;
}

void Search::run(bool Attacks, const LazyResult *SoFar) {
  Told = SoFar;
  for (bool Over = false; !Over;) {
    Walk = WalkResult();
    Shared.takeChanged();
    Config.emplace(Prog, Live, Shared, Options, Model);
    try {
      Over = walk(Attacks);
    } catch (const MachineStop &Stop) {
      Over = !Shared.changed();
      Walk.stoppedBy(Stop);
    } catch (const std::bad_alloc &) {
      Over = true;
      Walk.Ended = ExplorationResult::End::Limit;
      Walk.Reason = "memory ran out, or a thread stores forever without reading anything";
    }
  }
}

class LazyReachability {
public:
  LazyReachability(const Program &P, const ExplorationOptions &Given, MemoryModel Model, LazyObserver &Observer)
      : Prog(P), Options(Given), Model(Model), Observer(Observer), Live(P), Names(P),
        Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size())) {
    if (Options.Spare)
      Options.Machine.Names = &Names;
  }

  LazyResult run() {
    // The oracle goes through all states of R as well. In the first round, which is the only one for robust programs,
    // it does both. Later on what was looked for is most likely there, and found sooner without it, if the delays that
    // are known so far are enough; otherwise it is better to ask for more of them soon.
    bool IsOver;
    do {
      ++Result.Rounds;
      ReachedBound = false;
      IsOver = Result.Rounds > 1 ? searchedBoth() : searched(true);
    } while (!IsOver && !isEnough() && extend());
    Result.Delayed.assign(Allowed.Known.begin(), Allowed.Known.end());
    Observer.finished(**Last->Config, Result);
    return std::move(Result);
  }

private:
  /// These are true if that gave an answer.
  bool searched(bool Attacks);
  bool searchedBoth();
  bool searchedSideBySide();
  bool answers(Search &Done);

  std::unique_ptr<Search> makeSearch(const ExplorationOptions &With) const {
    return std::make_unique<Search>(Prog, Live, With, Model, Allowed, Shared, Observer);
  }

  /// How far bugs are looked for without the oracle.
  uint64_t statesForBugs() const { return 20'000ull << std::min(Result.Rounds, 20u); }
  bool isEnough();
  bool extend();

  const Program &Prog;
  ExplorationOptions Options;
  const MemoryModel Model;
  LazyObserver &Observer;
  const LiveSlots Live;
  Identities Names;
  Sharing Shared; // as far as the last search knows
  Delays Allowed;
  std::unique_ptr<Search> Last;
  bool ReachedBound = false, ToldWitness = false;
  LazyResult Result;
};

bool LazyReachability::searched(bool Attacks) {
  std::unique_ptr<Search> Now = makeSearch(Options);
  if (!Attacks)
    Now->limitTo(statesForBugs());
  Now->run(Attacks, &Result);
  Last = std::move(Now);
  return answers(*Last);
}

bool LazyReachability::searchedBoth() {
  if (Options.Spare && Options.Spare->take()) {
    const bool IsOver = searchedSideBySide();
    Options.Spare->giveBack();
    return IsOver;
  }
  return searched(false) || searched(true);
}

/// Searches for bugs while the oracle runs, which often finds one sooner, and by a shorter path. The search that finds
/// a bug ends the other one; otherwise both are needed, so that the answer is the same as that of one after the other.
bool LazyReachability::searchedSideBySide() {
  ExplorationOptions Half = Options;
  Half.MaxMemoryBytes /= 2;
  Half.Machine.MaxMemoryBytes /= 2;
  std::unique_ptr<Search> Bugs = makeSearch(Half), Attacks = makeSearch(Half);
  Bugs->limitTo(statesForBugs());
  Bugs->OnBug = [&] { Attacks->cancel(); };
  Attacks->OnBug = [&] { Bugs->cancel(); };
  const LazyResult SoFar = Result;
  std::thread Other([&] { Attacks->run(true, nullptr); });
  Bugs->run(false, &SoFar);
  if (Bugs->Walk.Ended != ExplorationResult::End::Everything) // a limit, or a bug
    Attacks->cancel();
  Other.join();
  // A search that was ended for the other's sake has nothing to say.
  Last = std::move(Attacks->Bug && !Bugs->Bug ? Attacks : Bugs);
  if (answers(*Last))
    return true;
  Last = std::move(Attacks);
  return answers(*Last);
}

bool LazyReachability::answers(Search &Done) {
  using Answer = LazyResult::Answer;
  WalkResult &Walk = Done.Walk;
  Shared = Done.sharing();
  ++Result.Searches;
  Result.States += Walk.States;
  Result.Unchecked += Walk.Unchecked;
  Result.Transitions += Walk.Transitions;
  Result.Bytes = std::max(Result.Bytes, Walk.Bytes);
  Result.Witnesses += Done.Witnesses;
  ReachedBound |= Done.ReachedBound;
  if (Done.Bug) {
    Result.Found = std::move(Done.Bug);
    Result.What = Answer::Violation;
    return true;
  }
  const uint32_t Threads = (*Done.Config)->machine().numThreads();
  if (Walk.Ended == ExplorationResult::End::Everything && Threads > AttackRules::MostThreads) {
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
  if (!Allowed.Known.empty() || Last->WitnessSteps.empty())
    return false;
  ToldWitness = true;
  if (Observer.notRobust(**Last->Config, Last->WitnessSteps, Last->WitnessPlaces))
    return false;
  Result.What = LazyResult::Answer::NotRobust;
  return true;
}

/// Adds what the oracle found to the program. False: that is nothing, and there is an answer.
bool LazyReachability::extend() {
  if (!Last->Found.empty()) {
    Allowed.Known.insert(Last->Found.begin(), Last->Found.end());
    return true;
  }
  constexpr uint32_t MostEver = 1024;
  if (!ReachedBound) {
    Result.What = LazyResult::Answer::Verified;
    Result.Robust = Allowed.Known.empty();
    Result.Unsure = !Result.Robust && !ToldWitness;
    if (Result.Unsure && !Observer.wantsBugs()) {
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

LazyResult checkLazily(const Program &P, const ExplorationOptions &Options, MemoryModel Model, LazyObserver &Observer) {
  return LazyReachability(P, Options, Model, Observer).run();
}

} // namespace picket
