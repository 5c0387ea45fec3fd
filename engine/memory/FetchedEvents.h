// The events that threads have fetched, as an execution graph has them: with their address, data and control
// dependencies and the fences before them. A SpeculativeInterpreter runs the threads and hands the accesses over; an
// explorer asks here what it has to know of an event before it commits it, and tells when it does.
//
// It is large because it is one thing for both of them, and all of it is called all the time. Its parts are in headers
// by subject: FetchedAccesses.h (events are added), FetchedCommits.h (what is asked and told of commits), FetchedEnds.h
// (the end of memory).
#pragma once

#include "machine/SpeculativeInterpreter.h"
#include "memory/Axioms.h"
#include "memory/EndingMemory.h"
#include "memory/GraphNotes.h"

#include <array>
#include <deque>
#include <map>
#include <set>

namespace picket {

/// Thrown when an execution has more events than the sets in use can hold; or, where these hold any number, when a loop
/// that may never end goes round again in an execution that is long already.
struct GraphFull {};
constexpr uint32_t LongExecution = EventSet<16>::Capacity;

/// Thrown where an execution cannot be explored as a graph, but may be with store buffers. The message is a phrase.
struct GraphStop : MachineStop {
  GraphStop(ThreadId T, uint32_t Pc, std::string What) : MachineStop{Unsupported, Pc, T, std::move(What)} {}
};

template <unsigned Words> class FetchedEvents {
public:
  using Set = EventSet<Words>;
  using Event = GraphEvent<Words>;

  FetchedEvents(Machine &TheMachine, ExecutionGraph<Words> &Graph, MemoryModel Model, EndingMemory &Ending)
      : TheMachine(TheMachine), Prog(TheMachine.program()), Graph(Graph), Model(Model), Ending(Ending),
        Threads(TheMachine, *this) {}

  // Threads.

  /// Runs every thread as far as it comes with what is committed.
  void fetch() { Threads.fetch(); }
  /// Calls Look now and then meanwhile.
  void watch(std::function<void()> Look) { Threads.Look = std::move(Look); }
  /// Lets threads enter atomic sections: the axioms know what these are.
  void allowSections() { SectionsAllowed = true; }
  bool isSpinning(ThreadId T) const { return TheMachine.status(T) == ThreadStatus::Spinning; }
  /// Lets a thread that came back to the head of its spin loop go round again.
  void goRound(ThreadId T) { Threads.goRound(T); }
  /// Adds the loops that a thread enters from now on. Null: no more.
  void watchLoops(ThreadId T, std::set<int32_t> *Into) { Threads.watchLoops(T, Into); }
  /// The event a thread waits for, if it cannot go on before it is committed.
  EventId waitsFor(ThreadId T) const { return Threads.waitsFor(T); }
  /// All that a thread has fetched.
  const Set &fetchedBy(ThreadId T) const { return Flows[T].Events; }
  /// The n-th event of a thread, from 0, if it has been fetched.
  EventId eventOf(ThreadId T, uint32_t Index) const {
    return T < Fetched.size() && Index < Fetched[T].size() ? Fetched[T][Index] : NoEvent;
  }
  /// All that a thread's next step has behind it: what it has fetched, and what its creation and its joins waited for.
  Set behind(ThreadId T) const { return Flows[T].Events | Flows[T].Sync; }
  /// The event that is the bug a thread ended with.
  EventId bugOf(ThreadId T) const { return Flows[T].Bug; }

  // Events before they are committed.

  /// Finds the location that an uncommitted event accesses. False: its address waits, or the access is a bug.
  bool locate(EventId E);
  /// Whether everything that an event (for an update: both) needs beside what it reads is known.
  bool hasOperands(EventId E);
  /// Whether an event may have to wait for others to write: in a spin loop, or to take a lock.
  bool mayWait(EventId E) const { return Accesses[E].Waits; }
  /// Whether the thread ended with a bug before it came to the event.
  bool isAbandoned(EventId E) const { return Graph[E].Index >= Flows[Graph[E].Thread].FailedAt; }
  const Operation &operation(EventId E) const { return Accesses[E].Op; }
  /// The bytes an access touches.
  Address whereOf(EventId E) const { return Graph.Locations[Graph.cell(E, 0).Location].Where; }
  uint32_t widthOf(EventId E) const {
    const Operation &Op = Accesses[E].Op;
    return Op.Kind == OperationKind::Sync ? sizeOf(Op.Sync) : Op.Width;
  }
  /// Whether it is an access of 16 bytes, whose value is the number of a state. The end of memory is none, whatever its
  /// size.
  bool isWide(EventId E) const {
    return Accesses[E].Op.Kind != OperationKind::Sync && Accesses[E].Op.Width > 8 && !Graph[E].Ends;
  }
  /// The bytes that a value stands for, of a synchronisation object or an access of 16 bytes.
  const uint8_t *stateOf(uint64_t Value) const { return States[Value].data(); }
  /// Events that are, or choose, store-conditionals, and those that fail for no reason.
  const std::vector<EventId> &odd() const { return Odd; }
  /// The locations of an object that were ever accessed, or ended; the one that its ends are written to.
  std::vector<LocationId> locationsOf(uint32_t Slot) const;
  LocationId lifeOf(uint32_t Slot) const;

  /// The value a write stores. Its operands are known.
  uint64_t valueOf(EventId Write);
  /// Of an access that is split: gives each cell its part of the whole value, or makes that of them.
  void divide(EventId Write);
  uint64_t joined(EventId Read);
  /// What an update does if it reads a certain value.
  struct Update {
    enum { Writes, Leaves, Waits, Fails } Does = Writes;
    uint64_t Value = 0; // Writes
    SyncResult Result;  // of a synchronisation object
  };
  Update update(EventId Read, uint64_t Value);
  /// C11: the order of a read whose value is known. A compare-and-swap that fails has its own.
  Order modeOfRead(EventId Read);

  // To be told of commits.

  /// A committed update.
  void noteUpdate(EventId Read, const Update &Done);
  /// How a store-conditional turns out.
  void noteOutcome(EventId Decided, bool Succeeds);
  bool succeeds(EventId Decided) const { return Accesses[Decided].Succeeds; }

  // Bugs, and how runs end.

  /// The loop in which a load waits never ends. That is told of the load, as with store buffers: its thread may have
  /// gone on to the branch behind it.
  bool reportHang(EventId Load);
  /// Whether a compare-and-swap that was to fail for no reason had one.
  bool hasOtherFailure();
  /// An access (or a second end, or a move) of memory that has ended.
  void failEnded(EventId E, EventId End);
  /// That an access is in a data race with an earlier one of another thread; and ends its thread with that.
  BugReport raceOf(EventId E, EventId Other) const;
  void failRace(EventId E, EventId Other) { fail(E, raceOf(E, Other)); }
  /// Whether the text says that data races of an access are intended.
  bool isRaceBenign(EventId E) const { return Prog.Locations[Prog.CodeLocations[Graph[E].Pc]].BenignRaces; }
  /// Whether a read of what was there from the start is a bug, with which its thread then ends.
  bool failsUnwritten(EventId Read);
  /// Once the run is over: records what has overflowed on values that waited for loads. False: nothing.
  bool reportOverflows() { return Threads.reportOverflows(); }
  /// Once the run is complete: records the heap blocks that were lost, if that is asked for.
  bool reportLeaks() { return Threads.reportLeaks(); }
  /// What a slot of the function a thread started with held when it returned.
  uint64_t finalSlot(ThreadId T, uint32_t Slot) { return Threads.finalSlot(T, Slot); }
  /// What is in memory at the end.
  uint64_t finalValue(Address Where, unsigned Width);

  // Going back.

  struct Mark {
    UndoLog::Mark Undo;
    size_t Events, Bugs, Actions, Barriers;
    typename SpeculativeInterpreter<Set, FetchedEvents>::Mark Threads;
  };
  Mark mark() {
    return {TheMachine.undo().mark(),          Accesses.size(),       TheMachine.bugs().size(),
            Notes ? Notes->Actions.size() : 0, Graph.Barriers.size(), Threads.mark()};
  }
  void undoTo(const Mark &To);

  /// Writes down from now on what a recording needs.
  void noteInto(GraphNotes *Into) {
    Notes = Into;
    TheMachine.onChoice(
        [this](ThreadId T, int64_t Value) { note({GraphNotes::Action::Choice, T, 0, FenceKind::Full, 0, {}, Value}); });
  }
  /// About how much memory it takes up. What small graphs need does not count.
  size_t bytes() const { return Words ? 0 : Accesses.size() * sizeof(Access) + Threads.bytes(); }

private:
  friend SpeculativeInterpreter<Set, FetchedEvents>;

  // What the interpreter of the threads asks and tells: see there.
  bool isCommitted(EventId E) const { return Graph.Committed.contains(E); }
  uint64_t resultOf(EventId E, ResultPart Part, uint64_t Expected, uint64_t Expected2) const;
  const SyncResult &syncResultOf(EventId E) const { return Accesses[E].Result; }
  void begin(ThreadId T, ThreadId Parent);
  void save(ThreadId T) { TheMachine.undo().save(Flows[T]); }
  void noteCreation(ThreadId Parent, ThreadId Child);
  void noteJoin(ThreadId T, ThreadId Ended);
  void noteFence(ThreadId T, FenceKind Kind);
  void noteBranch(ThreadId T, const Set &Loads) { Flows[T].Control |= Loads; }
  void noteAddress(ThreadId T, const Set &Loads) { Flows[T].AddressBefore |= Loads; }
  void noteNeeded(ThreadId T, const Set &Loads) { Flows[T].Fetch |= Loads; }
  void noteNeeded(ThreadId T, EventId E) { Flows[T].Fetch.insert(E); }
  EventId needUpdates(ThreadId T);
  uint32_t numEvents(ThreadId T) const { return Flows[T].NumEvents; }
  uint32_t failedAt(ThreadId T) const { return Flows[T].FailedAt; }
  void failAt(ThreadId T, uint32_t EventsBefore);
  bool isLong() const { return !Words && Graph.size() >= LongExecution; }
  [[noreturn]] void stopAsTooLong() { throw GraphFull(); }
  [[noreturn]] void refuse(ThreadId T, const char *What) { throw GraphStop(T, TheMachine.pc(T), What); }
  AccessEvents fetchAccess(ThreadId T, const Instruction &I, const LateAccess &A);
  bool fetchPieces(ThreadId T, const Instruction &I, const LateAccess &A, std::vector<AccessPiece> &Pieces);
  EventId fetchSync(ThreadId T, const Operation &Op, const Set &AddressLoads);
  void fetchResult(ThreadId T, const Operation &Op);
  EventId fetchConditional(ThreadId T, const Instruction &I);
  void endReservation(ThreadId T) { Flows[T].Reserved = NoEvent; }
  void fetchEnd(ThreadId T, Address Where, uint32_t Ordinal);
  void fetchCopies(ThreadId T, Address Old, Address New, uint32_t Size);
  void noteEnded(uint32_t Site) { Ending.Ended.insert(Site); }
  void drain(ThreadId T);
  void enterSection(ThreadId T);
  void leaveSection(ThreadId T);
  void refuseToWaitInSection(ThreadId T);
  void writeToMemory();

  struct Access : LateAccess {
    int64_t Offset = 0; // added to Where
    uint8_t Shift = 0;  // bits of Data in front of what is written here
    bool Waits = false;
    bool Succeeds = false; // Decides: how
    SyncResult Result;
  };
  /// What a thread has fetched, and what its next event comes behind. Copied as a whole.
  struct Flow {
    Set Events, Updates, Control, ControlISync, AddressBefore, Fetch, Sync, LwSync, Eieio;
    uint32_t NumEvents = 0;
    ThreadId Thread = 0;
    uint32_t FailedAt = ~0u;
    EventId Reserved = NoEvent, Bug = NoEvent;
    uint32_t Section = 0; // as of its events; 0 while there are none
    bool InSection = false, WritesInSection = false;
  };
  using Bytes = std::array<uint8_t, 64>;

  // Fetching (FetchedAccesses.h).
  Order instructionOrder(const Operation &Op) const;
  EventId addEvent(ThreadId T, const Operation &Op, bool IsWrite);
  AccessParts partsOf(EventId E) const;
  void splitAccess(EventId E, const AccessParts &Parts);
  void addDependenciesOfUpdate(Flow &F, const Instruction &I, const Operation &Op, const AccessEvents &New);
  void fetchFence(ThreadId T, FenceKind Kind);
  void fence(Flow &F, FenceKind Kind);
  void barrier(Flow &F, FenceKind Kind);
  void keepBarrier(const Flow &F, FenceKind Kind, const Set &Control);
  void fencesBefore(Flow &F, const Operation &Op);
  void fencesBehind(Flow &F, const Operation &Op, EventId Read, EventId Write);
  void orderBehind(Flow &F, EventId Read, EventId Write);
  void note(GraphNotes::Action What);

  // Commits (FetchedCommits.h).
  void fail(EventId E, BugKind Kind, std::string Message) {
    fail(E, {Kind, Graph[E].Thread, Graph[E].Pc, std::move(Message)});
  }
  void fail(EventId E, BugReport New);
  LocationId locationFor(EventId E, Address Where, uint32_t Width);
  void learnCuts(Address Where, uint32_t Width);
  bool isCutAsKnown(EventId E, const Object &O, Address Where, uint32_t Width);
  bool readInitial(EventId E, LocationId Id, bool IsState);
  bool resolve(const LateValue &V, uint64_t &Bits) { return Threads.resolve(V, Bits); }
  Set loadsOf(const LateValue &V) const { return Threads.loadsOf(V); }
  Update updateWide(const Access &A, uint64_t Old);
  uint64_t internBytes(const uint8_t *From, uint32_t Size);
  uint64_t internWords(uint64_t Low, uint64_t High);
  /// Whether what an access reads and writes is bytes that a number stands for: it is of more than 8.
  static bool hasState(const Operation &Op) { return Op.Kind == OperationKind::Sync || Op.Width > 8; }
  /// Whether an access has read certain words.
  bool isValue(const Operation &Op, uint64_t Read, uint64_t Low, uint64_t High) const {
    if (!hasState(Op))
      return lowBits(Low, Op.Width * 8u) == Read;
    uint64_t OfLow, OfHigh;
    Memory::readWords(stateOf(Read), Op.Width, OfLow, OfHigh);
    return OfLow == Low && OfHigh == High;
  }

  Machine &TheMachine;
  const Program &Prog;
  ExecutionGraph<Words> &Graph;
  const MemoryModel Model;
  const bool AsGraphs = isExploredAsGraphs(Model); // else an opinion on store buffers
  EndingMemory &Ending;
  SpeculativeInterpreter<Set, FetchedEvents> Threads;
  GraphNotes *Notes = nullptr;
  bool SectionsAllowed = false;
  std::deque<Flow> Flows;                    // per thread
  std::vector<std::vector<EventId>> Fetched; // per thread
  std::deque<Access> Accesses;               // per event; what is saved by address stays where it is
  std::vector<EventId> Odd;
  std::map<Address, LocationId> Locations; // by where they begin
  std::vector<Bytes> States;               // of synchronisation objects, and of what is accessed as 16 bytes
  std::map<Bytes, uint64_t> StateIds;
};

} // namespace picket
