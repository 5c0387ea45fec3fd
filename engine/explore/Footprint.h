// What a step of a process touches, as far as the order of steps matters.
#pragma once

#include "machine/Machine.h"

#include <memory>
#include <vector>

namespace picket {

/// A cell is a piece of memory that is only ever accessed as a whole (see Cells).
using CellId = uint32_t;

struct CellAccess {
  enum Mode : uint8_t {
    Read,
    Write,
    Forwarded // a load that takes its value from the thread's own buffer entry: memory does not matter until that lands
  };
  CellId Cell = 0;
  Mode How = Read;
  uint32_t Entry = 0; // Forwarded: the entry read; Write by an update: the entry that lands
};

/// Nearly always one access, so that one is kept in place.
class Footprint {
public:
  ThreadId Owner = 0;
  bool IsUpdate = false;

  Footprint() = default;
  Footprint(const Footprint &Other) { *this = Other; }
  Footprint &operator=(const Footprint &Other) {
    Owner = Other.Owner;
    IsUpdate = Other.IsUpdate;
    Count = Other.Count;
    First = Other.First;
    if (Other.More || More)
      copyMore(Other);
    return *this;
  }

  void clear() { Count = 0; }
  void add(const CellAccess &A) {
    if (Count++ == 0)
      First = A;
    else
      addMore(A);
  }
  uint32_t size() const { return Count; }
  const CellAccess &operator[](uint32_t K) const { return K == 0 ? First : (*More)[K - 1]; }
  CellAccess &operator[](uint32_t K) { return K == 0 ? First : (*More)[K - 1]; }

  bool readsOwnBuffer() const {
    for (uint32_t K = 0; K < Count; ++K)
      if ((*this)[K].How == CellAccess::Forwarded)
        return true;
    return false;
  }

  /// Whether the order of the two steps, done one after the other, matters. Steps of one thread and of its own buffer
  /// never conflict: a load is not related to updates of its own thread (rule 1).
  bool conflictsWith(const Footprint &Other) const {
    if (Owner == Other.Owner)
      return false;
    if (Count == 1 && Other.Count == 1)
      return conflict(First, Other.First);
    for (uint32_t I = 0; I < Count; ++I)
      for (uint32_t J = 0; J < Other.Count; ++J)
        if (conflict((*this)[I], Other[J]))
          return true;
    return false;
  }

  /// `Other` happens first: if it is the update of the entry this load would have read, the load reads memory now.
  void after(const Footprint &Other) {
    if (!Other.IsUpdate || Owner != Other.Owner)
      return;
    for (uint32_t I = 0; I < Count; ++I)
      for (uint32_t J = 0; J < Other.Count; ++J)
        if ((*this)[I].How == CellAccess::Forwarded && (*this)[I].Cell == Other[J].Cell &&
            (*this)[I].Entry == Other[J].Entry)
          (*this)[I].How = CellAccess::Read;
  }

private:
  static bool conflict(const CellAccess &A, const CellAccess &B) {
    return A.Cell == B.Cell && (A.How == CellAccess::Write || B.How == CellAccess::Write) &&
           A.How != CellAccess::Forwarded && B.How != CellAccess::Forwarded;
  }
  void addMore(const CellAccess &A) {
    if (!More)
      More = std::make_unique<std::vector<CellAccess>>();
    More->resize(Count - 2);
    More->push_back(A);
  }
  void copyMore(const Footprint &Other) {
    if (!Other.More || Other.Count < 2)
      return;
    if (!More)
      More = std::make_unique<std::vector<CellAccess>>();
    *More = *Other.More;
  }

  uint32_t Count = 0;
  CellAccess First;
  std::unique_ptr<std::vector<CellAccess>> More; // the second and further ones; what is beyond Count is left over
};

} // namespace picket
