// A walk through all states of a configuration, depth first, each once; several workers share it if there are cores to
// spare. Where a thread's next steps are a persistent set, only these are taken; a step that leads back to where the
// walk stands does not put the others off for ever (the cycle proviso).
//
// The class is large because all parts of the search, work stealing included, need its stack and its set of states;
// persistent sets, livelocks and keys of states are apart.
#pragma once

#include "explore/Exploration.h"
#include "explore/Livelocks.h"
#include "explore/PersistentSets.h"
#include "explore/StateKey.h"
#include "explore/StateTeam.h"

namespace picket {

/// Which steps a walk takes, and what it looks for besides bugs. These are the plain ones: all steps, nothing else.
class StepRules {
public:
  virtual ~StepRules() = default;
  /// The ways in which the walk is to take the step of P, which is enabled now.
  virtual void addChoices(ProcessId P, std::vector<Choice> &Into) { Into.push_back({P}); }
  /// Puts the choices from a state, those from `First` on, in the order in which they are to be taken.
  virtual void arrange(std::vector<Choice> & /*Choices*/, size_t /*First*/) const {}
  /// Before and after a step. False: the walk need not go on from here.
  virtual void before(const Choice &) {}
  virtual bool after(const Choice &) { return true; }
  /// What the rules themselves remember, as a part of the state, and how to go back to it.
  virtual void save(std::string &) const {}
  virtual void restore(std::string_view) {}
  /// What of it matters.
  virtual void describe(std::string &Into) const { save(Into); }
  /// The thread whose buffer describe() tells of.
  virtual ThreadId ownBuffer() const { return StateKey::NoThread; }
  /// Whether steps that commute may be taken in one order only.
  virtual bool mayReduce() const { return true; }
  /// Whether an end without a step left means anything.
  virtual bool looksAtEnds() const { return true; }
  /// Asked at the end: whether the walk has seen all that the program can do.
  virtual bool sawEverything() const { return true; }
  /// Adds what the rules of another worker, which are of the same kind, have found out.
  virtual void add(const StepRules &) {}
};

class StateWalk;

/// What another worker needs: a configuration, which knows of sharing what the first worker's does, and rules.
class WalkHelper {
public:
  virtual ~WalkHelper() = default;
  virtual Configuration &configuration() = 0;
  /// Starts the configuration and makes the rules for it. In the worker's own thread, as what follows.
  virtual StepRules &start() = 0;
  virtual void begins(const StateWalk &) {}
};

struct WalkResult : ExplorationEnd {
  uint64_t States = 0, Transitions = 0, Ends = 0; // of the last round
  uint64_t Bytes = 0;                             // that the states take up
  uint64_t Rounds = 0;                            // how often the walk began
  uint64_t Unchecked = 0;                         // of the ends: in an error of a kind that is not looked for
  uint64_t GivenAway = 0;                         // steps that another worker was led to
  size_t Depth = 0;
};

/// Adds what another worker has found out.
void addResult(WalkResult &To, const WalkResult &From);

class StateWalk {
public:
  /// Hears of one thing at a time, also from several workers.
  struct Listener {
    virtual ~Listener() = default;
    /// A bug was reached. True: that is enough.
    virtual bool foundBug(const BugReport &Bug, const std::vector<Choice> &Way) = 0;
    virtual void ended(Configuration &, Ending, const std::string & /*State*/) {}
    virtual void progress(const WalkResult &) {}
    /// Every few hundred steps, whatever the time.
    virtual void worked(const WalkResult &) {}
    virtual void restarted() {}
  };

  /// The configuration must have started.
  StateWalk(Configuration &Config, StepRules &Rules, Listener &Heard, const ExplorationOptions &Options, bool Reduce)
      : StateWalk(Config, Rules, Heard, Options, Reduce, nullptr) {}
  ~StateWalk();
  StateWalk(const StateWalk &) = delete;
  StateWalk &operator=(const StateWalk &) = delete;

  /// Walks until everything is seen, somebody has heard enough, or a limit is reached. False: what is shared turned out
  /// differently; restart.
  bool run(WalkResult &Into);
  /// Makes run() come to its end.
  void stop() { Team.stop(); }
  /// Lets others help while there are cores to spare (Options.Spare). The machines must give the same names.
  void helpWith(std::function<std::unique_ptr<WalkHelper>()> Make) { MakeHelper = std::move(Make); }
  /// The steps from the start to where the walk is.
  const std::vector<Choice> &way() const { return Way; }

private:
  struct Visit {
    uint32_t State;
    StateTeam::OpenFlag *Open;  // of the state
    Configuration::Mark Before; // the step that led here
    size_t FirstChoice, NextChoice, EndChoice;
    size_t FirstThread; // in ThreadParts
    size_t FirstSaved;  // in Saved
    bool Reduced;       // only the choices of one thread are there
    bool Closes;        // one of them leads back to a state of the way
    bool IsOthers;      // another worker has entered it, and gave one of its choices away
  };
  struct Helper;

  StateWalk(Configuration &Config, StepRules &Rules, Listener &Heard, const ExplorationOptions &Options, bool Reduce,
            StateTeam *With);

  bool walkOnce();
  void walkWithOthers();
  void work();
  void recruitOrEnd();
  void offerWork();
  bool replay(const StateJob &Job);
  void help(const Futures &Known, uint64_t Most, WalkResult &Into);
  void addFrom(const StateWalk &Other);
  std::unique_lock<std::mutex> tellingAlone();
  void tellCounts(std::chrono::steady_clock::time_point Now);
  uint64_t bytesOfOthers(uint64_t Mine);
  void clear();
  void enter(const StateTeam::Known &Known, Configuration::Mark Before);
  bool tryChoice();
  bool isAtLastVisit();
  bool reportBugs(size_t Before);
  bool findLivelock(bool &Suspected);
  bool walkWithoutReduction();
  void leave();
  void findChoices(Visit &Here);
  bool reduceTo(ThreadId Mover, size_t First);
  void noteGrown();
  void addAllChoices();
  bool restartsSoon();
  bool atLimit();
  bool checkLimits();
  void countBytes();
  uint64_t bytesOfTables() const;
  uint64_t bytesWithGrowth();

  Configuration &Config;
  StepRules &Rules;
  Listener &Heard;
  const ExplorationOptions &Options;
  bool Reduce;
  uint64_t MostStates = ~0ull;
  WalkResult *Result = nullptr;

  std::unique_ptr<StateTeam> OwnTeam; // of the first worker
  StateTeam &Team;
  std::function<std::unique_ptr<WalkHelper>()> MakeHelper;
  std::function<void()> RecruitWorkers;
  StateKey Key;
  std::vector<Visit> Visits;
  std::vector<Choice> Choices, Way;
  std::vector<uint32_t> ThreadParts; // per visit, of each thread
  std::string Saved;                 // per visit, of the rules
  std::string RulesAtStart;
  std::string Whole;
  std::vector<uint32_t> Parts;
  std::vector<ProcessId> Enabled;

  StateGraph Graph;
  PersistentSets Reduction;
  uint64_t StatesWhenGrown = 0;

  bool Works = false; // walks, and does not search what was seen for livelocks
  bool ChecksOften;
  uint32_t WorkDone = 0;
  uint32_t WorkSinceOffer = 0, WorkToNextOffer = 0; // while somebody waits for work
  uint64_t BytesAtCheck = 0;                        // of the tables
  uint64_t StatesTold = 0, TransitionsTold = 0, BytesTold = 0;
};

} // namespace picket
