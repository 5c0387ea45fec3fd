#include "explore/Rsmc.h"

#include "explore/ReadsFromWalk.h"

#include <deque>
#include <set>

namespace picket {

namespace {

/// The exploration is to end here.
struct Enough {};

/// The names of P, Q, cut and normalize are the paper's: P[e] is Frame::Prefix, Q[e] is Frame::Queue. With a
/// ReadsFromWalk stores have no parameter, and the runs explored are one per reads-from relation.
template <unsigned Words, template <unsigned> class Base> class Explorer final : public Base<Words> {
public:
  Explorer(const Program &P, const GraphModel &Model, const ExplorationOptions &Options, Sharing &Shared,
           EndingMemory &Memory, ExplorationResult &Result, GraphObserver &Observer)
      : Walk(P, Model, Options.Machine, Shared, Memory), Options(Options), Result(Result), Observer(Observer) {}

  void run() {
    Flow.Look = [this] { lookNow(); };
    if (Walk::start())
      explore();
  }

private:
  using Walk = Base<Words>;
  using typename Walk::Set;
  using Walk::choose, Walk::isEnabled, Walk::commitBefore, Walk::pastOf, Walk::startOverIfSurprised;
  using Walk::G, Walk::M, Walk::Flow, Walk::Model, Walk::Run, Walk::LeftOut, Walk::Deferred;
  using Walk::OnlyReadsFrom, Walk::oldestFor, Walk::lowestFor, Walk::lastFor;
  using Walk::withRead, Walk::withWrite, Walk::withOutcome, Walk::ending;

  /// Names an event in all runs: thread and number.
  using Key = uint64_t;
  static constexpr Key Initial = 0, Any = ~0ull;
  Key keyOf(EventId E) const { return E == NoEvent ? Initial : (static_cast<Key>(G[E].Thread + 1) << 32) | G[E].Index; }
  EventId find(Key K) const { return Flow.eventOf(static_cast<ThreadId>(K >> 32) - 1, static_cast<uint32_t>(K)); }

  /// A run to be explored later: steps with their parameters, a store, and then the load that reads it.
  struct Branch {
    struct Step {
      Key Event, Parameter; // of a read its source, of a write its position in coherence, of a decision the outcome
    };
    std::vector<Step> Steps;
    Key Store, StoreParameter; // Any: every position
  };
  /// A load, where it was first chosen.
  struct Frame {
    size_t Prefix; // of Run
    Key Load;
    std::vector<Branch> Queue;
    std::set<std::vector<uint64_t>> Known; // everything that was ever in the queue
    size_t Bytes = 0;                      // about what these take
  };

  // Explore, Traverse, DetectRace.
  void explore();
  void exploreOutcome(EventId E);
  void exploreWrite(EventId E);
  void exploreRead(EventId E);
  void traverse(uint32_t Home, const Branch &B, size_t At);
  void traverseStore(uint32_t Home, const Branch &B);
  void traverseLoad(uint32_t Home, EventId Store);
  void detectRaces(EventId Store);
  void detectRaces(EventId Update, EventId Source);
  void addBranch(uint32_t Home, const Set &Past, EventId Store, Key Parameter);
  Key parameterOf(EventId Write, const Set &Present) const;

  void leaf();
  void look(size_t Work) override {
    constexpr size_t WorkBetween = 30'000; // a few milliseconds
    if ((WorkDone += Work + 1) >= WorkBetween)
      lookNow();
  }
  void lookNow();

  const ExplorationOptions &Options;
  ExplorationResult &Result;
  GraphObserver &Observer;
  std::deque<Frame> Frames;
  size_t WorkDone = 0;    // since the limits were looked at
  size_t BranchBytes = 0; // of all frames
  std::chrono::steady_clock::time_point LastTold{};
};

template <unsigned Words, template <unsigned> class Base> void Explorer<Words, Base>::explore() {
  if (!M.bugs().empty() && !Options.Exhaustive)
    return leaf();
  EventId E = choose();
  startOverIfSurprised();
  if (E == NoEvent || (!M.bugs().empty() && !Options.Exhaustive))
    leaf();
  else if (G[E].Decides)
    exploreOutcome(E);
  else if (G[E].IsWrite)
    exploreWrite(E);
  else
    exploreRead(E);
}

template <unsigned Words, template <unsigned> class Base> void Explorer<Words, Base>::exploreOutcome(EventId E) {
  for (bool Succeeds : {true, false})
    withOutcome(E, Succeeds, [&] { explore(); });
}

template <unsigned Words, template <unsigned> class Base> void Explorer<Words, Base>::exploreWrite(EventId E) {
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  detectRaces(E);
  bool Possible = false;
  for (uint32_t Position = lastFor(E), Floor = lowestFor(E); Position > Floor; --Position)
    Possible |= withWrite(E, Position, [&] { explore(); });
  if (!G[E].Conditional)
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

template <unsigned Words, template <unsigned> class Base> void Explorer<Words, Base>::exploreRead(EventId E) {
  auto Home = static_cast<uint32_t>(Frames.size());
  Frames.push_back({Run.size(), keyOf(E), {}, {}});
  const auto &Place = G.Places[G[E].Place];
  if (G[E].OfUpdate) {
    detectRaces(E, NoEvent);
    for (EventId Source : Place.Coherence)
      detectRaces(E, Source);
  }
  std::vector<EventId> Sources = Place.Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  Sources.erase(Sources.begin(), Sources.begin() + oldestFor(E));
  for (size_t K = Sources.size(); K-- > 0;)
    withRead(E, Sources[K], Home, [&] { explore(); });
  if (Flow.mayWait(E)) {
    // What the others do while it waits may be what it waits for.
    Deferred.push_back({E, Home});
    explore();
    Deferred.pop_back();
  }
  for (size_t K = 0; K < Frames[Home].Queue.size(); ++K) {
    Branch B = Frames[Home].Queue[K];
    traverse(Home, B, 0);
  }
  BranchBytes -= Frames.back().Bytes;
  Frames.pop_back();
}

/// Follows a branch to its end and explores from there.
template <unsigned Words, template <unsigned> class Base>
void Explorer<Words, Base>::traverse(uint32_t Home, const Branch &B, size_t At) {
  if (At == B.Steps.size())
    return traverseStore(Home, B);
  auto [Event, Parameter] = B.Steps[At];
  EventId E = find(Event);
  if (E == NoEvent || !isEnabled(E)) {
    ++Result.FailedWakeups;
    return;
  }
  auto Next = [&] { traverse(Home, B, At + 1); };
  if (!G[E].IsWrite) {
    if (!withRead(E, Parameter == Initial ? NoEvent : find(Parameter), ~0u, Next))
      ++Result.RejectedBranches;
    return;
  }
  if (G[E].Decides)
    return withOutcome(E, Parameter != 0, Next);
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  if (!withWrite(E, OnlyReadsFrom ? lastFor(E) : static_cast<uint32_t>(Parameter), Next))
    ++Result.RejectedBranches;
}

template <unsigned Words, template <unsigned> class Base>
void Explorer<Words, Base>::traverseStore(uint32_t Home, const Branch &B) {
  EventId E = find(B.Store);
  if (E == NoEvent || !isEnabled(E)) {
    ++Result.FailedWakeups;
    return;
  }
  if (!G[E].IsWrite) { // an update
    EventId Source = B.StoreParameter == Initial ? NoEvent : find(B.StoreParameter);
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
void Explorer<Words, Base>::traverseLoad(uint32_t Home, EventId Store) {
  EventId Load = find(Frames[Home].Load);
  if (Load == NoEvent || !isEnabled(Load)) {
    ++Result.FailedWakeups;
    return;
  }
  if (G[Load].OfUpdate)
    detectRaces(Load, Store);
  bool Accepted = G.positionOf(Store) >= oldestFor(Load) && withRead(Load, Store, Home, [&] { explore(); });
  if (!Accepted && !Flow.mayWait(Load))
    ++Result.RejectedBranches;
}

/// Finds the loads that could read the store if it were committed before them.
template <unsigned Words, template <unsigned> class Base> void Explorer<Words, Base>::detectRaces(EventId Store) {
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
void Explorer<Words, Base>::detectRaces(EventId Update, EventId Source) {
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
  (G.readersOf(G[Update].Place, Source) & Past).forEach([&](EventId R) { Taken |= G[R].OfUpdate && !G[R + 1].Void; });
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
typename Explorer<Words, Base>::Key Explorer<Words, Base>::parameterOf(EventId Write, const Set &Present) const {
  if (OnlyReadsFrom)
    return 0;
  const auto &Coherence = G.Places[G[Write].Place].Coherence;
  auto Mine = std::find(Coherence.begin(), Coherence.end(), Write);
  return 1 + static_cast<Key>(std::count_if(Coherence.begin(), Mine, [&](EventId W) { return Present.contains(W); }));
}

/// Cuts the run since the load down to what is before the store, normalises its order, and queues it.
template <unsigned Words, template <unsigned> class Base>
void Explorer<Words, Base>::addBranch(uint32_t Home, const Set &Past, EventId Store, Key Parameter) {
  Frame &F = Frames[Home];
  Set Left, Present;
  for (size_t K = 0; K < Run.size(); ++K) {
    EventId E = Run[K];
    bool Updates = G[E].OfUpdate;
    if (K < F.Prefix) {
      Present.insert(Updates ? E + 1 : E);
    } else if (Past.contains(E) || (Updates && Past.contains(E + 1))) {
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
    Key P;
    if (!G[Next].IsWrite) {
      P = keyOf(G[Next].Source);
      Present.insert(G[Next].OfUpdate ? Next + 1 : Next);
    } else if (G[Next].Decides) {
      P = Flow.succeeds(Next);
    } else {
      P = parameterOf(Next, Present);
      Present.insert(Next);
    }
    B.Steps.push_back({keyOf(Next), P});
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
  if (!F.Known.insert(std::move(Name)).second)
    return;
  F.Queue.push_back(std::move(B));
  F.Bytes += Bytes;
  BranchBytes += Bytes;
}

template <unsigned Words, template <unsigned> class Base> void Explorer<Words, Base>::leaf() {
  ThreadId Stuck = ~0u;
  bool Superfluous = false;
  // Whatever was to succeed must have.
  for (EventId E = 0; E < G.size(); ++E)
    Superfluous |= G[E].Conditional && !G.Committed.contains(E) && !Flow.isAbandoned(E);
  // A bug that was come to with less, in a run that goes on.
  if constexpr (OnlyReadsFrom)
    Superfluous |= Options.Exhaustive && !M.bugs().empty() && Walk::waitsInVain();
  Ending How = Superfluous ? Ending::Blocked : ending(Stuck, Superfluous);
  if (Superfluous) {
    ++Result.RejectedBranches;
    return;
  }
  if constexpr (OnlyReadsFrom)
    if (How == Ending::Buggy && (Options.Exhaustive || Stuck != ~0u))
      Walk::lookAtLoops();
  switch (How) {
  case Ending::Complete:
  case Ending::Buggy: ++Result.Executions; break;
  case Ending::Cut: ++Result.Cut; break;
  case Ending::Blocked: ++Result.Blocked; break;
  }
  Observer.ended(*this, How);
  if (Stuck != ~0u)
    M.dropBugs(M.bugs().size() - 1);
  if (How == Ending::Buggy && !Options.Exhaustive) {
    Result.Ended = ExplorationResult::End::FirstBug;
    throw Enough();
  }
}

/// Looks at the clock and at the limits.
template <unsigned Words, template <unsigned> class Base> void Explorer<Words, Base>::lookNow() {
  constexpr std::chrono::milliseconds TellEvery{100};
  WorkDone = 0;
  auto Stop = [&](std::string Why) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = std::move(Why);
    throw Enough();
  };
  if (Options.Cancel && Options.Cancel->load(std::memory_order_relaxed))
    Stop("the check was cancelled");
  const auto Now = std::chrono::steady_clock::now();
  if (Options.Deadline && Now >= *Options.Deadline)
    Stop("the time limit was reached");
  if (M.undo().bytes() + BranchBytes + M.memory().bytesAllocated() + Walk::bytes() > Options.MaxMemoryBytes)
    Stop("the memory limit was reached");
  if (Now - LastTold < TellEvery)
    return;
  LastTold = Now;
  Observer.progress(Result);
}

/// Explores with sets of a certain size. False if they turn out to be too small.
template <unsigned Words, template <unsigned> class Base>
bool exploreWith(const Program &P, const GraphModel &Model, const ExplorationOptions &Options, Sharing &Shared,
                 EndingMemory &Memory, ExplorationResult &Result, GraphObserver &Observer) {
  // It may only be because something is not known to be shared yet.
  auto StopsWith = [&](const MachineStop &Stop) {
    if (Shared.takeChanged()) {
      Observer.restarted();
      return false;
    }
    const bool Unsupported = Stop.Why == MachineStop::Unsupported;
    Result.Ended = Unsupported ? ExplorationResult::End::Unsupported : ExplorationResult::End::Limit;
    Result.Reason = Stop.Message;
    Result.ReasonPc = Stop.Pc;
    Result.HasReasonPc = true;
    return true;
  };
  for (;;) {
    try {
      Result = ExplorationResult();
      Explorer<Words, Base>(P, Model, Options, Shared, Memory, Result, Observer).run();
      return true;
    } catch (const StartOver &) {
      Observer.restarted();
    } catch (const Enough &) {
      return true;
    } catch (const GraphFull &) {
      Observer.restarted();
      return false;
    } catch (const GraphStop &Stop) {
      if (StopsWith(Stop)) {
        Result.NotAsGraph = Stop.Message;
        Result.Reason += ", under an axiomatic memory model";
        return true;
      }
    } catch (const MachineStop &Stop) {
      if (StopsWith(Stop))
        return true;
    }
  }
}

} // namespace

ExplorationResult exploreGraphs(const Program &P, const GraphModel &Model, const ExplorationOptions &Given,
                                GraphObserver &Observer) {
  ExplorationOptions Options = Given;
  Options.Machine.OutOfOrder = true;
  Options.Machine.StopAtFences = false;
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  EndingMemory Memory;
  ExplorationResult Result;
  auto Fits = [&]<template <unsigned> class Base>() {
    return exploreWith<1, Base>(P, Model, Options, Shared, Memory, Result, Observer) ||
           exploreWith<4, Base>(P, Model, Options, Shared, Memory, Result, Observer) ||
           exploreWith<16, Base>(P, Model, Options, Shared, Memory, Result, Observer);
  };
  if (Options.OnePer == Equivalence::ReadsFrom ? Fits.template operator()<ReadsFromWalk>()
                                               : Fits.template operator()<GraphWalk>())
    return Result;
  Result.Ended = ExplorationResult::End::Limit;
  Result.NotAsGraph = Result.Reason =
      "an execution has more than " + std::to_string(EventSet<16>::Capacity) + " shared accesses";
  return Result;
}

} // namespace picket
