// Helpers for tests of the graph explorer: explore a program, and return its traces and bugs.
#pragma once

#include "explore/Rsmc.h"
#include "support/Explore.h"

#include <algorithm>
#include <set>

namespace picket::testing {

/// Keeps the key of every trace, and how often it was seen, and the bugs.
class GraphTraces : public GraphObserver {
public:
  void ended(GraphRun &Run, Ending How) override {
    ++Seen[{How, keyOf(Run)}];
    if (How == Ending::Buggy)
      for (const BugReport &B : Run.machine().bugs())
        Bugs.insert(nameOf(B.Kind));
  }
  void restarted() override {
    Seen.clear();
    Bugs.clear();
  }

  /// How many executions were not the first of their trace.
  uint64_t repeated() const {
    uint64_t Times = 0;
    for (const auto &[Key, Number] : Seen)
      Times += Number - 1;
    return Times;
  }

  /// Whether another exploration has seen all of these traces.
  bool areAmong(const GraphTraces &Others) const {
    return std::all_of(Seen.begin(), Seen.end(), [&](const auto &Entry) { return Others.Seen.contains(Entry.first); });
  }

  size_t size() const { return Seen.size(); }

  std::set<std::string> Bugs;

private:
  using AccessName = std::pair<ThreadId, uint32_t>;
  /// Per access, in each of its places, the one that it reads, or that is before it in coherence. Threads are
  /// deterministic: this says it all.
  using Key = std::map<std::pair<AccessName, Address>, AccessName>;

  static Key keyOf(GraphRun &Run) {
    const std::vector<GraphAccess> All = Run.accesses();
    std::map<std::pair<Address, uint32_t>, AccessName> Coherence;
    for (const GraphAccess &A : All)
      if (A.IsWrite)
        Coherence[{A.Where, A.Position}] = {A.Thread, A.Index};
    Key K;
    for (const GraphAccess &A : All) {
      AccessName From{~0u, ~0u};
      if (A.IsWrite && A.Position > 1)
        From = Coherence.at({A.Where, A.Position - 1});
      else if (!A.IsWrite && A.Source != ~0u)
        From = {All[A.Source].Thread, All[A.Source].Index};
      K[{{A.Thread, A.Index}, A.Where}] = From;
    }
    return K;
  }

  std::map<std::pair<Ending, Key>, unsigned> Seen;
};

struct Explored {
  ExplorationResult Result;
  std::set<std::string> Bugs;
  uint64_t Repeated = 0;
};

inline Explored exploreGraphsOf(const Program &P, const GraphModel &Model = MemoryModel::Power, unsigned Unroll = 8) {
  GraphTraces Traces;
  Explored All;
  All.Result = exploreGraphs(P, Model, exhaustively(MemoryModel::SC, Unroll), Traces);
  All.Bugs = std::move(Traces.Bugs);
  All.Repeated = Traces.repeated();
  return All;
}

} // namespace picket::testing
