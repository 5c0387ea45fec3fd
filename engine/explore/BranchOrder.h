// The order in which the steps of a branch are taken in a large graph: always the least of those that nothing else that
// is left has to come before.
#pragma once

#include "memory/ExecutionGraph.h"

#include <queue>
#include <unordered_map>

namespace picket {

/// Calls Take(event) for each of `Left`, in order. `Key`: what is least comes first. `Look`: called now and then.
template <typename KeyOf, typename Visitor, typename Look>
void inBranchOrder(const ExecutionGraph<0> &G, const EventSet<0> &Events, KeyOf Key, Visitor Take, Look LookAround) {
  EventSet<0> Left = Events;
  std::unordered_map<EventId, std::vector<EventId>> Waiting; // for an event
  using Item = std::pair<uint64_t, EventId>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> Free;
  auto Place = [&](EventId E) {
    const EventSet<0> Earlier = G[E].Past & Left;
    if (Earlier.empty())
      Free.push({Key(E), E});
    else
      Waiting[Earlier.last()].push_back(E);
  };
  Events.forEach(Place);
  while (!Free.empty()) {
    const EventId E = Free.top().second;
    Free.pop();
    Left.erase(E);
    Take(E);
    LookAround();
    if (auto Found = Waiting.find(E); Found != Waiting.end()) {
      const std::vector<EventId> Woken = std::move(Found->second);
      Waiting.erase(Found);
      for (EventId Other : Woken)
        Place(Other);
    }
  }
}

} // namespace picket
