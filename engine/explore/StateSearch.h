// Explicit-state reachability under SC (or, with store buffers that stay finite, TSO): all states that a program can
// come to, each visited once. Loops run without a bound; a program whose loops never end but whose states are
// finitely many is decided as a whole.
#pragma once

#include "explore/StateWalk.h"

namespace picket {

struct StateSearchOptions : ExplorationOptions {
  bool Reduce = true; // take steps that commute in one order only (off in some tests)
};

struct StateSearchResult : WalkResult {
  struct Found {
    BugReport Bug;
    std::vector<ProcessId> Schedule; // the steps that lead there, as record() takes them
  };
  std::vector<Found> Bugs; // each distinct (kind, thread, instruction) once
};

/// Hears of a search. Calls with a Configuration are made when it is over; what was found can be recorded from it.
class StateSearchObserver {
public:
  virtual ~StateSearchObserver() = default;
  /// A state from which nothing is left to be done. The bytes tell it from others of the same search.
  virtual void ended(Configuration &, Ending, const std::string & /*State*/) {}
  /// A few times a second.
  virtual void progress(const WalkResult &) {}
  /// What was told so far does not count.
  virtual void restarted() {}
  virtual void finished(Configuration &, const StateSearchResult &) {}
};

/// A configuration made for searching: it runs loops without a bound, and its machine forgets what nothing can name.
class SearchedConfiguration {
public:
  SearchedConfiguration(const Program &P, const LiveSlots &Live, Sharing &Shared, const ExplorationOptions &Options,
                        MemoryModel Model);
  Configuration &operator*() { return Config; }
  Configuration *operator->() { return &Config; }

private:
  Configuration Config;
};

/// A worker's own configuration, with what the first worker knows of sharing. Rules are made by classes derived from
/// it.
class SearchHelper : public WalkHelper {
public:
  SearchHelper(const Program &P, const LiveSlots &Live, const Sharing &Known, const ExplorationOptions &Options,
               MemoryModel Model)
      : Shared(Known), Config(P, Live, Shared, Options, Model) {}
  Configuration &configuration() override { return *Config; }

private:
  Sharing Shared;
  SearchedConfiguration Config;
};

StateSearchResult searchStates(const Program &P, const StateSearchOptions &Options, StateSearchObserver &Observer);

} // namespace picket
