#include "trace/Counterexample.h"
#include "trace/EffectOrder.h"
#include "trace/Wording.h"

#include <algorithm>
#include <deque>

namespace picket {

namespace {

/// Finds a shortest cycle, where going on in a thread counts as one step however far it goes: what lies between is not
/// what makes the cycle.
class CycleSearch {
public:
  CycleSearch(const Recording &R, const TraceGraph &G) : Run(R), Successors(R.Events.size()) {
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
    for (uint32_t Start = 0; Start < Run.Events.size(); ++Start)
      if (Component[Start] != NoEvent && Sizes[Component[Start]] > 1)
        searchFrom(Start, Best, BestLength);
    return Best;
  }

private:
  /// Strongly connected components (Tarjan, without recursion: traces are long).
  void findComponents() {
    size_t N = Run.Events.size();
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
    std::vector<uint32_t> Distance(Run.Events.size(), NoEvent);
    std::vector<TraceEdge> Came(Run.Events.size());
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

  const Recording &Run;
  std::vector<std::vector<TraceEdge>> Successors;
  std::vector<uint32_t> NextInThread, Component;
  std::vector<uint32_t> Sizes;
};

/// When each event took effect: a store when it reached memory.
std::vector<uint32_t> effectsOf(const Recording &R, const TraceGraph &ShashaSnir) {
  std::vector<uint32_t> Effects(R.Events.size());
  if (!infoOf(R.Model).Chronological) {
    const std::vector<uint32_t> Order = effectOrder(R, ShashaSnir);
    for (uint32_t K = 0; K < Order.size(); ++K)
      Effects[Order[K]] = K;
    return Effects;
  }
  for (uint32_t K = 0; K < R.Events.size(); ++K) {
    const TraceEvent &E = R.Events[K];
    Effects[K] = E.Kind == EventKind::Store && E.Partner != NoEvent ? E.Partner : K;
  }
  return Effects;
}

/// A part of a cycle: a stretch of program order, or an edge between threads.
struct Stretch {
  uint32_t First, Last;
  std::vector<TraceEdge> Edges;
};

/// Cuts a cycle into its parts, beginning with one that is whole.
std::vector<Stretch> stretchesOf(std::vector<TraceEdge> Edges) {
  auto InThread = [](const TraceEdge &E) { return E.Kind == EdgeKind::ProgramOrder; };
  auto Between = std::find_if_not(Edges.begin(), Edges.end(), InThread);
  std::rotate(Edges.begin(), Between, Edges.end());
  std::vector<Stretch> Parts;
  for (const TraceEdge &E : Edges)
    if (InThread(E) && !Parts.empty() && InThread(Parts.back().Edges.back())) {
      Parts.back().Edges.push_back(E);
      Parts.back().Last = E.To;
    } else {
      Parts.push_back({E.From, E.To, {E}});
    }
  return Parts;
}

/// POWER: whether something keeps two events of a thread in order.
bool isKept(const Recording &R, uint32_t First, uint32_t Last) {
  std::vector<uint32_t> Left = {Last};
  std::vector<bool> Seen(R.Events.size());
  while (!Left.empty()) {
    const uint32_t At = Left.back();
    Left.pop_back();
    if (At == First)
      return true;
    for (const TraceLink &L : R.Events[At].Links)
      if (L.What == TraceLink::Kept && !Seen[L.On]) {
        Seen[L.On] = true;
        Left.push_back(L.On);
      }
  }
  return false;
}

/// POWER: a write that is told before the read (or the write) that it overwrites.
std::string lateText(const Recording &R, uint32_t Overwritten, uint32_t Write) {
  if (!R.Events[Overwritten].writes())
    return describeAccess(R, Write) + " had not reached " + threadText(R, R.Events[Overwritten].Thread) + " yet";
  return describeAccess(R, Write) + " counts as the later one, and overwrites it";
}

/// POWER: the one edge that keeps the ends of a stretch in order, if there is one.
void shorten(const TraceGraph &G, Stretch &Part) {
  for (EdgeKind Kind :
       {EdgeKind::AddressDependency, EdgeKind::DataDependency, EdgeKind::FenceOrder, EdgeKind::ControlDependency})
    if (TraceEdge Whole{Part.First, Part.Last, Kind}; std::binary_search(G.Edges.begin(), G.Edges.end(), Whole)) {
      Part.Edges = {Whole};
      return;
    }
}

} // namespace

Cycle findCycle(const Recording &R, const TraceGraph &ShashaSnir) {
  Cycle Result;
  std::vector<Stretch> Parts = stretchesOf(CycleSearch(R, ShashaSnir).shortest());
  if (Parts.empty())
    return Result;
  const std::vector<uint32_t> Effects = effectsOf(R, ShashaSnir);
  for (Stretch &Part : Parts) {
    const bool InThread = R.Events[Part.First].Thread == R.Events[Part.Last].Thread;
    const bool InOrder = Effects[Part.First] <= Effects[Part.Last];
    if (InThread && !InOrder)
      Result.Reordered.push_back(
          {Part.First, Part.Last,
           describeAccess(R, Part.First) + " took effect after " + describeAccess(R, Part.Last)});
    else if (InThread && !infoOf(R.Model).Chronological && isKept(R, Part.First, Part.Last))
      shorten(ShashaSnir, Part);
    else if (!InThread && !InOrder)
      Result.Late.push_back({Part.Last, Part.First, lateText(R, Part.First, Part.Last)});
    Result.Edges.insert(Result.Edges.end(), Part.Edges.begin(), Part.Edges.end());
  }
  return Result;
}

} // namespace picket
