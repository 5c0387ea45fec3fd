#include "machine/SpuriousFailures.h"

#include <algorithm>

namespace picket {

std::optional<int64_t> SpuriousFailures::chosenNow(const Thread &T, uint32_t Pc) const {
  for (const FailurePoint &F : Prog.Failures)
    if (F.IsChoice && F.Arrival == T.State.Arrivals && (F.Pc == Pc || F.Pc == FailurePoint::Anywhere) &&
        F.Thread == Threads.pathOf(T.Id))
      return F.Value;
  return std::nullopt;
}

void SpuriousFailures::noteChoices(const Thread &T, uint32_t Pc, int64_t From, int64_t To) const {
  if (!Prog.Reached || Effects.Probing)
    return;
  for (int64_t Value = From; Value <= To; ++Value)
    Prog.Reached->add({Threads.pathOf(T.Id), T.State.Arrivals, Pc, /*IsChoice=*/true, Value});
}

bool SpuriousFailures::failsNow(const Thread &T) const {
  // The thread may have come elsewhere at this arrival, because of another failure.
  auto IsHere = [&](const FailurePoint &F) {
    return !F.IsChoice && (F.Pc == T.State.Pc || F.Pc == FailurePoint::Anywhere);
  };
  return std::any_of(Prog.Failures.begin(), Prog.Failures.end(), [&](const FailurePoint &F) {
    return F.Arrival == T.State.Arrivals && IsHere(F) && F.Thread == Threads.pathOf(T.Id);
  });
}

void SpuriousFailures::noteNone(const Thread &T) const {
  if (!Prog.Reached || Effects.Probing)
    return;
  FailurePoint Here{Threads.pathOf(T.Id), T.State.Arrivals, T.State.Pc};
  if (std::none_of(Prog.Failures.begin(), Prog.Failures.end(),
                   [&](const FailurePoint &F) { return !F.IsChoice && F.Pc == Here.Pc && F.Thread == Here.Thread; }))
    Prog.Reached->add(std::move(Here));
}

bool SpuriousFailures::areMissing() const {
  size_t Had = 0;
  for (const std::unique_ptr<Thread> &T : Threads)
    Had += T->Now->Exists ? T->Now->Failures : 0;
  return Had < Prog.Failures.size();
}

} // namespace picket
