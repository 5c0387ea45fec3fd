#include "draw/Folding.h"

#include <algorithm>
#include <deque>

namespace picket {

namespace {

constexpr size_t ShortestLocalRun = 3; // two accesses are as easy to read as a node that stands for them

struct Column {
  uint32_t Thread;
  bool Buffer;
  std::vector<uint32_t> Events;
};

/// Threads that do nothing but start others and wait for their end, and in which nothing goes wrong.
std::vector<bool> onlyStarting(const Recording &R) {
  std::vector<bool> Result(R.Threads.size(), true);
  for (const TraceEvent &E : R.Events)
    if (E.Kind != EventKind::Create && E.Kind != EventKind::Join)
      Result[E.Thread] = false;
  return Result;
}

std::vector<Column> columnsOf(const Recording &R, const TraceGraph &Graph, const std::vector<bool> &LeftOut) {
  std::vector<Column> Columns;
  for (uint32_t T = 0; T < R.Threads.size(); ++T) {
    Columns.push_back({T, false, {}});
    Columns.push_back({T, true, {}});
  }
  for (uint32_t E : Graph.Nodes) {
    const TraceEvent &Event = R.Events[E];
    if (LeftOut[Event.Thread])
      continue;
    Columns[2 * Event.Thread + (Event.Kind == EventKind::Update)].Events.push_back(E);
  }
  return Columns;
}

/// Calls Use(Column, Begin, End) for each node that hiding events leads to: a run of hidden events, or a single event.
template <typename Callback>
void forEachNode(const std::vector<Column> &Columns, const std::vector<bool> &Hidden, size_t ShortestRun,
                 Callback Use) {
  for (const Column &C : Columns)
    for (size_t Begin = 0; Begin < C.Events.size();) {
      size_t End = Begin;
      while (End < C.Events.size() && Hidden[C.Events[End]])
        ++End;
      if (End - Begin < ShortestRun)
        End = Begin + 1;
      Use(C, Begin, End);
      Begin = End;
    }
}

Folding build(const Recording &R, const std::vector<Column> &Columns, const std::vector<bool> &Hidden) {
  Folding F;
  F.NodeOf.assign(R.Events.size(), NoEvent);
  forEachNode(Columns, Hidden, 2, [&](const Column &C, size_t Begin, size_t End) {
    Folding::Node Node{{C.Events.begin() + Begin, C.Events.begin() + End}, C.Thread, C.Buffer};
    for (uint32_t E : Node.Events)
      F.NodeOf[E] = static_cast<uint32_t>(F.Nodes.size());
    F.Nodes.push_back(std::move(Node));
  });
  return F;
}

size_t countNodes(const std::vector<Column> &Columns, const std::vector<bool> &Hidden) {
  size_t Count = 0;
  forEachNode(Columns, Hidden, 2, [&](const Column &, size_t, size_t) { ++Count; });
  return Count;
}

/// What the picture is about and never hides.
std::vector<bool> coreOf(const Recording &R, const TraceGraph &Graph, const Highlight &Cycle) {
  std::vector<bool> Core = Cycle.Events;
  for (uint32_t Event : {R.BugEvent, R.RaceFirst, R.RaceSecond})
    if (Event != NoEvent)
      Core[Event] = true;
    else if (!Graph.Nodes.empty())
      Core[Graph.Nodes.back()] = true;
  for (uint32_t E : Graph.Nodes)
    if (R.Events[E].Kind == EventKind::Bug || R.Events[E].Kind == EventKind::Blocked)
      Core[E] = true;
  return Core;
}

/// Accesses in straight runs that no other thread takes notice of.
std::vector<bool> localRuns(const Recording &R, const TraceGraph &Graph, const std::vector<Column> &Columns,
                            const std::vector<bool> &Core) {
  std::vector<bool> Local(R.Events.size());
  for (uint32_t E : Graph.Nodes)
    Local[E] = R.Events[E].isAccess() && !Core[E];
  for (const TraceEdge &E : Graph.Edges)
    if (R.Events[E.From].Thread != R.Events[E.To].Thread)
      Local[E.From] = Local[E.To] = false;
  std::vector<bool> Hidden(R.Events.size());
  forEachNode(Columns, Local, ShortestLocalRun, [&](const Column &C, size_t Begin, size_t End) {
    for (size_t I = Begin; I < End; ++I)
      Hidden[C.Events[I]] = End - Begin > 1;
  });
  return Hidden;
}

/// The events that are not hidden yet, those nearest to the core first; the core itself comes before all.
std::vector<uint32_t> byDistance(const Recording &R, const TraceGraph &Graph, const std::vector<bool> &Core,
                                 const std::vector<bool> &Hidden) {
  std::vector<std::vector<uint32_t>> Neighbours(R.Events.size());
  for (const TraceEdge &E : Graph.Edges) {
    Neighbours[E.From].push_back(E.To);
    Neighbours[E.To].push_back(E.From);
  }
  constexpr uint32_t Far = ~0u;
  std::vector<uint32_t> Distance(R.Events.size(), Far);
  std::deque<uint32_t> Queue;
  for (uint32_t E : Graph.Nodes)
    if (Core[E]) {
      Distance[E] = 0;
      Queue.push_back(E);
    }
  for (; !Queue.empty(); Queue.pop_front())
    for (uint32_t N : Neighbours[Queue.front()])
      if (Distance[N] == Far) {
        Distance[N] = Distance[Queue.front()] + 1;
        Queue.push_back(N);
      }
  std::vector<uint32_t> Order;
  for (uint32_t E : Graph.Nodes)
    if (!Hidden[E])
      Order.push_back(E);
  // What happened late is nearer to the bug.
  std::sort(Order.begin(), Order.end(),
            [&](uint32_t A, uint32_t B) { return Distance[A] != Distance[B] ? Distance[A] < Distance[B] : A > B; });
  return Order;
}

} // namespace

Folding unfolded(const Recording &R, const TraceGraph &Graph) {
  return build(R, columnsOf(R, Graph, std::vector<bool>(R.Threads.size())), std::vector<bool>(R.Events.size()));
}

Folding fold(const Recording &R, const TraceGraph &Graph, const Highlight &Cycle, unsigned MaxNodes) {
  const std::vector<Column> Columns = columnsOf(R, Graph, onlyStarting(R));
  const std::vector<bool> Core = coreOf(R, Graph, Cycle);
  const std::vector<bool> Local = localRuns(R, Graph, Columns, Core);
  if (countNodes(Columns, Local) <= MaxNodes)
    return build(R, Columns, Local);

  const std::vector<uint32_t> Order = byDistance(R, Graph, Core, Local);
  auto KeepOnly = [&](size_t Kept) {
    std::vector<bool> Hidden = Local;
    for (size_t I = Kept; I < Order.size(); ++I)
      Hidden[Order[I]] = true;
    return Hidden;
  };
  size_t Few =
      static_cast<size_t>(std::count_if(Graph.Nodes.begin(), Graph.Nodes.end(), [&](uint32_t E) { return Core[E]; }));
  for (size_t TooMany = Order.size(); Few + 1 < TooMany;) {
    size_t Middle = Few + (TooMany - Few) / 2;
    if (countNodes(Columns, KeepOnly(Middle)) <= MaxNodes)
      Few = Middle;
    else
      TooMany = Middle;
  }
  return build(R, Columns, KeepOnly(Few));
}

} // namespace picket
