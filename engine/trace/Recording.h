// Recording: one execution, with every event in the order in which it happened, and with names, values and source
// locations for people. A recording is a value. The traces (Trace.h), the steps, the picture and the reports are all
// made from it, and it can be run again (Replay.h).
//
// Under POWER there is no such order. There the events of each thread are in program order, creating a thread comes
// before its events and joining it after them, and accesses have their sources and their positions in coherence.
#pragma once

#include "base/Diagnostic.h"
#include "machine/Bug.h"
#include "machine/LanguageRules.h"
#include "memory/EventSet.h"
#include "memory/MemoryModel.h"
#include "program/FailurePoints.h"
#include "program/Program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace picket {

enum class EventKind : uint8_t {
  Store, // under TSO and PSO it enters the thread's buffer; its Update lands it
  Load,
  Rmw,    // an atomic read-modify-write; one that writes nothing (a failed compare-exchange) only reads
  Update, // a store reaches memory
  Fence,  // full: the thread's buffer is empty. Lighter ones only order what comes after
  Sync,   // an operation on a lock, condition variable, semaphore, ...
  Create,
  Join,
  Free,
  Atomic,  // a section that runs as one
  Choice,  // a value from outside
  Blocked, // the end: the thread waits for something that never comes
  Bug      // the end: what is wrong
};
const char *nameOf(EventKind Kind); // "store", "load", ...

/// What an operation on a synchronisation object did.
enum class SyncAction : uint8_t {
  None, // not known
  Initialises,
  Destroys,
  Locks,
  FailsToLock,
  TriesToLock, // in vain
  LocksForReading,
  FailsToLockForReading,
  TriesToLockForReading,
  LocksForWriting,
  FailsToLockForWriting,
  TriesToLockForWriting,
  Unlocks,
  FailsToUnlock,
  BeginsToWait,
  IsWoken,
  GivesUpWaiting,
  WakesForNoReason,
  Signals,
  Broadcasts,
  Takes, // of a semaphore
  TriesToTake,
  Posts,
  AsksForValue,
  Arrives, // at a barrier
  Leaves,
  BeginsOnce,
  FindsOnceDone,
  EndsOnce,
  WorksOn
};
const char *nameOf(SyncAction Action); // "locks for reading": a verb, for people and in the JSON; empty for None
std::optional<SyncAction> syncActionNamed(std::string_view Name);
/// Whether its thread holds the object from then on, be it with others.
inline bool takesLock(SyncAction Action) {
  return Action == SyncAction::Locks || Action == SyncAction::LocksForReading || Action == SyncAction::LocksForWriting;
}

/// TraceEvent::What of a compare-and-swap that fails although it finds what it expects.
inline constexpr const char *FailsForNoReason = "for no reason";

/// A part of memory that events access: a variable, an element, a field.
struct TraceVariable {
  std::string Name;   // "flag[1]", "q.head", "node#2.next" (the second heap block of that type)
  std::string Object; // what it is part of, for people: "global 'flag'", "heap block allocated at line 12"
  std::string Type;   // "int", "struct node *"; empty if not known
  uint64_t Address = 0;
  uint32_t Size = 0;
  std::string Initial; // its value when the first event of the recording happened
  uint64_t InitialLow = 0, InitialHigh = 0;
};

/// POWER: a part of an access, of which other accesses touch another part.
struct TraceCell {
  uint32_t Offset = 0;                     // from the start of the access; the cell ends where the next one begins
  uint32_t Source = NoEvent, Position = 0; // as in TraceAccess
};

/// One access of an event. Values are what was read, or written.
struct TraceAccess {
  uint32_t Variable = 0;
  bool Write = false;
  uint64_t Low = 0, High = 0;
  std::string Text; // the value in the variable's own type: "1", "true", "&flag[0]", "NULL"
  // POWER, of reads, writes, and operations on synchronisation objects, which are both.
  uint32_t Source = NoEvent; // the event that wrote what is read; none: the initial value
  uint32_t Position = 0;     // place among the writes of the variable, from 1; 0: no write took place
  // If it is not the same for all of it: in order of offsets, from 0 on. Source and Position are then those of the first.
  std::vector<TraceCell> Cells = {};

  TraceCell at(uint32_t Offset) const {
    TraceCell Found{0, Source, Position};
    for (const TraceCell &C : Cells)
      if (C.Offset <= Offset)
        Found = C;
    return Found;
  }
  /// Calls Visit(source) for each event that something was read from, maybe more than once. Sources may be changed.
  template <typename Visitor> void eachSource(Visitor Visit) {
    if (Source != NoEvent)
      Visit(Source);
    for (TraceCell &C : Cells)
      if (C.Source != NoEvent)
        Visit(C.Source);
  }
  template <typename Visitor> void eachSource(Visitor Visit) const {
    const_cast<TraceAccess *>(this)->eachSource([&](uint32_t &From) { Visit(static_cast<const uint32_t &>(From)); });
  }
};

/// POWER: how an event depends on an earlier one of its thread.
struct TraceLink {
  enum Kind : uint8_t {
    Address, // its address, its value, or whether it happens, was made from what that one read
    Data,
    Control,
    Fence, // a fence keeps them in order
    Kept   // something keeps them in order; of a chain only the single steps are there
  } What;
  uint32_t On = 0;
  auto operator<=>(const TraceLink &) const = default;
};
const char *nameOf(TraceLink::Kind Kind); // "addr", "data", "ctrl", "fence", "kept"

struct TracePlace {
  SourceLocation Where;
  std::string Function;
};

struct TraceEvent {
  EventKind Kind = EventKind::Load;
  uint32_t Thread = 0;
  uint32_t Partner = NoEvent;   // Store: its Update (none: it took effect immediately). Update: its Store
  bool Forwarded = false;       // Load: some of the value came from the thread's own buffer
  bool FullFence = false;       // it waited for the thread's buffer to be empty
  bool StoreBarrier = false;    // later stores of the thread land after all earlier ones (PSO)
  uint32_t Other = 0;           // Create, Join: the other thread
  uint32_t Number = NoEvent;    // POWER: index of the operation in its thread; operations that did not happen count
  uint32_t Part = 0;            // POWER: of an operation that is several accesses
  std::vector<TraceLink> Links; // POWER
  std::vector<TraceAccess> Accesses;    // reads first
  SyncAction Action = SyncAction::None; // Sync
  std::string What;       // others, for people: what it does, "full fence", "waits for"; Bug: the sentence
  std::string Expression; // as the source writes the accessed thing: "q->head"; empty if not known
  std::string Ordering;   // "relaxed", "release", ...; empty if not atomic
  // What it is under C11 as a read and as a write; of a fence both. Known only where data races are looked for.
  Order ReadMode = Order::NotAtomic, WriteMode = Order::NotAtomic;
  bool Volatile = false;           // the same
  TracePlace At;                   // the innermost place that is one to show (Program::isShown)
  std::vector<TracePlace> Callers; // from the outermost call; without At itself
  std::vector<TracePlace> Folded;  // what At calls: functions that only wrap an access, and libraries. Outermost first
  std::vector<uint32_t> Stack;     // the pcs behind all of them, in the program that ran; empty if read from a file

  /// What it does, in words: of Sync the name of its action.
  std::string words() const { return Kind == EventKind::Sync ? nameOf(Action) : What; }
  bool isAccess() const {
    return Kind == EventKind::Store || Kind == EventKind::Load || Kind == EventKind::Rmw || Kind == EventKind::Update;
  }
  bool reads() const {
    for (const TraceAccess &A : Accesses)
      if (!A.Write)
        return true;
    return false;
  }
  /// POWER: whether it can be what others read.
  bool canBeRead() const { return Number != NoEvent && Kind != EventKind::Bug; }
  bool writes() const {
    for (const TraceAccess &A : Accesses)
      if (A.Write)
        return true;
    return false;
  }
};

struct TraceThread {
  std::string Name;               // "main", "worker", "worker#2"
  std::vector<uint32_t> Identity; // path of creation indices from main: schedule independent
};

/// An allocation site or global whose accesses are events, named so that another compilation finds it again.
struct SharedThing {
  enum Kind : uint8_t { Global, Stack, Heap } What = Global;
  std::string Name, Function; // Heap: no name
  uint32_t Ordinal = 0;       // among the sites of the same kind, name and function
  /// POWER: the parts that are known to be accessed of memory that can end, as offsets and sizes.
  std::vector<std::pair<uint32_t, uint32_t>> Parts = {};
  bool isSame(const SharedThing &Other) const {
    return What == Other.What && Name == Other.Name && Function == Other.Function && Ordinal == Other.Ordinal;
  }
  bool operator==(const SharedThing &) const = default;
};

struct Recording {
  std::string File;
  MemoryModel Model = MemoryModel::SC;
  Architecture Target = HostArchitecture; // what the program was compiled for
  unsigned Unroll = 8;
  std::vector<TraceThread> Threads;
  std::vector<TraceVariable> Variables;
  std::vector<TraceEvent> Events;
  std::vector<SharedThing> Shared;
  LanguageRules Language;             // C11
  std::vector<FailurePoint> Failures; // the operations that failed for no reason; their pcs mean nothing here
  // The bug it ends with, if there is one.
  std::optional<picket::BugKind> BugKind;
  std::string BugMessage, BugThread;
  SourceLocation BugWhere;
  uint32_t BugEvent = NoEvent;
  bool GoesRound = false;                             // the bug is a livelock: the execution goes on like that
  uint32_t RaceFirst = NoEvent, RaceSecond = NoEvent; // the bug is a data race of these accesses

  bool isRace() const { return RaceFirst != NoEvent && RaceSecond != NoEvent; }
};

} // namespace picket
