#include "check/RobustnessCheck.h"

#include "check/FailureRounds.h"
#include "check/Limits.h"
#include "check/ModelCheck.h"
#include "check/RobustnessMeanwhile.h"
#include "check/StateCheck.h"

#include <algorithm>

namespace picket {

namespace {

/// How SC is explored.
CheckOptions explorationOf(const RobustnessOptions &Asked) {
  CheckOptions Options;
  Options.Models = {MemoryModel::SC};
  Options.Looked = Asked.Looked;
  Options.Targets = Asked.Targets;
  Options.Search = Asked.Search;
  Options.Exhaustive = Asked.Exhaustive;
  Options.Unroll = Asked.Unroll;
  Options.TimeoutSeconds = Asked.TimeoutSeconds;
  Options.MaxMemoryBytes = Asked.MaxMemoryBytes;
  Options.Jobs = Asked.Jobs;
  Options.Counterexamples = 0;
  Options.MostWitnesses = Asked.MostWitnesses;
  Options.Spurious = Asked.Spurious;
  return Options;
}

/// One round of the check, with `Context.Options` of SC.
void explore(const CheckContext &Context, const RobustnessOptions &Asked, SpareCores &Spare, ModelReport &Sc) {
  const bool Alone = coresOf(Asked.Jobs) == 1;
  ScMonitor Monitor;
  Spare.use();
  ExplorationOptions Exploration = limitsOf(Context, Context.Options.TimeoutSeconds);
  Exploration.Model = Sc.Which;
  Exploration.Spare = Alone ? nullptr : &Spare;
  if (Asked.Search == Engine::Lazy) {
    StateCheck{Context, Exploration}.findRobustness(Sc, Asked.Against);
  } else {
    Exploration.Monitor = &Monitor;
    RobustnessMeanwhile Others(Context, Asked, Exploration, Sc);
    checkExecutions(Context, Exploration, Others, Sc);
  }
  Spare.giveBack();
  Context.tell({Sc.Which, Sc.Executions, 1, Sc.Seconds});
  if (Asked.Search != Engine::Auto || (Context.Cancel && *Context.Cancel))
    return;
  for (Robustness &R : Sc.Robust)
    if (R.Known == Robustness::Robust && R.Bounded) {
      ExplorationOptions Limits = limitsOfSecondLook(Context, Sc);
      Limits.Spare = Exploration.Spare;
      StateCheck{Context, Limits}.decideRobustness(Sc, R);
    }
}

} // namespace

RobustnessOptions robustnessOptionsOf(const CheckOptions &Check) {
  RobustnessOptions Options;
  Options.Looked = Check.Looked;
  Options.Targets = Check.Targets;
  Options.Search = Check.Search;
  Options.Unroll = Check.Unroll;
  Options.TimeoutSeconds = Check.TimeoutSeconds;
  Options.MaxMemoryBytes = Check.MaxMemoryBytes;
  Options.Jobs = Check.Jobs;
  Options.MostWitnesses = Check.MostWitnesses;
  Options.Spurious = Check.Spurious;
  return Options;
}

const Robustness *RobustnessReport::against(MemoryModel M) const {
  for (const Robustness &R : sc().Robust)
    if (R.Against == M)
      return &R;
  return nullptr;
}

RobustnessReport checkRobustness(const CompileRequest &Text, const RobustnessOptions &Options,
                                 const ProgressListener &OnProgress, const std::atomic<bool> *Cancel,
                                 const std::function<void()> &OnCompiled) {
  const auto Start = std::chrono::steady_clock::now();
  CompileRequest Asked = textToCheck(Text, explorationOf(Options));
  Asked.For = targetOf(Options.Against.empty() ? MemoryModel::SC : Options.Against.front(), Options.Targets);
  CompileResult Compiled = compileProgram(Asked);
  const double CompileSeconds = secondsSince(Start);
  if (OnCompiled)
    OnCompiled();
  RobustnessReport Report = checkRobustness(Text.File, std::move(Compiled), Options, OnProgress, Cancel);
  Report.Explored.CompileSeconds = CompileSeconds;
  Report.Explored.Flags = Text.Flags;
  Report.Explored.Others = Text.Others;
  return Report;
}

RobustnessReport checkRobustness(const std::string &File, CompileResult Compiled, const RobustnessOptions &Asked,
                                 const ProgressListener &OnProgress, const std::atomic<bool> *Cancel) {
  RobustnessReport Report;
  const CheckOptions Options = explorationOf(Asked);
  if (!beginReport(Report.Explored, File, Compiled, Options))
    return Report;
  SpareCores Spare(coresOf(Options.Jobs));
  const CheckContext Context{File, *Compiled.Compiled, Options, OnProgress, Cancel};
  auto Round = [&](const CheckContext &Now, CheckReport &Into) { explore(Now, Asked, Spare, Into.Models.front()); };
  if (hasFailureRounds(Context))
    checkFailureRounds(Context, Round, Report.Explored);
  else
    Round(Context, Report.Explored);
  return Report;
}

} // namespace picket
