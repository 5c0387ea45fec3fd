#include "cat/CatAxioms.h"

#include "memory/Armv8Axioms.h"
#include "memory/FetchedEvents.h"

#include <algorithm>

namespace picket::cat {

namespace {

std::vector<NodeId> nodesOf(const std::vector<const Check *> &Checks) {
  std::vector<NodeId> Nodes;
  Nodes.reserve(Checks.size());
  for (const Check *C : Checks)
    Nodes.push_back(C->Of);
  return Nodes;
}

std::vector<NodeId> nodesAtEnd(const Model &M) {
  std::vector<NodeId> Nodes = nodesOf(M.allChecks());
  for (const Check &C : M.compiled().Flags)
    Nodes.push_back(C.Of);
  return Nodes;
}

/// Fills in the table of events of a graph.
template <unsigned Words> class TableMaker {
public:
  using Graph = ExecutionGraph<Words>;
  using Set = EventSet<Words>;
  using Barrier = typename Graph::Barrier;

  /// `All`: of all events that have been fetched, otherwise of those that are committed.
  TableMaker(const Graph &G, Architecture Arch, bool MainOnlyStarts, const Set &Expected, bool All, EventTable &Into)
      : G(G), Arch(Arch), Expected(Expected), Table(Into) {
    for (EventId E = 0; E < G.size(); ++E)
      if (!G[E].Decides && !(MainOnlyStarts && G[E].Thread == 0) &&
          ((All && (!G[E].Void || G[E].IsFence)) || G.Reads.contains(E) || G.Writes.contains(E) ||
           G.Fences.contains(E))) {
        if (G.isSplit(E))
          throw GraphStop(G[E].Thread, G[E].Pc, "accesses of different sizes that overlap");
        Accesses.push_back(E);
      }
    for (const Barrier &B : G.Barriers)
      if (!MainOnlyStarts || B.Thread)
        Barriers.push_back(&B);
    WithRuns = !All;
  }

  void make() {
    NumberOf.assign(G.size(), ~0u);
    uint32_t Number = 0;
    for (EventId E : Accesses)
      NumberOf[E] = Number++;
    const uint32_t FirstBarrier = Number;
    Number += static_cast<uint32_t>(Barriers.size());
    findMeetings();
    const uint32_t FirstMeeting = Number;
    Number += static_cast<uint32_t>(Meetings.size());
    FirstInitial = Number;
    Initial.assign(G.Locations.size(), ~0u);
    for (EventId E : Accesses)
      if (!G[E].IsFence && G[E].Location != NoLocation && Initial[G[E].Location] == ~0u)
        Initial[G[E].Location] = Number++;
    Table.reset(Number);
    addProgramOrder(FirstBarrier, FirstMeeting);
    for (EventId E : Accesses)
      addAccess(E);
    for (LocationId L = 0; L < Initial.size(); ++L)
      if (Initial[L] != ~0u)
        addInitial(L);
    addPairs();
    addThreads(FirstBarrier, FirstMeeting);
  }
  uint32_t numberOf(EventId E) const { return NumberOf[E]; }
  const std::vector<EventId> &accesses() const { return Accesses; }

private:
  /// Where a thread begins, or joins others: what they have done comes before what it does from then on.
  struct Meeting {
    EventId First; // the first access behind it
    Set Before;    // of other threads
  };

  void findMeetings() {
    std::vector<Set> SoFar;
    for (EventId E : Accesses) {
      const Set Others = foreign(E);
      if (Others.empty())
        continue;
      if (SoFar.size() <= G[E].Thread)
        SoFar.resize(G[E].Thread + 1);
      if (!Others.isSubsetOf(SoFar[G[E].Thread])) {
        SoFar[G[E].Thread] |= Others;
        Meetings.push_back({E, Others});
      }
    }
  }
  Set foreign(EventId E) const {
    Set Others;
    G[E].Sync.forEach([&](EventId X) {
      if (G[X].Thread != G[E].Thread && NumberOf[X] != ~0u)
        Others.insert(X);
    });
    return Others;
  }

  /// An update is one instruction, or a loop of two.
  void addPair(uint32_t Read, uint32_t Write) {
    const bool IsPair = Arch == Architecture::AArch64 && !G.UpdatesAreSingle;
    Table[IsPair ? BaseName::Lxsx : BaseName::Amo].add(Read, Write);
  }

  void add(BaseName Base, const Set &From, uint32_t To) {
    From.forEach([&](EventId X) {
      if (NumberOf[X] != ~0u)
        Table[Base].add(NumberOf[X], To);
    });
  }

  void addProgramOrder(uint32_t FirstBarrier, uint32_t FirstMeeting) {
    Bits &Po = Table[BaseName::Po];
    for (EventId E : Accesses) {
      add(BaseName::Po, G[E].Before, NumberOf[E]);
      add(BaseName::Po, foreign(E), NumberOf[E]);
    }
    auto Place = [&](uint32_t Number, uint32_t Thread, uint32_t Index) {
      for (EventId E : Accesses)
        if (G[E].Thread == Thread)
          G[E].Index < Index ? Po.add(NumberOf[E], Number) : Po.add(Number, NumberOf[E]);
    };
    for (uint32_t K = 0; K < Barriers.size(); ++K) {
      Place(FirstBarrier + K, Barriers[K]->Thread, Barriers[K]->Before);
      for (uint32_t Earlier = 0; Earlier < K; ++Earlier)
        if (Barriers[Earlier]->Thread == Barriers[K]->Thread)
          Po.add(FirstBarrier + Earlier, FirstBarrier + K);
    }
    for (uint32_t K = 0; K < Meetings.size(); ++K) {
      Place(FirstMeeting + K, G[Meetings[K].First].Thread, G[Meetings[K].First].Index);
      add(BaseName::Po, Meetings[K].Before, FirstMeeting + K);
      for (EventId E : Accesses) // of threads that begin, or are joined to, later on
        if (foreign(E).contains(Meetings[K].First))
          Po.add(FirstMeeting + K, NumberOf[E]);
    }
  }

  void addAccess(EventId E) {
    const auto &Access = G[E];
    const uint32_t Number = NumberOf[E];
    if (Access.IsFence) {
      Table[BaseName::F].add(Number);
    } else {
      Table[BaseName::M].add(Number);
      Table[Access.IsWrite ? BaseName::W : BaseName::R].add(Number);
    }
    add(BaseName::Addr, Armv8Axioms<Words>::realLoads(G, Access.Address, Expected), Number);
    add(BaseName::PickAddr, Access.Address, Number);
    if (Access.IsWrite) {
      add(BaseName::Data, Armv8Axioms<Words>::realLoads(G, Access.Data, Expected), Number);
      add(BaseName::PickData, Access.Data, Number);
    } else if (Access.Compares) {
      Table[BaseName::Cas].add(Number);
      add(BaseName::Compared, Access.Data, Number);
    }
    add(BaseName::Ctrl, Access.Control | Armv8Axioms<Words>::realLoads(G, Access.Control, Expected), Number);
    add(BaseName::PickCtrl, Access.Control, Number);
    addModes(E);
    if (Access.OfUpdate) {
      if (Arch != Architecture::C11 || NumberOf[Access.IsWrite ? E - 1 : E + 1] != ~0u)
        Table[BaseName::X].add(Number);
      if (Access.IsWrite && NumberOf[E - 1] != ~0u)
        addPair(NumberOf[E - 1], Number);
    }
    if (Access.OfExchange) {
      Table[BaseName::X].add(Number);
      Table[BaseName::Swp].add(Number);
      if (Access.IsWrite && NumberOf[E - 1] != ~0u)
        addPair(NumberOf[E - 1], Number);
    } else if (Access.Conditional && Access.Reserved != NoEvent && NumberOf[Access.Reserved] != ~0u) {
      Table[BaseName::Lxsx].add(NumberOf[Access.Reserved], Number);
      Table[BaseName::EX].add(Number);
      Table[BaseName::EX].add(NumberOf[Access.Reserved]);
    }
    if (Access.Unused && !Access.IsWrite)
      Table[BaseName::NoRet].add(Number);
    if (WithRuns && !Access.IsFence)
      addRun(E);
  }

  void addModes(EventId E) {
    const uint32_t Number = NumberOf[E];
    const Order Mode = G[E].Mode;
    if (Arch == Architecture::AArch64) {
      if (Mode == Order::AcquirePC && !G[E].IsWrite)
        Table[BaseName::AcquirePC].add(Number);
      else if (Mode >= Order::Acquire && Mode != Order::Release && !G[E].IsWrite)
        Table[BaseName::Acquire].add(Number);
      else if (Mode >= Order::Release && G[E].IsWrite)
        Table[BaseName::Release].add(Number);
      return;
    }
    if (Arch != Architecture::C11 || Mode == Order::NotAtomic)
      return;
    if (!G[E].IsFence)
      Table[BaseName::Atomic].add(Number);
    switch (Mode) {
    case Order::Relaxed: Table[BaseName::Relaxed].add(Number); break;
    case Order::AcquirePC:
    case Order::Acquire: Table[BaseName::Acquire].add(Number); break;
    case Order::Release: Table[BaseName::Release].add(Number); break;
    case Order::AcqRel: Table[BaseName::AcqRel].add(Number); break;
    default: Table[BaseName::SeqCst].add(Number);
    }
  }

  /// Reads-from, coherence and from-reads, as far as they lead to an access.
  void addRun(EventId E) {
    const uint32_t Number = NumberOf[E];
    const auto &Location = G.Locations[G[E].Location];
    auto NumberOfWrite = [&](uint32_t Position) {
      return Position ? NumberOf[Location.Coherence[Position - 1]] : Initial[G[E].Location];
    };
    const uint32_t Here = G.coherenceOf(E);
    if (!G[E].IsWrite) {
      Table[BaseName::Rf].add(NumberOfWrite(Here), Number);
      for (uint32_t K = Here + 1; K <= Location.Coherence.size(); ++K)
        Table[BaseName::Fr].add(Number, NumberOfWrite(K));
      return;
    }
    for (uint32_t K = 0; K < Here; ++K)
      Table[BaseName::Co].add(NumberOfWrite(K), Number);
    if (Here == Location.Coherence.size())
      Table[BaseName::FW].add(Number);
  }

  void addInitial(LocationId L) {
    Table[BaseName::W].add(Initial[L]);
    Table[BaseName::M].add(Initial[L]);
    Table[BaseName::IW].add(Initial[L]);
    if (WithRuns && G.Locations[L].Coherence.empty())
      Table[BaseName::FW].add(Initial[L]);
  }

  void addPairs() {
    std::vector<std::vector<uint32_t>> Of(G.Locations.size());
    for (EventId E : Accesses)
      if (!G[E].IsFence && G[E].Location != NoLocation)
        Of[G[E].Location].push_back(NumberOf[E]);
    for (LocationId L = 0; L < Of.size(); ++L) {
      if (Initial[L] != ~0u)
        Of[L].push_back(Initial[L]);
      for (uint32_t A : Of[L])
        for (uint32_t B : Of[L])
          Table[BaseName::Loc].add(A, B);
    }
    for (uint32_t E = 0; E < Table.Count; ++E)
      Table[BaseName::Id].add(E, E);
  }

  void addThreads(uint32_t FirstBarrier, uint32_t FirstMeeting) {
    std::vector<uint32_t> ThreadOf(Table.Count, ~0u);
    for (EventId E : Accesses)
      ThreadOf[NumberOf[E]] = G[E].Thread;
    for (uint32_t K = 0; K < Barriers.size(); ++K) {
      ThreadOf[FirstBarrier + K] = Barriers[K]->Thread;
      addBarrier(FirstBarrier + K, *Barriers[K]);
    }
    for (uint32_t K = 0; K < Meetings.size(); ++K) {
      ThreadOf[FirstMeeting + K] = G[Meetings[K].First].Thread;
      if (Arch != Architecture::C11) { // they order everything, like a full fence
        Table[BaseName::F].add(FirstMeeting + K);
        Table[BaseName::FullFence].add(FirstMeeting + K);
      }
    }
    for (uint32_t A = 0; A < Table.Count; ++A)
      for (uint32_t B = 0; B < Table.Count; ++B)
        if (A == B || (A < FirstInitial && B < FirstInitial && ThreadOf[A] == ThreadOf[B]))
          Table[BaseName::Int].add(A, B);
        else
          Table[BaseName::Ext].add(A, B);
  }

  void addBarrier(uint32_t Number, const Barrier &B) {
    Table[BaseName::F].add(Number);
    add(BaseName::Ctrl, B.Control | Armv8Axioms<Words>::realLoads(G, B.Control, Expected), Number);
    add(BaseName::PickCtrl, B.Control, Number);
    BaseName Kind = BaseName::FullFence;
    switch (B.Kind) {
    case FenceKind::Full: break;
    case FenceKind::StoreStore:
    case FenceKind::DmbSt: Kind = BaseName::StoreFence; break;
    case FenceKind::DmbLd: Kind = BaseName::LoadFence; break;
    case FenceKind::Acquire: Kind = Arch == Architecture::PPC ? BaseName::LightFence : BaseName::LoadFence; break;
    case FenceKind::Release:
    case FenceKind::AcqRel:
    case FenceKind::LwSync:
      Kind = Arch == Architecture::PPC   ? BaseName::LightFence
             : Arch == Architecture::X86 ? BaseName::StoreFence
                                         : BaseName::FullFence;
      break;
    case FenceKind::ISync:
    case FenceKind::Isb: Kind = BaseName::InstructionFence; break;
    case FenceKind::Dsb: Kind = Arch == Architecture::AArch64 ? BaseName::FullDsb : BaseName::FullFence; break;
    case FenceKind::DsbLd: Kind = BaseName::LoadDsb; break;
    case FenceKind::DsbSt: Kind = Arch == Architecture::AArch64 ? BaseName::StoreDsb : BaseName::FullFence; break;
    }
    Table[Kind].add(Number);
  }

  const Graph &G;
  const Architecture Arch;
  const Set Expected;
  EventTable &Table;
  bool WithRuns = true;
  std::vector<EventId> Accesses;
  std::vector<const Barrier *> Barriers;
  std::vector<uint32_t> NumberOf, Initial; // per event of the graph, per location; ~0: not in the table
  std::vector<Meeting> Meetings;
  uint32_t FirstInitial = 0;
};

} // namespace

template <unsigned Words>
CatAxioms<Words>::CatAxioms(std::shared_ptr<const Model> Given, bool MainOnlyStarts)
    : Text(std::move(Given)), MainOnlyStarts(MainOnlyStarts),
      AtSteps(Text->compiled(), nodesOf(Text->monotonicChecks())), AtEnd(Text->compiled(), nodesAtEnd(*Text)),
      Order(Text->compiled(), {Text->compiled().CommitBefore}) {}

template <unsigned Words> EventSet<Words> CatAxioms<Words>::commitBefore(const Graph &G, EventId E) const {
  const GraphEvent<Words> &Event = G[E];
  // Without these it is not known what is accessed, or whether. Threads begin after their creation.
  Set Direct = Event.Address | Event.Data | Event.Control | Event.Fetch | (Event.Sync - Event.Before);
  if (Event.OfUpdate && Event.IsWrite)
    Direct.insert(E - 1);
  else if (Event.Conditional && Event.Reserved != NoEvent && !Event.OfExchange)
    Direct.insert(Event.Reserved);
  if (!Text->isStepwise() || Event.Decides)
    return Direct;
  if (!isSame(G))
    updateOrder(G);
  return Direct | Before[E];
}

/// Whether commit-before was evaluated for these events.
template <unsigned Words> bool CatAxioms<Words>::isSame(const Graph &G) const {
  if (Known.size() != G.size() || KnownBarriers.size() != G.Barriers.size())
    return false;
  for (size_t K = 0; K < KnownBarriers.size(); ++K)
    if (KnownBarriers[K] != std::tuple(G.Barriers[K].Thread, G.Barriers[K].Before, G.Barriers[K].Kind))
      return false;
  for (EventId E = 0; E < G.size(); ++E) {
    const Fetched &F = Known[E];
    const auto &Event = G[E];
    if (F.Thread != Event.Thread || F.Pc != Event.Pc || F.Location != Event.Location || F.Void != Event.Void ||
        !(F.Address == Event.Address) || !(F.Data == Event.Data) || !(F.Control == Event.Control) ||
        !(F.Sync == Event.Sync))
      return false;
  }
  return true;
}

template <unsigned Words> void CatAxioms<Words>::updateOrder(const Graph &G) const {
  Known.clear();
  for (EventId E = 0; E < G.size(); ++E)
    Known.push_back({G[E].Thread, G[E].Pc, G[E].Location, G[E].Void, G[E].Address, G[E].Data, G[E].Control, G[E].Sync});
  KnownBarriers.clear();
  for (const auto &B : G.Barriers)
    KnownBarriers.emplace_back(B.Thread, B.Before, B.Kind);
  TableMaker<Words> Maker(G, Text->compiled().Events, MainOnlyStarts, Set(), true, Events);
  Maker.make();
  Order.evaluate(Events);
  const Bits &Relation = Order.valueOf(Text->compiled().CommitBefore);
  Before.assign(G.size(), Set());
  for (EventId To : Maker.accesses())
    for (EventId From : Maker.accesses())
      if (From != To && Relation.has(Maker.numberOf(From), Maker.numberOf(To)))
        Before[To].insert(From);
}

template <unsigned Words> void CatAxioms<Words>::extend(Graph &G, EventId E) const {
  if (G.isSplit(E))
    throw GraphStop(G[E].Thread, G[E].Pc, "accesses of different sizes that overlap");
}

template <unsigned Words> bool CatAxioms<Words>::allows(const Graph &G, EventId E) const {
  if (!Text->isStepwise())
    return true;
  return Armv8Axioms<Words>::isInternallyVisible(G, E) && holds(G, AtSteps, Text->monotonicChecks());
}

template <unsigned Words> bool CatAxioms<Words>::allowsWhole(const Graph &G, bool Complete) const {
  if (!Complete)
    return Text->isStepwise() || holds(G, AtSteps, Text->monotonicChecks());
  if (Text->isStepwise() && !Text->hasOthers() && Text->compiled().Flags.empty())
    return true;
  if (!holds(G, AtEnd, Text->allChecks()))
    return false;
  noteFlags();
  return true;
}

/// The result of a CAS that writes may come from the read or from what was expected: the graph is allowed if it is so for
/// one choice of them.
template <unsigned Words> bool CatAxioms<Words>::holds(const Graph &G, Evaluation &Of, const Checks &All) const {
  if (holdsWith(G, Set(), Of, All))
    return true;
  if (!G.AnyCompares)
    return false;
  std::vector<EventId> Choosable;
  G.Reads.forEach([&](EventId Read) {
    if (G[Read].Compares && G.Writes.contains(Read + 1))
      Choosable.push_back(Read);
  });
  constexpr size_t Most = 16; // more than that are all taken alike
  const uint32_t Choices = 1u << std::min(Choosable.size(), Most);
  for (uint32_t Choice = 1; Choice < Choices; ++Choice) {
    Set Expected;
    for (size_t K = 0; K < Choosable.size(); ++K)
      if (Choice >> std::min(K, Most - 1) & 1)
        Expected.insert(Choosable[K]);
    if (holdsWith(G, Expected, Of, All))
      return true;
  }
  return false;
}

template <unsigned Words>
bool CatAxioms<Words>::holdsWith(const Graph &G, const Set &Expected, Evaluation &Of, const Checks &All) const {
  TableMaker<Words>(G, Text->compiled().Events, MainOnlyStarts, Expected, false, Events).make();
  Of.evaluate(Events);
  return std::all_of(All.begin(), All.end(), [&](const Check *C) { return Of.holds(*C); });
}

/// Of the execution that was evaluated last.
template <unsigned Words> void CatAxioms<Words>::noteFlags() const {
  const std::vector<Check> &Flags = Text->compiled().Flags;
  for (size_t K = 0; K < Flags.size(); ++K)
    if (!AtEnd.holds(Flags[K]))
      Text->raise(K);
}

template class CatAxioms<0>;
template class CatAxioms<1>;
template class CatAxioms<4>;
template class CatAxioms<16>;

} // namespace picket::cat
