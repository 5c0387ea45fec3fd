// Builds execution graphs of POWER by hand: instructions are added in program order, then accesses are committed in any
// order that commit-before allows.
#pragma once

#include "memory/PowerAxioms.h"
#include "support/GraphBuilder.h"

#include <stdexcept>

namespace picket::testing {

class PowerGraph : public GraphBuilder {
public:
  /// Commits a read. False, and nothing done, if the axioms do not allow it.
  bool reads(EventId E, EventId Source) {
    demand(E);
    G.commitRead(E, Source);
    Model.extend(G, E);
    if (G.positionOf(Source) >= coherenceFloor(G, E) && Model.allows(G, E))
      return true;
    G.uncommitRead(E);
    return false;
  }
  bool readsInitial(EventId E) { return reads(E, NoEvent); }

  /// Commits a write at a position in coherence, from 1; 0: the last.
  bool writes(EventId E, uint32_t Position = 0) {
    demand(E);
    if (!Position)
      Position = static_cast<uint32_t>(G.Locations[G[E].Location].Coherence.size()) + 1;
    if (Position <= coherenceFloor(G, E))
      return false;
    Model.extend(G, E);
    G.commitWrite(E, Position);
    if (G.keepsUpdatesWhole(E) && Model.allows(G, E))
      return true;
    G.uncommitWrite(E);
    return false;
  }

  PowerAxioms<1> Model;

private:
  void demand(EventId E) const {
    if (!Model.commitBefore(G, E).isSubsetOf(G.Committed))
      throw std::logic_error("something has to be committed before event " + std::to_string(E));
  }
};

} // namespace picket::testing
