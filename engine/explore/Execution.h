// The execution being explored: its events, their happens-before (the chronological trace of
// "Stateless Model Checking for TSO and PSO", section 3) and the races found in it. Events are appended and taken back
// at the end; what was beyond the end stays readable until it is overwritten.
#pragma once

#include "explore/Cells.h"
#include "explore/Footprint.h"
#include "explore/ScMonitor.h"
#include "memory/Configuration.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace picket {

struct Event {
  ProcessId Process = 0;
  uint32_t Index = 0; // grows along its process, from 1; monitors also count the fences in between
  OperationKind Kind = OperationKind::None;
  uint32_t Operation = 0; // which operation of the thread it is, or (update) which one stored it
  uint32_t Pc = 0;
  Footprint Touched;
  Configuration::Mark Before;
  uint32_t FirstTouch = 0, FirstRace = 0, FirstLanding = 0, FirstAlso = 0;
  uint32_t LastStore = 0;            // of its process, before it (monitored)
  bool ReadsOwnLanded = false;       // a load that found a store of its own thread in memory
  size_t NumSaved = 0, FirstOld = 0; // what there was before
};

/// Two events in conflict whose order can be reversed: no third one happens between them.
struct Race {
  uint32_t First, Second; // events
  bool SecondWrites;      // whether the second would write if it came first (a CmpXchg may not)
  enum State : uint8_t {
    New,
    Weak, // what covers it need not cover it in other executions: to be looked at in every one
    Settled
  } Status = New;
  uint32_t Also = 0; // not 0: the first is one of several that the second cannot happen without (Execution::isOut)
};

class Execution {
public:
  /// Thrown when there are more processes than there can be: every event has a clock with an entry per process.
  struct TooManyProcesses {};
  static constexpr uint32_t MaxProcesses = 4000;

  /// With a monitor (SC only): alarms are told to it. The configuration must show fences then.
  Execution(Configuration &C, Cells &Memory, ScMonitor *Monitor = nullptr);

  uint32_t length() const { return Length; }
  const Event &operator[](uint32_t K) const { return Events[K]; }
  const Cells &cells() const { return Memory; }

  /// To be called once the configuration has started: what happened up to there is the past of all.
  void started();

  /// Lets P take its step and appends the event, with its clock and its races with earlier events.
  void append(ProcessId P);
  void removeLast();

  /// Whether event A happens before event B (or is it).
  bool happensBefore(uint32_t A, uint32_t B) const { return clock(B)[Events[A].Process] >= Events[A].Index; }

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
    Result.Entry = Clocks.data() + Events[A].Process;
    Result.Stride = Stride;
    Result.Index = Events[A].Index;
    return Result;
  }

  PodArray<Race> &races() { return Races; }
  /// Whether an event is not in the execution that reverses the race, or is its second.
  bool isOut(const Race &R, uint32_t K) const {
    return K >= R.First && (happensBefore(R.First, K) || (R.Also && isOut(AlsoOut[R.Also - 1], K)));
  }
  /// The races of an operation that waits and never gets to happen in this execution. Their second event is the one
  /// that would come next; it can be read until another is appended.
  void racesOfStuck(ProcessId P, PodArray<Race> &Result);
  uint32_t firstRaceOf(uint32_t E) const { return Events[E].FirstRace; }

  /// The footprint of B in the execution that reverses the race: its first event, and all that happens after that but
  /// for its second, are taken out. A load that read its own thread's landed store may find it in the buffer then.
  /// False if the footprint is the same as in this execution.
  bool footprintWithout(const Race &R, uint32_t B, Footprint &Result) const {
    return Events[B].ReadsOwnLanded && findFootprintWithout(R, B, Result);
  }

  /// The write that a read of the cell by event K reads from, as (thread, operation), if it is not initial memory.
  struct Source {
    bool Initial = true;
    ThreadId Thread = 0;
    uint32_t Operation = 0;
    bool Besides = false; // it is the end of a local variable, and there is an update of its thread besides it
  };
  uint32_t numTouches(uint32_t K) const;
  CellId touchedCell(uint32_t K, uint32_t Touch) const { return Touches[Events[K].FirstTouch + Touch].Cell; }
  bool touchWrites(uint32_t K, uint32_t Touch) const {
    return Touches[Events[K].FirstTouch + Touch].How == CellAccess::Write;
  }
  Source sourceOf(uint32_t K, uint32_t Touch) const;

  Configuration &configuration() { return C; }
  const Configuration &configuration() const { return C; }
  /// Roughly what it takes up.
  size_t bytes() const {
    size_t Buffered = 0;
    for (size_t T = 0; T < EntryClocks.size(); ++T)
      Buffered += EntryClocks[T].capacity() * sizeof(uint32_t) + EntryStates[T].capacity() * sizeof(EntryState);
    return Buffered + Races.capacity() * sizeof(Race) +
           (Clocks.capacity() + ClocksBefore.capacity() + Current.capacity() + Saved.capacity()) * sizeof(uint32_t) +
           Events.capacity() * sizeof(Event) + Touches.capacity() * sizeof(Touch) + OldBytes.capacity();
  }

private:
  struct Touch {
    CellId Cell;
    CellAccess::Mode How;
    uint32_t Event;
    uint32_t Entry;
    uint32_t PrevWrite, PrevReads; // of the cell, when this touch came (touch + 1, 0: none)
    uint32_t NextRead;             // of the cell's reads since its last write
    uint32_t PrevOnEntry;          // Forwarded: the load of this entry before this one
    uint32_t Old = 0;              // Write: the cell's bytes before, in OldBytes
    uint32_t NextWrite = 0;        // Write: the cell's next one (touch + 1, 0: none)
  };
  struct CellState {
    uint32_t LastWrite = 0, Reads = 0; // touch + 1
  };
  struct EntryState {
    uint32_t LastLoad = 0; // touch + 1: the latest load forwarded from it
    uint32_t Update = 0;   // the event that landed it
  };

  uint32_t *clock(uint32_t E) { return &Clocks[static_cast<size_t>(E) * Stride]; }
  const uint32_t *clock(uint32_t E) const { return &Clocks[static_cast<size_t>(E) * Stride]; }
  uint32_t *current(ProcessId P) { return &Current[static_cast<size_t>(P) * Stride]; }
  // Clocks are a multiple of ClockStep numbers long, so that these need no case for a rest.
  static constexpr uint32_t ClockStep = 8; // that many are handled as quickly as fewer
  void join(uint32_t *Into, const uint32_t *From) const {
    // Signed, since that is what every x86-64 compares four of at once; indices of events stay far below the
    // difference.
    using Four = int32_t __attribute__((vector_size(4 * sizeof(uint32_t))));
    for (uint32_t K = 0; K < Stride; K += ClockStep)
      for (uint32_t Half = K; Half < K + ClockStep; Half += 4) {
        Four Mine, Theirs;
        std::memcpy(&Mine, Into + Half, sizeof(Four));
        std::memcpy(&Theirs, From + Half, sizeof(Four));
        Mine = Mine < Theirs ? Theirs : Mine;
        std::memcpy(Into + Half, &Mine, sizeof(Four));
      }
  }
  void copyClock(uint32_t *To, const uint32_t *From) const {
    for (uint32_t K = 0; K < Stride; K += ClockStep)
      std::memcpy(To + K, From + K, ClockStep * sizeof(uint32_t));
  }
  void saveCurrent(ProcessId P);
  void joinUpdates(uint32_t *Into, ThreadId T);
  void checkRoom() {
    if (C.numProcesses() > Stride || NumThreads < C.machine().numThreads())
      makeRoom();
  }
  void makeRoom();
  void widen(PodArray<uint32_t> &Rows, uint32_t Wider, uint32_t Extra = 0) const;
  bool hasEnded(uint32_t Slot) const;
  void findCells(const MemoryAccess &A);
  void begin(ProcessId P);
  void lookAtWaiting(ProcessId P, PodArray<Race> &Result);
  void findWaitingRaces(const uint32_t *Seen, PodArray<Race> &Result);
  // Of an operation on several cells (WaitingRaces.cpp):
  void findWaitingRacesOfSeveral(uint32_t Size, const uint32_t *Seen, PodArray<Race> &Result);
  bool isOut(const std::vector<uint32_t> &Out, uint32_t K) const;
  uint32_t lastWithout(const std::vector<uint32_t> &Out, CellId Cell, ThreadId Own) const;
  uint32_t firstWriteOf(CellId Cell) const;
  void bytesWithout(const std::vector<uint32_t> &Out, uint32_t Size, ThreadId Own, uint8_t *Bytes);
  void joinBarrier(uint32_t *Into, ThreadId T, uint32_t Barrier);
  void joinOverlapping(uint32_t *Into, ThreadId T, uint32_t Entry);
  void touch(const MemoryAccess &A, CellId Cell, const uint32_t *Seen);
  void touchRead(uint32_t E, CellId Cell, const uint32_t *Seen, bool FindRaces);
  void touchForwarded(uint32_t E, CellId Cell, uint32_t Entry);
  void touchWrite(uint32_t E, CellId Cell, const MemoryAccess &A, const uint32_t *Seen, bool FindRaces);
  void touchApart(uint32_t E, CellId Cell, const MemoryAccess &A, const uint32_t *Seen);
  bool isEnd(uint32_t Write) const { return Events[Touches[Write - 1].Event].Kind == OperationKind::End; }
  bool isOwn(uint32_t Write, ThreadId T) const { return Events[Touches[Write - 1].Event].Touched.Owner == T; }
  uint32_t alsoLast(uint32_t Write) const;
  uint32_t readsOfEntry(uint32_t E, CellId Cell);
  uint32_t keepOld(uint32_t E, CellId Cell, const MemoryAccess &A);
  void joinOwnStores(ThreadId T);
  bool wouldSwap(uint32_t First, bool DidSwap) const;
  void addRace(uint32_t First, uint32_t Second, bool SecondWrites, const uint32_t *SeenClock) {
    const Event &E = Events[First];
    if (E.Touched.Owner != Events[Second].Touched.Owner && SeenClock[E.Process] < E.Index)
      Races.push_back({First, Second, SecondWrites});
  }
  bool findFootprintWithout(const Race &R, uint32_t B, Footprint &Result) const;
  void keepImmediateRaces(uint32_t E);
  bool matters(const StepNote &N) const;
  void follow(const StepNote &N);

  // Monitoring (Monitoring.cpp):
  /// What a process itself did to make its stores land, up to some Index: which of its events must have landed under
  /// either model for whoever has seen that much of it, and the last one in front of a store-store barrier.
  struct Landing {
    uint32_t Index = 0;
    uint32_t Tso = 0, Pso = 0, Barrier = 0;
  };
  struct History {
    std::vector<uint32_t> Events;
    std::vector<Landing> Landings = {Landing()};
    uint32_t LastStore = 0; // its Index
    bool allLanded() const { return std::min(Landings.back().Tso, Landings.back().Pso) >= LastStore; }
  };
  Landing &addLanding(ProcessId P, uint32_t Index);
  const Landing &landingAt(ProcessId P, uint32_t Index) const;
  bool wasSeen(uint32_t Writer, const uint32_t *Known) const;
  void findLanded(const Event &Store, CellId Cell, const uint32_t *Known, bool &Tso, bool &Pso) const;
  void monitorBefore(const uint32_t *Known, CellId Cell, bool MayWait);
  void monitorAccess(const MemoryAccess &A);
  void monitorSeveral(std::span<const MemoryAccess> Accesses, bool DidSwap);
  void monitorEach();
  void joinConflicts(uint32_t *Into, CellId Cell, bool Writes);
  void monitorStep(uint32_t E);
  void forgetStep(const Event &E);
  void monitorNote(const StepNote &N);
  bool readByOthers(ThreadId Writer, uint32_t Reads, const uint32_t *Known) const;
  bool seenByOthers(uint32_t Store, const uint32_t *Known) const;
  bool swapsBefore(uint32_t Store) const;
  bool monitorWithout(const Event &Store, CellId Cell);
  AlarmInstructions instructionsOf(const Event &Store, const uint32_t *Known) const;
  bool wantsAlarm(const AlarmInstructions &At, const uint32_t *Known) const;
  void raise(const uint32_t *Known, uint32_t Store, const AlarmInstructions &At, bool Tso);

  Configuration &C;
  Cells &Memory;
  ScMonitor *Monitor;
  uint32_t Stride = 0;     // numbers per clock: at least as many as there are processes
  uint32_t NumThreads = 0; // for which there is room
  uint32_t Length = 0, MaxLength = 0;
  std::vector<Event> Events;
  PodArray<uint32_t> Clocks;       // per event
  PodArray<uint32_t> ClocksBefore; // per event: of its process, before it
  PodArray<uint32_t> Current;      // per process: what it has seen
  PodArray<uint32_t> Saved;        // (process, its clock) of other changes along with a step
  size_t NumSaved = 0;             // of those
  PodArray<Touch> Touches;
  std::vector<CellState> State;
  std::vector<uint8_t> OldBytes; // the first NumOld are in use
  size_t NumOld = 0;
  uint32_t NumEnds = 0; // of local variables, in the execution
  PodArray<Race> Races;
  std::vector<std::vector<uint32_t>> AlsoOut;                    // see Race::Also
  std::vector<History> Histories;                                // per process, with a monitor
  std::vector<ProcessId> Landed;                                 // per landing: whose it is
  std::map<AlarmInstructions, std::array<size_t, 2>> RaisedHere; // alarms: the shortest past, TSO and PSO
  std::vector<PodArray<uint32_t>> EntryClocks;      // per thread: clock of the store behind each buffer entry
  std::vector<std::vector<EntryState>> EntryStates; // per thread
  std::vector<uint64_t> SavedAt;                    // per process: the step in which its clock was last saved
  uint64_t Step = 0;
  std::vector<CellId> Found;
  PodArray<Race> Kept;
  std::vector<uint32_t> Seen;                     // clock of the running step before it looks at memory
  Operation Pending;                              // what the running step was
  bool Waits = false;                             // it could have had to wait
  bool WaitsForSeveral = false;                   // and is on several cells, or on a part of one
  std::vector<std::pair<CellId, bool>> Monitored; // the cells of the event to come, if several, and whether it writes
  struct {
    bool Asked = false;              // it is a compare-and-swap of several cells:
    bool Did = false, Would = false; // whether it has succeeded, and whether it is taken to without the late store
  } Swaps;
};

} // namespace picket
