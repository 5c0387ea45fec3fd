// What a graph of any length (ExecutionGraph<0>) knows besides its events, so that no step looks at all of them.
#pragma once

#include "memory/EventSet.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace picket {

/// Rows of events that are joined for sets of events.
enum class EventRow : uint8_t { Past, II, IC, CI, CC, OrderPast, PropBase, PropBasePast, Strong, From, Before };

/// More of an event: nothing, unless the graph is large.
template <unsigned Words> struct LargeEvent {};
template <> struct LargeEvent<0> {
  EventSet<0> From; // a read: the write of another thread that it reads
};

/// The unions of rows of committed events, for sets whose parts come again and again. A row does not change while its
/// event is committed, so what is known holds until the run is taken back to where it became known.
class RowUnions {
public:
  using Set = EventSet<0>;

  template <typename RowOf> Set of(const Set &Events, EventRow Row, RowOf Get) {
    return Events.empty() ? Set() : join(Events.root(), 0, Row, Get);
  }

  size_t mark() const { return Order.size(); }
  void undoTo(size_t Mark) {
    for (; Order.size() > Mark; Order.pop_back())
      Known.erase(Order.back());
  }
  size_t bytes() const { return Order.capacity() * sizeof(Key) + Known.size() * 56 + Known.bucket_count() * 8; }

private:
  struct Key {
    uint64_t What; // the bits of a leaf, or a node
    uint32_t From;
    EventRow Row;
    bool Leaf;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &K) const {
      uint64_t H = (K.What ^ (uint64_t(K.From) << 24) ^ (uint64_t(K.Row) << 56) ^ K.Leaf) * 0x9E3779B97F4A7C15ull;
      return H ^ H >> 32;
    }
  };

  template <typename RowOf> Set join(EventNodes::Ref N, EventId From, EventRow Row, RowOf Get) {
    EventNodes &Nodes = EventNodes::here();
    const unsigned Level = Nodes.levelOf(N);
    const bool Leaf = Level == 0;
    const uint64_t Bits = Leaf ? Nodes.bitsOf(N) : 0;
    if (Leaf && !(Bits & (Bits - 1)))
      return Get(From + static_cast<EventId>(std::countr_zero(Bits)));
    const Key Mine{Leaf ? Bits : N, From, Row, Leaf};
    if (auto Found = Known.find(Mine); Found != Known.end())
      return Found->second;
    // Sets mostly grow at their end.
    Set All;
    if (Leaf) {
      const uint64_t Last = 1ull << (std::bit_width(Bits) - 1);
      uint64_t Left = Bits;
      if (auto Found = Known.find({Bits & ~Last, From, Row, true}); Found != Known.end()) {
        All = Found->second;
        Left = Last;
      }
      for (; Left; Left &= Left - 1)
        All |= Get(From + static_cast<EventId>(std::countr_zero(Left)));
    } else {
      const unsigned Last = Nodes.lastChild(N);
      if (const EventNodes::Ref Others = Nodes.withoutLastChild(N))
        All = join(Others, From, Row, Get);
      All |= join(Nodes.childOf(N, Last), From + (Last << EventNodes::widthOf(Level - 1)), Row, Get);
    }
    Known.emplace(Mine, All);
    Order.push_back(Mine);
    return All;
  }

  std::unordered_map<Key, Set, Hash> Known;
  std::vector<Key> Order;
};

template <unsigned Words> struct LargeGraph {};

template <> struct LargeGraph<0> {
  using Set = EventSet<0>;

  /// The commit of an event from which something leads to events that were committed before: to the first of those.
  struct Back {
    uint32_t From, To;
  };

  bool KeepsMoreOrder = false;    // ARM64: what leads to an event of its thread need not be committed before it
  Set Writes;                     // all that are fetched
  std::deque<Set> Located;        // per location, fetched events of it
  std::vector<EventId> Order;     // committed events, in the order of their commits
  std::vector<Set> Before;        // per commit, what was committed before
  std::vector<uint32_t> CommitOf; // per event
  std::vector<Back> Backwards;    // latest last
  std::deque<Set> CellReaders;    // per cell of a write that is split, who reads it there
  mutable RowUnions Unions;

  void commit(EventId E, const Set &Committed) {
    if (CommitOf.size() <= E)
      CommitOf.resize(E + 1);
    CommitOf[E] = static_cast<uint32_t>(Order.size());
    Order.push_back(E);
    Before.push_back(Committed);
  }
  /// Of the event that was committed last.
  void uncommit() {
    Order.pop_back();
    Before.pop_back();
    while (!Backwards.empty() && Backwards.back().From >= Order.size())
      Backwards.pop_back();
  }
  /// Notes that something leads from the last commit to an earlier one.
  void leadsBack(uint32_t To) {
    const auto From = static_cast<uint32_t>(Order.size() - 1);
    if (!Backwards.empty() && Backwards.back().From == From)
      Backwards.back().To = std::min(Backwards.back().To, To);
    else
      Backwards.push_back({From, To});
  }
  /// The first commit that something can lead to from a commit.
  uint32_t reachedFrom(uint32_t Commit) const {
    for (size_t K = Backwards.size(); K-- > 0 && Backwards[K].From >= Commit;)
      Commit = std::min(Commit, Backwards[K].To);
    return Commit;
  }
  size_t bytes() const {
    return Unions.bytes() + (Order.capacity() + CommitOf.capacity() + Before.capacity()) * sizeof(uint32_t) +
           (Located.size() + CellReaders.size()) * sizeof(Set);
  }
};

} // namespace picket
