// Outcomes between worker and server.
#include "lsp/Outcome.h"

using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;
using llvm::json::ObjectMapper;
using llvm::json::Path;
using llvm::json::Value;

namespace picket {

namespace {

template <typename T> Value arrayOf(const std::vector<T> &Items) {
  Array Result;
  for (const T &Item : Items)
    Result.push_back(toJSON(Item));
  return Result;
}

} // namespace

Value toJSON(const SourceLocation &P) {
  return Object{{"file", fixUTF8(P.File)},
                {"line", P.Line},
                {"column", P.Column},
                {"endLine", P.EndLine},
                {"endColumn", P.EndColumn}};
}

bool fromJSON(const Value &Json, SourceLocation &P, Path At) {
  ObjectMapper O(Json, At);
  return O && O.map("file", P.File) && O.map("line", P.Line) && O.map("column", P.Column) &&
         O.map("endLine", P.EndLine) && O.map("endColumn", P.EndColumn);
}

static Value toJSON(const OutcomeStep &S) {
  Object Result{{"at", toJSON(S.Where)}, {"text", fixUTF8(S.Text)}};
  if (S.OutOfOrder)
    Result["outOfOrder"] = true;
  return Result;
}

[[maybe_unused]] static bool fromJSON(const Value &Json, OutcomeStep &S, Path At) {
  ObjectMapper O(Json, At);
  return O && O.map("at", S.Where) && O.map("text", S.Text) && O.mapOptional("outOfOrder", S.OutOfOrder);
}

static bool mapCode(ObjectMapper &O, Path At, FindingCode &Code) {
  std::string Name;
  if (!O.map("code", Name))
    return false;
  const std::optional<FindingCode> Known = findingCodeNamed(Name);
  if (Known)
    Code = *Known;
  else
    At.field("code").report("no finding is called that");
  return Known.has_value();
}

static bool mapModel(ObjectMapper &O, Path At, MemoryModel &Model) {
  std::string Name;
  if (!O.map("model", Name))
    return false;
  const std::optional<MemoryModel> Known = modelNamed(Name);
  if (Known)
    Model = *Known;
  else
    At.field("model").report("unknown memory model");
  return Known.has_value();
}

static Value toJSON(const Finding &F) {
  return Object{{"level", static_cast<int>(F.Level)},
                {"code", nameOf(F.Code)},
                {"message", fixUTF8(F.Message)},
                {"at", toJSON(F.Where)},
                {"sentence", fixUTF8(F.Sentence)},
                {"steps", arrayOf(F.Steps)},
                {"trace", F.Trace},
                {"log", fixUTF8(F.Log)}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, Finding &F, Path At) {
  ObjectMapper O(Json, At);
  int Level = 0;
  if (!O || !O.map("level", Level) || !mapCode(O, At, F.Code) || !O.map("message", F.Message) ||
      !O.map("at", F.Where) || !O.map("sentence", F.Sentence) || !O.map("steps", F.Steps) || !O.map("trace", F.Trace) ||
      !O.mapOptional("log", F.Log))
    return false;
  F.Level = Level == 0 ? Severity::Error : Level == 1 ? Severity::Warning : Severity::Note;
  return true;
}

Array modelsJson(const std::vector<MemoryModel> &Models) {
  Array Names;
  for (MemoryModel M : Models)
    Names.push_back(nameOf(M));
  return Names;
}

Value toJSON(const ModelOutcome &M) {
  return Object{{"model", nameOf(M.Model)},    {"verdict", M.Result ? nameOf(*M.Result) : ModelOutcome::Pending},
                {"executions", M.Executions},  {"blocked", M.Blocked},
                {"bounded", M.Bounded},        {"seconds", M.Seconds},
                {"reason", fixUTF8(M.Reason)}, {"states", M.States},
                {"skipped", M.Skipped},        {"target", nameOf(M.Target)}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, ModelOutcome &M, Path At) {
  ObjectMapper O(Json, At);
  std::string Result, Target;
  if (!O || !mapModel(O, At, M.Model) || !O.map("verdict", Result) || !O.map("target", Target))
    return false;
  const std::optional<Architecture> Known = architectureNamed(Target);
  M.Target = Known.value_or(HostArchitecture);
  if (!Known) {
    At.field("target").report("unknown architecture");
    return false;
  }
  M.Result = verdictNamed(Result);
  if (!M.Result && Result != ModelOutcome::Pending) {
    At.field("verdict").report("unknown verdict");
    return false;
  }
  return O.map("executions", M.Executions) && O.map("blocked", M.Blocked) && O.map("bounded", M.Bounded) &&
         O.map("seconds", M.Seconds) && O.map("reason", M.Reason) && O.map("states", M.States) &&
         O.map("skipped", M.Skipped);
}

static Value toJSON(const LineFact &F) { return Object{{"at", toJSON(F.Where)}, {"text", fixUTF8(F.Text)}}; }

[[maybe_unused]] static bool fromJSON(const Value &Json, LineFact &F, Path At) {
  ObjectMapper O(Json, At);
  return O && O.map("at", F.Where) && O.map("text", F.Text);
}

/// A trace travels as text: the server only passes it on.
static Value toJSON(const OutcomeTrace &T) {
  return Object{{"model", nameOf(T.Model)}, {"code", nameOf(T.Code)}, {"json", T.Json}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, OutcomeTrace &T, Path At) {
  ObjectMapper O(Json, At);
  return O && mapModel(O, At, T.Model) && mapCode(O, At, T.Code) && O.map("json", T.Json);
}

Value toJSON(const Outcome &O) {
  return Object{{"compiled", O.Compiled},
                {"hasMain", O.HasMain},
                {"startsThreads", O.StartsThreads},
                {"unroll", O.Unroll},
                {"compileSeconds", O.CompileSeconds},
                {"leftOut", llvm::json::Array(O.LeftOut)},
                {"models", arrayOf(O.Models)},
                {"findings", arrayOf(O.Findings)},
                {"facts", arrayOf(O.Facts)},
                {"traces", arrayOf(O.Traces)}};
}

bool fromJSON(const Value &Json, Outcome &Result, Path At) {
  ObjectMapper O(Json, At);
  return O && O.map("compiled", Result.Compiled) && O.map("hasMain", Result.HasMain) &&
         O.map("startsThreads", Result.StartsThreads) && O.map("unroll", Result.Unroll) &&
         O.map("compileSeconds", Result.CompileSeconds) && O.map("leftOut", Result.LeftOut) &&
         O.map("models", Result.Models) && O.map("findings", Result.Findings) && O.map("facts", Result.Facts) &&
         O.map("traces", Result.Traces);
}

} // namespace picket
