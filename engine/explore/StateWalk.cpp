#include "explore/StateWalk.h"

#include <algorithm>

namespace picket {

StateWalk::StateWalk(Configuration &C, StepRules &Rules, Listener &Heard, const ExplorationOptions &Options,
                     bool Reduce, StateTeam *With)
    : C(C), Rules(Rules), Heard(Heard), Options(Options), Reduce(Reduce),
      Own(With ? nullptr : std::make_unique<StateTeam>()), All(With ? *With : *Own), Key(C) {
  LooksOften = Options.StatesAlone == 0;
  C.watch([this] { return lookAtLimits(); });
}

StateWalk::~StateWalk() { C.watch(nullptr); }

Futures::Place StateWalk::placeOf(ThreadId T, uint32_t Part) {
  if (PlaceOfPart.size() <= T)
    PlaceOfPart.resize(T + 1);
  std::vector<uint32_t> &Known = PlaceOfPart[T];
  if (Known.size() <= Part)
    Known.resize(Part + 1);
  if (!Known[Part])
    Known[Part] = Future.placeOf(C.machine(), T) + 1;
  return Known[Part] - 1;
}

/// What T would access with its next steps.
void StateWalk::collectNext(ThreadId T, std::vector<Machine::Access> &Into) {
  Machine &M = C.machine();
  // Under TSO the oldest store lands next, under PSO any may.
  bool First = true;
  forEachBuffered(C, T, [&](uint32_t, const StoreBuffer::Entry &E) {
    if (First || C.buffering() == Buffering::PerLocation)
      Into.push_back({E.Where, E.Width, true});
    First = false;
  });
  if (M.status(T) != ThreadStatus::Ready)
    return;
  const Operation &Op = M.pending(T);
  switch (Op.Kind) {
  case OperationKind::Load: Into.push_back({Op.Where, Op.Width, false}); break;
  case OperationKind::Store:
  case OperationKind::Rmw:
  case OperationKind::CmpXchg: Into.push_back({Op.Where, Op.Width, true}); break;
  case OperationKind::Sync: Into.push_back({Op.Where, sizeOf(Op.Sync), true}); break;
  case OperationKind::Free: Into.push_back({Op.Where, M.memory().find(Op.Where)->Size, true}); break;
  case OperationKind::End: {
    std::vector<Machine::Access> Ends = M.pendingEnds(T);
    Into.insert(Into.end(), Ends.begin(), Ends.end());
    break;
  }
  default: break;
  }
}

/// Whether the next steps of T, or stores that it has made already, conflict with an access.
bool StateWalk::overlaps(ThreadId T, const Machine::Access &With) {
  auto Meets = [&](Address Where, uint32_t Size, bool Write) {
    return (Write || With.Write) && Where < With.Where + With.Size && With.Where < Where + Size;
  };
  bool Found = false;
  forEachBuffered(C, T, [&](uint32_t, const StoreBuffer::Entry &E) { Found |= Meets(E.Where, E.Width, true); });
  OfOther.clear();
  collectNext(T, OfOther);
  for (const Machine::Access &A : OfOther)
    Found |= Meets(A.Where, A.Size, A.Write);
  return Found;
}

/// Whether it is enough to take the steps of Mover from here, which begin at the choice First.
bool StateWalk::reduceTo(ThreadId Mover, size_t First) {
  Machine &M = C.machine();
  if (M.status(Mover) == ThreadStatus::Ready && M.pending(Mover).Kind == OperationKind::Atomic)
    return false; // what it will access is not known
  Next.clear();
  collectNext(Mover, Next);
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    if (T == Mover || !M.exists(T))
      continue;
    const bool Over = M.status(T) != ThreadStatus::Ready && M.status(T) != ThreadStatus::Spinning;
    for (const Machine::Access &A : Next)
      if (overlaps(T, A) || (!Over && Future.mayConflict(placeOf(T, Parts[T]), A, Mover)))
        return false;
  }
  ReliedOnFuture = true;
  auto OfMover = [&](const Choice &Way) { return C.threadOf(Way.Process) == Mover; };
  Choices.erase(std::remove_if(Choices.begin() + static_cast<ptrdiff_t>(First), Choices.end(),
                               [&](const Choice &Way) { return !OfMover(Way); }),
                Choices.end());
  return true;
}

void StateWalk::addAllChoices() {
  C.enabled(Enabled);
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
  Machine &M = C.machine();
  if (Reduce && Choices.size() > Here.FirstChoice + 1 && Rules.mayReduce() && M.numThreads() <= Futures::MaxThreads) {
    std::vector<ThreadId> Movers;
    if (!Way.empty()) // whoever runs goes on, if possible
      Movers.push_back(C.threadOf(Way.back().Process));
    for (size_t K = Here.FirstChoice; K < Choices.size(); ++K)
      if (ThreadId T = C.threadOf(Choices[K].Process); std::find(Movers.begin(), Movers.end(), T) == Movers.end())
        Movers.push_back(T);
    for (ThreadId T : Movers) {
      auto Steps = std::count_if(Choices.begin() + static_cast<ptrdiff_t>(Here.FirstChoice), Choices.end(),
                                 [&](const Choice &Way) { return C.threadOf(Way.Process) == T; });
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
    for (ThreadId T = 0; T < Parts.size(); ++T)
      if (C.machine().exists(T)) {
        const Futures::Place Now = placeOf(T, Parts[T]);
        // Who waits here, perhaps for ever, accesses in another order what it waits for.
        if (C.machine().pending(T).Kind == OperationKind::None || C.isEnabled(C.processOf(T)))
          continue;
        Next.clear();
        collectNext(T, Next);
        Future.learn(Now, Now, Next, 0);
      }
  noteGrown();
  findChoices(Here);
  Graph.addState(State, Enabled, Rules.looksAtEnds() && !C.machine().hasEnded()); // loops go down with the process
  if (Here.FirstChoice == Here.EndChoice && Rules.looksAtEnds()) {
    ++Result->Ends;
    const size_t Bugs = C.machine().bugs().size();
    Ending How = C.ending();
    Result->Unchecked += How == Ending::Unchecked;
    {
      const std::unique_lock<std::mutex> Guard = tellingAlone();
      Heard.ended(C, How, Whole);
    }
    lookForBugs(Bugs);
    C.machine().dropBugs(Bugs);
  }
  Visits.push_back(Here);
  Result->Depth = std::max(Result->Depth, Visits.size());
}

bool StateWalk::lookForBugs(size_t Before) {
  const std::vector<BugReport> &Bugs = C.machine().bugs();
  if (Before == Bugs.size())
    return false;
  const std::unique_lock<std::mutex> Guard = tellingAlone();
  for (size_t K = Before; K < Bugs.size() && !All.Stopped; ++K)
    if (Heard.foundBug(Bugs[K], Way)) {
      Result->Ended = ExplorationResult::End::FirstBug;
      All.stop();
    }
  return All.Stopped;
}

/// Notes where the threads that moved in the last step came from and went to.
void StateWalk::learn(const Visit &From, ThreadId Stepped) {
  const size_t Known = ThreadParts.size() - From.FirstThread;
  const Machine &M = C.machine();
  for (ThreadId T = 0; T < Parts.size(); ++T) {
    if (!M.exists(T) || (T < Known && ThreadParts[From.FirstThread + T] == Parts[T] && T != Stepped))
      continue;
    Next.clear();
    uint64_t Joined = 0;
    if (T == Stepped)
      for (const MemoryAccess &A : C.accesses())
        Next.push_back({A.Where, A.Size, A.Write});
    ThreadId Creator = StateKey::NoThread;
    for (const StepNote &N : C.notes()) {
      if (N.What == StepNote::Stored && N.A == T) {
        const StoreBuffer::Entry &E = C.bufferEntry(T, N.B);
        Next.push_back({E.Where, E.Width, true});
      } else if (N.What == StepNote::Joined && N.A == T) {
        Joined |= 1ull << (N.B % Futures::MaxThreads);
      } else if (N.What == StepNote::Created && N.B == T) {
        Creator = N.A;
      }
    }
    const Futures::Place Now = placeOf(T, Parts[T]);
    auto Before = [&](ThreadId Which) { // a thread that came into being in this step comes from where it is now
      const uint32_t Part = Which < Known ? ThreadParts[From.FirstThread + Which] : 0;
      const bool WasThere = Which < Known && PlaceOfPart.size() > Which && PlaceOfPart[Which].size() > Part &&
                            PlaceOfPart[Which][Part] != 0;
      return WasThere ? PlaceOfPart[Which][Part] - 1 : placeOf(Which, Parts[Which]);
    };
    Future.learn(Creator == StateKey::NoThread ? Before(T) : Before(Creator), Now, Next, Joined);
  }
  noteGrown();
}

void StateWalk::noteGrown() {
  if (!Future.takeGrown())
    return;
  StatesWhenGrown = Result->States;
  if (All.Work->hasSeveral()) {
    All.Stale = true; // the others have relied on what was known when they came
    All.StatesWhenGrown = All.NumStates.load();
  } else if (ReliedOnFuture) {
    All.Stale = true;
  }
}

/// Takes the next choice of the last visit. False: the walk is over.
bool StateWalk::tryChoice() {
  Machine &M = C.machine();
  const size_t Here = Visits.size() - 1;
  const Choice Taken = Choices[Visits[Here].NextChoice++];
  const Configuration::Mark Before = C.mark();
  const size_t Bugs = M.bugs().size();
  Rules.before(Taken);
  M.clearLoopEvents();
  C.step(Taken.Process);
  ++Result->Transitions;
  Way.push_back(Taken);
  const bool GoesOn = Rules.after(Taken);
  if (M.sharing().changed() || lookForBugs(Bugs) || All.Stopped)
    return false;
  Key.compute(Whole, Parts, Rules.ownBuffer());
  Rules.describe(Whole);
  if (Reduce)
    learn(Visits[Here], C.threadOf(Taken.Process));
  const StateTeam::Known Next = GoesOn ? All.insert(Whole) : StateTeam::Known{0, false, false, nullptr};
  if (GoesOn && Rules.looksAtEnds())
    Graph.addStep(Visits[Here].State, Next.State, Taken.Process, C);
  if (Next.IsNew) {
    enter(Next, Before);
    return !All.Stopped;
  }
  if (Next.IsOpen)
    Visits[Here].Closes = true;
  Way.pop_back();
  C.undoTo(Before);
  Rules.restore(std::string_view(Saved).substr(Visits[Here].FirstSaved));
  return true;
}

/// All choices of the last visit are taken: goes back, unless steps that were put off must be taken after all.
void StateWalk::leave() {
  Visit &Here = Visits.back();
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
  C.undoTo(Before);
  Way.pop_back();
  Rules.restore(std::string_view(Saved).substr(Visits.back().FirstSaved));
}

void StateWalk::clear() {
  All.clear();
  StatesTold = TransitionsTold = BytesTold = 0;
  Visits.clear();
  Choices.clear();
  Way.clear();
  ThreadParts.clear();
  Saved.clear();
  Graph.clear();
  ReliedOnFuture = false;
  Result->States = Result->Transitions = Result->Ends = Result->Unchecked = 0;
  StatesWhenGrown = 0;
}

/// What was relied on has turned out to be too little, and nothing new has come up for a while.
bool StateWalk::restartsSoon() {
  constexpr uint64_t Quiet = 2'000;
  return All.Stale && (All.Work->hasSeveral() ? All.NumStates > All.StatesWhenGrown + Quiet
                                              : Result->States > StatesWhenGrown + Quiet);
}

/// False: what is shared turned out differently.
bool StateWalk::walkOnce() {
  clear();
  ++Result->Rounds;
  RulesAtStart.clear();
  Rules.save(RulesAtStart);
  if (C.machine().sharing().changed())
    return false;
  lookForBugs(0);
  Key.compute(Whole, Parts, Rules.ownBuffer());
  Rules.describe(Whole);
  enter(All.insert(Whole), C.mark());
  if (MakeHelper && Options.Spare)
    walkWithOthers();
  else
    work();
  Works = false;
  Rules.restore(RulesAtStart);
  return !C.machine().sharing().changed();
}

/// Takes all steps that are left to this worker, then those that others give away.
void StateWalk::work() {
  Works = true;
  for (;;) {
    while (!Visits.empty() && !All.Work->stopped() && !restartsSoon() && Result->States <= MostStates && !atLimit()) {
      if (Visits.back().NextChoice == Visits.back().EndChoice)
        leave();
      else if (!tryChoice())
        break;
    }
    if (!Visits.empty()) {
      All.Unfinished = true;
      All.Work->stop();
      break;
    }
    const std::optional<StateJob> Job = All.Work->take();
    if (!Job)
      break;
    if (!follow(*Job)) {
      All.Lost = true;
      All.Work->stop();
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
      if (!All.Stale && !All.Lost && !All.Stopped && Rules.sawEverything() && !lookForLivelock(Suspected) &&
          Suspected && Reduce && !All.Stopped)
        return lookWithoutReduction();
      if (All.Stopped || !(All.Stale || All.Lost))
        return true;
      if (All.Lost) // alone it cannot be
        MakeHelper = nullptr;
      Heard.restarted();
      C.startOver(nullptr);
    }
  } catch (const Configuration::Interrupted &) { // a limit, which is in the result
    return true;
  }
}

/// All states are known: whether threads can go on for ever without getting anywhere.
bool StateWalk::lookForLivelock(bool &Suspected) {
  if (!C.machine().checks(BugKind::Hang))
    return false;
  const std::optional<StateGraph::Livelock> Found = Graph.findLivelock([this] { return lookAtLimits(); }, Suspected);
  if (!Found)
    return false;
  C.startOver(nullptr);
  Way.clear();
  for (ProcessId P : Found->Way) {
    if (!C.isEnabled(P))
      return false;
    C.step(P);
    Way.push_back({P});
  }
  const Machine &M = C.machine();
  const SourceLocation &Where = M.program().Locations[M.program().Loops[Found->Loop].Location];
  BugReport Bug{BugKind::Hang, Found->Thread, M.pc(Found->Thread), {}, true};
  Bug.Message = "the loop" + (Where.Line ? " at line " + std::to_string(Where.Line) : "") +
                (Found->Alone ? " never ends: the thread returns to the same state, and no other thread changes that"
                              : " may never end: threads repeat loops forever, and none of them makes progress");
  if (Heard.foundBug(Bug, Way)) {
    Result->Ended = ExplorationResult::End::FirstBug;
    All.stop();
  }
  return true;
}

/// The reduction may have left out the steps that make a circle a fair one: looks at all, unless they are too many.
/// What was found out before stands. False: what is shared turned out differently.
bool StateWalk::lookWithoutReduction() {
  const WalkResult Known = *Result;
  Reduce = false;
  MostStates = 4 * Known.States + 20'000;
  C.startOver(nullptr);
  bool Over = true, Found = false;
  try {
    Over = walkOnce();
    bool Suspected;
    Found = Over && !All.Stopped && !All.Unfinished && !All.Lost && lookForLivelock(Suspected);
  } catch (const Configuration::Interrupted &) {
  }
  const ExplorationResult::End Ended = Found ? Result->Ended : Known.Ended;
  *Result = Known;
  Result->Ended = Ended;
  return Over;
}

void StateWalk::countBytes() {
  Result->Bytes = All.bytes() + Key.bytes() + Visits.capacity() * sizeof(Visit) + Choices.capacity() * sizeof(Choice) +
                  ThreadParts.capacity() * sizeof(uint32_t) + Saved.capacity() + Graph.bytesWithGrowth();
}

/// What a single step can make much larger.
uint64_t StateWalk::bytesOfTables() const {
  return All.bytesWithGrowth() + Key.bytesWithGrowth() + C.bytes() + C.machine().undo().bytes() +
         C.machine().memory().bytesAllocated() + C.machine().numThreads() * Machine::BytesPerThread;
}

/// All that the search takes up, or may before the next look.
uint64_t StateWalk::bytesWithGrowth() {
  using picket::bytesWithGrowth;
  uint64_t Sum = bytesOfTables() + bytesWithGrowth(Visits) + bytesWithGrowth(Choices) + bytesWithGrowth(Way) +
                 bytesWithGrowth(ThreadParts) + bytesWithGrowth(Saved) + Future.bytes() + Graph.bytesWithGrowth();
  for (const std::vector<uint32_t> &Places : PlaceOfPart)
    Sum += bytesWithGrowth(Places);
  return Sum;
}

bool StateWalk::atLimit() {
  constexpr uint32_t WorkBetweenLooks = 500;
  constexpr uint64_t BytesBetweenLooks = 1 << 20;
  if (All.Work->someoneWaits() && ++WorkSinceOffer >= WorkToNextOffer)
    offerSomething();
  if (++WorkDone < (LooksOften ? 1 : WorkBetweenLooks) && bytesOfTables() <= BytesAtLook + BytesBetweenLooks)
    return false;
  if (lookAtLimits())
    return true;
  lookAround();
  return All.Work->stopped();
}

bool StateWalk::lookAtLimits() {
  using Clock = std::chrono::steady_clock;
  WorkDone = 0;
  BytesAtLook = bytesOfTables();
  countBytes();
  const Clock::time_point Now = Clock::now();
  tellCounts(Now);
  if (All.Stopped || (Works && All.Work->stopped()))
    return true; // another knows why, or whoever was told
  auto Stop = [&](const char *Why) {
    Result->Ended = ExplorationResult::End::Limit;
    Result->Reason = Why;
    All.stop();
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
