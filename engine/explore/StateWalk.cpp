#include "explore/StateWalk.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace picket {

StateWalk::StateWalk(Configuration &Config, StepRules &Rules, Listener &Heard, const ExplorationOptions &Options,
                     bool Reduce, StateTeam *With)
    : Config(Config), Rules(Rules), Heard(Heard), Options(Options), Reduce(Reduce),
      OwnTeam(With ? nullptr : std::make_unique<StateTeam>()), Team(With ? *With : *OwnTeam), Key(Config),
      Reduction(Config) {
  ChecksOften = Options.StatesAlone == 0;
  Config.watch([this] { return checkLimits(); });
}

StateWalk::~StateWalk() { Config.watch(nullptr); }

/// Whether it is enough to take the steps of Mover from here, which begin at the choice First.
bool StateWalk::reduceTo(ThreadId Mover, size_t First) {
  if (!Reduction.isPersistent(Mover, Parts))
    return false;
  auto OfMover = [&](const Choice &Way) { return Config.threadOf(Way.Process) == Mover; };
  Choices.erase(std::remove_if(Choices.begin() + static_cast<ptrdiff_t>(First), Choices.end(),
                               [&](const Choice &Way) { return !OfMover(Way); }),
                Choices.end());
  return true;
}

void StateWalk::addAllChoices() {
  Config.enabled(Enabled);
  const size_t First = Choices.size();
  for (ProcessId P : Enabled)
    Rules.addChoices(P, Choices);
  Rules.arrange(Choices, First);
}

/// The choices from the state in which the configuration is.
void StateWalk::findChoices(Visit &Here) {
  Here.FirstChoice = Here.NextChoice = Choices.size();
  Here.Reduced = Here.Closes = Here.IsOthers = false;
  addAllChoices();
  Machine &M = Config.machine();
  if (Reduce && Choices.size() > Here.FirstChoice + 1 && Rules.mayReduce() && M.numThreads() <= Futures::MaxThreads) {
    std::vector<ThreadId> Movers;
    if (!Way.empty()) // the running thread goes on, if possible
      Movers.push_back(Config.threadOf(Way.back().Process));
    for (size_t K = Here.FirstChoice; K < Choices.size(); ++K)
      if (ThreadId T = Config.threadOf(Choices[K].Process); std::find(Movers.begin(), Movers.end(), T) == Movers.end())
        Movers.push_back(T);
    for (ThreadId T : Movers) {
      auto Steps = std::count_if(Choices.begin() + static_cast<ptrdiff_t>(Here.FirstChoice), Choices.end(),
                                 [&](const Choice &Way) { return Config.threadOf(Way.Process) == T; });
      if (Steps == 0 || !reduceTo(T, Here.FirstChoice))
        continue;
      Here.Reduced = true;
      break;
    }
  }
  Here.EndChoice = Choices.size();
}

/// The configuration has come to a state that was not seen before.
void StateWalk::enter(const StateTeam::Known &Known, Configuration::Mark Before) {
  const uint32_t State = Known.State;
  Visit Here;
  Here.State = State;
  Here.Open = Known.Flag;
  Here.Before = Before;
  Here.FirstThread = ThreadParts.size();
  ThreadParts.insert(ThreadParts.end(), Parts.begin(), Parts.end());
  Here.FirstSaved = Saved.size();
  Rules.save(Saved);
  ++Result->States;
  if (Reduce) // while the threads stand there
    Reduction.learnWaiting(Parts);
  noteGrown();
  findChoices(Here);
  Graph.addState(State, Enabled, Rules.looksAtEnds() && !Config.machine().hasEnded()); // loops go down with the process
  if (Here.FirstChoice == Here.EndChoice && Rules.looksAtEnds()) {
    ++Result->Ends;
    const size_t Bugs = Config.machine().bugs().size();
    Ending How = Config.ending();
    Result->Unchecked += How == Ending::Unchecked;
    {
      const std::unique_lock<std::mutex> Guard = tellingAlone();
      Heard.ended(Config, How, Whole);
    }
    reportBugs(Bugs);
    Config.machine().dropBugs(Bugs);
  }
  Visits.push_back(Here);
  Result->Depth = std::max(Result->Depth, Visits.size());
}

bool StateWalk::reportBugs(size_t Before) {
  const std::vector<BugReport> &Bugs = Config.machine().bugs();
  if (Before == Bugs.size())
    return false;
  const std::unique_lock<std::mutex> Guard = tellingAlone();
  for (size_t K = Before; K < Bugs.size() && !Team.Stopped; ++K)
    if (Heard.foundBug(Bugs[K], Way)) {
      Result->Ended = ExplorationResult::End::FirstBug;
      Team.stop();
    }
  return Team.Stopped;
}

void StateWalk::noteGrown() {
  if (!Reduction.takeGrown())
    return;
  StatesWhenGrown = Result->States;
  if (Team.Work->hasSeveral()) {
    Team.Stale = true; // the others have relied on what was known when they came
    Team.StatesWhenGrown = Team.NumStates.load();
  } else if (Reduction.wasReliedOn()) {
    Team.Stale = true;
  }
}

/// For assertions: whether the threads are those of the last visit again.
bool StateWalk::isAtLastVisit() {
  std::string State;
  std::vector<uint32_t> Now;
  Key.compute(State, Now, Rules.ownBuffer());
  const auto Then = std::span(ThreadParts).subspan(Visits.back().FirstThread);
  return Now.size() >= Then.size() && std::equal(Then.begin(), Then.end(), Now.begin());
}

/// Takes the next choice of the last visit. False: the walk is over.
bool StateWalk::tryChoice() {
  Machine &M = Config.machine();
  const size_t Here = Visits.size() - 1;
  const Choice Taken = Choices[Visits[Here].NextChoice++];
  assert(Config.isEnabled(Taken.Process));
  const Configuration::Mark Before = Config.mark();
  const size_t Bugs = M.bugs().size();
  Rules.before(Taken);
  M.loops().clear();
  Config.step(Taken.Process);
  ++Result->Transitions;
  Way.push_back(Taken);
  const bool GoesOn = Rules.after(Taken);
  if (M.sharing().changed() || reportBugs(Bugs) || Team.Stopped)
    return false;
  Key.compute(Whole, Parts, Rules.ownBuffer());
  Rules.describe(Whole);
  if (Reduce) {
    Reduction.learnStep(std::span(ThreadParts).subspan(Visits[Here].FirstThread), Parts,
                        Config.threadOf(Taken.Process));
    noteGrown();
  }
  const StateTeam::Known Next = GoesOn ? Team.insert(Whole) : StateTeam::Known{0, false, false, nullptr};
  if (GoesOn && Rules.looksAtEnds())
    Graph.addStep(Visits[Here].State, Next.State, Taken.Process, Config);
  if (Next.IsNew) {
    enter(Next, Before);
    return !Team.Stopped;
  }
  if (Next.IsOpen)
    Visits[Here].Closes = true;
  Way.pop_back();
  Config.undoTo(Before);
  Rules.restore(std::string_view(Saved).substr(Visits[Here].FirstSaved));
  assert(isAtLastVisit());
  return true;
}

/// All choices of the last visit are taken: goes back, unless steps that were put off must be taken after all.
void StateWalk::leave() {
  Visit &Here = Visits.back();
  assert(Here.NextChoice == Here.EndChoice);
  if (Here.Reduced && Here.Closes) {
    Choices.resize(Here.FirstChoice);
    Here.NextChoice = Here.FirstChoice;
    Here.Reduced = false;
    addAllChoices();
    Here.EndChoice = Choices.size();
    return;
  }
  if (!Here.IsOthers)
    *Here.Open = false;
  Choices.resize(Here.FirstChoice);
  ThreadParts.resize(Here.FirstThread);
  Saved.resize(Here.FirstSaved);
  const Configuration::Mark Before = Here.Before;
  Visits.pop_back();
  if (Visits.empty())
    return;
  Config.undoTo(Before);
  Way.pop_back();
  Rules.restore(std::string_view(Saved).substr(Visits.back().FirstSaved));
}

void StateWalk::clear() {
  Team.clear();
  StatesTold = TransitionsTold = BytesTold = 0;
  Visits.clear();
  Choices.clear();
  Way.clear();
  ThreadParts.clear();
  Saved.clear();
  Graph.clear();
  Reduction.beginWalk();
  Result->States = Result->Transitions = Result->Ends = Result->Unchecked = 0;
  StatesWhenGrown = 0;
}

/// What was relied on has turned out to be too little, and nothing new has come up for a while.
bool StateWalk::restartsSoon() {
  constexpr uint64_t Quiet = 2'000;
  return Team.Stale && (Team.Work->hasSeveral() ? Team.NumStates > Team.StatesWhenGrown + Quiet
                                                : Result->States > StatesWhenGrown + Quiet);
}

/// False: what is shared turned out differently.
bool StateWalk::walkOnce() {
  clear();
  ++Result->Rounds;
  RulesAtStart.clear();
  Rules.save(RulesAtStart);
  if (Config.machine().sharing().changed())
    return false;
  reportBugs(0);
  Key.compute(Whole, Parts, Rules.ownBuffer());
  Rules.describe(Whole);
  enter(Team.insert(Whole), Config.mark());
  if (MakeHelper && Options.Spare)
    walkWithOthers();
  else
    work();
  Works = false;
  Rules.restore(RulesAtStart);
  return !Config.machine().sharing().changed();
}

/// Takes all steps that are left to this worker, then those that others give away.
void StateWalk::work() {
  Works = true;
  for (;;) {
    while (!Visits.empty() && !Team.Work->stopped() && !restartsSoon() && Result->States <= MostStates && !atLimit()) {
      if (Visits.back().NextChoice == Visits.back().EndChoice)
        leave();
      else if (!tryChoice())
        break;
    }
    if (!Visits.empty()) {
      Team.Unfinished = true;
      Team.Work->stop();
      break;
    }
    const std::optional<StateJob> Job = Team.Work->take();
    if (!Job)
      break;
    if (!replay(*Job)) {
      Team.ReplayDiverged = true;
      Team.Work->stop();
      break;
    }
  }
  Works = false;
}

bool StateWalk::run(WalkResult &Into) {
  Result = &Into;
  try {
    for (;;) {
      if (!walkOnce())
        return false;
      countBytes();
      bool Suspected = false;
      if (!Team.Stale && !Team.ReplayDiverged && !Team.Stopped && Rules.sawEverything() && !findLivelock(Suspected) &&
          Suspected && Reduce && !Team.Stopped)
        return walkWithoutReduction();
      if (Team.Stopped || !(Team.Stale || Team.ReplayDiverged))
        return true;
      if (Team.ReplayDiverged) // a worker that explores alone replays nothing
        MakeHelper = nullptr;
      Heard.restarted();
      Config.startOver(nullptr);
    }
  } catch (const Configuration::Interrupted &) { // a limit, which is in the result
    return true;
  }
}

/// All states are known: whether threads can go on for ever without getting anywhere.
bool StateWalk::findLivelock(bool &Suspected) {
  if (!Config.machine().checks(BugKind::Hang))
    return false;
  const std::optional<StateGraph::Livelock> Found = Graph.findLivelock([this] { return checkLimits(); }, Suspected);
  if (!Found)
    return false;
  Config.startOver(nullptr);
  Way.clear();
  for (ProcessId P : Found->Way) {
    if (!Config.isEnabled(P))
      return false;
    Config.step(P);
    Way.push_back({P});
  }
  const Machine &M = Config.machine();
  const ProgramLocation &Where = M.program().Locations[M.program().Loops[Found->Loop].Location];
  BugReport Bug{BugKind::Hang, Found->Thread, M.pc(Found->Thread), {}, true};
  Bug.Message = "the loop" + (Where.Line ? " at line " + std::to_string(Where.Line) : "") +
                (Found->Alone ? " never ends: the thread returns to the same state, and no other thread changes that"
                              : " may never end: threads repeat loops forever, and none of them makes progress");
  if (Heard.foundBug(Bug, Way)) {
    Result->Ended = ExplorationResult::End::FirstBug;
    Team.stop();
  }
  return true;
}

/// The reduction may have left out the steps that make a circle a fair one: looks at all, unless they are too many.
/// What was found out before stands. False: what is shared turned out differently.
bool StateWalk::walkWithoutReduction() {
  const WalkResult Known = *Result;
  Reduce = false;
  MostStates = 4 * Known.States + 20'000;
  Config.startOver(nullptr);
  bool Over = true, Found = false;
  try {
    Over = walkOnce();
    bool Suspected;
    Found = Over && !Team.Stopped && !Team.Unfinished && !Team.ReplayDiverged && findLivelock(Suspected);
  } catch (const Configuration::Interrupted &) {
  }
  const ExplorationResult::End Ended = Found ? Result->Ended : Known.Ended;
  *Result = Known;
  Result->Ended = Ended;
  return Over;
}

void StateWalk::countBytes() {
  Result->Bytes = Team.bytes() + Key.bytes() + Visits.capacity() * sizeof(Visit) + Choices.capacity() * sizeof(Choice) +
                  ThreadParts.capacity() * sizeof(uint32_t) + Saved.capacity() + Graph.bytesWithGrowth();
}

/// What a single step can make much larger.
uint64_t StateWalk::bytesOfTables() const {
  return Team.bytesWithGrowth() + Key.bytesWithGrowth() + Config.bytes() + Config.machine().undo().bytes() +
         Config.machine().memory().bytesAllocated() + Config.machine().numThreads() * Machine::BytesPerThread;
}

/// All that the search takes up, or may before the next look.
uint64_t StateWalk::bytesWithGrowth() {
  using picket::bytesWithGrowth;
  return bytesOfTables() + bytesWithGrowth(Visits) + bytesWithGrowth(Choices) + bytesWithGrowth(Way) +
         bytesWithGrowth(ThreadParts) + bytesWithGrowth(Saved) + Reduction.bytes() + Graph.bytesWithGrowth();
}

bool StateWalk::atLimit() {
  constexpr uint32_t WorkBetweenChecks = 500;
  constexpr uint64_t BytesBetweenChecks = 1 << 20;
  if (Team.Work->someoneWaits() && ++WorkSinceOffer >= WorkToNextOffer)
    offerWork();
  if (++WorkDone < (ChecksOften ? 1 : WorkBetweenChecks) && bytesOfTables() <= BytesAtCheck + BytesBetweenChecks)
    return false;
  if (checkLimits())
    return true;
  recruitOrEnd();
  return Team.Work->stopped();
}

bool StateWalk::checkLimits() {
  using Clock = std::chrono::steady_clock;
  WorkDone = 0;
  BytesAtCheck = bytesOfTables();
  countBytes();
  const Clock::time_point Now = Clock::now();
  tellCounts(Now);
  if (Team.Stopped || (Works && Team.Work->stopped()))
    return true; // another worker knows why, or the listener
  auto Stop = [&](const char *Why) {
    Result->Ended = ExplorationResult::End::Limit;
    Result->Reason = Why;
    Team.stop();
    return true;
  };
  if (Options.Cancel && *Options.Cancel)
    return Stop("the check was cancelled");
  if (Options.Deadline && Now > *Options.Deadline)
    return Stop("the time limit was reached");
  const uint64_t Mine = bytesWithGrowth();
  if (Mine + bytesOfOthers(Mine) > Options.MaxMemoryBytes)
    return Stop("the memory limit was reached");
  return false;
}

} // namespace picket
