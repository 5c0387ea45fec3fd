// Collects what the executions of one model show, in order or as graphs: bugs with the executions that show them, samples,
// and how the program is not robust.
#pragma once

#include "check/AccessSampler.h"
#include "check/CheckContext.h"
#include "check/Findings.h"
#include "check/Meanwhile.h"
#include "explore/Rsmc.h"
#include "robust/Witness.h"

#include <tuple>

namespace picket {

/// An exploration tells it of each execution. Executions are kept as short scripts; those that are told are run again when
/// the exploration is over, and explained: then `finished` must be called.
class ExecutionCollector : public ExplorationObserver, public GraphObserver {
public:
  /// All must outlive it. `Report` is that of the model.
  ExecutionCollector(const CheckContext &Context, const ExplorationOptions &Exploration, Meanwhile &Others,
                     ModelReport &Report)
      : Context(Context), Exploration(Exploration), Others(Others), Report(Report), Found(Context.Compiled, Report) {}

  void ended(Execution &Run, Ending How) override;
  void ended(GraphRun &Run, Ending How) override;
  void racing(GraphRun &Run) override { keepWarnings(Run); }
  bool mustKnow(const Execution &Run, Ending How) const override;
  bool mustKnow(const Machine &State, Ending How) const override { return Found.hasNews(State, How); }
  void progress(const ExplorationResult &Result) override;
  bool isEnough(const ExplorationResult &Result) override { return Others.isEnough(Result); }
  void restarted() override;
  void finished(Configuration &Config) override;
  /// The same for graphs.
  void finished(const MachineOptions &Machine);
  /// The same for reads-from relations, whose bugs are those of executions with store buffers. False, and nothing is
  /// known, if one of those has no bug.
  bool finished(const MachineOptions &Machine, MemoryModel Model);

  /// To be called when the exploration is over: adds what may be come to behind the bound.
  void tellBehindBound() { Found.tellBehindBound(); }
  /// Whether an execution ended because the program says that it is of no interest.
  bool assumed() const { return Found.assumed(); }

private:
  struct SeenGraph {
    BugReport Bug;
    GraphScript Script;
    Sharing Known;
  };
  using AlarmedViolation = std::pair<ScViolation, const RobustnessAlarm *>;

  void explainBug(Bug &Explained, Recording Run) const;
  void explain(std::vector<Bug> &All, const std::vector<SeenGraph> &Seen, const MachineOptions &Machine) const;
  static SeenGraph seen(GraphRun &Run, const BugReport &Of);
  void addAlarms(MemoryModel Against, const Sharing &Known);
  void addWitnesses(MemoryModel Against, std::vector<AlarmedViolation> &Violations, const Sharing &Known) const;
  std::optional<Recording> witnessOf(MemoryModel Against, const RobustnessAlarm *Alarm, const Sharing &Known) const;
  void keep(Execution &Run, const BugReport &Seen);
  void keep(GraphRun &Run, const BugReport &Seen, bool IsNew);
  void keepWarnings(GraphRun &Run);
  void keepEffects(GraphRun &Run);

  struct SeenBug {
    BugReport Bug;
    std::vector<ProcessId> Schedule;
  };
  struct SeenEffect {
    BugReport Bug;
    std::vector<GraphEffect> Effects;
    std::vector<std::vector<uint32_t>> Threads; // their paths
    Sharing Known{0, 0};
  };

  const CheckContext &Context;
  const ExplorationOptions &Exploration;
  Meanwhile &Others;
  ModelReport &Report;
  Findings Found;
  const std::chrono::steady_clock::time_point Start = std::chrono::steady_clock::now();
  AccessSampler Sampler;
  std::vector<SeenBug> SeenBugs; // the first of Report.Bugs, with the executions that show them
  std::vector<SeenGraph> SeenGraphs, SeenWarnings;
  std::map<std::tuple<BugKind, ThreadId, uint32_t>, SeenEffect> SeenEffects; // per bug, the first run with it
};

} // namespace picket
