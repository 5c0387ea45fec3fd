#include "explore/RsmcWorker.h"

#include "explore/LargeStack.h"
#include "explore/RsmcRaces.h"
#include "explore/RsmcSections.h"
#include "explore/RsmcStealing.h"

namespace picket {

namespace {

/// The exploration is to end here.
struct Enough {};

} // namespace

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::explore() {
  if (Memory.Sections)
    return exploreSections();
  const Set Before = LeftOut;
  if (!Postponed.empty())
    leaveOutPostponed();
  const bool InVain = std::exchange(WaitsInVain, false);
  auto HasEnough = [&] {
    return !TheMachine.bugs().empty() && !Options.Exhaustive && !Model->judgesAtEnd() && !awaitsWrite() && !hasGaps();
  };
  const EventId E = HasEnough() ? NoEvent : choose();
  restartIfSharingChanged();
  if (E == NoEvent || HasEnough())
    leaf(InVain);
  else if (Graph[E].Decides)
    exploreOutcome(E);
  else if (Graph[E].IsFence)
    withFence(E, [&] { explore(); });
  else if (Graph[E].IsWrite)
    exploreWrite(E);
  else if (isPostponable(E))
    exploreWait(E);
  else
    exploreRead(E);
  LeftOut = Before;
}

/// Whether an update has only read so far. What was come to may be nothing if it then cannot write.
template <unsigned Words, template <unsigned> class Base> bool RsmcWorker<Words, Base>::awaitsWrite() const {
  for (EventId E = 0; E < Graph.size(); ++E)
    if ((Graph.isLateWrite(E) || completesExchange(E)) && !Graph.Committed.contains(E) && !Flow.isAbandoned(E))
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
  Choices.push_back({Run.size(), E, Low, High, Sources, Frames.size(), Deferred.size(), Postponed.size(), LeftOut});
  while (Choices[Here].Low < Choices[Here].High)
    TryOne(--Choices[Here].High);
  Choices.pop_back();
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::exploreWrite(EventId E) {
  if (Graph.isLateWrite(E) && leaves(E))
    return withNothing(E, [&] { explore(); });
  if (!isHalf(E)) {
    Graph[E].Past = pastOf(commitBefore(E));
    this->extend(E);
    detectRaces(E);
  }
  bool Possible = false;
  tryAll(E, lowestFor(E) + 1, lastFor(E) + 1, nullptr,
         [&](uint32_t Position) { Possible |= withWrite(E, Position, [&] { explore(); }); });
  const bool Completes =
      Graph[E].OfExchange && !Run.empty() && Run.back() + 1 == E; // what its read chose is impossible
  if (!mayBeImpossible(E) || isHalf(E) || Completes)
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
  Frames.emplace_back(Run.size(), keyOf(E, Graph[E].Chosen), Deferred.size(), Postponed.size(), LeftOut,
                      committedNow());
  if (Graph[E].OfExchange) {
    detectRacesOfExchange(E);
  } else if (Graph[E].OfUpdate && writesLate(E)) {
    // The write has its own races.
  } else if (Graph[E].OfUpdate && Graph.isSplit(E)) {
    if (!isHalf(E))
      detectRacesOfSplit(E);
  } else if (Graph[E].OfUpdate) {
    for (EventId Source : sourcesFor(E))
      detectRaces(E, Source);
  }
  const bool Accepted = exploreCells(E, Home);
  // What the others do while it waits may be what it waits for. (This is an exchange: see exploreWait.)
  // The read of an update whose write came first may find nothing to read. The run goes on to its end all the same: what
  // others write there may be in a race with another load.
  const bool InVain = HasPreferences && !Accepted && Graph.earlyWriteOf(E) != NoEvent;
  if (InVain || (Flow.mayWait(E) && !(Accepted && isAlone(E)))) {
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

/// A load that may wait, for a lock or in a spin loop, reads what is there. Then it is postponed: it waits for something
/// that is yet to come. Other loads find that by races; but a lock that is taken keeps others from taking it, so that
/// they never come to what they would write. (An exchange that is two events has races all the same.)
///
/// Nothing is postponed where the load can go on and no other thread has been seen to write: one that could would have
/// come there in the runs in which it went on (if one does later, exploration restarts).
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::exploreWait(EventId E) {
  const Postponement *Before = postponed(E);
  bool Accepted = false;
  if (Graph.isSplit(E)) {
    if (Graph[E].OfUpdate)
      detectRacesOfSplit(E);
    Accepted = readNewSources(E, Before, !Before);
  } else {
    std::vector<EventId> Sources = sourcesFor(E);
    std::erase_if(Sources, [&](EventId Source) { return !isNewSource(Source, Before); });
    for (EventId Source : Sources)
      if (Graph[E].OfUpdate)
        detectRaces(E, Source);
    tryAll(E, 0, static_cast<uint32_t>(Sources.size()), Sources.data(),
           [&](uint32_t K) { Accepted |= withRead(E, Sources[K], ~0u, [&] { explore(); }); });
  }
  if (Accepted && isAlone(E))
    return;
  postpone(E);
  WaitsInVain = Accepted;
  explore();
  Postponed.pop_back();
}

/// Whether no other thread has been seen to write where a load reads. If one does later, exploration restarts.
template <unsigned Words, template <unsigned> class Base> bool RsmcWorker<Words, Base>::isAlone(EventId Load) {
  const auto &Location = Graph.Locations[Graph[Load].Location];
  const bool IsSync = Flow.operation(Load).Kind == OperationKind::Sync; // always written whole: one byte is enough
  return !Graph.isSplit(Load) && Shared.readsOnlyOwn(Location.Where, IsSync ? 1 : Location.Width, Graph[Load].Thread);
}

/// What a load may read in its next cell, given what its thread has seen.
template <unsigned Words, template <unsigned> class Base>
std::vector<EventId> RsmcWorker<Words, Base>::sourcesFor(EventId Read) const {
  const auto &Coherence = Graph.Locations[locationOf(Read)].Coherence;
  const uint32_t Oldest = oldestFor(Read);
  std::vector<EventId> Sources;
  if (Graph[Read].OfExchange && Graph.Committed.contains(Read + 1)) { // what is in front of its write
    const uint32_t Own = Graph.positionIn(locationOf(Read), Read + 1);
    if (Own > Oldest)
      Sources.push_back(Own > 1 ? Coherence[Own - 2] : NoEvent);
    return Sources;
  }
  Sources.reserve(Coherence.size() + 1 - Oldest);
  if (Oldest == 0)
    Sources.push_back(NoEvent);
  Sources.insert(Sources.end(), Coherence.begin() + (Oldest ? Oldest - 1 : 0), Coherence.end());
  return Sources;
}

/// Lets a load read what is there; one that is split in all its cells. False if the axioms, or what it waits for,
/// reject all of it.
template <unsigned Words, template <unsigned> class Base>
bool RsmcWorker<Words, Base>::exploreCells(EventId E, uint32_t Home) {
  const std::vector<EventId> Sources = sourcesFor(E);
  const bool More = hasMore(E);
  bool Accepted = false;
  tryAll(E, 0, static_cast<uint32_t>(Sources.size()), Sources.data(), [&](uint32_t K) {
    Accepted |= withRead(E, Sources[K], Home, [&] {
      if (More)
        exploreCells(E, Home);
      else
        explore();
    });
  });
  return Accepted;
}

/// Takes steps that were taken before, and goes on from there.
template <unsigned Words, template <unsigned> class Base>
template <typename Continuation>
void RsmcWorker<Words, Base>::follow(const std::vector<Step> &Steps, size_t At, Continuation Then) {
  if (At == Steps.size())
    return Then();
  auto [Event, Parameter, Home] = Steps[At];
  EventId E = find(Event);
  if (!isNext(E, Event)) {
    ++Result.FailedWakeups;
    return;
  }
  auto Next = [&] { follow(Steps, At + 1, Then); };
  if (Graph[E].IsFence)
    return withFence(E, Next);
  if (!Graph[E].IsWrite) {
    if (!withRead(E, findSource(Parameter), Home, Next))
      ++Result.RejectedBranches;
    return;
  }
  if (Graph[E].Decides)
    return withOutcome(E, Parameter != 0, Next);
  if (Graph.isLateWrite(E) && leaves(E))
    return withNothing(E, Next);
  Graph[E].Past = pastOf(commitBefore(E));
  this->extend(E);
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
  if (!Graph[E].IsWrite) { // an update
    auto Next = [&] { traverseLoad(Home, E + 1, B.Cell); };
    const EventId Source = findSource(B.StoreParameter);
    const bool Accepted = Graph.isSplit(E) ? withSources(E, B.StoreSources, Next)
                                           : Graph.positionIn(Graph[E].Location, Source) >= oldestFor(E) &&
                                                 withRead(E, Source, ~0u, Next);
    if (!Accepted)
      ++Result.RejectedBranches;
    return;
  }
  Graph[E].Past = pastOf(commitBefore(E));
  this->extend(E);
  if (!withAllPositions(E, [&] { traverseLoad(Home, E, B.Cell); }))
    ++Result.RejectedBranches;
}

/// Commits a write at each position that is possible, of one that is split in all its locations. False if there is none.
template <unsigned Words, template <unsigned> class Base>
template <typename Continuation>
bool RsmcWorker<Words, Base>::withAllPositions(EventId Store, Continuation Then) {
  bool Possible = false;
  const bool More = hasMore(Store);
  for (uint32_t Position = lastFor(Store), Floor = lowestFor(Store); Position > Floor; --Position) {
    bool Inner;
    const bool Outer =
        withWrite(Store, Position, cellByCell(More, Inner, [&] { return withAllPositions(Store, Then); }, Then));
    Possible |= Outer && Inner;
  }
  return Possible;
}

/// Commits an update that is split with certain sources. Some of them may be chosen.
template <unsigned Words, template <unsigned> class Base>
template <typename Continuation>
bool RsmcWorker<Words, Base>::withSources(EventId Update, const std::vector<Key> &Sources, Continuation Then) {
  const EventId Source = findSource(Sources[Graph[Update].Chosen]);
  if (Graph.positionIn(locationOf(Update), Source) < oldestFor(Update))
    return false;
  bool Inner;
  auto Next = cellByCell(hasMore(Update), Inner, [&] { return withSources(Update, Sources, Then); }, Then);
  return withRead(Update, Source, ~0u, Next) && Inner;
}

template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::traverseLoad(uint32_t Home, EventId Store, uint32_t Cell) {
  EventId Load = find(Frames[Home].Load);
  if (!isNext(Load, Frames[Home].Load)) {
    ++Result.FailedWakeups;
    return;
  }
  bool Accepted = false;
  if (Graph.isSplit(Load)) {
    Set Old; // what was there when it was chosen
    for (size_t K = 0; K < Frames[Home].Prefix; ++K)
      if (Graph.Committed.contains(Run[K]))
        Old.insert(Graph.lastWith(Run[K]));
    Accepted = traverseCells(Home, Load, Store, Cell, Old);
  } else {
    if (Graph[Load].OfExchange)
      detectRacesOfExchange(Load);
    if (Graph[Load].OfUpdate && !writesLate(Load))
      detectRaces(Load, Store);
    Accepted =
        Graph.positionIn(locationOf(Load), Store) >= oldestFor(Load) && withRead(Load, Store, Home, [&] { explore(); });
  }
  if (!Accepted && !Flow.mayWait(Load))
    ++Result.RejectedBranches;
}

/// Of a load that is split: what was there in the cells in front of a certain one, and there the store. False if that
/// is not possible.
template <unsigned Words, template <unsigned> class Base>
bool RsmcWorker<Words, Base>::traverseCells(uint32_t Home, EventId Load, EventId Store, uint32_t Cell, const Set &Old) {
  const LocationId Location = locationOf(Load);
  if (Graph[Load].Chosen == Cell) {
    if (Graph.positionIn(Location, Store) < oldestFor(Load) || !Graph.agrees(Load, Store))
      return false;
    if (!Graph[Load].OfUpdate || writesLate(Load)) {
      // Nothing is written with it.
    } else if (hasMore(Load)) { // with whatever is there in the cells behind it
      Graph.choose(Load, Store);
      detectRacesOfSplit(Load);
      --Graph[Load].Chosen;
    } else {
      considerSplit(Load, Store);
    }
    return withRead(Load, Store, Home, [&] { explore(); });
  }
  std::vector<EventId> Sources = Graph.Locations[Location].Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  bool Possible = false;
  for (size_t K = oldestFor(Load); K < Sources.size(); ++K)
    if (Sources[K] == NoEvent || Old.contains(Sources[K]))
      withRead(Load, Sources[K], Home, [&] { Possible |= traverseCells(Home, Load, Store, Cell, Old); });
  return Possible;
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::racesInVain() {
  if (!TheMachine.options().RacesGoOn)
    return;
  std::lock_guard<std::mutex> Guard(Context.Team.Telling);
  Context.Observer.racing(*this);
  Walk::racesAreTold();
}

/// InVain: nothing has happened since something was postponed that could go on.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::leaf(bool InVain) {
  ThreadId Stuck = ~0u;
  bool Superfluous = false;
  const size_t NumDeferred = Deferred.size();
  for (size_t K = 0; K < Postponed.size(); ++K)
    if (const EventId Load = Postponed[K].Load;
        postponed(Load) == &Postponed[K] && !Graph.Committed.contains(Load) && !Flow.isAbandoned(Load))
      Deferred.push_back({Load, ~0u});
  tellEnd(Stuck, Superfluous, InVain);
  Deferred.resize(NumDeferred);
}

template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::tellEnd(ThreadId Stuck, bool Superfluous, bool InVain) {
  // Whatever was to succeed must have.
  for (EventId E : Flow.odd())
    Superfluous |= (Graph[E].OfExchange ? completesExchange(E) : mayBeImpossible(E)) && !Graph.Committed.contains(E) &&
                   !Flow.isAbandoned(E);
  for (auto [E, Home] : Deferred)
    Superfluous |= !Flow.mayWait(E);
  Superfluous |= !TheMachine.bugs().empty() && hasGaps();
  // What waits does so in front of all its cells, in another run.
  Superfluous |= NumHalf != 0;
  // A bug that was come to with less, in a run that goes on.
  if constexpr (OnlyReadsFrom)
    Superfluous |=
        ((Options.Exhaustive && !TheMachine.bugs().empty()) || TheMachine.hasUncheckedError()) && Walk::waitsInVain();
  const size_t BugsBefore = TheMachine.bugs().size();
  Ending How = Superfluous ? Ending::Blocked : ending(Stuck, Superfluous);
  if (!Superfluous && !Model->allowsWhole(Graph, How == Ending::Complete || How == Ending::Buggy)) {
    Superfluous = true;
    TheMachine.dropBugs(BugsBefore);
  }
  if (Superfluous) {
    Result.RejectedBranches += !InVain;
    if (!Walk::Races.empty())
      racesInVain();
    return;
  }
  if constexpr (OnlyReadsFrom)
    if (How == Ending::Buggy && (Options.Exhaustive || Stuck != ~0u))
      Walk::refuseLoopsOfSeveralLoads();
  Context.Team.tellEnding(
      How, Options.Exhaustive, Result,
      [&] { return Walk::Races.empty() && !Context.Observer.mustKnow(TheMachine, How); },
      [&] { Context.Observer.ended(*this, How); });
  Walk::racesAreTold();
  TheMachine.dropBugs(BugsBefore); // what the end has shown
  if (How == Ending::Buggy && !Options.Exhaustive)
    throw Enough();
  Stealing.afterExecution(Run.size(), [this] { offerWork(); });
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::run() {
  if constexpr (IsLarge)
    onLargeStack(Options.MaxMemoryBytes, [&] { runHere(); });
  else
    runHere();
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::runHere() {
  typename Walk::Scope Here(*this);
  // Not the address of a variable: under AddressSanitizer these are elsewhere.
  StackFrom = static_cast<const char *>(__builtin_frame_address(0));
  try {
    work();
  } catch (const GraphRestart &) {
    Outcome = RsmcOutcome::Restart;
  } catch (const Enough &) { // as the result says
  } catch (const GraphFull &) {
    Outcome = RsmcOutcome::TooSmall;
  } catch (const GraphStop &Stop) {
    stoppedBy(Stop);
    Result.NotAsGraph = Stop.Message;
    Result.Reason += ", under an axiomatic memory model";
  } catch (const MachineStop &Stop) {
    stoppedBy(Stop);
  } catch (const std::bad_alloc &) {
    Result.memoryRanOut();
  }
  Context.Team.stop();
}

template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::stoppedBy(const MachineStop &Stop) {
  if (Shared.changed()) // it may only be because something was not known to be shared
    Outcome = RsmcOutcome::Restart;
  Result.stoppedBy(Stop);
}

/// Ends the exploration if a limit is reached.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::checkLimits() {
  WorkDone = 0;
  auto Stop = [&](std::string Why) {
    Result.reachLimit(std::move(Why));
    throw Enough();
  };
  const uint64_t Own = TheMachine.undo().bytes() + BranchBytes + TheMachine.memory().bytesAllocated() + Walk::bytes() +
                       TheMachine.numThreads() * Machine::BytesPerThread + bytesOfStack();
  const uint64_t Bytes = Stealing.report(Result.Executions, Own) + Context.Team.FrameBytes;
  Result.Bytes = Bytes;
  if (Context.Team.stopped())
    Stop(""); // another knows why
  if (Options.Cancel && Options.Cancel->load(std::memory_order_relaxed))
    Stop("the check was cancelled");
  if (Options.Deadline && std::chrono::steady_clock::now() >= *Options.Deadline)
    Stop("the time limit was reached");
  if (Bytes > Options.MaxMemoryBytes || bytesOfStack() + StackReserve > stackSize())
    Stop("the memory limit was reached");
  Context.Team.tellProgress(Result, [&](const ExplorationResult &SoFar) { Context.Observer.progress(SoFar); });
}

template class RsmcWorker<0, GraphWalk>;
template class RsmcWorker<1, GraphWalk>;
template class RsmcWorker<4, GraphWalk>;
template class RsmcWorker<16, GraphWalk>;
template class RsmcWorker<1, ReadsFromWalk>;
template class RsmcWorker<4, ReadsFromWalk>;
template class RsmcWorker<16, ReadsFromWalk>;

} // namespace picket
