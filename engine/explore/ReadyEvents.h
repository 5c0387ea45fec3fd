// The events of a large graph that can be committed, kept up to date as events are committed and taken back. An event
// that cannot be committed yet waits for one of those that have to come before it, and is checked again after that.
#pragma once

#include "memory/EventSet.h"

#include <algorithm>
#include <set>
#include <vector>

namespace picket {

class ReadyEvents {
public:
  using Rank = std::pair<uint64_t, EventId>;

  struct Mark {
    size_t Changes, Commits;
    EventId Events;
  };
  Mark mark() const { return {Changes.size(), SeenCommits, SeenEvents}; }
  void undoTo(const Mark &To) {
    for (; Changes.size() > To.Changes; Changes.pop_back())
      undo(Changes.back());
    SeenCommits = To.Commits;
    SeenEvents = To.Events;
  }

  /// The events to be checked now, in order: new ones, and those that waited for what was committed meanwhile.
  std::vector<EventId> toCheck(EventId NumEvents, const std::vector<EventId> &Commits) {
    std::vector<EventId> All(Polled.begin(), Polled.end());
    if (Waiting.size() < NumEvents) {
      Waiting.resize(NumEvents);
      RankOf.resize(NumEvents);
    }
    for (; SeenEvents < NumEvents; ++SeenEvents) {
      RankOf[SeenEvents] = NotReady;
      All.push_back(SeenEvents);
    }
    for (; SeenCommits < Commits.size(); ++SeenCommits) {
      const EventId E = Commits[SeenCommits];
      if (RankOf[E] != NotReady) {
        Ready.erase({RankOf[E], E});
        Changes.push_back({Change::Removed, E, RankOf[E], {}});
        RankOf[E] = NotReady;
      }
      if (Waiting[E].empty())
        continue;
      All.insert(All.end(), Waiting[E].begin(), Waiting[E].end());
      Changes.push_back({Change::Woken, E, 0, std::move(Waiting[E])});
      Waiting[E].clear();
    }
    std::sort(All.begin(), All.end());
    All.erase(std::unique(All.begin(), All.end()), All.end());
    return All;
  }

  void setReady(EventId E, uint64_t Rank) {
    stopPolling(E);
    if (RankOf[E] != NotReady)
      return;
    RankOf[E] = Rank;
    Ready.insert({Rank, E});
    Changes.push_back({Change::Added, E, Rank, {}});
  }
  void waitFor(EventId E, EventId Other) {
    stopPolling(E);
    Waiting[Other].push_back(E);
    Changes.push_back({Change::Waits, Other, 0, {}});
  }
  /// To be checked every time.
  void poll(EventId E) {
    if (Polled.insert(E).second)
      Changes.push_back({Change::Polls, E, 0, {}});
  }

  /// Those that can be committed, by rank.
  const std::set<Rank> &ready() const { return Ready; }
  size_t bytes() const { return Changes.capacity() * sizeof(Change) + Waiting.size() * 64 + Ready.size() * 48; }

private:
  static constexpr uint64_t NotReady = ~0ull;
  struct Change {
    enum : uint8_t { Added, Removed, Waits, Woken, Polls, PollsNoMore } What;
    EventId Of;
    uint64_t Rank;
    std::vector<EventId> List;
  };

  void stopPolling(EventId E) {
    if (!Polled.empty() && Polled.erase(E))
      Changes.push_back({Change::PollsNoMore, E, 0, {}});
  }
  void undo(Change &C) {
    switch (C.What) {
    case Change::Added:
      Ready.erase({C.Rank, C.Of});
      RankOf[C.Of] = NotReady;
      break;
    case Change::Removed:
      Ready.insert({C.Rank, C.Of});
      RankOf[C.Of] = C.Rank;
      break;
    case Change::Waits: Waiting[C.Of].pop_back(); break;
    case Change::Woken: Waiting[C.Of] = std::move(C.List); break;
    case Change::Polls: Polled.erase(C.Of); break;
    case Change::PollsNoMore: Polled.insert(C.Of); break;
    }
  }

  std::set<Rank> Ready;
  std::vector<uint64_t> RankOf; // per event
  std::set<EventId> Polled;
  std::vector<std::vector<EventId>> Waiting; // per event, for it
  std::vector<Change> Changes;
  size_t SeenCommits = 0;
  EventId SeenEvents = 0;
};

} // namespace picket
