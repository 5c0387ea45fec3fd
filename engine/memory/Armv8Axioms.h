// ARMv8 (AArch64): internal visibility, external visibility (ordered-before, ob) and atomicity, as in the architecture's
// reference manual and its formal text. Each function below is one axiom or one of the relations it is made of.
//
// A thread may read its own write before what comes before that write is done. So not all of ob is in commit-before: what
// leads to a write without being a dependency (the same location, a release, DMB ST) is not. Such a write may be committed
// before an earlier access of its thread, which then must still fit in front of it. What an update other than an exchange
// writes comes behind its read all the same.
#pragma once

#include "memory/Axioms.h"

namespace picket {

template <unsigned Words> class Armv8Axioms : public Axioms<Words> {
public:
  using Graph = ExecutionGraph<Words>;
  using Set = EventSet<Words>;
  using Event = GraphEvent<Words>;

  Set commitBefore(const Graph &G, EventId E) const override;
  Set preferBefore(const Graph &G, EventId E) const override;
  void extend(Graph &G, EventId E) const override;
  bool allows(const Graph &G, EventId E) const override;

  /// The part of ob that leads to an event from its own thread: lws, dob, pob, aob and bob. `Expected`: the CAS
  /// instructions, by their reads, whose result is taken to come from the expected value (see below).
  static Set localOrder(const Graph &G, EventId E, const Set &Expected = Set());
  /// The loads that a value really is made from, if the results of some CAS instructions come from what they expected.
  static Set realLoads(const Graph &G, Set Loads, const Set &Expected);
  /// acyclic(po-loc | rf | co | fr), for a new event.
  static bool isInternallyVisible(const Graph &G, EventId E);
  /// acyclic(ob), for a new event. A CAS that writes has found what was expected, so that its result may have come from
  /// the read or from the expected value: the graph is allowed if it is so for one choice of them.
  static bool isExternallyVisible(const Graph &G, EventId E);

private:
  static bool isAcyclic(const Graph &G, EventId E, const Set &Expected);
  static Set pickedBefore(const Graph &G, EventId Write, const Set &Expected);
  static Set choosable(const Graph &G);
};

} // namespace picket
