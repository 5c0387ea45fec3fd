#include "fences/Repair.h"

#include "check/RobustnessCheck.h"
#include "trace/Replay.h"

#include <algorithm>
#include <map>

namespace picket {

namespace {

/// The strongest first: what it finds needs the fewest delays.
std::vector<MemoryModel> relaxedModels(std::vector<MemoryModel> Asked) {
  std::erase(Asked, MemoryModel::SC);
  std::sort(Asked.begin(), Asked.end());
  return Asked;
}

/// In an execution under SC: a thread reads something and writes it back, and another one writes it in between.
/// Empty if nobody does.
std::string interference(const Recording &R) {
  struct Seen {
    uint32_t Read = NoEvent, Between = NoEvent;
  };
  std::map<std::pair<uint32_t, uint32_t>, Seen> PerThread; // by thread and variable
  auto Line = [&](uint32_t Event) { return " (line " + std::to_string(R.Events[Event].At.Where.Line) + ")"; };
  auto Thread = [&](uint32_t Event) { return "thread '" + R.Threads[R.Events[Event].Thread].Name + "'"; };
  for (uint32_t K = 0; K < R.Events.size(); ++K) {
    const TraceEvent &E = R.Events[K];
    if (E.Kind != EventKind::Load && E.Kind != EventKind::Store && E.Kind != EventKind::Rmw)
      continue;
    for (const TraceAccess &A : E.Accesses) {
      Seen &Mine = PerThread[{E.Thread, A.Variable}];
      if (!A.Write) {
        Mine = {K, NoEvent};
        continue;
      }
      if (E.Kind == EventKind::Store && Mine.Between != NoEvent)
        return Thread(K) + " reads '" + R.Variables[A.Variable].Name + "'" + Line(Mine.Read) + " and writes it" +
               Line(K) + ", and " + Thread(Mine.Between) + " writes it in between" + Line(Mine.Between) +
               ", which a lock or an atomic read-modify-write would prevent";
      for (auto &[Key, Other] : PerThread)
        if (Key.first != E.Thread && Key.second == A.Variable && Other.Read != NoEvent && Other.Between == NoEvent)
          Other.Between = K;
    }
  }
  return "";
}

std::string whyNoFence(const Bug &B) {
  const std::string Between = B.Trace ? interference(B.Trace->Run) : "";
  return "this also happens under sequential consistency: no fence can prevent it" +
         (Between.empty() ? "" : "; " + Between);
}

class BugSearch {
public:
  BugSearch(const std::string &File, const CheckOptions &Options, Thoroughness How, const std::atomic<bool> *Cancel)
      : File(File), Options(Options), How(How), Cancel(Cancel), Relaxed(relaxedModels(Options.Models)) {
    this->Options.Exhaustive = false;
    this->Options.Samples = false;
    this->Options.Monitor = false;
    this->Options.Search = Engine::Bounded; // rounds are many, and have to be quick
    this->Options.Counterexamples = 1;
  }

  RoundReport operator()(const Program &Compiled, double Seconds) {
    RoundReport Round;
    // Fences change nothing under SC, so that once is enough.
    if (!Sequential) {
      ModelReport Report = check(Compiled, MemoryModel::SC, Seconds);
      if (Report.Result == Verdict::Violation && isRace(Report)) // orders do change something
        return violated(std::move(Report));
      if (Report.Result == Verdict::Violation) {
        const std::string Reason = whyNoFence(Report.Bugs.front());
        return unfenceable(std::move(Report), Reason);
      }
      if (!passed(Report, Round))
        return Round;
      Sequential = std::move(Report);
    }
    if (std::find(Options.Models.begin(), Options.Models.end(), MemoryModel::SC) != Options.Models.end())
      Round.Models.push_back(*Sequential);
    for (MemoryModel M : Relaxed) {
      ModelReport Report = check(Compiled, M, Seconds);
      if (Report.Result == Verdict::Violation)
        return violated(std::move(Report));
      Report.Skipped = isExploredAsGraphs(M) && Report.Result == Verdict::Unsupported && !Options.ModelsNamed &&
                       (Options.Partly || Options.Models.size() > 1);
      if (!Report.Skipped && !passed(Report, Round))
        return Round;
      Round.Models.push_back(std::move(Report));
    }
    return Round;
  }

private:
  ModelReport check(const Program &Compiled, MemoryModel M, double Seconds) {
    CheckOptions Now = Options;
    Now.Models = {M};
    if (M == MemoryModel::SC && (!looksForRaces(Options, M) ||
                                 std::find(Options.Models.begin(), Options.Models.end(), M) == Options.Models.end()))
      Now.Races = RaceReporting::Default;
    if (Seconds > 0 && (Now.TimeoutSeconds <= 0 || Seconds < Now.TimeoutSeconds))
      Now.TimeoutSeconds = Seconds;
    CompileResult Code{Compiled, {}};
    if (!Compiled.TargetNamed)
      Code.Compiled->For =
          targetOf(M, Options.Targets); // programs of several targets that are the same are checked as one
    return std::move(checkCompiled(File, std::move(Code), Now, {}, Cancel).Models.front());
  }

  bool passed(const ModelReport &Report, RoundReport &Round) const {
    if (Report.Result == Verdict::Verified || Report.Result == Verdict::Bounded)
      return true;
    Round.What =
        Report.Result == Verdict::Inconclusive ? RoundReport::Result::GaveUp : RoundReport::Result::NotFenceable;
    Round.Reason = Report.Reason;
    Round.Under = Report.Which;
    return false;
  }

  MachineOptions machineOptions() const {
    MachineOptions Machine;
    Machine.Looked = checksOf(Options);
    Machine.Unroll = std::max(1u, Options.Unroll);
    Machine.MaxMemoryBytes = Options.MaxMemoryBytes;
    return Machine;
  }

  static bool isRace(const ModelReport &Report) { return Report.Bugs.front().Kind == BugKind::DataRace; }

  /// With store buffers all delays of an execution are few and known exactly.
  Thoroughness thoroughness(MemoryModel M) const { return isExploredAsGraphs(M) ? How : Thoroughness::All; }

  static RoundReport unfenceable(ModelReport Report, const std::string &Reason) {
    RoundReport Round;
    Round.What = RoundReport::Result::NotFenceable;
    Round.Reason = Reason;
    Round.Under = Report.Which;
    Round.Found = std::move(Report.Bugs.front());
    return Round;
  }

  RoundReport violated(ModelReport Report) const {
    RoundReport Round;
    for (const Bug &B : Report.Bugs)
      if (B.Trace)
        if (Violation V = delaysOf(*B.Trace, Report.Which, thoroughness(Report.Which));
            !V.Delays.empty() || !V.Race.empty()) {
          if (isExploredAsGraphs(Report.Which) || B.Trace->Run.isRace())
            V.StillHappens = [Trace = B.Trace, Machine = machineOptions()](const Program &Edited) {
              return stillHappens(Edited, Trace->Run, Machine);
            };
          Round.Violations.push_back(std::move(V));
        }
    if (Round.Violations.empty() && isRace(Report))
      return unfenceable(
          std::move(Report),
          "Picket finds no fence or memory order that orders these accesses: make them atomic, or use a lock");
    if (Round.Violations.empty())
      return unfenceable(std::move(Report), "nothing is reordered in this execution: no fence can prevent it");
    Round.What = RoundReport::Result::Violated;
    Round.Under = Report.Which;
    Round.Found = std::move(Report.Bugs.front());
    return Round;
  }

  const std::string File;
  CheckOptions Options;
  const Thoroughness How;
  const std::atomic<bool> *Cancel;
  const std::vector<MemoryModel> Relaxed;
  std::optional<ModelReport> Sequential;
};

/// Watches SC executions for what the other models could do differently.
class RobustnessSearch {
public:
  RobustnessSearch(const std::string &File, const CheckOptions &Given, const std::atomic<bool> *Cancel)
      : File(File), Options(robustnessOptionsOf(Given)), Asked(relaxedModels(Given.Models)), Cancel(Cancel) {
    // Where nobody asked for these, the others can be made robust all the same.
    if (!Given.ModelsNamed && (Given.Partly || Asked.size() > 1))
      std::erase_if(Asked, [](MemoryModel M) { return !infoOf(M).Monitored; });
    Options.MostWitnesses = 1;
    Options.Search = Engine::Bounded;
  }

  RoundReport operator()(const Program &Compiled, double Seconds) {
    if (Asked.empty()) // a program of models that nobody asks about
      return {};
    RobustnessOptions Now = Options;
    if (Seconds > 0 && (Now.TimeoutSeconds <= 0 || Seconds < Now.TimeoutSeconds))
      Now.TimeoutSeconds = Seconds;
    const RobustnessReport Report = checkRobustness(File, {Compiled, {}}, Now, {}, Cancel);
    const ModelReport &Sc = Report.sc();
    RoundReport Round;
    for (MemoryModel M : Asked) {
      const Robustness *Answer = Report.against(M);
      if (!Answer || Answer->Known == Robustness::Unknown) {
        const bool Limit = Sc.Result == Verdict::Inconclusive;
        Round.What = Limit ? RoundReport::Result::GaveUp : RoundReport::Result::NotFenceable;
        Round.Reason = !infoOf(M).Monitored
                           ? "programs can be made robust against " + titlesOf(monitoredModels()) + " only"
                       : !Sc.Reason.empty() ? Sc.Reason
                                            : "it is not known whether the program is robust";
        return Round;
      }
      if (Answer->Known == Robustness::Robust) {
        ModelReport Covered = Sc;
        Covered.Which = M;
        Covered.Result = Answer->Bounded ? Verdict::Bounded : Verdict::Verified;
        Round.Models.push_back(std::move(Covered));
        continue;
      }
      Round.What = RoundReport::Result::Violated;
      Round.Under = M;
      if (Answer->Witness)
        Round.Violations.push_back(delaysOf(*Answer->Witness, M, Thoroughness::All));
      if (Round.Violations.empty() || Round.Violations.back().Delays.empty()) {
        Round.What = RoundReport::Result::NotFenceable;
        Round.Reason = Answer->Message;
      }
      return Round;
    }
    return Round;
  }

private:
  const std::string File;
  RobustnessOptions Options;
  std::vector<MemoryModel> Asked;
  const std::atomic<bool> *Cancel;
};

} // namespace

RoundChecker robustChecker(const std::string &File, const CheckOptions &Options, const std::atomic<bool> *Cancel) {
  return RobustnessSearch(File, Options, Cancel);
}

RoundChecker bugChecker(const std::string &File, const CheckOptions &Options, Thoroughness How,
                        const std::atomic<bool> *Cancel) {
  return BugSearch(File, Options, How, Cancel);
}

} // namespace picket
