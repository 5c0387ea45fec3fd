// Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: "Source Sets"): for a prefix of the current execution, the sequences
// of processes that must still be explored from it, ordered so that none of them leads into an execution seen before.
#pragma once

#include "explore/Footprint.h"
#include "memory/Configuration.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace picket {

/// A step of a sequence to insert.
struct WakeupStep {
  static constexpr uint32_t NoEvent = ~0u;
  static constexpr ProcessId Gone = ~0u; // no longer in the sequence

  ProcessId Process;
  uint32_t Event; // of the current execution, if it has this very footprint
  const Footprint *Touched;
};

/// How a process relates to a sequence of steps of others: can it go first?
enum class Initial : uint8_t {
  No,       // it conflicts with something in the part of the sequence that every execution with the race has
  NotHere,  // it conflicts with something later
  InPrefix, // it occurs in that part, and nothing before it conflicts
  Weak      // it occurs later without conflict before it, or not at all and conflicts with nothing
};

/// A step that is to be explored, and what is to be explored after it. The trees of a prefix are linked by `Next`, in
/// the order in which they were planned.
struct WakeupNode {
  ProcessId Process = 0;
  bool Mark = false; // only keeps the position of a step that is explored already, with all that it leads
  WakeupNode *Next = nullptr;
  WakeupNode *Child = nullptr;              // see WakeupTrees::child
  std::unique_ptr<struct WakeupChain> Rest; // what follows, if that is not made of nodes yet
  Footprint Touched;

  WakeupNode();
  ~WakeupNode();
};

/// Where all workers that explore together have their nodes from, so that whole trees can go from one to another: a
/// node is anybody's to give back.
class WakeupStore {
public:
  static constexpr size_t Batch = 256;

  /// So many nodes, linked by `Next`.
  WakeupNode *take();
  void giveBack(WakeupNode *Nodes);

  void addBytes(uint64_t More) { Bytes += More; }
  void removeBytes(uint64_t Less) { Bytes -= Less; }
  uint64_t bytes() const { return Bytes; }

private:
  std::atomic<uint64_t> Bytes = 0; // also of what nodes refer to
  std::mutex Lock;
  std::vector<std::unique_ptr<WakeupNode[]>> All;
  std::vector<WakeupNode *> Unused; // batches
};

/// What one worker does with trees: its own, and those that it has in common with others, one of whom at a time may.
class WakeupTrees {
public:
  explicit WakeupTrees(WakeupStore &Store) : Store(Store) {}

  /// Whether a step of a process could come before the sequence (its "weak initials") from `From` on. `Prefix` steps of
  /// the sequence are common to all executions that contain the race.
  static Initial canGoFirst(ProcessId Process, const Footprint &Touched, const std::vector<WakeupStep> &Sequence,
                            size_t Prefix, size_t From = 0);

  /// To be called before the first insertion of every execution: what numbers of events mean has changed.
  void newExecution() {
    if (Recording)
      stopRecording();
  }

  /// Inserts a sequence (which it uses up) below the forest that starts with `First`. The tree of process `Not` leads
  /// nowhere. Returns whether this does for all executions with the race, up to the end of the part that they have in
  /// common (what comes behind it is found by exploring that). It does not if a branch that was passed over could lead
  /// the sequence of another execution: such a branch may have been planned for less, and rely on being told.
  bool insert(WakeupNode *&First, std::vector<WakeupStep> &Sequence, size_t Prefix, ProcessId Not = WakeupStep::Gone);

  WakeupNode *child(WakeupNode &N) {
    if (N.Rest)
      expand(N);
    return N.Child;
  }

  /// Takes the first step out of a forest. What is to be explored after it is somebody's already.
  void dropFirst(WakeupNode *&First) {
    WakeupNode *Dropped = First;
    First = Dropped->Next;
    giveBack(Dropped);
  }
  /// Takes a tree out of a forest. Where it is not the first, a mark is left in its position.
  WakeupNode *takeTree(WakeupNode *&First, WakeupNode *Wanted);

private:
  // One execution can have thousands of races, whose sequences are long and nearly the same. So a long branch is only a
  // list of pieces of what the branches of its execution have in common, until something is inserted into it or it is
  // explored.
  static constexpr size_t LongBranch = 32;

  static constexpr size_t MostCounted = 64; // leaves, by assertions
  WakeupNode *make(ProcessId Process, const Footprint &Touched);
  void giveBack(WakeupNode *N);
  WakeupNode *makeBranch(const std::vector<WakeupStep> &Sequence, size_t From);
  std::unique_ptr<WakeupChain> makeChain(const std::vector<WakeupStep> &Sequence, size_t From);
  const struct RecordedStep *record(const WakeupStep &Step);
  void expand(WakeupNode &N);
  void stopRecording();

  WakeupStore &Store;
  WakeupNode *Free = nullptr;                    // less than two batches: these,
  size_t NumFree = 0;                            // so many,
  WakeupNode *Spare = nullptr;                   // and one more, if any
  std::shared_ptr<class WakeupRecord> Recording; // of the current execution, if it has one
  std::vector<const RecordedStep *> RecordedOf;  // of the current execution's events
};

} // namespace picket
