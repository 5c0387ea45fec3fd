#include "explore/ReadsFromWalk.h"

namespace picket {

/// Puts all locations into a coherence order with which the graph is allowed and that has the given pairs of writes in
/// it. False, and nothing has changed, if there is none. New: committed, but not in Run yet.
template <unsigned Words> bool ReadsFromWalk<Words>::arrange(const Pairs &Given, EventId New) {
  std::vector<EventId> Committed;
  auto Add = [&](EventId E) {
    if (!Graph[E].Void)
      Committed.push_back(E);
    if (Graph[E].OfUpdate && !Graph[E + 1].Void)
      Committed.push_back(E + 1);
  };
  for (EventId E : Run)
    Add(E);
  if (New != NoEvent)
    Add(New);
  if (!Search.find(Committed, Given))
    return false;
  for (LocationId Location = 0; Location < Graph.Locations.size(); ++Location)
    Graph.arrange(Location, Search.orderOf(Location));
  return true;
}

/// Whether a read that was just committed, with the write of an update behind it, is allowed with coherence as it is.
template <unsigned Words> bool ReadsFromWalk<Words>::isAllowed(EventId Read) const {
  if (Graph.positionOf(Graph[Read].Source) < coherenceFloor(Graph, Read) || !Model->allows(Graph, Read))
    return false;
  const bool Writes = Graph[Read].OfUpdate && !Graph[Read + 1].Void;
  return !Writes || (Graph.keepsUpdatesWhole(Read + 1) && Model->allows(Graph, Read + 1));
}

template <unsigned Words> bool ReadsFromWalk<Words>::place(EventId Read, EventId Source, Update &Done) {
  checkLifetime(Read);
  Graph.commitRead(Read, Source);
  this->extend(Read);
  if (Graph[Read].OfUpdate && !this->commitUpdate(Read, Source, Done)) {
    Graph.uncommitRead(Read);
    return false;
  }
  if (isAllowed(Read) || arrange({}, Read))
    return true;
  this->takeBack(Read);
  return false;
}

/// The last position is possible.
template <unsigned Words> bool ReadsFromWalk<Words>::fits(EventId Write) {
  checkLifetime(Write);
  return true;
}

/// All that takes effect before an event whatever coherence is: as the model preserves program order, and by
/// reads-from.
template <unsigned Words> EventSet<Words> ReadsFromWalk<Words>::surelyBefore(EventId E) const {
  Set Before, Left = Graph[E].Order;
  while (!Left.empty()) {
    const EventId Earlier = Left.takeLast();
    Before.insert(Earlier);
    Left |= Graph[Earlier].Order;
    if (const EventId Source = Graph[Earlier].Source;
        !Graph[Earlier].IsWrite && Source != NoEvent && (OwnReadsWait || Graph.isExternal(Source, Earlier)))
      Left.insert(Source);
    Left -= Before;
  }
  return Before;
}

/// Whether memory has ended when it is accessed is a matter of coherence, unless reads-from says that all accesses of
/// others come before the end.
template <unsigned Words> void ReadsFromWalk<Words>::checkLifetime(EventId E) {
  const uint32_t Slot = slotOf(Graph.Locations[Graph[E].Location].Where);
  const Object &O = TheMachine.memory().at(Slot);
  if (O.Kind != ObjectKind::Heap && O.Kind != ObjectKind::Stack)
    return;
  Set Others;
  const std::vector<LocationId> Looked =
      Graph[E].Ends ? Flow.locationsOf(Slot) : std::vector<LocationId>{Graph[E].Location, Flow.lifeOf(Slot)};
  for (LocationId Location : Looked) {
    if (Location == NoLocation)
      continue;
    (Graph.Locations[Location].Reads | Graph.Locations[Location].Writes).forEach([&](EventId Other) {
      if (Graph.isExternal(Other, E) && (Graph[E].Ends || Graph[Other].Ends))
        Others.insert(Other);
    });
  }
  if (!Others.empty() && !(Graph[E].Ends && Others.isSubsetOf(surelyBefore(E))))
    throw GraphStop(Graph[E].Thread, Graph[E].Pc, "memory that may end while other threads access it");
}

template <unsigned Words> Ending ReadsFromWalk<Words>::ending(ThreadId &Stuck, bool &Superfluous) {
  std::vector<LocationId> Decided;
  Pairs Last;
  if (!Deferred.empty())
    spinWith(Decided, Last);
  return Walk::ending(Stuck, Superfluous);
}

template <unsigned Words> void ReadsFromWalk<Words>::refuseLoopsOfSeveralLoads() {
  for (auto [E, Home] : std::vector(Deferred)) {
    std::vector<typename Walk::SpinRead> SpinReads;
    if (Flow.operation(E).Kind != OperationKind::Sync && this->spinsForEver(E, &SpinReads) &&
        std::any_of(SpinReads.begin(), SpinReads.end(), [&](auto &L) { return L.Pc != SpinReads.front().Pc; }))
      throw GraphStop(Graph[E].Thread, Graph[E].Pc, "a loop that waits for several loads and may do so forever");
  }
}

template <unsigned Words> bool ReadsFromWalk<Words>::waitsInVain() {
  std::vector<LocationId> Decided;
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
/// last one of the other locations that a loop reads is tried. If there is such an order, it stays.
template <unsigned Words> bool ReadsFromWalk<Words>::spinWith(std::vector<LocationId> &Decided, Pairs &Last) {
  const std::vector<std::pair<EventId, uint32_t>> Waiting = Deferred;
  for (auto [E, Home] : Waiting) {
    checkLifetime(E);
    if (Flow.operation(E).Kind == OperationKind::Sync)
      continue;
    std::vector<typename Walk::SpinRead> SpinReads;
    const bool Forever = this->spinsForEver(E, &SpinReads);
    auto Open = std::find_if(SpinReads.begin(), SpinReads.end(), [&](auto &L) {
      return std::find(Decided.begin(), Decided.end(), L.Location) == Decided.end();
    });
    if (Open == SpinReads.end()) {
      if (!Forever)
        return false;
      continue;
    }
    const std::vector<EventId> Writes = Graph.Locations[Open->Location].Coherence;
    const size_t NumLast = Last.size();
    Decided.push_back(Open->Location);
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
  Set Before = Graph[E].Order;
  // The end of a local variable takes effect immediately, whatever is in its thread's buffer.
  Graph[E].Before.forEach([&](EventId Earlier) {
    if (Graph[Earlier].Ends && Graph.Writes.contains(Earlier))
      Before.insert(Earlier);
  });
  if (!Graph[E].IsWrite) {
    if (Graph[E].Source != NoEvent && (OwnReadsWait || Graph.isExternal(Graph[E].Source, E)))
      Before.insert(Graph[E].Source);
    return Before;
  }
  EventId Earlier = NoEvent;
  for (EventId W : Graph.Locations[Graph[E].Location].Coherence) {
    Before |= Graph.readersOf(Graph[E].Location, Earlier);
    if (W == E)
      break;
    Before.insert(W);
    Earlier = W;
  }
  if (Graph[E].Ends && !OwnReadsWait)
    ((Graph[E].Before & Graph.Writes) - Graph[E].Sync).forEach([&](EventId Own) {
      if (!Graph[Own].OfUpdate && !Graph[Own].Ends)
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
  Set Needed = Graph.Reads | Graph.Writes;
  if (Bug.Kind != BugKind::Deadlock && Bug.Kind != BugKind::Hang) {
    const Set Direct = Flow.behind(Bug.Thread) & Graph.Committed;
    Needed &= this->pastOf(Direct);
  }
  std::vector<Node> Left;
  Needed.forEach([&](EventId E) {
    const GraphEffect Effect{Graph[E].Thread, Graph[E].Operation,
                             Graph[E].IsWrite && !Graph[E].OfUpdate && !Graph[E].Ends,
                             TheMachine.memory().at(slotOf(Graph.Locations[Graph[E].Location].Where)).Site};
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
