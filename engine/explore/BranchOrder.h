// The order in which the steps of a branch are taken in a large graph (the paper's normalize): always the least step
// among those that no other remaining one has to precede.
#pragma once

#include "memory/ExecutionGraph.h"

#include <queue>
#include <unordered_map>

namespace picket {

/// Calls Take(event) for each of `Left`, in order. `Key`: the least comes first. `CountStep` is called for
/// each, so that limits are checked.
template <typename KeyOf, typename Visitor, typename Counter>
void inBranchOrder(const ExecutionGraph<0> &G, const EventSet<0> &Events, KeyOf Key, Visitor Take, Counter CountStep) {
  EventSet<0> Left = Events;
  std::unordered_map<EventId, std::vector<EventId>> Waiting; // for an event
  using Item = std::pair<uint64_t, EventId>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> Free;
  auto Enqueue = [&](EventId E) {
    const EventSet<0> Earlier = G[E].Past & Left;
    if (Earlier.empty())
      Free.push({Key(E), E});
    else
      Waiting[Earlier.last()].push_back(E);
  };
  Events.forEach(Enqueue);
  while (!Free.empty()) {
    const EventId E = Free.top().second;
    Free.pop();
    Left.erase(E);
    Take(E);
    CountStep();
    if (auto Found = Waiting.find(E); Found != Waiting.end()) {
      const std::vector<EventId> Woken = std::move(Found->second);
      Waiting.erase(Found);
      for (EventId Other : Woken)
        Enqueue(Other);
    }
  }
}

} // namespace picket
