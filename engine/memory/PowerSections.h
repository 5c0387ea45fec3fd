// Atomic sections under POWER (docs/power.md): the axioms over a graph in which each section is one access of several
// locations. A part of PowerAxioms.cpp: not for others to include.
//
// Nothing is kept from one commit to the next. A new event can only break an axiom in a cycle through it, so only what
// is on cycles of happens-before and communication with it is looked at, which is mostly nothing.
#pragma once

#include "memory/PowerAxioms.h"

#include <unordered_map>

namespace picket::sections {

/// A relation between a few numbers, as a matrix of bits.
class Relation {
public:
  explicit Relation(uint32_t Size) : Size(Size), Words((Size + 63) / 64), Bits(size_t(Size) * Words) {}

  bool has(uint32_t A, uint32_t B) const { return row(A)[B / 64] >> (B % 64) & 1; }
  void add(uint32_t A, uint32_t B) { row(A)[B / 64] |= 1ull << (B % 64); }
  void addAll(const Relation &Other) {
    for (size_t K = 0; K < Bits.size(); ++K)
      Bits[K] |= Other.Bits[K];
  }
  /// To row A what is in a row of another relation.
  void addRow(uint32_t A, const Relation &Of, uint32_t B) {
    for (uint32_t K = 0; K < Words; ++K)
      row(A)[K] |= Of.row(B)[K];
  }
  template <typename Visitor> void forEach(uint32_t A, Visitor Visit) const {
    for (uint32_t K = 0; K < Words; ++K)
      for (uint64_t Left = row(A)[K]; Left; Left &= Left - 1)
        Visit(K * 64 + static_cast<uint32_t>(std::countr_zero(Left)));
  }
  Relation followedBy(const Relation &Next) const {
    Relation Both(Size);
    for (uint32_t A = 0; A < Size; ++A)
      forEach(A, [&](uint32_t B) { Both.addRow(A, Next, B); });
    return Both;
  }
  /// Closes the relation over paths whose inner steps satisfy a condition.
  template <typename Condition> void closeThrough(Condition Holds) {
    for (uint32_t K = 0; K < Size; ++K)
      if (Holds(K))
        for (uint32_t A = 0; A < Size; ++A)
          if (A != K && has(A, K))
            addRow(A, *this, K);
  }
  void close() {
    closeThrough([](uint32_t) { return true; });
  }
  void makeReflexive() {
    for (uint32_t A = 0; A < Size; ++A)
      add(A, A);
  }
  bool isIrreflexive() const {
    for (uint32_t A = 0; A < Size; ++A)
      if (has(A, A))
        return false;
    return true;
  }

private:
  uint64_t *row(uint32_t A) { return Bits.data() + size_t(A) * Words; }
  const uint64_t *row(uint32_t A) const { return Bits.data() + size_t(A) * Words; }

  uint32_t Size, Words;
  std::vector<uint64_t> Bits;
};

/// Whether an edge leads from a newly committed event, or from an earlier one of its section, to anything else. Without
/// one it is in no cycle. What is behind the section in its thread is not committed yet; but threads that were created
/// in it may have gone on.
template <unsigned Words> bool leadsOut(const ExecutionGraph<Words> &G, EventId E) {
  const uint32_t Section = G[E].Section;
  if (Section == 0)
    return leadsOn(G, E);
  if (G.CreatesInSections)
    return true;
  auto IsOutside = [&](EventId Other) { return G[Other].Section != Section; };
  for (EventId Member = Section - 1; Member <= E; ++Member) {
    if (IsOutside(Member) || !(G.Reads.contains(Member) || G.Writes.contains(Member)))
      continue;
    const bool Leads = G.anyCell(Member, [&](const GraphCell &C) {
      const auto &Coherence = G.Locations[C.Location].Coherence;
      bool IsRead = false;
      if (G[Member].IsWrite)
        G.readersOf(C.Location, Member).forEach([&](EventId R) { IsRead = IsRead || IsOutside(R); });
      return IsRead || std::any_of(Coherence.begin() + G.coherenceIn(C.Location, Member), Coherence.end(), IsOutside);
    });
    if (Leads)
      return true;
  }
  return false;
}

template <unsigned Words> class Quotient {
public:
  using Graph = ExecutionGraph<Words>;
  using Set = EventSet<Words>;

  Quotient(const Graph &G, EventId New) : TheGraph(G), NodeOf(G.size(), NoNode) {
    std::unordered_map<uint32_t, uint32_t> NodeOfSection;
    among(New).forEach([&](EventId E) {
      uint32_t Node = Size;
      if (const uint32_t Section = TheGraph[E].Section)
        Node = NodeOfSection.try_emplace(Section, Size).first->second;
      Size += Node == Size;
      NodeOf[E] = Node;
      Events.push_back(E);
    });
    keepCyclesWith(NodeOf[New]);
  }

  bool isAllowed() const {
    if (Size <= 1)
      return true;
    std::vector<bool> IsSection(Size), Writes(Size);
    for (EventId E : Events) {
      IsSection[NodeOf[E]] = TheGraph[E].Section != 0;
      Writes[NodeOf[E]] = Writes[NodeOf[E]] || TheGraph[E].IsWrite;
    }
    Relation Order(Size), Full(Size), Fences(Size), Inner(Size); // in a thread: preserved program order and fences
    for (EventId E : Events) {
      const Set Strong = PowerAxioms<Words>::fullFence(TheGraph, E),
                Any = Strong | PowerAxioms<Words>::lightFence(TheGraph, E);
      addFrom(Full, Strong, E);
      addFrom(Fences, Any, E);
      addFrom(Inner, (TheGraph[E].Order & TheGraph[E].Before) | Any, E);
      addFrom(Order, TheGraph[E].Order, E);
    }
    Relation Reads(Size), Coherence(Size), FromReads(Size), Overwrites(Size), Leads(Size);
    forEachCommunication([&](EventId A, EventId B, bool OfRead, bool ToRead, bool Direct) {
      const uint32_t From = NodeOf[A], To = NodeOf[B];
      Leads.add(From, To);
      if (!Direct)
        return;
      if (ToRead && TheGraph.isExternal(A, B))
        Reads.add(From, To);
      if (!OfRead && !ToRead)
        Coherence.add(From, To);
      if (OfRead && TheGraph.isExternal(A, B))
        FromReads.add(From, To);
      if (!ToRead && TheGraph.isExternal(A, B))
        Overwrites.add(From, To);
    });
    addBetweenSections(Order, Inner, Reads, Overwrites, IsSection);

    // No thin air; and sections are isolated. Communication in front of a full fence is within one location, but for
    // sections: these are of several.
    Order.close();
    Leads.closeThrough([&](uint32_t K) { return IsSection[K]; });
    for (uint32_t A = 0; A < Size; ++A) {
      bool Isolated = !Order.has(A, A);
      if (IsSection[A])
        Leads.forEach(A, [&](uint32_t B) { Isolated = Isolated && !Leads.has(B, A); });
      if (!Isolated)
        return false;
    }
    Order.makeReflexive();
    Leads.makeReflexive();

    Relation Base = Reads.followedBy(Fences);
    Base.addAll(Fences);
    Base = Base.followedBy(Order);
    Relation Propagated(Size), OfSections(Size);
    for (uint32_t A = 0; A < Size; ++A) {
      Base.forEach(A, [&](uint32_t B) {
        if (Writes[A] && Writes[B])
          Propagated.add(A, B);
      });
      Reads.forEach(A, [&](uint32_t B) {
        if (IsSection[B] && Writes[B])
          Propagated.add(A, B);
        if (IsSection[A])
          OfSections.add(A, B);
      });
    }
    Base.close();
    Base.makeReflexive();
    Propagated.addAll(Leads.followedBy(Base).followedBy(Full).followedBy(Order));
    Propagated.addAll(OfSections.followedBy(Order));

    if (!FromReads.followedBy(Propagated).followedBy(Order).isIrreflexive()) // observation
      return false;
    Propagated.addAll(Coherence);
    Propagated.close();
    return Propagated.isIrreflexive();
  }

private:
  static constexpr uint32_t NoNode = ~0u;

  /// The committed events that may be on a cycle with a new one. In a large graph those that were committed since the
  /// first to which something leads from it: coherence, from-reads, or another event of the same section.
  Set among(EventId New) const {
    const Set All = TheGraph.Reads | TheGraph.Writes;
    if constexpr (Words == 0) {
      uint32_t First = TheGraph.Large.CommitOf[New], LookedAt = First + 1;
      for (;;) {
        First = TheGraph.Large.reachedFrom(First);
        if (First >= LookedAt)
          break;
        uint32_t Lower = First;
        while (LookedAt > First)
          if (const uint32_t Section = TheGraph[TheGraph.Large.Order[--LookedAt]].Section)
            Lower = std::min(Lower, TheGraph.Large.CommitOf[Section - 1]);
        First = Lower;
      }
      return All - TheGraph.Large.Before[First];
    }
    return All;
  }

  /// Adds weaklift(thb) to happens-before: thb = (rfe | (fre | coe)* ; ihb)* ; (fre | coe)* ; rfe? between sections.
  void addBetweenSections(Relation &Order, const Relation &Inner, const Relation &Reads, Relation Overwrites,
                          const std::vector<bool> &IsSection) const {
    if (std::count(IsSection.begin(), IsSection.end(), true) < 2)
      return;
    Overwrites.close();
    Overwrites.makeReflexive();
    Relation Then = Overwrites.followedBy(Inner);
    Then.addAll(Reads);
    Then.close();
    Then.makeReflexive();
    Then = Then.followedBy(Overwrites);
    Then.addAll(Then.followedBy(Reads));
    for (uint32_t A = 0; A < Size; ++A)
      if (IsSection[A])
        Then.forEach(A, [&](uint32_t B) {
          if (IsSection[B] && A != B)
            Order.add(A, B);
        });
  }

  /// Edges of a row that lead to an event, between different nodes.
  void addFrom(Relation &To, const Set &Row, EventId E) const {
    Row.forEach([&](EventId Earlier) {
      if (const uint32_t Node = NodeOf[Earlier]; Node != NoNode && Node != NodeOf[E])
        To.add(Node, NodeOf[E]);
    });
  }

  /// Calls Visit(from, to, from a read, to a read, directly) for events of different nodes between which com+ leads in
  /// some location. Directly: coherence, from-reads or reads-from do.
  template <typename Visitor> void forEachCommunication(Visitor Visit) const {
    std::unordered_map<LocationId, std::vector<std::pair<uint32_t, EventId>>> At; // positions
    for (EventId E : Events)
      TheGraph.forEachCell(
          E, [&](const GraphCell &C) { At[C.Location].push_back({TheGraph.coherenceIn(C.Location, E), E}); });
    for (const auto &[Location, Here] : At)
      for (auto [PositionA, A] : Here)
        for (auto [PositionB, B] : Here) {
          if (NodeOf[A] == NodeOf[B])
            continue;
          const bool OfRead = !TheGraph[A].IsWrite, ToRead = !TheGraph[B].IsWrite;
          if (PositionA == PositionB ? !OfRead && ToRead : PositionA < PositionB)
            Visit(A, B, OfRead, ToRead, !ToRead || PositionA == PositionB);
        }
  }

  /// Drops everything that is not on a cycle of happens-before and communication with a node.
  void keepCyclesWith(uint32_t Node) {
    Relation Forward(Size), Backward(Size);
    for (EventId E : Events)
      addFrom(Forward, TheGraph[E].Order, E);
    forEachCommunication([&](EventId A, EventId B, bool, bool, bool Direct) {
      if (Direct)
        Forward.add(NodeOf[A], NodeOf[B]);
    });
    for (uint32_t A = 0; A < Size; ++A)
      Forward.forEach(A, [&](uint32_t B) { Backward.add(B, A); });
    auto ReachedBy = [&](const Relation &Edges) {
      std::vector<bool> Seen(Size);
      std::vector<uint32_t> Left{Node};
      Seen[Node] = true;
      while (!Left.empty()) {
        const uint32_t A = Left.back();
        Left.pop_back();
        Edges.forEach(A, [&](uint32_t B) {
          if (!Seen[B]) {
            Seen[B] = true;
            Left.push_back(B);
          }
        });
      }
      return Seen;
    };
    const std::vector<bool> Behind = ReachedBy(Forward), Before = ReachedBy(Backward);
    std::vector<uint32_t> NewName(Size, NoNode);
    uint32_t Kept = 0;
    for (uint32_t A = 0; A < Size; ++A)
      if (Behind[A] && Before[A])
        NewName[A] = Kept++;
    std::erase_if(Events, [&](EventId E) {
      NodeOf[E] = NewName[NodeOf[E]];
      return NodeOf[E] == NoNode;
    });
    Size = Kept;
  }

  const Graph &TheGraph;
  uint32_t Size = 0;
  std::vector<uint32_t> NodeOf; // per event
  std::vector<EventId> Events;
};

} // namespace picket::sections
