// What an execution has done to each cell of memory: which events wrote and read it, in order, and its bytes before
// each write.
//
// It is large because the race detector, monitors and keys of traces each ask it something else, all the time; most of
// its members are a line or two.
#pragma once

#include "explore/Cells.h"
#include "explore/Event.h"
#include "machine/PodArray.h"

#include <cstring>
#include <vector>

namespace picket {

/// The number of an access of a cell by an event, from 1.
using TouchNumber = uint32_t;
constexpr TouchNumber NoTouch = 0;

class CellHistory {
public:
  struct Touch {
    CellId Cell;
    CellAccess::Mode How;
    uint32_t Event;
    uint32_t Entry;                    // the buffer entry that lands, or that is read
    TouchNumber PrevWrite, PrevReads;  // the cell's last write, and its reads since, when this came
    TouchNumber NextRead = NoTouch;    // the one before it of the cell's reads since its last write
    TouchNumber PrevOnEntry = NoTouch; // Forwarded: the load of this entry before this one
    uint32_t Old = 0;                  // Write: the cell's bytes before, in OldBytes
    TouchNumber NextWrite = NoTouch;   // Write: the cell's next one
  };
  struct CellState {
    TouchNumber LastWrite = NoTouch;
    TouchNumber Reads = NoTouch; // the last one since; the others by NextRead
  };
  struct EntryState {
    TouchNumber LastLoad = NoTouch; // the latest load forwarded from it
    uint32_t Update = 0;            // the event that landed it
  };

  CellHistory(Configuration &Config, Cells &AllCells, const EventList &Events)
      : Config(Config), AllCells(AllCells), Events(Events) {}

  /// Finds the cells of an access, which may be new.
  void find(const MemoryAccess &A, std::vector<CellId> &Found);
  /// The cell of an access that is all of a cell and has been found before; 0 if there is none.
  CellId findKnown(const MemoryAccess &A) const {
    const CellId Known = AllCells.exactly(A.Where, A.Size);
    return Known < CellStates.size() ? Known : 0;
  }
  void makeRoomForThreads(uint32_t NumThreads) { EntryStates.resize(NumThreads); }
  bool hasRoomForThreads(uint32_t NumThreads) const { return NumThreads <= EntryStates.size(); }

  const Touch &operator[](TouchNumber T) const { return Touches[T - 1]; }
  const CellState &at(CellId Cell) const { return CellStates[Cell]; }
  /// The event of a touch.
  uint32_t eventOf(TouchNumber T) const { return Touches[T - 1].Event; }
  /// Calls Do(event) for each of the cell's reads that begin with this one.
  template <typename Visitor> void forEachRead(TouchNumber Reads, Visitor Do) const {
    for (TouchNumber T = Reads; T; T = Touches[T - 1].NextRead)
      Do(Touches[T - 1].Event);
  }
  /// Whether there is an event for which `Is` says so among those that accessed a cell of this event after it.
  template <typename Predicate> bool anyAfter(uint32_t Event, Predicate Is) const;
  /// The bytes of its cell before a write.
  const uint8_t *bytesBefore(TouchNumber Write) const { return &OldBytes[Touches[Write - 1].Old]; }
  TouchNumber firstWriteOf(CellId Cell) const;

  /// Whether the execution has ends of local variables, without which most questions about them are answered.
  bool hasEnds() const { return NumEnds != 0; }
  bool isEnd(TouchNumber Write) const { return Events[eventOf(Write)].Kind == OperationKind::End; }
  bool isOwn(TouchNumber Write, ThreadId T) const { return Events[eventOf(Write)].Touched.Owner == T; }
  TouchNumber alsoLast(TouchNumber Write) const;

  // Appending. They must be called for the event to come.
  void addRead(uint32_t Event, CellId Cell) {
    CellState &S = CellStates[Cell];
    Touches.push_back({Cell, CellAccess::Read, Event, 0, S.LastWrite, S.Reads, S.Reads});
    S.Reads = numTouches();
  }
  void addForwarded(uint32_t Event, CellId Cell, uint32_t Entry) {
    EntryState &S = EntryStates[Events[Event].Touched.Owner][Entry];
    Touches.push_back({Cell, CellAccess::Forwarded, Event, Entry, CellStates[Cell].LastWrite, CellStates[Cell].Reads,
                       NoTouch, S.LastLoad});
    S.LastLoad = numTouches();
  }
  void addWrite(uint32_t Event, CellId Cell, const MemoryAccess &A);

  // Entries of store buffers.
  void storeEntered(ThreadId T, uint32_t Entry) {
    std::vector<EntryState> &OfThread = EntryStates[T];
    if (OfThread.size() <= Entry)
      OfThread.resize(Entry + 1);
    OfThread[Entry] = EntryState();
  }
  void landed(ThreadId T, uint32_t Entry, uint32_t Update) { EntryStates[T][Entry].Update = Update; }
  uint32_t updateOf(ThreadId T, uint32_t Entry) const { return EntryStates[T][Entry].Update; }

  TouchNumber numTouches() const { return static_cast<TouchNumber>(Touches.size()); }
  size_t numOldBytes() const { return NumOld; }
  /// Takes back what the last event did, which the list of events does not have any more.
  void remove(const Event &Last);

  // What one event did. Touches of an event are counted from 0.
  uint32_t numTouchesOf(uint32_t Event) const {
    return (Event + 1 < Events.length() ? Events[Event + 1].FirstTouch : numTouches()) - Events[Event].FirstTouch;
  }
  const Touch &touchOf(uint32_t Event, uint32_t Number) const { return Touches[Events[Event].FirstTouch + Number]; }
  TouchNumber numberOf(uint32_t Event, uint32_t Number) const { return Events[Event].FirstTouch + Number + 1; }
  /// The write that it reads from, as (thread, operation), if it is not initial memory.
  struct Source {
    bool Initial = true;
    ThreadId Thread = 0;
    uint32_t Operation = 0;
    bool Besides = false; // it is the end of a local variable, and there is an update of its thread besides it
  };
  Source sourceOf(uint32_t Event, uint32_t Number) const;

  size_t bytes() const;

private:
  bool hasEnded(uint32_t Slot) const;
  uint32_t keepOldBytes(uint32_t Event, CellId Cell, const MemoryAccess &A);
  void findOldBytes(uint32_t Event, CellId Cell, uint8_t *Into);
  TouchNumber takeLoadsOf(ThreadId T, uint32_t Entry, CellId Cell);

  Configuration &Config;
  Cells &AllCells;
  const EventList &Events;
  PodArray<Touch> Touches;
  std::vector<CellState> CellStates;
  std::vector<uint8_t> OldBytes; // the first NumOld are in use
  size_t NumOld = 0;
  uint32_t NumEnds = 0;
  std::vector<std::vector<EntryState>> EntryStates; // per thread
};

// These are hot: they are called for each event, and taken back as often.

/// Keeps what was in the cell before the event wrote it. Returns where in OldBytes.
inline uint32_t CellHistory::keepOldBytes(uint32_t Event, CellId Cell, const MemoryAccess &A) {
  const size_t Old = NumOld;
  const uint32_t Size = AllCells.sizeOf(Cell);
  NumOld += Size;
  if (OldBytes.size() < NumOld + 16) // so that two words can always be copied
    OldBytes.resize(2 * NumOld + 1024);
  if (A.HasOld && A.Size == Size) {
    std::memcpy(&OldBytes[Old], &A.Old, 8);
    if (Size > 8)
      std::memcpy(&OldBytes[Old + 8], &A.Old2, 8);
  } else {
    findOldBytes(Event, Cell, &OldBytes[Old]);
  }
  return static_cast<uint32_t>(Old);
}

inline void CellHistory::addWrite(uint32_t Event, CellId Cell, const MemoryAccess &A) {
  CellState &S = CellStates[Cell];
  const bool Lands = Events[Event].Touched.IsUpdate;
  const uint32_t Old = keepOldBytes(Event, Cell, A);
  const uint32_t Entry = Lands ? Config.entry() : 0;
  const TouchNumber Reads = Lands ? takeLoadsOf(Events[Event].Touched.Owner, Entry, Cell) : NoTouch;
  Touches.push_back({Cell, CellAccess::Write, Event, Entry, S.LastWrite, S.Reads, NoTouch, NoTouch, Old});
  if (S.LastWrite) {
    assert(Touches[S.LastWrite - 1].NextWrite == NoTouch && Touches[S.LastWrite - 1].Cell == Cell);
    Touches[S.LastWrite - 1].NextWrite = numTouches();
  }
  S.LastWrite = numTouches();
  S.Reads = Reads;
  NumEnds += Events[Event].Kind == OperationKind::End;
}

inline void CellHistory::remove(const Event &Last) {
  for (TouchNumber T = numTouches(); T > Last.FirstTouch; --T) {
    const Touch &Gone = Touches[T - 1];
    if (Gone.How == CellAccess::Forwarded) {
      TouchNumber &LastLoad = EntryStates[Last.Touched.Owner][Gone.Entry].LastLoad;
      assert(LastLoad == T);
      LastLoad = Gone.PrevOnEntry;
      continue;
    }
    CellState &S = CellStates[Gone.Cell];
    assert((Gone.How == CellAccess::Write ? S.LastWrite : S.Reads) == T && "the last one that touched the cell");
    assert(Gone.How != CellAccess::Write || Gone.NextWrite == NoTouch);
    if (Gone.How == CellAccess::Write && Gone.PrevWrite)
      Touches[Gone.PrevWrite - 1].NextWrite = NoTouch;
    S.LastWrite = Gone.PrevWrite;
    S.Reads = Gone.PrevReads;
    NumEnds -= Gone.How == CellAccess::Write && Last.Kind == OperationKind::End;
  }
  assert(numTouches() >= Last.FirstTouch && NumOld >= Last.FirstOldByte);
  Touches.resize(Last.FirstTouch);
  NumOld = Last.FirstOldByte;
}

template <typename Predicate> bool CellHistory::anyAfter(uint32_t Event, Predicate Is) const {
  for (uint32_t K = 0, Number = numTouchesOf(Event); K < Number; ++K) {
    const CellState &Now = CellStates[touchOf(Event, K).Cell];
    TouchNumber Reads = Now.Reads;
    for (TouchNumber Write = Now.LastWrite; Write; Write = Touches[Write - 1].PrevWrite) {
      for (TouchNumber T = Reads; T; T = Touches[T - 1].NextRead)
        if (Is(Events[eventOf(T)]))
          return true;
      if (Write == numberOf(Event, K))
        break;
      if (Is(Events[eventOf(Write)]))
        return true;
      Reads = Touches[Write - 1].PrevReads;
    }
  }
  return false;
}

} // namespace picket
