#include "suite/ProgramResult.h"

#include "SarifReport.h"

using llvm::json::fixUTF8;
using llvm::json::Object;
using llvm::json::ObjectMapper;
using llvm::json::Value;

namespace picket {

ExitCode ProgramResult::code() const {
  ExitCode Worst = Lost.empty() ? NothingFound : WasCancelled ? LimitReached : CannotBeChecked;
  for (const ModelResult &M : Models)
    if (!M.Skipped)
      Worst = graverOf(Worst, exitCodeOf(M.Result));
  return Worst;
}

bool ProgramResult::isFinal() const {
  for (const ModelResult &M : Models)
    if (M.Result == Verdict::Inconclusive)
      return false;
  return Lost.empty();
}

static std::string messageOf(const ModelReport &M, const std::string &File, unsigned Unroll) {
  if (exitCodeOf(M.Result) == NothingFound)
    return "";
  std::string Message;
  for (const Bug &B : M.Bugs) {
    Message +=
        (Message.empty() ? "" : "\n") + locationText(B.Where, File) + ": " + B.Message + " [" + nameOf(B.Kind) + "]";
    if (!B.Thread.empty())
      Message += " in thread '" + B.Thread + "'";
  }
  if (!Message.empty())
    return Message;
  Message = M.ReasonLocation.Line ? locationText(M.ReasonLocation, File) + ": " : "";
  return Message + verdictText(M, File, Unroll);
}

ProgramResult resultOf(const CheckReport &Report, SourceTexts &Sources, const ResultDetails &Wanted) {
  ProgramResult Result;
  Result.Unroll = Wanted.Text.Unroll;
  Result.Seconds = Report.CompileSeconds;
  for (const ModelReport &M : Report.Models)
    Result.Models.push_back({nameOf(M), titleOf(M), M.Result, M.Skipped, verdictText(M, Report.File, Result.Unroll),
                             messageOf(M, Report.File, Result.Unroll), M.Seconds});
  llvm::raw_string_ostream Out(Result.Text);
  Out.enable_colors(true);
  printDiagnostics(Out, Report.Diagnostics, Report.File, Sources);
  printText(Out, Report, Sources, Wanted.Text);
  if (Wanted.Sarif) {
    std::string Text;
    llvm::raw_string_ostream SarifOut(Text);
    printSarif(SarifOut, {Report}, Sources, Result.code());
    if (llvm::Expected<Value> Parsed = llvm::json::parse(Text))
      Result.Sarif = std::move(*Parsed);
    else
      llvm::consumeError(Parsed.takeError());
  }
  return Result;
}

Value toJSON(const ProgramResult &Result) {
  llvm::json::Array Models;
  for (const ModelResult &M : Result.Models)
    Models.push_back(Object{{"model", fixUTF8(M.Name)},
                            {"title", fixUTF8(M.Title)},
                            {"verdict", nameOf(M.Result)},
                            {"skipped", M.Skipped},
                            {"text", fixUTF8(M.Text)},
                            {"message", fixUTF8(M.Message)},
                            {"seconds", M.Seconds}});
  Object Json{{"models", std::move(Models)},
              {"text", fixUTF8(Result.Text)},
              {"unroll", Result.Unroll},
              {"seconds", Result.Seconds},
              {"threads", Result.StartsThreads}};
  if (Result.Sarif)
    Json["sarif"] = *Result.Sarif;
  return Json;
}

static bool fromJSON(const Value &Json, ModelResult &M, llvm::json::Path Path) {
  ObjectMapper O(Json, Path);
  std::string Name;
  if (!O || !O.map("model", M.Name) || !O.map("title", M.Title) || !O.map("verdict", Name) ||
      !O.map("skipped", M.Skipped) || !O.map("text", M.Text) || !O.map("message", M.Message) ||
      !O.map("seconds", M.Seconds))
    return false;
  const std::optional<Verdict> Known = verdictNamed(Name);
  if (!Known) {
    Path.field("verdict").report("unknown verdict");
    return false;
  }
  M.Result = *Known;
  return true;
}

bool fromJSON(const Value &Json, ProgramResult &Result, llvm::json::Path Path) {
  ObjectMapper O(Json, Path);
  if (!O || !O.map("models", Result.Models) || !O.map("text", Result.Text) || !O.map("unroll", Result.Unroll) ||
      !O.map("seconds", Result.Seconds) || !O.map("threads", Result.StartsThreads))
    return false;
  if (const Value *Sarif = Json.getAsObject()->get("sarif"))
    Result.Sarif = *Sarif;
  return true;
}

} // namespace picket
