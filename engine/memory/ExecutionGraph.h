// An execution as a graph: the events that threads have fetched, which of them are committed, and for those reads-from
// and coherence. States of the execution model of Abdulla, Atig, Jonsson, Leonardsson ("Stateless Model Checking for
// POWER"): threads fetch in program order, accesses commit in any order that commit-before and the axioms of the memory
// model allow. Every commit can be taken back, latest first.
//
// It is large because axioms and explorers ask it little things about events, locations and coherence all the time; most
// of its members are a line or two.
#pragma once

#include "memory/GraphEvent.h"
#include "program/Program.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <vector>

namespace picket {

template <unsigned Words> class ExecutionGraph {
public:
  using Set = EventSet<Words>;
  using Event = GraphEvent<Words>;
  static constexpr bool IsLarge = Words == 0;

  struct LocationState {
    Address Where = 0;
    uint32_t Width = 0;
    enum : uint8_t { Unknown, Bits, State } Holds = Unknown; // State: values are numbers of states of such an object
    uint64_t Initial = 0;
    std::vector<EventId> Coherence; // committed writes, oldest first
    Set Writes, Reads;              // committed ones
    Set InitialReaders;
    uint32_t NumEnds = 0; // of the committed writes
  };

  ExecutionGraph() {
    if constexpr (!IsLarge)
      Events.reserve(Set::Capacity);
  }

  /// Whatever is made of sets in its lifetime is given back at its end. By then the graph must be what it was.
  class Scope {
  public:
    explicit Scope(const ExecutionGraph &G) : G(G) {
      if constexpr (IsLarge)
        Mark = G.Large.Unions.mark();
    }
    ~Scope() {
      if constexpr (IsLarge)
        G.Large.Unions.undoTo(Mark);
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    [[no_unique_address]] typename Set::Scope Sets;
    [[maybe_unused]] const ExecutionGraph &G;
    [[maybe_unused]] size_t Mark = 0;
  };

  // Fetched, in the order of fetching. They stay where they are: there are never more than Set::Capacity.
  std::conditional_t<IsLarge, std::deque<Event>, std::vector<Event>> Events;
  std::deque<GraphCell> Cells;          // of those that are split; they stay put, too
  std::vector<LocationState> Locations; // never taken back: one without committed accesses is as good as none
  Set Committed;
  Set Reads, Writes;              // among the committed
  Set Fences, SeqCst;             // C11: the fences among them, and all whose order is seq_cst
  bool AnyCompares = false;       // ARM64: there is, or was, a CAS
  bool AnyLateExpected = false;   // and one whose expected value is made from loads
  bool AnySplit = false;          // some access is, or was: mostly none is, and nothing is to be looked for
  bool AnySections = false;       // some event is, or was, in an atomic section
  bool CreatesInSections = false; // some thread is, or was, created in one
  /// A fence that a thread has come to, where fences are no events. Only for axioms that read these.
  struct Barrier {
    uint32_t Thread;
    uint32_t Before; // how many events the thread had fetched
    FenceKind Kind;
    Set Control; // the loads that decide branches before it
  };
  std::vector<Barrier> Barriers; // in the order of fetching
  bool KeepsBarriers = false;
  bool UpdatesAreSingle = false; // ARM64: updates are single instructions, for axioms that read barriers
  [[no_unique_address]] LargeGraph<Words> Large;

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
  /// Of an access of the location.
  const GraphCell &cellIn(LocationId Location, EventId E) const {
    if (!isSplit(E))
      return Events[E];
    uint32_t K = Events[E].FirstCell;
    while (Cells[K].Location != Location)
      ++K;
    return Cells[K];
  }
  template <typename Visitor> void forEachCell(EventId E, Visitor Visit) const {
    anyCell(E, [&](const GraphCell &C) {
      Visit(C);
      return false;
    });
  }
  template <typename Condition> bool anyCell(EventId E, Condition Holds) const {
    const bool Split = isSplit(E);
    for (uint32_t K = 0, Count = Split ? Events[E].NumCells : 1; K < Count; ++K)
      if (Holds(Split ? Cells[Events[E].FirstCell + K] : static_cast<const GraphCell &>(Events[E])))
        return true;
    return false;
  }
  /// Whether an access whose locations are known accesses a certain one.
  bool accesses(EventId E, LocationId Location) const {
    return anyCell(E, [&](const GraphCell &C) { return C.Location == Location; });
  }
  bool overlap(EventId A, EventId B) const {
    if (!isSplit(A) && !isSplit(B))
      return Events[A].Location == Events[B].Location;
    return anyCell(A, [&](const GraphCell &C) { return C.Location != NoLocation && accesses(B, C.Location); });
  }

  /// Where a write stands in the coherence of a location; the initial one is 0.
  uint32_t positionIn(LocationId Location, EventId Write) const {
    return Write == NoEvent ? 0 : cellIn(Location, Write).Position;
  }
  /// Where the write stands that an event reads or is.
  uint32_t coherenceIn(LocationId Location, EventId E) const {
    const GraphCell &C = cellIn(Location, E);
    return Events[E].IsWrite ? C.Position : positionIn(Location, C.Source);
  }
  /// The same of accesses that are not split.
  uint32_t positionOf(EventId Write) const { return Write == NoEvent ? 0 : Events[Write].Position; }
  uint32_t coherenceOf(EventId E) const {
    return Events[E].IsWrite ? Events[E].Position : positionIn(Events[E].Location, Events[E].Source);
  }
  /// What a write, or the start, leaves in a location.
  uint64_t valueIn(LocationId Location, EventId Write) const {
    return Write == NoEvent ? Locations[Location].Initial : cellIn(Location, Write).Value;
  }
  /// The committed events of a location that read a certain write there.
  Set readersOf(LocationId Location, EventId Write) const {
    if (IsLarge || Write == NoEvent || !isSplit(Write))
      return const_cast<ExecutionGraph *>(this)->readersIn(Location, Write);
    Set Here;
    (Readers[Write] & Locations[Location].Reads).forEach([&](EventId R) {
      if (cellIn(Location, R).Source == Write)
        Here.insert(R);
    });
    return Here;
  }

  /// Committed accesses of the same location that are earlier in the same thread.
  Set sameLocationBefore(EventId E) const {
    Set Same;
    forEachCell(E, [&](const GraphCell &C) { Same |= Locations[C.Location].Writes | Locations[C.Location].Reads; });
    return Events[E].Before & Same;
  }

  /// Splits an event that was just added.
  void split(EventId E, const std::vector<std::pair<uint32_t, uint32_t>> &Parts) {
    assert(Events[E].FirstCell == ~0u && !Parts.empty() && !Committed.contains(E));
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
    C.Value = valueIn(C.Location, Source);
  }

  /// Of an access that is split, for its next cell. A read that takes one cell from a write takes no other cell that
  /// this writes from what is before it there; two writes are in the same order in all locations they share.
  bool agrees(EventId E, EventId Source) const {
    const Event &Read = Events[E];
    const LocationId Here = cell(E, Read.Chosen).Location;
    auto NotBefore = [&](LocationId Location, EventId A, EventId B) {
      return B == NoEvent || !accesses(B, Location) || positionIn(Location, A) >= positionIn(Location, B);
    };
    for (uint32_t K = 0; K < Read.Chosen; ++K)
      if (const GraphCell &C = cell(E, K);
          !NotBefore(Here, Source, C.Source) || !NotBefore(C.Location, C.Source, Source))
        return false;
    return true;
  }
  /// The positions between which it may be, given those in the cells before: behind the first, and at most the second.
  std::pair<uint32_t, uint32_t> positionsLeft(EventId E) const {
    const Event &Write = Events[E];
    const LocationId Here = cell(E, Write.Chosen).Location;
    const std::vector<EventId> &Coherence = Locations[Here].Coherence;
    uint32_t Low = 0, High = static_cast<uint32_t>(Coherence.size()) + 1;
    for (uint32_t K = 0; K < Write.Chosen; ++K)
      for (uint32_t At = 0; At < Coherence.size(); ++At) {
        const GraphCell &C = cell(E, K);
        if (!accesses(Coherence[At], C.Location))
          continue;
        if (positionIn(C.Location, Coherence[At]) < C.Position)
          Low = std::max(Low, At + 1);
        else
          High = std::min(High, At + 1);
      }
    return {Low, High};
  }

  EventId add(const Event &E) {
    assert((IsLarge || Events.size() < Set::Capacity) && "events of small graphs stay where they are");
    Events.push_back(E);
    if (Readers.size() < Events.size())
      Readers.resize(Events.size());
    if (Threads.size() <= E.Thread)
      Threads.resize(E.Thread + 1);
    return size() - 1;
  }

  /// Whether an access of its thread that comes after this one in program order is committed.
  bool isBehindCommitted(EventId E) const { return Threads[Events[E].Thread].End > Events[E].Index + 1; }

  /// Source: of a read that is split, in its last cell. The whole value of that is for others to make.
  void commitRead(EventId E, EventId Source) {
    assert(!Events[E].IsWrite && Events[E].Location != NoLocation && !Committed.contains(E));
    assert((publishRows(E), true));
    assert((Source == NoEvent || (Events[Source].IsWrite && Committed.contains(Source))) && "writes come before reads");
    if (isSplit(E)) {
      choose(E, Source);
    } else {
      Events[E].Source = Source;
      Events[E].Value = valueIn(Events[E].Location, Source);
    }
    forEachCell(E, [&](const GraphCell &C) {
      readersIn(C.Location, C.Source).insert(E);
      Locations[C.Location].Reads.insert(E);
    });
    Reads.insert(E);
    noteCommit(E);
    noteMode(E);
    if constexpr (IsLarge) {
      Large.commit(E, Committed);
      Events[E].More.From.clear();
      forEachCell(E, [&](const GraphCell &C) {
        if (C.Source != NoEvent && isExternal(C.Source, E))
          Events[E].More.From.insert(C.Source);
        leadsBackTo(Locations[C.Location], positionIn(C.Location, C.Source));
      });
      leadsBackToThread(E);
    }
    Committed.insert(E);
  }
  void uncommitRead(EventId E) {
    assert(Reads.contains(E) && Committed.contains(E));
    assert(keptRows(E) && "rows of committed events do not change");
    forEachCell(E, [&](const GraphCell &C) {
      readersIn(C.Location, C.Source).erase(E);
      Locations[C.Location].Reads.erase(E);
    });
    Events[E].Chosen -= isSplit(E);
    Reads.erase(E);
    forgetCommit(E);
    forgetMode(E);
    Committed.erase(E);
    if constexpr (IsLarge)
      Large.uncommit();
  }

  /// Puts a write at a position of coherence (from 1); those at and behind it move on. Of one that is split, the cells
  /// say the positions.
  void commitWrite(EventId E, uint32_t Position) {
    assert(Events[E].IsWrite && Events[E].Location != NoLocation && !Committed.contains(E));
    assert((publishRows(E), true));
    if (!isSplit(E))
      Events[E].Position = Position;
    forEachCell(E, [&](const GraphCell &C) {
      LocationState &P = Locations[C.Location];
      const uint32_t At = C.Position - 1;
      assert(At <= P.Coherence.size() && "positions of coherence are counted from 1, without a gap");
      P.Coherence.insert(P.Coherence.begin() + At, E);
      renumber(C.Location, At);
      P.Writes.insert(E);
      P.NumEnds += Events[E].Ends;
      if constexpr (IsLarge)
        readersIn(C.Location, E).clear();
    });
    Readers[E].clear();
    Writes.insert(E);
    noteCommit(E);
    noteMode(E);
    if constexpr (IsLarge) {
      Large.commit(E, Committed);
      forEachCell(E, [&](const GraphCell &C) { leadsBackTo(Locations[C.Location], C.Position); });
      leadsBackToThread(E);
    }
    Committed.insert(E);
  }
  void uncommitWrite(EventId E) {
    assert(Writes.contains(E) && Committed.contains(E));
    assert(keptRows(E) && "rows of committed events do not change");
    forEachCell(E, [&](const GraphCell &C) {
      LocationState &P = Locations[C.Location];
      const uint32_t At = C.Position - 1;
      assert(At < P.Coherence.size() && P.Coherence[At] == E);
      P.Coherence.erase(P.Coherence.begin() + At);
      renumber(C.Location, At);
      P.Writes.erase(E);
      P.NumEnds -= Events[E].Ends;
    });
    Writes.erase(E);
    forgetCommit(E);
    forgetMode(E);
    Committed.erase(E);
    if constexpr (IsLarge)
      Large.uncommit();
  }
  /// Puts the writes of a location into another order.
  void arrange(LocationId Location, std::vector<EventId> Order) {
    assert(std::is_permutation(Order.begin(), Order.end(), Locations[Location].Coherence.begin(),
                               Locations[Location].Coherence.end()));
    Locations[Location].Coherence = std::move(Order);
    renumber(Location, 0);
  }
  /// The outcome of a store-conditional, or the write of an update that leaves things as they are.
  void commitVoid(EventId E) {
    assert(!Committed.contains(E));
    assert((publishRows(E), true));
    Events[E].Void = true;
    if constexpr (IsLarge)
      Large.commit(E, Committed);
    Committed.insert(E);
  }
  void uncommitVoid(EventId E) {
    assert(Events[E].Void && Committed.contains(E));
    assert(keptRows(E) && "rows of committed events do not change");
    Events[E].Void = false;
    Committed.erase(E);
    if constexpr (IsLarge)
      Large.uncommit();
  }

  /// Of a committed read: what it reads decides.
  void setMode(EventId Read, Order Mode) {
    forgetMode(Read);
    Events[Read].Mode = Mode;
    noteMode(Read);
  }
  void commitFence(EventId E) {
    Fences.insert(E);
    noteMode(E);
    commitVoid(E);
  }
  void uncommitFence(EventId E) {
    uncommitVoid(E);
    forgetMode(E);
    Fences.erase(E);
  }

  /// Atomicity, for a write that was just committed, if it was kept without that: nobody else writes between the write
  /// that an update (or load-reserve) read and its own.
  bool keepsUpdatesWhole(EventId Written) const {
    return !anyCell(Written, [&](const GraphCell &C) { return !keepsUpdatesWholeIn(C.Location, Written); });
  }
  /// The last of the events that are committed with E: itself, or the write of an update whose read it is.
  EventId lastWith(EventId E) const { return Events[E].OfUpdate && !Events[E].IsWrite && !Events[E].Alone ? E + 1 : E; }
  /// The first of them.
  EventId firstWith(EventId E) const {
    return Events[E].OfUpdate && Events[E].IsWrite && !Events[E - 1].Alone ? E - 1 : E;
  }
  /// Whether E is the write of an update whose read was committed without it.
  bool isLateWrite(EventId E) const { return Events[E].OfUpdate && Events[E].IsWrite && Events[E - 1].Alone; }
  /// Whether a write that is to be committed has but one position, because the read it belongs to is committed.
  bool hasOnePosition(EventId Write) const {
    return isLateWrite(Write) || (Events[Write].OfExchange && Committed.contains(Write - 1));
  }
  /// That position, in the next cell.
  uint32_t latePosition(EventId Write) const {
    const uint32_t K = Events[Write].Chosen;
    return positionIn(cell(Write, K).Location, cell(Write - 1, K).Source) + 1;
  }
  /// The write of an update, or of a store-conditional, that was committed before the read it belongs to.
  EventId earlyWriteOf(EventId Read) const {
    if (Events[Read].OfExchange)
      return Committed.contains(Read + 1) ? Read + 1 : NoEvent;
    EventId Found = NoEvent;
    forEachCell(Read, [&](const GraphCell &C) {
      Locations[C.Location].Writes.forEach([&](EventId W) {
        if (Events[W].Reserved == Read)
          Found = W;
      });
    });
    return Found;
  }
  /// The read that a committed write belongs to, if it is the write of an update.
  EventId readOf(EventId Write) const {
    if (Events[Write].OfUpdate)
      return Write - 1;
    return Events[Write].Reserved;
  }

  /// The union of a row of each event of a set, which are all committed.
  Set rowsOf(const Set &Of, EventRow Row) const
    requires IsLarge
  {
    return Large.Unions.of(Of, Row, [&](EventId E) { return rowOf(Events[E], Row); });
  }
  /// The committed events that something can lead to from the one that was committed last.
  Set reachable() const
    requires IsLarge
  {
    return Committed - Large.Before[Large.reachedFrom(static_cast<uint32_t>(Large.Order.size() - 1))];
  }
  /// About how much memory the graph takes up. Small graphs do not count.
  size_t bytes() const {
    if constexpr (IsLarge)
      return Set::bytesOfAll() + Large.bytes() + Events.size() * (sizeof(Event) + sizeof(Set)) +
             Locations.size() * sizeof(LocationState);
    return 0;
  }

private:
  void noteCommit(EventId E) {
    CommittedOf &Here = Threads[Events[E].Thread];
    if (Here.Accesses.size() <= Events[E].Index)
      Here.Accesses.resize(Events[E].Index + 1, NoEvent);
    Here.Accesses[Events[E].Index] = E;
    Here.End = std::max(Here.End, Events[E].Index + 1);
  }
  void forgetCommit(EventId E) {
    CommittedOf &Here = Threads[Events[E].Thread];
    Here.Accesses[Events[E].Index] = NoEvent;
    while (Here.End > 0 && Here.Accesses[Here.End - 1] == NoEvent)
      --Here.End;
  }
  /// For assertions, before an event is committed: what was committed before now has all its rows, and unions of them
  /// may be kept (RowUnions).
  void publishRows(EventId Next) {
    if (!Rows.empty() && !Rows.back().Published) {
      Rows.back().Published = true;
      Rows.back().All = allRowsOf(Events[Rows.back().Event]);
    }
    Rows.push_back({Next, false, {}});
  }
  /// Before a commit is taken back, which is mostly the latest: whether its rows are as they were when they were
  /// published.
  bool keptRows(EventId Committed) {
    const auto At =
        std::find_if(Rows.rbegin(), Rows.rend(), [&](const CommittedRows &R) { return R.Event == Committed; });
    if (At == Rows.rend() || (At->Published && At->All != allRowsOf(Events[Committed])))
      return false;
    Rows.erase(std::next(At).base());
    return true;
  }
  using RowsOfEvent = std::array<Set, 10>;
  static RowsOfEvent allRowsOf(const Event &E) {
    return {E.Past, E.II, E.IC, E.CI, E.CC, E.Order, E.OrderPast, E.PropBase, E.PropBasePast, E.Strong};
  }

  void noteMode(EventId E) {
    if (Events[E].Mode == Order::SeqCst)
      SeqCst.insert(E);
  }
  void forgetMode(EventId E) {
    if (Events[E].Mode == Order::SeqCst)
      SeqCst.erase(E);
  }

  /// Where the readers of a write in a location are noted. A small graph has one set for all locations of a write.
  Set &readersIn(LocationId Location, EventId Write) {
    if (Write == NoEvent)
      return Locations[Location].InitialReaders;
    if constexpr (IsLarge)
      if (isSplit(Write)) {
        uint32_t K = Events[Write].FirstCell;
        while (Cells[K].Location != Location)
          ++K;
        if (Large.CellReaders.size() <= K)
          Large.CellReaders.resize(K + 1);
        return Large.CellReaders[K];
      }
    return Readers[Write];
  }

  static const Set &rowOf(const Event &E, EventRow Row)
    requires IsLarge
  {
    switch (Row) {
    case EventRow::Past: return E.Past;
    case EventRow::II: return E.II;
    case EventRow::IC: return E.IC;
    case EventRow::CI: return E.CI;
    case EventRow::CC: return E.CC;
    case EventRow::OrderPast: return E.OrderPast;
    case EventRow::PropBase: return E.PropBase;
    case EventRow::PropBasePast: return E.PropBasePast;
    case EventRow::Strong: return E.Strong;
    case EventRow::From: return E.More.From;
    case EventRow::Before: break;
    }
    return E.Before;
  }

  /// Notes that something leads from the last commit to the writes of a location behind a position.
  /// The same where threads keep an order that is not in commit-before.
  void leadsBackToThread(EventId E) {
    if (!Large.KeepsMoreOrder || !isBehindCommitted(E))
      return;
    const CommittedOf &Here = Threads[Events[E].Thread];
    uint32_t First = ~0u;
    for (uint32_t K = Events[E].Index + 1; K < Here.End; ++K)
      if (Here.Accesses[K] != NoEvent)
        First = std::min(First, Large.CommitOf[Here.Accesses[K]]);
    Large.leadsBack(First);
  }
  void leadsBackTo(const LocationState &P, uint32_t Position) {
    uint32_t First = ~0u;
    for (uint32_t K = Position; K < P.Coherence.size(); ++K)
      First = std::min(First, Large.CommitOf[P.Coherence[K]]);
    if (First != ~0u)
      Large.leadsBack(First);
  }

  /// In one location: the write itself, and those that it may have come between. All that stood between the write and the
  /// read of one of these is of its thread.
  bool keepsUpdatesWholeIn(LocationId Location, EventId Written) const {
    const std::vector<EventId> &Coherence = Locations[Location].Coherence;
    const uint32_t Position = positionIn(Location, Written);
    auto ReadPosition = [&](EventId Read) { return positionIn(Location, cellIn(Location, Read).Source); };
    if (const EventId Read = readOf(Written); Read != NoEvent && Committed.contains(Read))
      for (uint32_t K = ReadPosition(Read); K + 1 < Position; ++K)
        if (isExternal(Coherence[K], Written))
          return false;
    for (uint32_t K = Position; K < Coherence.size(); ++K) {
      const EventId W = Coherence[K];
      if (K > Position && isExternal(Coherence[K - 1], W))
        break;
      if (const EventId Read = readOf(W);
          Read != NoEvent && Committed.contains(Read) && ReadPosition(Read) < Position && isExternal(Written, W))
        return false;
    }
    return true;
  }

  void renumber(LocationId Location, uint32_t From) {
    const std::vector<EventId> &Coherence = Locations[Location].Coherence;
    for (uint32_t K = From; K < Coherence.size(); ++K)
      const_cast<GraphCell &>(cellIn(Location, Coherence[K])).Position = K + 1;
  }

  /// The committed accesses of a thread, in program order.
  struct CommittedOf {
    std::vector<EventId> Accesses; // by index
    uint32_t End = 0;              // 1 + the index of the last one
  };

  /// The rows of committed events, in the order of their commits. Empty unless assertions are on.
  struct CommittedRows {
    EventId Event;
    bool Published;
    RowsOfEvent All;
  };

  std::vector<Set> Readers; // per write
  std::vector<CommittedRows> Rows;
  std::vector<CommittedOf> Threads;
};

} // namespace picket
