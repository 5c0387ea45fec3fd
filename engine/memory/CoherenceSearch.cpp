#include "memory/CoherenceSearch.h"

namespace picket {

template <unsigned Words> bool CoherenceSearch<Words>::find(const std::vector<EventId> &Committed, const Pairs &Given) {
  Deciding = false;
  Replaced.clear();
  if (!begin(Committed))
    return false;
  for (auto [Earlier, Later] : Given)
    if (!addCoherence(Earlier, Later))
      return false;
  if (!saturate())
    return false;
  Deciding = true;
  return decide();
}

/// Starts with what holds whatever coherence is: program order as far as the model preserves it, and reads-from.
template <unsigned Words> bool CoherenceSearch<Words>::begin(const std::vector<EventId> &Committed) {
  Before.assign(TheGraph.size(), Set());
  Behind.assign(TheGraph.size(), Set());
  Reads.clear();
  for (EventId E : Committed) {
    const auto &Event = TheGraph[E];
    Set Direct = Event.Order;
    if (!Event.IsWrite) {
      Reads.push_back(E);
      if (Event.Source != NoEvent && (OwnReadsWait || TheGraph.isExternal(Event.Source, E)))
        Direct.insert(Event.Source);
    }
    Set &Mine = Before[E];
    Mine = Direct;
    // What is before something that is before it need not be looked at.
    while (!Direct.empty()) {
      const EventId Earlier = Direct.takeLast();
      Mine |= Before[Earlier];
      Direct -= Before[Earlier];
    }
    Mine.forEach([&](EventId Earlier) { Behind[Earlier].insert(E); });
  }
  Look(Committed.size() * Words);
  for (EventId E : Committed)
    if (!keepsPlaces(E))
      return false;
  return true;
}

/// SC per location: what a thread has seen of a location is not undone for it.
template <unsigned Words> bool CoherenceSearch<Words>::keepsPlaces(EventId E) {
  auto Shown = [&](EventId X) { return TheGraph[X].IsWrite ? X : TheGraph[X].Source; };
  Set Earlier = TheGraph.sameLocationBefore(E);
  if (Earlier.empty())
    return true;
  const EventId Mine = Shown(E), Seen = Shown(Earlier.takeLast());
  return Seen == Mine || Seen == NoEvent || (Mine != NoEvent && addCoherence(Seen, Mine));
}

template <unsigned Words> bool CoherenceSearch<Words>::addEdge(EventId From, EventId To) {
  if (Before[To].contains(From))
    return true;
  if (From == To || Before[From].contains(To))
    return false;
  Changed = true;
  auto Add = [&](std::vector<Set> &Rows, const Set &Of, const Set &New) {
    size_t Number = 0;
    Of.forEach([&](EventId E) {
      ++Number;
      if (New.isSubsetOf(Rows[E]))
        return;
      if (Deciding)
        Replaced.push_back({E, &Rows == &Behind, Rows[E]});
      Rows[E] |= New;
    });
    return Number;
  };
  Set Earlier = Before[From], Later = Behind[To];
  Earlier.insert(From);
  Later.insert(To);
  const size_t Rows = Add(Before, Later, Earlier) + Add(Behind, Earlier, Later);
  Look(Rows);
  return true;
}

/// Reads of the earlier write come before the later one.
template <unsigned Words> bool CoherenceSearch<Words>::addCoherence(EventId From, EventId To) {
  if (!addEdge(From, To))
    return false;
  bool Possible = true;
  TheGraph.readersOf(TheGraph[To].Location, From).forEach([&](EventId Read) {
    Possible = Possible && addEdge(Read, To);
  });
  return Possible;
}

template <unsigned Words> bool CoherenceSearch<Words>::saturate() {
  do {
    Changed = false;
    for (EventId Read : Reads)
      if (!saturate(Read))
        return false;
    Look(Reads.size());
  } while (Changed);
  return true;
}

/// What a read says of the other writes of its location: each is before the one it reads, or behind the read. The write of
/// an update immediately follows the one it read.
template <unsigned Words> bool CoherenceSearch<Words>::saturate(EventId Read) {
  const EventId Source = TheGraph[Read].Source;
  const bool Updates = TheGraph[Read].OfUpdate && !TheGraph[Read + 1].Void;
  const EventId Update = Updates ? Read + 1 : NoEvent;
  Set Others = TheGraph.Locations[TheGraph[Read].Location].Writes;
  if (Source != NoEvent)
    Others.erase(Source);
  if (Updates)
    Others.erase(Update);
  const Set Earlier = Others & (Updates ? Before[Read] | Before[Update] : Before[Read]);
  const Set Later = (Source == NoEvent ? Others : Others & Behind[Source]) - Earlier;
  if (Source == NoEvent && !Earlier.empty())
    return false;
  bool Possible = true;
  if (Source != NoEvent)
    (Earlier - Before[Source]).forEach([&](EventId W) { Possible = Possible && addCoherence(W, Source); });
  (Later - (Updates ? Behind[Read] & Behind[Update] : Behind[Read])).forEach([&](EventId W) {
    Possible = Possible && addEdge(Read, W) && (!Updates || addCoherence(Update, W));
  });
  return Possible;
}

/// Goes on to a pair of writes whose order is open. The guess is that it is the one they have in the graph as it is.
template <unsigned Words> bool CoherenceSearch<Words>::nextOpen(Pair &At) const {
  for (; At.Location < TheGraph.Locations.size(); ++At.Location, At.Earlier = 0, At.Later = 1) {
    const auto &Coherence = TheGraph.Locations[At.Location].Coherence;
    for (; At.Later < Coherence.size(); ++At.Later, At.Earlier = At.Later - 1)
      for (;; --At.Earlier) {
        const EventId Earlier = Coherence[At.Earlier], Later = Coherence[At.Later];
        if (!Before[Later].contains(Earlier) && !Before[Earlier].contains(Later))
          return true;
        if (At.Earlier == 0)
          break;
      }
  }
  return false;
}

/// Decides one open pair after the other. What was decided otherwise stays so until something before it is.
template <unsigned Words> bool CoherenceSearch<Words>::decide() {
  struct Decision {
    Pair Of;
    size_t Rows;
  };
  std::vector<Decision> Decided;
  auto Decide = [&](EventId Earlier, EventId Later) { return addCoherence(Earlier, Later) && saturate(); };
  for (Pair At; nextOpen(At);) {
    Decided.push_back({At, Replaced.size()});
    const auto &Coherence = TheGraph.Locations[At.Location].Coherence;
    bool Possible = Decide(Coherence[At.Earlier], Coherence[At.Later]);
    while (!Possible) {
      if (Decided.empty())
        return false;
      undoTo(Decided.back().Rows);
      At = Decided.back().Of;
      Decided.pop_back();
      const auto &Order = TheGraph.Locations[At.Location].Coherence;
      Possible = Decide(Order[At.Later], Order[At.Earlier]);
    }
  }
  return true;
}

template <unsigned Words> void CoherenceSearch<Words>::undoTo(size_t Rows) {
  for (; Replaced.size() > Rows; Replaced.pop_back())
    (Replaced.back().IsBehind ? Behind : Before)[Replaced.back().Of] = Replaced.back().Was;
}

template <unsigned Words> std::vector<EventId> CoherenceSearch<Words>::orderOf(LocationId Location) const {
  const Set &Writes = TheGraph.Locations[Location].Writes;
  std::vector<EventId> Order(TheGraph.Locations[Location].Coherence.size());
  for (EventId W : TheGraph.Locations[Location].Coherence) {
    size_t Position = 0;
    (Before[W] & Writes).forEach([&](EventId) { ++Position; });
    Order[Position] = W;
  }
  return Order;
}

template class CoherenceSearch<1>;
template class CoherenceSearch<4>;
template class CoherenceSearch<16>;

} // namespace picket
