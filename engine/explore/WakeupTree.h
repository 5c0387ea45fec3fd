// Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: "Source Sets"): for a prefix of the current execution, the sequences
// of processes that must still be explored from it, ordered so that none of them leads into an execution seen before.
#pragma once

#include "explore/Footprint.h"
#include "memory/Configuration.h"

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

class WakeupTree {
public:
  using NodeId = uint32_t;
  static constexpr NodeId None = 0;

  WakeupTree() : Nodes(1) {}

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
  bool insert(NodeId &First, std::vector<WakeupStep> &Sequence, size_t Prefix, ProcessId Not = WakeupStep::Gone);

  ProcessId process(NodeId N) const { return Nodes[N].Process; }
  NodeId child(NodeId N) {
    if (Nodes[N].Rest)
      expand(N);
    return Nodes[N].Child;
  }
  const Footprint &touched(NodeId N) const { return Nodes[N].Touched; }
  NodeId next(NodeId N) const { return Nodes[N].Next; }
  void setNext(NodeId N, NodeId Next) { Nodes[N].Next = Next; }

  /// Takes the first tree out of a forest: its children are the caller's, its siblings stay.
  NodeId takeFirst(NodeId &First);

  /// One tree of a forest of another one, moved here with all that is below it.
  NodeId move(WakeupTree &From, NodeId &First, NodeId Wanted);
  /// The same, and its first step keeps its place there, as a mark: what it leads is explored already.
  NodeId moveBelow(WakeupTree &From, NodeId Wanted);
  bool isMark(NodeId N) const { return Nodes[N].Mark; }
  /// How many steps a forest has, as far as that is at most `Enough`.
  size_t numSteps(NodeId First, size_t Enough) const;

  size_t nodesInUse() const { return Nodes.size() - 1 - Free.size(); }
  size_t bytes() const {
    return Nodes.capacity() * sizeof(Node) + NumRecorded * sizeof(RecordedStep) + NumPieces * sizeof(Piece);
  }

private:
  // One execution can have thousands of races, whose sequences are long and nearly the same. So a long branch is only a
  // list of pieces of what the branches of its execution have in common, until something is inserted into it or it is
  // explored.
  using ChainId = uint32_t;
  struct Node {
    ProcessId Process = 0;
    NodeId Child = None, Next = None;
    ChainId Rest = 0; // what follows, if that is not made of nodes yet
    bool Mark = false;
    Footprint Touched;
  };
  struct RecordedStep {
    ProcessId Process;
    Footprint Touched;
  };
  struct Record {
    std::vector<RecordedStep> Steps;
    uint32_t Users = 0; // chains, and being the one that grows
  };
  struct Piece {
    uint32_t Begin, End; // in the record
  };
  struct Chain {
    uint32_t From = 0; // which record
    size_t First = 0;  // piece
    std::vector<Piece> Pieces;
  };
  static constexpr size_t LongBranch = 32;

  static Initial canForwardedGoFirst(ProcessId Process, Footprint Touched, const std::vector<WakeupStep> &Sequence,
                                     size_t Prefix, size_t From);
  NodeId make(ProcessId Process, const Footprint &Touched);
  NodeId moveTree(WakeupTree &From, NodeId Old);
  void moveInto(NodeId New, WakeupTree &From, NodeId Old, std::vector<std::pair<NodeId, NodeId>> &Open);
  NodeId makeBranch(const std::vector<WakeupStep> &Sequence, size_t From);
  ChainId makeChain(const std::vector<WakeupStep> &Sequence, size_t From);
  uint32_t record(const WakeupStep &Step);
  void expand(NodeId N);
  void dropChain(ChainId Id);
  void dropUser(uint32_t Id);
  void stopRecording();

  std::vector<Node> Nodes;
  std::vector<NodeId> Free;
  std::vector<Record> Records = std::vector<Record>(1);
  std::vector<Chain> Chains = std::vector<Chain>(1);
  std::vector<uint32_t> FreeRecords;
  std::vector<ChainId> FreeChains;
  uint32_t Recording = 0;              // the record of the current execution, if it has one
  std::vector<uint32_t> WhereRecorded; // of the current execution's events: place in the record + 1, or 0
  size_t NumRecorded = 0, NumPieces = 0;
};

} // namespace picket
