// How the optimal DPOR covers the reversal of a race: by something that was explored or is planned, or by a new
// sequence in a wakeup tree ("Source Sets", Algorithm 2).
#include "explore/DporWorker.h"

#include <algorithm>

namespace picket {

/// A footprint with other accesses of the same cells.
Footprint &DporWorker::adapted(const Footprint &Touched, CellAccess::Mode How) {
  Footprint &Other = Adapted.emplace_back(Touched);
  for (uint32_t A = 0; A < Other.size(); ++A)
    Other[A].How = How;
  return Other;
}

/// v = notdep(e, E).e' of the race (e, e'): the steps after e that do not happen after it, with e' directly behind
/// those that come before it. The steps up to e' are the same in all executions in which the two race this way.
size_t DporWorker::findSequence(const Race &R) {
  Sequence.clear();
  if (!Adapted.empty())
    Adapted.clear();
  const bool Buffered = Config.buffering() != Buffering::None;
  SequenceDiffers = false;
  const Execution::Past Before = Exec.pastWith(R.First);
  auto AddIndependent = [&](uint32_t From, uint32_t To) {
    for (uint32_t K = From; K < To; ++K) {
      if (Before.happensBefore(K) || (R.Also && Exec.isOut(R, K)))
        continue;
      if (Buffered && Exec.footprintWithout(R, K, Changed))
        Sequence.push_back({Exec[K].Process, WakeupStep::NoEvent, &Adapted.emplace_back(Changed)});
      else
        Sequence.push_back({Exec[K].Process, K, &Exec[K].Touched});
    }
  };
  AddIndependent(R.First + 1, R.Second);
  const Event &Second = Exec[R.Second];
  if (Second.Kind == OperationKind::CmpXchg) { // may fail where it succeeded, and the other way round
    // One that begins to write conflicts with reads of cells that its first event has not written. They come before it:
    // the other order is what the race with them leads to.
    if (R.SecondWrites && Second.Touched.size() > 1 && Second.Touched[0].How != CellAccess::Write) {
      SequenceDiffers = true;
      const size_t CommonSteps = Sequence.size();
      AddIndependent(R.Second + 1, Exec.length());
      Sequence.push_back({Second.Process, WakeupStep::NoEvent, &adapted(Second.Touched, CellAccess::Write)});
      return CommonSteps;
    }
    const CellAccess::Mode How = R.SecondWrites ? CellAccess::Write : CellAccess::Read;
    Sequence.push_back({Second.Process, WakeupStep::NoEvent, &adapted(Second.Touched, How)});
  } else { // one that waits is no event
    Sequence.push_back({Second.Process, R.Second < Exec.length() ? R.Second : WakeupStep::NoEvent, &Second.Touched});
  }
  const size_t CommonSteps = Sequence.size();
  AddIndependent(R.Second + 1, Exec.length());
  return CommonSteps;
}

/// Whether the sleeper covers the reversal of the race whose sequence was found last: its process goes first in all
/// executions with the race. `Here`: in this one it does, at least.
bool DporWorker::isCoveredBy(const Sleeper &S, size_t CommonSteps, bool &Here) const {
  const Initial How = WakeupTrees::canGoFirst(S.Process, S.Touched, Sequence, CommonSteps);
  Here |= How == Initial::Weak;
  return How == Initial::InPrefix;
}

/// Inserts the sequence that was found last into what is planned, unless it is covered.
void DporWorker::plan(Race &R, bool CoveredForGood, bool CoveredHere, size_t CommonSteps, WakeupNode *&Planned,
                      ProcessId Not) {
  R.Status = CoveredForGood ? Race::CoveredForGood : Race::Covered;
  if (CoveredForGood || CoveredHere)
    return;
  if (Trees.insert(Planned, Sequence, CommonSteps, Not) && Options.SkipCoveredRaces && !SequenceDiffers)
    R.Status = Race::CoveredForGood;
}

/// Makes sure that the race's reversal is explored, unless something explored or planned covers it.
void DporWorker::cover(Race &R) {
  assert(R.First < R.Second && R.Second <= Exec.length());
  const size_t CommonSteps = findSequence(R);
  bool CoveredHere = false;
  auto Covers = [&](const Sleeper &S) { return isCoveredBy(S, CommonSteps, CoveredHere); };
  if (R.First >= SharedLevels.size()) {
    Prefix &Before = Prefixes[R.First];
    const auto First = Sleepers.begin() + static_cast<ptrdiff_t>(Before.FirstSleeper);
    const bool ForGood = std::any_of(First, First + static_cast<ptrdiff_t>(Before.NumSleepers), Covers);
    // Nothing is put into the tree that is being explored: its steps have been taken.
    return plan(R, ForGood, CoveredHere, CommonSteps, plannedFrom(Before));
  }
  // Others explore from the same prefix.
  SharedPrefix &Before = *SharedLevels[R.First].Prefix;
  const ProcessId Own = Exec[R.First].Process; // what is explored here goes the other way round
  std::lock_guard<std::mutex> Guard(Before.Lock);
  auto OtherCovers = [&](const Sleeper &S) { return S.Process != Own && Covers(S); };
  const bool ForGood = std::any_of(Before.Asleep.begin(), Before.Asleep.end(), OtherCovers) ||
                       std::any_of(Before.Branches.begin(), Before.Branches.end(),
                                   [&](const SharedPrefix::Branch &B) { return !B.Early && OtherCovers(B.First); });
  plan(R, ForGood, CoveredHere, CommonSteps, Before.Planned, Own);
}

void DporWorker::coverRaces() {
  Trees.newExecution();
  // What waits in vain here could have happened elsewhere.
  for (ThreadId T = 0; Config.anyUnfinished() && T < Config.machine().numThreads(); ++T) {
    const ProcessId P = Config.processOf(T);
    if (!Config.machine().exists(T) || Config.machine().status(T) != ThreadStatus::Ready || !Config.canWait(P))
      continue;
    Stuck.clear();
    Exec.racesOfStuck(P, Stuck);
    for (Race &R : Stuck)
      cover(R);
  }
  for (Race &R : Exec.races()) {
    if (R.Status == Race::CoveredForGood)
      continue;
    cover(R);
    if (stopNow(Sequence.size()))
      return;
  }
}

} // namespace picket
