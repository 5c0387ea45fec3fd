// Builds execution graphs by hand: instructions are added in program order. Nothing is committed.
#pragma once

#include "memory/ExecutionGraph.h"

#include <initializer_list>
#include <map>

namespace picket::testing {

/// The loads that an access depends on.
struct Needs {
  std::vector<EventId> Address = {}, Data = {};
};

class GraphBuilder {
public:
  using Graph = ExecutionGraph<1>;
  using Set = EventSet<1>;

  EventId read(uint32_t Thread, uint32_t Location, const Needs &From = {}) {
    return access(Thread, Location, false, From);
  }
  EventId write(uint32_t Thread, uint32_t Location, const Needs &From = {}) {
    return access(Thread, Location, true, From);
  }
  /// The two parts of an atomic update: the read is returned, the write is the next event.
  EventId update(uint32_t Thread, uint32_t Location) {
    const EventId Read = read(Thread, Location), Write = write(Thread, Location);
    G[Read].OfUpdate = G[Write].OfUpdate = true;
    return Read;
  }
  void sync(uint32_t Thread) { Threads[Thread].Sync = Threads[Thread].Before; }
  void lwsync(uint32_t Thread) { Threads[Thread].LwSync = Threads[Thread].Before; }
  void eieio(uint32_t Thread) { Threads[Thread].Eieio = Threads[Thread].Before; }
  void branch(uint32_t Thread, EventId On) { Threads[Thread].Control.insert(On); }
  void isync(uint32_t Thread) { Threads[Thread].ControlISync = Threads[Thread].Control; }

  static Set set(std::initializer_list<EventId> Events) {
    Set S;
    for (EventId E : Events)
      S.insert(E);
    return S;
  }

  Graph G;

private:
  struct Thread {
    Set Before, Control, ControlISync, AddressBefore, Sync, LwSync, Eieio;
    uint32_t Events = 0;
  };

  EventId access(uint32_t Of, uint32_t Location, bool IsWrite, const Needs &From) {
    while (G.Locations.size() <= Location)
      G.Locations.emplace_back();
    Thread &T = Threads[Of];
    GraphEvent<1> E;
    E.Thread = Of;
    E.Index = T.Events++;
    E.IsWrite = IsWrite;
    E.Location = Location;
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

  std::map<uint32_t, Thread> Threads;
};

} // namespace picket::testing
