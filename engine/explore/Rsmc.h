// Relaxed stateless model checking (Abdulla, Atig, Jonsson, Leonardsson: "Stateless Model Checking for POWER"):
// explores every complete execution graph that the axioms of a memory model allow, each exactly once.
#pragma once

#include "explore/Exploration.h"
#include "memory/Axioms.h"

namespace picket {

/// One access in a run, for those who look at it.
struct GraphAccess {
  ThreadId Thread;
  uint32_t Index; // the how-manieth of its thread; an update has two, its read and its write
  uint32_t Pc;
  bool IsWrite;
  bool OfUpdate;
  Address Where;
  uint32_t Width;
  uint64_t Value;
  /// Reads: the access (by number in the list) whose value it has; ~0u: the initial one.
  uint32_t Source;
  /// Writes: place in the coherence of its location, from 1.
  uint32_t Position;
};

/// A complete run, or one that ended in a bug. There only while an observer is told of it.
class GraphRun {
public:
  virtual ~GraphRun() = default;
  /// What a slot of the function a thread started with held when it returned.
  virtual uint64_t finalRegister(ThreadId T, uint32_t Slot) = 0;
  virtual uint64_t finalValue(Address Where, unsigned Width) = 0;
  virtual Machine &machine() = 0;
  /// The committed accesses that took place, in the order of commitment.
  virtual std::vector<GraphAccess> accesses() = 0;
};

class GraphObserver {
public:
  virtual ~GraphObserver() = default;
  virtual void ended(GraphRun &Run, Ending How) = 0;
  virtual void progress(const ExplorationResult &) {}
  /// What was told so far does not count.
  virtual void restarted() {}
};

ExplorationResult exploreGraphs(const Program &P, AxiomaticModel Model, const ExplorationOptions &Options,
                                GraphObserver &Observer);

} // namespace picket
