// What exploring execution graphs and following one of them have in common: a machine out of order, the graph it makes,
// and steps that commit an event, go on, and take everything back.
#pragma once

#include "explore/GraphRun.h"
#include "explore/ReadyEvents.h"
#include "memory/Configuration.h"
#include "memory/OutOfOrder.h"
#include "memory/PowerAxioms.h"

#include <utility>

namespace picket {

/// Thrown when something became shared: what was explored so far must be explored anew.
struct StartOver {};

template <unsigned Words> class GraphWalk : public GraphRun {
public:
  using Set = EventSet<Words>;
  using Graph = ExecutionGraph<Words>;
  using Update = typename OutOfOrder<Words>::Update;

  uint64_t finalRegister(ThreadId T, uint32_t Slot) override { return Flow.finalSlot(T, Slot); }
  uint64_t finalValue(Address Where, unsigned Width) override { return Flow.finalValue(Where, Width); }
  Machine &machine() override { return M; }
  std::vector<GraphAccess> accesses() override;
  std::vector<GraphFact> facts() override;
  const GraphNotes &notes() const override { return Notes; }
  GraphScript script() override;

protected:
  GraphWalk(const Program &P, const GraphModel &Model, const MachineOptions &Options, Sharing &Shared,
            EndingMemory &Memory)
      : Shared(Shared), Memory(Memory), M(P, Shared, Options), Flow(M, G, Model.orders(), Memory),
        Model(Model.axioms<Words>()), WritesLate(Model.orders() == MemoryModel::Power),
        HasC11Orders(Model.orders() == MemoryModel::C11), HasPreferences(Model.orders() == MemoryModel::Armv8) {
    if (this->Model->knowsSections())
      Flow.allowSections();
  }

  /// Starts the machine. False if there is nothing to go on with.
  bool start();

  /// The next event to commit.
  EventId choose();
  uint64_t rankOf(EventId E) const;
  bool isOpen(EventId E) const;
  bool isEnabled(EventId E);
  Set commitBefore(EventId E) const;
  /// Whether the write of an update needs something to be committed that its read does not: they are then committed one
  /// after the other, like a load-reserve and a store-conditional that is to succeed.
  bool writesLate(EventId Read) const;
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
  Set commitBeforeNothing(EventId Write) const { return commitBefore(Write - 1) | G[Write].Control; }
  bool leaves(EventId LateWrite) { return Flow.update(LateWrite - 1, G[LateWrite - 1].Value).Does == Update::Leaves; }

  // How a walk treats coherence. Where nothing else is said a write has a certain position in it.
  static constexpr bool OnlyReadsFrom = false;
  /// The oldest position in coherence that a read may read; the one behind which a write may be put.
  /// Of an access that is split: in its next cell.
  virtual uint32_t oldestFor(EventId Read) const { return coherenceFloor(G, Read, G[Read].Chosen); }
  virtual uint32_t lowestFor(EventId Write) const {
    if (G.isLateWrite(Write))
      return G.latePosition(Write) - 1;
    const uint32_t Floor = coherenceFloor(G, Write, G[Write].Chosen);
    return G.isSplit(Write) ? std::max(Floor, G.positionsLeft(Write).first) : Floor;
  }
  uint32_t lastFor(EventId Write) const {
    if (G.isLateWrite(Write))
      return G.latePosition(Write);
    return G.isSplit(Write) ? G.positionsLeft(Write).second
                            : static_cast<uint32_t>(G.Places[G[Write].Place].Coherence.size()) + 1;
  }
  /// The place that is next: of an access that is split, of its next cell.
  PlaceId placeOf(EventId E) const { return G.cell(E, G[E].Chosen).Place; }
  /// Whether an access is split and has cells left behind the next one. It is committed with the last.
  bool hasMore(EventId E) const { return G.isSplit(E) && G[E].Chosen + 1 < G[E].NumCells; }
  /// Whether a read would be allowed if it were of the chosen cells only: what is broken then stays broken.
  bool allowsChosen(EventId Read);
  /// Whether it is split and half chosen. Nothing depends on it, and no axiom looks at it.
  bool isHalf(EventId E) const { return G[E].Chosen > 0 && !G.Committed.contains(E); }
  /// What a walk needs beside the graph and the machine.
  virtual size_t bytes() const { return bytesOfGraph(); }
  size_t bytesOfGraph() const {
    size_t All = G.bytes() + Flow.bytes();
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
  /// Whether a write that was just committed at a position may be there.
  virtual bool fits(EventId Write) { return G.keepsUpdatesWhole(Write) && Model->allows(G, Write); }

  void startOverIfSurprised();
  /// How a run ended in which nothing is left to be committed. Superfluous: only because somebody was made to wait.
  virtual Ending ending(ThreadId &Stuck, bool &Superfluous);
  Ending endingOfThreads(ThreadId &Stuck, bool &Superfluous);
  /// Whether an operation that waits could go on with something that is there.
  bool canGoOn(EventId Waiting);
  /// Whether a spin loop goes round for ever if nobody writes any more. Looked: where it found what was written last.
  struct Glance {
    uint32_t Pc;
    PlaceId Place;
  };
  bool goesRoundForEver(EventId Load, std::vector<Glance> *Looked = nullptr);
  /// Called before every commit of a read or a write, and in long searches. Work: about how many events were looked at.
  virtual void look(size_t Work) { (void)Work; }

  Sharing &Shared;
  EndingMemory &Memory;
  Graph G;
  Machine M;
  OutOfOrder<Words> Flow;
  std::unique_ptr<Axioms<Words>> Model;
  const bool WritesLate;     // whether updates may
  const bool HasC11Orders;   // fences are events, and a compare-and-swap that fails has an order of its own
  const bool HasPreferences; // whether the axioms prefer some order of commits
  /// Committed, in order; an update that does not write late is named by its read, what is split once for each cell.
  std::vector<EventId> Run;
  std::vector<EventId> Half; // accesses that are split, once for each cell that is chosen before the last
  uint32_t NumHalf = 0;      // those among them that are half chosen now
  Set LeftOut;               // store-conditionals that are not committed in this part of the exploration
  /// Loads that wait for ever in this part of the exploration; and a number that the explorer gave them.
  std::vector<std::pair<EventId, uint32_t>> Deferred;
  GraphNotes Notes;
  struct NoReadyEvents {};
  [[no_unique_address]] std::conditional_t<Graph::IsLarge, ReadyEvents, NoReadyEvents> Ready;

  static constexpr bool IsLarge = Graph::IsLarge;
  /// Whatever is learned in its lifetime is forgotten at its end. By then the run must be what it was.
  class Scope {
  public:
    explicit Scope(GraphWalk &Walk) : Walk(Walk), Sets(Walk.G) {
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
    typename Graph::Scope Sets;
    [[no_unique_address]] std::conditional_t<IsLarge, ReadyEvents::Mark, Nothing> Before;
  };

private:
  bool mayWriteLate(EventId Read) const;
  template <typename Continuation> void withHalf(EventId E, Continuation Then);
  bool advance();
  EventId chooseReady();
  void lookAt(EventId E);
  EventId nextWaitOf(ThreadId T);
  bool lookForBugs(EventId Committed);
  bool lookForEnds(EventId Committed);
  bool lookForRaces(EventId Committed);
  bool placeUpdate(EventId Read, EventId Source, Update &Done);
};

/// Goes on from an access one more of whose cells was chosen, but not the last.
template <unsigned Words>
template <typename Continuation>
void GraphWalk<Words>::withHalf(EventId E, Continuation Then) {
  const bool First = G[E].Chosen == 1;
  Half.push_back(E);
  Run.push_back(E);
  NumHalf += First;
  Then();
  NumHalf -= First;
  Run.pop_back();
  Half.pop_back();
}

template <unsigned Words>
template <typename Continuation>
bool GraphWalk<Words>::withRead(EventId E, EventId Source, uint32_t Home, Continuation Then) {
  look(G.size());
  Scope Here(*this);
  auto Before = Flow.mark();
  if (G.isSplit(E)) {
    if (!G.agrees(E, Source))
      return false;
    G.cell(E, G[E].Chosen).Home = Home;
    if (hasMore(E)) {
      G.choose(E, Source);
      const bool Accepted = allowsChosen(E);
      if (Accepted)
        withHalf(E, Then);
      Flow.undoTo(Before);
      --G[E].Chosen;
      return Accepted;
    }
  }
  const bool WasHalf = isHalf(E);
  G[E].Past = pastOf(E, Source);
  G[E].Home = Home;
  G[E].Alone = G[E].OfUpdate && writesLate(E);
  Update Done;
  if (!place(E, Source, Done)) {
    G[E].Alone = false;
    return false;
  }
  if (!lookForBugs(E) && G.lastWith(E) != E)
    Flow.noteUpdate(E, Done);
  Run.push_back(E);
  NumHalf -= WasHalf;
  const bool Accepted = advance();
  if (Accepted)
    Then();
  NumHalf += WasHalf;
  Run.pop_back();
  Flow.undoTo(Before);
  takeBack(E);
  G[E].Alone = false;
  return Accepted;
}

template <unsigned Words>
template <typename Continuation>
bool GraphWalk<Words>::withWrite(EventId E, uint32_t Position, Continuation Then) {
  look(G.size());
  Scope Here(*this);
  auto Before = Flow.mark();
  const bool WasHalf = isHalf(E);
  if (G.isSplit(E)) {
    if (Position <= lowestFor(E) || Position > lastFor(E))
      return false;
    if (auto [Low, High] = G.positionsLeft(E); Position <= Low || Position > High) // of a late write
      return false;
    const bool More = hasMore(E);
    G.cell(E, G[E].Chosen++).Position = Position;
    if (More) {
      withHalf(E, Then);
      Flow.undoTo(Before);
      --G[E].Chosen;
      return true;
    }
  }
  Update Done;
  if (G[E].OfUpdate)
    Done = Flow.update(E - 1, G[E - 1].Value);
  G[E].Value = G[E].OfUpdate ? Done.Value : Flow.valueOf(E);
  G[E].Home = ~0u;
  if (G.isSplit(E))
    Flow.divide(E);
  G.commitWrite(E, Position);
  bool Accepted = fits(E);
  if (Accepted) {
    if (!lookForBugs(E) && G[E].OfUpdate)
      Flow.noteUpdate(E - 1, Done);
    Run.push_back(E);
    NumHalf -= WasHalf;
    Accepted = advance();
    if (Accepted)
      Then();
    NumHalf += WasHalf;
    Run.pop_back();
    Flow.undoTo(Before);
  }
  G.uncommitWrite(E);
  G[E].Chosen -= G.isSplit(E);
  return Accepted;
}

template <unsigned Words>
template <typename Continuation>
void GraphWalk<Words>::withOutcome(EventId E, bool Succeeds, Continuation Then) {
  Scope Here(*this);
  auto Before = Flow.mark();
  G[E].Past = pastOf(commitBefore(E));
  G.commitVoid(E);
  Flow.noteOutcome(E, Succeeds);
  Run.push_back(E);
  if (advance())
    Then();
  Run.pop_back();
  Flow.undoTo(Before);
  G.uncommitVoid(E);
}

template <unsigned Words>
template <typename Continuation>
void GraphWalk<Words>::withFence(EventId E, Continuation Then) {
  Scope Here(*this);
  auto Before = Flow.mark();
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  G.commitFence(E);
  Run.push_back(E);
  if (advance())
    Then();
  Run.pop_back();
  Flow.undoTo(Before);
  G.uncommitFence(E);
}

template <unsigned Words>
template <typename Continuation>
void GraphWalk<Words>::withNothing(EventId Write, Continuation Then) {
  Scope Here(*this);
  auto Before = Flow.mark();
  G[Write].Past = pastOf(commitBeforeNothing(Write));
  G[Write].Home = ~0u;
  G.commitVoid(Write);
  Flow.noteUpdate(Write - 1, Flow.update(Write - 1, G[Write - 1].Value));
  Run.push_back(Write);
  if (advance())
    Then();
  Run.pop_back();
  Flow.undoTo(Before);
  G.uncommitVoid(Write);
}

} // namespace picket
