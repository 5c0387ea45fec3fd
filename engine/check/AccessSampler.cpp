#include "check/AccessSampler.h"

#include <algorithm>

namespace picket {

constexpr uint64_t LookedAtFirst = 2000, LookedAtLater = 32; // then every n-th
constexpr size_t MostChosen = 32, MostEvents = 20'000;
constexpr size_t LookedBack = 64; // steps of a thread

void AccessSampler::look(Execution &E) {
  const uint64_t Number = Offered++;
  if ((Number >= LookedAtFirst && Number % LookedAtLater) || Chosen.size() >= MostChosen ||
      KeptEvents + E.length() > MostEvents || !showsNews(E))
    return;
  KeptEvents += E.length();
  std::vector<ProcessId> &Schedule = Chosen.emplace_back();
  for (uint32_t K = 0; K < E.length(); ++K)
    Schedule.push_back(E[K].Process);
}

bool AccessSampler::showsNews(Execution &E) {
  const Configuration &C = E.configuration();
  auto Pair = [](uint32_t High, uint32_t Low) { return static_cast<uint64_t>(High) << 32 | Low; };
  for (std::vector<Step> &Own : Steps)
    Own.clear();
  bool News = false;
  for (uint32_t K = 0; K < E.length(); ++K) {
    const Event &Now = E[K];
    const ThreadId T = C.threadOf(Now.Process);
    if (T >= Steps.size())
      Steps.resize(T + 1);
    News |= Accesses.insert(Pair(T, Now.Pc)).second;
    // A store that lands behind steps that its thread took later.
    if (C.isUpdate(Now.Process))
      for (size_t I = Steps[T].size(), End = I - std::min(I, LookedBack); I-- > End;)
        if (Steps[T][I].Operation > Now.Operation)
          News |= Overtakers.insert(Pair(Now.Pc, Steps[T][I].Pc)).second;
    Steps[T].push_back({Now.Operation, Now.Pc});
  }
  return News;
}

} // namespace picket
