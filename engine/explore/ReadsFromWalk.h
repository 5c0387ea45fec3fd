// A walk through runs that count as the same if reads-from is the same, under SC, TSO and PSO. The graph has some
// coherence order with which it is allowed, so that observers see an execution. A write comes last in it, which is
// always possible; a read that does not go with the order makes the walk search for another one. That need not be taken
// back: what is left of a graph when its last event is taken out is allowed with the same order. Where a property
// depends on coherence, the walk throws a GraphStop.
#pragma once

#include "explore/GraphWalk.h"
#include "memory/CoherenceSearch.h"

namespace picket {

template <unsigned Words> class ReadsFromWalk : public GraphWalk<Words> {
public:
  std::vector<GraphEffect> effectsBefore(const BugReport &Bug) override;

protected:
  using Walk = GraphWalk<Words>;
  using typename Walk::Set;
  using typename Walk::Update;
  using Walk::Graph, Walk::TheMachine, Walk::Flow, Walk::Model, Walk::Run, Walk::Deferred;
  using Pairs = typename CoherenceSearch<Words>::Pairs;

  ReadsFromWalk(const Program &P, const GraphModel &Model, const MachineOptions &Options, Sharing &Shared,
                EndingMemory &Memory)
      : Walk(P, Model, Options, Shared, Memory), OwnReadsWait(Model.orders() == MemoryModel::SC),
        Search(Graph, OwnReadsWait, [this](size_t Work) { this->countWork(Work); }) {}

  static constexpr bool OnlyReadsFrom = true;
  /// Every source is tried, and the last position stands for all.
  uint32_t oldestFor(EventId) const override { return 0; }
  uint32_t lowestFor(EventId Write) const override { return this->lastFor(Write) - 1; }
  size_t bytes() const override { return Search.bytes(); }
  bool place(EventId Read, EventId Source, Update &Done) override;
  bool fits(EventId Write) override;
  /// Leaves a coherence order that shows why the run ended as it did.
  Ending ending(ThreadId &Stuck, bool &Superfluous) override;
  /// Whether a thread was made to wait that need not, whatever coherence is: the runs in which it goes on are others.
  bool waitsInVain();
  /// To be called at the end of a run that counts: one that has loops going round for ever. With several loads in such
  /// a loop there would be a run for each that it can stand in front of.
  void refuseLoopsOfSeveralLoads();

private:
  bool arrange(const Pairs &Given, EventId New = NoEvent);
  bool isAllowed(EventId Read) const;
  EventSet<Words> surelyBefore(EventId E) const;
  void checkLifetime(EventId E);
  bool spinWith(std::vector<LocationId> &Decided, Pairs &Last);
  EventSet<Words> before(EventId E) const;

  const bool OwnReadsWait; // a read of the thread's own store comes after that has reached memory
  CoherenceSearch<Words> Search;
};

} // namespace picket
