// Sets of events for executions of any length: EventSet<0>. A set is a tree of shared nodes that never change, and
// equal trees are the same tree. So a set costs what it differs by from those that are there already, equal sets have
// equal roots, and operations stop where two trees are one. Copying a set copies a number.
//
// Nodes belong to the thread that made them (EventNodes::here()), lie one behind the other in the order in which they
// were made, and are given back in the opposite order: at the end of an EventSet<0>::Scope. What is then still used
// must be equal to a set from before; since equal sets are the same, it is one.
//
// EventNodes is large because it has every operation on sets, for leaves and for inner nodes, with its cache.
#pragma once

#include "memory/EventSet.h"

#include <cstddef>
#include <vector>

namespace picket {

/// The nodes of one thread.
class EventNodes {
public:
  /// A node by its place in memory; 0: the empty set.
  using Ref = uint32_t;
  static constexpr unsigned Fan = 8, FanBits = 3, LeafBits = 6;

  enum Op : uint8_t { Union, Common, Without, Subset, Meets };

  static EventNodes &here() {
    thread_local EventNodes Mine;
    return Mine;
  }

  ~EventNodes();
  EventNodes(const EventNodes &) = delete;
  EventNodes &operator=(const EventNodes &) = delete;

  unsigned levelOf(Ref N) const { return node(N).Level; }
  uint64_t bitsOf(Ref Leaf) const { return node(Leaf).Bits[0]; }
  Ref childOf(Ref Inner, unsigned K) const { return children(node(Inner))[K]; }
  /// How many events a node of a level has room for, as a power of two.
  static unsigned widthOf(unsigned Level) { return LeafBits + Level * FanBits; }

  /// The last child of an inner node; and the node without it, or 0.
  unsigned lastChild(Ref Inner) const;
  Ref withoutLastChild(Ref Inner);

  Ref insert(Ref Root, EventId E);
  Ref erase(Ref Root, EventId E);
  bool contains(Ref Root, EventId E) const;
  Ref combine(Op What, Ref A, Ref B);
  bool test(Op What, Ref A, Ref B); // Subset, Meets
  /// The first and the last event of a set that is not empty.
  EventId first(Ref Root) const;
  EventId last(Ref Root) const;

  uint32_t mark() const { return Top; }
  void releaseTo(uint32_t Mark);
  size_t bytes() const;

private:
  EventNodes();

  struct Node {
    uint64_t Serial; // of no other node, ever
    Ref Next;        // of the same bucket, an older one
    uint32_t Hash : 24, Level : 8;
    uint64_t Bits[]; // of a leaf; else there are references to the children
  };
  static constexpr size_t Unit = 8; // references count these
  static constexpr uint32_t LeafUnits = 3, InnerUnits = 2 + Fan * sizeof(Ref) / Unit;

  /// What an operation came to before. It counts as long as all three nodes are still there.
  struct Known {
    Ref A, B, Result;
    uint32_t What;
    uint64_t SerialA, SerialB, SerialResult;
  };
  static constexpr size_t NumKnown = size_t(1) << 18;

  Node &node(Ref N) { return *reinterpret_cast<Node *>(Base + N * Unit); }
  const Node &node(Ref N) const { return *reinterpret_cast<const Node *>(Base + N * Unit); }
  static const Ref *children(const Node &N) { return reinterpret_cast<const Ref *>(N.Bits); }

  Ref leaf(uint64_t Bits);
  Ref inner(unsigned Level, const Ref *Children);
  Ref add(unsigned Level, uint32_t Hash, const void *Content, size_t Size);
  void growBuckets();
  /// The same events in a node of a higher level.
  Ref lift(Ref N, unsigned Level);
  /// The same events in the lowest node that holds them.
  Ref lower(Ref N);
  Ref change(Ref N, unsigned Level, EventId E, bool In);
  Ref combineAt(Op What, Ref A, Ref B, unsigned Level);
  bool testAt(Op What, Ref A, Ref B, unsigned Level);
  /// A child, of a node that may be of a lower level and then is in the first.
  Ref childAt(Ref N, unsigned Level, unsigned K) const {
    if (!N || levelOf(N) < Level)
      return K == 0 ? N : 0;
    return childOf(N, K);
  }
  Known &slotFor(Op What, Ref A, Ref B);
  bool isThere(Ref N, uint64_t Serial) const { return !N || (N < Top && node(N).Serial == Serial); }
  uint64_t serialOf(Ref N) const { return N ? node(N).Serial : 0; }
  bool matches(const Known &K, Op What, Ref A, Ref B) const {
    return K.What == What + 1u && K.A == A && K.B == B && K.SerialA == serialOf(A) && K.SerialB == serialOf(B);
  }

  uint8_t *Base = nullptr;
  size_t Reserved = 0;           // bytes of address space
  uint32_t Top = 1, Highest = 1; // units
  uint64_t NextSerial = 1;
  size_t NumNodes = 0;
  std::vector<Ref> Buckets; // the newest node of each
  Known *Memo = nullptr;
};

template <> class EventSet<0> {
public:
  static constexpr EventId Capacity = 1u << 30;

  /// Gives back what was made meanwhile.
  class Scope {
  public:
    Scope() : Mark(EventNodes::here().mark()) {}
    ~Scope() { EventNodes::here().releaseTo(Mark); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    uint32_t Mark;
  };
  /// What the sets of this thread take up.
  static size_t bytesOfAll() { return EventNodes::here().bytes(); }

  void insert(EventId E) { Root = nodes().insert(Root, E); }
  void erase(EventId E) { Root = nodes().erase(Root, E); }
  bool contains(EventId E) const { return nodes().contains(Root, E); }
  void clear() { Root = 0; }

  bool empty() const { return Root == 0; }
  bool isSubsetOf(const EventSet &Other) const { return nodes().test(EventNodes::Subset, Root, Other.Root); }
  bool intersects(const EventSet &Other) const { return nodes().test(EventNodes::Meets, Root, Other.Root); }

  EventSet &operator|=(const EventSet &Other) { return become(EventNodes::Union, Other); }
  EventSet &operator&=(const EventSet &Other) { return become(EventNodes::Common, Other); }
  EventSet &operator-=(const EventSet &Other) { return become(EventNodes::Without, Other); }
  friend EventSet operator|(EventSet A, const EventSet &B) { return A |= B; }
  friend EventSet operator&(EventSet A, const EventSet &B) { return A &= B; }
  friend EventSet operator-(EventSet A, const EventSet &B) { return A -= B; }
  friend bool operator==(const EventSet &, const EventSet &) = default;

  template <typename Visitor> void forEach(Visitor Visit) const {
    if (Root)
      visit(nodes(), Root, nodes().levelOf(Root), 0, Visit);
  }
  EventId first() const { return nodes().first(Root); }
  EventId last() const { return nodes().last(Root); }
  EventId takeFirst() {
    const EventId E = first();
    erase(E);
    return E;
  }
  EventId takeLast() {
    const EventId E = last();
    erase(E);
    return E;
  }

  /// Names the set as long as it is there.
  EventNodes::Ref root() const { return Root; }

private:
  static EventNodes &nodes() { return EventNodes::here(); }
  EventSet &become(EventNodes::Op What, const EventSet &Other) {
    Root = nodes().combine(What, Root, Other.Root);
    return *this;
  }
  template <typename Visitor>
  static void visit(const EventNodes &Nodes, EventNodes::Ref N, unsigned Level, EventId From, Visitor &Visit) {
    if (Level == 0) {
      for (uint64_t Left = Nodes.bitsOf(N); Left; Left &= Left - 1)
        Visit(From + static_cast<EventId>(std::countr_zero(Left)));
      return;
    }
    for (unsigned K = 0; K < EventNodes::Fan; ++K)
      if (EventNodes::Ref Child = Nodes.childOf(N, K))
        visit(Nodes, Child, Level - 1, From + (K << EventNodes::widthOf(Level - 1)), Visit);
  }

  EventNodes::Ref Root = 0;
};

} // namespace picket
