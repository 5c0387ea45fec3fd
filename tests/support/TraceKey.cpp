#include "support/TraceKey.h"

#include <algorithm>
#include <map>

namespace picket {

namespace {

/// Names that do not depend on when a thread or an object was first seen.
class Names {
public:
  explicit Names(const Machine &M) : Mach(M) {
    std::map<std::vector<uint32_t>, ThreadId> ByPath;
    for (ThreadId T = 0; T < M.numThreads(); ++T)
      if (M.exists(T))
        ByPath.emplace(M.pathOf(T), T);
    Ranks.resize(M.numThreads());
    uint64_t Rank = 0;
    for (const auto &[Path, T] : ByPath)
      Ranks[T] = Rank++;
  }

  uint64_t nameOf(ThreadId T, uint32_t Operation) const { return Ranks[T] << 32 | Operation; }

  void addAddress(Address Where, TraceKey &Key) const {
    const Object &O = Mach.memory().at(slotOf(Where));
    if (O.Kind == ObjectKind::Global) {
      Key.push_back(Where);
      return;
    }
    Key.push_back(Ranks[O.Owner] << 32 | Mach.allocationIndex(O.Owner, slotOf(Where)));
    Key.push_back(static_cast<uint64_t>(O.Site) << 32 | offsetOf(Where));
  }

private:
  const Machine &Mach;
  std::vector<uint64_t> Ranks;
};

} // namespace

TraceKey traceKeyOf(const Execution &E, const Cells &Memory) {
  const Names Known(E.configuration().machine());
  std::vector<uint32_t> InProgramOrder;
  for (uint32_t K = 0; K < E.length(); ++K)
    if (E.numTouches(K) > 0)
      InProgramOrder.push_back(K);
  auto Identity = [&](uint32_t K) { return Known.nameOf(E[K].Touched.Owner, E[K].Operation); };
  std::sort(InProgramOrder.begin(), InProgramOrder.end(),
            [&](uint32_t A, uint32_t B) { return Identity(A) < Identity(B); });

  TraceKey Key;
  for (uint32_t K : InProgramOrder) {
    Key.push_back(Identity(K));
    // A write's source is its predecessor in coherence, which is what a read-modify-write reads as well.
    for (uint32_t T = 0; T < E.numTouches(K); ++T) {
      CellId Cell = E.touchedCell(K, T);
      Known.addAddress(Memory.addressOf(Cell), Key);
      Key.push_back((static_cast<uint64_t>(Memory.sizeOf(Cell)) << 1) | E.touchWrites(K, T));
      Execution::Source From = E.sourceOf(K, T);
      Key.push_back(From.Initial ? ~0ull : Known.nameOf(From.Thread, From.Operation));
      if (From.Besides)
        Key.push_back(~1ull);
    }
  }
  return Key;
}

} // namespace picket
