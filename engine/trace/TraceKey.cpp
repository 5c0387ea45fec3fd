#include "trace/TraceKey.h"

#include <algorithm>

namespace picket {

TraceKey traceKeyOf(const Execution &E, const Cells &Memory) {
  std::vector<uint32_t> InProgramOrder;
  for (uint32_t K = 0; K < E.length(); ++K)
    if (E.numTouches(K) > 0)
      InProgramOrder.push_back(K);
  auto Identity = [&](uint32_t K) { return std::pair(E[K].Touched.Owner, E[K].Operation); };
  std::sort(InProgramOrder.begin(), InProgramOrder.end(),
            [&](uint32_t A, uint32_t B) { return Identity(A) < Identity(B); });

  TraceKey Key;
  for (uint32_t K : InProgramOrder) {
    Key.push_back((static_cast<uint64_t>(E[K].Touched.Owner) << 32) | E[K].Operation);
    // A write's source is its predecessor in coherence, which is what a read-modify-write reads as well.
    for (uint32_t T = 0; T < E.numTouches(K); ++T) {
      CellId Cell = E.touchedCell(K, T);
      Key.push_back(Memory.addressOf(Cell));
      Key.push_back((static_cast<uint64_t>(Memory.sizeOf(Cell)) << 1) | E.touchWrites(K, T));
      Execution::Source From = E.sourceOf(K, T);
      Key.push_back(From.Initial ? ~0ull : (static_cast<uint64_t>(From.Thread) << 32) | From.Operation);
    }
  }
  return Key;
}

} // namespace picket
