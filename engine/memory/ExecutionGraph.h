// An execution as a graph: the events that threads have fetched, which of them are committed, and for those reads-from
// and coherence. States of the execution model of Abdulla, Atig, Jonsson, Leonardsson ("Stateless Model Checking for
// POWER"): threads fetch in program order, accesses commit in any order that commit-before and the axioms of the memory
// model allow. Every commit can be taken back, latest first.
#pragma once

#include "memory/EventSet.h"
#include "program/Program.h"

#include <algorithm>
#include <vector>

namespace picket {

/// A place in memory that is accessed as a whole. Accesses of different places never overlap.
using PlaceId = uint32_t;
constexpr PlaceId NoPlace = ~0u;

/// A read or a write of one place. An atomic update is two events, a read and the write behind it, which are committed
/// together, unless the write needs more than the read. Sets are of events of the same thread unless something else is
/// said.
template <unsigned Words> struct GraphEvent {
  using Set = EventSet<Words>;

  uint32_t Thread = 0;
  uint32_t Index = 0; // the how-manieth event of its thread
  uint32_t Pc = 0;
  // Its name in every run of the program in which its thread does the same, however much is known of memory that ends.
  uint32_t Operation = 0; // how many operations its thread had done: some are several events
  uint64_t Part = 0;      // which of them: counted, or where in its object
  bool IsWrite = false;
  bool OfUpdate = false;      // this read and the next event, or this write and the event before
  bool Decides = false;       // no access, but the choice whether a store-conditional succeeds
  bool Conditional = false;   // the write of a store-conditional that is to succeed
  bool Locked = false;        // of an update that is a full fence under TSO and PSO
  bool Alone = false;         // the read of an update, committed: its write is committed by itself
  bool Void = false;          // committed, but nothing that takes place (in this run)
  bool Ends = false;          // not a write of the program: the memory ends here (free, the end of a local variable)
  PlaceId Place = NoPlace;    // once the address is known
  EventId Reserved = NoEvent; // Conditional: the load-reserve it belongs to, of the same place

  // What is known when it is fetched.
  Set Before;        // program order
  Set Address, Data; // the events whose values make up the address and the data
  Set Control;       // those that decide branches before it
  Set ControlISync;  // the same, with an isync behind the branch
  Set AddressBefore; // those that make up addresses of earlier accesses
  Set Fetch;         // those without which it could not have been fetched
  Set Sync;          // events before the last full fence, those before the thread's creation included
  Set LwSync, Eieio; // events before the last fence of that kind

  // What is known when it is committed.
  EventId Source = NoEvent; // reads: the write it reads; none is the initial one
  uint32_t Position = 0;    // writes: place in coherence, counted from 1
  uint64_t Value = 0;       // read or written
  uint32_t Home = ~0u;      // for the explorer
  Set Past;                 // commit-before, as a whole, of all threads

  // Rows of the memory model's relations: the events of all threads from which an edge leads here.
  Set II, IC, CI, CC; // preserved program order
  Set Order;          // happens-before (POWER), or what the model preserves of program order (SC, TSO, PSO)
  Set OrderPast;      // Order, reflexive and transitive (POWER)
  Set PropBase, PropBasePast, Strong; // see PowerAxioms
};

template <unsigned Words> class ExecutionGraph {
public:
  using Set = EventSet<Words>;
  using Event = GraphEvent<Words>;

  struct PlaceState {
    Address Where = 0;
    uint32_t Width = 0;
    enum : uint8_t { Unknown, Bits, State } Holds = Unknown; // State: values are numbers of states of such an object
    uint64_t Initial = 0;
    std::vector<EventId> Coherence; // committed writes, oldest first
    Set Writes, Reads;              // committed ones
    Set InitialReaders;
  };

  ExecutionGraph() { Events.reserve(Set::Capacity); }

  std::vector<Event> Events;      // fetched, in the order of fetching; never more than Set::Capacity, so they stay put
  std::vector<PlaceState> Places; // never taken back: a place without committed accesses is as good as none
  Set Committed;
  Set Reads, Writes; // among the committed

  Event &operator[](EventId E) { return Events[E]; }
  const Event &operator[](EventId E) const { return Events[E]; }
  uint32_t size() const { return static_cast<uint32_t>(Events.size()); }

  bool isExternal(EventId A, EventId B) const { return Events[A].Thread != Events[B].Thread; }

  /// Where a write stands in coherence; the initial one is 0.
  uint32_t positionOf(EventId Write) const { return Write == NoEvent ? 0 : Events[Write].Position; }
  /// Where the write stands that an event reads or is.
  uint32_t coherenceOf(EventId E) const {
    return Events[E].IsWrite ? Events[E].Position : positionOf(Events[E].Source);
  }
  /// The committed events of a place that read a certain write.
  Set readersOf(PlaceId Place, EventId Write) const {
    return Write == NoEvent ? Places[Place].InitialReaders : Readers[Write];
  }

  /// Committed accesses of the same place that are earlier in the same thread.
  Set samePlaceBefore(EventId E) const {
    const PlaceState &P = Places[Events[E].Place];
    return Events[E].Before & (P.Writes | P.Reads);
  }

  EventId add(const Event &E) {
    Events.push_back(E);
    if (Readers.size() < Events.size())
      Readers.resize(Events.size());
    return size() - 1;
  }

  void commitRead(EventId E, EventId Source) {
    Event &Read = Events[E];
    PlaceState &P = Places[Read.Place];
    Read.Source = Source;
    Read.Value = Source == NoEvent ? P.Initial : Events[Source].Value;
    (Source == NoEvent ? P.InitialReaders : Readers[Source]).insert(E);
    P.Reads.insert(E);
    Reads.insert(E);
    Committed.insert(E);
  }
  void uncommitRead(EventId E) {
    PlaceState &P = Places[Events[E].Place];
    EventId Source = Events[E].Source;
    (Source == NoEvent ? P.InitialReaders : Readers[Source]).erase(E);
    P.Reads.erase(E);
    Reads.erase(E);
    Committed.erase(E);
  }

  /// Puts a write at a position of coherence (from 1); those at and behind it move on.
  void commitWrite(EventId E, uint32_t Position) {
    PlaceState &P = Places[Events[E].Place];
    P.Coherence.insert(P.Coherence.begin() + (Position - 1), E);
    renumber(P, Position - 1);
    Readers[E].clear();
    P.Writes.insert(E);
    Writes.insert(E);
    Committed.insert(E);
  }
  void uncommitWrite(EventId E) {
    PlaceState &P = Places[Events[E].Place];
    uint32_t Position = Events[E].Position;
    P.Coherence.erase(P.Coherence.begin() + (Position - 1));
    renumber(P, Position - 1);
    P.Writes.erase(E);
    Writes.erase(E);
    Committed.erase(E);
  }
  /// Puts the writes of a place into another order.
  void arrange(PlaceId Place, std::vector<EventId> Order) {
    Places[Place].Coherence = std::move(Order);
    renumber(Places[Place], 0);
  }
  /// The outcome of a store-conditional, or the write of an update that leaves things as they are.
  void commitVoid(EventId E) {
    Events[E].Void = true;
    Committed.insert(E);
  }
  void uncommitVoid(EventId E) {
    Events[E].Void = false;
    Committed.erase(E);
  }

  /// Atomicity, for a write that was just committed: nobody else writes between the write that an update (or
  /// load-reserve) read and its own.
  bool keepsUpdatesWhole(EventId Written) const {
    const PlaceState &P = Places[Events[Written].Place];
    bool Whole = true;
    P.Writes.forEach([&](EventId W) {
      EventId Read = readOf(W);
      if (Read == NoEvent)
        return;
      for (uint32_t K = positionOf(Events[Read].Source); K + 1 < Events[W].Position; ++K)
        Whole &= !isExternal(P.Coherence[K], W);
    });
    return Whole;
  }
  /// The events that are committed with E: itself, or the write of an update whose read it is.
  EventId lastWith(EventId E) const {
    return Events[E].OfUpdate && !Events[E].IsWrite && !Events[E].Alone ? E + 1 : E;
  }
  /// Whether E is the write of an update whose read was committed without it.
  bool isLateWrite(EventId E) const { return Events[E].OfUpdate && Events[E].IsWrite && Events[E - 1].Alone; }
  /// The read that a committed write belongs to, if it is the write of an update.
  EventId readOf(EventId Write) const {
    if (Events[Write].OfUpdate)
      return Write - 1;
    return Events[Write].Reserved;
  }

private:
  void renumber(PlaceState &P, uint32_t From) {
    for (uint32_t K = From; K < P.Coherence.size(); ++K)
      Events[P.Coherence[K]].Position = K + 1;
  }

  std::vector<Set> Readers; // per write
};

} // namespace picket
