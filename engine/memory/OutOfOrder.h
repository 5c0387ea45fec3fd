// The out-of-order side of the machine: runs threads ahead of their loads. A register holds a value, or waits for loads
// that are not committed yet; an instruction with a waiting operand becomes a node that is evaluated when they are.
// Values carry the loads they were made from, and accesses of shared memory become events of an execution graph, with
// their address, data and control dependencies. Fetching stops at a branch whose condition waits.
//
// Everything else (frames, objects, builtins) is the ordinary Machine's, whose interpreter does each instruction that
// has all it needs.
#pragma once

#include "machine/Arithmetic.h"
#include "machine/Machine.h"
#include "memory/Axioms.h"
#include "memory/ChangesMemory.h"
#include "memory/EndingMemory.h"
#include "memory/GraphNotes.h"

#include <array>
#include <deque>
#include <functional>
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

template <unsigned Words> class OutOfOrder {
public:
  using Set = EventSet<Words>;
  using Graph = ExecutionGraph<Words>;
  using Event = GraphEvent<Words>;

  OutOfOrder(Machine &M, Graph &G, MemoryModel Model, EndingMemory &Ending)
      : M(M), P(M.program()), G(G), Model(Model), Ending(Ending) {}

  /// Runs every thread as far as it comes with what is committed. Calls Look now and then.
  void fetch();
  std::function<void()> Look;

  /// Finds the place that an uncommitted event accesses. False: its address waits, or the access is a bug.
  bool locate(EventId E);
  /// Whether everything that an event (for an update: both) needs beside what it reads is known.
  bool hasOperands(EventId E);
  /// Whether an event may have to wait for others to write: in a spin loop, or to take a lock.
  bool mayWait(EventId E) const { return Accesses[E].Waits; }
  /// Whether the thread ended with a bug before it came to the event.
  bool isAbandoned(EventId E) const { return G[E].Index >= Flows[G[E].Thread].FailedAt; }
  /// The event that is the bug a thread ended with.
  EventId bugOf(ThreadId T) const { return Flows[T].Bug; }

  /// The value a write stores. Its operands are known.
  uint64_t valueOf(EventId Write);
  /// Of an access that is split: gives each cell its part of the whole value, or makes that of them.
  void divide(EventId Write);
  uint64_t joined(EventId Read);
  /// The bytes an access touches.
  Address whereOf(EventId E) const { return G.Places[G.cell(E, 0).Place].Where; }
  uint32_t widthOf(EventId E) const {
    const Operation &Op = Accesses[E].Op;
    return Op.Kind == OperationKind::Sync ? sizeOf(Op.Sync) : Op.Width;
  }

  /// What an update does if it reads a certain value.
  struct Update {
    enum { Writes, Leaves, Waits, Fails } Does = Writes;
    uint64_t Value = 0; // Writes
    SyncResult Result;  // of a synchronisation object
  };
  Update update(EventId Read, uint64_t Value);
  /// C11: the order of a read whose value is known. A compare-and-swap that fails has its own.
  Order modeOfRead(EventId Read);

  /// To be told of committed updates, and of how store-conditionals turn out.
  void noteUpdate(EventId Read, const Update &Done);
  void noteOutcome(EventId Decided, bool Succeeds);
  bool succeeds(EventId Decided) const { return Accesses[Decided].Succeeds; }
  /// The loop in which a load waits never ends. That is told of the load, as with store buffers: its thread may have
  /// gone on to the branch behind it.
  bool reportHang(EventId Load);
  /// Whether a compare-and-swap that was to fail for no reason had one.
  bool hasOtherFailure();
  /// An access (or a second end, or a move) of memory that has ended.
  void failEnded(EventId E, EventId End);
  /// An access that is in a data race with one of another thread.
  void failRace(EventId E, EventId Other);
  /// Whether a read of what was there from the start is a bug, with which its thread then ends.
  bool failsUnwritten(EventId Read);
  /// Once the run is over: records what has overflowed on values that waited for loads. False: nothing.
  bool reportOverflows();
  /// Once the run is complete: records the heap blocks that were lost, if that is asked for.
  bool reportLeaks();
  /// The places of an object that were ever accessed, or ended; the one that its ends are written to.
  std::vector<PlaceId> placesOf(uint32_t Slot) const;
  PlaceId lifeOf(uint32_t Slot) const;
  /// All that a thread's next step has behind it: what it has fetched, and what its creation and its joins waited for.
  Set behind(ThreadId T) const { return Flows[T].Events | Flows[T].Sync; }
  /// Adds the loops that a thread enters from now on (by the slot of their counts: loops that share one are not inside
  /// each other). Null: no more.
  void watchLoops(ThreadId T, std::set<int32_t> *Into) {
    Watched = T;
    Entered = Into;
  }
  /// Lets a thread that came back to the head of its spin loop go round again.
  void goRound(ThreadId T);

  struct Mark {
    UndoLog::Mark Undo;
    size_t Events, Nodes, Bugs, Deeds, Conditions, Divisions, Calls;
  };
  Mark mark() {
    return {M.undo().mark(),   Accesses.size(), Nodes.size(), M.bugs().size(), Notes ? Notes->Deeds.size() : 0,
            Conditions.size(), Divisions.size(), Calls.size()};
  }
  void undoTo(const Mark &To);

  /// What a slot of the function a thread started with held when it returned.
  uint64_t finalSlot(ThreadId T, uint32_t Slot);
  /// What is in memory at the end.
  uint64_t finalValue(Address Where, unsigned Width);

  /// Writes down from now on what a recording needs.
  void noteInto(GraphNotes *Into) { Notes = Into; }
  /// Lets threads enter atomic sections: the axioms know what these are.
  void allowSections() { SectionsAllowed = true; }
  /// The bytes that a value stands for, of a synchronisation object or an access of 16 bytes.
  const uint8_t *stateOf(uint64_t Value) const { return States[Value].data(); }

  Machine &machine() { return M; }
  const Operation &operation(EventId E) const { return Accesses[E].Op; }
  /// Whether it is an access of 16 bytes, whose value is the number of a state. The end of memory is none, whatever its
  /// size.
  bool isWide(EventId E) const {
    return Accesses[E].Op.Kind != OperationKind::Sync && Accesses[E].Op.Width > 8 && !G[E].Ends;
  }
  bool isSpinning(ThreadId T) const { return M.status(T) == ThreadStatus::Spinning; }
  /// The how-manieth event of a thread, if it has been fetched.
  EventId eventOf(ThreadId T, uint32_t Index) const {
    return T < Fetched.size() && Index < Fetched[T].size() ? Fetched[T][Index] : NoEvent;
  }
  /// Events that are, or choose, store-conditionals, and those that fail for no reason.
  const std::vector<EventId> &odd() const { return Odd; }
  /// All that a thread has fetched.
  const Set &fetchedBy(ThreadId T) const { return Flows[T].Events; }
  /// About how much memory it takes up. What small graphs need does not count.
  size_t bytes() const { return Words ? 0 : Accesses.size() * sizeof(Access) + Nodes.size() * sizeof(Node); }
  /// The event a thread waits for, if it cannot go on before it is committed.
  EventId waitsFor(ThreadId T) const { return T < Flows.size() ? Flows[T].Waiting : NoEvent; }

private:
  /// A value: bits, or bits that a node knows.
  struct Value {
    uint64_t Bits = 0;
    uint32_t Node = 0;
  };
  struct Node {
    // Low, High: half of a Result of 16 bytes; Joined: A, and B shifted by C; Called: of a LateCall.
    enum : uint8_t { Result, Low, High, Success, Returned, Pure, Joined, Called } Kind = Pure;
    bool Known = false;
    bool Upper = false;     // Pure: the upper half of a result of more than 64 bits
    EventId From = NoEvent; // Result to Returned: of the event
    uint32_t Pc = 0;        // Pure: the instruction
    uint32_t Call = 0;      // Called: which
    uint64_t Bits = 0;
    Value A, B, C, D; // of a WideBinary: C and D are the upper halves of A and B
    Set Loads;        // that it was made from
  };
  /// A call of a library function that is made when its arguments are known, while the thread goes on: an allocation, or
  /// the length of what printf prints.
  struct LateCall {
    ThreadId Thread = 0;
    uint32_t Pc = 0, EventsBefore = 0;
    uint32_t Node = 0;                 // the result
    uint32_t Slot = 0, AllocatedAt = 0; // of the block that is allocated
    std::vector<Value> Arguments;
  };
  struct Access {
    Operation Op;
    Value Where, Data, Expected;
    Value Data2, Expected2; // upper halves of 16 bytes
    int64_t Offset = 0;     // added to Where
    uint8_t Shift = 0;      // bits of Data in front of what is written here
    bool Waits = false;
    bool Succeeds = false; // Decides: how
    SyncResult Result;
  };
  /// What a thread has fetched. Copied as a whole.
  struct Flow {
    Set Events, Updates, Control, ControlISync, AddressBefore, Fetch, Sync, LwSync, Eieio;
    uint32_t NumEvents = 0;
    uint32_t FailedAt = ~0u;
    uint32_t StalledOn = 0; // node
    uint32_t ResultTag = 0;
    EventId Waiting = NoEvent, Reserved = NoEvent, Bug = NoEvent;
    uint32_t Section = 0; // as of its events; 0 while there are none
    bool InSection = false, WritesInSection = false;
    bool Started = false;
  };
  using Bytes = std::array<uint8_t, 64>;

  bool canGoOn(ThreadId T);
  bool step(ThreadId T);
  bool stepWith(ThreadId T, const Instruction &I);
  bool runInstruction(ThreadId T);
  bool operate(ThreadId T);
  bool join(ThreadId T);
  void enterSection(ThreadId T);
  void leaveSection(ThreadId T);
  void refuseToWaitInSection(ThreadId T);
  void completeBuiltin(ThreadId T, const Instruction &I, uint64_t Value, uint64_t Errno);
  void endBlock(ThreadId T, const Instruction &I);
  void moveBlock(ThreadId T, const Instruction &I, Address Old);
  void addCopies(ThreadId T, Address Old, Address New, uint32_t Size);
  void endLocals(ThreadId T);
  void enterFrame(ThreadId T);
  void addEnds(ThreadId T, Address Where, uint32_t Ordinal = 0);
  uint32_t resultNode(EventId From, uint8_t Kind);
  void noteCreated();
  bool access(ThreadId T, const Instruction &I);
  bool storeConditional(ThreadId T, const Instruction &I);
  void fetchAccess(ThreadId T, const Instruction &I, Operation Op);
  bool fetchPieces(ThreadId T, const Instruction &I, const Operation &Op);
  void splitAccess(EventId E, const AccessParts &Parts);
  AccessParts partsOf(EventId E) const;
  void fetchSync(ThreadId T, const Instruction &I, const Operation &Op);
  bool call(ThreadId T, const Instruction &I);
  bool builtin(ThreadId T, const Instruction &I);
  bool callLate(ThreadId T, const Instruction &I);
  uint64_t makeCall(const LateCall &Call);
  void makeLateCalls();
  bool doReturn(ThreadId T, const Instruction &I);
  bool pure(ThreadId T, const Instruction &I);
  void fence(Flow &F, FenceKind Kind);
  void fetchFence(ThreadId T, FenceKind Kind);
  void fencesBefore(Flow &F, const Operation &Op);
  void fencesBehind(Flow &F, const Operation &Op, EventId Read, EventId Write);
  void orderBehind(Flow &F, EventId Read, EventId Write);
  void barrier(Flow &F, FenceKind Kind);
  void begin(ThreadId T, ThreadId Parent);
  EventId addEvent(ThreadId T, const Operation &Op, bool IsWrite);
  void note(GraphNotes::Deed What);

  Value read(ThreadId T, Operand O);
  /// The second of the slots, or constants, of a wide operand.
  Value readUpper(ThreadId T, Operand O) {
    return O < 0 ? Value{P.Constants[static_cast<size_t>(~O) + 1], 0} : read(T, O + 1);
  }
  void waitWide(ThreadId T, const Instruction &I, const Set &Loads);
  bool resolve(const Value &V, uint64_t &Bits);
  /// Whether the value of a register is known; its bits are then in the register. If not, the thread stalls on it.
  bool known(ThreadId T, Operand O);
  /// The same for what has to be known before anything behind it can be fetched.
  bool needs(ThreadId T, Operand O);
  uint32_t newNode(const Node &N);
  uint32_t knownNode(uint64_t Bits, const Set &Loads);
  Set loadsOf(const Value &V) const { return V.Node ? Nodes[V.Node].Loads : Set(); }
  uint32_t *tags(ThreadId T);
  void setTag(uint32_t &Tag, uint32_t Node);
  uint64_t *registers(ThreadId T);
  void tagResult(ThreadId T, const Instruction &I, uint32_t Node);
  void fail(EventId E, BugKind Kind, std::string Message);

  PlaceId placeFor(EventId E, Address Where, uint32_t Width);
  void learnCuts(Address Where, uint32_t Width);
  bool isCutAsKnown(EventId E, const Object &O, Address Where, uint32_t Width);
  bool readInitial(EventId E, PlaceId Id, bool IsState);
  /// Whether what an access reads and writes is bytes that a number stands for: it is of more than 8.
  static bool hasState(const Operation &Op) { return Op.Kind == OperationKind::Sync || Op.Width > 8; }
  uint64_t internBytes(const uint8_t *From, uint32_t Size);
  uint64_t internWords(uint64_t Low, uint64_t High);
  Update updateWide(const Access &A, uint64_t Old);
  /// Whether an access has read certain words.
  bool isValue(const Operation &Op, uint64_t Read, uint64_t Low, uint64_t High) const {
    if (!hasState(Op))
      return lowBits(Low, Op.Width * 8u) == Read;
    uint64_t OfLow, OfHigh;
    Memory::readWords(stateOf(Read), Op.Width, OfLow, OfHigh);
    return OfLow == Low && OfHigh == High;
  }

  Machine &M;
  const Program &P;
  Graph &G;
  const MemoryModel Model;
  const bool AsGraphs = isExploredAsGraphs(Model); // else an opinion on store buffers
  EndingMemory &Ending;
  GraphNotes *Notes = nullptr;
  bool SectionsAllowed = false;
  ThreadId Watched = 0;
  std::set<int32_t> *Entered = nullptr;
  std::vector<std::vector<EventId>> Fetched; // per thread
  std::deque<Access> Accesses;               // per event; what is saved by address keeps its place
  std::deque<Node> Nodes{1};                 // 0: no node
  /// A FailIf whose condition was made from loads.
  struct Condition {
    ThreadId Thread;
    uint32_t Pc, EventsBefore;
    Value Fails;
  };
  std::vector<Condition> Conditions;
  /// A division whose operands waited for loads; Fails is the divisor, if it is zero.
  std::vector<Condition> Divisions;
  void failDivisions();
  std::deque<LateCall> Calls;
  std::vector<EventId> Odd;
  /// A node for each register of a thread, all zero at first: memory that costs something only where it is used.
  struct UnmapTags {
    void operator()(uint32_t *Tags) const;
  };
  using TagTable = std::unique_ptr<uint32_t[], UnmapTags>;
  static TagTable makeTags();
  std::vector<TagTable> Tags; // per thread
  std::deque<Flow> Flows;     // per thread
  std::map<Address, PlaceId> Places;
  std::vector<Bytes> States; // of synchronisation objects, and of what is accessed as 16 bytes
  std::map<Bytes, uint64_t> StateIds;
};

} // namespace picket
