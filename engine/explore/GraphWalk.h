// What exploring execution graphs and following one of them have in common: a machine out of order, the graph it makes,
// and steps that commit an event, go on, and take everything back.
#pragma once

#include "explore/GraphRun.h"
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
        Model(Model.axioms<Words>()), SplitsUpdates(Model.orders() == AxiomaticModel::Power) {}

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
  bool isSplit(EventId Read) const;
  Set pastOf(const Set &Direct) const;

  /// Commits E, calls Then, and takes everything back. False if the axioms, or what E waits for, reject the parameter.
  template <typename Continuation> bool withRead(EventId E, EventId Source, uint32_t Home, Continuation Then);
  template <typename Continuation> bool withWrite(EventId E, uint32_t Position, Continuation Then);
  template <typename Continuation> void withOutcome(EventId E, bool Succeeds, Continuation Then);
  /// The same for the write of an update that was split and leaves things as they are.
  template <typename Continuation> void withNothing(EventId Write, Continuation Then);
  bool leaves(EventId LateWrite) { return Flow.update(LateWrite - 1, G[LateWrite - 1].Value).Does == Update::Leaves; }

  // How a walk treats coherence. Where nothing else is said a write has a certain position in it.
  using Update = typename OutOfOrder<Words>::Update;
  static constexpr bool OnlyReadsFrom = false;
  /// The oldest position in coherence that a read may read; the one behind which a write may be put.
  virtual uint32_t oldestFor(EventId Read) const { return coherenceFloor(G, Read); }
  virtual uint32_t lowestFor(EventId Write) const { return coherenceFloor(G, Write); }
  uint32_t lastFor(EventId Write) const { return static_cast<uint32_t>(G.Places[G[Write].Place].Coherence.size()) + 1; }
  /// What a walk needs beside the graph and the machine.
  virtual size_t bytes() const { return 0; }
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
  const bool SplitsUpdates;
  std::vector<EventId> Run; // committed, in order; an update that is not split is named by its read
  Set LeftOut;              // store-conditionals that are not committed in this part of the exploration
  /// Loads that wait for ever in this part of the exploration; and a number that the explorer gave them.
  std::vector<std::pair<EventId, uint32_t>> Deferred;
  GraphNotes Notes;

private:
  bool maySplit(EventId Read) const;
  bool advance();
  bool lookForEnds(EventId Committed);
  bool placeUpdate(EventId Read, EventId Source, Update &Done);
};

template <unsigned Words>
template <typename Continuation>
bool GraphWalk<Words>::withRead(EventId E, EventId Source, uint32_t Home, Continuation Then) {
  look(G.size());
  auto Before = Flow.mark();
  Set Direct = commitBefore(E);
  if (Source != NoEvent)
    Direct.insert(Source);
  G[E].Past = pastOf(Direct);
  G[E].Home = Home;
  G[E].Alone = G[E].OfUpdate && isSplit(E);
  Update Done;
  if (!place(E, Source, Done)) {
    G[E].Alone = false;
    return false;
  }
  if (!lookForEnds(E) && G.lastWith(E) != E)
    Flow.noteUpdate(E, Done);
  Run.push_back(E);
  const bool Accepted = advance();
  if (Accepted)
    Then();
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
  auto Before = Flow.mark();
  Update Done;
  if (G[E].OfUpdate)
    Done = Flow.update(E - 1, G[E - 1].Value);
  G[E].Value = G[E].OfUpdate ? Done.Value : Flow.valueOf(E);
  G[E].Home = ~0u;
  G.commitWrite(E, Position);
  bool Accepted = fits(E);
  if (Accepted) {
    if (!lookForEnds(E) && G[E].OfUpdate)
      Flow.noteUpdate(E - 1, Done);
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
void GraphWalk<Words>::withNothing(EventId Write, Continuation Then) {
  auto Before = Flow.mark();
  G[Write].Past = pastOf(commitBefore(Write));
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
