#include "trace/Atoms.h"

#include <algorithm>

namespace picket {

Atoms::Atoms(const Recording &R) {
  for (const TraceVariable &V : R.Variables) {
    Bounds.push_back(V.Address);
    Bounds.push_back(V.Address + V.Size);
  }
  std::sort(Bounds.begin(), Bounds.end());
  Bounds.erase(std::unique(Bounds.begin(), Bounds.end()), Bounds.end());
  Count = static_cast<uint32_t>(Bounds.size());
  for (const TraceVariable &V : R.Variables) {
    std::vector<uint32_t> &Mine = OfVariable.emplace_back();
    auto First = std::lower_bound(Bounds.begin(), Bounds.end(), V.Address);
    for (auto It = First; It != Bounds.end() && *It < V.Address + V.Size; ++It)
      Mine.push_back(static_cast<uint32_t>(It - Bounds.begin()));
  }
}

bool Atoms::overlap(uint32_t A, uint32_t B) const {
  const std::vector<uint32_t> &Left = OfVariable[A], &Right = OfVariable[B];
  return !Left.empty() && !Right.empty() && Left.front() <= Right.back() && Right.front() <= Left.back();
}

} // namespace picket
