#include "trace/Counterexample.h"
#include "trace/Wording.h"

#include <algorithm>
#include <map>
#include <queue>

namespace picket {

namespace {

/// Orders the events of a chronological trace. Running a thread on as far as it can go never costs anything later,
/// since the trace is fixed; nor does letting stores reach memory as soon as they can. So the only choice is which
/// thread comes next when one has to wait, and a search over those finds the best.
class Linearisation {
public:
  Linearisation(const Recording &R, const TraceGraph &G, std::vector<std::vector<uint32_t>> Threads)
      : Run(R), OfThread(std::move(Threads)), Waits(R.Events.size(), 0), After(R.Events.size()) {
    for (const TraceEdge &E : G.Edges)
      edge(E.From, E.To);
    // The bug comes last, and threads that wait forever begin to wait shortly before.
    for (uint32_t Last = 0; Last < R.Events.size(); ++Last)
      if (R.Events[Last].Kind == EventKind::Bug || R.Events[Last].Kind == EventKind::Blocked)
        for (uint32_t K = 0; K < R.Events.size(); ++K)
          if (rank(K) < rank(Last) && R.Events[K].Kind != EventKind::Update)
            edge(K, Last);
  }

  std::vector<uint32_t> best() {
    Search First(*this);
    using Entry = std::pair<std::pair<unsigned, unsigned>, size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> Open;
    std::vector<Search> States{First};
    std::map<std::vector<uint32_t>, std::pair<unsigned, unsigned>> Best{{First.Position, {0, 0}}};
    Open.push({{0, 0}, 0});
    while (!Open.empty()) {
      auto [Cost, Index] = Open.top();
      Open.pop();
      if (States[Index].Order.size() == Run.Events.size())
        return States[Index].Order;
      if (Best[States[Index].Position] < Cost)
        continue;
      if (States.size() * Run.Events.size() > MaxWork)
        return greedy(States[Index]);
      for (uint32_t T = 0; T < OfThread.size(); ++T) {
        if (!States[Index].canRun(*this, T))
          continue;
        Search Next = States[Index];
        Next.run(*this, T);
        std::pair<unsigned, unsigned> NewCost{Next.Blocks, Next.Delays};
        auto [Known, IsNew] = Best.try_emplace(Next.Position, NewCost);
        if (!IsNew && Known->second <= NewCost)
          continue;
        Known->second = NewCost;
        Open.push({NewCost, States.size()});
        States.push_back(std::move(Next));
      }
    }
    return {}; // the graph has a cycle: not a chronological trace
  }

private:
  static constexpr size_t MaxWork = 4'000'000;

  int rank(uint32_t K) const {
    return Run.Events[K].Kind == EventKind::Bug ? 2 : Run.Events[K].Kind == EventKind::Blocked ? 1 : 0;
  }
  void edge(uint32_t From, uint32_t To) {
    After[From].push_back(To);
    ++Waits[To];
  }

  struct Search {
    explicit Search(const Linearisation &L) : Position(L.OfThread.size(), 0), Left(L.Waits) { landAll(L); }

    bool canRun(const Linearisation &L, uint32_t T) const {
      return Position[T] < L.OfThread[T].size() && Left[L.OfThread[T][Position[T]]] == 0;
    }
    void run(const Linearisation &L, uint32_t T) {
      ++Blocks;
      while (canRun(L, T)) {
        take(L, L.OfThread[T][Position[T]++]);
        landAll(L);
      }
    }
    void take(const Linearisation &L, uint32_t Event) {
      Order.push_back(Event);
      for (uint32_t To : L.After[Event])
        if (--Left[To] == 0 && L.Run.Events[To].Kind == EventKind::Update)
          Ready.push_back(To);
    }
    /// Lets every store land that can.
    void landAll(const Linearisation &L) {
      for (size_t K = 0; K < Ready.size(); ++K) {
        Delays += Order.back() != L.Run.Events[Ready[K]].Partner;
        take(L, Ready[K]);
      }
      Ready.clear();
    }

    std::vector<uint32_t> Order, Position, Left, Ready;
    unsigned Blocks = 0, Delays = 0;
  };

  /// For long traces: runs every thread that can run.
  std::vector<uint32_t> greedy(Search S) const {
    for (bool Moved = true; Moved;) {
      Moved = false;
      for (uint32_t T = 0; T < OfThread.size(); ++T)
        if (S.canRun(*this, T)) {
          S.run(*this, T);
          Moved = true;
        }
    }
    return S.Order;
  }

  const Recording &Run;
  std::vector<std::vector<uint32_t>> OfThread;
  std::vector<uint32_t> Waits; // how many events must come before
  std::vector<std::vector<uint32_t>> After;
};

} // namespace

std::vector<uint32_t> mostSequentialOrder(const Recording &R, const TraceGraph &Chronological) {
  std::vector<std::vector<uint32_t>> OfThread;
  for (uint32_t K = 0; K < R.Events.size(); ++K) {
    OfThread.resize(std::max<size_t>(OfThread.size(), R.Events[K].Thread + 1));
    if (R.Events[K].Kind != EventKind::Update)
      OfThread[R.Events[K].Thread].push_back(K);
  }
  return mostSequentialOrder(R, Chronological, std::move(OfThread));
}

std::vector<uint32_t> mostSequentialOrder(const Recording &R, const TraceGraph &Acyclic,
                                          std::vector<std::vector<uint32_t>> OfThread) {
  return Linearisation(R, Acyclic, std::move(OfThread)).best();
}

namespace {

/// The contents of memory, buffers and locks after each step.
class ProgramState {
public:
  std::vector<std::string> Memory;
  std::vector<std::vector<BufferedStore>> Buffers;
  std::vector<HeldLock> Locks;

  explicit ProgramState(const Recording &R) : Buffers(R.Threads.size()), Run(R) {
    for (const TraceVariable &V : R.Variables) {
      Memory.push_back(V.Initial);
      if (V.Size > 16)
        continue;
      for (uint32_t K = 0; K < V.Size; ++K)
        Bytes.try_emplace(V.Address + K, static_cast<uint8_t>((K < 8 ? V.InitialLow : V.InitialHigh) >> (8 * (K % 8))));
    }
  }

  void happen(uint32_t Event) {
    const TraceEvent &E = Run.Events[Event];
    if (E.Kind == EventKind::Store && E.Partner != NoEvent) {
      Buffers[E.Thread].push_back({Event, E.Accesses[0].Variable, E.Accesses[0].Text});
      return;
    }
    if (E.Kind == EventKind::Update)
      std::erase_if(Buffers[E.Thread], [&](const BufferedStore &S) { return S.Store == E.Partner; });
    if (E.Kind == EventKind::Sync)
      lock(E);
    else if (E.Kind != EventKind::Free && E.Kind != EventKind::Blocked)
      for (const TraceAccess &A : E.Accesses)
        if (A.Write)
          write(A);
  }

private:
  /// POWER: what is in memory in the end is not always what is told last.
  bool isLatest(const TraceAccess &A, uint32_t Offset) {
    const uint32_t Position = A.at(Offset).Position;
    uint32_t &Known = Latest[Run.Variables[A.Variable].Address + Offset];
    return Position == 0 || (Position > Known && (Known = Position));
  }

  void write(const TraceAccess &A) {
    const TraceVariable &V = Run.Variables[A.Variable];
    const uint32_t Size = std::min(V.Size, 16u);
    uint32_t Written = 0;
    for (uint32_t K = 0; K < Size; ++K)
      if (isLatest(A, K)) {
        Bytes[V.Address + K] = static_cast<uint8_t>((K < 8 ? A.Low : A.High) >> (8 * (K % 8)));
        ++Written;
      }
    if (Written == 0 && Size > 0)
      return;
    if (Written == Size)
      Memory[A.Variable] = A.Text;
    if (V.Size > 16)
      return;
    // Others that share bytes with it.
    for (uint32_t Other = 0; Other < Run.Variables.size(); ++Other) {
      const TraceVariable &O = Run.Variables[Other];
      if ((Other == A.Variable && Written == Size) || O.Size > 8 || O.Address >= V.Address + V.Size ||
          V.Address >= O.Address + O.Size)
        continue;
      uint64_t Value = 0;
      for (uint32_t K = 0; K < O.Size; ++K)
        Value |= static_cast<uint64_t>(Bytes[O.Address + K]) << (8 * K);
      Memory[Other] = std::to_string(Value);
    }
  }

  void lock(const TraceEvent &E) {
    uint32_t Variable = E.Accesses[0].Variable;
    if (takesLock(E.Action)) {
      Locks.push_back({Variable, E.Thread});
    } else if (E.Action == SyncAction::Unlocks) {
      auto Mine = std::find_if(Locks.rbegin(), Locks.rend(),
                               [&](const HeldLock &L) { return L.Variable == Variable && L.Thread == E.Thread; });
      if (Mine != Locks.rend())
        Locks.erase(std::next(Mine).base());
    }
  }

  const Recording &Run;
  std::map<uint64_t, uint8_t> Bytes;
  std::map<uint64_t, uint32_t> Latest; // per byte: how far its coherence was told
};

/// Remarks on out-of-order steps under TSO and PSO: stores wait in buffers.
std::map<uint32_t, std::string> remarksOnBuffers(const Recording &R, const Cycle &Why) {
  std::map<uint32_t, std::string> Remarks;
  for (const ReorderedPair &P : Why.Reordered) {
    const TraceEvent &Second = R.Events[P.Second];
    Remarks[P.Second] =
        Second.Kind == EventKind::Store
            ? describeAccess(R, P.First) + " has not reached memory yet, but this one may overtake it"
            : describeAccess(R, P.First) + " is still in the store buffer, where no other thread sees it";
    Remarks[P.First] = "it takes effect after " + describeAccess(R, P.Second);
    if (Second.Kind == EventKind::Store && Second.Partner != NoEvent)
      Remarks[Second.Partner] = "it overtakes " + describeAccess(R, P.First);
    if (R.Events[P.First].Partner != NoEvent)
      Remarks[R.Events[P.First].Partner] = "only now, after " + describeAccess(R, P.Second);
  }
  return Remarks;
}

/// Remarks on out-of-order steps under POWER: accesses take effect in another order than the program's, and stores do
/// not reach all threads at the same time.
std::map<uint32_t, std::string> remarksOnEffects(const Recording &R, const Cycle &Why,
                                                 const std::vector<uint32_t> &Order) {
  std::map<uint32_t, std::string> Remarks;
  auto Early = [&](uint32_t First) {
    return "it takes effect before " + describeAccess(R, First) + ", which comes first in the program";
  };
  for (const ReorderedPair &P : Why.Reordered) {
    Remarks[P.First] = "it takes effect only now, after " + describeAccess(R, P.Second);
    Remarks[P.Second] = Early(P.First);
  }
  for (const LateWrite &L : Why.Late)
    Remarks[L.Read] = L.Sentence;
  // What else is told before something that it comes after in the program.
  std::map<uint32_t, std::vector<uint32_t>> ToldOf;
  for (uint32_t Event : Order) {
    const TraceEvent &E = R.Events[Event];
    if (!E.isAccess() && E.Kind != EventKind::Sync && E.Kind != EventKind::Free)
      continue;
    for (uint32_t Earlier : ToldOf[E.Thread])
      if (Earlier > Event && !R.Events[Earlier].Forwarded)
        Remarks.try_emplace(Earlier, Early(Event));
    ToldOf[E.Thread].push_back(Event);
  }
  return Remarks;
}

} // namespace

std::vector<Step> tell(const Recording &R, const Cycle &Why, const std::vector<uint32_t> &Order) {
  const std::map<uint32_t, std::string> Remarks =
      !infoOf(R.Model).Chronological ? remarksOnEffects(R, Why, Order) : remarksOnBuffers(R, Why);
  // For a long trace, the state after every step would take too much memory.
  bool Everything = R.Events.size() * R.Variables.size() <= 500'000;
  ProgramState Now(R);
  std::vector<Step> Steps;
  for (uint32_t Event : Order) {
    uint32_t Partner = R.Events[Event].Partner;
    Now.happen(Event);
    Step &S = Steps.emplace_back();
    S.Event = Event;
    S.Text = describeEvent(R, Event);
    // A store that is not delayed is described as one action.
    if (Partner != NoEvent && Partner == Event + 1)
      S.Text = "stores " + R.Events[Event].Accesses[0].Text + " to " +
               variableText(R, R.Events[Event], R.Events[Event].Accesses[0]);
    else if (Partner != NoEvent && Partner + 1 == Event)
      S.Text = "the store reaches memory immediately";
    if (R.Events[Event].Kind != EventKind::Update) // its store was told with it
      S.Text += throughText(R.Events[Event]);
    if (auto Remark = Remarks.find(Event); Remark != Remarks.end())
      S.Remark = Remark->second;
    S.OutOfOrder = !S.Remark.empty();
    S.Locks = Now.Locks;
    if (Everything) {
      S.Memory = Now.Memory;
      S.Buffers = Now.Buffers;
    }
  }
  return Steps;
}

} // namespace picket
