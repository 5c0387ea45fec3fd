// Atoms: the parts of the variables of a recording that every access covers completely or not at all. With them,
// overlapping accesses of different sizes are related byte by byte.
#pragma once

#include "trace/Recording.h"

namespace picket {

class Atoms {
public:
  explicit Atoms(const Recording &R);

  uint32_t size() const { return Count; }
  /// The atoms of a variable, in order.
  const std::vector<uint32_t> &of(uint32_t Variable) const { return OfVariable[Variable]; }
  bool overlap(uint32_t A, uint32_t B) const;
  /// Where an atom begins.
  uint64_t addressOf(uint32_t Atom) const { return Bounds[Atom]; }

private:
  uint32_t Count = 0;
  std::vector<uint64_t> Bounds;
  std::vector<std::vector<uint32_t>> OfVariable;
};

} // namespace picket
