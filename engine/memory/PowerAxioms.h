// POWER, as Alglave, Maranget and Tautschnig define it ("Herding Cats"). Each function below is one axiom or one of the
// relations it is made of; docs/power.md names the axioms.
//
// Commit-before holds every dependency, fence and same-location pair, so all edges of these relations lead to the event
// that is committed last, but for coherence and from-reads. Hence rows, once filled in, stay as they are,
// happens-before cannot become cyclic, and the other axioms can only break in cycles through the new event.
#pragma once

#include "memory/Axioms.h"

namespace picket {

template <unsigned Words> class PowerAxioms : public Axioms<Words> {
public:
  using Graph = ExecutionGraph<Words>;
  using Set = EventSet<Words>;

  Set commitBefore(const Graph &G, EventId E) const override;
  void extend(Graph &G, EventId E) const override;
  bool allows(const Graph &G, EventId E) const override;
  bool knowsSections() const override { return true; }

  // The parts, for tests and for those who draw pictures.
  static Set fullFence(const Graph &G, EventId E);  // ffence
  static Set lightFence(const Graph &G, EventId E); // lwfence
  static void preserveProgramOrder(Graph &G, EventId E);
  static void propagate(Graph &G, EventId E);
  /// Everything from which com* leads into a set of events.
  static Set communicatesTo(const Graph &G, const Set &To);
  static bool observes(const Graph &G, EventId E);   // irreflexive(fre ; prop ; hb*)
  static bool propagates(const Graph &G, EventId E); // acyclic(co | prop)
  /// A store reaches a thread as a whole: irreflexive((fre | coe) ; rfe ; (hb* & int)). Where accesses have one size this
  /// follows from SC per location.
  static bool seesWhole(const Graph &G, EventId E);
  /// The axioms with each atomic section as one access.
  static bool keepsSectionsWhole(const Graph &G, EventId E);
};

} // namespace picket
