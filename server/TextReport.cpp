#include "TextReport.h"

#include "DisplayPath.h"
#include "check/RobustnessText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <set>
#include <tuple>

using llvm::raw_ostream;
using llvm::StringRef;

namespace picket {

std::string locationText(const SourceLocation &P, const std::string &NamedFile) {
  std::string Text = displayPath(P.File, NamedFile);
  if (P.Line) {
    Text += ":" + std::to_string(P.Line);
    if (P.Column)
      Text += ":" + std::to_string(P.Column);
  }
  return Text;
}

namespace {

/// "1 execution", "2 executions"
std::string counted(uint64_t N, const char *Noun) { return std::to_string(N) + " " + Noun + (N == 1 ? "" : "s"); }

/// "POWER"; "POWER (powerpc64le)" where that is not what this machine is.
std::string modelText(MemoryModel M, Architecture Target) {
  return titleOf(M) + (Target == HostArchitecture ? "" : std::string(" (") + nameOf(Target) + ")");
}

/// The source line with a caret below the column. Nothing if the file cannot be read (any more).
void printExcerpt(raw_ostream &Out, const SourceLocation &P, SourceTexts &Sources) {
  std::optional<std::string> Line = P.Line ? Sources.lineOf(P.File, P.Line) : std::nullopt;
  if (!Line)
    return;
  Out << llvm::format("%5u | ", P.Line) << *Line << '\n';
  if (!P.Column)
    return;
  // Tabs stay tabs, so that the caret stands where the terminal shows the column; a UTF-8 character is one cell.
  Out << "      | ";
  for (char C : StringRef(*Line).take_front(P.Column - 1))
    if ((C & 0xC0) != 0x80)
      Out << (C == '\t' ? '\t' : ' ');
  Out.changeColor(raw_ostream::GREEN, /*Bold=*/true) << "^";
  Out.resetColor() << '\n';
}

/// "the loop at line 12", "the loops at lines 12, 20"
std::string loopsText(std::vector<CutLoop> Loops, const std::string &NamedFile) {
  if (Loops.empty())
    return "a loop";
  std::sort(Loops.begin(), Loops.end(), [](const CutLoop &A, const CutLoop &B) {
    return std::tie(A.Where.File, A.Where.Line) < std::tie(B.Where.File, B.Where.Line);
  });
  std::vector<std::string> Names;
  for (const CutLoop &L : Loops) {
    if (!L.Where.Line)
      continue;
    std::string File = displayPath(L.Where.File, NamedFile);
    std::string Name = std::to_string(L.Where.Line) + (File == NamedFile ? "" : " of " + File);
    if (std::find(Names.begin(), Names.end(), Name) == Names.end())
      Names.push_back(Name);
  }
  if (Names.empty())
    return "a loop";
  return (Names.size() == 1 ? "the loop at line " : "the loops at lines ") + llvm::join(Names, ", ");
}

/// ", 2 ended in an error that is not checked"
std::string uncheckedText(const ModelReport &M) {
  return M.Unchecked ? ", " + std::to_string(M.Unchecked) + " ended in an error that is not checked" : "";
}

std::string executionsText(const ModelReport &M) {
  std::string Text = counted(M.Executions, "execution");
  if (M.OnePer == Equivalence::ReadsFrom)
    Text += ", one per reads-from relation";
  if (M.Blocked + M.Rejected)
    Text += ", " + std::to_string(M.Blocked + M.Rejected) + " blocked";
  if (M.CutShort)
    Text += ", " + std::to_string(M.CutShort) + " cut at the bound" +
            (M.Executions ? "" : ", so that none came to its end");
  return Text + uncheckedText(M);
}

/// "verified up to 8 iterations of the loop at line 12"
std::string boundText(const ModelReport &M, const std::string &NamedFile, unsigned Unroll) {
  return "verified up to " + counted(Unroll, "iteration") + " of " + loopsText(M.Loops, NamedFile);
}

/// "1042 states in 2 rounds, with 3 delays of stores"
std::string statesText(const StateCounts &S) {
  std::string Text = counted(S.States, "state");
  if (S.Rounds > 1)
    Text += " in " + counted(S.Rounds, "round");
  if (S.Delays)
    Text += ", with " + counted(S.Delays, "delay") + " of stores";
  return Text;
}

/// Where states were searched, and not executions.
std::string stateVerdictText(const ModelReport &M) {
  const std::string Searched = statesText(*M.States) + uncheckedText(M);
  if (M.Result == Verdict::Verified)
    return std::string("verified without a bound") + (M.States->Robust ? " (robust)" : "") + ": no state goes wrong " +
           (M.Unchecked ? "in a way that is checked (" : "(") + Searched + ")";
  if (M.Result == Verdict::Violation)
    return "violation (found in " + Searched + ")";
  return "inconclusive: " + M.Reason + " (no violation found in " + Searched + ")";
}

/// "1 data race": warnings are nothing else.
std::string racesText(const ModelReport &M) { return counted(M.Warnings.size(), "data race"); }

std::string plainVerdictText(const ModelReport &M, const std::string &NamedFile, unsigned Unroll) {
  if (M.States &&
      (M.Result == Verdict::Verified || M.Result == Verdict::Violation || M.Result == Verdict::Inconclusive))
    return stateVerdictText(M);
  switch (M.Result) {
  case Verdict::Verified:
    if (!M.Warnings.empty())
      return "verified apart from " + racesText(M) + ": no execution goes wrong in another way (" + executionsText(M) +
             ")";
    return M.FromSc ? "verified (robust): every execution is one of SC"
                    : std::string("verified: no execution goes wrong") +
                          (M.Unchecked ? " in a way that is checked (" : " (") + executionsText(M) + ")";
  case Verdict::Bounded:
    return boundText(M, NamedFile, Unroll) + (M.Warnings.empty() ? "" : ", apart from " + racesText(M)) +
           (M.FromSc ? " (robust: every execution is one of SC)" : " (" + executionsText(M) + ")");
  case Verdict::Violation: return "violation (found in " + executionsText(M) + ")";
  case Verdict::Inconclusive: return "inconclusive: " + M.Reason + " (no violation found in " + executionsText(M) + ")";
  case Verdict::Unsupported:
  case Verdict::CompileError: return (M.Skipped ? "not checked: " : "cannot be checked: ") + M.Reason;
  }
  return "";
}

raw_ostream::Colors colorOf(Verdict V) {
  switch (V) {
  case Verdict::Verified:
  case Verdict::Bounded: return raw_ostream::GREEN;
  case Verdict::Violation: return raw_ostream::RED;
  case Verdict::Inconclusive:
  case Verdict::Unsupported:
  case Verdict::CompileError: return raw_ostream::YELLOW;
  }
  return raw_ostream::RESET;
}

void printColored(raw_ostream &Out, raw_ostream::Colors Color, StringRef Text) {
  Out.changeColor(Color, /*Bold=*/true) << Text;
  Out.resetColor();
}

void printDiagnostic(raw_ostream &Out, const Diagnostic &D, const std::string &NamedFile, SourceTexts &Sources) {
  static constexpr const char *Levels[] = {"error", "warning", "note"};
  static constexpr raw_ostream::Colors Colors[] = {raw_ostream::RED, raw_ostream::MAGENTA, raw_ostream::CYAN};
  const int Level = static_cast<int>(D.Level);
  Out << locationText(D.Where, NamedFile) << ": ";
  printColored(Out, Colors[Level], Levels[Level]);
  Out << ": " << D.Message << '\n';
  printExcerpt(Out, D.Where, Sources);
  for (const Diagnostic &Note : D.Notes)
    printDiagnostic(Out, Note, NamedFile, Sources);
}

/// The first model of the report that has a bug of `M`, too: its steps are shown, those of the others are not. Null if
/// that is `M` itself.
const ModelReport *firstWith(const CheckReport &Report, const ModelReport &M, const Bug &B) {
  for (const ModelReport &Earlier : Report.Models) {
    if (&Earlier == &M)
      return nullptr;
    for (const std::vector<Bug> *All : {&Earlier.Bugs, &Earlier.Warnings})
      if (std::any_of(All->begin(), All->end(), [&](const Bug &Other) { return isSame(Other, B); }))
        return &Earlier;
  }
  return nullptr;
}

/// "TSO", "TSO and PSO": the models under which all that goes wrong under `M` is shown. Empty if something is new.
std::string shownUnder(const CheckReport &Report, const ModelReport &M) {
  std::vector<MemoryModel> Models;
  for (const std::vector<Bug> *All : {&M.Bugs, &M.Warnings})
    for (const Bug &B : *All) {
      const ModelReport *First = firstWith(Report, M, B);
      if (!First)
        return "";
      if (std::find(Models.begin(), Models.end(), First->Which) == Models.end())
        Models.push_back(First->Which);
    }
  return titlesOf(Models);
}

/// The calls that an access of a data race is in, from the inside.
void printCallers(raw_ostream &Out, const CheckReport &Report, const Bug &B, uint32_t Recording::*Access) {
  const uint32_t Event = B.Trace ? B.Trace->Run.*Access : NoEvent;
  if (Event == NoEvent)
    return;
  const std::vector<TracePlace> &Callers = B.Trace->Run.Events[Event].Callers;
  for (size_t K = Callers.size(); K-- > 0;)
    if (Callers[K].Where.Line)
      Out << "        called in '" << Callers[K].Function << "' (" << locationText(Callers[K].Where, Report.File)
          << ")\n";
}

void printOtherAccess(raw_ostream &Out, const CheckReport &Report, const Bug &B, SourceTexts &Sources) {
  printCallers(Out, Report, B, &Recording::RaceSecond);
  Out << locationText(B.Other->Where, Report.File) << ": ";
  printColored(Out, raw_ostream::CYAN, "note");
  Out << ": the " << describe(*B.Other) << '\n';
  printExcerpt(Out, B.Other->Where, Sources);
  printCallers(Out, Report, B, &Recording::RaceFirst);
}

void printBug(raw_ostream &Out, const CheckReport &Report, const ModelReport &M, const Bug &B, SourceTexts &Sources,
              const TextOptions &Options, bool IsWarning = false) {
  Out << locationText(B.Where, Report.File) << ": ";
  printColored(Out, IsWarning ? raw_ostream::MAGENTA : raw_ostream::RED, IsWarning ? "warning" : "error");
  Out << ": " << B.Message << " [" << nameOf(B.Kind) << "]";
  if (!B.Thread.empty())
    Out << " in thread '" << B.Thread << "'";
  if (const ModelReport *First = firstWith(Report, M, B)) {
    Out << ", as under " << titleOf(*First) << '\n';
    return;
  }
  Out << '\n';
  printExcerpt(Out, B.Where, Sources);
  if (B.Other)
    printOtherAccess(Out, Report, B, Sources);
  if (!Options.Quiet && B.Trace)
    printSteps(Out, *B.Trace, Report.File, Sources, Options.Steps);
}

/// Below the verdict of each model, what was not said of an earlier one.
void printNotes(raw_ostream &Out, const CheckReport &Report, const ModelReport &M,
                std::vector<Note> ModelReport::*Notes, SourceTexts &Sources) {
  for (const Note &N : M.*Notes) {
    const bool IsSaid = std::any_of(Report.Models.data(), &M, [&](const ModelReport &Earlier) {
      return std::any_of((Earlier.*Notes).begin(), (Earlier.*Notes).end(),
                         [&](const Note &Other) { return Other.Message == N.Message && isSame(Other.Where, N.Where); });
    });
    if (IsSaid)
      continue;
    Out << locationText(N.Where, Report.File) << ": note: " << N.Message << '\n';
    printExcerpt(Out, N.Where, Sources);
  }
}

/// Where the reason of a verdict stands, unless an earlier model has the same reason there.
void printReasonLocation(raw_ostream &Out, const CheckReport &Report, const ModelReport &M, SourceTexts &Sources) {
  if (!M.ReasonLocation.Line || M.Result == Verdict::CompileError) // Clang's errors were shown with their places
    return;
  if (std::any_of(Report.Models.data(), &M, [&](const ModelReport &Earlier) {
        return Earlier.Reason == M.Reason && isSame(Earlier.ReasonLocation, M.ReasonLocation);
      }))
    return;
  Out << locationText(M.ReasonLocation, Report.File) << ":\n";
  printExcerpt(Out, M.ReasonLocation, Sources);
}

bool isRefused(const ModelReport &M) { return M.Result == Verdict::Unsupported || M.Result == Verdict::CompileError; }

/// Whether both cannot be checked for one reason: that is told once.
bool isSameRefusal(const ModelReport &A, const ModelReport &B) {
  if (!isRefused(A) || A.Result != B.Result || A.Skipped != B.Skipped)
    return false;
  if (A.NotModelled.empty() && B.NotModelled.empty())
    return A.Reason == B.Reason && isSame(A.ReasonLocation, B.ReasonLocation);
  auto Names = [](const ModelReport &M) { // in whatever order they were come to
    std::set<std::string> All;
    for (const Unmodelled &Thing : M.NotModelled)
      All.insert(Thing.What);
    return All;
  };
  return Names(A) == Names(B);
}

/// The model, or all models that are told of with it. Empty if an earlier one tells.
std::string modelsText(const CheckReport &Report, const ModelReport &M) {
  if (!M.Title.empty())
    return titleOf(M);
  std::vector<MemoryModel> Together;
  for (const ModelReport &Other : Report.Models)
    if (isSameRefusal(M, Other)) {
      if (Together.empty() && &Other != &M)
        return "";
      Together.push_back(Other.Which);
    }
  return Together.size() > 1 ? titlesOf(Together) : modelText(M.Which, M.Target);
}

/// The same store, delayed past the same access and seen by the same one.
bool isSame(const Robustness &A, const Robustness &B) {
  return isSame(A.Store, B.Store) && isSame(A.Overtaker, B.Overtaker) && isSame(A.Observer, B.Observer);
}

void printAlarm(raw_ostream &Out, const CheckReport &Report, const Robustness &R, SourceTexts &Sources,
                const TextOptions &Options) {
  Out << locationText(R.Store, Report.File) << ": ";
  printColored(Out, raw_ostream::CYAN, "note");
  Out << ": " << R.Message << '\n';
  printExcerpt(Out, R.Store, Sources);
  if (!Options.Quiet && R.Witness)
    printSteps(Out, *R.Witness, Report.File, Sources, Options.Steps);
}

/// Every store that can be late, and what can observe that. `Steps`: with the executions that the first one has as well.
void printLateStores(raw_ostream &Out, const CheckReport &Report, const Robustness &R, SourceTexts &Sources,
                     const TextOptions &Options) {
  const std::vector<LateStore> Stores = lateStoresOf(R);
  const std::string Model = titleOf(R.Against);
  Out << "  " << counted(R.Violations.size(), "violation") << " of SC, by " << counted(Stores.size(), "store")
      << " that can be late under " << Model;
  if (!R.Complete)
    Out << "; there may be more (--all finds all)";
  else if (R.Iterations)
    Out << "; all there are up to " << counted(R.Iterations, "iteration") << " of loops";
  Out << ":\n";
  for (const LateStore &L : Stores)
    Out << "    " << locationText(L.Store, Report.File) << ": past the later "
        << (L.Overtakers.size() > 1 ? "accesses at " : "access at ") << linesText(L.Overtakers, L.Store)
        << "; observed at " << linesText(L.Observers, L.Store) << '\n';
  if (Options.Quiet)
    return;
  for (size_t K = 1; K < R.Violations.size(); ++K)
    if (const ScViolation &V = R.Violations[K]; V.Witness && V.Witness != R.Witness) {
      Out << "  " << locationText(V.Store, Report.File) << ", observed at " << linesText({V.Observer}, V.Store)
          << ", under " << Model << ":\n";
      printSteps(Out, *V.Witness, Report.File, Sources, Options.Steps);
    }
}

/// Where the program is not robust, if nothing worse is to be told. What TSO and PSO share is told once.
void printAlarms(raw_ostream &Out, const CheckReport &Report, SourceTexts &Sources, const TextOptions &Options) {
  auto IsClean = [](const ModelReport &M) { return M.Bugs.empty(); };
  if (!std::all_of(Report.Models.begin(), Report.Models.end(), IsClean))
    return;
  const Robustness *Told = nullptr;
  for (const ModelReport &M : Report.Models)
    for (const Robustness &R : M.Robust) {
      if (M.Which != R.Against || R.Known != Robustness::NotRobust)
        continue;
      if (!Told || !isSame(*Told, R))
        printAlarm(Out, Report, R, Sources, Options);
      Told = &R;
    }
}

} // namespace

/// What stubs stand for is an assumption that the answer rests on.
std::string verdictText(const ModelReport &M, const std::string &NamedFile, unsigned Unroll) {
  std::string Text = plainVerdictText(M, NamedFile, Unroll);
  for (size_t K = 0; K < M.Stubs.size(); ++K)
    Text += (K == 0 ? "; with stubs for '" : ", '") + M.Stubs[K] + "'";
  return Text;
}

std::string wholeTracesText(const ModelReport &M) {
  return "There is one execution per Shasha-Snir trace, not per reads-from relation: " + M.WhyNotReadsFrom + ".";
}

void printRobustness(raw_ostream &Out, const CheckReport &Report, const std::vector<MemoryModel> &Against,
                     SourceTexts &Sources, const TextOptions &Options) {
  const ModelReport &Sc = Report.Models.front();
  const Robustness *Told = nullptr;
  for (MemoryModel M : Against) {
    auto R = std::find_if(Sc.Robust.begin(), Sc.Robust.end(), [&](const Robustness &R) { return R.Against == M; });
    const bool Known = R != Sc.Robust.end() && R->Known != Robustness::Unknown;
    Out << Report.File << ": " << modelText(M, Sc.Target) << ": ";
    if (!Known) {
      printColored(Out, raw_ostream::YELLOW, (isRefused(Sc) ? "cannot be checked: " : "not decided: ") + Sc.Reason);
    } else if (R->Known == Robustness::NotRobust) {
      printColored(Out, raw_ostream::RED, "not robust");
    } else {
      printColored(Out, raw_ostream::GREEN,
                   R->Bounded ? "robust up to " + counted(R->Iterations, "iteration") + " of " +
                                    loopsText(Sc.Loops, Report.File)
                              : "robust: every execution is one of SC (" +
                                    (Sc.States ? statesText(*Sc.States) : executionsText(Sc)) + ")");
    }
    Out << '\n';
    if (!Known && Sc.ReasonLocation.Line && Sc.Result != Verdict::CompileError) {
      Out << locationText(Sc.ReasonLocation, Report.File) << ":\n";
      printExcerpt(Out, Sc.ReasonLocation, Sources);
    }
    if (!Known || R->Known != Robustness::NotRobust)
      continue;
    if (Told && isSame(*Told, *R)) {
      Out << "  The steps under " << titleOf(Told->Against) << " show it.\n";
    } else {
      printAlarm(Out, Report, *R, Sources, Options);
      Told = &*R;
    }
    printLateStores(Out, Report, *R, Sources, Options);
  }
}

void printDiagnostics(raw_ostream &Out, const std::vector<Diagnostic> &Diagnostics, const std::string &NamedFile,
                      SourceTexts &Sources) {
  for (const Diagnostic &D : Diagnostics)
    printDiagnostic(Out, D, NamedFile, Sources);
}

void printLeftOut(raw_ostream &Out, const std::string &File, const Checks &Looked) {
  if (const std::vector<std::string> Off = Looked.namesLeftOut(); !Off.empty())
    Out << File << ": not checked, as asked for: " << llvm::join(Off, ", ") << '\n';
}

void printText(raw_ostream &Out, const CheckReport &Report, SourceTexts &Sources, const TextOptions &Options) {
  for (const ModelReport &M : Report.Models) {
    const std::string Models = modelsText(Report, M);
    if (Models.empty())
      continue;
    Out << Report.File << ": " << Models << ": ";
    printColored(Out, colorOf(M.Result), verdictText(M, Report.File, Options.Unroll));
    const std::string Elsewhere = shownUnder(Report, M);
    Out << (Elsewhere.empty() ? "" : ", as under " + Elsewhere) << '\n';
    printReasonLocation(Out, Report, M, Sources);
    if (!M.WhyNotReadsFrom.empty())
      Out << "  " << wholeTracesText(M) << '\n';
    if (Elsewhere.empty()) {
      for (const Bug &B : M.Bugs)
        printBug(Out, Report, M, B, Sources, Options);
      for (const Bug &B : M.Warnings)
        printBug(Out, Report, M, B, Sources, Options, /*IsWarning=*/true);
    }
    if (const std::string Way = Options.DefaultModels ? wayOutOfRaces(Report, M) : ""; !Way.empty())
      Out << Report.File << ": note: " << Way << '\n';
    if (M.AboutTarget) {
      Out << locationText(M.AboutTarget->Where, Report.File) << ": note: " << M.AboutTarget->Message << '\n';
      printExcerpt(Out, M.AboutTarget->Where, Sources);
    }
    for (const std::string &Flag : M.Flags)
      Out << Report.File << ": note: " << M.Title << " marks executions of the program with '" << Flag << "'\n";
    printNotes(Out, Report, M, &ModelReport::BehindBound, Sources);
    printNotes(Out, Report, M, &ModelReport::Notes, Sources);
  }
  printLeftOut(Out, Report.File, Report.Looked);
  printAlarms(Out, Report, Sources, Options);
}

} // namespace picket
