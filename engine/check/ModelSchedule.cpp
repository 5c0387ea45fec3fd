#include "check/ModelSchedule.h"

#include "check/FailureRounds.h"
#include "check/Limits.h"
#include "check/ModelCheck.h"
#include "check/StateCheck.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace picket {

namespace {

/// Whether the bound, or a loop that does not end, is all that keeps a model from an answer: then its states are searched
/// once all models are done.
bool wantsSecondLook(const CheckOptions &Options, const ModelReport &M) {
  const bool Endless = M.Result == Verdict::Inconclusive && M.ReasonLocation.Line > 0 && M.Executions == 0;
  return Options.Search == Engine::Auto && isSearched(M.Which) && !looksForRaces(Options, M.Which) &&
         (M.Result == Verdict::Bounded || Endless);
}

/// Models that are checked side by side. TSO and PSO are not explored where SC turns out to answer for them, so they begin
/// once SC is over or has shown that it does not.
class SideBySide {
public:
  SideBySide(CheckReport &Report, const CheckContext &Context, const ModelListener &OnModel, SpareCores &Spare)
      : Report(Report), Context(Context), OnModel(OnModel), Jobs(coresOf(Context.Options.Jobs)), Spare(Spare),
        Done(Report.Models.size()) {
    // What others wait for comes first.
    for (const MemoryModelInfo &M : MemoryModels)
      for (size_t K = 0; K < Report.Models.size(); ++K)
        if (Report.Models[K].Which == M.Model)
          Order.push_back(K);
    const CheckOptions &Options = Context.Options;
    const bool Useful = std::any_of(Report.Models.begin(), Report.Models.end(),
                                    [](const ModelReport &M) { return infoOf(M.Which).Monitored; });
    const bool HasCoherence = Options.OnePer != Equivalence::ReadsFrom; // without it there is nothing to monitor
    if (Options.Monitor && !looksForRaces(Options, MemoryModel::SC) && HasCoherence && Options.Search != Engine::Lazy &&
        Useful && Report.Models[Order.front()].Which == MemoryModel::SC)
      Sc = &Report.Models[Order.front()];
    Monitor.OnAlarm = [this] {
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
    shareRobustness();
    lookAgain();
  }

private:
  void work() {
    for (size_t K = Next++; K < Order.size(); K = Next++)
      check(Order[K]);
  }

  void check(size_t Index) {
    ModelReport &M = Report.Models[Index];
    if (!followsFromSc(M)) {
      Spare.use();
      checkModel(Context, Sc ? &Monitor : nullptr, Jobs > 1 ? &Spare : nullptr, M);
      Spare.giveBack();
    }
    Context.tell({M.Which, M.Executions, 1, M.Seconds});
    std::lock_guard<std::mutex> Lock(Telling);
    Done[Index] = true;
    Changed.notify_all();
    if (OnModel && (std::find(Done.begin(), Done.end(), false) != Done.end() || anyWantsSecondLook()))
      tell();
  }

  void tell() {
    CheckReport SoFar{Report.File, Report.Diagnostics, {}, Report.Looked, 0, {}, {}, Report.Races, Report.Language};
    for (size_t K = 0; K < Done.size(); ++K)
      if (Done[K]) {
        SoFar.Models.push_back(Report.Models[K]);
        SoFar.Models.back().MayChange = wantsSecondLook(Context.Options, Report.Models[K]);
      }
    OnModel(SoFar);
  }

  /// Waits for SC as far as needed. True: its answer is that of M as well, which has it now.
  bool followsFromSc(ModelReport &M) {
    if (!Sc || !infoOf(M.Which).Monitored)
      return false;
    const size_t ScIndex = static_cast<size_t>(Sc - Report.Models.data());
    std::unique_lock<std::mutex> Lock(Telling);
    Changed.wait(Lock, [&] { return Done[ScIndex] || Monitor.alarmed(M.Which); });
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

  bool anyWantsSecondLook() const {
    return std::any_of(Report.Models.begin(), Report.Models.end(),
                       [&](const ModelReport &M) { return wantsSecondLook(Context.Options, M); });
  }

  /// Where loops were cut: the states decide, if they do so soon.
  void lookAgain() {
    if (Context.Cancel && *Context.Cancel)
      return;
    for (ModelReport &M : Report.Models)
      if (wantsSecondLook(Context.Options, M))
        lookAgain(M);
  }

  void lookAgain(ModelReport &M) {
    ExplorationOptions Limits = limitsOfSecondLook(Context, M);
    Limits.Spare = Jobs > 1 ? &Spare : nullptr;
    StateCheck Search{Context, Limits};
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

  CheckReport &Report;
  const CheckContext &Context;
  const ModelListener &OnModel;
  const unsigned Jobs;
  SpareCores &Spare;
  std::vector<size_t> Order; // of Report.Models
  ModelReport *Sc = nullptr; // if it is asked for and monitored
  ScMonitor Monitor;
  std::atomic<size_t> Next = 0;
  std::mutex Telling; // Done; held while a report is told
  std::condition_variable Changed;
  std::vector<bool> Done; // by index of Report.Models
};

/// Models that are checked together, on one program, as a report of their own. One that is explored as graphs is a group by
/// itself.
struct ModelGroup {
  Architecture Target;
  bool Graphs;
  CheckOptions Options = {}; // with these models
  CheckReport Report = {};   // all of it, once they are done
  bool Done = false;
  std::vector<ModelReport> Known = {};     // what is told of them
  const CompileResult *Compiled = nullptr; // once it is there
};

/// Whether the bugs of a model are no stronger model's.
bool isAlone(const ModelReport &M, const std::vector<ModelReport> &All) {
  return std::none_of(All.begin(), All.end(), [&](const ModelReport &Other) {
    return isWeaker(M.Which, Other.Which) && Other.Result == Verdict::Violation;
  });
}

/// What is to be said about the target of a model: where the text asked for the architecture, and the model is not that
/// of the one that it was compiled for.
std::optional<Note> aboutTarget(const ModelReport &M, const Program &P, const std::vector<ModelReport> &All) {
  const MemoryModelInfo &Model = infoOf(M.Which);
  const std::string For = nameOf(P.For);
  const bool Chosen = P.TargetNamed && M.Result != Verdict::Violation; // whoever named it knows
  if (P.For != Model.Target && P.ArchitectureTested && !Chosen)
    return Note{"the text asks here what it is compiled for: that is " + For + " and not " + nameOf(Model.Target) +
                    ", so that " + Model.Title + " is checked with the code for " + For,
                locationOf(P, P.Locations[P.ArchitectureTested])};
  if (!Model.OfTarget && P.ArchitectureFound && M.Result == Verdict::Violation && isAlone(M, All))
    return Note{"the text chooses its code for " + For + " here, and " + Model.Title +
                    " is weaker than that: fences that " + For + " does not need may be left out",
                locationOf(P, P.Locations[P.ArchitectureFound])};
  return std::nullopt;
}

/// All models of a check, in groups: those with store buffers by what they are compiled for, and each that is explored as
/// graphs by itself, since it can take much longer than the others, which then do not wait for it.
class ModelSchedule {
public:
  ModelSchedule(CheckReport &Report, const CheckContext &Context, TargetPrograms &Programs,
                const ModelListener &OnModel)
      : Report(Report), Context(Context), Programs(Programs), OnModel(OnModel), Spare(coresOf(Context.Options.Jobs)) {
    const CheckOptions &Options = Context.Options;
    for (const ModelReport &M : Report.Models)
      groupOf(M.Which).Report.Models.push_back(M);
    for (ModelGroup &G : Groups) {
      G.Report.File = Report.File;
      G.Report.Looked = Report.Looked;
      G.Report.Races = Report.Races;
      G.Report.Language = Report.Language;
      G.Options = Options;
      if (!find(G.Report.Models, MemoryModel::C11) && find(Report.Models, MemoryModel::C11))
        G.Options.Races = RaceReporting::Default; // SC need not look for them
      G.Options.Models.clear();
      for (const ModelReport &M : G.Report.Models)
        G.Options.Models.push_back(M.Which);
      G.Options.MaxMemoryBytes = Options.MaxMemoryBytes / modelsAtOnce(Options.Models, Options.Jobs) *
                                 modelsAtOnce(G.Options.Models, Options.Jobs);
    }
  }

  void run() {
    std::vector<ModelGroup *> Graphs, Others;
    for (const MemoryModelInfo &M : MemoryModels) // the strongest first
      for (ModelGroup &G : Groups) {
        std::vector<ModelGroup *> &Kind = G.Graphs ? Graphs : Others;
        if (find(G.Report.Models, M.Model) && std::find(Kind.begin(), Kind.end(), &G) == Kind.end())
          Kind.push_back(&G);
      }
    // With one core only, graphs come last. Otherwise they have the cores that the others leave, or one too many: of the
    // others, one mostly waits for SC. There are never more models at the same time than `modelsAtOnce` says, since these
    // share the memory.
    const unsigned Cores = coresOf(Context.Options.Jobs);
    unsigned AtOnce = 0; // of the others
    for (const ModelGroup *G : Others)
      AtOnce = std::max(AtOnce, modelsAtOnce(G->Options.Models, Context.Options.Jobs));
    const size_t ForGraphs = Others.empty() ? Cores - 1 : Cores + 1 - AtOnce;
    std::atomic<size_t> Next = 0;
    auto CheckGraphs = [&] {
      for (size_t K = Next++; K < Graphs.size(); K = Next++)
        check(*Graphs[K]);
    };
    std::vector<std::thread> Beside;
    if (Cores > 1)
      for (size_t K = 0; K < Graphs.size() && K < ForGraphs; ++K)
        Beside.emplace_back(CheckGraphs);
    for (ModelGroup *G : Others)
      check(*G);
    CheckGraphs();
    for (std::thread &T : Beside)
      T.join();
    for (ModelReport &M : Report.Models)
      M = std::move(*find(groupOf(M.Which).Report.Models, M.Which));
    nameTargets(Report.Models);
  }

private:
  ModelGroup &groupOf(MemoryModel M) {
    const Architecture Target =
        Context.Compiled.TargetNamed ? Context.Compiled.For : targetOf(M, Context.Options.Targets);
    const bool Alone = isExploredAsGraphs(M);
    for (ModelGroup &G : Groups)
      if (Alone ? G.Graphs && G.Report.Models.front().Which == M : !G.Graphs && G.Target == Target)
        return G;
    return Groups.emplace_back(ModelGroup{.Target = Target, .Graphs = isExploredAsGraphs(M)});
  }

  static ModelReport *find(std::vector<ModelReport> &In, MemoryModel M) {
    auto At = std::find_if(In.begin(), In.end(), [&](const ModelReport &R) { return R.Which == M; });
    return At == In.end() ? nullptr : &*At;
  }

  void check(ModelGroup &Group) {
    const CompileResult &Compiled = Programs.get(Group.Target);
    {
      std::lock_guard<std::mutex> Lock(Telling);
      Group.Compiled = &Compiled;
    }
    const std::optional<Note> Why = whyNotRun(Compiled, Group.Target);
    if (Compiled.Compiled && !Why)
      check(Group, *Compiled.Compiled);
    else
      refuse(Group, Why.value_or(Note()));
    std::lock_guard<std::mutex> Lock(Telling);
    Group.Done = true;
    Group.Known = Group.Report.Models;
    if (OnModel && std::any_of(Groups.begin(), Groups.end(), [](const ModelGroup &G) { return !G.Done; }))
      tell();
  }

  void check(ModelGroup &Group, const Program &Compiled) {
    const CheckContext Own{Context.File, Compiled, Group.Options, Context.OnProgress, Context.Cancel};
    if (hasFailureRounds(Own)) {
      const ModelListener Nobody; // no model is done before the last round
      checkFailureRounds(
          Own, [&](const CheckContext &Round, CheckReport &Into) { SideBySide(Into, Round, Nobody, Spare).run(); },
          Group.Report);
      return;
    }
    const ModelListener Tell = [&](const CheckReport &SoFar) {
      std::lock_guard<std::mutex> Lock(Telling);
      Group.Known = SoFar.Models;
      tell();
    };
    SideBySide(Group.Report, Own, OnModel ? Tell : OnModel, Spare).run();
  }

  void refuse(ModelGroup &Group, const Note &Why) {
    for (ModelReport &M : Group.Report.Models) {
      M.Result = Verdict::Unsupported;
      M.Reason = Why.Message;
      M.ReasonLocation = Why.Where;
      Context.tell({M.Which, 0, 1, 0});
    }
  }

  void nameTargets(std::vector<ModelReport> &Models) {
    for (ModelReport &M : Models) {
      const ModelGroup &Group = groupOf(M.Which);
      M.Target = Group.Target;
      if (!Group.Compiled || !Group.Compiled->Compiled)
        continue;
      M.Stubs = Group.Compiled->Compiled->Stubs;
      M.Target = Group.Compiled->Compiled->For; // there may be one program for all
      M.AboutTarget = aboutTarget(M, *Group.Compiled->Compiled, Models);
    }
  }

  void tell() {
    CheckReport SoFar{Report.File, Report.Diagnostics, {}, Report.Looked, 0, {}, {}, Report.Races, Report.Language};
    for (const MemoryModel M : Context.Options.Models)
      if (const ModelReport *Known = find(groupOf(M).Known, M))
        SoFar.Models.push_back(*Known);
    nameTargets(SoFar.Models);
    skipRefused(SoFar, Context.Options);
    OnModel(SoFar);
  }

  CheckReport &Report;
  const CheckContext &Context;
  TargetPrograms &Programs;
  const ModelListener &OnModel;
  SpareCores Spare;
  std::deque<ModelGroup> Groups; // all of them before anything is checked
  std::mutex Telling;            // Known, Done and Compiled
};

} // namespace

void checkModels(CheckReport &Report, const CheckContext &Context, TargetPrograms &Programs,
                 const ModelListener &OnModel) {
  ModelSchedule(Report, Context, Programs, OnModel).run();
}

} // namespace picket
