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

unsigned modelsAtOnce(const std::vector<MemoryModel> &Models, unsigned Jobs) {
  const unsigned Cores = coresOf(Jobs);
  // Graphs are explored beside the other models if there is more than one core.
  const bool Beside = Cores > 1 && std::any_of(Models.begin(), Models.end(), isExploredAsGraphs);
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

CompileRequest textToCheck(CompileRequest Text, const CheckOptions &Options) {
  Text.FindOverflows = Options.Looked.has(CheckGroup::Overflow);
  return Text;
}

bool beginReport(CheckReport &Report, const std::string &File, CompileResult &Compiled, const CheckOptions &Options) {
  Report.File = File;
  Report.Looked = Options.Looked;
  Report.Diagnostics = std::move(Compiled.Diagnostics);
  for (MemoryModel M : Options.Models) {
    Report.Models.emplace_back().Which = M;
    if (Options.Other)
      Report.Models.back().Title = Options.Other->Title;
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

CheckReport check(const CheckRequest &Request, const ProgressListener &OnProgress, const std::atomic<bool> *Cancel,
                  const std::function<void()> &OnCompiled, const ModelListener &OnModel) {
  const auto Start = std::chrono::steady_clock::now();
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
                          const ProgressListener &OnProgress, const std::atomic<bool> *Cancel,
                          const ModelListener &OnModel) {
  CheckReport Report;
  if (!beginReport(Report, File, Compiled, Options))
    return Report;
  checkModels(Report, {File, *Compiled.Compiled, Options, OnProgress, Cancel}, OnModel);
  skipRefused(Report, Options);
  return Report;
}

} // namespace picket
