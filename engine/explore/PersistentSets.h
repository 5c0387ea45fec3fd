// Persistent sets (Godefroid): where the next steps of one thread commute with all that the others may yet do, it is
// enough to take only these. What the others may yet do is learned during the search (Futures).
#pragma once

#include "explore/Futures.h"
#include "memory/Configuration.h"

#include <span>
#include <vector>

namespace picket {

/// Asked about the state in which the configuration is. `Parts`: of each thread, the number that StateKey gave what it
/// is and where it stands.
class PersistentSets {
public:
  explicit PersistentSets(Configuration &Config) : Config(Config) {}

  /// Whether the steps of a thread are a persistent set: it is enough to take them from here.
  bool isPersistent(ThreadId Mover, const std::vector<uint32_t> &Parts);

  /// Threads have come to where they stand.
  void learnPoints(const std::vector<uint32_t> &Parts);
  /// The same, and some of them wait there.
  void learnWaiting(const std::vector<uint32_t> &Parts);
  /// The configuration has just taken a step of a thread: where the threads that moved came from and went to.
  void learnStep(std::span<const uint32_t> From, const std::vector<uint32_t> &Parts, ThreadId Stepped);

  /// What was learned so far; and that of other workers.
  const Futures &futures() const { return Future; }
  void setFutures(const Futures &Known) {
    Future = Known;
    Future.takeGrown();
  }
  void add(const PersistentSets &Other) { Future.add(Other.Future); }
  /// What is known has grown since the last call.
  bool takeGrown() { return Future.takeGrown(); }
  /// Whether steps were left out by what was known, since the walk began.
  bool wasReliedOn() const { return Relied; }
  void beginWalk() { Relied = false; }

  uint64_t bytes();

private:
  Futures::ProgramPoint pointOf(ThreadId T, uint32_t Part);
  void collectNext(ThreadId T, std::vector<Machine::Access> &Into);
  bool overlaps(ThreadId T, const Machine::Access &With);

  Configuration &Config;
  Futures Future;
  std::vector<std::vector<uint32_t>> PointOfPart; // per thread: program point + 1
  bool Relied = false;
  std::vector<Machine::Access> Next, OfOther;
};

} // namespace picket
