// The team of workers that explore execution graphs together, and the jobs that they steal. Runs are explored in no
// particular order: all that matters is that a branch of a load is explored once, so that a load whose branches several
// workers may find has one list of what is known. Events have the same names in all workers, as they have in all runs.
#pragma once

#include "explore/Team.h"

#include <memory>
#include <set>

namespace picket {

/// Names an event in all runs: thread and number; and, if it is split, a cell of it.
using EventKey = uint64_t;

struct RsmcStep {
  EventKey Event;
  EventKey Parameter;  // of a read its source, of a write its position in coherence, of a decision the outcome
  uint32_t Home = ~0u; // of a load that may have branches, its frame
};

/// A run to be explored later: steps with their parameters, a store, and then the load that reads it.
struct RsmcBranch {
  std::vector<RsmcStep> Steps;
  EventKey Store, StoreParameter;          // parameter: as of steps; or every position
  std::vector<EventKey> StoreSources = {}; // of an update that is split, in place of the parameter
  uint32_t Cell = 0; // of a load that is split: the first one that reads what was not there when the load was chosen
};

struct SharedFrame;

/// The steps from the start to where something is left.
struct RsmcPath {
  std::vector<RsmcStep> Steps;
  std::vector<std::shared_ptr<SharedFrame>> Frames;
  std::vector<std::pair<EventKey, uint32_t>> Deferred;
  struct Postponement {
    EventKey Load;
    std::vector<EventKey> Known; // writes that it does not read
  };
  std::vector<Postponement> Postponed;
  std::vector<EventKey> LeftOut;
};

/// A load, where it was first chosen, whose branches are anybody's.
struct SharedFrame {
  explicit SharedFrame(std::atomic<uint64_t> &BytesOfAll) : BytesOfAll(BytesOfAll) {}
  ~SharedFrame() { BytesOfAll -= Bytes; }
  SharedFrame(const SharedFrame &) = delete;
  SharedFrame &operator=(const SharedFrame &) = delete;

  /// To be called with the lock.
  void addBytes(size_t More) {
    Bytes += More;
    BytesOfAll += More;
  }

  RsmcPath Path; // to where it is chosen; the frames are those before it
  EventKey Load = 0;
  std::mutex Lock;
  std::set<std::vector<uint64_t>> Known; // branches

private:
  std::atomic<uint64_t> &BytesOfAll;
  uint64_t Bytes = 0;
};

/// A branch of a frame; or, without one, a step that can be taken at the end of a way.
struct RsmcJob {
  std::shared_ptr<SharedFrame> Frame;
  RsmcBranch Branch;
  RsmcPath Path;
  RsmcStep Next{};
};

struct RsmcTeam : Team<RsmcJob> {
  std::atomic<uint64_t> FrameBytes = 0;
};

} // namespace picket
