#include "lsp/Presentation.h"

#include "lsp/ClientSettings.h"
#include "lsp/CodeActions.h"
#include "lsp/StatusText.h"
#include "programs/MainFunction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <cmath>

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;
using llvm::json::Value;

namespace picket {

namespace {

constexpr int ErrorSeverity = 1, WarningSeverity = 2, InformationSeverity = 3, HintSeverity = 4;
constexpr int UnnecessaryTag = 1;

int severityOf(Severity Level) {
  switch (Level) {
  case Severity::Error: return ErrorSeverity;
  case Severity::Warning: return WarningSeverity;
  case Severity::Note: return InformationSeverity;
  }
  return ErrorSeverity;
}

/// A place in any file, as far as its text can be read.
TextRange rangeIn(const SourceLocation &Where, const EditorContext &Context) {
  if (auto Text = Context.Text(Where.File))
    return rangeOf(*Text, Where, Context.Client.Encoding);
  const TextPosition Begin{Where.Line ? Where.Line - 1 : 0, 0};
  return {Begin, Begin};
}

Value related(const SourceLocation &Where, const std::string &Text, const EditorContext &Context) {
  return Object{{"location", Object{{"uri", Context.Uri(Where.File)}, {"range", toJSON(rangeIn(Where, Context))}}},
                {"message", fixUTF8(Text)}};
}

} // namespace

Object diagnosticOf(const Finding &F, const DocumentStatus &Status, const EditorContext &Context) {
  std::string Message = F.Message;
  Array Related;
  TextRange Range;
  if (F.Where.File == Status.File) {
    Range = rangeOf(*Status.Text, F.Where, Context.Client.Encoding);
  } else {
    // Diagnostics belong to the document that was checked: those of an included file stand at `main`.
    const size_t Main = findMain(*Status.Text).value_or(0);
    const TextPosition At = positionOf(*Status.Text, Main, PositionEncoding::Utf8);
    Range = rangeOf(*Status.Text, {Status.File, At.Line + 1, At.Column + 1, 0, 0}, Context.Client.Encoding);
    Message += " (" + llvm::sys::path::filename(F.Where.File).str() + ":" + std::to_string(F.Where.Line) + ")";
    Related.push_back(related(F.Where, F.Message, Context));
  }
  for (const OutcomeStep &S : F.Steps)
    Related.push_back(related(S.Where, S.Text, Context));
  Object Result{{"range", toJSON(Range)},
                {"severity", severityOf(F.Level)},
                {"code", nameOf(F.Code)},
                {"source", "picket"},
                {"message", fixUTF8(Message)}};
  if (Context.Client.RelatedInformation && !Related.empty())
    Result["relatedInformation"] = std::move(Related);
  return Result;
}

/// Where a finding shows in files other than the program's own: its own place, and the first access in each file that
/// happens out of order; if nothing does, the last step.
static std::vector<SourceLocation> placesElsewhere(const Finding &F, const std::string &Program) {
  std::vector<SourceLocation> Places;
  auto Add = [&](const SourceLocation &At) {
    if (At.Line && At.File != Program &&
        llvm::none_of(Places, [&](const SourceLocation &Known) { return Known.File == At.File; }))
      Places.push_back(At);
  };
  Add(F.Where);
  bool InOrder = true;
  for (const OutcomeStep &S : F.Steps)
    if (S.OutOfOrder) {
      InOrder = false;
      Add(S.Where);
    }
  if (InOrder && Places.empty())
    for (auto S = F.Steps.rbegin(); S != F.Steps.rend() && Places.empty(); ++S)
      Add(S->Where);
  return Places;
}

std::vector<OtherDiagnostic> diagnosticsElsewhere(const DocumentStatus &Status, const EditorContext &Context) {
  std::vector<OtherDiagnostic> Result;
  if (!Status.Result || Status.Result->isQuiet())
    return Result;
  const std::string Program = llvm::sys::path::filename(Status.File).str();
  for (const Finding &F : Status.Result->Findings)
    for (const SourceLocation &At : placesElsewhere(F, Status.File)) {
      const bool InProgram = F.Where.File == Status.File && F.Where.Line;
      Array Related{related({Status.File, InProgram ? F.Where.Line : 0, 0, 0, 0}, F.Message, Context)};
      for (const OutcomeStep &S : F.Steps)
        Related.push_back(related(S.Where, S.Text, Context));
      Object Diagnostic{{"range", toJSON(rangeIn(At, Context))},
                        {"severity", severityOf(F.Level)},
                        {"code", nameOf(F.Code)},
                        {"source", "picket"},
                        {"message", fixUTF8(F.Message + " (shown by " + Program +
                                            (InProgram ? ":" + std::to_string(F.Where.Line) : "") + ")")}};
      if (Context.Client.RelatedInformation)
        Diagnostic["relatedInformation"] = std::move(Related);
      Result.push_back({At.File, &F, std::move(Diagnostic)});
    }
  return Result;
}

Object diagnosticOf(const FixHint &Hint, const DocumentStatus &Status, const EditorContext &Context) {
  Object Result{{"range", toJSON(rangeOf(*Status.Text, Hint.Where, Context.Client.Encoding))},
                {"severity", HintSeverity},
                {"code", "not-needed"},
                {"source", "picket"},
                {"message", fixUTF8(Hint.Text)}};
  if (Context.Client.UnnecessaryTag)
    Result["tags"] = Array{UnnecessaryTag};
  return Result;
}

namespace {

Value problemOf(StringRef Text, const SettingsProblem &P, PositionEncoding Encoding) {
  return Object{{"range", toJSON(rangeOf(Text, {"", P.Line, 0, 0, 0}, Encoding))},
                {"severity", WarningSeverity},
                {"code", "settings"},
                {"source", "picket"},
                {"message", fixUTF8(P.Message)}};
}

Value lens(const TextRange &Range, std::string Title, StringRef Command, Array Arguments) {
  return Object{
      {"range", toJSON(Range)},
      {"command", Object{{"title", std::move(Title)}, {"command", Command}, {"arguments", std::move(Arguments)}}}};
}

} // namespace

Array diagnosticsOf(const DocumentStatus &Status, const EditorContext &Context) {
  Array Result;
  if (Status.Result && !Status.Result->isQuiet())
    for (const Finding &F : Status.Result->Findings) {
      // Whether a file that does not compile would be of interest shows in its text only.
      if (!Status.Result->Compiled && !findMain(*Status.Text))
        continue;
      Result.push_back(diagnosticOf(F, Status, Context));
    }
  for (const std::shared_ptr<const FixAnswer> &Answer : Status.Fixes)
    for (const FixHint &Hint : Answer->Hints)
      if (Status.Current && Hint.Where.File == Status.File)
        Result.push_back(diagnosticOf(Hint, Status, Context));
  for (const SettingsProblem &P : Status.Problems)
    Result.push_back(problemOf(*Status.Text, P, Context.Client.Encoding));
  return Result;
}

Array diagnosticsOf(const std::string &TomlText, const std::vector<SettingsProblem> &Problems,
                    PositionEncoding Encoding) {
  Array Result;
  for (const SettingsProblem &P : Problems)
    Result.push_back(problemOf(TomlText, P, Encoding));
  return Result;
}

/// Of a file without `main`: a lens for each program that uses it.
static Array lensesOfUsed(const DocumentStatus &Status, const EditorContext &Context) {
  Array Result;
  const TextRange Range{{0, 0}, {0, 0}};
  for (const std::string &Program : Status.Programs) {
    const std::optional<DocumentStatus> Its = Context.Status(Program);
    if (!Its)
      continue;
    const std::string Uri = Context.Uri(Program);
    const bool Running = Its->State == CheckState::Waiting || Its->State == CheckState::Checking;
    Result.push_back(
        lens(Range,
             "Checked by " + llvm::sys::path::filename(Program).str() + ": " +
                 (!Running || Its->isUsable()
                      ? Its->Result && Its->State == CheckState::Done ? verdictsText(*Its->Result) : statusText(*Its)
                      : "checking (press to cancel)"),
             Running ? "picket.cancel" : "picket.check", Array{Uri}));
    if (Its->Result && !Its->Result->Traces.empty() && (!Running || Its->isUsable()))
      Result.push_back(lens(Range, "Show counterexample", "picket.showCounterexample",
                            Array{Uri, nameOf(Its->Result->Traces.front().Model)}));
  }
  if (Status.MorePrograms)
    Result.push_back(lens(
        Range, "used by " + std::to_string(Status.MorePrograms) + " more programs, which are not checked", "", {}));
  if (Status.Programs.empty() && Status.ProgramsKnown)
    Result.push_back(lens(Range, "No program uses this file", "", {}));
  return Result;
}

Array lensesOf(const DocumentStatus &Status, const EditorContext &Context) {
  Array Result;
  const std::optional<size_t> Main = findMain(*Status.Text);
  if (!Main)
    return lensesOfUsed(Status, Context);
  if (Status.State == CheckState::Quiet)
    return Result;
  const TextPosition At = positionOf(*Status.Text, *Main, Context.Client.Encoding);
  const TextRange Range{At, {At.Line, At.Column + 4}};
  const std::string Uri = Context.Uri(Status.File);
  const bool Running = Status.State == CheckState::Waiting || Status.State == CheckState::Checking;
  // While some models are still being checked, what the others have found can be used.
  const bool Usable = !Running || Status.isUsable();
  if (Status.State == CheckState::Unchecked)
    Result.push_back(lens(Range, "Picket: check", "picket.check", Array{Uri}));
  else
    // Figures of a running check would stand still: lenses are not asked for again before there are more verdicts.
    Result.push_back(lens(Range,
                          "Picket: " + (!Running ? statusText(Status)
                                                 : (Usable ? verdictsText(*Status.Result) : std::string("checking")) +
                                                       " (press to cancel)"),
                          Running ? "picket.cancel" : "picket.check", Array{Uri}));
  if (Status.Result && !Status.Result->Traces.empty() && Usable)
    Result.push_back(lens(Range,
                          Status.Result->Traces.front().Code == FindingCode(OtherFinding::NotRobust)
                              ? "Show reordering witness"
                              : "Show counterexample",
                          "picket.showCounterexample", Array{Uri, nameOf(Status.Result->Traces.front().Model)}));
  if (Status.Current && Usable && !offersOf(Status, FixQuestion::Aim::NoBug, Context).empty())
    Result.push_back(lens(Range, "Add fences", "picket.addFences", Array{Uri}));
  return Result;
}

/// What a program knows about a line of one of its files.
static void addParts(const DocumentStatus &Program, const std::string &File, uint32_t Line,
                     std::vector<std::string> &Parts) {
  auto Add = [&](const std::string &Text) {
    if (!llvm::is_contained(Parts, Text))
      Parts.push_back(Text);
  };
  if (!Program.Result || !Program.Current)
    return;
  for (const Finding &F : Program.Result->Findings)
    if (F.Where.File == File && F.Where.Line == Line && !F.Sentence.empty())
      Add(F.Sentence);
  for (const LineFact &F : Program.Result->Facts)
    if (F.Where.File == File && F.Where.Line == Line)
      Add(F.Text);
}

Value hoverOf(const DocumentStatus &Status, TextPosition Position, const EditorContext &Context) {
  const uint32_t Line = Position.Line + 1;
  std::vector<std::string> Parts;
  const std::optional<size_t> Main = findMain(*Status.Text);
  if (Status.Result && Status.Current && Main &&
      positionOf(*Status.Text, *Main, Context.Client.Encoding).Line == Position.Line)
    for (const ModelOutcome &M : Status.Result->Models)
      if (M.Skipped)
        Parts.push_back("Not checked under " + titleOf(M.Model) + ": " + M.Reason + ".");
  addParts(Status, Status.File, Line, Parts);
  for (const std::string &Program : Status.Programs)
    if (const std::optional<DocumentStatus> Its = Context.Status(Program))
      addParts(*Its, Status.File, Line, Parts);
  if (Parts.empty())
    return nullptr;
  std::string Text = llvm::join(Parts, "\n\n");
  if (!Context.Client.MarkdownHover)
    Text.erase(std::remove(Text.begin(), Text.end(), '`'), Text.end());
  return Object{
      {"contents", Object{{"kind", Context.Client.MarkdownHover ? "markdown" : "plaintext"}, {"value", fixUTF8(Text)}}},
      {"range", toJSON(rangeOf(*Status.Text, {Status.File, Line, 0, 0, 0}, Context.Client.Encoding))}};
}

static Value progressOf(const DocumentStatus::Exploring &Running) {
  Object Result{{"model", nameOf(Running.Last.Which)}, {"executions", Running.Last.Executions}};
  if (std::optional<int> Percentage = Running.All.percentage())
    Result["percentage"] = *Percentage;
  if (std::optional<double> Left = Running.All.secondsLeft())
    Result["secondsLeft"] = std::round(*Left);
  return Result;
}

Value statusOf(const DocumentStatus &Status, const EditorContext &Context) {
  Object Result{{"uri", Context.Uri(Status.File)},   {"version", Status.Version}, {"state", nameOf(Status.State)},
                {"text", statusText(Status)},        {"current", Status.Current}, {"partial", Status.Partial},
                {"settings", toJSON(Status.Options)}};
  if (Status.State == CheckState::Checking && Status.Running)
    Result["progress"] = progressOf(*Status.Running);
  Array Models, Traces;
  if (Status.Result) {
    for (const ModelOutcome &M : Status.Result->Models)
      Models.push_back(toJSON(M));
    for (const OutcomeTrace &T : Status.Result->Traces)
      Traces.push_back(Object{{"model", nameOf(T.Model)}, {"code", nameOf(T.Code)}});
    Result["compileSeconds"] = Status.Result->CompileSeconds;
    Result["findings"] = static_cast<int64_t>(Status.Result->Findings.size());
  }
  Result["models"] = std::move(Models);
  Result["counterexamples"] = std::move(Traces);
  Result["fixes"] = fixesStatus(Status, Context);
  if (Status.Background)
    Result["background"] = true;
  if (!Status.Programs.empty()) {
    Array Programs;
    std::vector<std::string> Texts;
    for (const std::string &Program : Status.Programs) {
      Programs.push_back(Context.Uri(Program));
      if (const std::optional<DocumentStatus> Its = Context.Status(Program))
        Texts.push_back("checked by " + llvm::sys::path::filename(Program).str() + ": " + statusText(*Its));
    }
    Result["programs"] = std::move(Programs);
    Result["text"] = llvm::join(Texts, "; ");
  }
  return Result;
}

std::string explanationOf(const Finding &F, const std::string &File) {
  std::string Text = "**" + F.Message + "**\n";
  if (!F.Sentence.empty())
    Text += "\n" + F.Sentence + "\n";
  if (!F.Steps.empty())
    Text += "\n";
  for (const OutcomeStep &S : F.Steps) {
    const std::string In = S.Where.File == File ? "" : llvm::sys::path::filename(S.Where.File).str() + " ";
    Text += S.Text + " (" + In + "line " + std::to_string(S.Where.Line) + ")\n";
  }
  return Text;
}

} // namespace picket
