#include "check/ModelCheck.h"

#include "check/ExecutionCollector.h"
#include "check/Limits.h"
#include "check/RaceFreeCheck.h"
#include "check/Refusals.h"
#include "check/StateCheck.h"
#include "check/StatesMeanwhile.h"
#include "explore/OptimalDpor.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <cassert>

namespace picket {

namespace {

/// SC was explored to the end: where there was no alarm, the program is robust; where there were, these are all.
void addRobust(ModelReport &Sc, unsigned Unroll) {
  for (MemoryModel M : monitoredModels()) {
    auto Known = std::find_if(Sc.Robust.begin(), Sc.Robust.end(), [&](const Robustness &R) { return R.Against == M; });
    if (Known != Sc.Robust.end()) {
      Known->Complete = true;
      Known->Iterations = Sc.CutShort ? Unroll : 0;
      continue;
    }
    Robustness R;
    R.Against = M;
    R.Known = Robustness::Robust;
    R.Bounded = Sc.CutShort > 0;
    R.Iterations = R.Bounded ? Unroll : 0;
    Sc.Robust.push_back(std::move(R));
  }
}

/// Whether the machine itself could not go on with the program.
bool isStopped(const ExplorationResult &Result) {
  return Result.Ended == ExplorationResult::End::Unsupported || Result.HasReasonPc;
}

/// Whether all was explored and yet nothing was seen that a verdict could rely on. That is a mistake of Picket's: a
/// program has executions, and those that do not end must be told as bugs, unless nobody looks for these. Executions
/// without the failures of a round belong to another round.
bool isFromNothing(const Program &Compiled, const MachineOptions &Machine, const ExplorationResult &Result,
                   const ExecutionCollector &Found) {
  return Result.Ended == ExplorationResult::End::Everything && !Result.Executions && !Result.Cut && !Result.Unchecked &&
         !Found.assumed() && Compiled.Failures.empty() && Machine.Looked.has(BugKind::Deadlock) &&
         Machine.Looked.has(BugKind::Hang);
}

/// One execution per reads-from relation. False, and the report says why, if that is not possible.
bool exploreReadsFrom(const Program &Compiled, ExplorationOptions Exploration, ExecutionCollector &Found,
                      ModelReport &Report, ExplorationResult &Result) {
  for (CheckGroup Group : {CheckGroup::Leak, CheckGroup::Uninitialised}) // matters of coherence
    if (Exploration.Machine.Looked.has(Group)) {
      Report.WhyNotReadsFrom = std::string("bugs of the kind '") + nameOf(Group) + "' are looked for";
      return false;
    }
  Exploration.OnePer = Report.OnePer = Equivalence::ReadsFrom;
  try {
    Result = exploreGraphs(Compiled, Exploration.Model, Exploration, Found);
  } catch (const std::bad_alloc &) { // what was found until then counts
    Result = ExplorationResult();
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = "memory ran out";
  }
  if (!Result.NotAsGraph.empty())
    Report.WhyNotReadsFrom = Result.NotAsGraph;
  else if (isStopped(Result)) // in another order there may be a bug before that
    Report.WhyNotReadsFrom = Result.Reason;
  else if (Result.FailedWakeups)
    Report.WhyNotReadsFrom = "an execution that was planned could not be carried out";
  else if (isFromNothing(Compiled, Exploration.Machine, Result, Found))
    Report.WhyNotReadsFrom = "no execution came to an end";
  else if (!Found.finished(Exploration.Machine, Exploration.Model))
    Report.WhyNotReadsFrom = "a bug could not be shown with store buffers";
  if (Report.WhyNotReadsFrom.empty())
    return true;
  Report.OnePer = Equivalence::ShashaSnir;
  Found.restarted();
  return false;
}

/// Explores the model with the equivalence that is asked for. Memory that runs out is a limit like others.
ExplorationResult explore(const CheckContext &Context, const ExplorationOptions &Exploration, ExecutionCollector &Found,
                          ModelReport &Report) {
  const CheckOptions &Options = Context.Options;
  ExplorationResult Result;
  try {
    if (Options.Other || isExploredAsGraphs(Report.Which) || looksForRaces(Options, Report.Which)) {
      if (Options.RaceFree && !Options.Other && !Options.Samples) {
        if (std::optional<ExplorationResult> BySc = exploreRaceFree(Context.Compiled, Exploration, Found))
          return *BySc;
        Found.restarted();
      }
      Result = exploreGraphs(Context.Compiled,
                             Options.Other ? Options.Other->Axioms
                                           : graphModelOf(Report.Which, Exploration.Machine.Language),
                             Exploration, Found);
      Found.finished(Exploration.Machine);
    } else if (Options.OnePer != Equivalence::ReadsFrom || Options.Samples ||
               !exploreReadsFrom(Context.Compiled, Exploration, Found, Report, Result)) {
      Result = exploreOptimally(Context.Compiled, Exploration, Found);
      if (isStopped(Result)) // no equivalence goes further
        Report.WhyNotReadsFrom.clear();
    }
  } catch (const std::bad_alloc &) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = "memory ran out";
  }
  if (Result.FailedWakeups && Result.Ended == ExplorationResult::End::Everything) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = "an execution that was planned could not be carried out; this is a bug in Picket";
  }
  return Result;
}

void addCounts(const Program &Compiled, const ExplorationResult &Result, ModelReport &Report) {
  Report.Executions = Result.Executions;
  Report.Blocked = Result.Blocked;
  Report.CutShort = Result.Cut;
  Report.Unchecked = Result.Unchecked;
  Report.Rejected = Result.RejectedBranches;
  Report.StepsTaken = Result.Steps;
  if (Result.HasReasonPc)
    Report.ReasonLocation = locationOf(Compiled, Compiled.locationOf(Result.ReasonPc));
  Report.Reason = Result.Reason;
  if (Result.Ended == ExplorationResult::End::Unsupported && Result.HasReasonPc)
    describeRefusal(Compiled, Result.ReasonPc, Report);
}

Verdict verdictOf(const ExplorationResult &Result, const ModelReport &Report) {
  if (!Report.Bugs.empty())
    return Verdict::Violation;
  switch (Result.Ended) {
  case ExplorationResult::End::Unsupported: return Verdict::Unsupported;
  case ExplorationResult::End::Limit: return Verdict::Inconclusive;
  default: return Result.Cut ? Verdict::Bounded : Verdict::Verified;
  }
}

} // namespace

void checkModel(const CheckContext &Context, ScMonitor *Monitor, SpareCores *Spare, ModelReport &Report) {
  ExplorationOptions Exploration = limitsOf(Context, Context.Options.TimeoutSeconds);
  Exploration.Model = Report.Which;
  Exploration.Spare = Spare;
  const bool Races = looksForRaces(Context.Options, Report.Which);
  if (Context.Options.Search == Engine::Lazy && isSearched(Report.Which) && !Races) {
    StateCheck Search{Context, Exploration};
    if (!Search.run(Report))
      Report.Result = Search.Ended;
    return;
  }
  Exploration.Monitor = Report.Which == MemoryModel::SC && !Races ? Monitor : nullptr;
  StatesMeanwhile Others(Context, Exploration, Report);
  checkExecutions(Context, Exploration, Others, Report);
}

void checkExecutions(const CheckContext &Context, const ExplorationOptions &Exploration, Meanwhile &Others,
                     ModelReport &Report) {
  assert(Exploration.Model == Report.Which);
  const auto Start = std::chrono::steady_clock::now();
  ExecutionCollector Found(Context, Exploration, Others, Report);
  const ExplorationResult Result = explore(Context, Exploration, Found, Report);
  Report.Seconds = secondsSince(Start);
  addCounts(Context.Compiled, Result, Report);
  Report.Result = verdictOf(Result, Report);
  const bool FromNothing = isFromNothing(Context.Compiled, Exploration.Machine, Result, Found);
  if (Report.Result == Verdict::Verified && FromNothing) {
    Report.Result = Verdict::Inconclusive;
    Report.Reason = "no execution came to an end, and Picket cannot say why";
  }
  if (Report.Result == Verdict::Bounded)
    Found.tellBehindBound();
  if (Exploration.Monitor && Result.Ended == ExplorationResult::End::Everything && !FromNothing)
    addRobust(Report, Exploration.Machine.Unroll);
  Others.addAnswer();
}

} // namespace picket
