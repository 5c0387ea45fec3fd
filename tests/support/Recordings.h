// Helpers for tests of recordings: every execution of a small program, and rules that every counterexample must
// satisfy.
#pragma once

#include "support/Explore.h"
#include "support/PowerRules.h"
#include "support/StoreBufferRules.h"
#include "trace/Counterexample.h"
#include "trace/Recorder.h"
#include "trace/Replay.h"

#include <functional>
#include <random>
#include <set>

namespace picket::testing {

/// What random programs share: their variables and locks, not where threads leave what they read, nor main's own.
inline Sharing variablesShared(const Program &P) {
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  for (uint32_t G = 0; G < P.Globals.size(); ++G)
    if (!P.Globals[G].Name.starts_with("sink"))
      Shared.markShared(Shared.siteOfGlobal(G));
  return Shared;
}

/// Calls `Each` with a recording of every interleaving of every step of the program. False if there are more than
/// `Max`.
inline bool forEachExecution(const Program &P, MemoryModel Buffers, size_t Max,
                             const std::function<void(Recording)> &Each) {
  Sharing Shared = variablesShared(P);
  Configuration C(P, Shared, MachineOptions(), Buffers);
  C.start();
  Recorder Into(C);
  std::vector<size_t> Choices; // which of the enabled processes, per step
  for (size_t Count = 0; Count < Max; ++Count) {
    Into.begin();
    std::vector<size_t> Alternatives;
    std::vector<ProcessId> Enabled;
    for (size_t Step = 0;; ++Step) {
      C.enabled(Enabled);
      if (Enabled.empty())
        break;
      if (Step == Choices.size())
        Choices.push_back(0);
      Alternatives.push_back(Enabled.size());
      Into.step(Enabled[Choices[Step]]);
    }
    Each(Into.finish(nullptr));
    while (!Choices.empty() && Choices.back() + 1 == Alternatives[Choices.size() - 1])
      Choices.pop_back();
    if (Choices.empty())
      return true;
    ++Choices.back();
  }
  return false;
}

/// A recording of an execution whose steps are chosen at random.
inline Recording randomExecution(const Program &P, MemoryModel Buffers, std::mt19937 &Random) {
  Sharing Shared = variablesShared(P);
  Configuration C(P, Shared, MachineOptions(), Buffers);
  C.start();
  Recorder Into(C);
  Into.begin();
  std::vector<ProcessId> Enabled;
  for (C.enabled(Enabled); !Enabled.empty(); C.enabled(Enabled))
    Into.step(Enabled[Random() % Enabled.size()]);
  return Into.finish(nullptr);
}

/// A graph without the recording's own numbering: events are called by thread and position in it, updates by their
/// store.
inline std::set<std::string> canonicalEdges(const Recording &R, const TraceGraph &G) {
  std::vector<std::string> Names(R.Events.size());
  std::map<uint32_t, unsigned> Count;
  for (uint32_t K = 0; K < R.Events.size(); ++K)
    if (const TraceEvent &E = R.Events[K]; E.Kind != EventKind::Update)
      Names[K] = R.Threads[E.Thread].Name + "." + std::to_string(++Count[E.Thread]) + nameOf(E.Kind) +
                 (E.Accesses.empty() ? "" : "(" + R.Variables[E.Accesses.back().Variable].Name + ")");
  for (uint32_t K = 0; K < R.Events.size(); ++K)
    if (R.Events[K].Kind == EventKind::Update)
      Names[K] = "update:" + Names[R.Events[K].Partner];
  std::set<std::string> Edges;
  for (uint32_t K : G.Nodes)
    Edges.insert(Names[K]);
  for (const TraceEdge &E : G.Edges)
    Edges.insert(Names[E.From] + " -" + nameOf(E.Kind) + "-> " + Names[E.To]);
  return Edges;
}

/// Whether the edges lead round.
inline bool isCyclic(const TraceGraph &G) {
  std::map<uint32_t, std::vector<uint32_t>> Successors;
  std::map<uint32_t, unsigned> Before;
  for (const TraceEdge &E : G.Edges) {
    Successors[E.From].push_back(E.To);
    ++Before[E.To];
  }
  std::vector<uint32_t> Free;
  for (uint32_t K : G.Nodes)
    if (!Before[K])
      Free.push_back(K);
  size_t Taken = 0;
  while (!Free.empty()) {
    uint32_t K = Free.back();
    Free.pop_back();
    ++Taken;
    for (uint32_t To : Successors[K])
      if (--Before[To] == 0)
        Free.push_back(To);
  }
  return Taken != G.Nodes.size();
}

/// What is wrong with the explanation of an execution, whatever the execution is; empty if nothing.
inline std::string problemOf(const Counterexample &C) {
  const bool Power = C.Run.Model == MemoryModel::Power, IsGraph = isExploredAsGraphs(C.Run.Model);
  std::string Problem; // C11 has no rules here
  if (!IsGraph)
    Problem = StoreBufferRules::problemOf(C.Run);
  else if (Power)
    Problem = PowerRules::problemOf(C.Run);
  if (!Problem.empty())
    return "not an execution of the model: " + Problem;
  if (IsGraph && !C.Chronological.Nodes.empty())
    return "a chronological trace where there is no such order";
  if (isCyclic(C.Chronological))
    return "the chronological trace is cyclic";
  if (isCyclic(C.ShashaSnir) == C.Why.Edges.empty())
    return C.Why.Edges.empty() ? "there is a cycle, but none was found" : "a cycle was found where there is none";
  for (size_t K = 0; K < C.Why.Edges.size(); ++K) {
    const TraceEdge &E = C.Why.Edges[K];
    if (E.To != C.Why.Edges[(K + 1) % C.Why.Edges.size()].From)
      return "the cycle's edges do not meet";
    if (!std::binary_search(C.ShashaSnir.Edges.begin(), C.ShashaSnir.Edges.end(), E))
      return "an edge of the cycle is not in the trace";
  }
  if (!C.Why.Edges.empty() && C.Why.Reordered.empty() && C.Why.Late.empty())
    return "a cycle, but nothing was reordered";
  if (C.Steps.size() != C.Run.Events.size())
    return "the steps are not the events";
  for (const TraceEdge &E : C.Chronological.Edges)
    if (E.From >= E.To)
      return "the telling goes against the trace";
  return Power ? PowerRules::problemOfOrder(C) : "";
}

} // namespace picket::testing
