// What is told of a run on an execution graph, as plain values (GraphRun). A part of GraphWalk.cpp: not for others to
// include.
#pragma once

#include "explore/GraphWalk.h"

#include <cstring>

namespace picket {

template <unsigned Words> std::vector<GraphAccess> GraphWalk<Words>::accesses() {
  std::vector<std::pair<EventId, PlaceId>> Order;
  auto Add = [&](EventId E) {
    if (!G[E].Void && G.Committed.contains(E))
      G.forEachCell(E, [&](const GraphCell &C) { Order.push_back({E, C.Place}); });
  };
  Set Seen;
  for (EventId E : Run) {
    if (Seen.contains(E))
      continue; // another cell
    Seen.insert(E);
    Add(E);
    if (const EventId Last = G.lastWith(E); Last != E)
      Add(Last);
  }
  // Where the cells of an event begin in that.
  std::vector<uint32_t> FirstOf(G.size());
  for (auto K = static_cast<uint32_t>(Order.size()); K-- > 0;)
    FirstOf[Order[K].first] = K;
  auto NumberOf = [&](EventId E, PlaceId Id) {
    uint32_t K = FirstOf[E];
    while (Order[K].second != Id)
      ++K;
    return K;
  };
  std::vector<GraphAccess> All;
  for (auto [E, Id] : Order) {
    const auto &Place = G.Places[Id];
    const GraphCell &C = G.cellIn(Id, E);
    const uint32_t Source = G[E].IsWrite || C.Source == NoEvent ? ~0u : NumberOf(C.Source, Id);
    GraphAccess &A = All.emplace_back();
    A = {G[E].Thread, G[E].Index,  G[E].Pc, G[E].IsWrite, G[E].OfUpdate,
         Place.Where, Place.Width, C.Value, Source,       G[E].IsWrite ? C.Position : 0};
    if (Flow.isWide(E) && !G.isSplit(E))
      Memory::readWords(Flow.stateOf(C.Value), Place.Width, A.Value, A.Value2);
  }
  return All;
}

template <unsigned Words> std::vector<GraphFact> GraphWalk<Words>::facts() {
  auto List = [](const Set &Events) {
    std::vector<EventId> All;
    Events.forEach([&](EventId E) { All.push_back(E); });
    return All;
  };
  const Set Happened = G.Reads | G.Writes;
  std::vector<GraphFact> All;
  for (EventId E = 0; E < G.size(); ++E) {
    const auto &Event = G[E];
    GraphFact &F = All.emplace_back();
    F.Thread = Event.Thread;
    F.Pc = Event.Pc;
    F.Op = Flow.operation(E);
    F.Number = Event.Operation;
    F.Part = Event.Part;
    F.IsWrite = Event.IsWrite;
    F.OfUpdate = Event.OfUpdate;
    F.Ends = Event.Ends;
    F.IsBug = Flow.bugOf(Event.Thread) == E;
    F.Happened = Happened.contains(E);
    if (!F.Happened)
      continue;
    const auto &Place = G.Places[Event.Place];
    F.Where = Place.Where;
    F.Width = G.isSplit(E) ? Flow.widthOf(E) : Place.Width;
    F.Value = Event.Value;
    F.Initial = Place.Initial;
    const GraphCell &Cell = G.cell(E, 0);
    F.Source = Event.IsWrite ? NoEvent : Cell.Source;
    F.Position = Event.IsWrite ? Cell.Position : 0;
    if (G.isSplit(E)) {
      uint8_t Initial[64] = {};
      G.forEachCell(E, [&](const GraphCell &C) {
        F.Cells.push_back({C.Offset, C.Width, Event.IsWrite ? NoEvent : C.Source, Event.IsWrite ? C.Position : 0});
        std::memcpy(Initial + C.Offset, &G.Places[C.Place].Initial, C.Width);
      });
      F.Initial = Memory::readWord(Initial, std::min(F.Width, 8u));
      F.Initial2 = F.Width > 8 ? Memory::readWord(Initial + 8, 8) : 0;
    } else if (Flow.isWide(E) && Place.Holds == Graph::PlaceState::State) {
      Memory::readWords(Flow.stateOf(Place.Initial), F.Width, F.Initial, F.Initial2);
    }
    if (Flow.isWide(E))
      Memory::readWords(Flow.stateOf(Event.Value), F.Width, F.Value, F.Value2);
    const Set Own = Event.Before & Happened;
    F.AddressFrom = List(Event.Address & Own);
    F.DataFrom = List(Event.Data & Own);
    F.ControlFrom = List(Event.Control & Own);
    F.Fenced = List((PowerAxioms<Words>::fullFence(G, E) | PowerAxioms<Words>::lightFence(G, E)) & Own);
    F.Kept = List(Event.Order & Own);
    F.Past = List(Event.Past);
    if (F.Op.Kind == OperationKind::Sync && !F.IsWrite) {
      F.State.assign(sizeOf(F.Op.Sync), 0);
      if (!G.anyCell(E, [&](const GraphCell &C) { return C.Source != NoEvent && G[C.Source].Ends; }))
        std::copy_n(Flow.stateOf(F.Value), F.State.size(), F.State.begin());
    }
  }
  return All;
}

template <unsigned Words> GraphScript GraphWalk<Words>::script() {
  GraphScript Script;
  Script.Known = Memory;
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    Script.Threads.push_back(M.exists(T) ? M.pathOf(T) : std::vector<uint32_t>());
  std::vector<uint32_t> StepOf(G.size(), ~0u);
  for (EventId E : Run) {
    if (G[E].Void || StepOf[E] != ~0u || isHalf(E))
      continue;
    GraphScript::Step &S = Script.Steps.emplace_back();
    S.Thread = G[E].Thread;
    S.Number = G[E].Operation;
    S.Part = G[E].Part;
    const EventId Last = G.lastWith(E);
    const EventId Write = G[Last].IsWrite && !G[Last].Void ? Last : NoEvent;
    for (uint32_t K = 0; K < G[E].NumCells; ++K) {
      const GraphCell &C = G.cell(E, K);
      GraphScript::Cell Here{C.Offset, ~0u, 0};
      if (!G[E].IsWrite && C.Source != NoEvent)
        Here.Source = StepOf[C.Source];
      Here.Position = Write == NoEvent ? 0 : G.cell(Write, K).Position;
      if (K == 0) {
        S.Source = Here.Source;
        S.Position = Here.Position;
      }
      if (G.isSplit(E))
        S.Cells.push_back(Here);
    }
    StepOf[E] = StepOf[Last] = static_cast<uint32_t>(Script.Steps.size() - 1);
  }
  return Script;
}

} // namespace picket
