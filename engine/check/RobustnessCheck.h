// Whether a program behaves under relaxed memory models as under SC: its own question, with its own answer.
#pragma once

#include "check/Check.h"

namespace picket {

struct RobustnessOptions {
  std::vector<MemoryModel> Against = monitoredModels(); // the models that matter
  bool EveryViolation = false;                          // go on when the answer is known, for the complete list
  bool Exhaustive = true;                               // go on after a bug of SC, which is no answer
  unsigned MostWitnesses = 1;                           // violations per model that are shown with an execution
  Checks Looked;                                        // the kinds of bugs that end an execution
  TargetChoice Targets = TargetChoice::Model;
  Engine Search = Engine::Bounded;
  bool Spurious = true; // as in a check, like all that follow
  unsigned Unroll = 8;
  double TimeoutSeconds = 0;
  uint64_t MaxMemoryBytes = 4ull << 30;
  unsigned Jobs = 0;
};

/// With the limits of a check and the kinds of bugs that it looks for.
RobustnessOptions robustnessOptionsOf(const CheckOptions &Check);

struct RobustnessReport {
  CheckReport Explored; // of SC, by which it was found out: its `Robust` is the answer
  ModelReport &sc() { return Explored.Models.front(); }
  const ModelReport &sc() const { return Explored.Models.front(); }
  /// Null: there is no answer, and `sc()` says why.
  const Robustness *against(MemoryModel M) const;
};

/// Tells whether each execution of the models is one of SC. SC is explored and monitored, or states are searched; no
/// relaxed model is explored. The listeners may be empty; setting `Cancel` ends it soon, without an answer then.
RobustnessReport checkRobustness(const CompileRequest &Text, const RobustnessOptions &Options,
                                 const ProgressListener &OnProgress = {}, const std::atomic<bool> *Cancel = nullptr,
                                 const std::function<void()> &OnCompiled = {});

/// The second half, for callers that have the compiled program.
RobustnessReport checkRobustness(const std::string &File, CompileResult Compiled, const RobustnessOptions &Options,
                                 const ProgressListener &OnProgress = {}, const std::atomic<bool> *Cancel = nullptr);

} // namespace picket
