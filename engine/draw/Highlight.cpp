#include "draw/Highlight.h"

#include <algorithm>
#include <set>

namespace picket {

Highlight highlightCycle(const Counterexample &C, const TraceGraph &Graph) {
  const std::vector<TraceEvent> &Events = C.Run.Events;
  Highlight Shown{std::vector<bool>(Events.size()), std::vector<bool>(Graph.Edges.size())};

  // The cycle speaks of stores where a chronological trace speaks of their updates.
  auto StoreOf = [&](uint32_t Event) {
    const TraceEvent &E = Events[Event];
    return E.Kind == EventKind::Update && E.Partner != NoEvent ? E.Partner : Event;
  };
  std::set<TraceEdge> OnCycle;
  for (const TraceEdge &E : C.Why.Edges) {
    OnCycle.insert(E);
    Shown.Events[E.From] = Shown.Events[E.To] = true;
  }
  for (uint32_t Event : {C.Run.RaceFirst, C.Run.RaceSecond})
    if (Event != NoEvent)
      Shown.Events[Event] = true;
  for (uint32_t Event : Graph.Nodes)
    if (Shown.Events[StoreOf(Event)])
      Shown.Events[Event] = true;

  // An edge of the cycle along program order may skip events; then the path between its ends is meant.
  auto OnProgramOrderPath = [&](const TraceEdge &E) {
    return std::any_of(C.Why.Edges.begin(), C.Why.Edges.end(), [&](const TraceEdge &Long) {
      return Long.Kind == EdgeKind::ProgramOrder && Events[Long.From].Thread == Events[E.From].Thread &&
             Long.From <= E.From && E.To <= Long.To;
    });
  };

  std::vector<bool> UpdateUsed(Events.size());
  for (size_t I = 0; I < Graph.Edges.size(); ++I) {
    const TraceEdge &E = Graph.Edges[I];
    if (E.Kind == EdgeKind::ProgramOrder) {
      Shown.Edges[I] = OnProgramOrderPath(E);
      continue;
    }
    if (E.Kind == EdgeKind::StoreToUpdate)
      continue;
    EdgeKind Kind = E.Kind == EdgeKind::UpdateToUpdate ? EdgeKind::StoreOrder : E.Kind;
    if (!OnCycle.count({StoreOf(E.From), StoreOf(E.To), Kind}))
      continue;
    Shown.Edges[I] = true;
    UpdateUsed[E.From] = UpdateUsed[E.To] = true;
  }
  // A store's own edge to the update that the cycle goes through closes the gap between the two.
  for (size_t I = 0; I < Graph.Edges.size(); ++I)
    if (Graph.Edges[I].Kind == EdgeKind::StoreToUpdate && UpdateUsed[Graph.Edges[I].To])
      Shown.Edges[I] = true;
  return Shown;
}

} // namespace picket
