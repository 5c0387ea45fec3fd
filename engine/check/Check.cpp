#include "check/Check.h"

#include "check/Limits.h"
#include "check/ModelSchedule.h"

#include <algorithm>

namespace picket {

const char *nameOf(Engine E) {
  switch (E) {
  case Engine::Auto: return "auto";
  case Engine::Bounded: return "bounded";
  case Engine::Lazy: return "lazy";
  }
  return "?";
}

const char *nameOf(TargetChoice T) { return T == TargetChoice::Host ? "host" : "model"; }

std::optional<TargetChoice> targetChoiceNamed(std::string_view Name) {
  for (const TargetChoice T : {TargetChoice::Model, TargetChoice::Host})
    if (Name == nameOf(T))
      return T;
  return std::nullopt;
}

std::vector<Architecture> targetsOf(const CheckOptions &Options) {
  std::vector<Architecture> Targets;
  for (const MemoryModelInfo &M : MemoryModels) { // the strongest first
    const Architecture Target = targetOf(M.Model, Options.Targets);
    if (std::find(Options.Models.begin(), Options.Models.end(), M.Model) != Options.Models.end() &&
        std::find(Targets.begin(), Targets.end(), Target) == Targets.end())
      Targets.push_back(Target);
  }
  return Targets;
}

unsigned modelsAtOnce(const std::vector<MemoryModel> &Models, unsigned Jobs) {
  const unsigned Cores = coresOf(Jobs);
  // Graphs are explored beside the other models if there is more than one core.
  const auto Graphs = std::count_if(Models.begin(), Models.end(), isExploredAsGraphs);
  const bool Beside = Cores > 1 && Graphs > 0 && static_cast<size_t>(Graphs) < Models.size();
  return std::clamp<unsigned>(static_cast<unsigned>(Models.size()), 1, Cores + (Beside ? 1 : 0));
}

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

std::string describe(const RacePartner &Access) {
  return std::string(Access.IsAtomic ? "atomic " : "") + (Access.Writes ? "write" : "read") + " in thread '" +
         Access.Thread + "'";
}

Checks checksOf(const CheckOptions &Options) {
  Checks Looked = Options.Looked;
  if (Options.Races == RaceReporting::Off)
    Looked.set(CheckGroup::Race, false);
  return Looked;
}

bool looksForRaces(const CheckOptions &Options, MemoryModel Model) {
  if (!checksOf(Options).has(CheckGroup::Race))
    return false;
  if (Model == MemoryModel::C11)
    return true;
  const bool Asked = Options.Races == RaceReporting::Error || Options.Races == RaceReporting::Warning;
  return Model == MemoryModel::SC && Asked &&
         std::find(Options.Models.begin(), Options.Models.end(), MemoryModel::C11) == Options.Models.end();
}

CompileRequest textToCheck(CompileRequest Text, const CheckOptions &Options) {
  Text.FindOverflows = Options.Looked.has(CheckGroup::Overflow);
  return Text;
}

bool beginReport(CheckReport &Report, const std::string &File, const CompileResult &Compiled,
                 const CheckOptions &Options) {
  Report.File = File;
  Report.Looked = checksOf(Options);
  Report.Races = Options.Races;
  Report.Language = {Options.Volatile, Options.Sequences};
  Report.Diagnostics = Compiled.Diagnostics;
  for (MemoryModel M : Options.Models) {
    ModelReport &New = Report.Models.emplace_back();
    New.Which = M;
    New.Target = Compiled.Compiled ? Compiled.Compiled->For : targetOf(M, Options.Targets);
    if (Options.Other)
      New.Title = Options.Other->Title;
  }
  auto Fail = [&](Verdict V, const std::string &Reason, const SourceLocation &Where) {
    for (ModelReport &M : Report.Models) {
      M.Result = V;
      M.Reason = Reason;
      M.ReasonLocation = Where;
    }
    return false;
  };
  if (!Compiled.Compiled) {
    auto First = std::find_if(Report.Diagnostics.begin(), Report.Diagnostics.end(),
                              [](const Diagnostic &D) { return D.Level == Severity::Error; });
    if (First == Report.Diagnostics.end())
      return Fail(Verdict::CompileError, "the file does not compile", {});
    return Fail(Verdict::CompileError, First->Message, First->Where);
  }
  if (Compiled.Compiled->Main < 0)
    return Fail(Verdict::Unsupported, "there is no 'main' to run", {File, 0, 0, 0, 0});
  return true;
}

std::string wayOutOfRaces(const CheckReport &Report, const ModelReport &M) {
  if (M.Which != MemoryModel::C11 || !M.Title.empty())
    return "";
  bool AnyRace = false, AnyVolatile = false;
  for (const Bug &B : M.Bugs) {
    AnyRace |= B.Kind == BugKind::DataRace;
    AnyVolatile |= B.Kind == BugKind::DataRace && B.Other && B.Other->EitherVolatile;
  }
  if (!AnyRace)
    return "";
  std::string Text = "data races are bugs under C11 only; 'models' in .picket.toml can leave C11 out";
  if (AnyVolatile && Report.Language.Volatile == VolatileMeaning::Plain)
    Text += ", and 'volatile = \"relaxed\"' there (or --volatile=relaxed) makes volatile accesses relaxed atomic";
  return Text;
}

std::optional<Note> whyNotRun(const CompileResult &Compiled, Architecture For) {
  const std::string Target = nameOf(For);
  if (Compiled.Compiled && Compiled.Compiled->Main >= 0)
    return std::nullopt;
  if (Compiled.Compiled)
    return Note{"there is no 'main' to run when the text is compiled for " + Target, {}};
  for (const Diagnostic &D : Compiled.Diagnostics)
    if (D.Level == Severity::Error)
      return Note{"the text does not compile for " + Target + " (" + D.Message + ")", D.Where};
  return Note{"the text does not compile for " + Target, {}};
}

CheckReport check(const CheckRequest &Request, const ProgressListener &OnProgress, const std::atomic<bool> *Cancel,
                  const std::function<void()> &OnCompiled, const ModelListener &OnModel) {
  const auto Start = std::chrono::steady_clock::now();
  TargetPrograms Programs(textToCheck(Request.Text, Request.Options));
  for (const Architecture First : targetsOf(Request.Options)) {
    Programs.get(First);
    break;
  }
  const double CompileSeconds = secondsSince(Start);
  if (OnCompiled)
    OnCompiled();
  CheckReport Report = checkPrograms(Request.Text.File, Programs, Request.Options, OnProgress, Cancel, OnModel);
  Report.CompileSeconds = CompileSeconds;
  Report.Flags = Request.Text.Flags;
  Report.Others = Request.Text.Others;
  return Report;
}

CheckReport checkCompiled(const std::string &File, CompileResult Compiled, const CheckOptions &Options,
                          const ProgressListener &OnProgress, const std::atomic<bool> *Cancel,
                          const ModelListener &OnModel) {
  TargetPrograms Only(std::move(Compiled));
  return checkPrograms(File, Only, Options, OnProgress, Cancel, OnModel);
}

CheckReport checkPrograms(const std::string &File, TargetPrograms &Programs, const CheckOptions &Options,
                          const ProgressListener &OnProgress, const std::atomic<bool> *Cancel,
                          const ModelListener &OnModel) {
  CheckReport Report;
  const std::vector<Architecture> Targets = targetsOf(Options);
  const CompileResult &First = Programs.get(Targets.empty() ? HostArchitecture : Targets.front());
  if (!beginReport(Report, File, First, Options) || !First.Compiled)
    return Report;
  checkModels(Report, {File, *First.Compiled, Options, OnProgress, Cancel}, Programs, OnModel);
  skipRefused(Report, Options);
  return Report;
}

} // namespace picket
