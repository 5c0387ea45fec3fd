#include "robust/Delays.h"

#include <algorithm>

namespace picket {

DelayRules::Pass DelayRules::mayPass(ThreadId T) {
  const Machine &M = Config.machine();
  if (Config.bufferEmpty(T) || M.pending(T).Kind == OperationKind::Yield)
    return Pass::Yes;
  uint32_t Count = 0;
  bool All = true;
  forEachBuffered(Config, T, [&](uint32_t, const StoreBuffer::Entry &E) {
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
  if (Config.buffering() != Buffering::PerLocation)
    return true;
  const ThreadId T = Config.threadOf(P);
  const uint32_t Landing = Config.nextEntry(P);
  bool All = true;
  forEachBuffered(Config, T, [&](uint32_t Index, const StoreBuffer::Entry &E) {
    All = All && (Index >= Landing || isAllowed(E, Config.bufferEntry(T, Landing).Pc));
  });
  return All;
}

void DelayRules::arrange(std::vector<Choice> &Choices, size_t First) const {
  std::stable_partition(Choices.begin() + static_cast<ptrdiff_t>(First), Choices.end(), [&](const Choice &Step) {
    return !Config.isUpdate(Step.Process) && !Config.bufferEmpty(Config.threadOf(Step.Process));
  });
}

} // namespace picket
