#include "trace/Counterexample.h"
#include "trace/Wording.h"

#include <algorithm>
#include <deque>

namespace picket {

namespace {

/// Finds a shortest cycle, where going on in a thread counts as one step however far it goes: what lies between is not
/// what makes the cycle.
class CycleSearch {
public:
  CycleSearch(const Recording &R, const TraceGraph &G) : R(R), Successors(R.Events.size()) {
    for (const TraceEdge &E : G.Edges) // within a thread program order says everything
      if (E.Kind == EdgeKind::ProgramOrder || R.Events[E.From].Thread != R.Events[E.To].Thread)
        Successors[E.From].push_back(E);
    NextInThread.resize(R.Events.size(), NoEvent);
    for (const TraceEdge &E : G.Edges)
      if (E.Kind == EdgeKind::ProgramOrder)
        NextInThread[E.From] = E.To;
    findComponents();
  }

  std::vector<TraceEdge> shortest() {
    std::vector<TraceEdge> Best;
    size_t BestLength = ~size_t(0);
    for (uint32_t Start = 0; Start < R.Events.size(); ++Start)
      if (Component[Start] != NoEvent && Sizes[Component[Start]] > 1)
        searchFrom(Start, Best, BestLength);
    return Best;
  }

private:
  /// Strongly connected components (Tarjan, without recursion: traces are long).
  void findComponents() {
    size_t N = R.Events.size();
    Component.assign(N, NoEvent);
    std::vector<uint32_t> Index(N, NoEvent), Low(N, 0), Stack;
    std::vector<bool> OnStack(N, false);
    uint32_t Counter = 0;
    struct Frame {
      uint32_t Node;
      size_t Edge;
    };
    for (uint32_t Root = 0; Root < N; ++Root) {
      if (Index[Root] != NoEvent)
        continue;
      std::vector<Frame> Frames{{Root, 0}};
      while (!Frames.empty()) {
        uint32_t Node = Frames.back().Node;
        if (Frames.back().Edge == 0) {
          Index[Node] = Low[Node] = Counter++;
          Stack.push_back(Node);
          OnStack[Node] = true;
        }
        if (Frames.back().Edge < Successors[Node].size()) {
          uint32_t To = Successors[Node][Frames.back().Edge++].To;
          if (Index[To] == NoEvent)
            Frames.push_back({To, 0});
          else if (OnStack[To])
            Low[Node] = std::min(Low[Node], Index[To]);
          continue;
        }
        if (Low[Node] == Index[Node]) {
          auto Id = static_cast<uint32_t>(Sizes.size());
          Sizes.push_back(0);
          for (uint32_t Top = NoEvent; Top != Node;) {
            Top = Stack.back();
            Stack.pop_back();
            OnStack[Top] = false;
            Component[Top] = Id;
            ++Sizes[Id];
          }
        }
        Frames.pop_back();
        if (!Frames.empty())
          Low[Frames.back().Node] = std::min(Low[Frames.back().Node], Low[Node]);
      }
    }
  }

  /// Breadth first: by an edge to another event, or ahead in the own thread by any distance.
  void searchFrom(uint32_t Start, std::vector<TraceEdge> &Best, size_t &BestLength) {
    std::vector<uint32_t> Distance(R.Events.size(), NoEvent);
    std::vector<TraceEdge> Came(R.Events.size());
    std::deque<uint32_t> Queue{Start};
    Distance[Start] = 0;
    auto Reach = [&](uint32_t From, const TraceEdge &By) {
      if (By.To == Start) {
        close(Start, By, Came, Best, BestLength, Distance[From] + 1);
        return true;
      }
      if (Distance[By.To] == NoEvent && Component[By.To] == Component[Start]) {
        Distance[By.To] = Distance[From] + 1;
        Came[By.To] = By;
        Queue.push_back(By.To);
      }
      return false;
    };
    while (!Queue.empty()) {
      uint32_t Node = Queue.front();
      Queue.pop_front();
      if (Distance[Node] + 1 >= BestLength)
        return;
      for (const TraceEdge &E : Successors[Node])
        if (E.Kind != EdgeKind::ProgramOrder && Reach(Node, E))
          return;
      // From one thread's event ahead only once in a row.
      if (Node != Start && Came[Node].Kind == EdgeKind::ProgramOrder)
        continue;
      for (uint32_t Ahead = NextInThread[Node]; Ahead != NoEvent; Ahead = NextInThread[Ahead])
        if (Reach(Node, {Node, Ahead, EdgeKind::ProgramOrder}))
          return;
    }
  }

  void close(uint32_t Start, const TraceEdge &Last, const std::vector<TraceEdge> &Came, std::vector<TraceEdge> &Best,
             size_t &BestLength, size_t Length) {
    if (Length >= BestLength)
      return;
    BestLength = Length;
    std::vector<TraceEdge> Jumps{Last};
    while (Jumps.back().From != Start)
      Jumps.push_back(Came[Jumps.back().From]);
    std::reverse(Jumps.begin(), Jumps.end());
    Best.clear();
    for (const TraceEdge &J : Jumps) {
      if (J.Kind != EdgeKind::ProgramOrder) {
        Best.push_back(J);
        continue;
      }
      for (uint32_t At = J.From; At != J.To; At = NextInThread[At])
        Best.push_back({At, NextInThread[At], EdgeKind::ProgramOrder});
    }
  }

  const Recording &R;
  std::vector<std::vector<TraceEdge>> Successors;
  std::vector<uint32_t> NextInThread, Component;
  std::vector<uint32_t> Sizes;
};

/// When the event took effect: a store when it reached memory.
uint32_t effectOf(const Recording &R, uint32_t Event) {
  const TraceEvent &E = R.Events[Event];
  return E.Kind == EventKind::Store && E.Partner != NoEvent ? E.Partner : Event;
}

} // namespace

Cycle findCycle(const Recording &R, const TraceGraph &ShashaSnir) {
  Cycle Result;
  Result.Edges = CycleSearch(R, ShashaSnir).shortest();
  // The stretches of program order in it that took effect the other way round.
  size_t N = Result.Edges.size();
  for (size_t K = 0; K < N; ++K) {
    if (Result.Edges[K].Kind != EdgeKind::ProgramOrder || Result.Edges[(K + N - 1) % N].Kind == EdgeKind::ProgramOrder)
      continue;
    uint32_t First = Result.Edges[K].From, Second = First;
    for (size_t J = K; Result.Edges[J % N].Kind == EdgeKind::ProgramOrder && J < K + N; ++J)
      Second = Result.Edges[J % N].To;
    if (effectOf(R, First) <= effectOf(R, Second))
      continue;
    Result.Reordered.push_back(
        {First, Second, describeAccess(R, First) + " took effect after " + describeAccess(R, Second)});
  }
  return Result;
}

} // namespace picket
