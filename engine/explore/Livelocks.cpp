#include "explore/Livelocks.h"

#include "explore/Growth.h"

#include <algorithm>

namespace picket {

void StateGraph::clear() { *this = StateGraph(); }

void StateGraph::addState(uint32_t State, const std::vector<ProcessId> &Now, bool Counts) {
  uint64_t Bits = 0;
  for (ProcessId P : Now) {
    TooManyProcesses |= P >= 64;
    Bits |= P < 64 ? 1ull << P : 0;
  }
  if (State >= Enabled.size()) { // those between are others' to tell
    Enabled.resize(State + 1);
    Counting.resize(State + 1);
  }
  Enabled[State] = Bits;
  Counting[State] = Counts;
}

uint32_t StateGraph::numberOf(const std::vector<LoopEffect> &All) {
  auto [Known, IsNew] = EffectSetIds.try_emplace(All, static_cast<uint32_t>(EffectSets.size()));
  if (IsNew)
    EffectSets.push_back(All);
  return Known->second;
}

void StateGraph::add(const StateGraph &Other) {
  std::vector<uint32_t> Effects;
  for (const std::vector<LoopEffect> &All : Other.EffectSets)
    Effects.push_back(numberOf(All));
  const size_t NumStates = std::max(Enabled.size(), Other.Enabled.size());
  Enabled.resize(NumStates);
  Counting.resize(NumStates);
  for (size_t State = 0; State < Other.Enabled.size(); ++State) {
    Enabled[State] |= Other.Enabled[State];
    Counting[State] = Counting[State] || Other.Counting[State];
  }
  Steps.reserve(Steps.size() + Other.Steps.size());
  for (const Step &S : Other.Steps)
    Steps.push_back({S.From, S.To, S.Process, Effects[S.Effects]});
  Threads.resize(std::max(Threads.size(), Other.Threads.size()));
  for (const Step &S : Other.Steps)
    Threads[S.Process] = Other.Threads[S.Process];
  Circles |= Other.Circles;
  TooManyProcesses |= Other.TooManyProcesses;
}

void StateGraph::addStep(uint32_t From, uint32_t To, ProcessId Process, const Configuration &C) {
  const Machine &M = C.machine();
  std::vector<LoopEffect> All;
  for (const LoopEvent &E : M.loops().events()) {
    const Loop &Where = M.program().Loops[E.Loop];
    bool InOther = false; // that can be left
    for (int32_t Outer = Where.Outer; Outer >= 0; Outer = M.program().Loops[static_cast<size_t>(Outer)].Outer)
      InOther |= M.program().Loops[static_cast<size_t>(Outer)].HasExit;
    // A thread that does nothing on the way that others could notice serves nobody.
    const bool Serves = !Where.HasExit && C.kind() != OperationKind::Yield;
    const LoopEffect::Kind What = E.Left   ? InOther ? LoopEffect::LeftForOuter : LoopEffect::Left
                                  : Serves ? LoopEffect::WentRoundFully
                                           : LoopEffect::WentRound;
    All.push_back({What, E.Thread, E.Loop});
  }
  std::sort(All.begin(), All.end());
  All.erase(std::unique(All.begin(), All.end()), All.end());
  if (Process >= Threads.size())
    Threads.resize(Process + 1);
  Threads[Process] = C.threadOf(Process);
  Steps.push_back({From, To, Process, All.empty() ? 0 : numberOf(All)});
  Circles |= To <= From; // a circle has a step to an earlier state
}

/// Searching for a livelock in the end takes as much again.
uint64_t StateGraph::bytesWithGrowth() const {
  return 2 * (picket::bytesWithGrowth(Steps) + picket::bytesWithGrowth(Enabled)) + picket::bytesWithGrowth(Counting);
}

namespace {

constexpr uint32_t None = ~0u;

/// Strongly connected components of what is left of a graph (Tarjan, without recursion).
class Components {
public:
  Components(const std::vector<uint32_t> &First, const std::vector<uint32_t> &Next, const std::vector<bool> &There)
      : First(First), Next(Next), There(There), Of(There.size(), None), Low(There.size(), None) {
    for (uint32_t V = 0; V < There.size(); ++V)
      if (There[V] && Low[V] == None)
        walk(V);
  }
  /// Per vertex, if it is there.
  const std::vector<uint32_t> &of() const { return Of; }
  uint32_t count() const { return Count; }

private:
  struct Visit {
    uint32_t Vertex, Index, At;
  };

  void walk(uint32_t Root) {
    std::vector<Visit> Way;
    auto Enter = [&](uint32_t V) {
      Way.push_back({V, Numbers, First[V]});
      Low[V] = Numbers++;
      Open.push_back(V);
    };
    Enter(Root);
    while (!Way.empty()) {
      Visit &Here = Way.back();
      const uint32_t V = Here.Vertex;
      if (Here.At < First[V + 1]) {
        const uint32_t To = Next[Here.At++];
        if (!There[To])
          continue;
        if (Low[To] == None)
          Enter(To);
        else if (Of[To] == None)
          Low[V] = std::min(Low[V], Low[To]);
        continue;
      }
      if (Low[V] == Here.Index) {
        for (uint32_t Member = None; Member != V;) {
          Member = Open.back();
          Open.pop_back();
          Of[Member] = Count;
        }
        ++Count;
      }
      Way.pop_back();
      if (!Way.empty())
        Low[Way.back().Vertex] = std::min(Low[Way.back().Vertex], Low[V]);
    }
  }

  const std::vector<uint32_t> &First, &Next;
  const std::vector<bool> &There;
  std::vector<uint32_t> Of, Low, Open;
  uint32_t Numbers = 0, Count = 0;
};

} // namespace

struct StateGraph::Search {
  Search(const StateGraph &Graph, const std::function<bool()> &Stop)
      : Graph(Graph), Stop(Stop), NumStates(static_cast<uint32_t>(Graph.Enabled.size())) {}

  const StateGraph &Graph;
  const std::function<bool()> &Stop;
  const uint32_t NumStates;

  std::vector<uint32_t> Used;        // steps that are considered, by their first state
  std::vector<uint32_t> First, Next; // as Components takes them

  template <typename Wanted> void use(Wanted Want) {
    Used.clear();
    First.assign(NumStates + 1, 0);
    for (uint32_t K = 0; K < Graph.Steps.size(); ++K)
      if (Want(Graph.Steps[K]))
        Used.push_back(K);
    std::stable_sort(Used.begin(), Used.end(),
                     [&](uint32_t A, uint32_t B) { return Graph.Steps[A].From < Graph.Steps[B].From; });
    Next.clear();
    for (uint32_t K : Used) {
      ++First[Graph.Steps[K].From + 1];
      Next.push_back(Graph.Steps[K].To);
    }
    for (uint32_t V = 0; V < NumStates; ++V)
      First[V + 1] += First[V];
  }

  bool isSomewhere(const Step &S) const { // somebody gets there
    return std::any_of(Graph.EffectSets[S.Effects].begin(), Graph.EffectSets[S.Effects].end(),
                       [](const LoopEffect &Effect) {
                         return Effect.What == LoopEffect::Left || Effect.What == LoopEffect::WentRoundFully;
                       });
  }

  /// A loop that a thread goes round in one of the components (those for which `Want` says so) and never leaves there.
  struct Stuck {
    uint32_t Component, Step;
    LoopEffect What;
  };
  template <typename Wanted> std::optional<Stuck> findStuck(const std::vector<uint32_t> &Of, Wanted Want) const {
    std::map<std::tuple<uint32_t, ThreadId, uint32_t>, uint32_t> Rounds; // the step that shows it
    std::map<std::tuple<uint32_t, ThreadId, uint32_t>, bool> LeftIt;
    for (uint32_t K : Used) {
      const Step &S = Graph.Steps[K];
      if (Of[S.From] == None || Of[S.From] != Of[S.To] || !Want(Of[S.From]))
        continue;
      for (const LoopEffect &Effect : Graph.EffectSets[S.Effects]) {
        const auto Key = std::tuple(Of[S.From], Effect.Thread, Effect.Loop);
        if (Effect.What == LoopEffect::WentRound)
          Rounds.try_emplace(Key, K);
        else
          LeftIt[Key] = true;
      }
    }
    for (const auto &[Key, K] : Rounds)
      if (!LeftIt.contains(Key))
        return Stuck{std::get<0>(Key), K, {LoopEffect::WentRound, std::get<1>(Key), std::get<2>(Key)}};
    return std::nullopt;
  }

  /// What is left at last, whatever is done: a thread that is in a loop then stays there.
  std::optional<Stuck> findLast(std::vector<uint32_t> &Of) {
    use([&](const Step &) { return true; });
    const Components All(First, Next, Graph.Counting);
    Of = All.of();
    std::vector<bool> CanBeLeft(All.count());
    for (const Step &S : Graph.Steps)
      if (Of[S.From] != Of[S.To])
        CanBeLeft[Of[S.From]] = true;
    return findStuck(Of, [&](uint32_t Component) { return !CanBeLeft[Component]; });
  }

  /// A fair circle in which nobody gets anywhere.
  std::optional<Stuck> findFair(std::vector<uint32_t> &Of, bool &Suspected) {
    use([&](const Step &S) { return !isSomewhere(S); });
    std::vector<bool> There = Graph.Counting;
    Suspected = findStuck(Components(First, Next, There).of(), [](uint32_t) { return true; }).has_value();
    if (!Suspected)
      return std::nullopt;
    for (bool Again = true; Again && !Stop();) {
      Again = false;
      const Components All(First, Next, There);
      Of = All.of();
      std::vector<uint64_t> Could(All.count()), Did(All.count());
      for (uint32_t V = 0; V < NumStates; ++V)
        if (Of[V] != None)
          Could[Of[V]] |= Graph.Enabled[V];
      for (uint32_t K : Used)
        if (const Step &S = Graph.Steps[K]; Of[S.From] != None && Of[S.From] == Of[S.To])
          Did[Of[S.From]] |= 1ull << S.Process;
      if (auto Found = findStuck(Of, [&](uint32_t N) { return (Could[N] & ~Did[N]) == 0; }))
        return Found;
      // Whoever does nothing in a circle must not be able to, in a smaller one.
      for (uint32_t V = 0; V < NumStates; ++V)
        if (Of[V] != None && (Did[Of[V]] == 0 || (Graph.Enabled[V] & Could[Of[V]] & ~Did[Of[V]]) != 0)) {
          Again |= Did[Of[V]] != 0;
          There[V] = false;
        }
    }
    return std::nullopt;
  }

  /// The shortest way from one state to another, or to any for which `Stop` says so; of steps in use for which `Want`
  /// says so. Appended.
  template <typename Wanted, typename Stopping>
  uint32_t goTo(uint32_t From, Wanted Want, Stopping Stop, std::vector<ProcessId> &Way) const {
    std::vector<uint32_t> Came(NumStates, None), Queue{From};
    uint32_t At = From;
    for (size_t K = 0; !Stop(At); ++K) {
      for (uint32_t Edge = First[At]; Edge < First[At + 1]; ++Edge)
        if (const Step &S = Graph.Steps[Used[Edge]]; Want(S) && S.To != From && Came[S.To] == None) {
          Came[S.To] = Used[Edge];
          Queue.push_back(S.To);
        }
      if (K + 1 == Queue.size())
        return None;
      At = Queue[K + 1];
    }
    std::vector<ProcessId> Back;
    for (uint32_t V = At; V != From; V = Graph.Steps[Came[V]].From)
      Back.push_back(Graph.Steps[Came[V]].Process);
    Way.insert(Way.end(), Back.rbegin(), Back.rend());
    return At;
  }

  Livelock tell(const Stuck &Found, const std::vector<uint32_t> &Of) {
    const Step &Round = Graph.Steps[Found.Step];
    Livelock Result{Found.What.Thread, Found.What.Loop, true, {}};
    auto Inside = [&](const Step &S) { return Of[S.From] == Found.Component && Of[S.To] == Found.Component; };
    for (uint32_t K : Used)
      if (Inside(Graph.Steps[K]) && Graph.Threads[Graph.Steps[K].Process] != Result.Thread)
        Result.Alone = false;
    // Once round, with everybody who does anything there.
    std::vector<ProcessId> Circle{Round.Process};
    uint32_t At = Round.To;
    for (uint32_t K : Used) {
      const Step &S = Graph.Steps[K];
      if (!Inside(S) || std::find(Circle.begin(), Circle.end(), S.Process) != Circle.end())
        continue;
      goTo(At, Inside, [&](uint32_t V) { return V == S.From; }, Circle);
      Circle.push_back(S.Process);
      At = S.To;
    }
    goTo(At, Inside, [&](uint32_t V) { return V == Round.From; }, Circle);
    use([&](const Step &) { return true; });
    goTo(0, [](const Step &) { return true; }, [&](uint32_t V) { return V == Round.From; }, Result.Way);
    Result.Way.insert(Result.Way.end(), Circle.begin(), Circle.end());
    return Result;
  }
};

std::optional<StateGraph::Livelock> StateGraph::findLivelock(const std::function<bool()> &Stop, bool &Suspected) const {
  Suspected = false;
  if (!Circles)
    return std::nullopt;
  Search ForLivelock(*this, Stop);
  std::vector<uint32_t> Of;
  if (auto Found = ForLivelock.findLast(Of))
    return ForLivelock.tell(*Found, Of);
  if (TooManyProcesses)
    return std::nullopt;
  if (auto Found = ForLivelock.findFair(Of, Suspected))
    return ForLivelock.tell(*Found, Of);
  return std::nullopt;
}

} // namespace picket
