// Relaxed stateless model checking (Abdulla, Atig, Jonsson, Leonardsson: "Stateless Model Checking for POWER"):
// explores every complete execution graph that the axioms of a memory model allow, each exactly once. With
// Equivalence::ReadsFrom (SC, TSO and PSO) graphs that differ in coherence only are one, and the exploration ends as
// unsupported where something depends on coherence (ReadsFromWalk).
#pragma once

#include "explore/Exploration.h"
#include "explore/GraphRun.h"
#include "memory/Axioms.h"

namespace picket {

class GraphObserver {
public:
  virtual ~GraphObserver() = default;
  virtual void ended(GraphRun &Run, Ending How) = 0;
  /// Data races of a run that goes no further, where races do not end one.
  virtual void racing(GraphRun &Run) { (void)Run; }
  /// As in ExplorationObserver.
  virtual bool mustKnow(const Machine &, Ending) const { return true; }
  virtual void progress(const ExplorationResult &) {}
  /// What was told so far does not count.
  virtual void restarted() {}
};

ExplorationResult exploreGraphs(const Program &P, const GraphModel &Model, const ExplorationOptions &Options,
                                GraphObserver &Observer);

} // namespace picket
