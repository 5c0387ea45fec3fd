#include "lsp/Outcome.h"

#include "TraceJson.h"
#include "check/RobustnessText.h"
#include "lsp/LineFacts.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

using llvm::StringRef;

namespace picket {

namespace {

constexpr size_t MostSteps = 100; // in one finding

/// One diagnostic for both, whichever thread it is in.
bool isShownAs(const Bug &A, const Bug &B) {
  return A.Other || B.Other ? isSame(A, B) : A.Kind == B.Kind && isSame(A.Where, B.Where);
}

/// A bug at a place, and the models that have it: the one whose counterexample is shown first.
struct MergedBug {
  const Bug *First = nullptr;
  const ModelReport *Under = nullptr; // has First
  std::vector<MemoryModel> Models;
  bool IsWarning = false;
};

std::vector<MergedBug> merge(const CheckReport &Report) {
  std::vector<MergedBug> Result;
  auto Add = [](std::vector<MemoryModel> &To, MemoryModel M) {
    if (std::find(To.begin(), To.end(), M) == To.end())
      To.push_back(M);
  };
  for (const ModelReport &M : Report.Models)
    for (const std::vector<Bug> *All : {&M.Bugs, &M.Warnings})
      for (const Bug &B : *All) {
        auto At =
            std::find_if(Result.begin(), Result.end(), [&](const MergedBug &K) { return isShownAs(*K.First, B); });
        if (At == Result.end())
          At = Result.insert(At, MergedBug{&B, &M, {}, All == &M.Warnings});
        Add(At->Models, M.Which);
      }
  for (MergedBug &B : Result) // an exploration that stopped at another bug has this one as well
    for (const ModelReport &M : Report.Models)
      if (B.First->Kind != BugKind::DataRace && (M.Which == B.Models.front() || isWeaker(M.Which, B.Models.front())) &&
          M.Result == Verdict::Violation)
        Add(B.Models, M.Which);
  return Result;
}

std::string messageOf(const MergedBug &B) {
  StringRef Message = B.First->Message;
  std::vector<std::string> Others;
  for (size_t K = 1; K < B.Models.size(); ++K)
    Others.push_back(titleOf(B.Models[K]));
  const bool Sequential = B.Models.front() == MemoryModel::SC;
  const std::string Under = Sequential ? "" : " under " + titleOf(B.Models.front());
  const std::string Too = Sequential || Others.empty() ? "" : " (" + listed(Others) + " too)";
  if (B.First->Kind == BugKind::Assertion && Message.consume_front("assertion failed: "))
    return "assertion can fail" + Under + ": " + Message.str() + Too;
  if (Sequential)
    return Message.str();
  return "possible" + Under + ": " + Message.str() + Too;
}

/// Of many steps: the out-of-order ones, and the last ones.
std::vector<size_t> chosenSteps(const std::vector<Step> &Steps) {
  std::vector<size_t> Chosen;
  size_t OutOfOrder = std::count_if(Steps.begin(), Steps.end(), [](const Step &S) { return S.OutOfOrder; });
  const size_t Plain = MostSteps > OutOfOrder ? MostSteps - OutOfOrder : 0;
  size_t PlainLeft = Steps.size() - OutOfOrder;
  for (size_t K = 0; K < Steps.size(); ++K)
    if (Steps[K].OutOfOrder || PlainLeft-- <= Plain)
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
    SourceLocation Where = userLocation(E);
    if (!Where.Line)
      continue;
    Where = {Where.File, Where.Line, 0, 0, 0}; // the whole line: the place of an assignment is its operator
    std::string Text = std::to_string(K + 1) + ". " + C.Run.Threads[E.Thread].Name + ": " + S.Text;
    if (!S.Remark.empty())
      Text += " (" + S.Remark + ")";
    Result.push_back({Where, std::move(Text), S.OutOfOrder});
  }
  return Result;
}

/// What keeps models from an answer. The same reason at the same place is said once.
void addReasons(Outcome &O, const CheckReport &Report) {
  std::vector<const ModelReport *> Open;
  for (const ModelReport &M : Report.Models)
    if (!M.Skipped && (M.Result == Verdict::Inconclusive || M.Result == Verdict::Unsupported))
      Open.push_back(&M);
  auto IsSame = [](const ModelReport *A, const ModelReport *B) {
    return A->Result == B->Result && A->Reason == B->Reason && A->ReasonLocation.File == B->ReasonLocation.File &&
           A->ReasonLocation.Line == B->ReasonLocation.Line;
  };
  for (size_t K = 0; K < Open.size(); ++K) {
    const ModelReport &M = *Open[K];
    if (std::any_of(Open.begin(), Open.begin() + K, [&](const ModelReport *Other) { return IsSame(Other, &M); }))
      continue;
    std::vector<std::string> Names;
    uint64_t Executions = 0;
    for (size_t I = K; I < Open.size(); ++I)
      if (IsSame(Open[I], &M)) {
        Names.push_back(titleOf(Open[I]->Which));
        Executions += Open[I]->Executions;
      }
    Finding F{Severity::Warning, M.Result, "", M.ReasonLocation, "", {}, -1};
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

/// A model that was skipped is no finding, but who looks at the line can read why.
void addSkipped(Outcome &O, const CheckReport &Report) {
  for (const ModelReport &M : Report.Models)
    if (M.Skipped && M.ReasonLocation.Line)
      O.Facts.push_back({M.ReasonLocation, "Not checked under " + titleOf(M.Which) + ": " + M.Reason + "."});
}

/// The models in the order asked for; those that the report does not have are being checked.
void addModels(Outcome &O, const CheckReport &Report, const CheckOptions &Options) {
  auto Add = [&](const ModelReport &M) {
    O.Models.push_back({M.Which, M.Result, M.Executions, M.Blocked + M.Rejected, M.CutShort, M.Seconds, M.Reason,
                        M.States ? M.States->States : 0, M.Skipped, M.Target});
    O.Compiled &= M.Result != Verdict::CompileError;
  };
  auto Find = [&](MemoryModel Which) {
    return std::find_if(Report.Models.begin(), Report.Models.end(),
                        [&](const ModelReport &M) { return M.Which == Which; });
  };
  for (const MemoryModel Asked : Options.Models)
    if (auto At = Find(Asked); At != Report.Models.end())
      Add(*At);
    else
      O.Models.push_back({Asked, std::nullopt, 0, 0, 0, 0, "", 0, false, targetOf(Asked, Options.Targets)});
  for (const ModelReport &M : Report.Models) // others than those asked for
    if (std::find(Options.Models.begin(), Options.Models.end(), M.Which) == Options.Models.end())
      Add(M);
}

/// Which accesses a late store is about, at their lines.
std::vector<OutcomeStep> stepsOf(const LateStore &L) {
  std::vector<OutcomeStep> Steps;
  auto Add = [&](const SourceLocation &At, const char *Text) { Steps.push_back({{At.File, At.Line, 0, 0, 0}, Text}); };
  for (const SourceLocation &P : L.Overtakers)
    Add(P, "this access can take effect before the store reaches memory");
  for (const SourceLocation &P : L.Observers)
    Add(P, "this access can observe the reordering");
  return Steps;
}

/// Where the program is not robust, unless there is something worse to say: each store that can be late once, with the
/// first model that has it.
void addAlarms(Outcome &O, const CheckReport &Report,
               const std::function<std::string(const Counterexample &)> &WriteTrace) {
  if (!O.Findings.empty())
    return;
  for (const ModelReport &M : Report.Models)
    for (const Robustness &R : M.Robust) {
      if (M.Which != R.Against || !R.Witness)
        continue;
      for (const LateStore &L : lateStoresOf(R)) {
        auto IsSame = [&](const Finding &F) { return F.Where.File == L.Store.File && F.Where.Line == L.Store.Line; };
        if (std::any_of(O.Findings.begin(), O.Findings.end(), IsSame))
          continue;
        Finding F{Severity::Note,
                  OtherFinding::NotRobust,
                  "not robust under " + titleOf(M.Which) + ": " + lateStoreText(L),
                  L.Store,
                  "",
                  stepsOf(L),
                  -1};
        if (L.Witness) {
          F.Sentence = L.Witness->Sentence;
          for (OutcomeStep &S : stepsOf(*L.Witness))
            F.Steps.push_back(std::move(S));
        }
        if (L.Witness && WriteTrace && !isTooLong(*L.Witness)) {
          F.Trace = static_cast<int64_t>(O.Traces.size());
          O.Traces.push_back({M.Which, F.Code, WriteTrace(*L.Witness)});
        }
        O.Findings.push_back(std::move(F));
      }
    }
}

void addCompileError(Outcome &O, const CheckReport &Report) {
  auto First = std::find_if(Report.Diagnostics.begin(), Report.Diagnostics.end(),
                            [](const Diagnostic &D) { return D.Level == Severity::Error; });
  Finding F{Severity::Error,
            Verdict::CompileError,
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

static const char *nameOf(OtherFinding What) {
  switch (What) {
  case OtherFinding::NotRobust: return "not-robust";
  case OtherFinding::Litmus: return "litmus";
  case OtherFinding::Crash: return "crash";
  }
  return "?";
}

const char *nameOf(const FindingCode &Code) {
  return std::visit([](auto What) { return nameOf(What); }, Code);
}

std::optional<FindingCode> findingCodeNamed(StringRef Name) {
  if (std::optional<BugKind> Kind = bugKindNamed(Name))
    return *Kind;
  if (std::optional<Verdict> Known = verdictNamed(Name))
    return *Known;
  for (OtherFinding What : {OtherFinding::NotRobust, OtherFinding::Litmus, OtherFinding::Crash})
    if (Name == nameOf(What))
      return What;
  return std::nullopt;
}

void Outcome::endPending(const std::string &Reason) {
  for (ModelOutcome &M : Models)
    if (M.isPending()) {
      M.Result = Verdict::Inconclusive;
      M.Reason = Reason;
    }
}

std::string listed(const std::vector<std::string> &Names) {
  if (Names.size() < 2)
    return Names.empty() ? "" : Names[0];
  return llvm::join(Names.begin(), Names.end() - 1, ", ") + " and " + Names.back();
}

Outcome outcomeOf(const CheckReport &Report, const CheckOptions &Options,
                  const std::function<std::string(const Counterexample &)> &WriteTrace) {
  Outcome O;
  O.Unroll = Options.Unroll;
  O.LeftOut = checksOf(Options).namesLeftOut();
  O.CompileSeconds = Report.CompileSeconds;
  addModels(O, Report, Options);
  if (!O.Compiled) {
    addCompileError(O, Report);
    return O;
  }
  std::map<const Counterexample *, size_t> TraceOf;
  for (const ModelReport &M : Report.Models)
    for (const std::vector<Bug> *All : {&M.Bugs, &M.Warnings})
      for (const Bug &B : *All)
        if (B.Trace && WriteTrace && !isTooLong(*B.Trace)) {
          TraceOf[B.Trace.get()] = O.Traces.size();
          O.Traces.push_back({M.Which, B.Kind, WriteTrace(*B.Trace)});
        }
  for (const MergedBug &B : merge(Report)) {
    Finding F{
        B.IsWarning ? Severity::Warning : Severity::Error, B.First->Kind, messageOf(B), B.First->Where, "", {}, -1};
    if (F.Where.File.empty())
      F.Where.File = Report.File;
    std::vector<OutcomeStep> Partner;
    if (const std::optional<RacePartner> &Other = B.First->Other; Other && Other->Where.Line)
      Partner.push_back({{Other->Where.File, Other->Where.Line, 0, 0, 0}, "the " + describe(*Other)});
    if (B.First->Trace) {
      F.Sentence = B.First->Trace->Sentence;
      F.Steps = stepsOf(*B.First->Trace);
      if (auto Known = TraceOf.find(B.First->Trace.get()); Known != TraceOf.end())
        F.Trace = static_cast<int64_t>(Known->second);
    }
    F.Steps.insert(F.Steps.begin(), Partner.begin(), Partner.end());
    if (B.First->Kind == BugKind::DataRace && !B.IsWarning && !Options.ModelsNamed)
      if (std::string Way = wayOutOfRaces(Report, *B.Under); !Way.empty()) {
        Way[0] = static_cast<char>(std::toupper(Way[0]));
        F.Sentence += (F.Sentence.empty() ? "" : " ") + Way + ".";
      }
    if (const std::optional<Note> &About = B.Under->AboutTarget)
      F.Steps.push_back({{About->Where.File, About->Where.Line, 0, 0, 0}, About->Message});
    O.Findings.push_back(std::move(F));
  }
  addReasons(O, Report);
  addAlarms(O, Report, WriteTrace);
  O.Facts = factsOf(Report, Options);
  addSkipped(O, Report);
  return O;
}

} // namespace picket
