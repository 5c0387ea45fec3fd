#include "explore/RsmcWorker.h"

#include "explore/BranchOrder.h"
#include "explore/LargeStack.h"
#include "explore/RsmcSections.h"

namespace picket {

namespace {

/// The exploration is to end here.
struct Enough {};

} // namespace

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::explore() {
  if (Memory.Sections)
    return exploreSections();
  auto HasEnough = [&] { return !M.bugs().empty() && !Options.Exhaustive && !awaitsWrite(); };
  if (HasEnough())
    return leaf();
  EventId E = choose();
  startOverIfSurprised();
  if (E == NoEvent || HasEnough())
    leaf();
  else if (G[E].Decides)
    exploreOutcome(E);
  else if (G[E].IsFence)
    withFence(E, [&] { explore(); });
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
  if (!isHalf(E)) {
    G[E].Past = pastOf(commitBefore(E));
    Model->extend(G, E);
    detectRaces(E);
  }
  bool Possible = false;
  tryAll(E, lowestFor(E) + 1, lastFor(E) + 1, nullptr,
         [&](uint32_t Position) { Possible |= withWrite(E, Position, [&] { explore(); }); });
  if (!mayBeImpossible(E) || isHalf(E))
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
  Frames.emplace_back(Run.size(), keyOf(E, G[E].Chosen), Deferred.size(), LeftOut, committedNow());
  if (G[E].OfUpdate && writesLate(E)) {
    // The write has its own races.
  } else if (G[E].OfUpdate && G.isSplit(E)) {
    if (!isHalf(E))
      detectRacesOfSplit(E);
  } else if (G[E].OfUpdate) {
    for (EventId Source : sourcesFor(E))
      detectRaces(E, Source);
  }
  const bool Accepted = exploreCells(E, Home);
  // What the others do while it waits may be what it waits for. Not so where it can go on and no other thread has been
  // seen to write: whoever could would have come there in the runs in which it went on (if one does later, exploration
  // starts over). Most locks are nobody else's at the time, and each wait in vain would be tried with those of all
  // other threads.
  if (Flow.mayWait(E) && !(Accepted && isAlone(E))) {
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

/// Whether no other thread has been seen to write where a load reads. If one does later, exploration starts over.
template <unsigned Words, template <unsigned> class Base> bool RsmcWorker<Words, Base>::isAlone(EventId Load) {
  const auto &Location = G.Places[G[Load].Place];
  const bool IsSync = Flow.operation(Load).Kind == OperationKind::Sync; // always written whole: one byte is enough
  return !G.isSplit(Load) && Shared.readsOnlyOwn(Location.Where, IsSync ? 1 : Location.Width, G[Load].Thread);
}

/// What a load may read in its next cell, given what its thread has seen.
template <unsigned Words, template <unsigned> class Base>
std::vector<EventId> RsmcWorker<Words, Base>::sourcesFor(EventId Read) const {
  const auto &Coherence = G.Places[placeOf(Read)].Coherence;
  const uint32_t Oldest = oldestFor(Read);
  std::vector<EventId> Sources;
  Sources.reserve(Coherence.size() + 1 - Oldest);
  if (Oldest == 0)
    Sources.push_back(NoEvent);
  Sources.insert(Sources.end(), Coherence.begin() + (Oldest ? Oldest - 1 : 0), Coherence.end());
  return Sources;
}

/// Lets a load read what is there; one that is split in all its cells. False if the axioms, or what it waits for, reject
/// all of it.
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
  if (G[E].IsFence)
    return withFence(E, Next);
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
    auto Next = [&] { traverseLoad(Home, E + 1, B.Cell); };
    const EventId Source = findSource(B.StoreParameter);
    const bool Accepted = G.isSplit(E)
                              ? withSources(E, B.StoreSources, Next)
                              : G.positionIn(G[E].Place, Source) >= oldestFor(E) && withRead(E, Source, ~0u, Next);
    if (!Accepted)
      ++Result.RejectedBranches;
    return;
  }
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  if (!withAllPositions(E, [&] { traverseLoad(Home, E, B.Cell); }))
    ++Result.RejectedBranches;
}

/// Commits a write at each position that is possible, of one that is split in all its places. False if there is none.
template <unsigned Words, template <unsigned> class Base>
template <typename Continuation>
bool RsmcWorker<Words, Base>::withAllPositions(EventId Store, Continuation Then) {
  bool Possible = false;
  const bool More = hasMore(Store);
  for (uint32_t Position = lastFor(Store), Floor = lowestFor(Store); Position > Floor; --Position) {
    bool Inner = !More;
    const bool Outer = withWrite(Store, Position, [&] {
      if (More)
        Inner = withAllPositions(Store, Then);
      else
        Then();
    });
    Possible |= Outer && Inner;
  }
  return Possible;
}

/// Commits an update that is split with certain sources. Some of them may be chosen.
template <unsigned Words, template <unsigned> class Base>
template <typename Continuation>
bool RsmcWorker<Words, Base>::withSources(EventId Update, const std::vector<Key> &Sources, Continuation Then) {
  const EventId Source = findSource(Sources[G[Update].Chosen]);
  if (G.positionIn(placeOf(Update), Source) < oldestFor(Update))
    return false;
  const bool More = hasMore(Update);
  bool Inner = !More;
  return withRead(Update, Source, ~0u,
                  [&] {
                    if (More)
                      Inner = withSources(Update, Sources, Then);
                    else
                      Then();
                  }) &&
         Inner;
}

template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::traverseLoad(uint32_t Home, EventId Store, uint32_t Cell) {
  EventId Load = find(Frames[Home].Load);
  if (!isNext(Load, Frames[Home].Load)) {
    ++Result.FailedWakeups;
    return;
  }
  bool Accepted = false;
  if (G.isSplit(Load)) {
    Set Old; // what was there when it was chosen
    for (size_t K = 0; K < Frames[Home].Prefix; ++K)
      if (G.Committed.contains(Run[K]))
        Old.insert(G.lastWith(Run[K]));
    Accepted = traverseCells(Home, Load, Store, Cell, Old);
  } else {
    if (G[Load].OfUpdate && !writesLate(Load))
      detectRaces(Load, Store);
    Accepted = G.positionIn(placeOf(Load), Store) >= oldestFor(Load) && withRead(Load, Store, Home, [&] { explore(); });
  }
  if (!Accepted && !Flow.mayWait(Load))
    ++Result.RejectedBranches;
}

/// Of a load that is split: what was there in the cells in front of a certain one, and there the store. False if that is
/// not possible.
template <unsigned Words, template <unsigned> class Base>
bool RsmcWorker<Words, Base>::traverseCells(uint32_t Home, EventId Load, EventId Store, uint32_t Cell, const Set &Old) {
  const PlaceId Place = placeOf(Load);
  if (G[Load].Chosen == Cell) {
    if (G.positionIn(Place, Store) < oldestFor(Load) || !G.agrees(Load, Store))
      return false;
    if (!G[Load].OfUpdate || writesLate(Load)) {
      // Nothing is written with it.
    } else if (hasMore(Load)) { // with whatever is there in the cells behind it
      G.choose(Load, Store);
      detectRacesOfSplit(Load);
      --G[Load].Chosen;
    } else {
      considerSplit(Load, Store);
    }
    return withRead(Load, Store, Home, [&] { explore(); });
  }
  std::vector<EventId> Sources = G.Places[Place].Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  bool Possible = false;
  for (size_t K = oldestFor(Load); K < Sources.size(); ++K)
    if (Sources[K] == NoEvent || Old.contains(Sources[K]))
      withRead(Load, Sources[K], Home, [&] { Possible |= traverseCells(Home, Load, Store, Cell, Old); });
  return Possible;
}

/// Loads that could have read a write to a place, each with its frame and the cell.
template <unsigned Words, template <unsigned> class Base>
template <typename Visitor>
void RsmcWorker<Words, Base>::forEachRace(PlaceId Place, const Set &Past, Visitor Visit) {
  auto Look = [&](EventId Load, uint32_t Home, uint32_t From) {
    for (uint32_t K = From; K < G[Load].NumCells; ++K)
      if (const GraphCell &C = G.cell(Load, K); C.Place == Place) {
        if (const uint32_t In = Home == ~0u ? C.Home : Home; In != ~0u)
          Visit(Load, In, K);
      }
  };
  (G.Places[Place].Reads - Past).forEach([&](EventId Load) { Look(Load, ~0u, 0); });
  for (auto [Load, Home] : Deferred)
    Look(Load, Home, G[Load].Chosen);
}

/// Finds the loads that could read the store if it were committed before them: those that are split in each cell.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::detectRaces(EventId Store) {
  const Set &Past = G[Store].Past;
  G.forEachCell(Store, [&](const GraphCell &C) {
    forEachRace(C.Place, Past, [&](EventId, uint32_t Home, uint32_t Cell) { addBranch(Home, Cell, Past, Store, Any); });
  });
}

/// The same for the write of an update that reads Source, whether it can do so here or not: it may be the load that
/// keeps it from doing so.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::detectRaces(EventId Update, EventId Source) {
  const PlaceId Id = G[Update].Place;
  if (G.positionIn(Id, Source) < oldestFor(Update)) // its thread has seen something newer, and will have
    return;
  const Set Past = pastOf(Update, Source);
  if (Source != NoEvent && G[Source].Ends) // a use of memory that has ended, which writes nothing
    return;
  auto Done = Flow.update(Update, G.valueIn(Id, Source));
  if (Done.Does != FetchedEvents<Words>::Update::Writes || isTaken(Id, Source, Past))
    return;
  forEachRace(Id, Past, [&](EventId Load, uint32_t Home, uint32_t Cell) {
    const bool Waits = G[Load].OfUpdate && !G.isSplit(Load) &&
                       Flow.update(Load, Done.Value).Does == FetchedEvents<Words>::Update::Waits;
    if (Load != Update && !Waits)
      addBranch(Home, Cell, Past, Update, keyOf(Source));
  });
}

/// Whether there is an update of a source that comes before.
template <unsigned Words, template <unsigned> class Base>
bool RsmcWorker<Words, Base>::isTaken(PlaceId Place, EventId Source, const Set &Past) const {
  bool Taken = false;
  (G.readersOf(Place, Source) & Past).forEach([&](EventId R) {
    Taken |= G[R].OfUpdate && G.Writes.contains(R + 1) && (!G[R].Alone || Past.contains(R + 1));
  });
  return Taken;
}

/// The same for an update that is split, with all that is there in the cells that are not chosen.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::detectRacesOfSplit(EventId Update) {
  const PlaceId Id = placeOf(Update);
  std::vector<EventId> Sources = G.Places[Id].Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  for (size_t K = oldestFor(Update); K < Sources.size(); ++K) {
    if ((Sources[K] != NoEvent && G[Sources[K]].Ends) || !G.agrees(Update, Sources[K]))
      continue;
    if (!hasMore(Update)) {
      considerSplit(Update, Sources[K]);
      continue;
    }
    G.choose(Update, Sources[K]);
    detectRacesOfSplit(Update);
    --G[Update].Chosen;
  }
}

/// Of an update all of whose sources are chosen but for the last.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::considerSplit(EventId Update, EventId Last) {
  const Set Past = pastOf(Update, Last);
  G.choose(Update, Last);
  const auto Done = Flow.update(Update, Flow.joined(Update));
  bool Writes = Done.Does == FetchedEvents<Words>::Update::Writes;
  std::vector<Key> Sources;
  G.forEachCell(Update, [&](const GraphCell &C) {
    Writes &= !(C.Source != NoEvent && G[C.Source].Ends) && !isTaken(C.Place, C.Source, Past);
    Sources.push_back(keyOf(C.Source));
  });
  --G[Update].Chosen;
  if (!Writes)
    return;
  G.forEachCell(Update, [&](const GraphCell &C) {
    forEachRace(C.Place, Past, [&](EventId Load, uint32_t Home, uint32_t Cell) {
      if (Load != Update)
        addBranch(Home, Cell, Past, Update, Initial, Sources);
    });
  });
}

/// The position of a write among those that are present. With reads-from alone it has none.
template <unsigned Words, template <unsigned> class Base>
typename RsmcWorker<Words, Base>::Key RsmcWorker<Words, Base>::parameterOf(EventId Write, uint32_t Cell,
                                                                           const Set &Present) const {
  if (OnlyReadsFrom)
    return 0;
  const GraphCell &C = G.cell(Write, Cell);
  const auto &Coherence = G.Places[C.Place].Coherence;
  if constexpr (IsLarge) { // nearly all are present
    Key Absent = 0;
    (G.Places[C.Place].Writes - Present).forEach([&](EventId W) { Absent += G.positionIn(C.Place, W) < C.Position; });
    return C.Position - Absent;
  }
  return 1 + static_cast<Key>(std::count_if(Coherence.begin(), Coherence.begin() + (C.Position - 1),
                                            [&](EventId W) { return Present.contains(W); }));
}

/// How an event of the current run is committed behind those that are present, to which it is added.
template <unsigned Words, template <unsigned> class Base>
RsmcStep RsmcWorker<Words, Base>::stepOf(EventId E, uint32_t Cell, Set &Present) const {
  if (G[E].Decides)
    return {keyOf(E), Flow.succeeds(E)};
  if (G[E].Void) // a fence, or a late write that leaves things as they are
    return {keyOf(E), 0};
  const Key Parameter = G[E].IsWrite ? parameterOf(E, Cell, Present) : keyOf(G.cell(E, Cell).Source);
  if (Cell + 1 == G[E].NumCells)
    Present.insert(G.lastWith(E));
  return {keyOf(E, Cell), Parameter};
}

/// What of the run since a load is before something. Present: what was there already.
template <unsigned Words, template <unsigned> class Base>
typename RsmcWorker<Words, Base>::Set RsmcWorker<Words, Base>::eventsSince(const Frame &F, const Set &Past,
                                                                           Set &Present) const {
  Set Left;
  if constexpr (IsLarge) {
    if (!F.Committed.empty() || F.Prefix == 0) { // else another began the frame
      Present = F.Committed;
      ((Past & G.Committed) - F.Committed).forEach([&](EventId E) { Left.insert(G.firstWith(E)); });
      return Left;
    }
  }
  for (size_t K = 0; K < Run.size(); ++K) {
    EventId E = Run[K];
    const EventId Last = G.lastWith(E);
    if (K < F.Prefix) {
      // The load itself may be half chosen there: it is not present.
      const auto End = Run.begin() + static_cast<ptrdiff_t>(F.Prefix);
      if (!G.isSplit(E) || std::count(Run.begin(), End, E) == G[E].NumCells)
        Present.insert(Last);
    } else if (Past.contains(E) || Past.contains(Last)) {
      Left.insert(E);
    }
  }
  return Left;
}

/// Cuts the run since the load down to what is before the store, normalises its order, and queues it.
template <unsigned Words, template <unsigned> class Base>
void RsmcWorker<Words, Base>::addBranch(uint32_t Home, uint32_t Cell, const Set &Past, EventId Store, Key Parameter,
                                        std::vector<Key> Sources) {
  Frame &F = Frames[Home];
  Set Present;
  Set Left = eventsSince(F, Past, Present);
  Branch B;
  auto Take = [&](EventId E) {
    for (uint32_t K = 0, Number = G[E].Void ? 1 : G[E].NumCells; K < Number; ++K)
      B.Steps.push_back(stepOf(E, K, Present));
  };
  if constexpr (IsLarge) {
    inBranchOrder(G, Left, [&](EventId E) { return keyOf(E); }, Take, [&] { look(1); });
    Left.clear();
  }
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
    Take(Next);
  }
  B.Store = keyOf(Store);
  B.StoreParameter = Parameter;
  B.StoreSources = std::move(Sources);
  B.Cell = Cell;
  std::vector<uint64_t> Name;
  for (const auto &Step : B.Steps) {
    Name.push_back(Step.Event);
    Name.push_back(Step.Parameter);
  }
  Name.push_back(B.Store);
  Name.push_back(B.StoreParameter);
  Name.insert(Name.end(), B.StoreSources.begin(), B.StoreSources.end());
  Name.push_back(B.Cell);
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
  for (EventId E : Flow.odd())
    Superfluous |= mayBeImpossible(E) && !G.Committed.contains(E) && !Flow.isAbandoned(E);
  // What waits does so in front of all its cells, in another run.
  Superfluous |= NumHalf != 0;
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
  std::vector<uint32_t> Cells(G.size(), 0); // taken so far
  for (size_t K = 0; K < Prefix; ++K) {
    const uint32_t Cell = Cells[Run[K]]++;
    Step &Taken = Way.Steps.emplace_back(stepOf(Run[K], Cell, Present));
    if (!G[Run[K]].IsWrite)
      Taken.Home = G.cell(Run[K], Cell).Home;
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
  const auto Before = Run.begin() + static_cast<ptrdiff_t>(Left->Prefix);
  const auto Cell = static_cast<uint32_t>(std::count(Run.begin(), Before, Left->Event));
  Job.Next.Event = keyOf(Left->Event, Cell);
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
  if (!isNext(E, Next.Event)) {
    LostItsWay = true;
    return;
  }
  if (!G[E].IsWrite) {
    const bool More = hasMore(E);
    withRead(E, findSource(Next.Parameter), Next.Home, [&] {
      if (More)
        exploreCells(E, Next.Home);
      else
        explore();
    });
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
  Flow.watch([this] { lookNow(); });
  if (Walk::start() && Number == 0)
    explore();
  while (std::optional<RsmcJob> Job = Team.take()) {
    carryOut(*Job);
    if (LostItsWay)
      return;
  }
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
                       M.numThreads() * Machine::BytesPerThread + bytesOfStack();
  const uint64_t Bytes = (Team.Bytes += Own - BytesTold) + Team.FrameBytes;
  BytesTold = Own;
  Result.Bytes = Bytes;
  if (Team.stopped())
    Stop(""); // another knows why
  if (Options.Cancel && Options.Cancel->load(std::memory_order_relaxed))
    Stop("the check was cancelled");
  if (Options.Deadline && std::chrono::steady_clock::now() >= *Options.Deadline)
    Stop("the time limit was reached");
  if (Bytes > Options.MaxMemoryBytes || bytesOfStack() + StackReserve > stackSize())
    Stop("the memory limit was reached");
  Team.tellProgress(Result, [&](const ExplorationResult &SoFar) { Observer.progress(SoFar); });
}

template class RsmcWorker<0, GraphWalk>;
template class RsmcWorker<1, GraphWalk>;
template class RsmcWorker<4, GraphWalk>;
template class RsmcWorker<16, GraphWalk>;
template class RsmcWorker<1, ReadsFromWalk>;
template class RsmcWorker<4, ReadsFromWalk>;
template class RsmcWorker<16, ReadsFromWalk>;

} // namespace picket
