#include "check/Check.h"

#include "check/AccessSampler.h"
#include "check/FailureRounds.h"
#include "check/Findings.h"
#include "check/Limits.h"
#include "check/RobustnessText.h"
#include "check/StatesMeanwhile.h"
#include "check/WithoutBound.h"
#include "explore/OptimalDpor.h"
#include "explore/Rsmc.h"
#include "robust/Witness.h"
#include "trace/EffectRecorder.h"
#include "trace/GraphRecorder.h"
#include "trace/Recorder.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

namespace picket {

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

std::optional<Verdict> verdictNamed(std::string_view Name) {
  for (Verdict V : {Verdict::Verified, Verdict::Bounded, Verdict::Violation, Verdict::Inconclusive,
                    Verdict::Unsupported, Verdict::CompileError})
    if (Name == nameOf(V))
      return V;
  return std::nullopt;
}

const char *nameOf(Engine E) {
  switch (E) {
  case Engine::Auto: return "auto";
  case Engine::Bounded: return "bounded";
  case Engine::Lazy: return "lazy";
  }
  return "?";
}

static unsigned coresOf(unsigned Jobs) { return Jobs ? Jobs : std::max(1u, std::thread::hardware_concurrency()); }

unsigned modelsAtOnce(const std::vector<MemoryModel> &Models, unsigned Jobs) {
  const unsigned Cores = coresOf(Jobs);
  // Graphs are explored beside the other models if there is more than one core.
  const bool Beside = Cores > 1 && std::any_of(Models.begin(), Models.end(), isExploredAsGraphs);
  return std::clamp<unsigned>(static_cast<unsigned>(Models.size()), 1, Cores + (Beside ? 1 : 0));
}

namespace {

using Clock = std::chrono::steady_clock;

/// Collects what the executions of one model show, in order or as graphs.
class Collector : public ExplorationObserver, public GraphObserver {
public:
  Collector(const std::string &File, const Program &P, const CheckOptions &Options, ModelReport &Report,
            const std::function<void(const Progress &)> &OnProgress, const ExplorationOptions &Exploration)
      : File(File), P(P), Options(Options), Report(Report), Found(P, Report), OnProgress(OnProgress),
        Exploration(Exploration), Meanwhile(File, P, Options, Exploration, Report, OnProgress) {}

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

  bool mustKnow(const Execution &E, Ending How) const override {
    return Options.Samples || Found.hasNews(E.configuration().machine(), How);
  }

  bool mustKnow(const Machine &M, Ending How) const override { return Found.hasNews(M, How); }

  void ended(GraphRun &Run, Ending How) override {
    Machine &M = Run.machine();
    if (How == Ending::Buggy && Report.OnePer == Equivalence::ReadsFrom)
      keepEffects(Run);
    else if (How == Ending::Buggy)
      for (const BugReport &B : M.bugs())
        keep(Run, B, Found.add(M, B));
    Found.look(M, How);
  }

  void progress(const ExplorationResult &Result) override {
    if (OnProgress)
      OnProgress({Report.Which, Result.Executions, Result.Explored, secondsSince(Start)});
  }

  bool isEnough(const ExplorationResult &Result) override { return Meanwhile.isEnough(Result); }
  /// To be called when the exploration is over and its verdict is in the report.
  void addStates() { Meanwhile.addStates(); }
  void tellBehindBound() { Found.tellBehindBound(); }
  /// Whether an execution ended because the program says that it is of no interest.
  bool assumed() const { return Found.assumed(); }

  void restarted() override {
    Found.clear();
    Seen.clear();
    SeenGraphs.clear();
    SeenEffects.clear();
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
      for (MemoryModel Against : monitoredModels())
        if (Exploration.Monitor->alarmed(Against))
          addAlarms(Against, C.machine().sharing());
  }

  /// The same for graphs.
  void finished(const Program &P, const MachineOptions &Machine) {
    for (size_t K = 0; K < SeenGraphs.size(); ++K) {
      const SeenGraph &G = SeenGraphs[K];
      if (std::optional<Recording> Run = record(P, Report.Which, Machine, G.Known, G.Script, G.Bug))
        explainBug(Report.Bugs[K], std::move(*Run));
    }
  }

  /// The same for reads-from relations, whose bugs are those of executions with store buffers. False, and nothing is
  /// known, if one of those has no bug.
  bool finished(const Program &P, const MachineOptions &Machine, MemoryModel Model) {
    for (const auto &[Name, Run] : SeenEffects) {
      bool Kept = false;
      auto OnBug = [&](class Machine &M, const BugReport &B) {
        Kept = Found.add(M, B) && Report.Bugs.size() <= Options.Counterexamples;
        return Kept;
      };
      bool Happened = false;
      std::optional<Recording> Written =
          recordEffects(P, Machine, Model, Run.Known, Run.Threads, Run.Effects, Run.Bug, OnBug, Happened);
      if (!Happened)
        return false;
      if (Kept && Written)
        explainBug(Report.Bugs.back(), std::move(*Written));
    }
    return true;
  }

private:
  void explainBug(Bug &B, Recording Run) {
    Run.File = File;
    Run.Unroll = Options.Unroll;
    Run.BugWhere = B.Where;
    B.Trace = std::make_shared<Counterexample>(explain(std::move(Run)));
  }

  void addAlarms(MemoryModel Against, const Sharing &Known) {
    Robustness R;
    R.Against = Against;
    auto Found = violationsOf(P, *Exploration.Monitor, Against);
    const ScViolation &First = Found.front().first;
    const RobustnessAlarm *Alarm = Found.front().second;
    setNotRobust(R, First.Store, Alarm ? placeOf(P, P.placeOf(Alarm->Overtaker.Pc)) : First.Overtakers.front(),
                 First.Observer);
    const size_t Most = Options.Witnesses ? Options.MostWitnesses : 0;
    if (std::optional<Recording> Run = Most ? witnessOf(Against, Alarm, Known) : std::nullopt)
      setWitness(R, std::move(*Run));
    if (Most > 1) {
      Found.front().first.Witness = R.Witness;
      addWitnesses(Against, Found, Known, Most);
    }
    for (auto &[Violation, Raised] : Found)
      R.Violations.push_back(std::move(Violation));
    putMarkedFirst(R);
    Report.Robust.push_back(std::move(R));
  }

  /// Shows violations with executions: of each store one, then as many others as there may be.
  void addWitnesses(MemoryModel Against, std::vector<std::pair<ScViolation, const RobustnessAlarm *>> &Found,
                    const Sharing &Known, size_t Most) {
    size_t Shown = 1;
    for (const bool EachStore : {true, false})
      for (auto &[Violation, Alarm] : Found) {
        auto IsShown = [&, &Store = Violation.Store](const auto &Other) {
          return Other.first.Witness && isSame(Other.first.Store, Store);
        };
        if (Shown >= Most || Violation.Witness || (EachStore && std::any_of(Found.begin(), Found.end(), IsShown)))
          continue;
        std::optional<Recording> Run = witnessOf(Against, Alarm, Known);
        if (!Run)
          continue;
        auto Witness = std::make_shared<Counterexample>(explain(std::move(*Run)));
        if (!Witness->Why.Edges.empty()) {
          Violation.Witness = std::move(Witness);
          ++Shown;
        }
      }
  }

  std::optional<Recording> witnessOf(MemoryModel Against, const RobustnessAlarm *Alarm, const Sharing &Known) const {
    if (!Alarm)
      return std::nullopt;
    std::optional<Recording> Run = findWitness(P, Exploration.Machine, Known, Against, *Alarm);
    if (Run) {
      Run->File = File;
      Run->Unroll = Options.Unroll;
    }
    return Run;
  }

  void keep(Execution &E, const BugReport &B) {
    SeenBug &Kept = Seen.emplace_back(SeenBug{B, {}});
    for (uint32_t K = 0; K < E.length(); ++K)
      Kept.Schedule.push_back(E[K].Process);
  }

  /// Keeps the first run that shows a bug.
  void keep(GraphRun &Run, const BugReport &B, bool IsNew) {
    if (IsNew && SeenGraphs.size() + 1 == Report.Bugs.size() && SeenGraphs.size() < Options.Counterexamples)
      SeenGraphs.push_back({B, Run.script(), Run.machine().sharing()});
  }

  void keepEffects(GraphRun &Run) {
    Machine &M = Run.machine();
    for (const BugReport &B : M.bugs())
      if (auto [At, New] = SeenEffects.try_emplace({B.Kind, B.Thread, B.Pc}); New)
        At->second = {B, Run.effectsBefore(B), Run.script().Threads, M.sharing()};
  }

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
  std::map<std::tuple<BugKind, ThreadId, uint32_t>, SeenEffect> SeenEffects; // per bug, the first run with it
  const std::function<void(const Progress &)> &OnProgress;
  const ExplorationOptions &Exploration;
  StatesMeanwhile Meanwhile;
};

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
bool isFromNothing(const Program &P, const MachineOptions &Machine, const ExplorationResult &Result,
                   const Collector &Found) {
  return Result.Ended == ExplorationResult::End::Everything && !Result.Executions && !Result.Cut && !Result.Unchecked &&
         !Found.assumed() && P.Failures.empty() && Machine.Looked.has(BugKind::Deadlock) &&
         Machine.Looked.has(BugKind::Hang);
}

/// One execution per reads-from relation. False, and the report says why, if that is not possible.
bool exploreReadsFrom(const Program &P, ExplorationOptions E, Collector &Found, ModelReport &Report,
                      ExplorationResult &Result) {
  for (CheckGroup Group : {CheckGroup::Leak, CheckGroup::Uninitialised}) // matters of coherence
    if (E.Machine.Looked.has(Group)) {
      Report.WhyNotReadsFrom = std::string("bugs of the kind '") + nameOf(Group) + "' are looked for";
      return false;
    }
  E.OnePer = Report.OnePer = Equivalence::ReadsFrom;
  try {
    Result = exploreGraphs(P, E.Model, E, Found);
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
  else if (isFromNothing(P, E.Machine, Result, Found))
    Report.WhyNotReadsFrom = "no execution came to an end";
  else if (!Found.finished(P, E.Machine, E.Model))
    Report.WhyNotReadsFrom = "a bug could not be shown with store buffers";
  if (Report.WhyNotReadsFrom.empty())
    return true;
  Report.OnePer = Equivalence::ShashaSnir;
  Found.restarted();
  return false;
}

void checkModel(const std::string &File, const Program &P, const CheckOptions &Options,
                const std::function<void(const Progress &)> &OnProgress, const std::atomic<bool> *Cancel,
                ModelReport &Report, ScMonitor *Monitor, SpareCores *Spare) {
  ExplorationOptions E = limitsOf(Options, Options.TimeoutSeconds, Cancel);
  E.Spare = Spare;
  E.Monitor = Report.Which == MemoryModel::SC ? Monitor : nullptr;
  if (Options.Search == Engine::Lazy && isSearched(Report.Which)) {
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
    E.Model = Report.Which;
    if (!isExploredAsGraphs(Report.Which)) {
      if (Options.OnePer != Equivalence::ReadsFrom || Options.RobustnessOnly || Options.Samples ||
          !exploreReadsFrom(P, E, Found, Report, Result)) {
        Result = exploreOptimally(P, E, Found);
        if (isStopped(Result)) // no equivalence goes further
          Report.WhyNotReadsFrom.clear();
      }
    } else {
      Result = exploreGraphs(P, Report.Which, E, Found);
      Found.finished(P, E.Machine);
    }
  } catch (const std::bad_alloc &) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = "memory ran out";
  }
  if (Result.FailedWakeups && Result.Ended == ExplorationResult::End::Everything) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = "an execution that was planned could not be carried out; this is a bug in Picket";
  }
  Report.Seconds = secondsSince(Start);
  Report.Executions = Result.Executions;
  Report.Blocked = Result.Blocked;
  Report.CutShort = Result.Cut;
  Report.Unchecked = Result.Unchecked;
  Report.Rejected = Result.RejectedBranches;
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
  if (Report.Result == Verdict::Verified && isFromNothing(P, E.Machine, Result, Found)) {
    Report.Result = Verdict::Inconclusive;
    Report.Reason = "no execution came to an end, and Picket cannot say why";
  }
  if (Report.Result == Verdict::Bounded)
    Found.tellBehindBound();
  if (E.Monitor && Result.Ended == ExplorationResult::End::Everything && !isFromNothing(P, E.Machine, Result, Found))
    addRobust(Report, E.Machine.Unroll);
  Found.addStates();
}

/// Models of a check. TSO and PSO are not explored where SC turns out to answer for them, so they begin once SC is
/// over or has shown that it does not.
class ModelChecks {
public:
  ModelChecks(CheckReport &Report, const Program &P, const CheckOptions &Options,
              const std::function<void(const Progress &)> &OnProgress, const std::atomic<bool> *Cancel,
              const std::function<void(const CheckReport &)> &OnModel, SpareCores &Spare)
      : Report(Report), P(P), Options(Options), OnProgress(OnProgress), Cancel(Cancel), OnModel(OnModel),
        Jobs(coresOf(Options.Jobs)), Spare(Spare), Done(Report.Models.size()) {
    // What others wait for comes first.
    for (const MemoryModelInfo &M : MemoryModels)
      for (size_t K = 0; K < Report.Models.size(); ++K)
        if (Report.Models[K].Which == M.Model)
          Order.push_back(K);
    auto Relaxed = [](const ModelReport &M) { return infoOf(M.Which).Monitored; };
    const bool Useful = Options.RobustnessOnly || std::any_of(Report.Models.begin(), Report.Models.end(), Relaxed);
    const bool ByReads = Options.OnePer == Equivalence::ReadsFrom && !Options.RobustnessOnly; // no coherence to monitor
    if (Options.Monitor && !ByReads && Options.Search != Engine::Lazy && Useful && !Order.empty() &&
        Report.Models[Order.front()].Which == MemoryModel::SC)
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
    CheckReport SoFar{Report.File, Report.Diagnostics, {}, Report.Looked, 0};
    for (size_t K = 0; K < Done.size(); ++K)
      if (Done[K]) {
        SoFar.Models.push_back(Report.Models[K]);
        SoFar.Models.back().MayChange = wantsSecondLook(Report.Models[K]);
      }
    OnModel(SoFar);
  }

  /// Waits for SC as far as needed. True: its answer is that of M as well, which has it now.
  bool followsFromSc(ModelReport &M) {
    if (!Sc || !infoOf(M.Which).Monitored)
      return false;
    const size_t ScIndex = static_cast<size_t>(Sc - Report.Models.data());
    std::unique_lock<std::mutex> Lock(Telling);
    Changed.wait(Lock, [&] { return Done[ScIndex] || Alarms.alarmed(M.Which); });
    if (!Done[ScIndex])
      return false;
    auto Answer =
        std::find_if(Sc->Robust.begin(), Sc->Robust.end(), [&](const Robustness &R) { return R.Against == M.Which; });
    const bool Robust = Answer != Sc->Robust.end() && Answer->Known == Robustness::Robust;
    if (!Robust || Sc->Unchecked || (Sc->Result != Verdict::Verified && Sc->Result != Verdict::Bounded))
      return false;
    const MemoryModel Which = M.Which;
    M = *Sc;
    M.Which = Which;
    M.Seconds = 0;
    M.FromSc = true;
    return true;
  }

  /// Whether the bound, or a loop that does not end, is all that keeps a model from an answer.
  bool wantsSecondLook(const ModelReport &M) const {
    const bool Stopped = M.Result == Verdict::Inconclusive && M.ReasonPlace.Line > 0 && M.Executions == 0;
    return Options.Search == Engine::Auto && isSearched(M.Which) && (M.Result == Verdict::Bounded || Stopped);
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
    ExplorationOptions Limits = limitsOf(Options, Seconds, Cancel);
    Limits.Spare = Jobs > 1 ? &Spare : nullptr;
    return Limits;
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
        if (R.Known == Robustness::Robust && R.Bounded) {
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
  SpareCores &Spare;
  std::vector<size_t> Order; // of Report.Models
  ModelReport *Sc = nullptr; // if it is asked for and monitored
  ScMonitor Alarms;
  std::atomic<size_t> Next = 0;
  std::mutex Telling;
  std::condition_variable Changed;
  std::vector<bool> Done;
};

/// Models that are checked together, as a report of their own.
struct ModelGroup {
  CheckOptions Options; // with these models
  CheckReport Report;   // all of it, once they are done
  bool Done = false;
  std::vector<ModelReport> Known; // what is told of them
};

/// All models of a check: those explored as graphs (POWER) by themselves, since they can take much longer than the
/// others, which then do not wait for them.
class CheckRun {
public:
  CheckRun(CheckReport &Report, const Program &P, const CheckOptions &Options,
           const std::function<void(const Progress &)> &OnProgress, const std::atomic<bool> *Cancel,
           const std::function<void(const CheckReport &)> &OnModel)
      : Report(Report), P(P), Options(Options), OnProgress(OnProgress), Cancel(Cancel), OnModel(OnModel),
        Spare(coresOf(Options.Jobs)) {
    for (const ModelReport &M : Report.Models) {
      ModelGroup &Own = isExploredAsGraphs(M.Which) ? Graphs : Others;
      Own.Report.Models.push_back(M);
    }
    for (ModelGroup *G : {&Others, &Graphs}) {
      G->Report.File = Report.File;
      G->Report.Looked = Report.Looked;
      G->Options = Options;
      G->Options.Models.clear();
      for (const ModelReport &M : G->Report.Models)
        G->Options.Models.push_back(M.Which);
      G->Options.MaxMemoryBytes = Options.MaxMemoryBytes / modelsAtOnce(Options.Models, Options.Jobs) *
                                  modelsAtOnce(G->Options.Models, Options.Jobs);
      G->Done = G->Options.Models.empty();
    }
  }

  void run() {
    // With one core only, graphs come last. Otherwise they may have one too many: of the others, one mostly waits for
    // SC.
    std::thread Beside;
    if (!Others.Done && !Graphs.Done && coresOf(Options.Jobs) > 1)
      Beside = std::thread([this] { check(Graphs); });
    if (!Others.Done)
      check(Others);
    if (Beside.joinable())
      Beside.join();
    else if (!Graphs.Done)
      check(Graphs);
    for (ModelReport &M : Report.Models)
      M = std::move(*find(isExploredAsGraphs(M.Which) ? Graphs.Report.Models : Others.Report.Models, M.Which));
  }

private:
  static ModelReport *find(std::vector<ModelReport> &In, MemoryModel M) {
    auto At = std::find_if(In.begin(), In.end(), [&](const ModelReport &R) { return R.Which == M; });
    return At == In.end() ? nullptr : &*At;
  }

  void check(ModelGroup &G) {
    const std::function<void(const CheckReport &)> Tell = [&](const CheckReport &SoFar) {
      std::lock_guard<std::mutex> Lock(Telling);
      G.Known = SoFar.Models;
      tell();
    };
    auto CheckModels = [&](const Program &Which, const CheckOptions &Asked,
                           const std::function<void(const Progress &)> &OnStep,
                           const std::function<void(const CheckReport &)> &TellModel, CheckReport &Into) {
      ModelChecks Checks(Into, Which, Asked, OnStep, Cancel, TellModel, Spare);
      Checks.run();
      Checks.shareRobustness();
      Checks.lookAgain();
    };
    if (hasFailureRounds(P, Options)) {
      auto Round = [&](const Program &Which, const CheckOptions &Asked,
                       const std::function<void(const Progress &)> &OnStep, CheckReport &Into) {
        CheckModels(Which, Asked, OnStep, {}, Into); // no model is done before the last round
      };
      checkFailureRounds(P, G.Options, OnProgress, Cancel, Round, G.Report);
    } else {
      CheckModels(P, G.Options, OnProgress, OnModel ? Tell : std::function<void(const CheckReport &)>(), G.Report);
    }
    std::lock_guard<std::mutex> Lock(Telling);
    G.Done = true;
    G.Known = G.Report.Models;
    if (OnModel && !(Others.Done && Graphs.Done))
      tell();
  }

  void tell() {
    CheckReport SoFar{Report.File, Report.Diagnostics, {}, Report.Looked, 0};
    for (const MemoryModel M : Options.Models)
      if (const ModelReport *Known = find(isExploredAsGraphs(M) ? Graphs.Known : Others.Known, M))
        SoFar.Models.push_back(*Known);
    skipRefused(SoFar, Options);
    OnModel(SoFar);
  }

  CheckReport &Report;
  const Program &P;
  const CheckOptions &Options;
  const std::function<void(const Progress &)> &OnProgress;
  const std::atomic<bool> *Cancel;
  const std::function<void(const CheckReport &)> &OnModel;
  SpareCores Spare;
  ModelGroup Others, Graphs;
  std::mutex Telling; // Known and Done
};

} // namespace

void skipRefused(CheckReport &Report, const CheckOptions &Options) {
  if (Options.ModelsNamed || Options.Models.size() < 2)
    return;
  auto Refuses = [](const ModelReport &M) { return M.Result == Verdict::Unsupported; };
  const bool Complete = Report.Models.size() == Options.Models.size();
  if (Complete && std::all_of(Report.Models.begin(), Report.Models.end(), Refuses))
    return; // there is no other answer
  for (ModelReport &M : Report.Models)
    M.Skipped = isExploredAsGraphs(M.Which) && Refuses(M);
}

CompileRequest textToCheck(CompileRequest Text, const CheckOptions &Options) {
  Text.FindOverflows = Options.Looked.has(CheckGroup::Overflow);
  return Text;
}

CheckReport check(const CheckRequest &Request, const std::function<void(const Progress &)> &OnProgress,
                  const std::atomic<bool> *Cancel, const std::function<void()> &OnCompiled,
                  const std::function<void(const CheckReport &)> &OnModel) {
  Clock::time_point Start = Clock::now();
  CompileResult Compiled = compileProgram(textToCheck(Request.Text, Request.Options));
  const double CompileSeconds = secondsSince(Start);
  if (OnCompiled)
    OnCompiled();
  CheckReport Report =
      checkCompiled(Request.Text.File, std::move(Compiled), Request.Options, OnProgress, Cancel, OnModel);
  Report.CompileSeconds = CompileSeconds;
  Report.Flags = Request.Text.Flags;
  return Report;
}

CheckReport checkCompiled(const std::string &File, CompileResult Compiled, const CheckOptions &Options,
                          const std::function<void(const Progress &)> &OnProgress, const std::atomic<bool> *Cancel,
                          const std::function<void(const CheckReport &)> &OnModel) {
  CheckReport Report;
  Report.File = File;
  Report.Looked = Options.Looked;
  Report.Diagnostics = std::move(Compiled.Diagnostics);
  for (MemoryModel M : Options.Models)
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

  CheckRun(Report, P, Options, OnProgress, Cancel, OnModel).run();
  skipRefused(Report, Options);
  return Report;
}

} // namespace picket
