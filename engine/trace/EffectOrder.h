// The order of the steps of a POWER execution, in which accesses take effect neither in program order nor for all
// threads at the same time.
#pragma once

#include "trace/Trace.h"

namespace picket {

/// A partial order that grows by wishes, each granted unless it contradicts what was granted before.
class PartialOrder {
public:
  explicit PartialOrder(uint32_t Size) : Words((Size + 63) / 64), Behind(Size, std::vector<uint64_t>(Words)) {}

  bool isBefore(uint32_t A, uint32_t B) const { return (Behind[A][B / 64] >> (B % 64)) & 1; }
  void wish(uint32_t A, uint32_t B);
  /// Pairs that all others follow from.
  const std::vector<std::pair<uint32_t, uint32_t>> &pairs() const { return Granted; }

private:
  size_t Words;
  std::vector<std::vector<uint64_t>> Behind; // per element, those after it
  std::vector<std::pair<uint32_t, uint32_t>> Granted;
};

/// The events in the order in which they are numbered: program order, and as far as it allows every read behind the
/// write that it reads and every write behind those that read what it overwrites.
std::vector<uint32_t> numberingOrder(const Recording &R, const TraceGraph &ShashaSnir);

/// The events in the order in which they took effect. What POWER keeps in order is in order, and every read is behind
/// the write of another thread that it reads. As far as that allows, memory is as it would be without threads that see
/// it differently, and then as far as that allows threads go in program order.
std::vector<uint32_t> effectOrder(const Recording &R, const TraceGraph &ShashaSnir);

} // namespace picket
