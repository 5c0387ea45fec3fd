#include "trace/Trace.h"

#include "trace/Atoms.h"

#include <algorithm>
#include <map>

namespace picket {

const char *nameOf(EdgeKind Kind) {
  switch (Kind) {
  case EdgeKind::ProgramOrder: return "po";
  case EdgeKind::StoreToUpdate: return "su";
  case EdgeKind::UpdateToUpdate: return "uu";
  case EdgeKind::StoreOrder: return "st";
  case EdgeKind::Source: return "src";
  case EdgeKind::Conflict: return "cf";
  case EdgeKind::UpdateToFence: return "uf";
  case EdgeKind::SyncOrder: return "sync";
  case EdgeKind::Lifecycle: return "life";
  case EdgeKind::AddressDependency: return "addr";
  case EdgeKind::DataDependency: return "data";
  case EdgeKind::ControlDependency: return "ctrl";
  case EdgeKind::FenceOrder: return "fence";
  case EdgeKind::Race: return "race";
  }
  return "?";
}

namespace {

/// Whether the event changes memory when it happens.
bool lands(const TraceEvent &E) { return E.Kind != EventKind::Store || E.Partner == NoEvent; }

bool isSync(const TraceEvent &E) { return E.Kind == EventKind::Sync || E.Kind == EventKind::Blocked; }

class Builder {
public:
  explicit Builder(const Recording &R) : Run(R), Memory(R), NumThreads(static_cast<uint32_t>(R.Threads.size())) {
    for (const TraceEvent &E : R.Events)
      NumThreads = std::max({NumThreads, E.Thread + 1, E.Other + 1});
    Writes.resize(Memory.size());
    for (uint32_t K = 0; K < R.Events.size(); ++K)
      if (lands(R.Events[K]) && !isSync(R.Events[K]))
        eachAtom(K, true, [&](uint32_t Atom) {
          if (Writes[Atom].empty() || Writes[Atom].back() != K)
            Writes[Atom].push_back(K);
        });
    if (OutOfOrder)
      for (uint32_t Atom = 0; Atom < Writes.size(); ++Atom)
        std::stable_sort(Writes[Atom].begin(), Writes[Atom].end(),
                         [&](uint32_t A, uint32_t B) { return coherenceOf(A, Atom) < coherenceOf(B, Atom); });
  }

  TraceGraph chronological() {
    if (OutOfOrder)
      return {};
    for (uint32_t K = 0; K < Run.Events.size(); ++K)
      Graph.Nodes.push_back(K);
    programOrder(true);
    updateOrder();
    for (uint32_t K = 0; K < Run.Events.size(); ++K)
      if (Run.Events[K].Kind == EventKind::Store && Run.Events[K].Partner != NoEvent)
        add(K, Run.Events[K].Partner, EdgeKind::StoreToUpdate);
    for (const std::vector<uint32_t> &Order : Writes)
      for (size_t K = 1; K < Order.size(); ++K)
        add(Order[K - 1], Order[K], EdgeKind::UpdateToUpdate);
    readEdges(true);
    fenceEdges();
    syncEdges();
    lifecycle();
    return finish();
  }

  TraceGraph shashaSnir() {
    for (uint32_t K = 0; K < Run.Events.size(); ++K)
      if (Run.Events[K].Kind != EventKind::Update)
        Graph.Nodes.push_back(K);
    programOrder(false);
    for (const std::vector<uint32_t> &Order : Writes)
      for (size_t K = 1; K < Order.size(); ++K)
        add(storeOf(Order[K - 1]), storeOf(Order[K]), EdgeKind::StoreOrder);
    if (OutOfOrder) {
      sourceEdges();
      dependencies();
    } else {
      readEdges(false);
    }
    syncEdges();
    lifecycle();
    return finish();
  }

private:
  /// POWER: where an event stands among the writes of what it writes. The end of memory is behind everything.
  uint32_t coherenceOf(uint32_t Event, uint32_t Atom) const {
    if (Run.Events[Event].Kind == EventKind::Free)
      return ~0u;
    for (const TraceAccess &A : Run.Events[Event].Accesses)
      if (A.Write)
        return A.at(offsetIn(A, Atom)).Position;
    return 0;
  }
  uint32_t offsetIn(const TraceAccess &A, uint32_t Atom) const {
    const uint64_t Start = Run.Variables[A.Variable].Address, Here = Memory.addressOf(Atom);
    return Here > Start ? static_cast<uint32_t>(Here - Start) : 0;
  }

  void add(uint32_t From, uint32_t To, EdgeKind Kind) {
    if (From != To)
      Graph.Edges.push_back({From, To, Kind});
  }
  TraceGraph finish() {
    std::sort(Graph.Edges.begin(), Graph.Edges.end());
    Graph.Edges.erase(std::unique(Graph.Edges.begin(), Graph.Edges.end()), Graph.Edges.end());
    return std::move(Graph);
  }

  template <typename F> void eachAtom(uint32_t Event, bool Write, F Do) const {
    for (const TraceAccess &A : Run.Events[Event].Accesses)
      if (A.Write == Write)
        for (uint32_t Atom : Memory.of(A.Variable))
          Do(Atom);
  }
  uint32_t storeOf(uint32_t Write) const {
    return Run.Events[Write].Kind == EventKind::Update ? Run.Events[Write].Partner : Write;
  }

  void programOrder(bool WithUpdates) {
    std::vector<uint32_t> Last(NumThreads, NoEvent), LastUpdate(NumThreads, NoEvent);
    for (uint32_t K = 0; K < Run.Events.size(); ++K) {
      const TraceEvent &E = Run.Events[K];
      bool Update = E.Kind == EventKind::Update;
      if (Update && (!WithUpdates || InAnyOrder))
        continue;
      uint32_t &Before = (Update ? LastUpdate : Last)[E.Thread];
      if (Before != NoEvent)
        add(Before, K, EdgeKind::ProgramOrder);
      Before = K;
    }
  }

  /// PSO: upd(p, x) has a program order of its own per location, and store-store barriers order the updates of stores
  /// before them with those of stores behind.
  void updateOrder() {
    if (!InAnyOrder)
      return;
    struct Stores {
      std::map<uint32_t, uint32_t> Last, BeforeBarrier; // variable -> update
      std::map<uint32_t, bool> SinceBarrier;            // variables stored to since the barrier
    };
    std::vector<Stores> PerThread(NumThreads);
    for (uint32_t K = 0; K < Run.Events.size(); ++K) {
      const TraceEvent &E = Run.Events[K];
      Stores &S = PerThread[E.Thread];
      if (E.StoreBarrier) {
        S.BeforeBarrier = S.Last;
        S.SinceBarrier.clear();
      }
      if (E.Kind == EventKind::Rmw)
        for (auto [Other, Update] : S.BeforeBarrier)
          add(Update, K, EdgeKind::FenceOrder);
      if (E.Kind != EventKind::Store || E.Partner == NoEvent)
        continue;
      uint32_t Variable = E.Accesses[0].Variable;
      if (auto Before = S.Last.find(Variable); Before != S.Last.end())
        add(Before->second, E.Partner, EdgeKind::ProgramOrder);
      if (S.SinceBarrier.try_emplace(Variable, true).second)
        for (auto [Other, Update] : S.BeforeBarrier)
          if (Other != Variable)
            add(Update, E.Partner, EdgeKind::FenceOrder);
      S.Last[Variable] = E.Partner;
    }
  }

  /// Source and conflict. A load reads the latest own store that has not landed yet, else what landed last.
  void readEdges(bool Chronological) {
    std::vector<std::vector<uint32_t>> OwnStore(NumThreads, std::vector<uint32_t>(Memory.size(), NoEvent));
    std::vector<size_t> Landed(Memory.size(), 0);
    for (uint32_t K = 0; K < Run.Events.size(); ++K) {
      const TraceEvent &E = Run.Events[K];
      if (isSync(E))
        continue;
      eachAtom(K, false, [&](uint32_t Atom) {
        const std::vector<uint32_t> &Order = Writes[Atom];
        uint32_t Own = OwnStore[E.Thread][Atom];
        uint32_t OwnUpdate = Own == NoEvent ? NoEvent : Run.Events[Own].Partner;
        bool Forwarded = OwnUpdate != NoEvent && OwnUpdate > K;
        // Position in the order of writes behind the one that is read.
        size_t Next = Forwarded
                          ? static_cast<size_t>(std::find(Order.begin(), Order.end(), OwnUpdate) - Order.begin()) + 1
                          : Landed[Atom];
        if (Next > 0) {
          uint32_t From = Order[Next - 1];
          if (!Chronological)
            add(storeOf(From), K, EdgeKind::Source);
          else if (Run.Events[From].Thread != E.Thread)
            add(From, K, EdgeKind::Source);
        }
        if (Next < Order.size()) {
          uint32_t To = Order[Next];
          add(K, Chronological ? To : storeOf(To), EdgeKind::Conflict);
        }
      });
      if (E.Kind == EventKind::Store && E.Partner != NoEvent)
        eachAtom(K, true, [&](uint32_t Atom) { OwnStore[E.Thread][Atom] = K; });
      if (lands(E))
        eachAtom(K, true, [&](uint32_t Atom) {
          if (Landed[Atom] < Writes[Atom].size() && Writes[Atom][Landed[Atom]] == K)
            ++Landed[Atom];
        });
    }
  }

  /// The same where accesses say what they read.
  void sourceEdges() {
    for (uint32_t K = 0; K < Run.Events.size(); ++K) {
      if (isSync(Run.Events[K]))
        continue;
      for (const TraceAccess &A : Run.Events[K].Accesses) {
        if (A.Write || (A.Source == NoEvent && Run.Events[K].Kind == EventKind::Bug))
          continue;
        A.eachSource([&](uint32_t From) { add(From, K, EdgeKind::Source); });
        for (uint32_t Atom : Memory.of(A.Variable)) {
          const std::vector<uint32_t> &Order = Writes[Atom];
          auto Read = std::find(Order.begin(), Order.end(), A.at(offsetIn(A, Atom)).Source);
          auto Next = Read == Order.end() ? Order.begin() : Read + 1;
          if (Next != Order.end())
            add(K, *Next, EdgeKind::Conflict);
        }
      }
    }
  }

  void dependencies() {
    for (uint32_t K = 0; K < Run.Events.size(); ++K)
      for (const TraceLink &L : Run.Events[K].Links)
        switch (L.What) {
        case TraceLink::Address: add(L.On, K, EdgeKind::AddressDependency); break;
        case TraceLink::Data: add(L.On, K, EdgeKind::DataDependency); break;
        case TraceLink::Control: add(L.On, K, EdgeKind::ControlDependency); break;
        case TraceLink::Fence: add(L.On, K, EdgeKind::FenceOrder); break;
        case TraceLink::Kept: break; // for one of the reasons above, or a chain of them
        }
  }

  void fenceEdges() {
    std::vector<std::map<uint32_t, uint32_t>> Latest(NumThreads); // variable -> update; TSO: one entry
    for (uint32_t K = 0; K < Run.Events.size(); ++K) {
      const TraceEvent &E = Run.Events[K];
      if (E.Kind == EventKind::Update) {
        Latest[E.Thread][InAnyOrder ? E.Accesses[0].Variable : 0] = K;
      } else if (E.FullFence) {
        for (auto [Variable, Update] : Latest[E.Thread])
          add(Update, K, EdgeKind::UpdateToFence);
        Latest[E.Thread].clear();
      } else if (E.Kind == EventKind::Rmw) { // waits for the buffer of its own location
        for (auto [Variable, Update] : Latest[E.Thread])
          if (Memory.overlap(Variable, E.Accesses[0].Variable))
            add(Update, K, EdgeKind::UpdateToFence);
      }
    }
  }

  void syncEdges() {
    struct Operations {
      uint32_t Last = NoEvent;
      std::vector<uint32_t> Idle; // POWER: since then, those that left the object as it was: in no order
    };
    std::map<uint32_t, Operations> Objects;
    std::vector<uint32_t> Order;
    for (uint32_t K = 0; K < Run.Events.size(); ++K)
      if (isSync(Run.Events[K]) || Run.Events[K].Kind == EventKind::Bug ||
          (Run.Events[K].Kind == EventKind::Free && !OutOfOrder))
        Order.push_back(K);
    if (OutOfOrder)
      std::stable_sort(Order.begin(), Order.end(),
                       [&](uint32_t A, uint32_t B) { return syncPosition(A) < syncPosition(B); });
    for (uint32_t K : Order) {
      const TraceEvent &E = Run.Events[K];
      for (const TraceAccess &A : E.Accesses) {
        if (E.Kind == EventKind::Free) { // ends the objects in it, behind what was done with them
          for (const auto &[Object, On] : Objects)
            if (On.Last != NoEvent && Memory.overlap(Object, A.Variable))
              add(On.Last, K, EdgeKind::SyncOrder);
          continue;
        }
        Operations &On = Objects[A.Variable];
        const bool Idle = OutOfOrder && E.Kind == EventKind::Sync && A.Position == 0;
        for (uint32_t Before : On.Idle)
          if (!Idle)
            add(Before, K, EdgeKind::SyncOrder);
        if (On.Last != NoEvent && (Idle || On.Idle.empty()))
          add(On.Last, K, EdgeKind::SyncOrder);
        if (Idle) {
          On.Idle.push_back(K);
        } else if (E.Kind == EventKind::Sync || On.Last == NoEvent) {
          On.Last = K;
          On.Idle.clear();
        }
      }
    }
  }

  /// POWER: where an operation stands among those on its object, behind the one whose result it found.
  std::pair<uint32_t, bool> syncPosition(uint32_t Event) const {
    const TraceEvent &E = Run.Events[Event];
    if (E.Kind != EventKind::Sync)
      return {~0u, true};
    const TraceAccess &A = E.Accesses[0];
    if (A.Position)
      return {A.Position, false};
    return {A.Source == NoEvent ? 0 : Run.Events[A.Source].Accesses[0].Position, true};
  }

  void lifecycle() {
    std::vector<uint32_t> CreatedBy(NumThreads, NoEvent), LastOf(NumThreads, NoEvent);
    for (uint32_t K = 0; K < Run.Events.size(); ++K) {
      const TraceEvent &E = Run.Events[K];
      if (E.Kind == EventKind::Update)
        continue;
      if (LastOf[E.Thread] == NoEvent && CreatedBy[E.Thread] != NoEvent)
        add(CreatedBy[E.Thread], K, EdgeKind::Lifecycle);
      LastOf[E.Thread] = K;
      if (E.Kind == EventKind::Create)
        CreatedBy[E.Other] = K;
      else if (E.Kind == EventKind::Join)
        joinEdges(E.Other, K, LastOf[E.Other]);
    }
  }

  /// The last event of a thread, and the last updates of its stores, come before its end is noticed.
  void joinEdges(uint32_t Thread, uint32_t Join, uint32_t Last) {
    if (Last != NoEvent)
      add(Last, Join, EdgeKind::Lifecycle);
    if (Graph.Nodes.size() != Run.Events.size())
      return; // no updates in this graph
    std::map<uint32_t, uint32_t> Latest;
    for (uint32_t K = 0; K < Join; ++K)
      if (Run.Events[K].Kind == EventKind::Update && Run.Events[K].Thread == Thread)
        Latest[InAnyOrder ? Run.Events[K].Accesses[0].Variable : 0] = K;
    for (auto [Variable, Update] : Latest)
      add(Update, Join, EdgeKind::Lifecycle);
  }

  const Recording &Run;
  const bool OutOfOrder = !infoOf(Run.Model).Chronological;
  const bool InAnyOrder = infoOf(Run.Model).Buffers == Buffering::PerLocation; // updates of different locations
  Atoms Memory;
  uint32_t NumThreads;
  std::vector<std::vector<uint32_t>> Writes; // per atom: events that change memory, in order
  TraceGraph Graph;
};

} // namespace

TraceGraph chronologicalTrace(const Recording &R) { return Builder(R).chronological(); }
TraceGraph shashaSnirTrace(const Recording &R) { return Builder(R).shashaSnir(); }

} // namespace picket
