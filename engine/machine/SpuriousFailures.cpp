#include "machine/SpuriousFailures.h"

#include <algorithm>

namespace picket {

bool SpuriousFailures::failsNow(const Thread &T) const {
  // The thread may have come elsewhere at this arrival, because of another failure.
  auto IsHere = [&](const FailurePoint &F) { return F.Pc == T.State.Pc || F.Pc == FailurePoint::Anywhere; };
  return std::any_of(Prog.Failures.begin(), Prog.Failures.end(), [&](const FailurePoint &F) {
    return F.Arrival == T.State.Arrivals && IsHere(F) && F.Thread == Threads.pathOf(T.Id);
  });
}

void SpuriousFailures::noteNone(const Thread &T) const {
  if (!Prog.Reached || Effects.Probing)
    return;
  FailurePoint Here{Threads.pathOf(T.Id), T.State.Arrivals, T.State.Pc};
  if (std::none_of(Prog.Failures.begin(), Prog.Failures.end(),
                   [&](const FailurePoint &F) { return F.Pc == Here.Pc && F.Thread == Here.Thread; }))
    Prog.Reached->add(std::move(Here));
}

bool SpuriousFailures::areMissing() const {
  size_t Had = 0;
  for (const std::unique_ptr<Thread> &T : Threads)
    Had += T->Now->Exists ? T->Now->Failures : 0;
  return Had < Prog.Failures.size();
}

} // namespace picket
