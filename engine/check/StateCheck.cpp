#include "check/StateCheck.h"

#include "check/Findings.h"
#include "check/Refusals.h"
#include "check/RobustnessText.h"
#include "robust/LazyReachability.h"
#include "trace/Recorder.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <iterator>
#include <thread>

namespace picket {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned NoBound = 1'000'000; // of a recording: the most that --unroll takes

/// Collects what the search of one model shows.
class StateCollector : public StateSearchObserver, public LazyObserver {
public:
  StateCollector(const StateCheck &From, ModelReport &Report)
      : From(From), Report(Report), Found(From.Context.Compiled, Report) {}

  void progress(const WalkResult &SoFar) override { tell(SoFar.States); }
  void progress(const LazyResult &SoFar) override { tell(SoFar.States); }

  void finished(Configuration &C, const StateSearchResult &Result) override {
    for (const StateSearchResult::Found &Bug : Result.Bugs)
      add(C, Bug);
    Found.look(C.machine(), Ending::Complete);
  }
  void finished(Configuration &C, const LazyResult &Result) override {
    if (Result.Found)
      add(C, *Result.Found);
    Found.look(C.machine(), Ending::Complete);
  }

private:
  void tell(uint64_t States) {
    const double Seconds = std::chrono::duration<double>(Clock::now() - Start).count();
    From.Context.tell({Report.Which, Report.Executions, -1, Report.Seconds + Seconds, States});
  }

  void add(Configuration &C, const StateSearchResult::Found &Seen) {
    std::optional<Recording> Run = record(C, Seen.Schedule, &Seen.Bug);
    if (!Found.add(C.machine(), Seen.Bug) || !Run || Report.Bugs.size() > From.Context.Options.Counterexamples)
      return;
    Run->File = From.Context.File;
    Run->Unroll = NoBound;
    Run->BugWhere = Report.Bugs.back().Where;
    Report.Bugs.back().Trace = std::make_shared<Counterexample>(explain(std::move(*Run)));
  }

  const StateCheck &From;
  ModelReport &Report;
  Findings Found;
  const Clock::time_point Start = Clock::now();
};

/// Listens for a witness only.
class WitnessCollector : public LazyObserver {
public:
  WitnessCollector(const StateCheck &From, Robustness &Answer) : From(From), Answer(Answer) {}

  bool wantsBugs() const override { return false; }
  bool notRobust(Configuration &C, const std::vector<ProcessId> &Schedule, const AttackPlaces &At) override {
    const Program &Compiled = From.Context.Compiled;
    setNotRobust(Answer, locationOf(Compiled, Compiled.locationOf(At.Store)),
                 locationOf(Compiled, Compiled.locationOf(At.Access)),
                 locationOf(Compiled, Compiled.locationOf(At.Observer)));
    if (std::optional<Recording> Run =
            From.Context.Options.MostWitnesses ? record(C, Schedule, nullptr) : std::nullopt) {
      Run->File = From.Context.File;
      Run->Unroll = NoBound;
      setWitness(Answer, std::move(*Run));
    }
    Answer.Violations.clear();
    putMarkedFirst(Answer);
    return false;
  }

private:
  const StateCheck &From;
  Robustness &Answer;
};

} // namespace

bool StateCheck::run(ModelReport &Report) {
  const Clock::time_point Start = Clock::now();
  ModelReport Now;
  Now.Which = Report.Which;
  Now.Executions = Report.Executions;
  Now.Seconds = Report.Seconds;
  StateCollector Found(*this, Now);
  StateCounts Counts;
  uint64_t Unchecked = 0;
  const Program &Compiled = Context.Compiled;
  auto EndUndecided = [&](bool Unsupported, const auto &Result) {
    Ended = Unsupported ? Verdict::Unsupported : Verdict::Inconclusive;
    Now.Reason = Result.Reason;
    if (Result.HasReasonPc)
      Now.ReasonLocation = locationOf(Compiled, Compiled.locationOf(Result.ReasonPc));
    if (Unsupported && Result.HasReasonPc)
      describeRefusal(Compiled, Result.ReasonPc, Now);
  };
  try {
    if (Report.Which == MemoryModel::SC) {
      StateSearchOptions Search;
      static_cast<ExplorationOptions &>(Search) = Limits;
      Search.Exhaustive = Context.Options.Exhaustive;
      const StateSearchResult Result = searchStates(Context.Compiled, Search, Found);
      Counts = {Result.States, Result.Transitions, Result.Bytes};
      Unchecked = Result.Unchecked;
      if (Result.Ended == ExplorationResult::End::Everything)
        Ended = Verdict::Verified;
      else
        EndUndecided(Result.Ended == ExplorationResult::End::Unsupported, Result);
    } else {
      const LazyResult Result = checkLazily(Context.Compiled, Limits, Report.Which, Found);
      Unchecked = Result.Unchecked;
      Counts = {Result.States, Result.Transitions, Result.Bytes, Result.Rounds, Result.Delayed.size(), Result.Robust};
      if (Result.What == LazyResult::Answer::Verified)
        Ended = Verdict::Verified;
      else
        EndUndecided(Result.What == LazyResult::Answer::Unsupported, Result);
    }
  } catch (const std::bad_alloc &) {
    Ended = Verdict::Inconclusive;
    Now.Reason = "memory ran out";
  }
  if (!Now.Bugs.empty()) {
    Ended = Verdict::Violation;
    Now.Reason.clear();
    Now.ReasonLocation = {};
    Now.NotModelled.clear();
  }
  Counts.Seconds = std::chrono::duration<double>(Clock::now() - Start).count();
  Report.States = Counts;
  Report.Seconds += Counts.Seconds;
  Report.Reason = Now.Reason;
  Report.ReasonLocation = Now.ReasonLocation;
  Report.NotModelled = Now.NotModelled;
  if (Ended != Verdict::Verified && Ended != Verdict::Violation)
    return false;
  Report.Result = Ended;
  Report.Bugs = std::move(Now.Bugs);
  Report.Unchecked = Unchecked;
  Report.FromSc = false;
  Report.Loops.clear();
  Report.BehindBound.clear();
  if (Report.Notes.empty())
    Report.Notes = std::move(Now.Notes);
  return true;
}

void StateCheck::findRobustness(ModelReport &Sc, MemoryModel Against) {
  const Clock::time_point Start = Clock::now();
  Robustness R;
  R.Against = Against;
  WitnessCollector Found(*this, R);
  const LazyResult Result = checkLazily(Context.Compiled, Limits, Against, Found);
  const double Seconds = std::chrono::duration<double>(Clock::now() - Start).count();
  Sc.Seconds += Seconds;
  if (Result.Robust)
    R.Known = Robustness::Robust;
  Sc.States = {Result.States, Result.Transitions, Result.Bytes, Result.Rounds, 0, Result.Robust, Seconds};
  if (R.Known != Robustness::Unknown) {
    Sc.Robust.push_back(std::move(R));
    return;
  }
  const bool Refused = Result.What == LazyResult::Answer::Unsupported;
  Sc.Result = Refused ? Verdict::Unsupported : Verdict::Inconclusive;
  Sc.Reason = Result.Reason;
  if (Result.HasReasonPc)
    Sc.ReasonLocation = locationOf(Context.Compiled, Context.Compiled.locationOf(Result.ReasonPc));
  if (Refused && Result.HasReasonPc)
    describeRefusal(Context.Compiled, Result.ReasonPc, Sc);
}

void StateCheck::findRobustness(ModelReport &Sc, const std::vector<MemoryModel> &Against) {
  if (Against.size() != 2 || !Limits.Spare || !Limits.Spare->take()) {
    for (MemoryModel M : Against)
      findRobustness(Sc, M);
    return;
  }
  ExplorationOptions Half = Limits;
  Half.MaxMemoryBytes /= 2;
  Half.Machine.MaxMemoryBytes /= 2;
  ModelReport OfOther;
  auto Find = [&](ModelReport &Into, MemoryModel M) {
    try {
      StateCheck{Context, Half}.findRobustness(Into, M);
    } catch (const std::bad_alloc &) {
      Into.Result = Verdict::Inconclusive;
      Into.Reason = "memory ran out";
    }
  };
  std::thread Other([&] { Find(OfOther, Against[1]); });
  Find(Sc, Against[0]);
  Other.join();
  Limits.Spare->giveBack();
  std::move(OfOther.Robust.begin(), OfOther.Robust.end(), std::back_inserter(Sc.Robust));
  Sc.Seconds = std::max(Sc.Seconds, OfOther.Seconds);
  if (OfOther.States && (!Sc.States || OfOther.States->States > Sc.States->States))
    Sc.States = OfOther.States;
  if (OfOther.Reason.empty())
    return;
  Sc.Result = OfOther.Result;
  Sc.Reason = OfOther.Reason;
  Sc.ReasonLocation = OfOther.ReasonLocation;
  Sc.NotModelled = OfOther.NotModelled;
}

void StateCheck::decideRobustness(ModelReport &Sc, Robustness &R) {
  const Clock::time_point Start = Clock::now();
  WitnessCollector Found(*this, R);
  try {
    const LazyResult Result = checkLazily(Context.Compiled, Limits, R.Against, Found);
    if (!Result.Robust)
      return;
    R.Bounded = false;
    Sc.States = {Result.States,
                 Result.Transitions,
                 Result.Bytes,
                 Result.Rounds,
                 0,
                 true,
                 std::chrono::duration<double>(Clock::now() - Start).count()};
  } catch (const std::bad_alloc &) { // it stays as it was
  }
}

} // namespace picket
