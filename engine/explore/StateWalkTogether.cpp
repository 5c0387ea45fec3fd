// Walking with others: steps are given away to whoever has none left. See StateTeam.h.
#include "explore/StateWalk.h"

#include <exception>

namespace picket {

/// A worker besides the first.
struct StateWalk::Helper {
  Helper(const StateWalk &First, std::unique_ptr<WalkHelper> Needs)
      : First(First), Needs(std::move(Needs)), Known(First.Future) {}

  void run() {
    try {
      StepRules &Rules = Needs->start();
      Walk.reset(new StateWalk(Needs->configuration(), Rules, First.Heard, First.Options, First.Reduce, &First.All));
      Needs->begins(*Walk);
      Walk->help(Known, First.MostStates, Result);
    } catch (const Configuration::Interrupted &) { // a limit, which is in the result
      First.All.Unfinished = true;
    } catch (const MachineStop &Stop) {
      Result.stoppedBy(Stop);
      First.All.stop();
    } catch (const std::bad_alloc &) {
      Result.memoryRanOut();
      First.All.stop();
    }
    Needs->configuration().watch(nullptr);
    First.All.Work->stop();
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
        Walk.All.Unfinished = true;
      } catch (...) {
        Thrown = std::current_exception();
      }
      Walk.All.Work->stop();
    }
  } First{*this, nullptr};
  Helpers<Helper> Others(Options.Spare);
  LookForOthers = [&] {
    const uint64_t Bytes = All.Work->Bytes + All.bytesWithGrowth();
    Others.add(*All.Work, Bytes, Options.MaxMemoryBytes, [&](unsigned) {
      Key.share(All);
      return std::make_unique<Helper>(*this, MakeHelper());
    });
  };
  Others.runWith(*All.Work, First);
  LookForOthers = nullptr;
  for (const std::unique_ptr<Helper> &H : Others) {
    C.machine().sharing().add(H->Needs->configuration().machine().sharing());
    addResult(*Result, H->Result);
    if (H->Walk)
      addFrom(*H->Walk);
    else
      All.Unfinished = true;
  }
  if (First.Thrown && Result->Ended != ExplorationResult::End::FirstBug)
    std::rethrow_exception(First.Thrown);
}

void StateWalk::addFrom(const StateWalk &Other) {
  Rules.add(Other.Rules);
  Graph.add(Other.Graph);
  Future.add(Other.Future);
}

void StateWalk::help(const Futures &Known, uint64_t Most, WalkResult &Into) {
  Result = &Into;
  Future = Known;
  Future.takeGrown();
  MostStates = Most;
  Key.share(All);
  Rules.save(RulesAtStart);
  if (C.machine().sharing().changed())
    return;
  work();
}

/// Goes to where a step was given away. False: there is no way there.
bool StateWalk::follow(const StateJob &Job) {
  C.startOver(nullptr);
  Rules.restore(RulesAtStart);
  Way.clear();
  for (size_t K = 0; K + 1 < Job.Way.size(); ++K) {
    const Choice &Step = Job.Way[K];
    if (!C.isEnabled(Step.Process))
      return false;
    Rules.before(Step);
    C.step(Step.Process);
    Way.push_back(Step);
    Rules.after(Step);
  }
  Key.compute(Whole, Parts, Rules.ownBuffer());
  Rules.describe(Whole);
  if (C.machine().sharing().changed() || All.insert(Whole).State != Job.From)
    return false;
  Visit Here{};
  Here.State = Job.From;
  Here.Before = C.mark();
  Here.EndChoice = 1;
  Here.IsOthers = true;
  ThreadParts.assign(Parts.begin(), Parts.end());
  if (Reduce) // while the threads stand there
    for (ThreadId T = 0; T < Parts.size(); ++T)
      if (C.machine().exists(T))
        placeOf(T, Parts[T]);
  Saved.clear();
  Rules.save(Saved);
  Choices.assign(1, Job.Way.back());
  Visits.assign(1, Here);
  ++Result->GivenAway;
  return true;
}

/// Now and then: whether others can be had (the first worker), and whether all have seen as much as they may.
void StateWalk::lookAround() {
  if (LookForOthers && !All.Stale && Result->States >= Options.StatesAlone &&
      Result->States >= StatesWhenGrown + std::min<uint64_t>(Options.StatesAlone, 2'000))
    LookForOthers();
  if (!All.Work->hasSeveral())
    return;
  if (All.NumStates > MostStates) {
    All.Unfinished = true;
    All.Work->stop();
  }
}

/// Gives away a step from the first state on the way from which all steps are taken and some are left.
void StateWalk::offerSomething() {
  // Looking for something, and writing down the way there, takes as long as the way is.
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
    All.Work->offer(std::move(Job));
    WorkToNextOffer = static_cast<uint32_t>(Length / StepsPerWork);
    return;
  }
}

/// Held while the listener is told something.
std::unique_lock<std::mutex> StateWalk::tellingAlone() {
  return All.Work->hasSeveral() ? std::unique_lock<std::mutex>(All.Work->Telling) : std::unique_lock<std::mutex>();
}

/// Tells how far all are.
void StateWalk::tellCounts(std::chrono::steady_clock::time_point Now) {
  All.NumStates += Result->States - StatesTold;
  All.NumTransitions += Result->Transitions - TransitionsTold;
  StatesTold = Result->States;
  TransitionsTold = Result->Transitions;
  WalkResult SoFar = *Result;
  SoFar.States = All.NumStates;
  SoFar.Transitions = All.NumTransitions;
  const std::unique_lock<std::mutex> Guard = tellingAlone();
  Heard.worked(SoFar);
  constexpr std::chrono::milliseconds TellEvery{100};
  if (Now - All.LastTold < TellEvery)
    return;
  All.LastTold = Now;
  Heard.progress(SoFar);
}

/// What the others take up, besides the tables that all have.
uint64_t StateWalk::bytesOfOthers(uint64_t Mine) {
  const uint64_t Only = Mine - std::min(Mine, All.bytesWithGrowth());
  const uint64_t Sum = All.Work->Bytes += Only - BytesTold;
  BytesTold = Only;
  return Sum - Only;
}

void addResult(WalkResult &To, const WalkResult &From) {
  using End = ExplorationResult::End;
  To.States += From.States;
  To.Transitions += From.Transitions;
  To.Ends += From.Ends;
  To.Unchecked += From.Unchecked;
  To.GivenAway += From.GivenAway;
  To.Depth = std::max(To.Depth, From.Depth);
  // One bug is an answer, something unsupported a reason that stays.
  auto Weight = [](const WalkResult &R) {
    return R.Ended == End::FirstBug ? 3 : R.Ended == End::Unsupported ? 2 : R.Ended == End::Limit ? 1 : 0;
  };
  if (Weight(From) <= Weight(To))
    return;
  static_cast<ExplorationEnd &>(To) = From;
}

} // namespace picket
