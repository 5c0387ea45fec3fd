// A configuration of the store-buffer semantics (SC, TSO, PSO): the machine's threads, memory and, under TSO and PSO, a
// store buffer per thread. Processes take steps: every thread is one, and so is upd(p) (TSO) or upd(p, x)
// (PSO), which moves stores from p's buffer to memory.
//
// Steps are only what others can notice: loads, updates (under SC: stores), read-modify-writes, synchronisation.
// Everything else (putting a store into the buffer, a fence that finds the buffer empty, creating and joining threads)
// happens as part of the step that makes it possible and is told in notes(), in order.
//
// It is large because all parts of a step touch the same few things (threads, buffers, processes) and are hot. Its
// methods are in files by subject: Configuration.cpp (steps), QuietSteps.cpp (what takes no step), Ending.cpp.
#pragma once

#include "machine/Machine.h"
#include "machine/PodArray.h"
#include "memory/MemoryModel.h"
#include "memory/StoreBuffer.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace picket {

using ProcessId = uint32_t;

/// One access of memory in a step. A load that takes its value from the thread's own buffer is Forwarded from Entry.
struct MemoryAccess {
  Address Where;
  uint32_t Size;
  bool Write;
  bool Forwarded = false;
  uint32_t Entry = 0;
  bool Leaves = false; // Write: by an operation on a synchronisation object that leaves it as it is
  bool HasOld = false; // Write: Old and Old2 are what was there before
  uint64_t Old = 0, Old2 = 0;
};

/// What happened along with a step, besides its own access.
struct StepNote {
  enum Kind : uint8_t {
    Created,       // thread A started thread B
    Joined,        // thread A waited for thread B to end
    Drained,       // thread A found its buffer empty where it has to be, after the step
    DrainedBefore, // the same, and the step itself needed it
    BarrierBefore, // the step needed thread A's buffer entries before B to have landed
    Stored,        // thread A put buffer entry B into its buffer
    Fenced         // without buffers: thread A passed a fence with these effects (Effect bits in B) on buffers
  } What;
  uint32_t A, B;
  enum Effect : uint32_t { DrainsTso = 1, DrainsPso = 2, StoreBarrier = 4 };
};

/// Hears of what happens inside steps while it happens, for writing executions down: the thread still stands in front
/// of the operation.
class StepListener {
public:
  virtual ~StepListener() = default;
  virtual void stored(ThreadId T, uint32_t Entry) = 0; // a store is about to enter T's buffer as this entry
  /// T passes a fence. Without one: the store before it, which is sequentially consistent, has landed.
  virtual void fenced(ThreadId T, const Operation *Fence) = 0;
  virtual void joined(ThreadId T, ThreadId Ended) = 0;
  virtual void created(ThreadId Parent, ThreadId Child) = 0;
};

/// How an execution ended.
enum class Ending : uint8_t {
  Complete, // every thread finished
  Buggy,    // a bug was reached; it is in bugs()
  Blocked,  // an await or assumption cannot be satisfied, which says nothing about the program
  Cut,      // a loop reached the bound
  Unchecked // a thread ended in an error of a kind that is not looked for
};

class Configuration {
public:
  Configuration(const Program &P, Sharing &Shared, MachineOptions Options, MemoryModel Model);

  void start();
  /// Goes back to where start() ended, without letting threads do anything that takes no step: with a listener that
  /// hears it and every access as a step (or as before, without).
  void startOver(StepListener *Listener);
  /// The same as start(), once more, for when something has turned out to be shared since. Processes keep their
  /// numbers.
  void startAnew();

  /// Asks now and then whether to stop while a thread does what takes no step, which can go on for long. If so, start()
  /// or step() throw Interrupted.
  void watch(std::function<bool()> Stop) {
    ShouldStop = std::move(Stop);
    TheMachine.watch([this] { lookWhetherToStop(); });
  }
  struct Interrupted {};

  /// Processes that can take a step now, in the order in which a first execution should prefer them.
  void enabled(std::vector<ProcessId> &Result);
  bool isEnabled(ProcessId P);

  /// Lets P take its step. P must be enabled.
  void step(ProcessId P);

  // About the last step:
  const PodArray<MemoryAccess> &accesses() const { return Accesses; }
  const PodArray<StepNote> &notes() const { return Notes; }
  OperationKind kind() const { return Kind; }           // of an update: Store
  uint32_t operation() const { return OperationIndex; } // which operation of its thread it was (or stored it)
  uint32_t pc() const { return Pc; }
  uint32_t entry() const { return UpdatedEntry; } // of an update

  struct Mark {
    UndoLog::Mark Log;
    size_t Bugs;
  };
  Mark mark() { return {TheMachine.undo().mark(), TheMachine.bugs().empty() ? 0 : TheMachine.bugs().size()}; }
  void undoTo(Mark To) {
    TheMachine.undo().undoTo(To.Log);
    TheMachine.dropBugs(To.Bugs);
  }

  /// Once nothing is enabled: how the execution ended. Adds the bug of a deadlock or of a loop that never ends, and of
  /// memory that was lost.
  Ending ending();
  /// Whether some thread has not come to its end.
  bool anyUnfinished() const;

  uint32_t numProcesses() const { return static_cast<uint32_t>(Processes.size()); }
  ThreadId threadOf(ProcessId P) const { return Processes[P]->Thread; }
  bool isUpdate(ProcessId P) const { return Processes[P]->Update; }
  ProcessId processOf(ThreadId T) {
    if (T >= ThreadProcesses.size())
      ensureThread(T);
    return ThreadProcesses[T];
  }
  /// The update processes of T so far.
  const std::vector<ProcessId> &updatesOf(ThreadId T) const { return UpdateProcesses[T]; }

  /// What buffers and notes take up.
  uint64_t bytes() const;

  /// Whether the location of an update process overlaps with that of another one of its thread.
  bool overlapsOthers(ProcessId P) const { return Processes[P]->Overlaps; }
  bool bufferEmpty(ThreadId T) const { return !StoreBuffers[T] || StoreBuffers[T]->empty(); }

  /// Whether T is to go on only once its buffer is empty: its last store was sequentially consistent.
  bool mustDrain(ThreadId T) const { return MustDrain[T] != 0; }

  /// The store that the update process would land next.
  uint32_t nextEntry(ProcessId P) const { return Processes[P]->Queue.Front.First; }
  /// What a load would read.
  void valueFor(ThreadId T, const Operation &Load, uint64_t &Low, uint64_t &High) {
    readFor(T, Load, Low, High, false);
  }
  /// Whether nobody else can tell when the pending access of T happens, as far as `Known` tells.
  bool isQuiet(ThreadId T, Sharing &Known);

  Machine &machine() { return TheMachine; }
  const Machine &machine() const { return TheMachine; }
  MemoryModel model() const { return Model; }
  Buffering buffering() const { return Buffers; }

  /// The store buffer of T, under TSO and PSO.
  const StoreBuffer &buffer(ThreadId T) const { return *StoreBuffers[T]; }
  const StoreBuffer::Entry &bufferEntry(ThreadId T, uint32_t Index) const { return StoreBuffers[T]->at(Index); }
  /// Whether a load takes at least part of its value from its thread's own buffer.
  bool readsOwnBuffer(ThreadId T, const Operation &Load) const {
    return StoreBuffers[T] && StoreBuffers[T]->holds(Load.Where, Load.Width);
  }
  /// Whether it takes all of it from there.
  bool readsOwnBufferOnly(ThreadId T, const Operation &Load) const {
    for (uint32_t K = 0; K < Load.Width; ++K)
      if (!StoreBuffers[T] || !StoreBuffers[T]->holds(Load.Where + K, 1))
        return false;
    return true;
  }

  /// Whether an operation that can have to wait happens after all earlier stores of its thread have landed.
  bool drainsBefore(const Operation &Op) const {
    return Buffers != Buffering::None && Op.Kind != OperationKind::Load &&
           (Op.Kind == OperationKind::Sync || drainsAll(Op));
  }

  // For reversing races with operations that can have to wait:

  /// Whether the pending operation of P can ever have to wait for the memory it accesses.
  bool canWait(ProcessId P) const;
  /// Whether it would have to wait, or (CmpXchg) would not write, if these bytes were in memory at its location.
  bool wouldWait(ProcessId P, const uint8_t *Bytes);
  bool wouldWrite(ProcessId P, const uint8_t *Bytes) const;

private:
  Ending endingOfThreads();
  struct Process {
    ThreadId Thread;
    bool Update;
    Address Where; // upd(p, x): x
    uint8_t Width; // the widest store to x so far
    // The entries waiting for this update process, oldest first.
    struct {
      struct {
        uint32_t First = 0, Count = 0;
      } Front;
      uint32_t Last = 0;
    } Queue;
    bool Overlaps = false; // with the location of another update process of the thread
  };

  bool isOwn(ThreadId T, Sharing &Known);
  bool isKnownOwn(ThreadId T);
  /// Whether the end of the process is a step and has been taken.
  bool isOver() const { return TheMachine.stopsAtExit() && TheMachine.hasEnded(); }
  bool isAlive(Address Where) { return TheMachine.memory().find(Where)->Life == Lifetime::Alive; }
  bool canStep(ThreadId T);
  bool canUpdate(ProcessId P) const;
  bool drainedFor(ThreadId T, const Operation &Op) const;
  bool drainsAll(const Operation &Rmw) const;
  /// Whether a read-modify-write, or the fence of one, waits for all earlier stores under PSO.
  static bool drainsPso(Order O) { return O == Order::NotAtomic || O >= Order::Release; }
  void stepThread(ThreadId T);
  void stepUpdate(ProcessId P);
  void load(ThreadId T, const Operation &Op);
  bool noteRead(ThreadId T, const Operation &Op);
  void store(ThreadId T, const Operation &Op);
  void write(Address Where, uint8_t Width, uint64_t Value, uint64_t Value2);
  void writeBytes(Address Where, uint8_t Width, uint64_t Value, uint64_t Value2);
  void readModifyWrite(ThreadId T, const Operation &Op);
  void synchronise(ThreadId T, const Operation &Op);
  /// Lets T go through everything that needs no step of its own (QuietSteps.cpp).
  void runQuietly(ThreadId T) {
    if (!TheMachine.created().empty() || MustDrain[T])
      runQuietlySlow(T);
    else if (TheMachine.isFinished(T))
      ended(T);
    else if (TheMachine.visibility(T) != Machine::Visibility::TakesStep)
      runQuietlySlow(T);
  }
  void ended(ThreadId T) {
    if (bufferEmpty(T))
      runJoiners(T);
  }
  void runQuietlySlow(ThreadId T);
  /// Notes what says no more if it is said twice.
  void noteOnce(const StepNote &New) {
    if (Notes.size() == 0 || std::memcmp(&Notes[Notes.size() - 1], &New, sizeof New) != 0)
      Notes.push_back(New);
  }
  void countQuiet() {
    if (++QuietSinceLook >= QuietBetweenLooks)
      lookWhetherToStop();
  }
  void lookWhetherToStop();
  static uint32_t effectOnBuffers(const Operation &Op);
  void orderOthers(ThreadId T, Order O);
  void runJoiners(ThreadId Target);
  void noteCreated();
  void begin();
  void bufferStore(ThreadId T, const Operation &Op);
  void readFor(ThreadId T, const Operation &Op, uint64_t &Low, uint64_t &High, bool Record);
  ProcessId addProcess(ProcessId Id, const Process &New);
  ProcessId updateProcess(ThreadId T, Address Where, uint8_t Width);
  enum class Waiting : uint8_t { Forever, NotForever, NotKnown };
  Waiting spinsForever(ThreadId T);
  void ensureThread(ThreadId T);

  Machine TheMachine;
  const MemoryModel Model;
  const Buffering Buffers;                         // of the model
  std::vector<std::unique_ptr<Process>> Processes; // they stay where they are: queues are saved by address
  std::vector<ProcessId> ThreadProcesses;
  std::vector<std::vector<ProcessId>> UpdateProcesses;          // per thread
  std::vector<std::unique_ptr<StoreBuffer>> StoreBuffers;       // per thread
  std::deque<uint8_t> MustDrain;                                // per thread: a store is to be followed by a full fence
  std::map<std::pair<ThreadId, Address>, ProcessId> ByLocation; // PSO: upd(p, x)

  std::vector<std::pair<ThreadId, ThreadId>> CreatedAtStart;
  Mark AtStart;
  StepListener *Listener = nullptr;
  std::function<bool()> ShouldStop;
  static constexpr uint32_t QuietBetweenLooks = 10'000; // some milliseconds
  uint32_t QuietSinceLook = 0;

  PodArray<MemoryAccess> Accesses;
  PodArray<StepNote> Notes;
  OperationKind Kind = OperationKind::None;
  uint32_t OperationIndex = 0, Pc = 0, UpdatedEntry = 0;
};

} // namespace picket
