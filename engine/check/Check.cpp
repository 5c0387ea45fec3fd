#include "check/Check.h"

#include "check/AccessSampler.h"
#include "explore/OptimalDpor.h"
#include "trace/Recorder.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <tuple>

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

/// Collects what the executions of one model show.
class Collector : public ExplorationObserver {
public:
  Collector(const std::string &File, const Program &P, const CheckOptions &Options, ModelReport &Report,
            const std::function<void(const Progress &)> &OnProgress)
      : File(File), P(P), Options(Options), Report(Report), OnProgress(OnProgress) {}

  void ended(Execution &E, Ending How) override {
    Machine &M = E.configuration().machine();
    if (Options.Samples)
      Sampler.look(E);
    if (How == Ending::Buggy)
      for (const BugReport &B : M.bugs())
        add(E, B);
    if (How == Ending::Cut)
      for (ThreadId T = 0; T < M.numThreads(); ++T)
        if (M.exists(T) && M.status(T) == ThreadStatus::Cut)
          addLoop(M.loopOfSpin(T));
    for (; ReadsSeen < M.unwrittenReads().size(); ++ReadsSeen)
      addRead(M.unwrittenReads()[ReadsSeen]);
  }

  void progress(const ExplorationResult &Result) override {
    if (OnProgress)
      OnProgress({Report.Which, Result.Executions, Result.Explored, secondsSince(Start)});
  }

  void restarted() override {
    Report.Bugs.clear();
    Report.Loops.clear();
    Report.Notes.clear();
    ReadsSeen = 0;
    Seen.clear();
    Sampler.clear();
  }

  void finished(Configuration &C) override {
    for (size_t K = 0; K < Seen.size(); ++K) {
      std::optional<Recording> Run = record(C, Seen[K].Schedule, &Seen[K].Bug);
      if (!Run)
        continue;
      Run->File = File;
      Run->Unroll = Options.Unroll;
      Run->BugWhere = Report.Bugs[K].Where;
      Report.Bugs[K].Trace = std::make_shared<Counterexample>(explain(std::move(*Run)));
    }
    for (const std::vector<ProcessId> &Schedule : Sampler.chosen())
      if (std::optional<Recording> Run = record(C, Schedule, nullptr))
        Report.Samples.push_back(std::make_shared<Recording>(std::move(*Run)));
  }

private:
  void add(Execution &E, const BugReport &B) {
    Machine &M = E.configuration().machine();
    Bug New{nameOf(B.Kind), B.Message, whereOf(M, B), M.threadName(B.Thread), nullptr};
    for (const Bug &Known : Report.Bugs)
      if (Known.Kind == New.Kind && Known.Where.File == New.Where.File && Known.Where.Line == New.Where.Line &&
          Known.Where.Column == New.Where.Column && Known.Thread == New.Thread)
        return;
    Report.Bugs.push_back(std::move(New));
    if (Seen.size() + 1 != Report.Bugs.size() || Seen.size() >= Options.Counterexamples)
      return;
    SeenBug &Kept = Seen.emplace_back(SeenBug{B, {}});
    for (uint32_t K = 0; K < E.length(); ++K)
      Kept.Schedule.push_back(E[K].Process);
  }

  /// A bug inside a model of the C library is shown where the user's text called it.
  Place whereOf(Machine &M, const BugReport &B) {
    std::vector<uint32_t> Stack = M.callStack(B.Thread);
    if (!Stack.empty())
      Stack.back() = B.Pc;
    for (size_t K = Stack.size(); K-- > 0;)
      if (const SourceLocation &L = P.placeOf(Stack[K]); L.Line && P.UserFile[L.File])
        return placeOf(P, L);
    return placeOf(P, P.placeOf(B.Pc));
  }

  void addLoop(uint32_t Loop) {
    Place Where = placeOf(P, P.Locations[P.Loops[Loop].Location]);
    for (const CutLoop &Known : Report.Loops)
      if (Known.Where.File == Where.File && Known.Where.Line == Where.Line)
        return;
    Report.Loops.push_back({Where});
  }

  void addRead(const Machine::UnwrittenRead &Read) {
    const SourceLocation &L = P.placeOf(Read.Pc);
    if (!L.Line || !P.UserFile[L.File])
      return;
    Note New{Read.Partly ? "reads memory of which only a part was written before; Picket takes the rest to be zero"
                         : "reads memory that nothing has written before; Picket takes it to be zero",
             placeOf(P, L)};
    auto Key = [](const Note &N) { return std::tie(N.Where.File, N.Where.Line, N.Where.Column); };
    auto At = std::lower_bound(Report.Notes.begin(), Report.Notes.end(), New,
                               [&](const Note &A, const Note &B) { return Key(A) < Key(B); });
    if (At == Report.Notes.end() || Key(*At) != Key(New))
      Report.Notes.insert(At, std::move(New));
  }

  struct SeenBug {
    BugReport Bug;
    std::vector<ProcessId> Schedule;
  };

  const std::string &File;
  const Program &P;
  const CheckOptions &Options;
  ModelReport &Report;
  const Clock::time_point Start = Clock::now();
  AccessSampler Sampler;
  size_t ReadsSeen = 0;      // of the machine's unwritten reads
  std::vector<SeenBug> Seen; // the first of Report.Bugs, with the executions that show them
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
  std::optional<Buffering> Buffers = bufferingOf(Report.Which);
  if (!Buffers) {
    Report.Result = Verdict::Unsupported;
    Report.Reason = "the memory model POWER is not available";
    return;
  }
  ExplorationOptions E;
  E.Buffers = *Buffers;
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
    Result = exploreOptimally(P, E, Found);
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
