#include "explore/ReadsFromWalk.h"

namespace picket {

/// Puts all places into an order with which the graph is allowed and that has the given pairs of writes in it. False,
/// and nothing has changed, if there is none. New: committed, but not in Run yet.
template <unsigned Words> bool ReadsFromWalk<Words>::arrange(const Pairs &Given, EventId New) {
  std::vector<EventId> Committed;
  auto Add = [&](EventId E) {
    if (!G[E].Void)
      Committed.push_back(E);
    if (G[E].OfUpdate && !G[E + 1].Void)
      Committed.push_back(E + 1);
  };
  for (EventId E : Run)
    Add(E);
  if (New != NoEvent)
    Add(New);
  if (!Search.find(Committed, Given))
    return false;
  for (PlaceId Place = 0; Place < G.Places.size(); ++Place)
    G.arrange(Place, Search.orderOf(Place));
  return true;
}

/// Whether a read that was just committed, with the write of an update behind it, is allowed with coherence as it is.
template <unsigned Words> bool ReadsFromWalk<Words>::isAllowed(EventId Read) const {
  if (G.positionOf(G[Read].Source) < coherenceFloor(G, Read) || !Model->allows(G, Read))
    return false;
  const bool Writes = G[Read].OfUpdate && !G[Read + 1].Void;
  return !Writes || (G.keepsUpdatesWhole(Read + 1) && Model->allows(G, Read + 1));
}

template <unsigned Words> bool ReadsFromWalk<Words>::place(EventId Read, EventId Source, Update &Done) {
  const EventId Write = Read + 1;
  const bool Updates = G[Read].OfUpdate;
  G.commitRead(Read, Source);
  Model->extend(G, Read);
  if (Updates) {
    Done = Flow.update(Read, G[Read].Value);
    if (Done.Does == Update::Waits) {
      G.uncommitRead(Read);
      return false;
    }
    G[Write].Past = G[Read].Past;
    G[Write].Past.insert(Read);
    G[Write].Home = ~0u;
    if (Done.Does == Update::Writes) {
      G[Write].Value = Done.Value;
      Model->extend(G, Write);
      G.commitWrite(Write, G.positionOf(Source) + 1);
    } else {
      G.commitVoid(Write);
    }
  }
  if (isAllowed(Read) || arrange({}, Read))
    return true;
  this->takeBack(Read);
  return false;
}

template <unsigned Words> uint32_t ReadsFromWalk<Words>::lowestFor(EventId Write) const {
  const auto &Coherence = G.Places[G[Write].Place].Coherence;
  if (G[Write].Ends) // a second end is wrong whichever comes first
    return static_cast<uint32_t>(Coherence.size());
  auto End = std::find_if(Coherence.begin(), Coherence.end(), [&](EventId W) { return G[W].Ends; });
  return static_cast<uint32_t>(End - Coherence.begin());
}

/// The last position is possible. In front of an end: perhaps with another order of the rest.
template <unsigned Words> bool ReadsFromWalk<Words>::fits(EventId Write) {
  const auto &Coherence = G.Places[G[Write].Place].Coherence;
  if (G[Write].Position == Coherence.size() || (G[Write].Position > coherenceFloor(G, Write) && Walk::fits(Write)))
    return true;
  return arrange({{Write, Coherence[G[Write].Position]}}, Write);
}

/// Whether a write may come behind the end of the memory it goes to, if nothing says that it comes before.
template <unsigned Words> bool ReadsFromWalk<Words>::failsAtEnd() {
  for (PlaceId Place = 0; Place < G.Places.size(); ++Place) {
    const std::vector<EventId> Writes = G.Places[Place].Coherence;
    for (EventId End : Writes)
      for (EventId W : Writes)
        if (G[End].Ends && !G[W].Ends && G.isExternal(End, W) && arrange({{End, W}})) {
          Flow.failEnded(W, End);
          return true;
        }
  }
  return false;
}

template <unsigned Words> Ending ReadsFromWalk<Words>::ending(ThreadId &Stuck, bool &Superfluous) {
  if (M.bugs().empty() && failsAtEnd())
    return Ending::Buggy;
  std::vector<PlaceId> Decided;
  Pairs Last;
  if (!Deferred.empty())
    spinWith(Decided, Last);
  return Walk::ending(Stuck, Superfluous);
}

template <unsigned Words> bool ReadsFromWalk<Words>::waitsInVain() {
  std::vector<PlaceId> Decided;
  Pairs Last;
  if (Deferred.empty())
    return false;
  if (!spinWith(Decided, Last))
    return true;
  const auto Waiting = std::exchange(Deferred, {});
  const bool Moves = std::any_of(Waiting.begin(), Waiting.end(), [&](auto &D) {
    return Flow.operation(D.first).Kind == OperationKind::Sync && this->canGoOn(D.first);
  });
  Deferred = Waiting;
  return Moves;
}

/// Whether all loops that wait go round for ever with some order in which certain writes are last. Which write is the
/// last one of the other places that a loop looks at is tried. If there is such an order, it stays.
template <unsigned Words> bool ReadsFromWalk<Words>::spinWith(std::vector<PlaceId> &Decided, Pairs &Last) {
  const std::vector<std::pair<EventId, uint32_t>> Waiting = Deferred;
  for (auto [E, Home] : Waiting) {
    if (Flow.operation(E).Kind == OperationKind::Sync)
      continue;
    std::vector<PlaceId> Looked;
    const bool Forever = this->goesRoundForEver(E, &Looked);
    auto Open = std::find_if(Looked.begin(), Looked.end(), [&](PlaceId Place) {
      return std::find(Decided.begin(), Decided.end(), Place) == Decided.end();
    });
    if (Open == Looked.end()) {
      if (!Forever)
        return false;
      continue;
    }
    const std::vector<EventId> Writes = G.Places[*Open].Coherence;
    const size_t NumLast = Last.size();
    Decided.push_back(*Open);
    bool Spins = Writes.empty() && spinWith(Decided, Last);
    for (size_t K = Writes.size(); K-- > 0 && !Spins;) {
      for (EventId W : Writes)
        if (W != Writes[K])
          Last.push_back({W, Writes[K]});
      Spins = arrange(Last) && spinWith(Decided, Last);
      Last.resize(NumLast);
    }
    Decided.pop_back();
    return Spins;
  }
  return true;
}

/// What takes effect before an event: as the model preserves program order, by reads-from, coherence and from-reads.
template <unsigned Words> EventSet<Words> ReadsFromWalk<Words>::before(EventId E) const {
  Set Before = G[E].Order;
  // The end of a local variable takes effect at once, whatever is in its thread's buffer.
  G[E].Before.forEach([&](EventId Earlier) {
    if (G[Earlier].Ends && G.Writes.contains(Earlier))
      Before.insert(Earlier);
  });
  if (!G[E].IsWrite) {
    if (G[E].Source != NoEvent && (OwnReadsWait || G.isExternal(G[E].Source, E)))
      Before.insert(G[E].Source);
    return Before;
  }
  EventId Earlier = NoEvent;
  for (EventId W : G.Places[G[E].Place].Coherence) {
    Before |= G.readersOf(G[E].Place, Earlier);
    if (W == E)
      break;
    Before.insert(W);
    Earlier = W;
  }
  if (G[E].Ends)
    ((G[E].Before & G.Writes) - G[E].Sync).forEach([&](EventId Own) {
      if (!G[Own].OfUpdate && !G[Own].Ends)
        Before.erase(Own);
    });
  return Before;
}

/// One thread after the other as long as that is possible.
template <unsigned Words> std::vector<GraphEffect> ReadsFromWalk<Words>::effects() {
  struct Node {
    GraphEffect Effect;
    Set Events, Before;
    bool Ends = false;
  };
  const auto Numbers = this->numbers();
  std::vector<Node> Left;
  (G.Reads | G.Writes).forEach([&](EventId E) {
    const GraphEffect Effect{G[E].Thread, Numbers[E].first, G[E].IsWrite && !G[E].OfUpdate && !G[E].Ends,
                             M.memory().at(slotOf(G.Places[G[E].Place].Where)).Site};
    auto Same = std::find_if(Left.begin(), Left.end(), [&](const Node &N) {
      return N.Effect.Thread == Effect.Thread && N.Effect.Number == Effect.Number;
    });
    if (Same == Left.end())
      Same = Left.insert(Left.end(), Node{Effect, {}, {}, false});
    Same->Effect.Stores &= Effect.Stores;
    Same->Events.insert(E);
    Same->Ends |= G[E].Ends;
    Same->Before |= before(E);
  });
  std::vector<GraphEffect> Order;
  Set Done;
  while (!Left.empty()) {
    auto Next = Left.end();
    for (auto N = Left.begin(); N != Left.end(); ++N) {
      const bool Goes = (N->Before - N->Events).isSubsetOf(Done);
      const bool GoesOn = Goes && !Order.empty() && Order.back().Thread == N->Effect.Thread;
      if (GoesOn || (Goes && Next == Left.end()))
        Next = N;
      if (GoesOn)
        break;
    }
    // Two ends of the same memory have no order that holds for all its parts: each is wrong whichever comes first.
    if (Next == Left.end())
      Next = std::find_if(Left.begin(), Left.end(), [](const Node &N) { return N.Ends; });
    if (Next == Left.end())
      return Order;
    Order.push_back(Next->Effect);
    Done |= Next->Events;
    Left.erase(Next);
  }
  return Order;
}

template class ReadsFromWalk<1>;
template class ReadsFromWalk<4>;
template class ReadsFromWalk<16>;

} // namespace picket
