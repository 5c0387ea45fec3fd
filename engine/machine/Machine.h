// The machine runs threads of a Program. A thread runs straight through its local instructions to its next visible
// operation and stops in front of it; whoever schedules decides when that operation happens and with which result
// (resume). The machine knows no memory model, and nothing here depends on the order in which threads are run.
#pragma once

#include "machine/Checks.h"
#include "machine/Identities.h"
#include "machine/Memory.h"
#include "machine/Sharing.h"
#include "machine/SyncObjects.h"
#include "program/LiveSlots.h"
#include "program/Program.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace picket {

using ThreadId = uint32_t;

/// What a thread wants to do next, where others can see it.
enum class OperationKind : uint8_t {
  None,
  Load,
  Store,
  Rmw,
  CmpXchg,
  Fence,  // only where fences are asked for (MachineOptions::StopAtFences)
  Sync,   // an operation on a synchronisation object
  Free,   // also realloc: the block's end
  End,    // local variables end that others have seen
  Atomic, // a __VERIFIER_atomic section: runs to its end in one go
  Yield,  // a long loop lets the others go first
  Exit,   // the end of the process, only where it is asked for (MachineOptions::StopAtExit)
  Drain,  // waits for the thread's stores to land (pthread_create, with store buffers)
  Join    // waits for a thread to end
};

struct Operation {
  OperationKind Kind = OperationKind::None;
  uint8_t Width = 0; // bytes, for accesses of up to 16
  Order Ordering = Order::NotAtomic;
  Order FailureOrdering = Order::NotAtomic; // CmpXchg
  RmwOp Rmw = RmwOp::Xchg;
  FenceKind Fence = FenceKind::Full;
  SyncOp Sync = SyncOp::MutexLock;
  bool MaySpin = false; // the access stands in a spin candidate: some values only lead back to it
  bool Fails = false;   // CmpXchg: it fails for no reason, if it finds what it expects
  Address Where = 0;    // Join: the thread
  // Accesses of 16 bytes have the upper half of a value behind the lower one.
  uint64_t Value = 0, Value2 = 0;       // stored value, operand of a Rmw, new value of a CmpXchg, argument of a Sync
  uint64_t Expected = 0, Expected2 = 0; // CmpXchg

  bool operator==(const Operation &) const = default;
  /// A fence that comes with an access of the thread's own memory, and has its width and ordering.
  bool isFenceOfAccess() const { return Kind == OperationKind::Fence && Width != 0; }
};

enum class ThreadStatus : uint8_t {
  Ready,    // in front of a visible operation
  Finished, // returned from its start function
  Exited,   // ended the process, after all it had to do for that: nobody sees its end
  Assumed,  // an assumption does not hold: this execution is of no interest
  Cut,      // a loop reached the bound
  Spinning, // came back to the head of a spin loop without having changed anything; taken back by the scheduler
  Endless,  // in a loop that has no exit, reads nothing and changes nothing
  Failed    // a bug; see Machine::bugs()
};

/// Limits and switches of one exploration.
struct MachineOptions {
  Checks Looked; // the kinds of bugs that are reported
  unsigned Unroll = 8;
  bool BoundEveryLoop = false;          // iterations count whatever is read in them, unless the thread is alone
  uint64_t MaxLocalSteps = 100'000'000; // instructions between two visible operations
  uint64_t MaxObjectBytes = 1ull << 30;
  uint64_t MaxMemoryBytes = 4ull << 30;
  bool QuietAccesses = true; // accesses that can race with nothing take no step (off in some tests)
  bool StopAtFences = false; // make fences and create wait for the scheduler
  bool StopAtExit = false;   // the end of the process is a step, and nothing happens after it (in some tests)
  bool OutOfOrder = false;   // threads are run by OutOfOrder, which commits their accesses to an execution graph
  bool LargeGraphs = false;  // execution graphs are those for long executions from the start (in tests)
  /// For searches that compare states: objects that nothing can name any more lend their place to new ones, so that
  /// loops that allocate come back to where they were. Null: every object has a place of its own.
  const LiveSlots *Live = nullptr;
  Identities *Names = nullptr; // where several machines run the program side by side
  bool ShowAll = false; // for recordings: no access is quiet, nor left out because nobody else is there (any more)
  /// Threads go to points they have been at before without being run (see Points.h).
  enum class Points : uint8_t { Off, Distrusted, On } Points = Points::On; // Distrusted: run, and compared
};

/// Thrown when the machine cannot go on with the program as a whole: something is not modelled, or a limit is reached.
struct MachineStop {
  enum Reason : uint8_t { Unsupported, Limit } Why;
  uint32_t Pc;
  ThreadId Thread;
  std::string Message;
};

class Machine {
public:
  static constexpr uint32_t MaxThreads = 2'000, MaxNestedCreations = 500;
  static constexpr uint64_t BytesPerThread = 16 << 10; // of registers, frames and stack, if little is used of them
  static constexpr uint32_t MaxFrames = 100'000, MaxRegisters = 1u << 20, MaxStackObjects = 1u << 20;

  Machine(const Program &P, Sharing &Shared, const MachineOptions &Options);
  ~Machine();

  /// What a slot of the function a thread started with held when it returned. The thread must be finished.
  uint64_t finalSlot(ThreadId T, uint32_t Slot) const;

  /// Runs the constructors and `main` to the first visible operation. May throw MachineStop, like resume. Called again,
  /// it begins anew, which can come out differently: another operation may be visible by now.
  void start();

  uint32_t numThreads() const { return static_cast<uint32_t>(Threads.size()); }
  bool exists(ThreadId T) const { return T < Threads.size() && Threads[T]->Now->Exists; }
  ThreadStatus status(ThreadId T) const { return Threads[T]->Now->Status; }
  const Operation &pending(ThreadId T) const { return Threads[T]->Now->Pending; }
  uint32_t pc(ThreadId T) const { return Threads[T]->Now->Pc; }
  /// How many visible operations the thread has done: with the thread, the identity of its next one.
  uint32_t operations(ThreadId T) const { return Threads[T]->Now->Operations; }
  bool isFinished(ThreadId T) const { return Threads[T]->Now->Status == ThreadStatus::Finished; }

  /// Completes the pending operation of T with what it read (Load, Rmw, CmpXchg: the old value; Sync: its result) and
  /// runs T on. `Changed`: the operation changed what is in memory.
  void resume(ThreadId T, uint64_t Value, uint64_t Value2, bool Changed);

  /// Completes the pending Join of T: the thread it waits for has ended.
  void completeJoin(ThreadId T);

  /// Runs the pending Atomic section of T. False if something in it has to wait; the caller then takes it back.
  /// Its accesses are in atomicAccesses() until the next section.
  bool runAtomic(ThreadId T);
  struct Access {
    Address Where;
    uint32_t Size;
    bool Write;
  };
  const std::vector<Access> &atomicAccesses() const { return AtomicAccesses; }

  /// Ends the heap block of a pending Free (or moves it, for realloc) and runs T on.
  void completeFree(ThreadId T);

  /// The local variables that a pending End ends.
  std::vector<Access> pendingEnds(ThreadId T) const;
  /// Ends them and runs T on.
  void completeEnd(ThreadId T);

  /// Ends T with a bug at its pending operation if the access would be one now (the object may have died since).
  bool failsAccess(ThreadId T, Address A, uint32_t Size, bool Write);
  /// Records the bug of an access by an instruction of T, which may have gone on since.
  void reportAccess(ThreadId T, uint32_t Pc, Address A, uint32_t Size, bool Write);
  /// Ends T with the bug that a synchronisation object found.
  void failSync(ThreadId T, const SyncResult &Misuse);

  /// Records that T can never go on: a deadlock, or a spin loop without end. False: that is not looked for.
  bool reportStuck(ThreadId T, bool Deadlock);

  /// The process has ended: records the heap blocks that were lost (Leaks.cpp). False: there are none, or nobody asks.
  bool reportLeaks();
  /// Whether a kind of bug is reported.
  bool checks(BugKind Kind) const { return Options.Looked.has(Kind); }
  /// Whether a thread has ended in an error that is not reported.
  bool hasUncheckedError() const;
  /// Records a bug that whoever explores has seen.
  void report(const BugReport &Seen) { Bugs.push_back(Seen); }

  /// What is known of the pending operation of T, as long as nothing else turns out to be shared: it is an access of
  /// T's own, or must wait for a step.
  enum class Visibility : uint8_t { Unknown, Own, TakesStep };
  Visibility visibility(ThreadId T) const {
    const State &S = *Threads[T]->Now;
    return S.SeenWith == Shared.version() && S.Status == ThreadStatus::Ready && !Options.ShowAll ? S.Seen
                                                                                                 : Visibility::Unknown;
  }
  void noteVisibility(ThreadId T, Visibility How) {
    Threads[T]->Now->Seen = How;
    Threads[T]->Now->SeenWith = Shared.version();
  }

  /// Whether completing the pending access of T with these values would only lead back to the head of its spin loop.
  /// Changes nothing that can be seen.
  bool probeSpins(ThreadId T, uint64_t Value, uint64_t Value2, bool Changed);

  /// Takes the back edge of the spin loop in which T is Spinning, as the program itself would.
  void spinOn(ThreadId T);

  /// An instruction that read what nothing had written, or only a part of which something had.
  struct UnwrittenRead {
    uint32_t Pc;
    bool Partly;
  };
  /// All of this machine's so far: they are not taken back.
  const std::vector<UnwrittenRead> &unwrittenReads() const { return UnwrittenReads; }
  /// Notes that the instruction at which T stands reads from an object, which may have unwritten bytes. Where that is a
  /// bug, and this read is one, T ends with it: true.
  bool noteRead(ThreadId T, const Object &O, Address Where, uint32_t Size);
  /// Whether an instruction of the user's text that reads there reads what nothing has written.
  bool readsUnwritten(uint32_t Pc, const Object &O, Address Where, uint32_t Size) const;

  /// Called now and then while a thread runs on and on. It may throw.
  void watch(std::function<void()> Look) { WhileRunning = std::move(Look); }

  /// Makes T ready for what happens to it in this step, which can then be taken back.
  void save(ThreadId T) { takeUp(*Threads[T]); }
  /// Begins a step: what was saved for the one before does not count.
  void newStep() { ++Step; }

  Memory &memory() { return Mem; }
  const Memory &memory() const { return Mem; }
  Sharing &sharing() { return Shared; }
  unsigned unroll() const { return Options.Unroll; }
  /// Whoever runs it compares states: threads run without a bound.
  bool comparesStates() const { return Options.Live != nullptr; }
  bool stopsAtExit() const { return Options.StopAtExit; }
  bool quietAccesses() const { return Options.QuietAccesses && !Options.ShowAll; }
  void showAll(bool On) { Options.ShowAll = On; }
  /// No other thread runs, and none is left to be joined.
  bool alone() const { return LiveThreads == 1; }
  UndoLog &undo() { return Undo; }
  const Program &program() const { return P; }

  const std::vector<BugReport> &bugs() const { return Bugs; }
  void dropBugs(size_t Keep) {
    if (!Bugs.empty())
      Bugs.erase(Bugs.begin() + static_cast<ptrdiff_t>(Keep), Bugs.end());
  }

  /// Set when a child came into being in the last resume (it inherits its creator's past).
  const std::vector<std::pair<ThreadId, ThreadId>> &created() const { return Created; } // (parent, child)
  void clearCreated() { Created.clear(); }
  void setCreated(const std::vector<std::pair<ThreadId, ThreadId>> &Children) { Created = Children; }

  /// The numbers it has in common with other machines, if there are others.
  Identities *names() const { return Options.Names; }

  ThreadId parentOf(ThreadId T) const { return Threads[T]->Parent; }
  /// The identity of a thread: it is the how-manieth child of the how-manieth child ... of main.
  std::vector<uint32_t> pathOf(ThreadId T) const;
  /// The how-manieth allocation of its owner an object was. With the owner's path, its identity.
  uint32_t allocationIndex(ThreadId Owner, uint32_t Slot) const;
  /// The call stack of its creator when T was created.
  const std::vector<uint32_t> &createdFrom(ThreadId T) const { return Threads[T]->CreatedFrom; }
  /// Whether some thread has ended the process. What others do besides is then what they could have done before, and
  /// whoever waits does not wait in vain: see docs/exploration.md.
  bool hasEnded() const;
  /// Whether some operation that is to fail for no reason (Program::Failures) has not done so.
  bool missesFailures() const;
  /// "main", "worker", "worker#2"; stable over executions.
  std::string threadName(ThreadId T) const;
  /// Call sites from the outermost to the innermost, ending with the thread's own pc.
  void callStack(ThreadId T, std::vector<uint32_t> &Stack) const;
  std::vector<uint32_t> callStack(ThreadId T) const {
    std::vector<uint32_t> Stack;
    callStack(T, Stack);
    return Stack;
  }
  /// Where states are compared: loops that threads went round or left since this was cleared.
  struct LoopEvent {
    ThreadId Thread;
    uint32_t Loop; // index into Program::Loops
    bool Left;
  };
  const std::vector<LoopEvent> &loopEvents() const { return LoopEvents; }
  void clearLoopEvents() { LoopEvents.clear(); }

  uint32_t loopOfSpin(ThreadId T) const { return Threads[T]->Now->LoopIndex; }

  /// Of what is remembered of threads.
  uint64_t pointBytes() const { return PointBytes; }

  // For searches that compare states (StateBytes.cpp); MachineOptions::Live must be given.

  /// Appends everything of T that its further steps depend on, besides memory. Threads with equal bytes behave alike.
  void describe(ThreadId T, std::string &Into) const;
  /// Where T stands: its call stack, and how far it has come in its pending operation. Appended.
  void describePlace(ThreadId T, std::vector<uint32_t> &Into) const;
  /// Per slot, whether anything in registers, memory or store buffers could be an address in the object.
  void findNamed(std::vector<bool> &Named) const;
  /// Who calls this holds values for the program elsewhere (store buffers) and tells them when asked.
  void holdOutside(std::function<void(std::vector<uint64_t> &)> Values) { Outside = std::move(Values); }

private:
  friend class Interpreter;
  template <unsigned> friend class OutOfOrder;

  struct Frame {
    uint32_t Function;
    uint32_t CallPc;       // the call instruction in the caller
    uint32_t Base;         // first register
    uint32_t StackObjects; // how many there were on entry
    uint32_t ReadsAtCall;
    bool operator==(const Frame &) const = default;
  };

  /// Everything of a thread that changes while it runs, besides its frames: copied as a whole.
  struct State {
    // What is asked in every step comes first, so that it is found together.
    bool Exists = false;
    ThreadStatus Status = ThreadStatus::Ready;
    uint8_t Stage = 0; // how far a builtin of several visible steps has come
    enum Phase : uint8_t {
      Running,
      Constructing,
      Exiting,         // runs what is to be run at the end of the process
      Destroying,      // runs destructors of thread-specific data
      Ending           // only its thread-local variables are left to end
    } Phase = Running; // what a frame's end leads to
    bool InAtomic = false;
    Visibility Seen = Visibility::Unknown;
    bool Probed = false, ProbeSpins = false; // what the last probeSpins in front of the pending operation found
    uint32_t Pc = 0;
    uint32_t Operations = 0; // visible ones done
    Operation Pending;
    uint64_t SeenWith = 0; // the version of what is known to be shared
    uint64_t ProbeValue = 0, ProbeValue2 = 0;
    uint32_t Depth = 0;      // frames
    uint32_t SavedDepth = 0; // frames at and above this one are already in the undo log for the current event
    uint32_t Allocations = 0, Children = 0, StackObjects = 0;
    uint32_t StackBytes = 0;
    uint32_t Effects = 0;   // changes made, for spin loops
    uint32_t Reads = 0;     // visible reads done of what others write
    uint32_t LoopIndex = 0; // Spinning, Cut: which loop
    uint32_t Arrivals = 0;  // at operations that may fail for no reason
    uint32_t Failures = 0;  // of those of Program::Failures: how many have failed
    uint64_t Result = 0;    // of the thread
    uint64_t Scratch = 0;   // between the stages of a builtin
    // What was read that may decide when a loop ends, in order (Interpreter::noteValue), and the weight of what is
    // next.
    uint64_t Trail = 0, TrailWeight = 1;
    uint32_t NotedDepth = 0; // not 0: from this frame on all reads count, since the result of the call decides
  };

  struct PointLinks;
  struct Point;
  /// What the pending operation of a thread came to.
  struct Outcome {
    uint64_t Value, Value2;
    bool Changed;
    bool operator==(const Outcome &) const = default;
  };

  struct Thread {
    State S; // while it runs, and afterwards if it is at no point
    // A thread is at a point, or else at S.
    State *Now = &S;
    const Point *Held = nullptr; // whose state S, Registers and so on have; null: that of none
    const ThreadId Id;
    bool Joined = false, Detached = false;
    ThreadId Parent = 0;
    uint32_t Start = 0;            // function index
    uint64_t *Registers = nullptr; // reserved once, so that saved bytes keep their home
    Frame *Frames = nullptr;
    uint32_t *StackSlots = nullptr;
    std::vector<uint32_t> Slots;        // identity of the k-th allocation
    std::vector<ThreadId> ChildIds;     // identity of the k-th child
    std::vector<uint32_t> ThreadLocals; // slot per thread-local global, 0 if not made yet
    uint32_t SpecificSlot = 0;          // pthread_setspecific values
    uint64_t SavedInStep = 0;
    std::vector<uint32_t> CreatedFrom;
    Point *Roots = nullptr; // where it was when it had been created
    /// Of the points after so many operations: whether it is worth making them.
    struct Reuse {
      uint64_t Made = 0, Followed = 0;
    };
    static constexpr uint32_t NumReuses = 64; // the last one stands for all that come later
    Reuse Reuses[NumReuses];
    Reuse &reuseAt(const State &At) { return Reuses[std::min(At.Operations, NumReuses - 1)]; }
    explicit Thread(ThreadId Id);
    ~Thread();
    Thread(const Thread &) = delete;
    Thread &operator=(const Thread &) = delete;
  };

  /// Where a thread is, be it at a point or by itself.
  struct Standing {
    const State &S;
    const uint64_t *Registers;
    const Frame *Frames;
    const uint32_t *StackSlots;
  };
  Standing standing(const Thread &T) const;

  void clear();
  ThreadId threadFor(ThreadId Parent, uint32_t Index);
  ThreadId create(ThreadId Parent, uint32_t Function, uint64_t Argument);
  uint32_t slotFor(Thread &T, uint32_t Site, uint32_t Size);
  uint32_t forgottenSlot(const Thread &T, uint32_t Site, uint32_t Size) const;
  void findRoots(std::vector<uint64_t> &Words) const;
  void pushFrame(Thread &T, uint32_t Function, uint32_t CallPc);
  const char *cannotJoin(ThreadId Target) const;
  void save(Thread &T);
  void saveFrame(Thread &T, uint32_t Index);
  Address threadLocal(Thread &T, uint32_t Global);
  bool failsNow(const Thread &T) const;
  void noteNoFailure(const Thread &T);
  void addBug(BugKind Kind, ThreadId T, uint32_t Pc, std::string Message);
  // What is lost when the process ends (Leaks.cpp).
  void keepRoots(Thread &T);
  std::vector<bool> findReachable() const;
  // Local variables (LocalVariables.cpp).
  bool endsProcess(const Thread &T, const State &S) const;
  uint32_t firstEnding(const Thread &T, const Standing &Here) const;
  void findSeenEnds(const Thread &T, const Standing &Here, std::vector<Access> &Ends) const;
  [[noreturn]] void unsupported(ThreadId T, uint32_t Pc, const std::string &What);
  [[noreturn]] void limit(ThreadId T, uint32_t Pc, const std::string &What);

  // Points (Points.cpp).
  bool usesPoints() const { return Options.Points != MachineOptions::Points::Off && Gatherings == 1 && mayFollow(); }
  /// The same for a thread that is at a point.
  bool mayFollow() const { return LiveThreads > 1 && !Probing && !Options.ShowAll; }
  bool findsTheSame(const Point &At) const;
  Point *findNext(Point &From, const Outcome &Came) const;
  void runOn(Thread &T, const Outcome &Came);
  void takeUp(Thread &T);
  template <typename Complete> void run(Thread &T, const Outcome &Came, Complete How);
  void remember(Thread &T, Point &From, const Outcome &Came, uint64_t Version);
  void rememberRoot(Thread &T, uint64_t Argument);
  Point *makePoint(Thread &T, const Outcome &Came, uint64_t Version, bool IsRoot);
  bool isAt(const Thread &T, const Point &P) const;
  uint32_t numRegisters(const Thread &T, const State &S, const Frame *Frames) const;

  const Program &P;
  Sharing &Shared;
  MachineOptions Options;
  UndoLog Undo;
  Memory Mem;
  std::vector<std::unique_ptr<Thread>> Threads;
  uint32_t LiveThreads = 0;     // created and not yet joined
  uint32_t NestedCreations = 0; // threads that are run to their first step while another is
  uint32_t ProcessSlot = 0;     // hidden object: keys
  std::vector<BugReport> Bugs;
  std::vector<std::pair<ThreadId, ThreadId>> Created;
  std::vector<Access> AtomicAccesses;
  std::vector<UnwrittenRead> UnwrittenReads;
  std::unique_ptr<const LiveSlots> LiveForLeaks; // where leaks are looked for and Options.Live is not given
  std::vector<LoopEvent> LoopEvents;
  bool Probing = false; // what is run now need not be a part of any execution

  // Of the present run of a thread:
  struct OwnWrite {
    Address Where;
    uint32_t Width;
    uint64_t Value, Value2;
  };
  static constexpr size_t MaxOwnWrites = 64;
  std::vector<OwnWrite> OwnWrites;
  bool DependsOnOthers = false; // on more than the outcomes of the thread's operations
  bool DoesMore = false;        // than change the thread and what is in OwnWrites
  uint32_t Gatherings = 0;      // how often a thread that was alone got company
  struct alignas(64) CacheLine {
    char Bytes[64];
  };
  std::vector<std::unique_ptr<CacheLine[]>> PointChunks;
  size_t ChunkLeft = 0; // lines
  uint64_t PointBytes = 0;

  bool AtomicBlocked = false;
  uint64_t Step = 1;
  std::function<void(std::vector<uint64_t> &)> Outside;
  std::function<void()> WhileRunning;
};

/// The value a read-modify-write leaves, on Width bytes (up to 8).
uint64_t applyRmw(RmwOp Op, uint64_t Old, uint64_t Operand, unsigned Width);
/// The same on 16 bytes. There are none of floating-point numbers.
unsigned __int128 applyWideRmw(RmwOp Op, unsigned __int128 Old, unsigned __int128 Operand);

} // namespace picket
