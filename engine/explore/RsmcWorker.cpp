#include "explore/RsmcWorker.h"

namespace picket {

namespace {

/// The exploration is to end here.
struct Enough {};

} // namespace

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::explore() {
  auto HasEnough = [&] { return !M.bugs().empty() && !Options.Exhaustive && !awaitsWrite(); };
  if (HasEnough())
    return leaf();
  EventId E = choose();
  startOverIfSurprised();
  if (E == NoEvent || HasEnough())
    leaf();
  else if (G[E].Decides)
    exploreOutcome(E);
  else if (G[E].IsWrite)
    exploreWrite(E);
  else
    exploreRead(E);
}

/// Whether an update has only read so far. What was come to may be nothing if it then cannot write.
template <unsigned Words, template <unsigned> class Base> bool RsmcWorker<Words, Base>::awaitsWrite() const {
  for (EventId E = 0; E < G.size(); ++E)
    if (G.isLateWrite(E) && !G.Committed.contains(E) && !Flow.isAbandoned(E))
      return true;
  return false;
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::exploreOutcome(EventId E) {
  for (bool Succeeds : {true, false})
    withOutcome(E, Succeeds, [&] { explore(); });
}

/// Tries the parameters from High - 1 down to Low, but for those that are given away meanwhile.
template <unsigned Words, template <unsigned> class Base>
template <typename Try>
void RsmcWorker<Words, Base>::tryAll(EventId E, uint32_t Low, uint32_t High, const EventId *Sources, Try TryOne) {
  const size_t Here = Choices.size();
  Choices.push_back({Run.size(), E, Low, High, Sources, Frames.size(), Deferred.size(), LeftOut});
  while (Choices[Here].Low < Choices[Here].High)
    TryOne(--Choices[Here].High);
  Choices.pop_back();
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::exploreWrite(EventId E) {
  if (G.isLateWrite(E) && leaves(E))
    return withNothing(E, [&] { explore(); });
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  detectRaces(E);
  bool Possible = false;
  tryAll(E, lowestFor(E) + 1, lastFor(E) + 1, nullptr,
         [&](uint32_t Position) { Possible |= withWrite(E, Position, [&] { explore(); }); });
  if (!mayBeImpossible(E))
    return;
  // Other writes of this kind may be in races with loads, but impossible behind this one, wherever it is. It was chosen
  // last, so that nothing else can.
  LeftOut.insert(E);
  if (choose() != NoEvent)
    explore();
  else if (!Possible)
    ++Result.RejectedBranches;
  LeftOut.erase(E);
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::exploreRead(EventId E) {
  auto Home = static_cast<uint32_t>(Frames.size());
  Frames.emplace_back(Run.size(), keyOf(E), Deferred.size(), LeftOut);
  const auto &Place = G.Places[G[E].Place];
  if (G[E].OfUpdate && !isSplit(E)) {
    detectRaces(E, NoEvent);
    for (EventId Source : Place.Coherence)
      detectRaces(E, Source);
  }
  std::vector<EventId> Sources = Place.Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  Sources.erase(Sources.begin(), Sources.begin() + oldestFor(E));
  tryAll(E, 0, static_cast<uint32_t>(Sources.size()), Sources.data(),
         [&](uint32_t K) { withRead(E, Sources[K], Home, [&] { explore(); }); });
  if (Flow.mayWait(E)) {
    // What the others do while it waits may be what it waits for.
    Deferred.push_back({E, Home});
    explore();
    Deferred.pop_back();
  }
  while (Frames[Home].Begun < Frames[Home].Queue.size()) {
    const Branch B = std::move(Frames[Home].Queue[Frames[Home].Begun++]);
    traverse(Home, B);
  }
  BranchBytes -= Frames.back().Bytes;
  Frames.pop_back();
}

/// Takes steps that were taken before, and goes on from there.
template <unsigned Words, template <unsigned> class Base>
template <typename Continuation>
void RsmcWorker<Words, Base>::follow(const std::vector<Step> &Steps, size_t At, Continuation Then) {
  if (At == Steps.size())
    return Then();
  auto [Event, Parameter, Home] = Steps[At];
  EventId E = find(Event);
  if (E == NoEvent || !isEnabled(E)) {
    ++Result.FailedWakeups;
    return;
  }
  auto Next = [&] { follow(Steps, At + 1, Then); };
  if (!G[E].IsWrite) {
    if (!withRead(E, findSource(Parameter), Home, Next))
      ++Result.RejectedBranches;
    return;
  }
  if (G[E].Decides)
    return withOutcome(E, Parameter != 0, Next);
  if (G.isLateWrite(E) && leaves(E))
    return withNothing(E, Next);
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  if (!withWrite(E, OnlyReadsFrom ? lastFor(E) : static_cast<uint32_t>(Parameter), Next))
    ++Result.RejectedBranches;
}

/// Follows a branch to its end and explores from there.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::traverse(uint32_t Home, const Branch &B) {
  follow(B.Steps, 0, [&] { traverseStore(Home, B); });
}

template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::traverseStore(uint32_t Home, const Branch &B) {
  EventId E = find(B.Store);
  if (E == NoEvent || !isEnabled(E)) {
    ++Result.FailedWakeups;
    return;
  }
  if (!G[E].IsWrite) { // an update
    EventId Source = findSource(B.StoreParameter);
    bool Accepted =
        G.positionOf(Source) >= oldestFor(E) && withRead(E, Source, ~0u, [&] { traverseLoad(Home, E + 1); });
    if (!Accepted)
      ++Result.RejectedBranches;
    return;
  }
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  bool Possible = false;
  for (uint32_t Position = lastFor(E), Floor = lowestFor(E); Position > Floor; --Position)
    Possible |= withWrite(E, Position, [&] { traverseLoad(Home, E); });
  if (!Possible)
    ++Result.RejectedBranches;
}

template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::traverseLoad(uint32_t Home, EventId Store) {
  EventId Load = find(Frames[Home].Load);
  if (Load == NoEvent || !isEnabled(Load)) {
    ++Result.FailedWakeups;
    return;
  }
  if (G[Load].OfUpdate && !isSplit(Load))
    detectRaces(Load, Store);
  bool Accepted = G.positionOf(Store) >= oldestFor(Load) && withRead(Load, Store, Home, [&] { explore(); });
  if (!Accepted && !Flow.mayWait(Load))
    ++Result.RejectedBranches;
}

/// Finds the loads that could read the store if it were committed before them.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::detectRaces(EventId Store) {
  const Set &Past = G[Store].Past;
  (G.Places[G[Store].Place].Reads - Past).forEach([&](EventId Load) {
    if (G[Load].Home != ~0u)
      addBranch(G[Load].Home, Past, Store, Any);
  });
  for (auto [Load, Home] : Deferred)
    if (G[Load].Place == G[Store].Place)
      addBranch(Home, Past, Store, Any);
}

/// The same for the write of an update that reads Source, whether it can do so here or not: it may be the load that
/// keeps it from doing so.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::detectRaces(EventId Update, EventId Source) {
  if (G.positionOf(Source) < oldestFor(Update)) // its thread has seen something newer, and will have
    return;
  Set Direct = commitBefore(Update);
  if (Source != NoEvent)
    Direct.insert(Source);
  Set Past = pastOf(Direct);
  if (Source != NoEvent && G[Source].Ends) // a use of memory that has ended, which writes nothing
    return;
  const auto &Place = G.Places[G[Update].Place];
  auto Done = Flow.update(Update, Source == NoEvent ? Place.Initial : G[Source].Value);
  if (Done.Does != OutOfOrder<Words>::Update::Writes)
    return;
  // An update between that both come after.
  bool Taken = false;
  (G.readersOf(G[Update].Place, Source) & Past).forEach([&](EventId R) {
    Taken |= G[R].OfUpdate && G.Writes.contains(R + 1);
  });
  if (Taken)
    return;
  auto Consider = [&](EventId Load, uint32_t Home) {
    if (G[Load].OfUpdate && Flow.update(Load, Done.Value).Does == OutOfOrder<Words>::Update::Waits)
      return;
    addBranch(Home, Past, Update, keyOf(Source));
  };
  (Place.Reads - Past).forEach([&](EventId Load) {
    if (G[Load].Home != ~0u && Load != Update)
      Consider(Load, G[Load].Home);
  });
  for (auto [Load, Home] : Deferred)
    if (G[Load].Place == G[Update].Place && Load != Update)
      Consider(Load, Home);
}

/// The position of a write among those that are present. With reads-from alone it has none.
template <unsigned Words, template <unsigned> class Base>
typename RsmcWorker<Words, Base>::Key RsmcWorker<Words, Base>::parameterOf(EventId Write, const Set &Present) const {
  if (OnlyReadsFrom)
    return 0;
  const auto &Coherence = G.Places[G[Write].Place].Coherence;
  auto Mine = std::find(Coherence.begin(), Coherence.end(), Write);
  return 1 + static_cast<Key>(std::count_if(Coherence.begin(), Mine, [&](EventId W) { return Present.contains(W); }));
}

/// How an event of the current run is committed behind those that are present, to which it is added.
template <unsigned Words, template <unsigned> class Base>
RsmcStep RsmcWorker<Words, Base>::stepOf(EventId E, Set &Present) const {
  if (G[E].Decides)
    return {keyOf(E), Flow.succeeds(E)};
  if (G[E].Void)
    return {keyOf(E), 0};
  const Key Parameter = G[E].IsWrite ? parameterOf(E, Present) : keyOf(G[E].Source);
  Present.insert(G.lastWith(E));
  return {keyOf(E), Parameter};
}

/// Cuts the run since the load down to what is before the store, normalises its order, and queues it.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::addBranch(uint32_t Home, const Set &Past, EventId Store, Key Parameter) {
  Frame &F = Frames[Home];
  Set Left, Present;
  for (size_t K = 0; K < Run.size(); ++K) {
    EventId E = Run[K];
    const EventId Last = G.lastWith(E);
    if (K < F.Prefix) {
      Present.insert(Last);
    } else if (Past.contains(E) || Past.contains(Last)) {
      Left.insert(E);
    }
  }
  Branch B;
  while (!Left.empty()) {
    EventId Next = NoEvent;
    size_t Number = 0;
    Left.forEach([&](EventId E) {
      ++Number;
      if (!G[E].Past.intersects(Left) && (Next == NoEvent || keyOf(E) < keyOf(Next)))
        Next = E;
    });
    look(Number);
    Left.erase(Next);
    B.Steps.push_back(stepOf(Next, Present));
  }
  B.Store = keyOf(Store);
  B.StoreParameter = Parameter;
  std::vector<uint64_t> Name;
  for (const auto &Step : B.Steps) {
    Name.push_back(Step.Event);
    Name.push_back(Step.Parameter);
  }
  Name.push_back(B.Store);
  Name.push_back(B.StoreParameter);
  const size_t Bytes = 2 * Name.size() * sizeof(uint64_t) + sizeof(Branch) + 64;
  if (F.With) {
    std::unique_lock<std::mutex> Guard(F.With->Lock);
    if (!F.With->Known.insert(std::move(Name)).second)
      return;
    F.With->addBytes(Bytes);
    Guard.unlock();
    return Team.offer({F.With, std::move(B), {}});
  }
  if (!F.Known.insert(std::move(Name)).second)
    return;
  F.Queue.push_back(std::move(B));
  F.Bytes += Bytes;
  BranchBytes += Bytes;
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::leaf() {
  ThreadId Stuck = ~0u;
  bool Superfluous = false;
  // Whatever was to succeed must have.
  for (EventId E = 0; E < G.size(); ++E)
    Superfluous |= (G[E].Conditional || (LeftOut.contains(E) && G.isLateWrite(E))) && !G.Committed.contains(E) &&
                   !Flow.isAbandoned(E);
  // A bug that was come to with less, in a run that goes on.
  if constexpr (OnlyReadsFrom)
    Superfluous |= ((Options.Exhaustive && !M.bugs().empty()) || M.hasUncheckedError()) && Walk::waitsInVain();
  const size_t BugsBefore = M.bugs().size();
  Ending How = Superfluous ? Ending::Blocked : ending(Stuck, Superfluous);
  if (Superfluous) {
    ++Result.RejectedBranches;
    return;
  }
  if constexpr (OnlyReadsFrom)
    if (How == Ending::Buggy && (Options.Exhaustive || Stuck != ~0u))
      Walk::lookAtLoops();
  Team.tellEnding(
      How, Options.Exhaustive, Result, [&] { return !Observer.mustKnow(M, How); }, [&] { Observer.ended(*this, How); });
  M.dropBugs(BugsBefore); // what the end has shown
  if (How == Ending::Buggy && !Options.Exhaustive)
    throw Enough();
  lookAround();
}

/// At the end of a run: whether others want work, or (the first worker) can be had.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::lookAround() {
  EventsSeen += Run.size();
  if (EventsSeen < EventsAtLook)
    return;
  EventsAtLook = EventsSeen + Options.EventsBetweenOffers;
  if (LookForOthers && EventsSeen >= Options.EventsAlone)
    LookForOthers();
  if (Team.someoneWaits())
    offerSomething();
}

/// How the current run came to one of its prefixes.
template <unsigned Words, template <unsigned> class Base>
RsmcWay RsmcWorker<Words, Base>::wayTo(size_t Prefix, size_t NumFrames, size_t NumDeferred, const Set &Without) const {
  RsmcWay Way;
  Set Present;
  for (size_t K = 0; K < Prefix; ++K) {
    Step &Taken = Way.Steps.emplace_back(stepOf(Run[K], Present));
    if (!G[Run[K]].IsWrite)
      Taken.Home = G[Run[K]].Home;
  }
  for (size_t K = 0; K < NumFrames; ++K)
    Way.Frames.push_back(Frames[K].With);
  for (size_t K = 0; K < NumDeferred; ++K)
    Way.Deferred.push_back({keyOf(Deferred[K].first), Deferred[K].second});
  Without.forEach([&](EventId E) { Way.LeftOut.push_back(keyOf(E)); });
  return Way;
}

/// Shares the first frames: their branches are anybody's.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::share(size_t NumFrames) {
  for (size_t K = 0; K < NumFrames; ++K) {
    Frame &F = Frames[K];
    if (F.With)
      continue;
    auto New = std::make_shared<SharedFrame>(Team.FrameBytes);
    New->Way = wayTo(F.Prefix, K, F.NumDeferred, F.LeftOut);
    New->Load = F.Load;
    New->Known = std::move(F.Known);
    New->addBytes(F.Bytes);
    BranchBytes -= std::exchange(F.Bytes, 0);
    F.With = New;
    for (size_t B = F.Begun; B < F.Queue.size(); ++B)
      Team.offer({New, std::move(F.Queue[B]), {}});
    F.Queue.clear();
    F.Begun = 0;
  }
}

/// Gives away what is left at the shortest prefix where something is: the branches of a load, or a parameter.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::offerSomething() {
  auto Queued = std::find_if(Frames.begin(), Frames.end(), [](const Frame &F) { return F.Begun < F.Queue.size(); });
  // Whether a conditional write is possible at all is for one to find out.
  auto Left = std::find_if(Choices.begin(), Choices.end(),
                           [&](const Choice &C) { return C.Low < C.High && !mayBeImpossible(C.Event); });
  if (Queued != Frames.end() && (Left == Choices.end() || Queued->Prefix <= Left->Prefix))
    return share(static_cast<size_t>(Queued - Frames.begin()) + 1);
  if (Left == Choices.end())
    return;
  share(Left->NumFrames);
  RsmcJob Job;
  Job.Way = wayTo(Left->Prefix, Left->NumFrames, Left->NumDeferred, Left->LeftOut);
  Job.Next.Event = keyOf(Left->Event);
  Job.Next.Parameter = Left->Sources ? keyOf(Left->Sources[Left->Low]) : Left->Low;
  if (Left->Sources)
    Job.Next.Home = static_cast<uint32_t>(Left->NumFrames) - 1;
  ++Left->Low;
  Team.offer(std::move(Job));
}

/// Goes to where something is left, and on from there. Only what may be committed is looked for later, so that the
/// places of the rest, which others of its thread come after, must be found here.
template <unsigned Words, template <unsigned> class Base>
template <typename Continuation>
void RsmcWorker<Words, Base>::go(const RsmcWay &Way, Continuation Then) {
  bool Arrived = false;
  auto IsThere = [&](EventId E) { return E != NoEvent && isEnabled(E); };
  follow(Way.Steps, 0, [&] {
    Arrived = true;
    for (auto [Event, Home] : Way.Deferred) {
      Deferred.push_back({find(Event), Home});
      Arrived &= IsThere(Deferred.back().first);
    }
    for (Key Event : Way.LeftOut) {
      Arrived &= IsThere(find(Event));
      if (Arrived)
        LeftOut.insert(find(Event));
    }
    if (Arrived)
      Then();
    Deferred.clear();
    LeftOut.clear();
  });
  LostItsWay |= !Arrived;
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::tryStep(const Step &Next) {
  EventId E = find(Next.Event);
  if (E == NoEvent || !isEnabled(E)) {
    LostItsWay = true;
    return;
  }
  if (!G[E].IsWrite) {
    withRead(E, findSource(Next.Parameter), Next.Home, [&] { explore(); });
    return;
  }
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  withWrite(E, OnlyReadsFrom ? lastFor(E) : static_cast<uint32_t>(Next.Parameter), [&] { explore(); });
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::carryOut(const RsmcJob &Job) {
  const RsmcWay &Way = Job.Frame ? Job.Frame->Way : Job.Way;
  auto AddFrame = [&](const std::shared_ptr<SharedFrame> &With) {
    Frames.emplace_back(With->Way.Steps.size(), With->Load).With = With;
  };
  for (const std::shared_ptr<SharedFrame> &Before : Way.Frames)
    AddFrame(Before);
  if (Job.Frame)
    AddFrame(Job.Frame);
  go(Way, [&] {
    if (Job.Frame)
      traverse(static_cast<uint32_t>(Way.Frames.size()), Job.Branch);
    else
      tryStep(Job.Next);
  });
  Frames.clear();
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::work() {
  Flow.Look = [this] { lookNow(); };
  if (Walk::start() && Number == 0)
    explore();
  while (std::optional<RsmcJob> Job = Team.take()) {
    carryOut(*Job);
    if (LostItsWay)
      return;
  }
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::run() {
  try {
    work();
  } catch (const StartOver &) {
    Outcome = Surprised;
  } catch (const Enough &) { // as the result says
  } catch (const GraphFull &) {
    Outcome = TooSmall;
  } catch (const GraphStop &Stop) {
    stopFor(Stop);
    Result.NotAsGraph = Stop.Message;
    Result.Reason += ", under an axiomatic memory model";
  } catch (const MachineStop &Stop) {
    stopFor(Stop);
  } catch (const std::bad_alloc &) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = "memory ran out";
  }
  Team.stop();
}

template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::stopFor(const MachineStop &Stop) {
  if (Shared.changed()) // it may only be because something was not known to be shared
    Outcome = Surprised;
  const bool Unsupported = Stop.Why == MachineStop::Unsupported;
  Result.Ended = Unsupported ? ExplorationResult::End::Unsupported : ExplorationResult::End::Limit;
  Result.Reason = Stop.Message;
  Result.ReasonPc = Stop.Pc;
  Result.HasReasonPc = true;
}

/// Looks at the clock and at the limits.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::lookNow() {
  WorkDone = 0;
  auto Stop = [&](std::string Why) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = std::move(Why);
    throw Enough();
  };
  Team.Executions += Result.Executions - ExecutionsTold;
  ExecutionsTold = Result.Executions;
  const uint64_t Own = M.undo().bytes() + BranchBytes + M.memory().bytesAllocated() + Walk::bytes() +
                       M.numThreads() * Machine::BytesPerThread;
  const uint64_t Bytes = (Team.Bytes += Own - BytesTold) + Team.FrameBytes;
  BytesTold = Own;
  Result.Bytes = Bytes;
  if (Team.stopped())
    Stop(""); // another knows why
  if (Options.Cancel && Options.Cancel->load(std::memory_order_relaxed))
    Stop("the check was cancelled");
  if (Options.Deadline && std::chrono::steady_clock::now() >= *Options.Deadline)
    Stop("the time limit was reached");
  if (Bytes > Options.MaxMemoryBytes)
    Stop("the memory limit was reached");
  Team.tellProgress(Result, [&](const ExplorationResult &SoFar) { Observer.progress(SoFar); });
}

template class RsmcWorker<1, GraphWalk>;
template class RsmcWorker<4, GraphWalk>;
template class RsmcWorker<16, GraphWalk>;
template class RsmcWorker<1, ReadsFromWalk>;
template class RsmcWorker<4, ReadsFromWalk>;
template class RsmcWorker<16, ReadsFromWalk>;

} // namespace picket
