#include "check/WithoutBound.h"

#include "check/Findings.h"
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

Buffering buffersOf(Model M) { return M == Model::PSO ? Buffering::PerLocation : Buffering::Fifo; }

constexpr unsigned NoBound = 1'000'000; // of a recording: the most that --unroll takes

/// Collects what the search of one model shows.
class Collector : public StateSearchObserver, public LazyObserver {
public:
  Collector(const StateCheck &From, ModelReport &Report) : From(From), Report(Report), Found(From.P, Report) {}

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
    if (From.OnProgress)
      From.OnProgress({Report.Which, Report.Executions, -1, Report.Seconds + Seconds, States});
  }

  void add(Configuration &C, const StateSearchResult::Found &Seen) {
    std::optional<Recording> Run = record(C, Seen.Schedule, &Seen.Bug);
    if (!Found.add(C.machine(), Seen.Bug) || !Run || Report.Bugs.size() > From.Options.Counterexamples)
      return;
    Run->File = From.File;
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
  WitnessCollector(const StateCheck &From, Robustness &R) : From(From), R(R) {}

  bool wantsBugs() const override { return false; }
  bool notRobust(Configuration &C, const std::vector<ProcessId> &Schedule, const AttackPlaces &At) override {
    const Program &P = From.P;
    setNotRobust(R, placeOf(P, P.placeOf(At.Store)), placeOf(P, P.placeOf(At.Access)),
                 placeOf(P, P.placeOf(At.Observer)));
    if (std::optional<Recording> Run = From.Options.Witnesses ? record(C, Schedule, nullptr) : std::nullopt) {
      Run->File = From.File;
      Run->Unroll = NoBound;
      setWitness(R, std::move(*Run));
    }
    R.Violations.clear();
    putMarkedFirst(R);
    return false;
  }

private:
  const StateCheck &From;
  Robustness &R;
};

} // namespace

bool StateCheck::run(ModelReport &Report) {
  const Clock::time_point Start = Clock::now();
  ModelReport Now;
  Now.Which = Report.Which;
  Now.Executions = Report.Executions;
  Now.Seconds = Report.Seconds;
  Collector Found(*this, Now);
  StateCounts Counts;
  uint64_t Unchecked = 0;
  auto Stopped = [&](bool Unsupported, const auto &Result) {
    Ended = Unsupported ? Verdict::Unsupported : Verdict::Inconclusive;
    Now.Reason = Result.Reason;
    if (Result.HasReasonPc)
      Now.ReasonPlace = placeOf(P, P.placeOf(Result.ReasonPc));
  };
  try {
    if (Report.Which == Model::SC) {
      StateSearchOptions Search;
      static_cast<ExplorationOptions &>(Search) = Limits;
      Search.Exhaustive = Options.Exhaustive;
      const StateSearchResult Result = searchStates(P, Search, Found);
      Counts = {Result.States, Result.Transitions, Result.Bytes};
      Unchecked = Result.Unchecked;
      if (Result.Ended == ExplorationResult::End::Everything)
        Ended = Verdict::Verified;
      else
        Stopped(Result.Ended == ExplorationResult::End::Unsupported, Result);
    } else {
      const LazyResult Result = checkLazily(P, Limits, buffersOf(Report.Which), Found);
      Unchecked = Result.Unchecked;
      Counts = {Result.States, Result.Transitions, Result.Bytes, Result.Rounds, Result.Delayed.size(), Result.Robust};
      if (Result.What == LazyResult::Answer::Verified)
        Ended = Verdict::Verified;
      else
        Stopped(Result.What == LazyResult::Answer::Unsupported, Result);
    }
  } catch (const std::bad_alloc &) {
    Ended = Verdict::Inconclusive;
    Now.Reason = "memory ran out";
  }
  if (!Now.Bugs.empty()) {
    Ended = Verdict::Violation;
    Now.Reason.clear();
    Now.ReasonPlace = {};
  }
  Counts.Seconds = std::chrono::duration<double>(Clock::now() - Start).count();
  Report.States = Counts;
  Report.Seconds += Counts.Seconds;
  Report.Reason = Now.Reason;
  Report.ReasonPlace = Now.ReasonPlace;
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

void StateCheck::findRobustness(ModelReport &Sc, Model Against) {
  const Clock::time_point Start = Clock::now();
  Robustness R;
  R.Against = Against;
  WitnessCollector Found(*this, R);
  const LazyResult Result = checkLazily(P, Limits, buffersOf(Against), Found);
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
    Sc.ReasonPlace = placeOf(P, P.placeOf(Result.ReasonPc));
}

void StateCheck::findRobustness(ModelReport &Sc) {
  if (!Options.AgainstTso || !Options.AgainstPso || !Limits.Spare || !Limits.Spare->take()) {
    if (Options.AgainstTso)
      findRobustness(Sc, Model::TSO);
    if (Options.AgainstPso)
      findRobustness(Sc, Model::PSO);
    return;
  }
  ExplorationOptions Half = Limits;
  Half.MaxMemoryBytes /= 2;
  Half.Machine.MaxMemoryBytes /= 2;
  ModelReport OfPso;
  auto Find = [&](ModelReport &Into, Model Against) {
    try {
      StateCheck{File, P, Options, Half, OnProgress}.findRobustness(Into, Against);
    } catch (const std::bad_alloc &) {
      Into.Result = Verdict::Inconclusive;
      Into.Reason = "memory ran out";
    }
  };
  std::thread Other([&] { Find(OfPso, Model::PSO); });
  Find(Sc, Model::TSO);
  Other.join();
  Limits.Spare->giveBack();
  std::move(OfPso.Robust.begin(), OfPso.Robust.end(), std::back_inserter(Sc.Robust));
  Sc.Seconds = std::max(Sc.Seconds, OfPso.Seconds);
  if (OfPso.States && (!Sc.States || OfPso.States->States > Sc.States->States))
    Sc.States = OfPso.States;
  if (OfPso.Reason.empty())
    return;
  Sc.Result = OfPso.Result;
  Sc.Reason = OfPso.Reason;
  Sc.ReasonPlace = OfPso.ReasonPlace;
}

void StateCheck::decideRobustness(ModelReport &Sc, Robustness &R) {
  const Clock::time_point Start = Clock::now();
  WitnessCollector Found(*this, R);
  try {
    const LazyResult Result = checkLazily(P, Limits, buffersOf(R.Against), Found);
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
