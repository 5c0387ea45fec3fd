// The speculative interpreter runs threads ahead of their loads. A register holds a value, or waits for loads that are
// not committed yet; an instruction with a waiting operand becomes a node that is evaluated when they are. Accesses of
// shared memory are fetched: they become events, with the loads that their addresses and data are made from. Fetching
// stops at a branch whose condition waits.
//
// Its methods are in headers by subject, for the file of `Events` that instantiates it: it is one loop, and everything is
// called all the time.
//
// Frames, objects and builtins are those of the machine, and the ordinary Interpreter does each instruction that has all
// it needs. What events are ordered by is not known here: that is for `Events`, which commits them (FetchedEvents puts
// them into an execution graph). It must have:
//
//   // What is committed.
//   bool isCommitted(EventId E)                a load or an update is; its result is then known:
//   uint64_t resultOf(EventId E, ResultPart Part, uint64_t Expected, uint64_t Expected2)
//   SyncResult syncResultOf(EventId E)         the same of an operation on a synchronisation object
//
//   // What the next event of a thread comes behind. Each of these can be taken back.
//   void begin(ThreadId T, ThreadId Parent)    T begins; Parent has created it (main: itself)
//   void save(ThreadId T)                      something is about to change for T
//   void noteCreation(ThreadId Parent, ThreadId Child)
//   void noteJoin(ThreadId T, ThreadId Ended)
//   void noteFence(ThreadId T, FenceKind Kind)
//   void noteBranch(ThreadId T, const EventSet &Loads)   they decide a branch
//   void noteAddress(ThreadId T, const EventSet &Loads)  they make up the address of an access that is no event
//   void noteNeeded(ThreadId T, const EventSet &Loads)   nothing behind can be fetched without them
//   void noteNeeded(ThreadId T, EventId E)
//   EventId needUpdates(ThreadId T)            so for its updates in spin loops; the last that is not committed
//   uint32_t numEvents(ThreadId T), failedAt(ThreadId T)   how many it has fetched; how many there are before its bug
//   void failAt(ThreadId T, uint32_t EventsBefore)
//   bool isLong(), [[noreturn]] stopAsTooLong()          an execution in which loops without a bound stop
//   [[noreturn]] void refuse(ThreadId T, const char *What)
//
//   // Events.
//   AccessEvents fetchAccess(ThreadId T, const Instruction &I, const LateAccess &A)
//   bool fetchPieces(ThreadId T, const Instruction &I, const LateAccess &A, std::vector<AccessPiece> &Pieces)
//   EventId fetchSync(ThreadId T, const Operation &Op, const EventSet &AddressLoads)
//   void fetchResult(ThreadId T, const Operation &Op)    a builtin stores its result through a pointer
//   EventId fetchConditional(ThreadId T, const Instruction &I)   the choice whether a store-conditional succeeds; none:
//                                                                there is no reservation
//   bool succeeds(EventId E), void endReservation(ThreadId T)
//   void fetchEnd(ThreadId T, Address Where, uint32_t Ordinal)   an object's end; which of those of the operation
//   void fetchCopies(ThreadId T, Address Old, Address New, uint32_t Size), void noteEnded(uint32_t Site)   realloc
//   void drain(ThreadId T)                     the model may have a full fence around the end of a block
//   void enterSection(ThreadId T), leaveSection(ThreadId T), refuseToWaitInSection(ThreadId T)
//   void writeToMemory()                       puts what is committed last into the machine's memory
#pragma once

#include "machine/Interpreter.h"
#include "machine/LateValues.h"
#include "machine/Machine.h"
#include "machine/RegisterNodes.h"

#include <deque>
#include <functional>
#include <limits>
#include <set>

namespace picket {

/// An access that is fetched: its operation, and values instead of those in the operation.
struct LateAccess {
  Operation Op;
  LateValue Where, Data, Expected;
  LateValue Data2, Expected2; // upper halves of 16 bytes
};

/// What an access became: of an update, both.
struct AccessEvents {
  EventId Read = NoEvent, Write = NoEvent;
};

/// A part of an access that is not aligned: its value stands at a bit of the whole.
struct AccessPiece {
  EventId Event;
  uint32_t Shift;
};

/// EventSet: a set of events, by their numbers.
template <typename EventSet, typename Events> class SpeculativeInterpreter {
public:
  SpeculativeInterpreter(Machine &TheMachine, Events &Graph)
      : TheMachine(TheMachine), Parts(TheMachine.parts()), Prog(TheMachine.program()), Graph(Graph),
        Values(Prog, Parts.Undo) {}

  /// Runs every thread as far as it comes with what is committed.
  void fetch();
  /// Called now and then meanwhile.
  std::function<void()> Look;
  /// Lets a thread that came back to the head of its spin loop go round again.
  void goRound(ThreadId T);
  /// The event a thread waits for, if it cannot go on before it is committed.
  EventId waitsFor(ThreadId T) const { return T < Fetching.size() ? Fetching[T].Waiting : NoEvent; }
  /// Adds the loops that a thread enters from now on (by the slot of their counts: loops that share one are not inside
  /// each other). Null: no more.
  void watchLoops(ThreadId T, std::set<int32_t> *Into) {
    Watched = T;
    Entered = Into;
  }

  // Values.

  /// Whether a value is known; its bits.
  bool resolve(const LateValue &V, uint64_t &Bits) { return Values.resolve(V, Bits, *this); }
  EventSet loadsOf(const LateValue &V) const { return Values.loadsOf(V); }
  /// The value that an event reads.
  LateValue resultOf(EventId E) { return {0, Values.addResult(E, ResultPart::Whole)}; }
  /// What a slot of the function a thread started with held when it returned.
  uint64_t finalSlot(ThreadId T, uint32_t Slot);

  // Once a run is over.

  /// Records what has overflowed on values that waited for loads. False: nothing.
  bool reportOverflows();
  /// Records the heap blocks that were lost, if that is asked for.
  bool reportLeaks();

  // Going back, beside what is in the machine's undo log.

  struct Mark {
    size_t Nodes, Conditions, Divisions, Calls;
  };
  Mark mark() const { return {Values.size(), Conditions.size(), Divisions.size(), Calls.size()}; }
  void undoTo(const Mark &To) {
    Values.drop(To.Nodes);
    Conditions.resize(To.Conditions);
    Divisions.resize(To.Divisions);
    Calls.resize(To.Calls);
  }
  size_t bytes() const { return Values.bytes(); }

private:
  friend LateValues<EventSet>; // asks for what events and calls returned
  using Node = typename LateValues<EventSet>::Node;

  /// Why a thread does not go on.
  struct ThreadFetching {
    uint32_t StalledOn = 0; // node
    EventId Waiting = NoEvent;
    uint32_t Whole = 0; // in order: the node of what the pieces of an access make up
  };
  /// A FailIf whose condition, or a division whose divisor, waited for loads.
  struct Condition {
    ThreadId Thread;
    uint32_t Pc, EventsBefore;
    LateValue Tested;
  };
  /// A call of a library function that is made when its arguments are known, while the thread goes on: an allocation, or
  /// the length of what printf prints.
  struct LateCall {
    ThreadId Thread = 0;
    uint32_t Pc = 0, EventsBefore = 0;
    uint32_t Node = 0;                  // the result
    uint32_t Slot = 0, AllocatedAt = 0; // of the block that is allocated
    std::vector<LateValue> Arguments;
  };

  // Threads (SpeculativeSteps.h).
  ThreadState &stateOf(ThreadId T) { return Parts.Threads[T].State; }
  void begin(ThreadId T, ThreadId Parent);
  void noteCreated();
  bool canGoOn(ThreadId T);
  bool step(ThreadId T);
  bool stepWith(ThreadId T, const Instruction &I);
  bool runInstruction(ThreadId T);
  bool runToOperation(ThreadId T);
  void failDivisions();

  // Accesses (SpeculativeAccesses.h).
  bool access(ThreadId T, const Instruction &I);
  bool fetchAccess(ThreadId T, const Instruction &I, const Operation &Op);
  bool finishAccess(ThreadId T, const Operation &Op);
  bool fetchPieces(ThreadId T, const Instruction &I, const LateAccess &A);
  bool storeConditional(ThreadId T, const Instruction &I);

  // Calls and pending operations (SpeculativeCalls.h).
  bool call(ThreadId T, const Instruction &I);
  bool builtin(ThreadId T, const Instruction &I);
  bool callLate(ThreadId T, const Instruction &I);
  const std::vector<LateValue> &argumentsOf(uint32_t Call) const { return Calls[Call].Arguments; }
  uint64_t makeCall(uint32_t Call);
  void makeLateCalls();
  bool doReturn(ThreadId T, const Instruction &I);
  void enterFrame(ThreadId T);
  bool operate(ThreadId T);
  bool synchronise(ThreadId T, const Instruction &I, const Operation &Op);
  bool join(ThreadId T);
  void completeBuiltin(ThreadId T, const Instruction &I, uint64_t Value, uint64_t Errno);
  void clearResult(ThreadId T, const Instruction &I, uint32_t CallPc);
  void endLocals(ThreadId T);
  void endBlock(ThreadId T, const Instruction &I);
  void moveBlock(ThreadId T, const Instruction &I, Address Old);

  // Registers and nodes (SpeculativeValues.h).
  bool compute(ThreadId T, const Instruction &I);
  void computeWideLater(ThreadId T, const Instruction &I, const EventSet &Loads);
  uint64_t *registers(ThreadId T);
  uint32_t *nodes(ThreadId T);
  void setNode(uint32_t &Of, uint32_t Node);
  void setResult(ThreadId T, const Instruction &I, uint32_t Node);
  LateValue read(ThreadId T, Operand O);
  LateValue readUpper(ThreadId T, Operand O);
  bool isKnown(ThreadId T, Operand O);
  bool needs(ThreadId T, Operand O);
  bool isCommitted(EventId E) const { return Graph.isCommitted(E); }
  uint64_t resultOf(EventId E, ResultPart Part, uint64_t Expected, uint64_t Expected2) {
    return Graph.resultOf(E, Part, Expected, Expected2);
  }

  Machine &TheMachine;
  MachineParts &Parts;
  const Program &Prog;
  Events &Graph;
  LateValues<EventSet> Values;
  std::deque<ThreadFetching> Fetching; // per thread; what is saved by address stays where it is
  std::vector<RegisterNodes> Nodes;    // per thread
  std::vector<Condition> Conditions;   // each fails if it is not zero
  std::vector<Condition> Divisions;    // each fails if it is zero
  std::deque<LateCall> Calls;
  ThreadId Watched = 0;
  std::set<int32_t> *Entered = nullptr;
};

} // namespace picket
