// A monitor of sequential consistency (Burnim, Sen, Stergiou: "Sound and Complete Monitoring of Sequential Consistency
// in Relaxed Memory Models"). It rides on an execution under SC and tells whether the program has an execution under
// TSO or PSO that SC does not have: some store e of one thread, seen by nobody yet and so still in a buffer as far as
// the others can tell, happens before the last access of another thread, whose next access f is of e's memory. Then f
// could have come before e lands, against the order in which the two stand under SC.
//
// The paper's monitors follow an execution event by event, and find or miss an alarm depending on the order of events
// that could as well have come in another. This one asks of the past of f's thread alone: what lies in it a vector
// clock tells, and that tells as well which of its stores must have landed. That is the paper's monitor on the shortest
// execution that can raise this alarm, so that one execution per trace is enough.
//
// Most accesses come upon no store that could be late; what has landed is therefore not kept in clocks, but found in
// what the asking thread has seen.
#pragma once

#include "explore/ExecutionParts.h"
#include "explore/ScMonitor.h"

#include <array>
#include <map>
#include <span>
#include <vector>

namespace picket {

class ExecutionMonitor : ExecutionParts {
public:
  /// Alarms are told to `Alarms`.
  ExecutionMonitor(ScMonitor &Alarms, const ExecutionParts &Parts) : ExecutionParts(Parts), Alarms(Alarms) {}

  /// To be called when clocks have become longer.
  void makeRoom() { Pasts.resize(Clocks.stride()); }

  // Asking about the event to come, before it accesses memory. Its cells have been found; they are found again where
  // there are several accesses.

  /// The pending operation, which can have to wait, accesses this.
  void beforeWaiting(const MemoryAccess &A);
  /// The only access of the step.
  void beforeAccess(const MemoryAccess &A);
  /// All accesses of an event: one of them may come too early for a store that happens before it by way of another.
  void beforeSeveral(std::span<const MemoryAccess> Accesses, bool DidSwap);

  /// What the event to come itself means for the stores of its thread.
  void append(const Event &Mine);
  /// What happens along with a step.
  void follow(const StepNote &N);
  /// Takes back what the last event, and what happened along with it, has left.
  void remove(const Event &Last);

private:
  /// What a process itself did to make its stores land, up to some Index: which of its events must have landed under
  /// either model for all who have seen that much of it, and the last one in front of a store-store barrier.
  struct Landing {
    uint32_t Index = 0;
    uint32_t Tso = 0, Pso = 0, Barrier = 0;
  };
  /// What a process has done so far.
  struct Past {
    std::vector<uint32_t> Events;
    std::vector<Landing> Landings = {Landing()};
    uint32_t LastStore = 0; // its Index
    bool allLanded() const { return std::min(Landings.back().Tso, Landings.back().Pso) >= LastStore; }
  };
  /// What there was before an event.
  struct Before {
    uint32_t LastStore;
    size_t NumLandings;
  };

  Landing &addLanding(ProcessId P, uint32_t Index);
  const Landing &landingAt(ProcessId P, uint32_t Index) const;
  std::vector<uint32_t>::const_iterator endOfSeen(ProcessId P, const uint32_t *Known) const;
  void drain(ProcessId P, uint32_t Effect);

  static bool isSeen(const Event &E, const uint32_t *Known) { return Known[E.Process] >= E.Index; }
  static bool isSeenOfOther(const Event &E, ThreadId Than, const uint32_t *Known) {
    return E.Touched.Owner != Than && isSeen(E, Known);
  }
  bool readByOthers(ThreadId Writer, TouchNumber Reads, const uint32_t *Known) const;
  bool seenByOthers(uint32_t Store, const uint32_t *Known) const;
  bool wasSeen(uint32_t Writer, const uint32_t *Known) const;
  bool waitedFor(uint32_t Store, const uint32_t *Known) const;
  void findLanded(const Event &Store, CellId Cell, const uint32_t *Known, bool &Tso, bool &Pso) const;

  void before(const uint32_t *Known, CellId Cell, bool MayWait);
  void beforeEach();
  bool beforeWithout(const Event &Store, CellId Cell);
  bool swapsWithout(uint32_t Store) const;
  void joinConflicts(uint32_t *Into, CellId Cell, bool Writes) const;

  AlarmInstructions instructionsOf(const Event &Store, const uint32_t *Known) const;
  bool wantsAlarm(const AlarmInstructions &At, const uint32_t *Known) const;
  void raise(const uint32_t *Known, uint32_t Store, const AlarmInstructions &At, bool Tso);

  ScMonitor &Alarms;
  std::vector<Past> Pasts;                                       // per process
  std::vector<ProcessId> Landed;                                 // per landing: whose it is
  std::vector<Before> Befores;                                   // per event
  std::map<AlarmInstructions, std::array<size_t, 2>> RaisedHere; // alarms: the shortest past, TSO and PSO
  std::vector<std::pair<CellId, bool>> Accessed; // by the event to come, if several cells, and whether it writes
  struct {
    bool Asked = false;              // it is a compare-and-swap of several cells:
    bool Did = false, Would = false; // whether it has succeeded, and whether it is taken to without the late store
  } Swaps;
};

} // namespace picket
