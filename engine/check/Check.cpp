#include "check/Check.h"

#include "check/AccessSampler.h"
#include "check/Findings.h"
#include "explore/OptimalDpor.h"
#include "explore/Rsmc.h"
#include "trace/GraphRecorder.h"
#include "trace/Recorder.h"
#include "trace/RecordingNames.h"

#include <algorithm>
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

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point Start) { return std::chrono::duration<double>(Clock::now() - Start).count(); }

/// Collects what the executions of one model show, in order or as graphs.
class Collector : public ExplorationObserver, public GraphObserver {
public:
  Collector(const std::string &File, const Program &P, const CheckOptions &Options, ModelReport &Report,
            const std::function<void(const Progress &)> &OnProgress)
      : File(File), Options(Options), Report(Report), Found(P, Report), OnProgress(OnProgress) {}

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
  void explainBug(Bug &B, Recording Run) {
    Run.File = File;
    Run.Unroll = Options.Unroll;
    Run.BugWhere = B.Where;
    B.Trace = std::make_shared<Counterexample>(explain(std::move(Run)));
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
  const CheckOptions &Options;
  ModelReport &Report;
  Findings Found;
  const Clock::time_point Start = Clock::now();
  AccessSampler Sampler;
  std::vector<SeenBug> Seen; // the first of Report.Bugs, with the executions that show them
  std::vector<SeenGraph> SeenGraphs;
  const std::function<void(const Progress &)> &OnProgress;
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

void checkModel(const std::string &File, const Program &P, const CheckOptions &Options,
                const std::function<void(const Progress &)> &OnProgress, const std::atomic<bool> *Cancel,
                ModelReport &Report) {
  ExplorationOptions E;
  E.Exhaustive = Options.Exhaustive;
  E.Machine.Unroll = std::max(1u, Options.Unroll);
  E.Machine.MaxMemoryBytes = E.MaxMemoryBytes = Options.MaxMemoryBytes;
  E.Cancel = Cancel;
  Clock::time_point Start = Clock::now();
  if (Options.TimeoutSeconds > 0)
    E.Deadline =
        Start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(Options.TimeoutSeconds));

  Collector Found(File, P, Options, Report, OnProgress);
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
}

} // namespace

CheckReport check(const CheckRequest &Request, const std::function<void(const Progress &)> &OnProgress,
                  const std::atomic<bool> *Cancel) {
  Clock::time_point Start = Clock::now();
  CompileResult Compiled = compileProgram(Request.Text);
  const double CompileSeconds = secondsSince(Start);
  CheckReport Report = checkCompiled(Request.Text.File, std::move(Compiled), Request.Options, OnProgress, Cancel);
  Report.CompileSeconds = CompileSeconds;
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

  // Models are independent of each other, so the answers do not depend on how many are explored side by side.
  unsigned Jobs = Options.Jobs ? Options.Jobs : std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> Next = 0;
  std::mutex Telling;
  std::vector<bool> Done(Report.Models.size());
  auto Tell = [&](size_t K) {
    std::lock_guard<std::mutex> Lock(Telling);
    Done[K] = true;
    CheckReport SoFar{Report.File, Report.Diagnostics, {}, 0};
    for (size_t I = 0; I < Done.size(); ++I)
      if (Done[I])
        SoFar.Models.push_back(Report.Models[I]);
    OnModel(SoFar);
  };
  auto Work = [&] {
    for (size_t K = Next++; K < Report.Models.size(); K = Next++) {
      const ModelReport &M = Report.Models[K];
      checkModel(Report.File, P, Options, OnProgress, Cancel, Report.Models[K]);
      if (OnProgress)
        OnProgress({M.Which, M.Executions, 1, M.Seconds});
      if (OnModel)
        Tell(K);
    }
  };
  std::vector<std::thread> Others;
  for (unsigned K = 1; K < Jobs && K < Report.Models.size(); ++K)
    Others.emplace_back(Work);
  Work();
  for (std::thread &T : Others)
    T.join();
  return Report;
}

} // namespace picket
