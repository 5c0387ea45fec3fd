#include "lsp/WorkerProtocol.h"

#include "ProgramDigest.h"

using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;
using llvm::json::ObjectMapper;
using llvm::json::Value;

namespace picket {

static Array texts(const std::vector<std::string> &Items) {
  Array Result;
  for (const std::string &Item : Items)
    Result.push_back(fixUTF8(Item));
  return Result;
}

std::string toLine(const WorkerRequest &Request) {
  Object Line;
  if (!Request.Render.empty()) {
    Line["render"] = texts(Request.Render);
  } else {
    Object Unsaved;
    for (const auto &[File, Text] : Request.Unsaved)
      Unsaved[fixUTF8(File)] = fixUTF8(Text);
    Array With;
    for (const ProgramFile &Other : Request.Others)
      With.push_back(Object{{"file", fixUTF8(Other.File)}, {"flags", texts(Other.Flags)}});
    Object Asked{{"file", fixUTF8(Request.File)},
                 {"unsaved", std::move(Unsaved)},
                 {"with", std::move(With)},
                 {"flags", texts(flagsOf(Request.Options))},
                 {"models", modelsJson(Request.Fix ? Request.Fix->Models : Request.Options.Models)},
                 {"modelsNamed", Request.Options.ModelsNamed},
                 {"target", nameOf(Request.Options.Targets)},
                 {"unroll", Request.Options.Unroll},
                 {"timeout", Request.Options.TimeoutSeconds},
                 {"memory", Request.Options.MemoryBytes},
                 {"jobs", Request.Options.Jobs},
                 {"engine", nameOf(Request.Options.Search)},
                 {"robustness", Request.Options.Robustness},
                 {"checks", texts(Request.Options.Looked.names())},
                 {"races", nameOf(Request.Options.Races)},
                 {"volatile", nameOf(Request.Options.Volatile)},
                 {"release-sequences", nameOf(Request.Options.Sequences)},
                 {"fix-in", texts(Request.Options.FixIn)},
                 {"not-in", texts(Request.Options.NotIn)},
                 {"known", texts(Request.Known)}};
    if (Request.Fix)
      Asked["aim"] = nameOf(Request.Fix->What);
    Line[Request.Fix ? "fix" : "check"] = std::move(Asked);
  }
  std::string Text;
  llvm::raw_string_ostream(Text) << Value(std::move(Line)) << '\n';
  return Text;
}

static bool fromJSON(const Value &Json, ProgramFile &File, llvm::json::Path Path) {
  ObjectMapper O(Json, Path);
  return O && O.map("file", File.File) && O.map("flags", File.Flags);
}

bool fromJSON(const Value &Json, WorkerRequest &Request, llvm::json::Path Path) {
  ObjectMapper Line(Json, Path);
  if (!Line)
    return false;
  const Value *Check = Json.getAsObject()->get("check"), *Fix = Json.getAsObject()->get("fix");
  if (!Check && !Fix)
    return Line.map("render", Request.Render);
  if (!Check)
    Check = Fix;
  ObjectMapper O(*Check, Path.field("check"));
  std::vector<std::string> Models, Looked;
  std::string Search, Target;
  if (!O || !O.map("file", Request.File) || !O.map("unsaved", Request.Unsaved) || !O.map("with", Request.Others) ||
      !O.map("flags", Request.Options.Flags) || !O.map("models", Models) ||
      !O.map("modelsNamed", Request.Options.ModelsNamed) || !O.map("unroll", Request.Options.Unroll) ||
      !O.map("timeout", Request.Options.TimeoutSeconds) || !O.map("memory", Request.Options.MemoryBytes) ||
      !O.map("jobs", Request.Options.Jobs) || !O.map("engine", Search) || !O.map("target", Target) ||
      !O.map("robustness", Request.Options.Robustness) || !O.map("checks", Looked) || !O.map("known", Request.Known) ||
      !O.map("fix-in", Request.Options.FixIn) || !O.map("not-in", Request.Options.NotIn))
    return false;
  SettingsLayer Named;
  if (std::string Wrong = set(Named, "models", Models); !Wrong.empty()) {
    Path.field("check").field("models").report("unknown memory model");
    return false;
  }
  if (std::string Wrong = set(Named, "engine", {Search}); !Wrong.empty()) {
    Path.field("check").field("engine").report("unknown engine");
    return false;
  }
  if (std::string Wrong = set(Named, "target", {Target}); !Wrong.empty()) {
    Path.field("check").field("target").report("unknown target");
    return false;
  }
  if (Looked.empty())
    Looked = {"none"};
  if (std::string Wrong = set(Named, "checks", Looked); !Wrong.empty()) {
    Path.field("check").field("checks").report("unknown kind of bug");
    return false;
  }
  std::string Races, Volatile, Sequences;
  if (!O.map("races", Races) || !O.map("volatile", Volatile) || !O.map("release-sequences", Sequences))
    return false;
  if (!set(Named, "races", {Races}).empty() || !set(Named, "volatile", {Volatile}).empty() ||
      !set(Named, "release-sequences", {Sequences}).empty()) {
    Path.field("check").report("unknown value of races, volatile or release-sequences");
    return false;
  }
  Request.Options.Races = *Named.Races;
  Request.Options.Volatile = *Named.Volatile;
  Request.Options.Sequences = *Named.Sequences;
  Request.Options.Looked = *Named.Looked;
  Request.Options.Models = *Named.Models;
  Request.Options.Search = *Named.Search;
  Request.Options.Targets = *Named.Targets;
  if (!Fix)
    return true;
  std::string Aim;
  std::optional<FixQuestion::Aim> Known = O.map("aim", Aim) ? aimNamed(Aim) : std::nullopt;
  if (Known)
    Request.Fix = {*Known, *Named.Models};
  return Known.has_value();
}

Value toJSON(const Progress &P) {
  return Object{{"model", nameOf(P.Which)},
                {"executions", P.Executions},
                {"explored", P.Explored},
                {"seconds", P.Seconds},
                {"states", P.States}};
}

bool fromJSON(const Value &Json, Progress &P, llvm::json::Path Path) {
  ObjectMapper O(Json, Path);
  std::string Name;
  if (!O || !O.map("model", Name) || !O.map("executions", P.Executions) || !O.map("explored", P.Explored) ||
      !O.map("seconds", P.Seconds) || !O.map("states", P.States))
    return false;
  const std::optional<MemoryModel> Known = modelNamed(Name);
  if (!Known) {
    Path.field("model").report("unknown memory model");
    return false;
  }
  P.Which = *Known;
  return true;
}

std::string keyOf(const CompileResult &Compiled, const Settings &Options) {
  if (Compiled.Compiled)
    return keyOf(*Compiled.Compiled, Options);
  Digest D;
  addProgram(D, Compiled);
  return D.result();
}

std::string keyOf(const Program &P, const Settings &Options) {
  Digest D;
  addProgram(D, P);
  for (MemoryModel M : Options.Models)
    D.number(static_cast<uint64_t>(M));
  D.number(Options.ModelsNamed).number(static_cast<uint64_t>(Options.Targets));
  D.texts(Options.Looked.names());
  D.number(Options.Unroll)
      .number(static_cast<uint64_t>(Options.Search))
      .number(Options.Robustness)
      .number(static_cast<uint64_t>(Options.Races))
      .number(static_cast<uint64_t>(Options.Volatile))
      .number(static_cast<uint64_t>(Options.Sequences))
      .texts(Options.Flags);
  return D.result();
}

} // namespace picket
