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
        Model(Model.axioms<Words>()) {}

  /// Starts the machine. False if there is nothing to go on with.
  bool start();

  /// The next event to commit.
  EventId choose();
  uint64_t rankOf(EventId E) const;
  bool isOpen(EventId E) const;
  bool isEnabled(EventId E);
  Set commitBefore(EventId E) const;
  Set pastOf(const Set &Direct) const;

  /// Commits E, calls Then, and takes everything back. False if the axioms, or what E waits for, reject the parameter.
  template <typename Continuation> bool withRead(EventId E, EventId Source, uint32_t Home, Continuation Then);
  template <typename Continuation> bool withWrite(EventId E, uint32_t Position, Continuation Then);
  template <typename Continuation> void withOutcome(EventId E, bool Succeeds, Continuation Then);

  // How a walk treats coherence. Where nothing else is said a write has a certain position in it.
  using Update = typename OutOfOrder<Words>::Update;
  static constexpr bool OnlyReadsFrom = false;
  /// The oldest position in coherence that a read may read; the one behind which a write may be put.
  virtual uint32_t oldestFor(EventId Read) const { return coherenceFloor(G, Read); }
  virtual uint32_t lowestFor(EventId Write) const { return coherenceFloor(G, Write); }
  uint32_t lastFor(EventId Write) const { return static_cast<uint32_t>(G.Places[G[Write].Place].Coherence.size()) + 1; }
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
  std::vector<EventId> Run; // committed, in order; an update is named by its read
  Set LeftOut;              // store-conditionals that are not committed in this part of the exploration
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
  bool advance();
  EventId chooseReady();
  void lookAt(EventId E);
  EventId nextWaitOf(ThreadId T);
  bool lookForEnds(EventId Committed);
  bool placeUpdate(EventId Read, EventId Source, Update &Done);
};

template <unsigned Words>
template <typename Continuation>
bool GraphWalk<Words>::withRead(EventId E, EventId Source, uint32_t Home, Continuation Then) {
  look(G.size());
  Scope Here(*this);
  auto Before = Flow.mark();
  Set Direct = commitBefore(E);
  if (Source != NoEvent)
    Direct.insert(Source);
  G[E].Past = pastOf(Direct);
  G[E].Home = Home;
  Update Done;
  if (!place(E, Source, Done))
    return false;
  if (!lookForEnds(E) && G[E].OfUpdate)
    Flow.noteUpdate(E, Done);
  Run.push_back(E);
  const bool Accepted = advance();
  if (Accepted)
    Then();
  Run.pop_back();
  Flow.undoTo(Before);
  takeBack(E);
  return Accepted;
}

template <unsigned Words>
template <typename Continuation>
bool GraphWalk<Words>::withWrite(EventId E, uint32_t Position, Continuation Then) {
  look(G.size());
  Scope Here(*this);
  auto Before = Flow.mark();
  G[E].Value = Flow.valueOf(E);
  G[E].Home = ~0u;
  G.commitWrite(E, Position);
  bool Accepted = fits(E);
  if (Accepted) {
    lookForEnds(E);
    Run.push_back(E);
    Accepted = advance();
    if (Accepted)
      Then();
    Run.pop_back();
    Flow.undoTo(Before);
  }
  G.uncommitWrite(E);
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

} // namespace picket
