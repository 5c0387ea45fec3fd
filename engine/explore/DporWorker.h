// One of those who explore, mostly the only one: see OptimalDpor.h and DporTeam.h.
#pragma once

#include "explore/DporTeam.h"

#include <random>

namespace picket {

class DporWorker {
public:
  struct Surroundings {
    Configuration &C;
    Execution &E;
    Sharing &Shared;
    Cells &Memory;
    const ExplorationOptions &Options;
    ExplorationObserver &Observer;
    DporTeam &Team;
    /// Called now and then by the first worker, between two executions: time to look for others.
    std::function<void()> LookForOthers;
  };
  /// Worker 0 is the first.
  DporWorker(const Surroundings &Here, unsigned Number, ExplorationResult &Result);
  ~DporWorker() { C.watch(nullptr); }
  DporWorker(const DporWorker &) = delete;
  DporWorker &operator=(const DporWorker &) = delete;

  /// Explores: the first worker from the start, the others what they are given. Ends once there is nothing left, a
  /// limit is reached, or what is shared turned out differently.
  void run();
  /// A job that another worker gave led to something else here.
  bool lostItsWay() const { return LostItsWay; }

private:
  /// The state of exploration at a prefix of the current execution.
  struct Prefix {
    size_t FirstSleeper = 0, NumSleepers = 0; // in Sleepers
    WakeupNode *Wakeup = nullptr;             // what is still to be explored from here, the step being explored first
    bool Guided = false;                      // the step being explored is the first tree of Wakeup
    uint32_t Done = 0;                        // steps that were explored from here before this one
  };

  void work();
  bool isOver() { return Shared.changed() || Memory.changed() || stopNow(1); }
  void forward();
  bool backtrack();
  void executionEnded();
  void take(ProcessId P);
  bool asleep(ProcessId P) const;
  void addSleeper(ProcessId P, const Footprint &Touched);
  std::optional<ProcessId> choose();
  std::optional<ProcessId> chooseAtRandom();
  void settleRaces();
  bool settles(const Sleeper &S, size_t CommonSteps, bool &Covered) const;
  void settle(Race &R);
  void settleShared(Race &R, SharedPrefix &Before);
  size_t findSequence(const Race &R);
  Footprint &adapted(const Footprint &Touched, CellAccess::Mode How);
  static WakeupNode *&plannedFrom(Prefix &Here) { return Here.Guided ? Here.Wakeup->Next : Here.Wakeup; }

  // With others:
  void lookAround();
  void offerSomething();
  void share(size_t Levels);
  bool follow(const DporJob &Job);
  bool takeShared();
  void leaveShared();
  bool hasPossible(size_t Level);

  /// Looks at the limits after every so much work. True once one is reached.
  bool stopNow(size_t Work) {
    WorkDone += Work;
    return WorkDone >= WorkBetweenLooks || Result.Ended != ExplorationResult::End::Everything ? lookAtLimits() : false;
  }
  bool lookAtLimits();
  bool isEnough();
  uint64_t bytes() const;
  double explored() const;

  Configuration &C;
  Execution &E;
  Sharing &Shared;
  Cells &Memory;
  const ExplorationOptions &Options;
  ExplorationObserver &Observer;
  DporTeam &Team;
  const std::function<void()> LookForOthers;
  const unsigned Number;
  ExplorationResult &Result;

  WakeupTrees Trees;
  std::vector<Prefix> Prefixes;
  std::vector<SharedLevel> SharedLevels; // the first ones of Prefixes, as far as they are shared
  std::vector<Sleeper> Sleepers;
  size_t SleepersInUse = 0;
  std::vector<ProcessId> Enabled;
  std::vector<WakeupStep> Sequence; // of the race being looked at
  bool SequenceDiffers = false;     // in other executions with that race, also up to its second event
  std::deque<Footprint> Adapted;    // footprints in it that differ from the events' own
  Footprint Changed;
  PodArray<Race> Stuck;
  std::minstd_rand Random;
  static constexpr size_t WorkBetweenLooks = 20'000; // some milliseconds
  size_t WorkDone = 0;
  ProcessId LastProcess = 0;

  uint64_t EventsSeen = 0, EventsAtLook = 0;
  uint64_t ExecutionsTold = 0, BytesTold = 0;
  bool LostItsWay = false;
};

} // namespace picket
