// Counterexample: a recorded execution with its traces, the cycle that explains it, its steps and a sentence.
#pragma once

#include "trace/Trace.h"

namespace picket {

/// Two events of a thread that took effect in the order opposite to the program's.
struct ReorderedPair {
  uint32_t First = 0, Second = 0; // events, in program order
  std::string Sentence;           // "the store to x at line 9 took effect after the load of y at line 10"
};

/// POWER: a write that had not reached a thread yet when that read what it overwrites, although it counts as done.
struct LateWrite {
  uint32_t Write = 0, Read = 0; // events; Read may be a write that counts as overwritten though it is told later
  std::string Sentence;         // "the store to x at line 9 had not reached thread 'reader' yet"
};

/// Why an execution is not sequentially consistent: a shortest cycle in its Shasha-Snir trace. Under POWER a stretch of
/// program order that a dependency or fence keeps in order is that edge.
struct Cycle {
  std::vector<TraceEdge> Edges; // each begins where the one before ends; empty if there is none
  std::vector<ReorderedPair> Reordered;
  std::vector<LateWrite> Late; // POWER
};

/// One entry of a thread's store buffer.
struct BufferedStore {
  uint32_t Store = 0; // event
  uint32_t Variable = 0;
  std::string Text; // value
};

struct HeldLock {
  uint32_t Variable = 0;
  uint32_t Thread = 0;
};

/// One step of a counterexample: an event, and the state of memory, buffers and locks after it.
struct Step {
  uint32_t Event = 0;
  std::string Text;        // "stores 1 to flag[0]: it waits in the store buffer"
  bool OutOfOrder = false; // an out-of-order step: impossible at this point under sequential consistency
  std::string Remark;      // why it is out of order: "this store was still in the buffer when ..."; may be empty
  std::vector<std::string> Memory;                 // value per variable (Recording::Variables)
  std::vector<std::vector<BufferedStore>> Buffers; // per thread, oldest first
  std::vector<HeldLock> Locks;
};

struct Counterexample {
  Recording Run;                        // in the most sequential order
  TraceGraph Chronological, ShashaSnir; // the first is empty under POWER
  Cycle Why;
  std::vector<Step> Steps; // one per event of Run: in order, under POWER in the order in which they took effect
  std::string Sentence;    // what went wrong, in plain words
};

/// The same execution with its events in another order.
Recording reordered(Recording R, const std::vector<uint32_t> &Order);

/// Puts the events into the most sequential order their trace allows, and explains them.
Counterexample explain(Recording Run);

/// A shortest cycle of a Shasha-Snir trace, and the pairs it reorders.
Cycle findCycle(const Recording &R, const TraceGraph &ShashaSnir);

/// An order of all events that respects the chronological trace, with as few changes of thread, and then as few delayed
/// updates, as the trace allows (for long traces: nearly so).
std::vector<uint32_t> mostSequentialOrder(const Recording &R, const TraceGraph &Chronological);
/// The same for any acyclic graph, with the order of each thread's events given.
std::vector<uint32_t> mostSequentialOrder(const Recording &R, const TraceGraph &Acyclic,
                                          std::vector<std::vector<uint32_t>> OfThread);

/// The events as steps, in the given order, with what the world looks like after each.
std::vector<Step> tell(const Recording &R, const Cycle &Why, const std::vector<uint32_t> &Order);

} // namespace picket
