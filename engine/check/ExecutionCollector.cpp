#include "check/ExecutionCollector.h"

#include "check/Limits.h"
#include "check/RobustnessText.h"
#include "trace/EffectRecorder.h"
#include "trace/GraphRecorder.h"
#include "trace/Recorder.h"
#include "trace/RecordingNames.h"

#include <algorithm>

namespace picket {

void ExecutionCollector::ended(Execution &Run, Ending How) {
  Machine &State = Run.configuration().machine();
  if (Context.Options.Samples)
    Sampler.look(Run);
  if (How == Ending::Buggy)
    for (const BugReport &B : State.bugs())
      if (Found.add(State, B) && SeenBugs.size() + 1 == Report.Bugs.size() &&
          SeenBugs.size() < Context.Options.Counterexamples)
        keep(Run, B);
  Found.look(State, How);
}

void ExecutionCollector::ended(GraphRun &Run, Ending How) {
  Machine &State = Run.machine();
  if (How == Ending::Buggy && Report.OnePer == Equivalence::ReadsFrom)
    keepEffects(Run);
  else if (How == Ending::Buggy)
    for (const BugReport &B : State.bugs())
      keep(Run, B, Found.add(State, B));
  if (Exploration.Machine.RacesGoOn)
    keepWarnings(Run);
  Found.look(State, How);
}

bool ExecutionCollector::mustKnow(const Execution &Run, Ending How) const {
  return Context.Options.Samples || Found.hasNews(Run.configuration().machine(), How);
}

void ExecutionCollector::progress(const ExplorationResult &Result) {
  Context.tell({Report.Which, Result.Executions, Result.Explored, secondsSince(Start)});
}

void ExecutionCollector::restarted() {
  Found.clear();
  SeenBugs.clear();
  SeenGraphs.clear();
  SeenWarnings.clear();
  SeenEffects.clear();
  Sampler.clear();
}

void ExecutionCollector::finished(Configuration &Config) {
  for (size_t K = 0; K < SeenBugs.size(); ++K) {
    if (std::optional<Recording> Run = record(Config, SeenBugs[K].Schedule, &SeenBugs[K].Bug))
      explainBug(Report.Bugs[K], std::move(*Run));
  }
  for (const std::vector<ProcessId> &Schedule : Sampler.chosen())
    if (std::optional<Recording> Run = record(Config, Schedule, nullptr))
      Report.Samples.push_back(std::make_shared<Recording>(std::move(*Run)));
  if (Exploration.Monitor)
    for (MemoryModel Against : monitoredModels())
      if (Exploration.Monitor->alarmed(Against))
        addAlarms(Against, Config.machine().sharing());
}

void ExecutionCollector::finished(const MachineOptions &Machine) {
  explain(Report.Bugs, SeenGraphs, Machine);
  explain(Report.Warnings, SeenWarnings, Machine);
}

void ExecutionCollector::explain(std::vector<Bug> &All, const std::vector<SeenGraph> &Seen,
                                 const MachineOptions &Machine) const {
  for (size_t K = 0; K < Seen.size(); ++K)
    if (std::optional<Recording> Run =
            record(Context.Compiled, Report.Which, Machine, Seen[K].Known, Seen[K].Script, Seen[K].Bug))
      explainBug(All[K], std::move(*Run));
}

bool ExecutionCollector::finished(const MachineOptions &Machine, MemoryModel Model) {
  for (const auto &[Name, Run] : SeenEffects) {
    bool Kept = false;
    auto OnBug = [&](class Machine &State, const BugReport &B) {
      Kept = Found.add(State, B) && Report.Bugs.size() <= Context.Options.Counterexamples;
      return Kept;
    };
    bool Happened = false;
    std::optional<Recording> Written =
        recordEffects(Context.Compiled, Machine, Model, Run.Known, Run.Threads, Run.Effects, Run.Bug, OnBug, Happened);
    if (!Happened)
      return false;
    if (Kept && Written)
      explainBug(Report.Bugs.back(), std::move(*Written));
  }
  return true;
}

void ExecutionCollector::explainBug(Bug &Explained, Recording Run) const {
  Run.File = Context.File;
  Run.Unroll = Context.Options.Unroll;
  Run.BugWhere = Explained.Where;
  Explained.Trace = std::make_shared<Counterexample>(picket::explain(std::move(Run)));
}

void ExecutionCollector::addAlarms(MemoryModel Against, const Sharing &Known) {
  const Program &Compiled = Context.Compiled;
  Robustness Answer;
  Answer.Against = Against;
  std::vector<AlarmedViolation> Violations = violationsOf(Compiled, *Exploration.Monitor, Against);
  const ScViolation &First = Violations.front().first;
  const RobustnessAlarm *Alarm = Violations.front().second;
  setNotRobust(Answer, First.Store,
               Alarm ? locationOf(Compiled, Compiled.locationOf(Alarm->Overtaker.Pc)) : First.Overtakers.front(),
               First.Observer);
  if (Context.Options.MostWitnesses)
    if (std::optional<Recording> Run = witnessOf(Against, Alarm, Known))
      setWitness(Answer, std::move(*Run));
  if (Context.Options.MostWitnesses > 1) {
    Violations.front().first.Witness = Answer.Witness;
    addWitnesses(Against, Violations, Known);
  }
  for (auto &[Violation, Raised] : Violations)
    Answer.Violations.push_back(std::move(Violation));
  putMarkedFirst(Answer);
  Report.Robust.push_back(std::move(Answer));
}

/// Shows violations with executions: of each store one, then as many others as there may be.
void ExecutionCollector::addWitnesses(MemoryModel Against, std::vector<AlarmedViolation> &Violations,
                                      const Sharing &Known) const {
  size_t Shown = 1;
  for (const bool EachStore : {true, false})
    for (auto &[Violation, Alarm] : Violations) {
      auto IsShown = [&, &Store = Violation.Store](const AlarmedViolation &Other) {
        return Other.first.Witness && isSame(Other.first.Store, Store);
      };
      if (Shown >= Context.Options.MostWitnesses || Violation.Witness ||
          (EachStore && std::any_of(Violations.begin(), Violations.end(), IsShown)))
        continue;
      std::optional<Recording> Run = witnessOf(Against, Alarm, Known);
      if (!Run)
        continue;
      auto Witness = std::make_shared<Counterexample>(picket::explain(std::move(*Run)));
      if (!Witness->Why.Edges.empty()) {
        Violation.Witness = std::move(Witness);
        ++Shown;
      }
    }
}

std::optional<Recording> ExecutionCollector::witnessOf(MemoryModel Against, const RobustnessAlarm *Alarm,
                                                       const Sharing &Known) const {
  if (!Alarm)
    return std::nullopt;
  std::optional<Recording> Run = findWitness(Context.Compiled, Exploration.Machine, Known, Against, *Alarm);
  if (Run) {
    Run->File = Context.File;
    Run->Unroll = Context.Options.Unroll;
  }
  return Run;
}

void ExecutionCollector::keep(Execution &Run, const BugReport &Seen) {
  SeenBug &Kept = SeenBugs.emplace_back(SeenBug{Seen, {}});
  for (uint32_t K = 0; K < Run.length(); ++K)
    Kept.Schedule.push_back(Run[K].Process);
}

/// How to come to a bug again.
ExecutionCollector::SeenGraph ExecutionCollector::seen(GraphRun &Run, const BugReport &Of) {
  SeenGraph Seen{Of, Run.script(), Run.machine().sharing()};
  for (const GraphRace &Race : Run.races())
    if (!Seen.Script.Ending && isSame(Race.Report, Of)) // others of the same instructions come later
      Seen.Script.Ending = Race.Accesses;
  return Seen;
}

/// Keeps the first run that shows a bug.
void ExecutionCollector::keep(GraphRun &Run, const BugReport &Seen, bool IsNew) {
  if (IsNew && SeenGraphs.size() + 1 == Report.Bugs.size() && SeenGraphs.size() < Context.Options.Counterexamples)
    SeenGraphs.push_back(seen(Run, Seen));
}

void ExecutionCollector::keepWarnings(GraphRun &Run) {
  for (const GraphRace &Race : Run.races())
    if (Found.addWarning(Run.machine(), Race.Report) && SeenWarnings.size() + 1 == Report.Warnings.size() &&
        SeenWarnings.size() < Context.Options.Counterexamples)
      SeenWarnings.push_back(seen(Run, Race.Report));
}

void ExecutionCollector::keepEffects(GraphRun &Run) {
  Machine &State = Run.machine();
  for (const BugReport &B : State.bugs())
    if (auto [At, New] = SeenEffects.try_emplace({B.Kind, B.Thread, B.Pc}); New)
      At->second = {B, Run.effectsBefore(B), Run.script().Threads, State.sharing()};
}

} // namespace picket
