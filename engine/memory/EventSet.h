// A set of events of one execution, as bits. The relations of execution graphs are rows of these. Executions that are
// longer have another kind of set, EventSet<0> (LargeEventSet.h).
#pragma once

#include "machine/EventId.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace picket {

template <unsigned Words> class EventSet {
public:
  static constexpr EventId Capacity = Words * 64;

  /// For sets that take up memory outside of themselves: these do not.
  struct Scope {};
  static size_t bytesOfAll() { return 0; }

  void insert(EventId E) { Bits[E / 64] |= bit(E); }
  void erase(EventId E) { Bits[E / 64] &= ~bit(E); }
  bool contains(EventId E) const { return (Bits[E / 64] & bit(E)) != 0; }
  void clear() { *this = EventSet(); }

  bool empty() const {
    uint64_t Any = 0;
    for (uint64_t Word : Bits)
      Any |= Word;
    return Any == 0;
  }
  bool isSubsetOf(const EventSet &Other) const {
    uint64_t Outside = 0;
    for (unsigned K = 0; K < Words; ++K)
      Outside |= Bits[K] & ~Other.Bits[K];
    return Outside == 0;
  }
  bool intersects(const EventSet &Other) const {
    uint64_t Common = 0;
    for (unsigned K = 0; K < Words; ++K)
      Common |= Bits[K] & Other.Bits[K];
    return Common != 0;
  }

  EventSet &operator|=(const EventSet &Other) {
    for (unsigned K = 0; K < Words; ++K)
      Bits[K] |= Other.Bits[K];
    return *this;
  }
  EventSet &operator&=(const EventSet &Other) {
    for (unsigned K = 0; K < Words; ++K)
      Bits[K] &= Other.Bits[K];
    return *this;
  }
  EventSet &operator-=(const EventSet &Other) {
    for (unsigned K = 0; K < Words; ++K)
      Bits[K] &= ~Other.Bits[K];
    return *this;
  }
  friend EventSet operator|(EventSet A, const EventSet &B) { return A |= B; }
  friend EventSet operator&(EventSet A, const EventSet &B) { return A &= B; }
  friend EventSet operator-(EventSet A, const EventSet &B) { return A -= B; }
  friend bool operator==(const EventSet &, const EventSet &) = default;

  /// Calls Visit(event) for each, in order.
  template <typename Visitor> void forEach(Visitor Visit) const {
    for (unsigned K = 0; K < Words; ++K)
      for (uint64_t Left = Bits[K]; Left; Left &= Left - 1)
        Visit(static_cast<EventId>(K * 64 + static_cast<unsigned>(std::countr_zero(Left))));
  }

  /// Takes out the first one. The set must not be empty.
  EventId takeFirst() {
    unsigned K = 0;
    while (!Bits[K])
      ++K;
    auto E = static_cast<EventId>(K * 64 + static_cast<unsigned>(std::countr_zero(Bits[K])));
    Bits[K] &= Bits[K] - 1;
    return E;
  }

  /// Takes out the last one. The set must not be empty.
  EventId takeLast() {
    unsigned K = Words - 1;
    while (!Bits[K])
      --K;
    auto InWord = static_cast<unsigned>(std::bit_width(Bits[K]) - 1);
    Bits[K] &= ~(1ull << InWord);
    return static_cast<EventId>(K * 64 + InWord);
  }

private:
  static uint64_t bit(EventId E) { return 1ull << (E % 64); }

  uint64_t Bits[Words] = {};
};

} // namespace picket

#include "memory/LargeEventSet.h"
