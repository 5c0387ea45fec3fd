#include "check/Check.h"

#include "check/AccessSampler.h"
#include "check/Findings.h"
#include "check/RobustnessText.h"
#include "check/WithoutBound.h"
#include "explore/OptimalDpor.h"
#include "explore/Rsmc.h"
#include "robust/Witness.h"
#include "trace/GraphRecorder.h"
#include "trace/Recorder.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace picket {

const char *nameOf(Model M) {
  switch (M) {
  case Model::SC: return "sc";
  case Model::TSO: return "tso";
  case Model::PSO: return "pso";
  case Model::Power: return "power";
  }
  return "?";
}

const char *nameOf(Verdict V) {
  switch (V) {
  case Verdict::Verified: return "verified";
  case Verdict::Bounded: return "bounded";
  case Verdict::Violation: return "violation";
  case Verdict::Inconclusive: return "inconclusive";
  case Verdict::Unsupported: return "unsupported";
  case Verdict::CompileError: return "compile-error";
  }
  return "?";
}

const char *nameOf(Engine E) {
  switch (E) {
  case Engine::Auto: return "auto";
  case Engine::Bounded: return "bounded";
  case Engine::Lazy: return "lazy";
  }
  return "?";
}

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point Start) { return std::chrono::duration<double>(Clock::now() - Start).count(); }

ExplorationOptions limitsOf(const CheckOptions &Options, double Seconds, const std::atomic<bool> *Cancel) {
  ExplorationOptions E;
  E.Exhaustive = Options.Exhaustive;
  E.Machine.Unroll = std::max(1u, Options.Unroll);
  E.Machine.MaxMemoryBytes = E.MaxMemoryBytes = Options.MaxMemoryBytes;
  E.Cancel = Cancel;
  if (Seconds > 0)
    E.Deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(Seconds));
  return E;
}

/// States are searched while executions that may take for ever are explored: a fifth of the time is theirs.
class StatesMeanwhile {
public:
  /// `Least`: seconds of executions before the first search, which may take `Budget` seconds.
  StatesMeanwhile(double Least, double Budget) : NextAt(Least), Budget(Budget) {}

  /// Whether it is time for a search, and what it may take.
  std::optional<double> due(double Now) {
    if (Now < NextAt)
      return std::nullopt;
    const double Seconds = Budget;
    Budget *= Growth;
    NextAt = Now + Seconds + Growth * Seconds;
    return Seconds;
  }

private:
  static constexpr double Growth = 4;
  double NextAt, Budget; // seconds
};

/// Collects what the executions of one model show, in order or as graphs.
class Collector : public ExplorationObserver, public GraphObserver {
public:
  Collector(const std::string &File, const Program &P, const CheckOptions &Options, ModelReport &Report,
            const std::function<void(const Progress &)> &OnProgress, const ExplorationOptions &Exploration)
      : File(File), P(P), Options(Options), Report(Report), Found(P, Report), OnProgress(OnProgress),
        Exploration(Exploration) {}

  void ended(Execution &E, Ending How) override {
    Machine &M = E.configuration().machine();
    if (Options.Samples)
      Sampler.look(E);
    if (How == Ending::Buggy)
      for (const BugReport &B : M.bugs())
        if (Found.add(M, B) && Seen.size() + 1 == Report.Bugs.size() && Seen.size() < Options.Counterexamples)
          keep(E, B);
    Found.look(M, How);
  }

  void ended(GraphRun &Run, Ending How) override {
    Machine &M = Run.machine();
    if (How == Ending::Buggy)
      for (const BugReport &B : M.bugs())
        if (Found.add(M, B) && SeenGraphs.size() + 1 == Report.Bugs.size() &&
            SeenGraphs.size() < Options.Counterexamples)
          SeenGraphs.push_back({B, Run.script(), M.sharing()});
    Found.look(M, How);
  }

  void progress(const ExplorationResult &Result) override {
    if (OnProgress)
      OnProgress({Report.Which, Result.Executions, Result.Explored, secondsSince(Start)});
  }

  /// Where loops make executions many, their states may be few: they are searched meanwhile.
  bool isEnough(const ExplorationResult &Result) override {
    if (Options.Search != Engine::Auto || !hasStates(Report.Which))
      return false;
    return Options.RobustnessOnly ? knowsRobustness(Result) : knowsStates(Result);
  }

  /// To be called when the exploration is over and its verdict is in the report.
  void addStates() {
    if (ByStates && !Options.RobustnessOnly && Report.Bugs.empty()) {
      ByStates->Robust = std::move(Report.Robust);
      ByStates->Seconds = Report.Seconds;
      ByStates->Executions = Report.Executions; // of all workers
      ByStates->Blocked = Report.Blocked;
      ByStates->CutShort = Report.CutShort;
      ByStates->StepsTaken = Report.StepsTaken;
      Report = std::move(*ByStates);
    }
    if (!Options.RobustnessOnly)
      return;
    if (ByStates)
      for (Robustness &R : ByStates->Robust)
        addAnswer(std::move(R));
    for (Model M : {Model::TSO, Model::PSO})
      if (AsFar && std::none_of(Report.Robust.begin(), Report.Robust.end(), [&](auto &R) { return R.Against == M; }))
        addAsFar(M);
  }

  void restarted() override {
    Found.clear();
    Seen.clear();
    SeenGraphs.clear();
    Sampler.clear();
  }

  void finished(Configuration &C) override {
    for (size_t K = 0; K < Seen.size(); ++K) {
      if (std::optional<Recording> Run = record(C, Seen[K].Schedule, &Seen[K].Bug))
        explainBug(Report.Bugs[K], std::move(*Run));
    }
    for (const std::vector<ProcessId> &Schedule : Sampler.chosen())
      if (std::optional<Recording> Run = record(C, Schedule, nullptr))
        Report.Samples.push_back(std::make_shared<Recording>(std::move(*Run)));
    if (Exploration.Monitor)
      for (ScMonitor::Which W : {ScMonitor::Tso, ScMonitor::Pso})
        if (const std::optional<RobustnessAlarm> &Alarm = Exploration.Monitor->alarm(W))
          addAlarm(W == ScMonitor::Tso ? Model::TSO : Model::PSO, *Alarm, C.machine().sharing());
  }

  /// The same for graphs.
  void finished(const Program &P, const MachineOptions &Machine) {
    for (size_t K = 0; K < SeenGraphs.size(); ++K) {
      const SeenGraph &G = SeenGraphs[K];
      if (std::optional<Recording> Run = record(P, Machine, G.Known, G.Script, G.Bug))
        explainBug(Report.Bugs[K], std::move(*Run));
    }
  }

private:
  bool alarmed(Model M) const {
    return Exploration.Monitor->alarmed(M == Model::TSO ? ScMonitor::Tso : ScMonitor::Pso);
  }

  /// Whether it is known of each model that is asked for. Shorter witnesses than the first are looked for a while.
  bool knowsRobustness(const ExplorationResult &Result) {
    constexpr double Least = .1;
    const double Now = secondsSince(Start);
    if (Now < Least || !Exploration.Monitor)
      return false;
    if (Options.AgainstTso && !alarmed(Model::TSO) && !ByStates)
      if (std::optional<double> Seconds = Meanwhile.due(Now)) {
        ModelReport Sc;
        const ExplorationOptions Limits = limitsOfStates(*Seconds);
        try {
          StateCheck{File, P, Options, Limits, OnProgress}.findRobustness(Sc);
        } catch (const std::bad_alloc &) { // executions go on
        }
        if (!Sc.Robust.empty())
          ByStates = std::move(Sc);
      }
    auto Known = [&](Model M) {
      return alarmed(M) || (ByStates && (M == Model::TSO || ByStates->Robust.front().Known == Robustness::NotRobust));
    };
    if ((Known(Model::TSO) || !Options.AgainstTso) && (Known(Model::PSO) || !Options.AgainstPso))
      return true;
    // What is left are executions up to a bound. Where these are many, a lower bound has to do.
    constexpr double MostForBound = .5;
    if (!Result.Cut || Now < MostForBound || Lowered)
      return AsFar.has_value();
    Lowered = true;
    lowerBound();
    return AsFar.has_value();
  }

  /// Follows loops once, twice, ..., as long as that is soon done.
  void lowerBound() {
    constexpr double Soon = .2; // seconds
    CheckOptions Lower = Options;
    Lower.Models = {Model::SC};
    Lower.Search = Engine::Bounded;
    Lower.TimeoutSeconds = Soon;
    for (Lower.Unroll = 1; Lower.Unroll < Options.Unroll; Lower.Unroll *= 2) {
      CheckReport Checked = checkCompiled(File, {P, {}}, Lower, {}, Exploration.Cancel);
      ModelReport &Sc = Checked.Models.front();
      if (Sc.Robust.size() < 2)
        return;
      AsFar = std::move(Sc);
    }
  }

  /// What executions up to a lower bound said.
  void addAsFar(Model M) {
    for (const Robustness &R : AsFar->Robust)
      if (R.Against == M) {
        Report.Robust.push_back(R);
        Report.Loops = AsFar->Loops;
      }
  }

  /// Whether there is an answer for loops without a bound, where executions only give one up to a bound.
  bool knowsStates(const ExplorationResult &Result) {
    std::optional<double> Seconds;
    if (Result.Cut && Report.Bugs.empty() && !ByStates)
      Seconds = Meanwhile.due(secondsSince(Start));
    if (!Seconds)
      return false;
    ModelReport Now;
    Now.Which = Report.Which;
    Now.Executions = Result.Executions;
    Now.Blocked = Result.Blocked;
    Now.CutShort = Result.Cut;
    const ExplorationOptions Limits = limitsOfStates(*Seconds);
    if (!StateCheck{File, P, Options, Limits, OnProgress}.run(Now))
      return false;
    ByStates = std::move(Now);
    return true;
  }

  ExplorationOptions limitsOfStates(double Seconds) const {
    ExplorationOptions Limits = limitsOf(Options, Seconds, Exploration.Cancel);
    if (Exploration.Deadline)
      Limits.Deadline = std::min(*Limits.Deadline, *Exploration.Deadline);
    return Limits;
  }

  /// What states said of TSO. A behaviour of TSO is one of PSO, too.
  void addAnswer(Robustness Answer) {
    for (Model M : {Model::TSO, Model::PSO}) {
      if (M == Model::PSO && Answer.Known != Robustness::NotRobust)
        continue;
      auto Known =
          std::find_if(Report.Robust.begin(), Report.Robust.end(), [&](const Robustness &R) { return R.Against == M; });
      if (Known == Report.Robust.end())
        Known = Report.Robust.emplace(Report.Robust.end());
      else if (Known->Known == Robustness::NotRobust || !Known->Bounded)
        continue;
      *Known = Answer;
      Known->Against = M;
      if (M == Model::PSO) {
        setNotRobust(*Known, Answer.Store, Answer.Overtaker, Answer.Observer);
        Known->Witness = nullptr;
      } else {
        Report.States = ByStates->States;
      }
    }
  }

  void explainBug(Bug &B, Recording Run) {
    Run.File = File;
    Run.Unroll = Options.Unroll;
    Run.BugWhere = B.Where;
    B.Trace = std::make_shared<Counterexample>(explain(std::move(Run)));
  }

  void addAlarm(Model Against, const RobustnessAlarm &Alarm, const Sharing &Known) {
    Robustness R;
    R.Against = Against;
    setNotRobust(R, placeOf(P, P.placeOf(Alarm.Delayed.Pc)), placeOf(P, P.placeOf(Alarm.Overtaker.Pc)),
                 placeOf(P, P.placeOf(Alarm.Observer.Pc)));
    const Buffering Buffers = Against == Model::TSO ? Buffering::Fifo : Buffering::PerLocation;
    if (Options.Witnesses)
      if (std::optional<Recording> Run = findWitness(P, Exploration.Machine, Known, Buffers, Alarm)) {
        Run->File = File;
        Run->Unroll = Options.Unroll;
        setWitness(R, std::move(*Run));
      }
    Report.Robust.push_back(std::move(R));
  }

  void keep(Execution &E, const BugReport &B) {
    SeenBug &Kept = Seen.emplace_back(SeenBug{B, {}});
    for (uint32_t K = 0; K < E.length(); ++K)
      Kept.Schedule.push_back(E[K].Process);
  }

  struct SeenBug {
    BugReport Bug;
    std::vector<ProcessId> Schedule;
  };
  struct SeenGraph {
    BugReport Bug;
    GraphScript Script;
    Sharing Known;
  };

  const std::string &File;
  const Program &P;
  const CheckOptions &Options;
  ModelReport &Report;
  Findings Found;
  const Clock::time_point Start = Clock::now();
  AccessSampler Sampler;
  std::vector<SeenBug> Seen; // the first of Report.Bugs, with the executions that show them
  std::vector<SeenGraph> SeenGraphs;
  StatesMeanwhile Meanwhile = Options.RobustnessOnly ? StatesMeanwhile(.1, 4) : StatesMeanwhile(1, 2);
  std::optional<ModelReport> ByStates; // its answer
  bool Lowered = false;                // the bound, for robustness
  std::optional<ModelReport> AsFar;    // the answer up to there
  const std::function<void(const Progress &)> &OnProgress;
  const ExplorationOptions &Exploration;
};

std::optional<Buffering> bufferingOf(Model M) {
  switch (M) {
  case Model::SC: return Buffering::None;
  case Model::TSO: return Buffering::Fifo;
  case Model::PSO: return Buffering::PerLocation;
  case Model::Power: break;
  }
  return std::nullopt;
}

/// SC was explored to the end: where there was no alarm, the program is robust.
void addRobust(ModelReport &Sc, unsigned Unroll) {
  for (Model M : {Model::TSO, Model::PSO}) {
    if (std::any_of(Sc.Robust.begin(), Sc.Robust.end(), [&](const Robustness &R) { return R.Against == M; }))
      continue;
    Robustness R;
    R.Against = M;
    R.Known = Robustness::Robust;
    R.Bounded = Sc.CutShort > 0;
    R.Iterations = R.Bounded ? Unroll : 0;
    Sc.Robust.push_back(std::move(R));
  }
}

void checkModel(const std::string &File, const Program &P, const CheckOptions &Options,
                const std::function<void(const Progress &)> &OnProgress, const std::atomic<bool> *Cancel,
                ModelReport &Report, ScMonitor *Monitor, SpareCores *Spare) {
  ExplorationOptions E = limitsOf(Options, Options.TimeoutSeconds, Cancel);
  E.Spare = Spare;
  E.Monitor = Report.Which == Model::SC ? Monitor : nullptr;
  if (Options.Search == Engine::Lazy && hasStates(Report.Which)) {
    StateCheck Search{File, P, Options, E, OnProgress};
    if (Options.RobustnessOnly)
      return Search.findRobustness(Report);
    if (!Search.run(Report))
      Report.Result = Search.Ended;
    return;
  }
  const Clock::time_point Start = Clock::now();
  Collector Found(File, P, Options, Report, OnProgress, E);
  ExplorationResult Result;
  try {
    if (std::optional<Buffering> Buffers = bufferingOf(Report.Which)) {
      E.Buffers = *Buffers;
      Result = exploreOptimally(P, E, Found);
    } else {
      Result = exploreGraphs(P, AxiomaticModel::Power, E, Found);
      Found.finished(P, E.Machine);
    }
  } catch (const std::bad_alloc &) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = "memory ran out";
  }
  Report.Seconds = secondsSince(Start);
  Report.Executions = Result.Executions;
  Report.Blocked = Result.Blocked;
  Report.CutShort = Result.Cut;
  Report.StepsTaken = Result.Steps;
  if (Result.HasReasonPc)
    Report.ReasonPlace = placeOf(P, P.placeOf(Result.ReasonPc));
  Report.Reason = Result.Reason;
  if (!Report.Bugs.empty())
    Report.Result = Verdict::Violation;
  else if (Result.Ended == ExplorationResult::End::Unsupported)
    Report.Result = Verdict::Unsupported;
  else if (Result.Ended == ExplorationResult::End::Limit)
    Report.Result = Verdict::Inconclusive;
  else
    Report.Result = Result.Cut ? Verdict::Bounded : Verdict::Verified;
  if (E.Monitor && Result.Ended == ExplorationResult::End::Everything)
    addRobust(Report, E.Machine.Unroll);
  Found.addStates();
}

/// The models of a check. TSO and PSO are not explored where SC turns out to answer for them, so they begin once SC is
/// over or has shown that it does not.
class ModelChecks {
public:
  ModelChecks(CheckReport &Report, const Program &P, const CheckOptions &Options,
              const std::function<void(const Progress &)> &OnProgress, const std::atomic<bool> *Cancel,
              const std::function<void(const CheckReport &)> &OnModel)
      : Report(Report), P(P), Options(Options), OnProgress(OnProgress), Cancel(Cancel), OnModel(OnModel),
        Jobs(Options.Jobs ? Options.Jobs : std::max(1u, std::thread::hardware_concurrency())), Spare(Jobs), Done(Report.Models.size()) {
    // What others wait for comes first, and who waits last.
    for (const Model M : {Model::SC, Model::Power, Model::TSO, Model::PSO})
      for (size_t K = 0; K < Report.Models.size(); ++K)
        if (Report.Models[K].Which == M)
          Order.push_back(K);
    auto Relaxed = [](const ModelReport &M) { return M.Which == Model::TSO || M.Which == Model::PSO; };
    const bool Useful = Options.RobustnessOnly || std::any_of(Report.Models.begin(), Report.Models.end(), Relaxed);
    if (Options.Monitor && Options.Search != Engine::Lazy && Useful && !Order.empty() &&
        Report.Models[Order.front()].Which == Model::SC)
      Sc = &Report.Models[Order.front()];
    Alarms.OnAlarm = [this] {
      std::lock_guard<std::mutex> Lock(Telling);
      Changed.notify_all();
    };
  }

  void run() {
    std::vector<std::thread> Others;
    for (unsigned K = 1; K < Jobs && K < Order.size(); ++K)
      Others.emplace_back([this] { work(); });
    work();
    for (std::thread &T : Others)
      T.join();
  }

private:
  void work() {
    for (size_t K = Next++; K < Order.size(); K = Next++)
      check(Order[K]);
  }

  void check(size_t K) {
    ModelReport &M = Report.Models[K];
    if (!followsFromSc(M)) {
      Spare.use();
      checkModel(Report.File, P, Options, OnProgress, Cancel, M, Sc ? &Alarms : nullptr, Jobs > 1 ? &Spare : nullptr);
      Spare.giveBack();
    }
    if (OnProgress)
      OnProgress({M.Which, M.Executions, 1, M.Seconds});
    std::lock_guard<std::mutex> Lock(Telling);
    Done[K] = true;
    Changed.notify_all();
    if (OnModel && (std::find(Done.begin(), Done.end(), false) != Done.end() || wantsSecondLook()))
      tell();
  }

  void tell() {
    CheckReport SoFar{Report.File, Report.Diagnostics, {}, 0};
    for (size_t K = 0; K < Done.size(); ++K)
      if (Done[K])
        SoFar.Models.push_back(Report.Models[K]);
    OnModel(SoFar);
  }

  /// Waits for SC as far as needed. True: its answer is that of M as well, which has it now.
  bool followsFromSc(ModelReport &M) {
    if (!Sc || (M.Which != Model::TSO && M.Which != Model::PSO))
      return false;
    const size_t ScIndex = static_cast<size_t>(Sc - Report.Models.data());
    const ScMonitor::Which Mine = M.Which == Model::TSO ? ScMonitor::Tso : ScMonitor::Pso;
    std::unique_lock<std::mutex> Lock(Telling);
    Changed.wait(Lock, [&] { return Done[ScIndex] || Alarms.alarmed(Mine); });
    if (!Done[ScIndex])
      return false;
    auto Answer =
        std::find_if(Sc->Robust.begin(), Sc->Robust.end(), [&](const Robustness &R) { return R.Against == M.Which; });
    const bool Robust = Answer != Sc->Robust.end() && Answer->Known == Robustness::Robust;
    if (!Robust || (Sc->Result != Verdict::Verified && Sc->Result != Verdict::Bounded))
      return false;
    const Model Which = M.Which;
    M = *Sc;
    M.Which = Which;
    M.Seconds = 0;
    M.FromSc = true;
    return true;
  }

  /// Whether the bound is all that keeps a model from an answer.
  bool wantsSecondLook(const ModelReport &M) const {
    return Options.Search == Engine::Auto && hasStates(M.Which) && M.Result == Verdict::Bounded;
  }
  bool wantsSecondLook() const {
    return std::any_of(Report.Models.begin(), Report.Models.end(),
                       [&](const ModelReport &M) { return wantsSecondLook(M); });
  }

  /// What is left for a search through states, so that nobody waits long for what may come to nothing.
  ExplorationOptions limitsOfSecondLook(const ModelReport &M) const {
    constexpr double Least = .5, Most = 5, TimesAsLong = 4; // seconds; of what the executions took
    double Seconds = std::clamp(TimesAsLong * M.Seconds, Least, Most);
    if (Options.TimeoutSeconds > 0)
      Seconds = std::clamp(Options.TimeoutSeconds - M.Seconds, 1e-3, Seconds);
    return limitsOf(Options, Seconds, Cancel);
  }

  void lookAgain(ModelReport &M) {
    const ExplorationOptions Limits = limitsOfSecondLook(M);
    StateCheck Search{Report.File, P, Options, Limits, OnProgress};
    ModelReport Again = M;
    if (!Search.run(Again)) { // it stays at the bound
      M.Seconds = Again.Seconds;
      return;
    }
    M = std::move(Again);
    for (Robustness &R : M.Robust)
      if (R.Against == M.Which && R.Known == Robustness::Robust && M.States->Robust)
        R.Bounded = false;
  }

public:
  /// Where loops were cut: the states decide, if they do so soon.
  void lookAgain() {
    if (Cancel && *Cancel)
      return;
    for (ModelReport &M : Report.Models)
      if (wantsSecondLook(M) && !Options.RobustnessOnly)
        lookAgain(M);
    if (Options.RobustnessOnly && Options.Search == Engine::Auto)
      for (Robustness &R : Report.Models.front().Robust)
        if (R.Against == Model::TSO && R.Known == Robustness::Robust && R.Bounded) {
          const ExplorationOptions Limits = limitsOfSecondLook(Report.Models.front());
          StateCheck{Report.File, P, Options, Limits, OnProgress}.decideRobustness(Report.Models.front(), R);
        }
  }

  /// What SC found about the other models' robustness, told with them as well.
  void shareRobustness() {
    if (!Sc)
      return;
    for (ModelReport &M : Report.Models) {
      if (&M == Sc)
        continue;
      M.Robust.clear();
      for (const Robustness &R : Sc->Robust)
        if (R.Against == M.Which)
          M.Robust.push_back(R);
    }
  }

private:
  CheckReport &Report;
  const Program &P;
  const CheckOptions &Options;
  const std::function<void(const Progress &)> &OnProgress;
  const std::atomic<bool> *Cancel;
  const std::function<void(const CheckReport &)> &OnModel;
  const unsigned Jobs;
  SpareCores Spare;
  std::vector<size_t> Order; // of Report.Models
  ModelReport *Sc = nullptr; // if it is asked for and monitored
  ScMonitor Alarms;
  std::atomic<size_t> Next = 0;
  std::mutex Telling;
  std::condition_variable Changed;
  std::vector<bool> Done;
};

} // namespace

CheckReport check(const CheckRequest &Request, const std::function<void(const Progress &)> &OnProgress,
                  const std::atomic<bool> *Cancel) {
  Clock::time_point Start = Clock::now();
  CompileResult Compiled = compileProgram(Request.Text);
  const double CompileSeconds = secondsSince(Start);
  CheckReport Report = checkCompiled(Request.Text.File, std::move(Compiled), Request.Options, OnProgress, Cancel);
  Report.CompileSeconds = CompileSeconds;
  Report.Flags = Request.Text.Flags;
  return Report;
}

CheckReport checkCompiled(const std::string &File, CompileResult Compiled, const CheckOptions &Options,
                          const std::function<void(const Progress &)> &OnProgress, const std::atomic<bool> *Cancel,
                          const std::function<void(const CheckReport &)> &OnModel) {
  CheckReport Report;
  Report.File = File;
  Report.Diagnostics = std::move(Compiled.Diagnostics);
  for (Model M : Options.Models)
    Report.Models.emplace_back().Which = M;

  auto Fail = [&](Verdict V, const std::string &Reason, const Place &Where) {
    for (ModelReport &M : Report.Models) {
      M.Result = V;
      M.Reason = Reason;
      M.ReasonPlace = Where;
    }
  };
  if (!Compiled.Compiled) {
    auto First = std::find_if(Report.Diagnostics.begin(), Report.Diagnostics.end(),
                              [](const Diagnostic &D) { return D.Level == Severity::Error; });
    bool Known = First != Report.Diagnostics.end();
    Fail(Verdict::CompileError, Known ? First->Message : "the file does not compile", Known ? First->Where : Place());
    return Report;
  }
  const Program &P = *Compiled.Compiled;
  if (P.Main < 0) {
    Fail(Verdict::Unsupported, "there is no 'main' to run", {Report.File, 0, 0, 0, 0});
    return Report;
  }

  ModelChecks Checks(Report, P, Options, OnProgress, Cancel, OnModel);
  Checks.run();
  Checks.shareRobustness();
  Checks.lookAgain();
  return Report;
}

} // namespace picket
