// The interface of all explorers: what they are asked (ExplorationOptions), what they answer (ExplorationResult), and
// who listens (ExplorationObserver).
#pragma once

#include "explore/Equivalence.h"
#include "explore/Execution.h"
#include "machine/Bug.h"
#include "memory/Configuration.h"

#include <atomic>
#include <chrono>
#include <optional>

namespace picket {

/// Cores that nobody uses at the moment, of those that a check may use.
class SpareCores {
public:
  explicit SpareCores(unsigned Number) : Free(static_cast<int>(Number)) {}
  bool take() {
    int Now = Free.load();
    while (Now > 0 && !Free.compare_exchange_weak(Now, Now - 1)) {
    }
    return Now > 0;
  }
  /// Takes one without asking whether there is one.
  void use() { --Free; }
  void giveBack() { ++Free; }

private:
  std::atomic<int> Free;
};

struct ExplorationOptions {
  MemoryModel Model = MemoryModel::SC;          // store buffers; exploreGraphs is given its GraphModel
  bool Exhaustive = false;                      // go on after the first bug
  Equivalence OnePer = Equivalence::ShashaSnir; // exploreGraphs only
  MachineOptions Machine;
  std::optional<std::chrono::steady_clock::time_point> Deadline;
  uint64_t MaxMemoryBytes = 4ull << 30; // of the explorer and the machine together
  const std::atomic<bool> *Cancel = nullptr;
  ScMonitor *Monitor = nullptr;    // SC only: rides along
  RaceFreedom *RaceFree = nullptr; // the same
  SpareCores *Spare = nullptr;     // for executions side by side; null: one after the other
  // Work stealing: what is over soon is explored by one worker, and comes out the same every time.
  uint64_t EventsAlone = 500'000, EventsBetweenOffers = 2'000;
  uint64_t StatesAlone = 20'000; // the same for a search through states
  // For tests, which insist that neither changes what is explored:
  bool SkipCoveredRaces = true; // those whose reversal needs no other branch in any execution
  uint32_t Shuffle = 0;         // not 0: what comes next where nothing is planned is chosen at random, from this seed
};

/// How far an exploration came, and why no further.
struct ExplorationEnd {
  enum class End : uint8_t { Everything, FirstBug, Unsupported, Limit } Ended = End::Everything;
  std::string Reason; // Unsupported, Limit; empty: another worker knows
  uint32_t ReasonPc = 0;
  bool HasReasonPc = false;

  void reachLimit(std::string Why) {
    Ended = End::Limit;
    Reason = std::move(Why);
  }
  void memoryRanOut() { reachLimit("memory ran out"); }
  /// Takes the end of another worker's exploration if it says more. One bug is an answer; something unsupported is a
  /// reason that stays; workers that were told to stop have none.
  bool takeStronger(const ExplorationEnd &Other) {
    auto Weight = [](const ExplorationEnd &E) {
      return E.Ended == End::FirstBug      ? 4
             : E.Ended == End::Unsupported ? 3
             : E.Ended == End::Limit       ? (E.Reason.empty() ? 0 : 2)
                                           : 1;
    };
    const bool Takes = Weight(Other) > Weight(*this);
    if (Takes)
      *this = Other;
    return Takes;
  }
  void stoppedBy(const MachineStop &Stop) {
    Ended = Stop.Why == MachineStop::Unsupported ? End::Unsupported : End::Limit;
    Reason = Stop.Message;
    ReasonPc = Stop.Pc;
    HasReasonPc = true;
  }
};

struct ExplorationResult : ExplorationEnd {
  uint64_t Executions = 0; // complete: every thread finished, or a bug reached
  uint64_t Blocked = 0, Cut = 0;
  uint64_t Unchecked = 0; // ended in an error of a kind that is not looked for
  uint64_t Steps = 0;     // taken, also those that were taken back and then taken again

  // What an optimal exploration never has (counted so that tests can insist).
  uint64_t SleepSetBlocked = 0;  // ended because every step left was explored elsewhere
  uint64_t FailedWakeups = 0;    // a planned step was not possible
  uint64_t RejectedBranches = 0; // RSMC: branches that were begun and that the axioms then did not allow

  uint64_t Bytes = 0;   // told while it goes on: what it takes up, with the machine
  double Explored = -1; // told with progress: about which share of all executions is done; negative: not known

  std::string NotAsGraph; // Unsupported, Limit: what store buffers may do, but not this explorer; a phrase
};

/// Hears of every execution. The execution is only there during the call.
class ExplorationObserver {
public:
  virtual ~ExplorationObserver() = default;
  /// An execution ended. For Ending::Buggy the bugs are in the configuration's machine.
  virtual void ended(Execution &E, Ending How) = 0;
  /// Whether it must be told of this one, which has no bug. Several workers may ask at the same time: those that need
  /// not tell do not wait for each other.
  virtual bool mustKnow(const Execution &, Ending) const { return true; }
  /// A few times a second.
  virtual void progress(const ExplorationResult &) {}
  /// Asked many times a second: whether nothing is left to be found out.
  virtual bool isEnough(const ExplorationResult &) { return false; }
  /// What was told so far does not count: exploration restarts with a better view of what is shared.
  virtual void restarted() {}
  /// The exploration is over. Executions it saw can be run again, to be recorded, from the configuration's start.
  virtual void finished(Configuration &) {}
};

} // namespace picket
