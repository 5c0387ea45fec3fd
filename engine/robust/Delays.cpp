#include "robust/Delays.h"

#include <algorithm>

namespace picket {

DelayRules::Pass DelayRules::mayPass(ThreadId T) {
  const Machine &M = C.machine();
  if (C.bufferEmpty(T) || M.pending(T).Kind == OperationKind::Yield)
    return Pass::Yes;
  uint32_t Count = 0;
  bool All = true;
  forEachBuffered(C, T, [&](uint32_t, const StoreBuffer::Entry &E) {
    ++Count;
    All = All && isAllowed(E, M.pc(T));
  });
  if (!All)
    return Pass::No;
  if (Count <= Allowed.MostBuffered)
    return Pass::Yes;
  noteBound();
  return Pass::TooMany;
}

bool DelayRules::mayLand(ProcessId P) const {
  if (C.buffering() != Buffering::PerLocation)
    return true;
  const ThreadId T = C.threadOf(P);
  const uint32_t Landing = C.nextEntry(P);
  bool All = true;
  forEachBuffered(C, T, [&](uint32_t Index, const StoreBuffer::Entry &E) {
    All = All && (Index >= Landing || isAllowed(E, C.bufferEntry(T, Landing).Pc));
  });
  return All;
}

void DelayRules::arrange(std::vector<Choice> &Choices, size_t First) const {
  std::stable_partition(Choices.begin() + static_cast<ptrdiff_t>(First), Choices.end(), [&](const Choice &Step) {
    return !C.isUpdate(Step.Process) && !C.bufferEmpty(C.threadOf(Step.Process));
  });
}

} // namespace picket
