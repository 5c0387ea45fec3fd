#include "check/FailureRounds.h"

#include "check/Limits.h"
#include "check/RobustnessText.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace picket {

namespace {

using Failures = std::vector<FailurePoint>; // sorted

/// How much a verdict says against a program: what is worst in one round is so in all of them.
int weightOf(Verdict V) {
  switch (V) {
  case Verdict::Verified: return 0;
  case Verdict::Bounded: return 1;
  case Verdict::Inconclusive: return 2;
  case Verdict::Unsupported: return 3;
  case Verdict::Violation: return 4;
  case Verdict::CompileError: return 5;
  }
  return 5;
}

/// A program is robust if it is so in every round.
void addRobustness(ModelReport &All, const ModelReport &Round) {
  for (Robustness &R : All.Robust) {
    auto Now = std::find_if(Round.Robust.begin(), Round.Robust.end(),
                            [&](const Robustness &Other) { return Other.Against == R.Against; });
    if (Now == Round.Robust.end() || Now->Known == Robustness::Unknown) {
      R.Known = R.Known == Robustness::NotRobust ? R.Known : Robustness::Unknown;
      R.Complete = false;
      continue;
    }
    const bool Bounded = R.Bounded || Now->Bounded;
    const unsigned Iterations = std::max(R.Iterations, Now->Iterations);
    if (R.Known == Robustness::NotRobust) {
      addViolations(R.Violations, Now->Violations);
      R.Complete &= Now->Complete || Now->Known == Robustness::Robust;
      R.Iterations = Iterations;
    } else if (Now->Known == Robustness::NotRobust) {
      const bool Complete = Now->Complete && R.Known == Robustness::Robust;
      R = *Now;
      R.Complete = Complete;
      R.Iterations = Iterations;
    }
    if (R.Known == Robustness::Robust) {
      R.Bounded = Bounded;
      R.Iterations = Iterations;
    }
  }
}

void addStates(ModelReport &All, const ModelReport &Round) {
  if (!Round.States)
    return;
  if (!All.States) {
    All.States = Round.States;
    return;
  }
  All.States->States += Round.States->States;
  All.States->Transitions += Round.States->Transitions;
  All.States->Bytes = std::max(All.States->Bytes, Round.States->Bytes);
  All.States->Rounds = std::max(All.States->Rounds, Round.States->Rounds);
  All.States->Delays = std::max(All.States->Delays, Round.States->Delays);
  All.States->Robust &= Round.States->Robust;
  All.States->Seconds += Round.States->Seconds;
}

/// Adds what a round has shown of a model. Executions in which not all failures of the round happen belong to other
/// rounds: they are among the round's blocked ones, which are not counted.
void add(ModelReport &All, const ModelReport &Round, unsigned Counterexamples) {
  All.Executions += Round.Executions;
  All.CutShort += Round.CutShort;
  All.Rejected += Round.Rejected;
  All.StepsTaken += Round.StepsTaken;
  All.Seconds += Round.Seconds;
  All.FromSc &= Round.FromSc;
  for (const Bug &B : Round.Bugs)
    if (std::none_of(All.Bugs.begin(), All.Bugs.end(), [&](const Bug &Known) { return isSame(Known, B); })) {
      All.Bugs.push_back(B);
      if (All.Bugs.size() > Counterexamples)
        All.Bugs.back().Trace = nullptr;
    }
  for (const Bug &B : Round.Warnings)
    if (std::none_of(All.Warnings.begin(), All.Warnings.end(), [&](const Bug &Known) { return isSame(Known, B); }))
      All.Warnings.push_back(B);
  for (const CutLoop &L : Round.Loops)
    if (std::none_of(All.Loops.begin(), All.Loops.end(), [&](const CutLoop &K) { return isSame(K.Where, L.Where); }))
      All.Loops.push_back(L);
  for (const Note &N : Round.Notes)
    if (std::none_of(All.Notes.begin(), All.Notes.end(), [&](const Note &K) { return isSame(K.Where, N.Where); }))
      All.Notes.push_back(N);
  All.Samples.insert(All.Samples.end(), Round.Samples.begin(), Round.Samples.end());
  if (All.WhyNotReadsFrom.empty() && !Round.WhyNotReadsFrom.empty()) {
    All.WhyNotReadsFrom = Round.WhyNotReadsFrom;
    All.OnePer = Round.OnePer;
  }
  addRobustness(All, Round);
  addStates(All, Round);
  if (weightOf(Round.Result) <= weightOf(All.Result))
    return;
  All.Result = Round.Result;
  All.Reason = Round.Reason;
  All.ReasonLocation = Round.ReasonLocation;
  All.NotModelled = Round.NotModelled;
}

void endInconclusive(CheckReport &Report, const std::string &Reason) {
  for (ModelReport &M : Report.Models) {
    for (Robustness &R : M.Robust)
      R.Complete = false;
    if (weightOf(M.Result) < weightOf(Verdict::Inconclusive)) {
      M.Result = Verdict::Inconclusive;
      M.Reason = Reason;
    }
  }
}

} // namespace

bool hasFailureRounds(const CheckContext &Context) {
  const Program &P = Context.Compiled;
  return ((P.FailsForNoReason && Context.Options.Spurious) || P.Chooses) && !P.Reached;
}

void checkFailureRounds(const CheckContext &Context, const CheckRound &Round, CheckReport &Report) {
  const CheckOptions &Options = Context.Options;
  constexpr size_t MaxRounds = 10'000;
  const auto Start = std::chrono::steady_clock::now();
  Program Now = Context.Compiled;
  Now.Reached = std::make_shared<FailurePoints>();
  std::deque<Failures> Left = {{}};
  std::set<Failures> Known = {{}};
  std::map<MemoryModel, uint64_t> Before; // executions of earlier rounds
  const ProgressListener Tell = [&](Progress Step) {
    const auto Earlier = Before.find(Step.Which);
    Step.Executions += Earlier == Before.end() ? 0 : Earlier->second;
    Step.Explored = -1;
    Context.OnProgress(Step);
  };
  for (bool First = true; !Left.empty(); First = false) {
    CheckReport This{Report.File, {}, {}, Report.Looked};
    CheckOptions Asked = Options;
    Asked.Models.clear();
    for (const ModelReport &M : Report.Models)
      if (First || M.Result == Verdict::Verified || M.Result == Verdict::Bounded ||
          (M.Result == Verdict::Violation && Options.Exhaustive)) {
        Asked.Models.push_back(M.Which);
        This.Models.emplace_back().Which = M.Which;
      }
    if (Asked.Models.empty())
      break;
    if (Context.Cancel && *Context.Cancel) {
      endInconclusive(Report, "the check was cancelled");
      break;
    }
    if (Options.TimeoutSeconds > 0) {
      Asked.TimeoutSeconds -= secondsSince(Start);
      if (Asked.TimeoutSeconds <= 0) {
        endInconclusive(Report, "the time limit was reached");
        break;
      }
    }
    if (Known.size() > MaxRounds) {
      endInconclusive(Report, "there are more than " + std::to_string(MaxRounds) +
                                  (Context.Compiled.Chooses
                                       ? " sets of values from outside"
                                       : " ways in which operations can fail for no reason (see --no-spurious)"));
      break;
    }
    Now.Failures = std::move(Left.front());
    Left.pop_front();
    Round({Context.File, Now, Asked, Context.OnProgress ? Tell : Context.OnProgress, Context.Cancel}, This);
    for (ModelReport &M : Report.Models)
      for (ModelReport &Seen : This.Models)
        if (Seen.Which == M.Which) {
          if (First)
            M = std::move(Seen);
          else
            add(M, Seen, Options.Counterexamples);
          Before[M.Which] = M.Executions;
        }
    for (const FailurePoint &Point : Now.Reached->take()) {
      if (!Point.IsChoice && !Options.Spurious)
        continue;
      Failures More = Now.Failures;
      More.insert(std::upper_bound(More.begin(), More.end(), Point), Point);
      if (Known.insert(More).second)
        Left.push_back(std::move(More));
    }
  }
  for (const ModelReport &M : Report.Models)
    Context.tell({M.Which, M.Executions, 1, M.Seconds});
}

} // namespace picket
