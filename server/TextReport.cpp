#include "TextReport.h"

#include "DisplayPath.h"
#include "check/RobustnessText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <tuple>

using llvm::raw_ostream;
using llvm::StringRef;

namespace picket {

namespace {

/// "1 execution", "2 executions"
std::string counted(uint64_t N, const char *Noun) { return std::to_string(N) + " " + Noun + (N == 1 ? "" : "s"); }

/// "POWER"; "POWER (powerpc64le)" where that is not what this machine is.
std::string modelText(MemoryModel M, Architecture Target) {
  return titleOf(M) + (Target == HostArchitecture ? "" : std::string(" (") + nameOf(Target) + ")");
}

std::string locationText(const SourceLocation &P, const std::string &NamedFile) {
  std::string Text = displayPath(P.File, NamedFile);
  if (P.Line) {
    Text += ":" + std::to_string(P.Line);
    if (P.Column)
      Text += ":" + std::to_string(P.Column);
  }
  return Text;
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
    std::string Name = File == NamedFile ? std::to_string(L.Where.Line) : locationText(L.Where, NamedFile);
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
    Text += ", " + std::to_string(M.CutShort) + " cut at the bound";
  return Text + uncheckedText(M);
}

/// Where one execution per reads-from relation was asked for.
std::string wholeTracesText(const ModelReport &M) {
  return "There is one execution per Shasha-Snir trace, not per reads-from relation: " + M.WhyNotReadsFrom + ".";
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

static std::string plainVerdictText(const ModelReport &M, const std::string &NamedFile, unsigned Unroll) {
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

/// What stubs stand for is an assumption that the answer rests on.
std::string verdictText(const ModelReport &M, const std::string &NamedFile, unsigned Unroll) {
  std::string Text = plainVerdictText(M, NamedFile, Unroll);
  for (size_t K = 0; K < M.Stubs.size(); ++K)
    Text += (K == 0 ? "; with stubs for '" : ", '") + M.Stubs[K] + "'";
  return Text;
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

/// The stronger model (each of whose executions is one of `M` as well) whose steps already show the bug. Null if there
/// is none.
const ModelReport *shownBefore(const CheckReport &Report, const ModelReport &M, const Bug &B) {
  for (const ModelReport &Earlier : Report.Models) {
    if (&Earlier == &M)
      return nullptr;
    const bool Stronger = isWeaker(M.Which, Earlier.Which);
    for (const std::vector<Bug> *All : {&Earlier.Bugs, &Earlier.Warnings})
      for (const Bug &Other : *All)
        if (Stronger && Other.Trace && isSame(Other, B))
          return &Earlier;
  }
  return nullptr;
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
  Out << '\n';
  printExcerpt(Out, B.Where, Sources);
  if (B.Other)
    printOtherAccess(Out, Report, B, Sources);
  if (Options.Quiet || !B.Trace)
    return;
  if (const ModelReport *Earlier = shownBefore(Report, M, B)) {
    const std::string Name = titleOf(Earlier->Which);
    Out << "  ";
    printWrapped(Out,
                 "The steps under " + Name + " show it: every execution of " + Name + " is one of " + titleOf(M.Which) +
                     " too.",
                 2, 2, Options.Steps.Width);
    return;
  }
  printSteps(Out, *B.Trace, Report.File, Sources, Options.Steps);
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

void printRobustness(raw_ostream &Out, const CheckReport &Report, const std::vector<MemoryModel> &Against,
                     SourceTexts &Sources, const TextOptions &Options) {
  const ModelReport &Sc = Report.Models.front();
  const Robustness *Told = nullptr;
  for (MemoryModel M : Against) {
    auto R = std::find_if(Sc.Robust.begin(), Sc.Robust.end(), [&](const Robustness &R) { return R.Against == M; });
    const bool Known = R != Sc.Robust.end() && R->Known != Robustness::Unknown;
    Out << Report.File << ": " << modelText(M, Sc.Target) << ": ";
    if (!Known) {
      const bool Refused = Sc.Result == Verdict::Unsupported || Sc.Result == Verdict::CompileError;
      printColored(Out, raw_ostream::YELLOW, (Refused ? "cannot be checked: " : "not decided: ") + Sc.Reason);
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
    Out << Report.File << ": " << (M.Title.empty() ? modelText(M.Which, M.Target) : titleOf(M)) << ": ";
    printColored(Out, colorOf(M.Result), verdictText(M, Report.File, Options.Unroll));
    Out << '\n';
    if (M.ReasonLocation.Line && M.Result != Verdict::CompileError) { // Clang's errors were shown with their places
      Out << locationText(M.ReasonLocation, Report.File) << ":\n";
      printExcerpt(Out, M.ReasonLocation, Sources);
    }
    if (!M.WhyNotReadsFrom.empty())
      Out << "  " << wholeTracesText(M) << '\n';
    for (const Bug &B : M.Bugs)
      printBug(Out, Report, M, B, Sources, Options);
    for (const Bug &B : M.Warnings)
      printBug(Out, Report, M, B, Sources, Options, /*IsWarning=*/true);
    if (M.AboutTarget) {
      Out << locationText(M.AboutTarget->Where, Report.File) << ": note: " << M.AboutTarget->Message << '\n';
      printExcerpt(Out, M.AboutTarget->Where, Sources);
    }
    for (const std::string &Flag : M.Flags)
      Out << Report.File << ": note: " << M.Title << " marks executions of the program with '" << Flag << "'\n";
    for (const Note &N : M.BehindBound) {
      Out << locationText(N.Where, Report.File) << ": note: " << N.Message << '\n';
      printExcerpt(Out, N.Where, Sources);
    }
    for (const Note &N : M.Notes) {
      Out << locationText(N.Where, Report.File) << ": note: " << N.Message << '\n';
      printExcerpt(Out, N.Where, Sources);
    }
  }
  printLeftOut(Out, Report.File, Report.Looked);
  printAlarms(Out, Report, Sources, Options);
}

/// Every execution was seen to its end. Where one ends at a data race, others may not have been explored.
static bool isComplete(const ModelReport &M, bool Exhaustive) {
  if (std::any_of(M.Bugs.begin(), M.Bugs.end(), [](const Bug &B) { return B.Kind == BugKind::DataRace; }))
    return false;
  return (M.Result == Verdict::Verified && !M.States) ||
         (M.Result == Verdict::Violation && Exhaustive && M.Reason.empty() && !M.CutShort);
}

/// Numbers of executions side by side. Every SC execution is one of the relaxed models as well, so that as many
/// executions are the same executions: the program is robust against the model. As many reads-from relations say
/// nothing of the order of stores.
static void printSideBySide(raw_ostream &Out, const std::vector<CheckReport> &Reports, size_t Width, bool Exhaustive) {
  Out << '\n' << llvm::left_justify("executions", Width);
  for (const ModelReport &M : Reports.front().Models)
    Out << llvm::right_justify(nameOf(M.Which), 12);
  Out << "  robust\n";
  for (const CheckReport &R : Reports) {
    Out << llvm::left_justify(R.File, Width);
    const ModelReport *Sequential = nullptr;
    for (const ModelReport &M : R.Models) {
      Out << llvm::format("%12llu", static_cast<unsigned long long>(M.Executions));
      if (M.Which == MemoryModel::SC)
        Sequential = &M;
    }
    std::vector<std::string> Robust;
    bool Known = Sequential && isComplete(*Sequential, Exhaustive);
    for (const ModelReport &M : R.Models) {
      if (M.Skipped)
        continue;
      Known &= isComplete(M, Exhaustive) && M.OnePer == Equivalence::ShashaSnir;
      if (Sequential && M.Which != MemoryModel::SC && M.Executions == Sequential->Executions &&
          M.Blocked == Sequential->Blocked)
        Robust.push_back(nameOf(M.Which));
    }
    Out << "  " << (!Known ? "?" : Robust.empty() ? "no" : llvm::join(Robust, ", ")) << '\n';
  }
}

void printCounts(raw_ostream &Out, const std::vector<CheckReport> &Reports, bool Exhaustive) {
  size_t Width = 10;
  for (const CheckReport &R : Reports)
    Width = std::max(Width, R.File.size());
  Out << llvm::left_justify("file", Width) << "  model  verdict        executions     blocked     bounded    seconds"
      << "  executions/s\n";
  for (const CheckReport &R : Reports)
    for (const ModelReport &M : R.Models) {
      double Executions = static_cast<double>(M.Executions);
      Out << llvm::left_justify(R.File, Width) << "  " << llvm::left_justify(nameOf(M), 5) << "  "
          << llvm::left_justify(nameOf(M.Result), 13);
      Out << llvm::format("%12llu%12llu%12llu%11.3f%14.0f\n", static_cast<unsigned long long>(M.Executions),
                          static_cast<unsigned long long>(M.Blocked + M.Rejected),
                          static_cast<unsigned long long>(M.CutShort), M.Seconds,
                          M.Seconds > 0 ? Executions / M.Seconds : 0.0);
    }
  const bool ByReads = std::any_of(Reports.begin(), Reports.end(), [](const CheckReport &R) {
    return std::any_of(R.Models.begin(), R.Models.end(),
                       [](const ModelReport &M) { return M.OnePer == Equivalence::ReadsFrom; });
  });
  if (ByReads)
    Out << "There is one execution per reads-from relation, unless a line below says otherwise.\n";
  for (const CheckReport &R : Reports)
    for (const ModelReport &M : R.Models)
      if (!M.WhyNotReadsFrom.empty())
        Out << R.File << ": " << titleOf(M.Which) << ": " << wholeTracesText(M) << '\n';
  for (const CheckReport &R : Reports) {
    for (const ModelReport &M : R.Models)
      if (M.Unchecked)
        Out << R.File << ": " << titleOf(M.Which) << ": " << M.Unchecked
            << " more ended in an error that is not checked\n";
    printLeftOut(Out, R.File, R.Looked);
  }
  if (!Reports.empty() && Reports.front().Models.size() > 1)
    printSideBySide(Out, Reports, Width, Exhaustive);
}

} // namespace picket
