// Lazy reachability ("Lazy TSO Reachability", Algorithm 1): whether a bug can be reached under TSO or PSO, by a
// sequence of searches through states under SC. Loops run without a bound. If no bug is reached, the robustness oracle
// (Attack.h) is asked for stores that can be delayed past later accesses to an effect that SC does not have; the
// program is extended by these delays, and searched again. Without any, its states under TSO (PSO) are those that were
// searched.
//
// The answers are right for all programs. The procedure comes to an end where the states are finitely many, with the
// stores in the buffers that the known delays leave there.
#pragma once

#include "explore/StateSearch.h"
#include "robust/Attack.h"

namespace picket {

struct LazyResult {
  enum class Answer : uint8_t {
    Verified,    // no bug can be reached, whatever the number of iterations
    Violation,   // a bug; Found says how
    NotRobust,   // the observer did not want to continue
    Unsupported, // the program does something that is not modelled
    Limit
  } What = Answer::Limit;
  std::optional<StateSearchResult::Found> Found; // its schedule is one of a configuration of the model
  std::string Reason;                            // Unsupported, Limit
  uint32_t ReasonPc = 0;
  bool HasReasonPc = false;

  bool Robust = false; // Verified, and the program has no behaviour that SC does not have
  bool Unsure = false; // Verified, not Robust, and no witness: only loops that wait could observe a late store
  unsigned Rounds = 0, Searches = 0; // extensions of the program plus one; searches through states
  uint64_t Witnesses = 0;
  uint64_t States = 0, Transitions = 0; // of all searches
  uint64_t Bytes = 0;                   // of the largest
  uint64_t Unchecked = 0;               // ends in an error of a kind that is not checked, in all searches
  std::vector<Delay> Delayed;           // what the program was extended by
};

class LazyObserver {
public:
  virtual ~LazyObserver() = default;
  /// A few times a second: all searches so far.
  virtual void progress(const LazyResult &) {}
  /// False: only robustness is checked; no bug is a violation.
  virtual bool wantsBugs() const { return true; }
  /// The program is not robust: a schedule of the configuration that shows it, up to the last access that matters.
  /// Told once, with the shortest way there that was found. False: that is enough.
  virtual bool notRobust(Configuration &, const std::vector<ProcessId> & /*Schedule*/, const AttackPlaces &) {
    return true;
  }
  /// It is over. A violation can be recorded from the configuration.
  virtual void finished(Configuration &, const LazyResult &) {}
};

/// `Model`: TSO or PSO. Options.Model, Exhaustive and the bound of loops do not matter.
LazyResult checkLazily(const Program &P, const ExplorationOptions &Options, MemoryModel Model, LazyObserver &Observer);

} // namespace picket
