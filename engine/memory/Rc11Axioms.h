// C11, as Lahav, Vafeiadis, Kang, Hur and Dreyer repaired it ("Repairing Sequential Consistency in C/C++11", RC11). Each
// function below is one axiom or one of the relations it is made of.
//
// Events are committed in an order that sequenced-before and reads-from allow, so there is nothing out of thin air, and
// all edges of happens-before lead to the event that is committed last. From it only modification order and reads-before
// lead on. Fences are events.
#pragma once

#include "memory/Axioms.h"

namespace picket {

template <unsigned Words> class Rc11Axioms : public Axioms<Words> {
public:
  using Graph = ExecutionGraph<Words>;
  using Set = EventSet<Words>;
  using Event = GraphEvent<Words>;

  /// `Sequential`: only what is sequentially consistent is allowed.
  explicit Rc11Axioms(ReleaseSequences Kind = ReleaseSequences::Cpp20, bool Sequential = false)
      : Kind(Kind), Sequential(Sequential) {}

  Set commitBefore(const Graph &G, EventId E) const override { return G[E].Before | G[E].Sync; }
  bool isInOrder() const override { return true; }
  void extend(Graph &G, EventId E) const override;
  bool allows(const Graph &G, EventId E) const override;

  // The rows of a committed event. Only writes have heads.
  static const Set &happensBefore(const Event &E) { return E.OrderPast; } // hb, and the event itself
  static const Set &heads(const Event &E) { return E.PropBase; }          // releases whose sequence the write is of
  static const Set &differentThenHb(const Event &E) { return E.CI; }      // sb!= ; hb
  static const Set &partialScb(const Event &E) { return E.CC; }           // scb without mo and rb

  /// irreflexive(hb ; eco?), for a new event.
  static bool isCoherent(const Graph &G, EventId E);
  /// The committed accesses of other threads that a new event is in a data race with: of the same memory, one of the two
  /// writes and one of them is plain, and nothing orders them. What happens after a new event is not there yet, so only
  /// what happens before it counts.
  static Set racesOf(const Graph &G, EventId E);
  /// acyclic(psc), for a new event.
  static bool isSequential(const Graph &G, EventId E);
  /// acyclic(sb | eco), for a new event: sequential consistency.
  static bool isInterleaving(const Graph &G, EventId E);

private:
  Set ownHeads(const Graph &G, EventId Write) const;
  Set acquired(const Graph &G, EventId E) const;

  ReleaseSequences Kind;
  bool Sequential;
};

/// The same with the release sequences of C11 to C++17.
template <unsigned Words> class OriginalRc11Axioms final : public Rc11Axioms<Words> {
public:
  OriginalRc11Axioms() : Rc11Axioms<Words>(ReleaseSequences::C11) {}
};

} // namespace picket
