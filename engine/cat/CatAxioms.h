// A model that is given as text as axioms over execution graphs. It makes the sets and relations that the text begins with
// of the graph, and evaluates the text on them.
#pragma once

#include "cat/CatEvaluation.h"
#include "cat/CatModel.h"

namespace picket::cat {

template <unsigned Words> class CatAxioms final : public Axioms<Words> {
public:
  using Graph = ExecutionGraph<Words>;
  using Set = EventSet<Words>;

  CatAxioms(std::shared_ptr<const Model> Text, bool MainOnlyStarts);

  Set commitBefore(const Graph &G, EventId E) const override;
  void extend(Graph &G, EventId E) const override;
  bool allows(const Graph &G, EventId E) const override;
  bool allowsWhole(const Graph &G, bool Complete) const override;
  bool judgesAtEnd() const override { return !Text->isStepwise() || Text->hasOthers(); }
  bool keepsCoherence() const override { return Text->isStepwise(); }
  bool readsBarriers() const override { return true; }

private:
  using Checks = std::vector<const Check *>;

  void updateOrder(const Graph &G) const;
  bool isSame(const Graph &G) const;
  bool holds(const Graph &G, Evaluation &Of, const Checks &All) const;
  bool holdsWith(const Graph &G, const Set &Expected, Evaluation &Of, const Checks &All) const;
  void noteFlags() const;

  std::shared_ptr<const Model> Text;
  const bool MainOnlyStarts;
  // What was evaluated last; each worker has its own.
  mutable Evaluation AtSteps, AtEnd, Order;
  mutable EventTable Events;
  /// Of what has been fetched, what commit-before is made of.
  struct Fetched {
    uint32_t Thread, Pc;
    LocationId Location;
    bool Void;
    Set Address, Data, Control, Sync;
    bool operator==(const Fetched &) const = default;
  };
  mutable std::vector<Fetched> Known;
  mutable std::vector<std::tuple<uint32_t, uint32_t, FenceKind>> KnownBarriers;
  mutable std::vector<Set> Before; // commit-before of the text, per event
};

} // namespace picket::cat
