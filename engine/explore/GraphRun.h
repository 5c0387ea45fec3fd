// A run on an execution graph, as it is told to observers: plain values, and a script to replay it.
#pragma once

#include "machine/Bug.h"
#include "machine/Machine.h"
#include "memory/EndingMemory.h"
#include "memory/EventSet.h"
#include "memory/GraphNotes.h"

namespace picket {

/// One access in a run; of an access that is split, one of its cells.
struct GraphAccess {
  ThreadId Thread;
  uint32_t Index; // its number among the events of its thread; an update has two, its read and its write
  uint32_t Pc;
  bool IsWrite;
  bool OfUpdate;
  Address Where;
  uint32_t Width;
  uint64_t Value;
  /// Reads: the access (by number in the list) whose value it has; ~0u: the initial one.
  uint32_t Source;
  /// Writes: position in the coherence of its location, from 1.
  uint32_t Position;
  uint64_t Value2 = 0; // of 16 bytes, the upper half
};

/// An access that a thread has fetched, with everything a recording needs. Numbers of others are those of the list.
struct GraphFact {
  ThreadId Thread;
  uint32_t Pc;
  Operation Op;
  uint32_t Number; // of its operation among those of its thread
  uint64_t Part;   // which event of that
  bool IsWrite, OfUpdate, Ends;
  Order Mode;    // C11
  bool IsBug;    // what its thread ended with
  bool Happened; // committed, and not a write that did not take place
  Address Where; // if it happened, as all below
  uint32_t Width;
  uint64_t Value, Initial;
  uint64_t Value2 = 0, Initial2 = 0; // of 16 bytes, the upper halves
  EventId Source;                    // reads
  uint32_t Position;                 // writes
  struct Cell {
    uint32_t Offset, Width;
    EventId Source;
    uint32_t Position;
  };
  std::vector<Cell> Cells;                                 // if it is split; Source and Position are those of the first
  std::vector<EventId> AddressFrom, DataFrom, ControlFrom; // dependencies
  std::vector<EventId> Fenced;                             // earlier ones of its thread that a fence keeps before it
  std::vector<EventId> Kept;  // earlier ones of its thread that the model keeps before it, for whatever reason
  std::vector<EventId> Past;  // all that it could not have happened without, of all threads
  std::vector<uint8_t> State; // of a synchronisation object: before
};

/// What is to be committed when a run is followed again, in whatever order. Threads are named by their paths.
struct GraphScript {
  /// What is read, or the position in coherence, from an offset on.
  struct Cell {
    uint32_t Offset = 0;
    uint32_t Source = ~0u;
    uint32_t Position = 0;
  };
  struct Step {
    uint32_t Thread = 0;
    uint32_t Number = 0;     // as in GraphFact; an update is named by its read
    uint64_t Part = 0;       // the same
    uint32_t Source = ~0u;   // reads: the step that is read; ~0u: the initial value
    uint32_t Position = 0;   // writes: position in coherence
    std::vector<Cell> Cells; // if it is split; Source and Position are those of the first
    bool Whole = false;      // the end of memory, all parts of it, behind whatever is there but what is BehindEnd
    // Only when nothing is left that comes before it here: a thread that uses memory that has ended does nothing more.
    enum : uint8_t { Any, BehindEnd, End, Bug } Turn = Any;

    /// At a certain offset of the access.
    Cell at(uint32_t Offset) const {
      Cell Found{0, Source, Position};
      for (const Cell &C : Cells)
        if (C.Offset <= Offset)
          Found = C;
      return Found;
    }
  };
  /// An event: of a thread, as in a step.
  struct Name {
    uint32_t Thread = 0, Number = 0;
    uint64_t Part = 0;
    bool operator==(const Name &) const = default;
  };
  /// The accesses of a data race, the one that was committed later last.
  struct Race {
    Name First, Second;
  };
  std::vector<std::vector<uint32_t>> Threads;
  std::vector<Step> Steps;
  std::optional<Race> Ending; // a data race that the run ends with; others are none then
  EndingMemory Known;         // what ends, or is moved, has events for all that is known to be in it
};

/// An operation that takes effect in memory atomically. Those of a thread are numbered as in GraphFact.
struct GraphEffect {
  uint32_t Thread = 0; // of the machine
  uint32_t Number = 0;
  bool Stores = false; // a plain store, which may have waited in a buffer
  uint32_t Site = 0;   // of the object it accesses
};

/// A data race in a run.
struct GraphRace {
  BugReport Report;
  GraphScript::Race Accesses; // threads are those of the machine
};

/// A complete run, or one that ended in a bug. There only while an observer is told of it.
class GraphRun {
public:
  virtual ~GraphRun() = default;
  /// What a slot of the function a thread started with held when it returned.
  virtual uint64_t finalRegister(ThreadId T, uint32_t Slot) = 0;
  virtual uint64_t finalValue(Address Where, unsigned Width) = 0;
  virtual Machine &machine() = 0;
  /// The committed accesses that took place, in the order of commitment.
  virtual std::vector<GraphAccess> accesses() = 0;
  /// Everything that is fetched, in the order of fetching: threads in program order.
  virtual std::vector<GraphFact> facts() = 0;
  /// Only in a run that is followed.
  virtual const GraphNotes &notes() const = 0;
  /// How to come here again.
  virtual GraphScript script() = 0;
  /// Data races that were not told of before: the one that ended the run or, where races do not, all of them.
  virtual std::vector<GraphRace> races() = 0;
  /// The same for memory with store buffers: what took effect before a bug, in an order in which it may have. SC, TSO
  /// and PSO only.
  virtual std::vector<GraphEffect> effectsBefore(const BugReport &) { return {}; }
};

} // namespace picket
