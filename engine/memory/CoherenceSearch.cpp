#include "memory/CoherenceSearch.h"

namespace picket {

template <unsigned Words> bool CoherenceSearch<Words>::find(const std::vector<EventId> &Committed, const Pairs &Given) {
  if (!begin(Committed))
    return false;
  for (auto [Earlier, Later] : Given)
    if (!addCoherence(Earlier, Later))
      return false;
  if (!saturate())
    return false;
  const Closure Saved = C;
  if (guess())
    return true;
  C = Saved;
  return decide();
}

/// Starts with what holds whatever coherence is: program order as far as the model preserves it, and reads-from.
template <unsigned Words> bool CoherenceSearch<Words>::begin(const std::vector<EventId> &Committed) {
  C.Before.assign(G.size(), Set());
  C.Behind.assign(G.size(), Set());
  Reads.clear();
  for (EventId E : Committed) {
    const auto &Event = G[E];
    Set Direct = Event.Order;
    if (!Event.IsWrite) {
      Reads.push_back(E);
      if (Event.Source != NoEvent && (OwnReadsWait || G.isExternal(Event.Source, E)))
        Direct.insert(Event.Source);
    }
    Set &Before = C.Before[E];
    Before = Direct;
    Direct.forEach([&](EventId Earlier) { Before |= C.Before[Earlier]; });
    Before.forEach([&](EventId Earlier) { C.Behind[Earlier].insert(E); });
  }
  for (EventId E : Committed)
    if (!keepsPlaces(E))
      return false;
  return true;
}

/// SC per location: what a thread has seen of a place is not undone for it.
template <unsigned Words> bool CoherenceSearch<Words>::keepsPlaces(EventId E) {
  auto Shown = [&](EventId X) { return G[X].IsWrite ? X : G[X].Source; };
  const EventId Mine = Shown(E);
  bool Kept = true;
  G.samePlaceBefore(E).forEach([&](EventId Earlier) {
    const EventId Seen = Shown(Earlier);
    if (Kept && Seen != Mine && Seen != NoEvent)
      Kept = Mine != NoEvent && addCoherence(Seen, Mine);
  });
  return Kept;
}

template <unsigned Words> bool CoherenceSearch<Words>::addEdge(EventId From, EventId To) {
  if (C.Before[To].contains(From))
    return true;
  if (From == To || C.Before[From].contains(To))
    return false;
  Changed = true;
  Set Before = C.Before[From], Behind = C.Behind[To];
  Before.insert(From);
  Behind.insert(To);
  Behind.forEach([&](EventId E) { C.Before[E] |= Before; });
  Before.forEach([&](EventId E) { C.Behind[E] |= Behind; });
  return true;
}

/// Reads of the earlier write come before the later one.
template <unsigned Words> bool CoherenceSearch<Words>::addCoherence(EventId From, EventId To) {
  if (!addEdge(From, To))
    return false;
  bool Possible = true;
  G.readersOf(G[To].Place, From).forEach([&](EventId Read) { Possible = Possible && addEdge(Read, To); });
  return Possible;
}

template <unsigned Words> bool CoherenceSearch<Words>::saturate() {
  do {
    Changed = false;
    for (EventId Read : Reads)
      if (!saturate(Read))
        return false;
  } while (Changed);
  return true;
}

/// What a read says of the other writes of its place: each is before the one it reads, or behind the read. The write of
/// an update follows the one it read at once.
template <unsigned Words> bool CoherenceSearch<Words>::saturate(EventId Read) {
  const EventId Source = G[Read].Source;
  const bool Updates = G[Read].OfUpdate && !G[Read + 1].Void;
  const EventId Update = Updates ? Read + 1 : NoEvent;
  Set Others = G.Places[G[Read].Place].Writes;
  if (Source != NoEvent)
    Others.erase(Source);
  if (Updates)
    Others.erase(Update);
  bool Possible = true;
  Others.forEach([&](EventId W) {
    if (!Possible)
      return;
    if (C.Before[Read].contains(W) || (Updates && C.Before[Update].contains(W)))
      Possible = Source != NoEvent && addCoherence(W, Source);
    else if (Source == NoEvent || C.Before[W].contains(Source))
      Possible = addEdge(Read, W) && (!Updates || addCoherence(Update, W));
  });
  return Possible;
}

/// Two writes of a place whose order is open. Guesses that it is the one they have in the graph as it is.
template <unsigned Words> bool CoherenceSearch<Words>::openPair(EventId &Earlier, EventId &Later) const {
  for (const auto &Place : G.Places)
    for (size_t K = 1; K < Place.Coherence.size(); ++K)
      for (size_t J = K; J-- > 0;) {
        Earlier = Place.Coherence[J];
        Later = Place.Coherence[K];
        if (!C.Before[Later].contains(Earlier) && !C.Before[Earlier].contains(Later))
          return true;
      }
  return false;
}

/// Decides one pair after the other. That it fails is seldom, and says nothing.
template <unsigned Words> bool CoherenceSearch<Words>::guess() {
  for (EventId A, B; openPair(A, B);) {
    const Closure Saved = C;
    if (addCoherence(A, B) && saturate())
      continue;
    C = Saved;
    if (!addCoherence(B, A) || !saturate())
      return false;
  }
  return true;
}

/// The same with all that can be decided otherwise.
template <unsigned Words> bool CoherenceSearch<Words>::decide() {
  EventId A, B;
  if (!openPair(A, B))
    return true;
  const Closure Saved = C;
  if (addCoherence(A, B) && saturate() && decide())
    return true;
  C = Saved;
  return addCoherence(B, A) && saturate() && decide();
}

template <unsigned Words> std::vector<EventId> CoherenceSearch<Words>::orderOf(PlaceId Place) const {
  std::vector<EventId> Order(G.Places[Place].Coherence.size());
  for (EventId W : G.Places[Place].Coherence) {
    size_t Position = 0;
    for (EventId Other : G.Places[Place].Coherence)
      Position += C.Before[W].contains(Other);
    Order[Position] = W;
  }
  return Order;
}

template class CoherenceSearch<1>;
template class CoherenceSearch<4>;
template class CoherenceSearch<16>;

} // namespace picket
