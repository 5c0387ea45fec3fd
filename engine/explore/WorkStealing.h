// Work stealing, from the side of a worker that has work: when it offers some to others, and what it reports to its
// team of what it has done and uses.
#pragma once

#include "explore/Team.h"

#include <functional>

namespace picket {

/// `RecruitWorkers` takes others into the team, if it can; only the first worker has it.
template <typename Job> class WorkStealing {
public:
  WorkStealing(Team<Job> &With, const ExplorationOptions &Options, std::function<void()> RecruitWorkers)
      : With(With), Options(Options), RecruitWorkers(std::move(RecruitWorkers)) {}

  /// To be called between two executions, with the length of the one that ended. `OfferWork` gives something away if
  /// there is anything left.
  template <typename Offer> void afterExecution(size_t NumEvents, Offer OfferWork) {
    EventsSeen += NumEvents;
    if (EventsSeen < EventsAtNextOffer)
      return;
    EventsAtNextOffer = EventsSeen + Options.EventsBetweenOffers;
    if (RecruitWorkers && EventsSeen >= Options.EventsAlone)
      RecruitWorkers();
    if (With.someoneWaits())
      OfferWork();
  }

  /// Tells the team how many executions this worker has seen and how many bytes it takes up now. Returns the bytes of
  /// all workers.
  uint64_t report(uint64_t Executions, uint64_t Bytes) {
    With.Executions += Executions - ExecutionsTold;
    ExecutionsTold = Executions;
    const uint64_t BytesOfAll = With.Bytes += Bytes - BytesTold;
    BytesTold = Bytes;
    return BytesOfAll;
  }

private:
  Team<Job> &With;
  const ExplorationOptions &Options;
  const std::function<void()> RecruitWorkers; // may be empty
  uint64_t EventsSeen = 0, EventsAtNextOffer = 0;
  uint64_t ExecutionsTold = 0, BytesTold = 0;
};

} // namespace picket
