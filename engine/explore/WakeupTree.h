// Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: "Source Sets"): for a prefix of the current execution, the sequences
// of processes that must still be explored from it, ordered so that none of them leads into an execution seen before.
#pragma once

#include "explore/Footprint.h"
#include "memory/Configuration.h"

#include <vector>

namespace picket {

/// A step of a sequence to insert.
struct WakeupStep {
  ProcessId Process;
  const Footprint *Touched;
};

/// How a process relates to a sequence of steps of others: can it go first?
enum class Initial : uint8_t {
  No,
  InPrefix, // it occurs in the part of the sequence that every execution with the race has, and nothing before it
            // conflicts
  Weak      // it occurs later without conflict before it, or not at all and conflicts with nothing
};

class WakeupTree {
public:
  using NodeId = uint32_t;
  static constexpr NodeId None = 0;

  WakeupTree() : Nodes(1) {}

  /// Whether a step of a process could come before the sequence (its "weak initials"). `Prefix` steps of the sequence
  /// are common to all executions that contain the race.
  static Initial canGoFirst(ProcessId Process, const Footprint &Touched, const std::vector<WakeupStep> &Sequence,
                            size_t Prefix);

  /// Inserts a sequence (which it uses up) below the forest that starts with `First`. Returns what already led the way:
  /// InPrefix or Weak if an existing branch was joined, No if a new branch was added at this level.
  Initial insert(NodeId &First, std::vector<WakeupStep> &Sequence, size_t Prefix);

  ProcessId process(NodeId N) const { return Nodes[N].Process; }
  NodeId child(NodeId N) const { return Nodes[N].Child; }
  NodeId next(NodeId N) const { return Nodes[N].Next; }
  void setNext(NodeId N, NodeId Next) { Nodes[N].Next = Next; }

  /// Takes the first tree out of a forest: its children are the caller's, its siblings stay.
  NodeId takeFirst(NodeId &First);

  size_t nodesInUse() const { return Nodes.size() - 1 - Free.size(); }
  size_t bytes() const { return Nodes.capacity() * sizeof(Node); }

private:
  struct Node {
    ProcessId Process = 0;
    NodeId Child = None, Next = None;
    Footprint Touched;
  };
  NodeId make(const WakeupStep &Step);

  std::vector<Node> Nodes;
  std::vector<NodeId> Free;
};

} // namespace picket
