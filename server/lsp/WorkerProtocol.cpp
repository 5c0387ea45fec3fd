#include "lsp/WorkerProtocol.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

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

namespace {

/// Feeds a digest. Lengths go before contents, so that different things never give the same bytes.
class Digest {
public:
  Digest &number(uint64_t N) {
    Hash.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&N), sizeof N));
    return *this;
  }
  Digest &text(llvm::StringRef Text) {
    number(Text.size());
    Hash.update(Text);
    return *this;
  }
  /// Of numbers, or of structs of numbers without padding.
  template <typename T> Digest &plain(const std::vector<T> &Items) {
    static_assert(std::has_unique_object_representations_v<T>);
    number(Items.size());
    Hash.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(Items.data()), Items.size() * sizeof(T)));
    return *this;
  }
  Digest &texts(const std::vector<std::string> &Items) {
    number(Items.size());
    for (const std::string &Item : Items)
      text(Item);
    return *this;
  }
  std::string result() { return llvm::toHex(Hash.final(), /*LowerCase=*/true); }

private:
  llvm::SHA256 Hash;
};

void addCode(Digest &D, const Program &P) {
  D.plain(P.Code).plain(P.CodeLocations).plain(P.Constants).plain(P.Arguments);
  D.number(P.SwitchTables.size());
  for (const SwitchTable &T : P.SwitchTables) {
    D.number(T.Default).number(T.Cases.size());
    for (const auto &[Case, Target] : T.Cases)
      D.number(Case).number(Target);
  }
  D.number(P.Functions.size());
  for (const Function &F : P.Functions)
    D.text(F.Name)
        .number(F.Entry)
        .number(F.NumSlots)
        .number(F.NumParameters)
        .number(F.Defined)
        .number(F.Variadic)
        .number(static_cast<uint64_t>(F.FedSlot))
        .number(F.Message)
        .number(F.Location);
  D.number(P.Globals.size());
  for (const Global &G : P.Globals)
    D.text(G.Name).number(G.Size).number(G.Location).number(G.Constant).number(G.ThreadLocal).plain(G.Initial);
  D.number(P.Loops.size());
  for (const Loop &L : P.Loops)
    D.number(L.Location);
  D.texts(P.Messages)
      .plain(P.Constructors)
      .number(static_cast<uint64_t>(P.Main))
      .number(static_cast<uint64_t>(P.ArgvGlobal))
      .number(static_cast<uint64_t>(P.ErrnoGlobal))
      .number(P.NumSites)
      .number(static_cast<uint64_t>(P.For))
      .number(P.TargetNamed)
      .number(P.ArchitectureTested)
      .number(P.ArchitectureFound);
}

void addObjects(Digest &D, const std::vector<SourceNames::Object> &Objects) {
  D.number(Objects.size());
  for (const SourceNames::Object &O : Objects)
    D.text(O.Name).text(O.Function).number(O.Type).number(O.Location).number(O.Offset);
}

void addNames(Digest &D, const Program &P) {
  D.texts(P.Files).texts(P.FunctionNames).plain(P.Locations);
  for (bool User : P.UserFile)
    D.number(User);
  D.number(P.Names.Types.size());
  for (const SourceType &T : P.Names.Types) {
    D.number(T.What).number(T.Size).text(T.Name).number(T.Element).number(T.Fields.size());
    for (const SourceType::Field &F : T.Fields)
      D.text(F.Name).number(F.Offset).number(F.Type).number(F.BitOffset).number(F.BitWidth);
    D.number(T.Enumerators.size());
    for (const auto &[Number, Name] : T.Enumerators)
      D.number(static_cast<uint64_t>(Number)).text(Name);
  }
  addObjects(D, P.Names.Globals);
  addObjects(D, P.Names.Sites);
  D.number(P.Names.Expressions.size());
  for (const SourceNames::Expression &E : P.Names.Expressions)
    D.number(E.File).number(E.Line).number(E.Column).number(E.Write).text(E.Text).number(E.Type);
}

} // namespace

std::string keyOf(const CompileResult &Compiled, const Settings &Options) {
  if (Compiled.Compiled)
    return keyOf(*Compiled.Compiled, Options);
  Digest D; // the first error is all that is told
  for (const Diagnostic &Told : Compiled.Diagnostics)
    if (Told.Level == Severity::Error) {
      D.text(Told.Message).text(Told.Where.File).number(Told.Where.Line).number(Told.Where.Column);
      break;
    }
  return D.result();
}

std::string keyOf(const Program &P, const Settings &Options) {
  Digest D;
  addCode(D, P);
  addNames(D, P);
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
