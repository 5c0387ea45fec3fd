// A worker of the optimal DPOR (OptimalDpor.h): explores executions one after the other, with wakeup trees and sleep
// sets. An exploration has one worker, or several that steal work from each other (DporTeam.h).
//
// It is large because it is the paper's one algorithm, whose parts all work on the stack of prefixes. They are in
// DporWorker.cpp (Explore), DporRaces.cpp and DporStealing.cpp.
#pragma once

#include "explore/DporTeam.h"
#include "explore/WorkStealing.h"

#include <random>

namespace picket {

/// What a worker works with.
struct DporContext {
  Configuration &Config;
  Execution &Exec;
  Sharing &Shared;
  Cells &AllCells;
  const ExplorationOptions &Options;
  ExplorationObserver &Observer;
  DporTeam &Team;
};

class DporWorker : DporContext {
public:
  /// Worker 0 is the first, and the only one with `RecruitWorkers` (see WorkStealing).
  DporWorker(const DporContext &Context, unsigned Number, std::function<void()> RecruitWorkers,
             ExplorationResult &Result);
  ~DporWorker() { Config.watch(nullptr); }
  DporWorker(const DporWorker &) = delete;
  DporWorker &operator=(const DporWorker &) = delete;

  /// Explores: the first worker from the start, the others what they are given. Ends once there is nothing left, a
  /// limit is reached, or what is shared turned out differently.
  void run();
  /// The steps of a stolen job were not possible here.
  bool replayDiverged() const { return ReplayDiverged; }

private:
  /// The state of exploration at a prefix of the current execution.
  struct Prefix {
    size_t FirstSleeper = 0, NumSleepers = 0; // in Sleepers
    WakeupNode *Wakeup = nullptr;             // what is still to be explored from here, the step being explored first
    bool Guided = false;                      // the step being explored is the first tree of Wakeup
    uint32_t Done = 0;                        // steps that were explored from here before this one
  };

  void work();
  bool isOver() { return Shared.changed() || AllCells.changed() || stopNow(1); }
  void forward();
  bool backtrack();
  void executionEnded();
  void take(ProcessId P);
  bool asleep(ProcessId P) const;
  void addSleeper(ProcessId P, const Footprint &Touched);
  std::optional<ProcessId> choose();
  std::optional<ProcessId> chooseAtRandom();
  // Races and their reversals (DporRaces.cpp).
  void coverRaces();
  void cover(Race &R);
  bool isCoveredBy(const Sleeper &S, size_t CommonSteps, bool &Here) const;
  void plan(Race &R, bool CoveredForGood, bool CoveredHere, size_t CommonSteps, WakeupNode *&Planned,
            ProcessId Not = WakeupStep::Gone);
  size_t findSequence(const Race &R);
  Footprint &adapted(const Footprint &Touched, CellAccess::Mode How);
  static WakeupNode *&plannedFrom(Prefix &Here) { return Here.Guided ? Here.Wakeup->Next : Here.Wakeup; }

  // Work stealing (DporStealing.cpp).
  void offerWork();
  void share(size_t Levels);
  bool replay(const DporJob &Job);
  bool takeShared();
  void leaveShared();
  bool hasWorkToOffer(size_t Level);

  /// Checks the limits after every so much work. True once one is reached.
  bool stopNow(size_t Work) {
    WorkDone += Work;
    return WorkDone >= WorkBetweenChecks || Result.Ended != ExplorationResult::End::Everything ? checkLimits() : false;
  }
  bool checkLimits();
  bool isEnough();
  uint64_t bytes() const;
  double explored() const;

  const unsigned Number;
  ExplorationResult &Result;
  WorkStealing<DporJob> Stealing;

  WakeupTrees Trees;
  std::vector<Prefix> Prefixes;
  std::vector<SharedLevel> SharedLevels; // the first ones of Prefixes, as far as they are shared
  std::vector<Sleeper> Sleepers;
  size_t SleepersInUse = 0;
  std::vector<ProcessId> Enabled;
  std::vector<WakeupStep> Sequence; // of the race whose reversal is being covered
  bool SequenceDiffers = false;     // in other executions with that race, also up to its second event
  std::deque<Footprint> Adapted;    // footprints in it that differ from the events' own
  Footprint Changed;
  PodArray<Race> Stuck;
  std::minstd_rand Random;
  static constexpr size_t WorkBetweenChecks = 20'000; // some milliseconds
  size_t WorkDone = 0;
  ProcessId LastProcess = 0;
  bool ReplayDiverged = false;
};

} // namespace picket
