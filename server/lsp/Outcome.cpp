#include "lsp/Outcome.h"

#include "lsp/LineFacts.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

using llvm::StringRef;

namespace picket {

namespace {

constexpr size_t MostSteps = 100; // in one finding

std::string upperName(Model M) { return StringRef(nameOf(M)).upper(); }

/// Every execution of `Stronger` is one of `Weaker` too.
bool isIncluded(Model Stronger, Model Weaker) {
  return Stronger == Weaker || Stronger == Model::SC || (Stronger == Model::TSO && Weaker == Model::PSO);
}

/// One diagnostic for both, whichever thread it is in.
bool isShownAs(const Bug &A, const Bug &B) { return A.Kind == B.Kind && isSame(A.Where, B.Where); }

/// A bug at a place, and the models that have it: the one whose counterexample is shown first.
struct MergedBug {
  const Bug *First = nullptr;
  std::vector<Model> Models;
};

std::vector<MergedBug> merge(const CheckReport &Report) {
  std::vector<MergedBug> Result;
  auto Add = [](std::vector<Model> &To, Model M) {
    if (std::find(To.begin(), To.end(), M) == To.end())
      To.push_back(M);
  };
  for (const ModelReport &M : Report.Models)
    for (const Bug &B : M.Bugs) {
      auto At = std::find_if(Result.begin(), Result.end(), [&](const MergedBug &K) { return isShownAs(*K.First, B); });
      if (At == Result.end())
        At = Result.insert(At, MergedBug{&B, {}});
      Add(At->Models, M.Which);
    }
  for (MergedBug &B : Result) // an exploration that stopped at another bug has this one as well
    for (const ModelReport &M : Report.Models)
      if (isIncluded(B.Models.front(), M.Which) && M.Result == Verdict::Violation)
        Add(B.Models, M.Which);
  return Result;
}

std::string messageOf(const MergedBug &B) {
  StringRef Message = B.First->Message;
  std::vector<std::string> Others;
  for (size_t K = 1; K < B.Models.size(); ++K)
    Others.push_back(upperName(B.Models[K]));
  const bool Sequential = B.Models.front() == Model::SC;
  const std::string Under = Sequential ? "" : " under " + upperName(B.Models.front());
  const std::string Too = Sequential || Others.empty() ? "" : " (" + listed(Others) + " too)";
  if (Message.consume_front("assertion failed: "))
    return "assertion can fail" + Under + ": " + Message.str() + Too;
  if (Sequential)
    return Message.str();
  return "possible" + Under + ": " + Message.str() + Too;
}

/// Of many steps: those that are strange, and the last ones.
std::vector<size_t> chosenSteps(const std::vector<Step> &Steps) {
  std::vector<size_t> Chosen;
  size_t Strange = std::count_if(Steps.begin(), Steps.end(), [](const Step &S) { return S.Strange; });
  const size_t Plain = MostSteps > Strange ? MostSteps - Strange : 0;
  size_t PlainLeft = Steps.size() - Strange;
  for (size_t K = 0; K < Steps.size(); ++K)
    if (Steps[K].Strange || PlainLeft-- <= Plain)
      Chosen.push_back(K);
  if (Chosen.size() > MostSteps)
    Chosen.erase(Chosen.begin(), Chosen.end() - MostSteps);
  return Chosen;
}

std::vector<OutcomeStep> stepsOf(const Counterexample &C) {
  std::vector<OutcomeStep> Result;
  for (size_t K : chosenSteps(C.Steps)) {
    const Step &S = C.Steps[K];
    const TraceEvent &E = C.Run.Events[S.Event];
    Place Where = userPlace(E);
    if (!Where.Line)
      continue;
    Where = {Where.File, Where.Line, 0, 0, 0}; // the whole line: the place of an assignment is its operator
    std::string Text = std::to_string(K + 1) + ". " + C.Run.Threads[E.Thread].Name + ": " + S.Text;
    if (!S.Remark.empty())
      Text += " (" + S.Remark + ")";
    Result.push_back({Where, std::move(Text)});
  }
  return Result;
}

/// What keeps models from an answer. The same reason at the same place is said once.
void addReasons(Outcome &O, const CheckReport &Report) {
  std::vector<const ModelReport *> Open;
  for (const ModelReport &M : Report.Models)
    if (M.Result == Verdict::Inconclusive || M.Result == Verdict::Unsupported)
      Open.push_back(&M);
  auto IsSame = [](const ModelReport *A, const ModelReport *B) {
    return A->Result == B->Result && A->Reason == B->Reason && A->ReasonPlace.File == B->ReasonPlace.File &&
           A->ReasonPlace.Line == B->ReasonPlace.Line;
  };
  for (size_t K = 0; K < Open.size(); ++K) {
    const ModelReport &M = *Open[K];
    if (std::any_of(Open.begin(), Open.begin() + K, [&](const ModelReport *Other) { return IsSame(Other, &M); }))
      continue;
    std::vector<std::string> Names;
    uint64_t Executions = 0;
    for (size_t I = K; I < Open.size(); ++I)
      if (IsSame(Open[I], &M)) {
        Names.push_back(upperName(Open[I]->Which));
        Executions += Open[I]->Executions;
      }
    Finding F{Severity::Warning, nameOf(M.Result), "", M.ReasonPlace, "", {}, -1};
    const bool All = Names.size() > 1 && Names.size() == Report.Models.size();
    const std::string Under = All ? "" : " under " + listed(Names);
    if (M.Result == Verdict::Inconclusive)
      F.Message = "not decided" + Under + ": " + M.Reason + " (no violation found in " + std::to_string(Executions) +
                  " executions)";
    else
      F.Message = "cannot be checked" + Under + ": " + M.Reason;
    if (F.Where.File.empty())
      F.Where.File = Report.File;
    O.Findings.push_back(std::move(F));
  }
}

/// Where the program is not robust, unless there is something worse to say. One store is told once.
void addAlarms(Outcome &O, const CheckReport &Report,
               const std::function<std::string(const Counterexample &)> &WriteTrace) {
  if (!O.Findings.empty())
    return;
  for (const ModelReport &M : Report.Models)
    for (const Robustness &R : M.Robust) {
      auto IsSame = [&](const Finding &F) { return F.Where.File == R.Store.File && F.Where.Line == R.Store.Line; };
      if (M.Which != R.Against || !R.Witness || std::any_of(O.Findings.begin(), O.Findings.end(), IsSame))
        continue;
      Finding F{Severity::Note, "not-robust", R.Message, R.Store, R.Witness->Sentence, stepsOf(*R.Witness), -1};
      if (WriteTrace) {
        F.Trace = static_cast<int64_t>(O.Traces.size());
        O.Traces.push_back({nameOf(M.Which), F.Code, WriteTrace(*R.Witness)});
      }
      O.Findings.push_back(std::move(F));
    }
}

void addCompileError(Outcome &O, const CheckReport &Report) {
  auto First = std::find_if(Report.Diagnostics.begin(), Report.Diagnostics.end(),
                            [](const Diagnostic &D) { return D.Level == Severity::Error; });
  Finding F{Severity::Error,
            nameOf(Verdict::CompileError),
            "not checked: the file does not compile",
            {Report.File, 0, 0, 0, 0},
            "",
            {},
            -1};
  if (First != Report.Diagnostics.end()) {
    F.Message += ": " + First->Message;
    if (First->Where.File.empty() || First->Where.File == Report.File)
      F.Where = First->Where;
    else
      F.Steps.push_back({First->Where, First->Message});
  }
  F.Where.File = Report.File;
  O.Findings.push_back(std::move(F));
}

} // namespace

std::string listed(const std::vector<std::string> &Names) {
  if (Names.size() < 2)
    return Names.empty() ? "" : Names[0];
  return llvm::join(Names.begin(), Names.end() - 1, ", ") + " and " + Names.back();
}

Outcome outcomeOf(const CheckReport &Report, const CheckOptions &Options,
                  const std::function<std::string(const Counterexample &)> &WriteTrace) {
  Outcome O;
  O.Unroll = Options.Unroll;
  O.CompileSeconds = Report.CompileSeconds;
  for (const ModelReport &M : Report.Models) {
    O.Models.push_back({nameOf(M.Which), nameOf(M.Result), M.Executions, M.Blocked, M.CutShort, M.Seconds, M.Reason,
                        M.States ? M.States->States : 0});
    O.Compiled &= M.Result != Verdict::CompileError;
  }
  if (!O.Compiled) {
    addCompileError(O, Report);
    return O;
  }
  std::map<const Counterexample *, size_t> TraceOf;
  for (const ModelReport &M : Report.Models)
    for (const Bug &B : M.Bugs)
      if (B.Trace && WriteTrace) {
        TraceOf[B.Trace.get()] = O.Traces.size();
        O.Traces.push_back({nameOf(M.Which), B.Kind, WriteTrace(*B.Trace)});
      }
  for (const MergedBug &B : merge(Report)) {
    Finding F{Severity::Error, B.First->Kind, messageOf(B), B.First->Where, "", {}, -1};
    if (F.Where.File.empty())
      F.Where.File = Report.File;
    if (B.First->Trace) {
      F.Sentence = B.First->Trace->Sentence;
      F.Steps = stepsOf(*B.First->Trace);
      if (auto Known = TraceOf.find(B.First->Trace.get()); Known != TraceOf.end())
        F.Trace = static_cast<int64_t>(Known->second);
    }
    O.Findings.push_back(std::move(F));
  }
  addReasons(O, Report);
  addAlarms(O, Report, WriteTrace);
  O.Facts = factsOf(Report, Options);
  return O;
}

} // namespace picket
