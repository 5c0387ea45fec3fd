// An execution as a graph: the events that threads have fetched, which of them are committed, and for those reads-from
// and coherence. States of the execution model of Abdulla, Atig, Jonsson, Leonardsson ("Stateless Model Checking for
// POWER"): threads fetch in program order, accesses commit in any order that commit-before and the axioms of the memory
// model allow. Every commit can be taken back, latest first.
#pragma once

#include "memory/EventSet.h"
#include "program/Program.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace picket {

/// A place in memory that is accessed as a whole. Accesses of different places never overlap.
using PlaceId = uint32_t;
constexpr PlaceId NoPlace = ~0u;

/// What an access does in one place.
struct GraphCell {
  PlaceId Place = NoPlace;  // once the address is known
  EventId Source = NoEvent; // reads: the write it reads; none is the initial one
  uint32_t Position = 0;    // writes: place in coherence, counted from 1
  uint32_t Home = ~0u;      // for the explorer
  uint64_t Value = 0;       // read or written
  uint32_t Offset = 0, Width = 0; // of an access that is split: the bytes of it that are here
};

/// A read or a write, mostly of one place. Where others access a part of the same bytes it is split: it then has a cell
/// for each place, reads from another write in each of them, or is at another position of its coherence. What it is
/// behind is the same for all (docs/power.md). An atomic update is two events, a read and the write behind it, which are
/// committed together. Sets are of events of the same thread unless something else is said.
template <unsigned Words> struct GraphEvent : GraphCell { // the only cell; if it is split, the whole value
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
  bool Void = false;          // committed, but nothing that takes place (in this run)
  bool Ends = false;          // not a write of the program: the memory ends here (free, the end of a local variable)
  EventId Reserved = NoEvent; // Conditional: the load-reserve it belongs to, of the same place
  uint32_t FirstCell = ~0u;   // if it is split
  uint32_t NumCells = 1;
  uint32_t Chosen = 0; // if it is split: for how many cells source or position are chosen; it is committed with the last

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
  Set Past; // commit-before, as a whole, of all threads

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
  std::deque<GraphCell> Cells;    // of those that are split; they stay put, too
  std::vector<PlaceState> Places; // never taken back: a place without committed accesses is as good as none
  Set Committed;
  Set Reads, Writes;     // among the committed
  bool AnySplit = false; // some access is, or was: mostly none is, and nothing is to be looked for

  Event &operator[](EventId E) { return Events[E]; }
  const Event &operator[](EventId E) const { return Events[E]; }
  uint32_t size() const { return static_cast<uint32_t>(Events.size()); }

  bool isExternal(EventId A, EventId B) const { return Events[A].Thread != Events[B].Thread; }

  // Cells. An access that is not split is its own.
  bool isSplit(EventId E) const { return AnySplit && Events[E].FirstCell != ~0u; }
  GraphCell &cell(EventId E, uint32_t K) {
    return isSplit(E) ? Cells[Events[E].FirstCell + K] : static_cast<GraphCell &>(Events[E]);
  }
  const GraphCell &cell(EventId E, uint32_t K) const { return const_cast<ExecutionGraph *>(this)->cell(E, K); }
  /// Of an access of the place.
  const GraphCell &cellIn(PlaceId Place, EventId E) const {
    if (!isSplit(E))
      return Events[E];
    uint32_t K = Events[E].FirstCell;
    while (Cells[K].Place != Place)
      ++K;
    return Cells[K];
  }
  template <typename Visitor> void forEachCell(EventId E, Visitor Visit) const {
    if (!isSplit(E))
      return Visit(static_cast<const GraphCell &>(Events[E]));
    for (uint32_t K = 0; K < Events[E].NumCells; ++K)
      Visit(cell(E, K));
  }
  template <typename Condition> bool anyCell(EventId E, Condition Holds) const {
    if (!isSplit(E))
      return Holds(static_cast<const GraphCell &>(Events[E]));
    for (uint32_t K = 0; K < Events[E].NumCells; ++K)
      if (Holds(cell(E, K)))
        return true;
    return false;
  }
  /// Whether an access whose places are known accesses a certain one.
  bool accesses(EventId E, PlaceId Place) const {
    return anyCell(E, [&](const GraphCell &C) { return C.Place == Place; });
  }
  bool overlap(EventId A, EventId B) const {
    if (!isSplit(A) && !isSplit(B))
      return Events[A].Place == Events[B].Place;
    return anyCell(A, [&](const GraphCell &C) { return C.Place != NoPlace && accesses(B, C.Place); });
  }

  /// Where a write stands in the coherence of a place; the initial one is 0.
  uint32_t positionIn(PlaceId Place, EventId Write) const {
    return Write == NoEvent ? 0 : cellIn(Place, Write).Position;
  }
  /// Where the write stands that an event reads or is.
  uint32_t coherenceIn(PlaceId Place, EventId E) const {
    const GraphCell &C = cellIn(Place, E);
    return Events[E].IsWrite ? C.Position : positionIn(Place, C.Source);
  }
  /// The same of accesses that are not split.
  uint32_t positionOf(EventId Write) const { return Write == NoEvent ? 0 : Events[Write].Position; }
  uint32_t coherenceOf(EventId E) const {
    return Events[E].IsWrite ? Events[E].Position : positionIn(Events[E].Place, Events[E].Source);
  }
  /// What a write, or the start, leaves in a place.
  uint64_t valueIn(PlaceId Place, EventId Write) const {
    return Write == NoEvent ? Places[Place].Initial : cellIn(Place, Write).Value;
  }
  /// The committed events of a place that read a certain write there.
  Set readersOf(PlaceId Place, EventId Write) const {
    if (Write == NoEvent)
      return Places[Place].InitialReaders;
    if (!isSplit(Write))
      return Readers[Write];
    Set Here;
    (Readers[Write] & Places[Place].Reads).forEach([&](EventId R) {
      if (cellIn(Place, R).Source == Write)
        Here.insert(R);
    });
    return Here;
  }

  /// Committed accesses of the same place that are earlier in the same thread.
  Set samePlaceBefore(EventId E) const {
    Set Same;
    forEachCell(E, [&](const GraphCell &C) { Same |= Places[C.Place].Writes | Places[C.Place].Reads; });
    return Events[E].Before & Same;
  }

  /// Splits an event that was just added.
  void split(EventId E, const std::vector<std::pair<uint32_t, uint32_t>> &Parts) {
    AnySplit = true;
    Events[E].FirstCell = static_cast<uint32_t>(Cells.size());
    Events[E].NumCells = static_cast<uint32_t>(Parts.size());
    for (auto [Offset, Width] : Parts) {
      GraphCell &C = Cells.emplace_back();
      C.Offset = Offset;
      C.Width = Width;
    }
  }
  /// Chooses what is read in the next cell.
  void choose(EventId E, EventId Source) {
    GraphCell &C = cell(E, Events[E].Chosen++);
    C.Source = Source;
    C.Value = valueIn(C.Place, Source);
  }

  /// Of an access that is split, for its next cell. A read that takes one cell from a write takes no other cell that
  /// this writes from what is before it there; two writes are in the same order in all places they share.
  bool agrees(EventId E, EventId Source) const {
    const Event &Read = Events[E];
    const PlaceId Here = cell(E, Read.Chosen).Place;
    auto NotBefore = [&](PlaceId Place, EventId A, EventId B) {
      return B == NoEvent || !accesses(B, Place) || positionIn(Place, A) >= positionIn(Place, B);
    };
    for (uint32_t K = 0; K < Read.Chosen; ++K)
      if (const GraphCell &C = cell(E, K);
          !NotBefore(Here, Source, C.Source) || !NotBefore(C.Place, C.Source, Source))
        return false;
    return true;
  }
  /// The positions between which it may be, given those in the cells before: behind the first, and at most the second.
  std::pair<uint32_t, uint32_t> positionsLeft(EventId E) const {
    const Event &Write = Events[E];
    const PlaceId Here = cell(E, Write.Chosen).Place;
    const std::vector<EventId> &Coherence = Places[Here].Coherence;
    uint32_t Low = 0, High = static_cast<uint32_t>(Coherence.size()) + 1;
    for (uint32_t K = 0; K < Write.Chosen; ++K)
      for (uint32_t At = 0; At < Coherence.size(); ++At) {
        const GraphCell &C = cell(E, K);
        if (!accesses(Coherence[At], C.Place))
          continue;
        if (positionIn(C.Place, Coherence[At]) < C.Position)
          Low = std::max(Low, At + 1);
        else
          High = std::min(High, At + 1);
      }
    return {Low, High};
  }

  EventId add(const Event &E) {
    Events.push_back(E);
    if (Readers.size() < Events.size())
      Readers.resize(Events.size());
    return size() - 1;
  }

  /// Source: of a read that is split, in its last cell. The whole value of that is for others to make.
  void commitRead(EventId E, EventId Source) {
    if (isSplit(E)) {
      choose(E, Source);
    } else {
      Events[E].Source = Source;
      Events[E].Value = valueIn(Events[E].Place, Source);
    }
    forEachCell(E, [&](const GraphCell &C) {
      (C.Source == NoEvent ? Places[C.Place].InitialReaders : Readers[C.Source]).insert(E);
      Places[C.Place].Reads.insert(E);
    });
    Reads.insert(E);
    Committed.insert(E);
  }
  void uncommitRead(EventId E) {
    forEachCell(E, [&](const GraphCell &C) {
      (C.Source == NoEvent ? Places[C.Place].InitialReaders : Readers[C.Source]).erase(E);
      Places[C.Place].Reads.erase(E);
    });
    Events[E].Chosen -= isSplit(E);
    Reads.erase(E);
    Committed.erase(E);
  }

  /// Puts a write at a position of coherence (from 1); those at and behind it move on. Of one that is split, the cells
  /// say the positions.
  void commitWrite(EventId E, uint32_t Position) {
    if (!isSplit(E))
      Events[E].Position = Position;
    forEachCell(E, [&](const GraphCell &C) {
      PlaceState &P = Places[C.Place];
      const uint32_t At = C.Position - 1;
      P.Coherence.insert(P.Coherence.begin() + At, E);
      renumber(C.Place, At);
      P.Writes.insert(E);
    });
    Readers[E].clear();
    Writes.insert(E);
    Committed.insert(E);
  }
  void uncommitWrite(EventId E) {
    forEachCell(E, [&](const GraphCell &C) {
      PlaceState &P = Places[C.Place];
      const uint32_t At = C.Position - 1;
      P.Coherence.erase(P.Coherence.begin() + At);
      renumber(C.Place, At);
      P.Writes.erase(E);
    });
    Writes.erase(E);
    Committed.erase(E);
  }
  /// Puts the writes of a place into another order.
  void arrange(PlaceId Place, std::vector<EventId> Order) {
    Places[Place].Coherence = std::move(Order);
    renumber(Place, 0);
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
    return !anyCell(Written, [&](const GraphCell &C) { return !keepsUpdatesWholeIn(C.Place); });
  }
  /// The read that a committed write belongs to, if it is the write of an update.
  EventId readOf(EventId Write) const {
    if (Events[Write].OfUpdate)
      return Write - 1;
    return Events[Write].Reserved;
  }

private:
  bool keepsUpdatesWholeIn(PlaceId Place) const {
    const PlaceState &P = Places[Place];
    bool Whole = true;
    P.Writes.forEach([&](EventId W) {
      EventId Read = readOf(W);
      if (Read == NoEvent)
        return;
      const uint32_t Last = cellIn(Place, W).Position;
      for (uint32_t K = positionIn(Place, cellIn(Place, Read).Source); K + 1 < Last; ++K)
        Whole &= !isExternal(P.Coherence[K], W);
    });
    return Whole;
  }
  void renumber(PlaceId Place, uint32_t From) {
    const std::vector<EventId> &Coherence = Places[Place].Coherence;
    for (uint32_t K = From; K < Coherence.size(); ++K)
      const_cast<GraphCell &>(cellIn(Place, Coherence[K])).Position = K + 1;
  }

  std::vector<Set> Readers; // per write
};

} // namespace picket
