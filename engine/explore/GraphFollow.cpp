#include "explore/GraphFollow.h"

#include "explore/GraphWalk.h"
#include "explore/LargeStack.h"

#include <map>
#include <tuple>

namespace picket {

namespace {

using AtEnd = std::function<void(GraphRun &, const std::vector<bool> &)>;

template <unsigned Words> class Follower final : public GraphWalk<Words> {
public:
  Follower(const Program &P, const GraphModel &Model, const MachineOptions &Options, Sharing &Shared,
           EndingMemory &Memory, const GraphScript &Script, const BugReport *Wanted, const AtEnd &Then)
      : Walk(P, Model, Options, Shared, Memory), Script(Script), Wanted(Wanted), Then(Then),
        Done(Script.Steps.size(), NoEvent) {}

  void run() {
    typename Walk::Scope Here(*this);
    Flow.noteInto(&Notes);
    if (Walk::start())
      follow();
  }

private:
  using Walk = GraphWalk<Words>;
  using typename Walk::Set;
  using Walk::cellByCell, Walk::locationOf, Walk::hasMore, Walk::isHalf, Walk::oldestFor, Walk::lowestFor;
  using Walk::choose, Walk::isEnabled, Walk::commitBefore, Walk::pastOf, Walk::restartIfSharingChanged;
  using Walk::Graph, Walk::TheMachine, Walk::Flow, Walk::Model, Walk::HasC11Orders, Walk::Deferred, Walk::Notes;
  using Walk::withRead, Walk::withWrite, Walk::withOutcome, Walk::withNothing, Walk::withFence, Walk::leaves,
      Walk::ending;
  using Index = std::map<std::tuple<uint32_t, uint32_t, uint64_t>, EventId>; // by thread (of the script), number, part

  void follow();
  bool isOf(EventId Write, size_t Step) const;
  bool followStep(size_t Step, const Index &Events);
  bool followRead(size_t Step, EventId E);
  bool followWrite(size_t Step, EventId E);
  bool followOwn(const Index &Events, bool OnlyInFront = false);
  bool followLateWrites(const Index &Events);
  bool isHalfOfUpdate(EventId E) const { return Graph[E].OfUpdate && Graph[E].IsWrite && !Graph.isLateWrite(E); }
  bool isOwn(EventId E) const;
  bool isRace(EventId First, EventId Second) const override;
  void complete();
  bool comesOfBug(EventId E) const;
  void endOfScript();
  using Name = typename Index::key_type;
  Name nameOf(EventId E) const;
  void forgetFrom(EventId First);
  const Index &index();
  auto andFollow() {
    return [this, Known = Graph.size()] {
      forgetFrom(Known);
      follow();
    };
  }
  uint32_t positionFor(size_t Step, EventId E) const;
  std::vector<EventId> eventsOf(const GraphScript::Step &Step, const Index &Events) const;
  EventId find(const GraphScript::Step &Step, const Index &Events);
  bool stores(const typename Index::key_type &Decision) const;
  bool hasBug() const;
  template <typename Continuation> bool commitSomehow(EventId E, Continuation Then);

  const GraphScript &Script;
  const BugReport *Wanted;
  const AtEnd &Then;
  std::vector<EventId> Done;  // per step
  Index ByName;               // the events that are fetched, as far as they were named
  std::vector<Name> Names;    // of these
  std::vector<size_t> StepOf; // per event, the last step it was tried for
};

template <unsigned Words> bool Follower<Words>::hasBug() const {
  return Wanted && std::any_of(TheMachine.bugs().begin(), TheMachine.bugs().end(),
                               [&](const BugReport &B) { return isSame(B, *Wanted); });
}

template <unsigned Words> typename Follower<Words>::Name Follower<Words>::nameOf(EventId E) const {
  const ThreadId T = Graph[E].Thread;
  uint32_t Thread = ~0u;
  for (uint32_t K = 0; K < Script.Threads.size() && TheMachine.exists(T); ++K)
    if (Script.Threads[K] == TheMachine.pathOf(T))
      Thread = K;
  return {Thread, Graph[E].Operation, Graph[E].Part};
}

/// Only the one that the script ends with, whichever of its accesses is committed last.
template <unsigned Words> bool Follower<Words>::isRace(EventId First, EventId Second) const {
  if (!Script.Ending)
    return false;
  auto Has = [&](EventId E, const GraphScript::Name &Wanted) {
    const auto [Thread, Number, Part] = nameOf(E);
    return GraphScript::Name{Thread, Number, Part} == Wanted;
  };
  // An update may be named by its read.
  auto Is = [&](EventId E, const GraphScript::Name &Wanted) {
    return Has(E, Wanted) || (Graph[E].OfUpdate && Graph[E].IsWrite && Has(E - 1, Wanted));
  };
  const auto &[Earlier, Later] = *Script.Ending;
  return (Is(First, Earlier) && Is(Second, Later)) || (Is(First, Later) && Is(Second, Earlier));
}

/// Forgets the names of events that were taken back.
template <unsigned Words> void Follower<Words>::forgetFrom(EventId First) {
  for (; Names.size() > First; Names.pop_back())
    if (auto Found = ByName.find(Names.back()); Found != ByName.end() && Found->second + 1 == Names.size())
      ByName.erase(Found);
}

template <unsigned Words> const typename Follower<Words>::Index &Follower<Words>::index() {
  forgetFrom(Graph.size());
  for (auto E = static_cast<EventId>(Names.size()); E < Graph.size(); ++E) {
    Names.push_back(nameOf(E));
    ByName[Names.back()] = E;
  }
  return ByName;
}

/// The events of a step: one, or all parts of a whole end. What realloc does in front of that has steps of its own.
template <unsigned Words>
std::vector<EventId> Follower<Words>::eventsOf(const GraphScript::Step &Step, const Index &Events) const {
  std::vector<EventId> Found;
  for (auto At = Events.lower_bound({Step.Thread, Step.Number, Step.Whole ? 0 : Step.Part}); At != Events.end(); ++At) {
    auto [Thread, Number, Part] = At->first;
    if (Thread != Step.Thread || Number != Step.Number || (!Step.Whole && Part != Step.Part))
      break;
    if (!Step.Whole || Graph[At->second].Ends)
      Found.push_back(At->second);
  }
  return Found;
}

/// The event of a step that can be next. Of an end that is any part: in a second one, those that are accessed may have
/// to wait for accesses that are bugs themselves.
template <unsigned Words> EventId Follower<Words>::find(const GraphScript::Step &Step, const Index &Events) {
  for (EventId E : eventsOf(Step, Events))
    if (!Graph.Committed.contains(E) && isEnabled(E) && !comesOfBug(E))
      return E;
  return NoEvent;
}

/// Whether a script has the write that a store-conditional makes if it succeeds.
template <unsigned Words> bool Follower<Words>::stores(const typename Index::key_type &Decision) const {
  auto [Thread, Number, Part] = Decision;
  return std::any_of(Script.Steps.begin(), Script.Steps.end(), [&](const GraphScript::Step &S) {
    return S.Thread == Thread && S.Number == Number && S.Part == Part + 1;
  });
}

template <unsigned Words> void Follower<Words>::follow() {
  choose(); // finds accesses that are bugs
  restartIfSharingChanged();
  if (hasBug())
    return complete();
  const Index &Events = index();
  EventId Decision = NoEvent;
  for (EventId E : Flow.odd())
    if (Graph[E].Decides && !Graph.Committed.contains(E) && (Decision == NoEvent || Names[E] < Names[Decision]))
      Decision = E;
  if (Decision != NoEvent)
    return withOutcome(Decision, stores(Names[Decision]), andFollow());
  // Fences are no steps of a script: they happen as soon as they can.
  for (EventId E = 0; HasC11Orders && E < Graph.size(); ++E)
    if (Graph[E].IsFence && !Graph.Committed.contains(E) && !Flow.isAbandoned(E) && isEnabled(E))
      return withFence(E, andFollow());
  auto Goes = [&](uint8_t Turn) {
    for (size_t K = 0; K < Done.size(); ++K)
      if (const GraphScript::Step &S = Script.Steps[K];
          S.Turn == Turn && (Done[K] == NoEvent || S.Whole) && followStep(K, Events))
        return true;
    return false;
  };
  using Step = GraphScript::Step;
  // Which access of a data race comes last depends on the order of steps: none must overtake one that has to wait for
  // accesses of its own thread, or of a thread without steps, which may create others.
  const bool InOrder = Script.Ending.has_value();
  if (!followLateWrites(Events) && !(InOrder && followOwn(Events, true)) && !Goes(Step::Any) && !followOwn(Events) &&
      !Goes(Step::BehindEnd) && !Goes(Step::End) && !Goes(Step::Bug))
    complete();
}

/// Commits the write of an update whose read was committed without it, unless it has a step of its own.
template <unsigned Words> bool Follower<Words>::followLateWrites(const Index &Events) {
  for (const auto &[Name, E] : Events) {
    if (!Graph.isLateWrite(E) || Graph.Committed.contains(E) || Flow.isAbandoned(E) || !isEnabled(E))
      continue;
    auto [Thread, Number, Part] = Name;
    const bool HasStep = std::any_of(Script.Steps.begin(), Script.Steps.end(), [&](const GraphScript::Step &S) {
      return S.Thread == Thread && S.Number == Number && S.Part == Part;
    });
    if ((!HasStep || leaves(E)) && commitSomehow(E, [&] { follow(); }))
      return true;
  }
  return false;
}

/// Lets a thread access what no other thread accesses: scripts need not say so. What stands in front of a step happened
/// too, also if somebody else has come to that memory by now and did not get to access it. Of what comes behind the
/// last step of a thread that is not known; but nothing may come to stand in front of it.
template <unsigned Words> bool Follower<Words>::followOwn(const Index &Events, bool OnlyInFront) {
  forgetFrom(Graph.size());
  std::vector<bool> Named(Graph.size(), false), InFront(Graph.size(), false);
  std::vector<typename Index::key_type> LastOf(Script.Threads.size());
  std::vector<bool> HasSteps(Script.Threads.size(), false);
  for (const GraphScript::Step &S : Script.Steps) {
    HasSteps[S.Thread] = true;
    for (EventId E : eventsOf(S, Events))
      Named[E] = true;
    LastOf[S.Thread] = std::max(LastOf[S.Thread], {S.Thread, S.Number, S.Part});
  }
  for (const auto &[Name, E] : Events)
    InFront[E] = std::get<0>(Name) < LastOf.size() && Name < LastOf[std::get<0>(Name)];
  auto IsBehind = [&](EventId E) {
    const uint32_t T = std::get<0>(nameOf(E));
    return !(OnlyInFront && T < HasSteps.size() && HasSteps[T]) && isOwn(E) &&
           Graph[E].Before.isSubsetOf(Graph.Committed);
  };
  for (bool Behind : {false, true})
    for (EventId E = 0; E < Graph.size(); ++E)
      if (!Named[E] && !Graph.Committed.contains(E) && !isHalfOfUpdate(E) && !Flow.isAbandoned(E) && isEnabled(E) &&
          (Behind ? IsBehind(E) : InFront[E]) && commitSomehow(E, andFollow()))
        return true;
  return false;
}

/// Whether no other thread has come to anything in the same object.
template <unsigned Words> bool Follower<Words>::isOwn(EventId E) const {
  auto ObjectOf = [&](LocationId Location) { return slotOf(Graph.Locations[Location].Where); };
  return std::none_of(Graph.Events.begin(), Graph.Events.end(), [&](const auto &Other) {
    return Other.Location != NoLocation && Other.Thread != Graph[E].Thread &&
           ObjectOf(Other.Location) == ObjectOf(Graph[E].Location);
  });
}

/// Whether a write is what was done for a step.
template <unsigned Words> bool Follower<Words>::isOf(EventId Write, size_t Step) const {
  const EventId Known = Done[Step];
  if (Known == NoEvent)
    return false;
  if (Script.Steps[Step].Whole)
    return Graph[Write].Ends && Graph[Write].Thread == Graph[Known].Thread &&
           Graph[Write].Operation == Graph[Known].Operation;
  return Write == Known || (Graph[Write].isOfPair() && Write - 1 == Known);
}

/// In the next cell of a write: in front of the writes that come behind it by the script.
template <unsigned Words> uint32_t Follower<Words>::positionFor(size_t Step, EventId E) const {
  const GraphScript::Step &S = Script.Steps[Step];
  const LocationId Location = locationOf(E);
  const uint32_t Mine = S.at(Graph.cell(E, Graph[E].Chosen).Offset).Position;
  auto IsBehind = [&](EventId W, size_t K) {
    return K != Step && isOf(W, K) &&
           (S.Whole ? Script.Steps[K].Turn == GraphScript::Step::BehindEnd
                    : Script.Steps[K].at(Graph.cellIn(Location, W).Offset).Position > Mine);
  };
  const auto &Coherence = Graph.Locations[Location].Coherence;
  for (uint32_t At = 0; At < Coherence.size(); ++At) {
    const EventId W = Coherence[At];
    bool Behind = false;
    if (Graph[W].Ends) { // one of many that a step may stand for
      for (size_t K = 0; K < Done.size(); ++K)
        Behind |= IsBehind(W, K);
    } else {
      for (EventId Known : {W, Graph[W].isOfPair() ? W - 1 : W})
        Behind |= Known < StepOf.size() && StepOf[Known] < Done.size() && IsBehind(W, StepOf[Known]);
    }
    if (Behind)
      return At + 1;
  }
  return static_cast<uint32_t>(Coherence.size()) + 1;
}

/// Does a step and goes on. False if it is not possible.
template <unsigned Words> bool Follower<Words>::followStep(size_t Step, const Index &Events) {
  const GraphScript::Step &S = Script.Steps[Step];
  forgetFrom(Graph.size());
  EventId E = find(S, Events);
  if (E == NoEvent)
    return false;
  const EventId Before = std::exchange(Done[Step], E);
  StepOf.resize(std::max<size_t>(StepOf.size(), Graph.size()), ~size_t(0));
  StepOf[E] = Step;
  if (Graph[E].IsWrite) {
    Graph[E].Past = pastOf(commitBefore(E));
    this->extend(E);
  }
  const bool Possible = Graph[E].IsWrite ? followWrite(Step, E) : followRead(Step, E);
  if (!Possible)
    Done[Step] = Before;
  return Possible;
}

/// In the next cell of an access, then in the others.
template <unsigned Words> bool Follower<Words>::followRead(size_t Step, EventId E) {
  const LocationId Location = locationOf(E);
  EventId Source = NoEvent;
  if (const uint32_t From = Script.Steps[Step].at(Graph.cell(E, Graph[E].Chosen).Offset).Source; From != ~0u) {
    Source = Done[From];
    if (Source != NoEvent && Graph[Source].isOfPair() && !Graph[Source].IsWrite)
      ++Source;
    for (EventId W : Graph.Locations[Location].Coherence)
      if (Source != NoEvent && Graph[Source].Ends && Graph[W].Ends)
        Source = W; // of an end the part that is there
    if (Source == NoEvent || !Graph.Writes.contains(Source) || !Graph.accesses(Source, Location))
      return false;
  }
  bool Inner;
  auto Next = cellByCell(hasMore(E), Inner, [&] { return followRead(Step, E); }, andFollow());
  return Graph.positionIn(Location, Source) >= oldestFor(E) && withRead(E, Source, ~0u, Next) && Inner;
}

template <unsigned Words> bool Follower<Words>::followWrite(size_t Step, EventId E) {
  const GraphScript::Step &S = Script.Steps[Step];
  uint32_t Position = positionFor(Step, E);
  const uint32_t Floor = lowestFor(E);
  if (S.Whole) // a thread's own write comes in front of its end all the same
    Position = std::max(Position, Floor + 1);
  bool Inner;
  auto Next = cellByCell(hasMore(E), Inner, [&] { return followWrite(Step, E); }, andFollow());
  return Position > Floor && withWrite(E, Position, Next) && Inner;
}

/// Lets happen what stands, in its thread, in front of something that happened or of a bug: so that what is shown is a
/// part of a complete execution.
template <unsigned Words> void Follower<Words>::complete() {
  if (EventId Next = choose(); Next != NoEvent && Graph[Next].Decides)
    return withOutcome(Next, false, [&] { complete(); });
  restartIfSharingChanged();
  Set InFront;
  if constexpr (Walk::IsLarge)
    InFront = Graph.rowsOf(Graph.Reads | Graph.Writes, EventRow::Before);
  else
    (Graph.Reads | Graph.Writes).forEach([&](EventId E) { InFront |= Graph[E].Before; });
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T)
    if (TheMachine.exists(T) && TheMachine.status(T) == ThreadStatus::Failed) {
      const Set Behind = Flow.bugOf(T) == NoEvent ? Flow.behind(T) : Graph[Flow.bugOf(T)].Before;
      Behind.forEach([&](EventId E) { // not what was fetched behind a division by zero
        if (Graph[E].Thread != T || !Flow.isAbandoned(E))
          InFront.insert(E);
      });
    }
  std::vector<EventId> Left;
  (InFront - Graph.Committed).forEach([&](EventId E) { Left.push_back(E); });
  for (EventId E : Left)
    if (!isHalfOfUpdate(E) && isEnabled(E) && !comesOfBug(E) && commitSomehow(E, [&] { complete(); }))
      return;
  endOfScript();
}

/// Whether an event could not have happened without the bug its thread ended with. Not if that is a write: what comes
/// of it may happen before the memory ends.
template <unsigned Words> bool Follower<Words>::comesOfBug(EventId E) const {
  const EventId Bug = Flow.bugOf(Graph[E].Thread);
  if (Bug == NoEvent || (Graph[Bug].IsWrite && !Graph[Bug].Ends))
    return false;
  return E == Bug || pastOf(commitBefore(E)).contains(Bug);
}

/// Commits with the latest parameter that is possible.
template <unsigned Words>
template <typename Continuation>
bool Follower<Words>::commitSomehow(EventId E, Continuation Then) {
  if (Graph.isLateWrite(E) && leaves(E)) {
    withNothing(E, Then);
    return true;
  }
  if (Graph[E].IsFence) {
    withFence(E, Then);
    return true;
  }
  const std::vector<EventId> Coherence = Graph.Locations[locationOf(E)].Coherence;
  auto End = std::find_if(Coherence.begin(), Coherence.end(), [&](EventId W) { return Graph[W].Ends; });
  bool Inner;
  auto Next = cellByCell(hasMore(E), Inner, [&] { return commitSomehow(E, Then); }, Then);
  // Nothing behind an end, which would be another bug; but for what its thread did there itself.
  if (!Graph[E].IsWrite) {
    const uint32_t Floor = oldestFor(E), Latest = std::max(static_cast<uint32_t>(End - Coherence.begin()), Floor);
    for (uint32_t K = Latest + 1; K-- > Floor;)
      if (const EventId Source = K ? Coherence[K - 1] : NoEvent;
          (Source == NoEvent || !Graph[Source].Ends) && withRead(E, Source, ~0u, Next) && Inner)
        return true;
    return false;
  }
  if (!isHalf(E)) {
    Graph[E].Past = pastOf(commitBefore(E));
    this->extend(E);
  }
  const uint32_t Floor = lowestFor(E);
  const uint32_t Latest =
      Graph.isLateWrite(E) ? Floor : std::max(static_cast<uint32_t>(End - Coherence.begin()), Floor);
  for (uint32_t Position = Latest + 1; Position > Floor; --Position)
    if (withWrite(E, Position, Next) && Inner)
      return true;
  return false;
}

template <unsigned Words> void Follower<Words>::endOfScript() {
  if (TheMachine.bugs().empty()) {
    // Whoever still waits may do so for ever.
    bool AllWait = true;
    for (EventId E = 0; E < Graph.size(); ++E)
      if (!Graph.Committed.contains(E) && !isHalfOfUpdate(E) && isEnabled(E)) {
        AllWait &= Flow.mayWait(E);
        Deferred.push_back({E, ~0u});
      }
    ThreadId Stuck = ~0u;
    bool Superfluous = false;
    if (AllWait)
      ending(Stuck, Superfluous);
  }
  std::vector<bool> WasDone;
  for (EventId E : Done)
    WasDone.push_back(E != NoEvent && !this->hasGaps());
  Then(*this, WasDone);
}

/// Follows with sets of a certain size. False if they turn out to be too small.
template <unsigned Words>
bool followWith(const Program &P, const GraphModel &Model, const MachineOptions &Options, Sharing &Shared,
                const GraphScript &Script, const BugReport *Wanted, const AtEnd &Then) {
  EndingMemory Memory = Script.Known;
  Memory.Changed = false;
  for (;;) {
    const auto Known = Memory.Accessed;
    bool Again = false;
    const AtEnd End = [&](GraphRun &Run, const std::vector<bool> &Done) {
      // If it did not go on, that may be because what ends was not known yet.
      Again = Memory.Accessed != Known && std::find(Done.begin(), Done.end(), false) != Done.end();
      if (!Again)
        Then(Run, Done);
    };
    try {
      Follower<Words>(P, Model, Options, Shared, Memory, Script, Wanted, End).run();
      if (!Again)
        return true;
    } catch (const GraphRestart &) {
    } catch (const GraphFull &) {
      return false;
    } catch (const MachineStop &) {
      if (!Shared.takeChanged())
        throw;
    }
  }
}

} // namespace

void followGraph(const Program &P, const GraphModel &Model, const MachineOptions &Machine, Sharing &Shared,
                 const GraphScript &Script, const BugReport *Wanted, const AtEnd &Then) {
  MachineOptions Options = Machine;
  Options.Speculative = true;
  Options.StopAtFences = false;
  Options.InOrder = false;
  Options.RacesGoOn = false;
  if (!Options.LargeGraphs && (followWith<1>(P, Model, Options, Shared, Script, Wanted, Then) ||
                               followWith<4>(P, Model, Options, Shared, Script, Wanted, Then) ||
                               followWith<16>(P, Model, Options, Shared, Script, Wanted, Then)))
    return;
  onLargeStack(Options.MaxMemoryBytes, [&] { followWith<0>(P, Model, Options, Shared, Script, Wanted, Then); });
}

} // namespace picket
