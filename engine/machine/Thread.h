// One thread of a machine: where it stands, its frames and registers, and what it has been through.
#pragma once

#include "machine/Operation.h"

#include <algorithm>
#include <vector>

namespace picket {

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

/// What is known of the pending operation of a thread, as long as nothing else turns out to be shared: it is an access
/// of the thread's own, or must wait for a step.
enum class Visibility : uint8_t { Unknown, Own, TakesStep };

struct StackFrame {
  uint32_t Function;
  uint32_t CallPc;       // the call instruction in the caller
  uint32_t Base;         // first register
  uint32_t StackObjects; // how many there were on entry
  uint32_t ReadsAtCall;
  bool operator==(const StackFrame &) const = default;
};

/// Everything of a thread that changes while it runs, besides its frames. It is copied as a whole, so what several
/// subjects have to remember of a thread stands here together.
struct ThreadState {
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

/// What the pending operation of a thread came to.
struct ThreadOutcome {
  uint64_t Value, Value2;
  bool Changed;
  bool operator==(const ThreadOutcome &) const = default;
};

struct ThreadPoint;

/// Registers, frames and stack lie in address space that is reserved once, so that bytes that were saved keep their
/// home.
class Thread {
public:
  static constexpr uint32_t MaxFrames = 100'000, MaxRegisters = 1u << 20, MaxStackObjects = 1u << 20;

  explicit Thread(ThreadId Id);
  ~Thread();
  Thread(const Thread &) = delete;
  Thread &operator=(const Thread &) = delete;

  ThreadState State; // while it runs, and afterwards if it is at no point
  // A thread is at a point, or else at State.
  ThreadState *Now = &State;
  const ThreadPoint *Held = nullptr; // whose state State, Registers and so on have; null: that of none
  const ThreadId Id;
  bool Joined = false, Detached = false;
  ThreadId Parent = 0;
  uint32_t Start = 0; // function index
  uint64_t *Registers = nullptr;
  StackFrame *Frames = nullptr;
  uint32_t *StackSlots = nullptr;
  std::vector<uint32_t> Slots;        // identity of the k-th allocation
  std::vector<ThreadId> ChildIds;     // identity of the k-th child
  std::vector<uint32_t> ThreadLocals; // slot per thread-local global, 0 if not made yet
  uint32_t SpecificSlot = 0;          // pthread_setspecific values
  uint64_t SavedInStep = 0;
  std::vector<uint32_t> CreatedFrom; // the call stack of its creator at that time

  // What ThreadPoints knows of it.
  ThreadPoint *Roots = nullptr; // where it was when it had been created
  /// Of the points after so many operations: whether it is worth making them.
  struct Reuse {
    uint64_t Made = 0, Followed = 0;
  };
  static constexpr uint32_t NumReuses = 64; // the last one stands for all that come later
  Reuse Reuses[NumReuses];
  Reuse &reuseAt(const ThreadState &At) { return Reuses[std::min(At.Operations, NumReuses - 1)]; }

  bool isAtPoint() const { return Now != &State; }
  /// Ends it with a bug, at or after its pending operation.
  void fail() {
    State.Status = ThreadStatus::Failed;
    State.Pending = Operation();
  }
};

/// Where a thread is, be it at a point or by itself. For reading only.
struct ThreadView {
  const ThreadState &State;
  const uint64_t *Registers;
  const StackFrame *Frames;
  const uint32_t *StackSlots;
};
ThreadView viewOf(const Thread &T);

} // namespace picket
