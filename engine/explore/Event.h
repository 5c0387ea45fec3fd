// The events of an execution: the steps of its processes that others can notice, in the order in which they happened.
#pragma once

#include "explore/Footprint.h"
#include "memory/Configuration.h"

#include <cassert>
#include <vector>

namespace picket {

struct Event {
  ProcessId Process = 0;
  uint32_t Index = 0; // grows along its process, from 1; monitors also count the fences in between
  OperationKind Kind = OperationKind::None;
  uint32_t Operation = 0; // which operation of the thread it is, or (update) which one stored it
  uint32_t Pc = 0;
  Footprint Touched;
  bool ReadsOwnLanded = false; // a load that found a store of its own thread in memory

  // What there was before it, to go back to:
  Configuration::Mark Before;
  uint32_t FirstTouch = 0, FirstRace = 0, FirstAlso = 0;
  size_t NumSavedClocks = 0, FirstOldByte = 0;
};

/// Events are appended and taken back at the end. What was beyond the end stays readable until it is overwritten.
class EventList {
public:
  uint32_t length() const { return Length; }
  size_t capacity() const { return All.capacity(); }
  const Event &operator[](uint32_t K) const { return All[K]; }
  Event &operator[](uint32_t K) { return All[K]; }

  /// The event to come: it is being made, and is not part of the execution yet.
  Event &next() { return All[Length]; }
  const Event &next() const { return All[Length]; }
  /// Makes room for the event to come. True if it is the first one ever to be in its position.
  bool makeNext() {
    if (Length < All.size())
      return false;
    All.emplace_back();
    return true;
  }
  void append() {
    assert(Length < All.size());
    ++Length;
  }
  Event &removeLast() {
    assert(Length > 0);
    return All[--Length];
  }

private:
  std::vector<Event> All;
  uint32_t Length = 0;
};

/// The step that is being taken, as far as more than its event is asked about it.
struct RunningStep {
  Operation Pending;            // what its process stood in front of; of a plain load or store, only the kind
  std::vector<uint32_t> Seen;   // the clock of its process before it accesses memory
  std::vector<CellId> Cells;    // of the access that is being appended
  bool MayWait = false;         // it could have had to wait
  bool WaitsForSeveral = false; // and is on several cells, or on a part of one
};

} // namespace picket
