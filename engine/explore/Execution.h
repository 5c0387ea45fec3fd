// The execution being explored: its events, their happens-before (the chronological trace of
// "Stateless Model Checking for TSO and PSO", section 3) and the races found in it. VectorClocks and CellHistory are
// what it knows of its events, RaceDetector finds races, and monitors may ride on it.
//
// Execution is large because it is a front over these: explorers ask it only, and most of its members are one line.
#pragma once

#include "explore/CellHistory.h"
#include "explore/DrfMonitor.h"
#include "explore/ExecutionMonitor.h"
#include "explore/RaceDetector.h"
#include "explore/VectorClocks.h"

#include <memory>
#include <vector>

namespace picket {

class Execution {
public:
  using Source = CellHistory::Source;

  /// With monitors (SC only): what they find is told to these. For alarms the configuration must show fences.
  Execution(Configuration &Config, Cells &AllCells, ScMonitor *Alarms = nullptr, RaceFreedom *RaceFree = nullptr);
  ~Execution();
  Execution(const Execution &) = delete;
  Execution &operator=(const Execution &) = delete;

  uint32_t length() const { return Events.length(); }
  const Event &operator[](uint32_t K) const { return Events[K]; }
  const Cells &cells() const { return AllCells; }
  Configuration &configuration() { return Config; }
  const Configuration &configuration() const { return Config; }

  /// To be called once the configuration has started: what happened up to there is the past of all.
  void started();
  /// Lets P take its step and appends the event, with its clock and its races with earlier events.
  void append(ProcessId P);
  void removeLast();

  /// Whether event A happens before event B (or is it).
  bool happensBefore(uint32_t A, uint32_t B) const { return Detector.happensBefore(A, B); }
  /// The same question about one A and many B, asked more quickly.
  class Past {
  public:
    bool happensBefore(uint32_t B) const { return Entry[static_cast<size_t>(B) * Stride] >= Index; }

  private:
    friend class Execution;
    const uint32_t *Entry; // of A's process in the clock of the first event
    uint32_t Stride, Index;
  };
  Past pastWith(uint32_t A) const {
    Past Result;
    Result.Entry = Clocks.ofEvent(0) + Events[A].Process;
    Result.Stride = Clocks.stride();
    Result.Index = Events[A].Index;
    return Result;
  }

  PodArray<Race> &races() { return Detector.races(); }
  /// See RaceDetector.
  bool isOut(const Race &R, uint32_t K) const { return Detector.isOut(R, K); }
  bool footprintWithout(const Race &R, uint32_t B, Footprint &Result) const {
    return Detector.footprintWithout(R, B, Result);
  }
  /// The races of an operation that waits and never gets to happen in this execution. Their second event is the one
  /// that would come next; it can be read until another is appended.
  void racesOfStuck(ProcessId P, PodArray<Race> &Result);

  /// The accesses of cells by an event.
  uint32_t numTouches(uint32_t K) const { return History.numTouchesOf(K); }
  CellId touchedCell(uint32_t K, uint32_t Touch) const { return History.touchOf(K, Touch).Cell; }
  bool touchWrites(uint32_t K, uint32_t Touch) const { return History.touchOf(K, Touch).How == CellAccess::Write; }
  /// The write that one of them reads from.
  Source sourceOf(uint32_t K, uint32_t Touch) const { return History.sourceOf(K, Touch); }

  /// Roughly what it takes up.
  size_t bytes() const {
    return Clocks.bytes() + History.bytes() + Detector.bytes() + Events.capacity() * sizeof(Event) +
           (Drf ? Drf->bytes() : 0);
  }

private:
  void checkRoom() {
    if (Config.numProcesses() > Clocks.stride() || !History.hasRoomForThreads(Config.machine().numThreads()))
      makeRoom();
  }
  void makeRoom();
  void begin(ProcessId P);
  void findRacesOfWaiting(ProcessId P, PodArray<Race> &Result);
  void touch(const MemoryAccess &A, CellId Cell, const uint32_t *Known);
  void touchAll(const uint32_t *Known);

  // What happens before a step by way of store buffers.
  void joinNeeded(const Event &E, const StepNote &First);
  void joinStoreOf(const Event &Update);
  void joinUpdates(uint32_t *Into, ThreadId T);
  void joinBarrier(uint32_t *Into, ThreadId T, uint32_t Barrier);
  void joinOverlapping(uint32_t *Into, ThreadId T, uint32_t Entry);
  void joinOwnStores(ThreadId T);

  // What happens along with a step.
  bool matters(const StepNote &N) const;
  void follow(const StepNote &N);

  void keepChecks();
  bool isRestored() const;

  Configuration &Config;
  Cells &AllCells;
  EventList Events;
  VectorClocks Clocks;
  CellHistory History;
  RunningStep Step;
  RaceDetector Detector;
  std::unique_ptr<ExecutionMonitor> Monitor; // null: none
  std::unique_ptr<DrfMonitor> Drf;           // the same
  /// What must be found again when events are taken back, per event. Empty unless assertions are on.
  struct Check {
    uint32_t NumProcesses;
    uint64_t Clocks;
  };
  std::vector<Check> Checks;
  static constexpr uint32_t MostChecked = 64; // processes: with more it takes too long
};

} // namespace picket
