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
  lookAtLife(Read);
  G.commitRead(Read, Source);
  Model->extend(G, Read);
  if (G[Read].OfUpdate && !this->commitUpdate(Read, Source, Done)) {
    G.uncommitRead(Read);
    return false;
  }
  if (isAllowed(Read) || arrange({}, Read))
    return true;
  this->takeBack(Read);
  return false;
}

/// The last position is possible.
template <unsigned Words> bool ReadsFromWalk<Words>::fits(EventId Write) {
  lookAtLife(Write);
  return true;
}

/// All that takes effect before an event whatever coherence is: as the model preserves program order, and by
/// reads-from.
template <unsigned Words> EventSet<Words> ReadsFromWalk<Words>::surelyBefore(EventId E) const {
  Set Before, Left = G[E].Order;
  while (!Left.empty()) {
    const EventId Earlier = Left.takeLast();
    Before.insert(Earlier);
    Left |= G[Earlier].Order;
    if (const EventId Source = G[Earlier].Source;
        !G[Earlier].IsWrite && Source != NoEvent && (OwnReadsWait || G.isExternal(Source, Earlier)))
      Left.insert(Source);
    Left -= Before;
  }
  return Before;
}

/// Whether memory has ended when it is accessed is a matter of coherence, unless reads-from says that all accesses of
/// others come before the end.
template <unsigned Words> void ReadsFromWalk<Words>::lookAtLife(EventId E) {
  const uint32_t Slot = slotOf(G.Places[G[E].Place].Where);
  const Object &O = M.memory().at(Slot);
  if (O.Kind != ObjectKind::Heap && O.Kind != ObjectKind::Stack)
    return;
  Set Others;
  const std::vector<PlaceId> Looked =
      G[E].Ends ? Flow.placesOf(Slot) : std::vector<PlaceId>{G[E].Place, Flow.lifeOf(Slot)};
  for (PlaceId Place : Looked) {
    if (Place == NoPlace)
      continue;
    (G.Places[Place].Reads | G.Places[Place].Writes).forEach([&](EventId Other) {
      if (G.isExternal(Other, E) && (G[E].Ends || G[Other].Ends))
        Others.insert(Other);
    });
  }
  if (!Others.empty() && !(G[E].Ends && Others.isSubsetOf(surelyBefore(E))))
    throw GraphStop(G[E].Thread, G[E].Pc, "memory that may end while other threads access it");
}

template <unsigned Words> Ending ReadsFromWalk<Words>::ending(ThreadId &Stuck, bool &Superfluous) {
  std::vector<PlaceId> Decided;
  Pairs Last;
  if (!Deferred.empty())
    spinWith(Decided, Last);
  return Walk::ending(Stuck, Superfluous);
}

template <unsigned Words> void ReadsFromWalk<Words>::lookAtLoops() {
  for (auto [E, Home] : std::vector(Deferred)) {
    std::vector<typename Walk::Glance> Looked;
    if (Flow.operation(E).Kind != OperationKind::Sync && this->goesRoundForEver(E, &Looked) &&
        std::any_of(Looked.begin(), Looked.end(), [&](auto &L) { return L.Pc != Looked.front().Pc; }))
      throw GraphStop(G[E].Thread, G[E].Pc, "a loop that waits for several loads and may do so forever");
  }
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
    lookAtLife(E);
    if (Flow.operation(E).Kind == OperationKind::Sync)
      continue;
    std::vector<typename Walk::Glance> Looked;
    const bool Forever = this->goesRoundForEver(E, &Looked);
    auto Open = std::find_if(Looked.begin(), Looked.end(), [&](auto &L) {
      return std::find(Decided.begin(), Decided.end(), L.Place) == Decided.end();
    });
    if (Open == Looked.end()) {
      if (!Forever)
        return false;
      continue;
    }
    const std::vector<EventId> Writes = G.Places[Open->Place].Coherence;
    const size_t NumLast = Last.size();
    Decided.push_back(Open->Place);
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
  if (G[E].Ends && !OwnReadsWait)
    ((G[E].Before & G.Writes) - G[E].Sync).forEach([&](EventId Own) {
      if (!G[Own].OfUpdate && !G[Own].Ends)
        Before.erase(Own);
    });
  return Before;
}

/// One thread after the other as long as that is possible. What the bug does not need is left out: another bug may be
/// in it. That nobody can go on needs everything.
template <unsigned Words> std::vector<GraphEffect> ReadsFromWalk<Words>::effectsBefore(const BugReport &Bug) {
  struct Node {
    GraphEffect Effect;
    Set Events, Before;
  };
  Set Needed = G.Reads | G.Writes;
  if (Bug.Kind != BugKind::Deadlock && Bug.Kind != BugKind::Hang) {
    const Set Direct = Flow.behind(Bug.Thread) & G.Committed;
    Needed &= this->pastOf(Direct);
  }
  std::vector<Node> Left;
  Needed.forEach([&](EventId E) {
    const GraphEffect Effect{G[E].Thread, G[E].Operation, G[E].IsWrite && !G[E].OfUpdate && !G[E].Ends,
                             M.memory().at(slotOf(G.Places[G[E].Place].Where)).Site};
    auto Same = std::find_if(Left.begin(), Left.end(), [&](const Node &N) {
      return N.Effect.Thread == Effect.Thread && N.Effect.Number == Effect.Number;
    });
    if (Same == Left.end())
      Same = Left.insert(Left.end(), Node{Effect, {}, {}});
    Same->Effect.Stores &= Effect.Stores;
    Same->Events.insert(E);
    Same->Before |= before(E) & Needed;
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
