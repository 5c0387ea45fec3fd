// Accesses, facts and script of a run on an execution graph, as plain values (GraphRun). A part of GraphWalk.cpp: not
// for others to include.
#pragma once

#include "explore/GraphWalk.h"

#include <cstring>

namespace picket {

template <unsigned Words> std::vector<GraphAccess> GraphWalk<Words>::accesses() {
  std::vector<std::pair<EventId, LocationId>> Order;
  auto Add = [&](EventId E) {
    if (!Graph[E].Void && Graph.Committed.contains(E))
      Graph.forEachCell(E, [&](const GraphCell &C) { Order.push_back({E, C.Location}); });
  };
  Set Seen;
  for (EventId E : Run) {
    if (Seen.contains(E))
      continue; // another cell
    Seen.insert(E);
    Add(E);
    if (const EventId Last = Graph.lastWith(E); Last != E)
      Add(Last);
  }
  // Where the cells of an event begin in that.
  std::vector<uint32_t> FirstOf(Graph.size());
  for (auto K = static_cast<uint32_t>(Order.size()); K-- > 0;)
    FirstOf[Order[K].first] = K;
  auto NumberOf = [&](EventId E, LocationId Id) {
    uint32_t K = FirstOf[E];
    while (Order[K].second != Id)
      ++K;
    return K;
  };
  std::vector<GraphAccess> All;
  for (auto [E, Id] : Order) {
    const auto &Location = Graph.Locations[Id];
    const GraphCell &C = Graph.cellIn(Id, E);
    const uint32_t Source = Graph[E].IsWrite || C.Source == NoEvent ? ~0u : NumberOf(C.Source, Id);
    GraphAccess &A = All.emplace_back();
    A = {Graph[E].Thread, Graph[E].Index, Graph[E].Pc, Graph[E].IsWrite, Graph[E].OfUpdate || Graph[E].OfExchange,
         Location.Where,  Location.Width, C.Value,     Source,           Graph[E].IsWrite ? C.Position : 0};
    if (Flow.isWide(E) && !Graph.isSplit(E))
      Memory::readWords(Flow.stateOf(C.Value), Location.Width, A.Value, A.Value2);
  }
  return All;
}

template <unsigned Words> std::vector<GraphFact> GraphWalk<Words>::facts() {
  auto List = [](const Set &Events) {
    std::vector<EventId> All;
    Events.forEach([&](EventId E) { All.push_back(E); });
    return All;
  };
  const Set Happened = Graph.Reads | Graph.Writes;
  std::vector<GraphFact> All;
  for (EventId E = 0; E < Graph.size(); ++E) {
    const auto &Event = Graph[E];
    GraphFact &F = All.emplace_back();
    F.Thread = Event.Thread;
    F.Pc = Event.Pc;
    F.Op = Flow.operation(E);
    F.Number = Event.Operation;
    F.Part = Event.Part;
    F.IsWrite = Event.IsWrite;
    F.OfUpdate = Event.OfUpdate || Event.OfExchange;
    F.Ends = Event.Ends;
    F.IsBug = Flow.bugOf(Event.Thread) == E;
    F.Happened = Happened.contains(E);
    if (!F.Happened)
      continue;
    const auto &Location = Graph.Locations[Event.Location];
    F.Where = Location.Where;
    F.Width = Graph.isSplit(E) ? Flow.widthOf(E) : Location.Width;
    F.Value = Event.Value;
    F.Initial = Location.Initial;
    const GraphCell &Cell = Graph.cell(E, 0);
    F.Source = Event.IsWrite ? NoEvent : Cell.Source;
    F.Position = Event.IsWrite ? Cell.Position : 0;
    if (Graph.isSplit(E)) {
      uint8_t Initial[64] = {};
      Graph.forEachCell(E, [&](const GraphCell &C) {
        F.Cells.push_back({C.Offset, C.Width, Event.IsWrite ? NoEvent : C.Source, Event.IsWrite ? C.Position : 0});
        std::memcpy(Initial + C.Offset, &Graph.Locations[C.Location].Initial, C.Width);
      });
      F.Initial = Memory::readWord(Initial, std::min(F.Width, 8u));
      F.Initial2 = F.Width > 8 ? Memory::readWord(Initial + 8, 8) : 0;
    } else if (Flow.isWide(E) && Location.Holds == GraphType::LocationState::State) {
      Memory::readWords(Flow.stateOf(Location.Initial), F.Width, F.Initial, F.Initial2);
    }
    if (Flow.isWide(E))
      Memory::readWords(Flow.stateOf(Event.Value), F.Width, F.Value, F.Value2);
    const Set Own = Event.Before & Happened;
    F.AddressFrom = List(Event.Address & Own);
    F.DataFrom = List(Event.Data & Own);
    F.ControlFrom = List(Event.Control & Own);
    F.Fenced = List((PowerAxioms<Words>::fullFence(Graph, E) | PowerAxioms<Words>::lightFence(Graph, E)) & Own);
    F.Kept = List(Event.Order & Own);
    F.Past = List(Event.Past);
    if (F.Op.Kind == OperationKind::Sync && !F.IsWrite) {
      F.State.assign(sizeOf(F.Op.Sync), 0);
      if (!Graph.anyCell(E, [&](const GraphCell &C) { return C.Source != NoEvent && Graph[C.Source].Ends; }))
        std::copy_n(Flow.stateOf(F.Value), F.State.size(), F.State.begin());
    }
  }
  return All;
}

template <unsigned Words> GraphScript GraphWalk<Words>::script() {
  GraphScript Script;
  Script.Known = Memory;
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T)
    Script.Threads.push_back(TheMachine.exists(T) ? TheMachine.pathOf(T) : std::vector<uint32_t>());
  std::vector<uint32_t> StepOf(Graph.size(), ~0u);
  for (EventId E : Run) {
    if (Graph[E].Void || StepOf[E] != ~0u || isHalf(E))
      continue;
    GraphScript::Step &S = Script.Steps.emplace_back();
    S.Thread = Graph[E].Thread;
    S.Number = Graph[E].Operation;
    S.Part = Graph[E].Part;
    const EventId Last = Graph.lastWith(E);
    const EventId Write = Graph[Last].IsWrite && !Graph[Last].Void ? Last : NoEvent;
    for (uint32_t K = 0; K < Graph[E].NumCells; ++K) {
      const GraphCell &C = Graph.cell(E, K);
      GraphScript::Cell Here{C.Offset, ~0u, 0};
      if (!Graph[E].IsWrite && C.Source != NoEvent)
        Here.Source = StepOf[C.Source];
      Here.Position = Write == NoEvent ? 0 : Graph.cell(Write, K).Position;
      if (K == 0) {
        S.Source = Here.Source;
        S.Position = Here.Position;
      }
      if (Graph.isSplit(E))
        S.Cells.push_back(Here);
    }
    StepOf[E] = StepOf[Last] = static_cast<uint32_t>(Script.Steps.size() - 1);
  }
  return Script;
}

} // namespace picket
