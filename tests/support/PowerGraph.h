// Execution graphs of POWER by hand: instructions are written down in program order, then accesses are committed in any
// order that commit-before allows.
#pragma once

#include "memory/PowerAxioms.h"

#include <initializer_list>
#include <map>
#include <stdexcept>

namespace picket::testing {

/// The loads that an access depends on.
struct Needs {
  std::vector<EventId> Address = {}, Data = {};
};

class PowerGraph {
public:
  using Graph = ExecutionGraph<1>;
  using Set = EventSet<1>;

  EventId read(uint32_t Thread, uint32_t Place, const Needs &From = {}) { return access(Thread, Place, false, From); }
  EventId write(uint32_t Thread, uint32_t Place, const Needs &From = {}) { return access(Thread, Place, true, From); }
  /// The two parts of an atomic update: the read is returned, the write is the next event.
  EventId update(uint32_t Thread, uint32_t Place) {
    const EventId Read = read(Thread, Place), Write = write(Thread, Place);
    G[Read].OfUpdate = G[Write].OfUpdate = true;
    return Read;
  }
  void sync(uint32_t Thread) { Threads[Thread].Sync = Threads[Thread].Before; }
  void lwsync(uint32_t Thread) { Threads[Thread].LwSync = Threads[Thread].Before; }
  void eieio(uint32_t Thread) { Threads[Thread].Eieio = Threads[Thread].Before; }
  void branch(uint32_t Thread, EventId On) { Threads[Thread].Control.insert(On); }
  void isync(uint32_t Thread) { Threads[Thread].ControlISync = Threads[Thread].Control; }

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
      Position = static_cast<uint32_t>(G.Places[G[E].Place].Coherence.size()) + 1;
    if (Position <= coherenceFloor(G, E))
      return false;
    Model.extend(G, E);
    G.commitWrite(E, Position);
    if (G.keepsUpdatesWhole(E) && Model.allows(G, E))
      return true;
    G.uncommitWrite(E);
    return false;
  }

  Set set(std::initializer_list<EventId> Events) const {
    Set S;
    for (EventId E : Events)
      S.insert(E);
    return S;
  }

  Graph G;
  PowerAxioms<1> Model;

private:
  struct Thread {
    Set Before, Control, ControlISync, AddressBefore, Sync, LwSync, Eieio;
    uint32_t Events = 0;
  };

  EventId access(uint32_t Of, uint32_t Place, bool IsWrite, const Needs &From) {
    while (G.Places.size() <= Place)
      G.Places.emplace_back();
    Thread &T = Threads[Of];
    GraphEvent<1> E;
    E.Thread = Of;
    E.Index = T.Events++;
    E.IsWrite = IsWrite;
    E.Place = Place;
    E.Before = T.Before;
    for (EventId Load : From.Address)
      E.Address.insert(Load);
    for (EventId Load : From.Data)
      E.Data.insert(Load);
    E.Control = T.Control;
    E.ControlISync = T.ControlISync;
    E.AddressBefore = T.AddressBefore;
    E.Sync = T.Sync;
    E.LwSync = T.LwSync;
    E.Eieio = T.Eieio;
    T.AddressBefore |= E.Address;
    const EventId Id = G.add(E);
    T.Before.insert(Id);
    return Id;
  }

  void demand(EventId E) const {
    if (!Model.commitBefore(G, E).isSubsetOf(G.Committed))
      throw std::logic_error("something has to be committed before event " + std::to_string(E));
  }

  std::map<uint32_t, Thread> Threads;
};

} // namespace picket::testing
