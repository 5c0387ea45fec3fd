// A walk through the runs on execution graphs: a machine out of order, the graph it makes, and steps that commit an
// event, go on, and take everything back. The explorer (RsmcWorker) and the replay of one run (GraphFollow) are such
// walks.
//
// It is large because it offers both of them every kind of step, and answers as a GraphRun what observers ask. Its
// members are in a file per subject: GraphWalk.cpp (committing), GraphEnding.h (how a run ends) and GraphFacts.h (what
// is told of it).
#pragma once

#include "explore/GraphRun.h"
#include "explore/ReadyEvents.h"
#include "memory/Configuration.h"
#include "memory/FetchedEvents.h"
#include "memory/PowerAxioms.h"

#include <cassert>
#include <exception>
#include <set>
#include <utility>

namespace picket {

/// Thrown when it turns out that something is shared: what was explored so far must be explored anew.
struct GraphRestart {};

template <unsigned Words> class GraphWalk : public GraphRun {
public:
  using Set = EventSet<Words>;
  using GraphType = ExecutionGraph<Words>;
  using Update = typename FetchedEvents<Words>::Update;

  uint64_t finalRegister(ThreadId T, uint32_t Slot) override { return Flow.finalSlot(T, Slot); }
  uint64_t finalValue(Address Where, unsigned Width) override { return Flow.finalValue(Where, Width); }
  Machine &machine() override { return TheMachine; }
  std::vector<GraphAccess> accesses() override;
  std::vector<GraphFact> facts() override;
  const GraphNotes &notes() const override { return Notes; }
  GraphScript script() override;
  std::vector<GraphRace> races() override;

protected:
  GraphWalk(const Program &P, const GraphModel &Model, const MachineOptions &Options, Sharing &Shared,
            EndingMemory &Memory)
      : Shared(Shared), Memory(Memory), TheMachine(P, Shared, Options), Flow(TheMachine, Graph, Model.orders(), Memory),
        Model(Model.axioms<Words>()),
        WritesLate(Model.orders() == MemoryModel::Power || Model.orders() == MemoryModel::Armv8),
        HasC11Orders(Model.orders() == MemoryModel::C11), HasPreferences(Model.orders() == MemoryModel::Armv8),
        KeepsCoherence(this->Model->keepsCoherence()), InOrder(Options.InOrder) {
    if constexpr (IsLarge)
      Graph.Large.KeepsMoreOrder = HasPreferences;
    if (this->Model->knowsSections())
      Flow.allowSections();
    Graph.KeepsBarriers = this->Model->readsBarriers();
    Graph.UpdatesAreSingle = P.Arm.Updates == ArmUpdates::Single;
  }

  /// Starts the machine. False if there is nothing to go on with.
  bool start();

  /// The next event to commit.
  EventId choose();
  /// Notes of an event that is being committed what the axioms need later.
  void extend(EventId E) {
    if (HasPreferences) // which accesses of its thread overlap it
      Graph[E].Before.forEach([this](EventId Earlier) { Flow.locate(Earlier); });
    Model->extend(Graph, E);
  }
  uint64_t rankOf(EventId E) const;
  bool isOpen(EventId E) const;
  bool isEnabled(EventId E);
  Set commitBefore(EventId E) const;
  /// Whether the write of an update needs something to be committed that its read does not: they are then committed one
  /// after the other, like a load-reserve and a store-conditional that is to succeed.
  bool writesLate(EventId Read) const;
  /// ARM64: whether something is not committed although its thread has committed what comes after it. There may be no
  /// place left for it, and what was come to may be nothing.
  bool hasGaps() const;
  Set pastOf(const Set &Direct) const;
  /// Commit-before of a read whose sources are chosen, but for that of the last cell.
  Set pastOf(EventId Read, EventId LastSource) const;

  /// Commits E, calls Then, and takes everything back. False if the axioms, or what E waits for, reject the parameter.
  template <typename Continuation> bool withRead(EventId E, EventId Source, uint32_t Home, Continuation Then);
  template <typename Continuation> bool withWrite(EventId E, uint32_t Position, Continuation Then);
  template <typename Continuation> void withOutcome(EventId E, bool Succeeds, Continuation Then);
  template <typename Continuation> void withFence(EventId E, Continuation Then);
  /// The same for the late write of an update that leaves things as they are.
  template <typename Continuation> void withNothing(EventId Write, Continuation Then);
  /// Its commit-before: what it would have written does not matter.
  Set commitBeforeNothing(EventId Write) const {
    Set Before = commitBefore(Write - 1) | Graph[Write].Control;
    Before.insert(Write - 1);
    return Before;
  }
  bool leaves(EventId LateWrite) {
    return Flow.update(LateWrite - 1, Graph[LateWrite - 1].Value).Does == Update::Leaves;
  }

  /// What to do once the next cell of an access is chosen: go on with the cell behind it (`More`), or, after the last,
  /// do `Then`. `Possible` becomes whether the rest was possible.
  template <typename NextCell, typename Continuation>
  static auto cellByCell(bool More, bool &Possible, NextCell Next, Continuation Then) {
    Possible = !More;
    return [=, &Possible] {
      if (More)
        Possible = Next();
      else
        Then();
    };
  }

  // How a walk treats coherence. Where nothing else is said a write has a certain position in it.
  static constexpr bool OnlyReadsFrom = false;
  /// The oldest position in coherence that a read may read; the one behind which a write may be put.
  /// Of an access that is split: in its next cell.
  virtual uint32_t oldestFor(EventId Read) const { return floorFor(Read); }
  virtual uint32_t lowestFor(EventId Write) const {
    if (Graph.hasOnePosition(Write))
      return Graph.latePosition(Write) - 1;
    const uint32_t Floor = floorFor(Write);
    return Graph.isSplit(Write) ? std::max(Floor, Graph.positionsLeft(Write).first) : Floor;
  }
  uint32_t floorFor(EventId E) const { return KeepsCoherence ? coherenceFloor(Graph, E, Graph[E].Chosen) : 0; }
  uint32_t lastFor(EventId Write) const {
    if (Graph.hasOnePosition(Write))
      return Graph.latePosition(Write);
    return Graph.isSplit(Write) ? Graph.positionsLeft(Write).second
                                : static_cast<uint32_t>(Graph.Locations[Graph[Write].Location].Coherence.size()) + 1;
  }
  /// The memory location that is next: of an access that is split, of its next cell.
  LocationId locationOf(EventId E) const { return Graph.cell(E, Graph[E].Chosen).Location; }
  /// Whether an access is split and has cells left behind the next one. It is committed with the last.
  bool hasMore(EventId E) const { return Graph.isSplit(E) && Graph[E].Chosen + 1 < Graph[E].NumCells; }
  /// Whether a read would be allowed if it were of the chosen cells only: what is broken then stays broken.
  bool allowsChosen(EventId Read);
  /// Whether it is split and half chosen. Nothing depends on it, and no axiom reads it.
  bool isHalf(EventId E) const { return Graph[E].Chosen > 0 && !Graph.Committed.contains(E); }
  /// What a walk needs beside the graph and the machine.
  virtual size_t bytes() const { return bytesOfGraph(); }
  size_t bytesOfGraph() const {
    size_t All = Graph.bytes() + Flow.bytes();
    if constexpr (IsLarge)
      All += Ready.bytes();
    return All;
  }
  /// Commits a read, and the write of an update behind it. False, and nothing has changed, if the axioms, or what it
  /// waits for, reject that.
  virtual bool place(EventId Read, EventId Source, Update &Done);
  /// Commits the write of an update whose read is committed, behind what that reads, whatever the axioms say. False,
  /// and nothing has changed, if it waits.
  bool commitUpdate(EventId Read, EventId Source, Update &Done);
  void takeBack(EventId Read);
  /// Whether a data race is one that counts.
  virtual bool isRace(EventId First, EventId Second) const {
    return !KnownRaces.count({Graph[First].Pc, Graph[Second].Pc}) && !Flow.isRaceBenign(First) &&
           !Flow.isRaceBenign(Second);
  }
  /// To be called when the observer was told: what it knows is not looked for any more, where races do not end a run.
  void racesAreTold() {
    for (auto [First, Second] : Races)
      if (TheMachine.options().RacesGoOn)
        KnownRaces.insert({{Graph[First].Pc, Graph[Second].Pc}, {Graph[Second].Pc, Graph[First].Pc}});
  }
  /// Called where a run with data races goes no further, and nobody is told of its end: what is explored elsewhere
  /// may have read something else.
  virtual void racesInVain() {}
  GraphScript::Name nameOfEvent(EventId E) const { return {Graph[E].Thread, Graph[E].Operation, Graph[E].Part}; }

  /// Whether a write that was just committed at a position may be there.
  virtual bool fits(EventId Write) { return Graph.keepsUpdatesWhole(Write) && Model->allows(Graph, Write); }

  void restartIfSharingChanged();
  /// How a run ended in which nothing is left to be committed. Superfluous: only because somebody was made to wait.
  virtual Ending ending(ThreadId &Stuck, bool &Superfluous);
  Ending endingOfThreads(ThreadId &Stuck, bool &Superfluous);
  /// Whether an operation that waits could go on with something that is there.
  bool canGoOn(EventId Waiting);
  /// A load of a spin loop that read what was written last.
  struct SpinRead {
    uint32_t Pc;
    LocationId Location;
  };
  /// Whether a spin loop goes round for ever if nobody writes any more. SpinReads: its loads on the way.
  bool spinsForEver(EventId Load, std::vector<SpinRead> *SpinReads = nullptr);
  /// Called before every commit of a read or a write, and in long searches, so that limits are checked now and then.
  /// Work: about how many events were visited.
  virtual void countWork(size_t Work) { (void)Work; }

  Sharing &Shared;
  EndingMemory &Memory;
  GraphType Graph;
  Machine TheMachine;
  FetchedEvents<Words> Flow;
  std::unique_ptr<Axioms<Words>> Model;
  const bool WritesLate;     // whether updates may
  const bool HasC11Orders;   // fences are events, and a compare-and-swap that fails has an order of its own
  const bool HasPreferences; // whether the axioms prefer some order of commits
  const bool KeepsCoherence; // whether SC per location is kept, whatever the axioms say
  const bool InOrder;        // whether threads wait for what they read: the next of each is all that can be committed
  /// Committed, in order; an update that does not write late is named by its read, what is split once for each cell.
  std::vector<EventId> Run;
  std::vector<EventId> Half; // accesses that are split, once for each cell that is chosen before the last
  uint32_t NumHalf = 0;      // those among them that are half chosen now
  std::vector<std::pair<EventId, EventId>> Races;     // in the run, each with the access that came later last
  std::set<std::pair<uint32_t, uint32_t>> KnownRaces; // by instructions
  Set LeftOut; // store-conditionals that are not committed in this part of the exploration
  /// Loads that wait for ever in this part of the exploration; and a number that the explorer gave them.
  std::vector<std::pair<EventId, uint32_t>> Deferred;
  GraphNotes Notes;
  struct NoReadyEvents {};
  [[no_unique_address]] std::conditional_t<GraphType::IsLarge, ReadyEvents, NoReadyEvents> Ready;

  static constexpr bool IsLarge = GraphType::IsLarge;
  /// Whatever is learned in its lifetime is forgotten at its end. By then the run must be what it was.
  class Scope {
  public:
    explicit Scope(GraphWalk &Walk) : Walk(Walk), Sets(Walk.Graph) {
      if constexpr (IsLarge)
        Before = Walk.Ready.mark();
    }
    ~Scope() {
      if constexpr (IsLarge)
        Walk.Ready.undoTo(Before);
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    struct Nothing {};
    [[maybe_unused]] GraphWalk &Walk;
    typename GraphType::Scope Sets;
    [[no_unique_address]] std::conditional_t<IsLarge, ReadyEvents::Mark, Nothing> Before;
  };
  /// The scope of a step, all of whose changes are taken back in it: a set that stays changed would be left with nodes
  /// that are given back. Not where an exception passes, which ends the exploration.
#ifdef NDEBUG
  using StepScope = Scope;
#else
  class StepScope {
  public:
    explicit StepScope(GraphWalk &Walk)
        : Walk(Walk), Here(Walk), Changes(Walk.TheMachine.undo().mark()), Exceptions(std::uncaught_exceptions()) {}
    ~StepScope() {
      assert((Walk.TheMachine.undo().mark() == Changes || std::uncaught_exceptions() > Exceptions) &&
             "the step has been taken back");
    }
    StepScope(const StepScope &) = delete;
    StepScope &operator=(const StepScope &) = delete;

  private:
    GraphWalk &Walk;
    Scope Here;
    const UndoLog::Mark Changes;
    const int Exceptions;
  };
#endif

private:
  bool mayWriteLate(EventId Read) const;
  template <typename Continuation> bool goOn(EventId E, typename FetchedEvents<Words>::Mark Before, Continuation Then);
  template <typename Continuation> void withHalf(EventId E, Continuation Then);
  bool advance();
  EventId chooseReady();
  void checkReady(EventId E);
  EventId nextWaitOf(ThreadId T);
  bool findBugs(EventId Committed);
  bool findUsesAfterEnd(EventId Committed);
  bool findDataRace(EventId Committed);
  bool placeUpdate(EventId Read, EventId Source, Update &Done);
};

/// Goes on from what was just committed, or chosen, and takes back what comes of that.
template <unsigned Words>
template <typename Continuation>
bool GraphWalk<Words>::goOn(EventId E, typename FetchedEvents<Words>::Mark Before, Continuation Then) {
  Run.push_back(E);
  const bool Accepted = advance();
  if (Accepted)
    Then();
  else if (!Races.empty())
    racesInVain();
  assert(Run.back() == E && "what came after has been taken back");
  Run.pop_back();
  Flow.undoTo(Before);
  return Accepted;
}

/// Goes on from an access one more of whose cells was chosen, but not the last.
template <unsigned Words>
template <typename Continuation>
void GraphWalk<Words>::withHalf(EventId E, Continuation Then) {
  const bool First = Graph[E].Chosen == 1;
  Half.push_back(E);
  Run.push_back(E);
  NumHalf += First;
  Then();
  NumHalf -= First;
  assert(Run.back() == E && Half.back() == E);
  Run.pop_back();
  Half.pop_back();
}

template <unsigned Words>
template <typename Continuation>
bool GraphWalk<Words>::withRead(EventId E, EventId Source, uint32_t Home, Continuation Then) {
  assert(!Graph[E].IsWrite && !Graph.Committed.contains(E));
  countWork(Graph.size());
  StepScope Here(*this);
  auto Before = Flow.mark();
  if (Graph.isSplit(E)) {
    if (!Graph.agrees(E, Source))
      return false;
    Graph.cell(E, Graph[E].Chosen).Home = Home;
    if (hasMore(E)) {
      Graph.choose(E, Source);
      const bool Accepted = allowsChosen(E);
      if (Accepted)
        withHalf(E, Then);
      Flow.undoTo(Before);
      --Graph[E].Chosen;
      return Accepted;
    }
  }
  const bool WasHalf = isHalf(E);
  Graph[E].Past = pastOf(E, Source);
  Graph[E].Home = Home;
  Graph[E].Alone = Graph[E].OfUpdate && writesLate(E);
  Update Done;
  if (!place(E, Source, Done)) {
    Flow.undoTo(Before); // earlier accesses may have been located
    Graph[E].Alone = false;
    return false;
  }
  const size_t NumRaces = Races.size();
  if (!findBugs(E) && Graph.lastWith(E) != E)
    Flow.noteUpdate(E, Done);
  NumHalf -= WasHalf;
  const bool Accepted = goOn(E, Before, Then);
  NumHalf += WasHalf;
  Races.resize(NumRaces);
  takeBack(E);
  Graph[E].Alone = false;
  return Accepted;
}

template <unsigned Words>
template <typename Continuation>
bool GraphWalk<Words>::withWrite(EventId E, uint32_t Position, Continuation Then) {
  assert(Graph[E].IsWrite && !Graph.Committed.contains(E));
  countWork(Graph.size());
  StepScope Here(*this);
  auto Before = Flow.mark();
  const bool WasHalf = isHalf(E);
  if (Graph.isSplit(E)) {
    if (Position <= lowestFor(E) || Position > lastFor(E))
      return false;
    if (auto [Low, High] = Graph.positionsLeft(E); Position <= Low || Position > High) // of a late write
      return false;
    const bool More = hasMore(E);
    Graph.cell(E, Graph[E].Chosen++).Position = Position;
    if (More) {
      withHalf(E, Then);
      Flow.undoTo(Before);
      --Graph[E].Chosen;
      return true;
    }
  }
  Update Done;
  if (Graph[E].OfUpdate)
    Done = Flow.update(E - 1, Graph[E - 1].Value);
  Graph[E].Value = Graph[E].OfUpdate ? Done.Value : Flow.valueOf(E);
  Graph[E].Home = ~0u;
  if (Graph.isSplit(E))
    Flow.divide(E);
  assert(Graph.isSplit(E) || (Position >= 1 && Position <= Graph.Locations[Graph[E].Location].Coherence.size() + 1));
  Graph.commitWrite(E, Position);
  assert(Graph.isSplit(E) || Graph.positionIn(Graph[E].Location, E) == Position);
  bool Accepted = fits(E);
  if (Accepted) {
    const size_t NumRaces = Races.size();
    if (!findBugs(E) && Graph[E].OfUpdate)
      Flow.noteUpdate(E - 1, Done);
    NumHalf -= WasHalf;
    Accepted = goOn(E, Before, Then);
    NumHalf += WasHalf;
    Races.resize(NumRaces);
  }
  Graph.uncommitWrite(E);
  Graph[E].Chosen -= Graph.isSplit(E);
  return Accepted;
}

template <unsigned Words>
template <typename Continuation>
void GraphWalk<Words>::withOutcome(EventId E, bool Succeeds, Continuation Then) {
  StepScope Here(*this);
  auto Before = Flow.mark();
  Graph[E].Past = pastOf(commitBefore(E));
  Graph.commitVoid(E);
  Flow.noteOutcome(E, Succeeds);
  goOn(E, Before, Then);
  Graph.uncommitVoid(E);
}

template <unsigned Words>
template <typename Continuation>
void GraphWalk<Words>::withFence(EventId E, Continuation Then) {
  StepScope Here(*this);
  auto Before = Flow.mark();
  Graph[E].Past = pastOf(commitBefore(E));
  extend(E);
  Graph.commitFence(E);
  goOn(E, Before, Then);
  Graph.uncommitFence(E);
}

template <unsigned Words>
template <typename Continuation>
void GraphWalk<Words>::withNothing(EventId Write, Continuation Then) {
  StepScope Here(*this);
  auto Before = Flow.mark();
  Graph[Write].Past = pastOf(commitBeforeNothing(Write));
  Graph[Write].Home = ~0u;
  Graph.commitVoid(Write);
  Flow.noteUpdate(Write - 1, Flow.update(Write - 1, Graph[Write - 1].Value));
  goOn(Write, Before, Then);
  Graph.uncommitVoid(Write);
}

} // namespace picket
