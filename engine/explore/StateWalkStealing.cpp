// Work stealing of the walk through states: steps are given away to workers that have none left. See StateTeam.h.
#include "explore/StateWalk.h"

#include <exception>

namespace picket {

/// A worker besides the first.
struct StateWalk::Helper {
  Helper(const StateWalk &First, std::unique_ptr<WalkHelper> Needs)
      : First(First), Needs(std::move(Needs)), Known(First.Reduction.futures()) {}

  void run() {
    try {
      StepRules &Rules = Needs->start();
      Walk.reset(new StateWalk(Needs->configuration(), Rules, First.Heard, First.Options, First.Reduce, &First.Team));
      Needs->begins(*Walk);
      Walk->help(Known, First.MostStates, Result);
    } catch (const Configuration::Interrupted &) { // a limit, which is in the result
      First.Team.Unfinished = true;
    } catch (const MachineStop &Stop) {
      Result.stoppedBy(Stop);
      First.Team.stop();
    } catch (const std::bad_alloc &) {
      Result.memoryRanOut();
      First.Team.stop();
    }
    Needs->configuration().watch(nullptr);
    First.Team.Work->stop();
  }

  const StateWalk &First;
  std::unique_ptr<WalkHelper> Needs;
  const Futures Known; // when it came
  std::unique_ptr<StateWalk> Walk;
  WalkResult Result;
  std::thread Thread;
};

/// The first worker's part: walks, and takes others in.
void StateWalk::walkWithOthers() {
  struct {
    StateWalk &Walk;
    std::exception_ptr Thrown;
    void run() {
      try {
        Walk.work();
      } catch (const Configuration::Interrupted &) {
        Walk.Team.Unfinished = true;
      } catch (...) {
        Thrown = std::current_exception();
      }
      Walk.Team.Work->stop();
    }
  } First{*this, nullptr};
  Helpers<Helper> Others(Options.Spare);
  RecruitWorkers = [&] {
    const uint64_t Bytes = Team.Work->Bytes + Team.bytesWithGrowth();
    Others.add(*Team.Work, Bytes, Options.MaxMemoryBytes, [&](unsigned) {
      Key.share(Team);
      return std::make_unique<Helper>(*this, MakeHelper());
    });
  };
  Others.runWith(*Team.Work, First);
  RecruitWorkers = nullptr;
  for (const std::unique_ptr<Helper> &H : Others) {
    Config.machine().sharing().add(H->Needs->configuration().machine().sharing());
    addResult(*Result, H->Result);
    if (H->Walk)
      addFrom(*H->Walk);
    else
      Team.Unfinished = true;
  }
  if (First.Thrown && Result->Ended != ExplorationResult::End::FirstBug)
    std::rethrow_exception(First.Thrown);
}

void StateWalk::addFrom(const StateWalk &Other) {
  Rules.add(Other.Rules);
  Graph.add(Other.Graph);
  Reduction.add(Other.Reduction);
}

void StateWalk::help(const Futures &Known, uint64_t Most, WalkResult &Into) {
  Result = &Into;
  Reduction.setFutures(Known);
  MostStates = Most;
  Key.share(Team);
  Rules.save(RulesAtStart);
  if (Config.machine().sharing().changed())
    return;
  work();
}

/// Takes the steps to where a step was given away. False: they are not possible.
bool StateWalk::replay(const StateJob &Job) {
  Config.startOver(nullptr);
  Rules.restore(RulesAtStart);
  Way.clear();
  for (size_t K = 0; K + 1 < Job.Way.size(); ++K) {
    const Choice &Step = Job.Way[K];
    if (!Config.isEnabled(Step.Process))
      return false;
    Rules.before(Step);
    Config.step(Step.Process);
    Way.push_back(Step);
    Rules.after(Step);
  }
  Key.compute(Whole, Parts, Rules.ownBuffer());
  Rules.describe(Whole);
  if (Config.machine().sharing().changed() || Team.insert(Whole).State != Job.From)
    return false;
  Visit Here{};
  Here.State = Job.From;
  Here.Before = Config.mark();
  Here.EndChoice = 1;
  Here.IsOthers = true;
  ThreadParts.assign(Parts.begin(), Parts.end());
  if (Reduce) // while the threads stand there
    Reduction.learnPoints(Parts);
  Saved.clear();
  Rules.save(Saved);
  Choices.assign(1, Job.Way.back());
  Visits.assign(1, Here);
  ++Result->GivenAway;
  return true;
}

/// Recruits workers (the first worker only), and ends the walk if all have seen as many states as they may.
void StateWalk::recruitOrEnd() {
  if (RecruitWorkers && !Team.Stale && Result->States >= Options.StatesAlone &&
      Result->States >= StatesWhenGrown + std::min<uint64_t>(Options.StatesAlone, 2'000))
    RecruitWorkers();
  if (!Team.Work->hasSeveral())
    return;
  if (Team.NumStates > MostStates) {
    Team.Unfinished = true;
    Team.Work->stop();
  }
}

/// Gives away a step from the first state on the way from which all steps are taken and some are left.
void StateWalk::offerWork() {
  // Finding something to offer, and writing down the way there, takes as long as the way is.
  constexpr uint32_t WorkAfterNothing = 50, StepsPerWork = 16;
  WorkSinceOffer = 0;
  WorkToNextOffer = WorkAfterNothing;
  for (size_t K = 0; K < Visits.size(); ++K) {
    Visit &From = Visits[K];
    if (From.Reduced || From.NextChoice == From.EndChoice)
      continue;
    StateJob Job;
    Job.From = From.State;
    // The way has a step less than there are visits, but for those to where this worker was led itself.
    const size_t Length = Way.size() + 1 - Visits.size() + K;
    Job.Way.assign(Way.begin(), Way.begin() + static_cast<ptrdiff_t>(Length));
    Job.Way.push_back(Choices[--From.EndChoice]);
    Team.Work->offer(std::move(Job));
    WorkToNextOffer = static_cast<uint32_t>(Length / StepsPerWork);
    return;
  }
}

/// Held while the listener is told something.
std::unique_lock<std::mutex> StateWalk::tellingAlone() {
  return Team.Work->hasSeveral() ? std::unique_lock<std::mutex>(Team.Work->Telling) : std::unique_lock<std::mutex>();
}

/// Tells how far all are.
void StateWalk::tellCounts(std::chrono::steady_clock::time_point Now) {
  Team.NumStates += Result->States - StatesTold;
  Team.NumTransitions += Result->Transitions - TransitionsTold;
  StatesTold = Result->States;
  TransitionsTold = Result->Transitions;
  WalkResult SoFar = *Result;
  SoFar.States = Team.NumStates;
  SoFar.Transitions = Team.NumTransitions;
  const std::unique_lock<std::mutex> Guard = tellingAlone();
  Heard.worked(SoFar);
  constexpr std::chrono::milliseconds TellEvery{100};
  if (Now - Team.LastTold < TellEvery)
    return;
  Team.LastTold = Now;
  Heard.progress(SoFar);
}

/// What the others take up, besides the tables that all have.
uint64_t StateWalk::bytesOfOthers(uint64_t Mine) {
  const uint64_t Only = Mine - std::min(Mine, Team.bytesWithGrowth());
  const uint64_t Sum = Team.Work->Bytes += Only - BytesTold;
  BytesTold = Only;
  return Sum - Only;
}

void addResult(WalkResult &To, const WalkResult &From) {
  To.States += From.States;
  To.Transitions += From.Transitions;
  To.Ends += From.Ends;
  To.Unchecked += From.Unchecked;
  To.GivenAway += From.GivenAway;
  To.Depth = std::max(To.Depth, From.Depth);
  To.takeStronger(From);
}

} // namespace picket
