#include "settings/Settings.h"

#include "fences/EditScope.h"
#include "settings/Toml.h"
#include "settings/Units.h"
#include "source/compile/CompileFlags.h"
#include "source/compile/Stubs.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using llvm::StringRef;

namespace picket {

constexpr unsigned FirstLines = 10; // where the comment is looked for
constexpr llvm::StringLiteral BenignRace = "benign-race";

const char *nameOf(Trigger T) {
  switch (T) {
  case Trigger::Save: return "save";
  case Trigger::Change: return "change";
  case Trigger::Manual: return "manual";
  }
  return "?";
}

unsigned Settings::together() const { return modelsAtOnce(Models, Jobs); }

namespace {

std::string noValue(StringRef Key, StringRef Text, StringRef Expected) {
  return ("'" + Text + "' is no value of '" + Key + "' (" + Expected + ")").str();
}

std::string setTrigger(SettingsLayer &Layer, StringRef Text) {
  for (Trigger T : {Trigger::Save, Trigger::Change, Trigger::Manual})
    if (Text.equals_insensitive(nameOf(T))) {
      Layer.When = T;
      return "";
    }
  return noValue("check.trigger", Text, "save, change, manual");
}

std::string setModels(SettingsLayer &Layer, const std::vector<std::string> &Names) {
  std::string Wrong;
  std::vector<MemoryModel> Models = modelsNamed(Names, Wrong);
  if (!Wrong.empty())
    return Wrong;
  if (Models.empty())
    return "'models' names no memory model (" + modelNames() + ")";
  Layer.Models = std::move(Models);
  Layer.ModelsNamed = true;
  return "";
}

std::string setNumber(std::optional<unsigned> &Into, StringRef Key, StringRef Text, unsigned Least, unsigned Most) {
  unsigned Number = 0;
  if (Text.getAsInteger(10, Number) || Number < Least || Number > Most)
    return noValue(Key, Text, "a number from " + std::to_string(Least) + " to " + std::to_string(Most));
  Into = Number;
  return "";
}

std::string setEngine(SettingsLayer &Layer, StringRef Text) {
  for (Engine E : {Engine::Auto, Engine::Bounded, Engine::Lazy})
    if (Text.equals_insensitive(nameOf(E))) {
      Layer.Search = E;
      return "";
    }
  return noValue("engine", Text, "auto, bounded, lazy");
}

/// One of a few words.
template <typename Value>
std::string setWord(std::optional<Value> &Into, StringRef Key, StringRef Text,
                    std::optional<Value> (*Named)(std::string_view), StringRef Words) {
  const std::optional<Value> Known = Named(Text.lower());
  if (!Known)
    return noValue(Key, Text, Words);
  Into = Known;
  return "";
}

std::vector<std::string> splitAtCommas(StringRef Text) {
  llvm::SmallVector<StringRef> Parts;
  Text.split(Parts, ',', -1, /*KeepEmpty=*/false);
  return {Parts.begin(), Parts.end()};
}

} // namespace

std::string set(SettingsLayer &Layer, StringRef Key, const std::vector<std::string> &Values) {
  if (Key == "flags") {
    Layer.Flags = Values;
    return "";
  }
  if (Key == "fix-in" || Key == "not-in") {
    for (const std::string &Pattern : Values)
      if (const std::string Problem = problemOfPattern(Pattern); !Problem.empty())
        return ("'" + Pattern + "' is no value of '" + Key + "': " + Problem).str();
    (Key == "fix-in" ? Layer.FixIn : Layer.NotIn) = Values;
    return "";
  }
  if (Key == "stub") {
    Stubs Known;
    for (const std::string &Text : Values)
      if (std::string Wrong = parseStub(Text, Known); !Wrong.empty())
        return Wrong;
    Layer.Stubs = Values;
    return "";
  }
  if (Key == "stubs" || Key == "with") {
    if (llvm::is_contained(Values, ""))
      return ("'" + Key + "' names a file without a name").str();
    (Key == "stubs" ? Layer.StubFiles : Layer.With) = Values;
    return "";
  }
  if (Key == "models") // "tso,pso" is accepted where a list is expected, too
    return setModels(Layer, splitAtCommas(llvm::join(Values, ",")));
  if (Key == "checks") {
    Checks Chosen;
    std::string Wrong = parseChecks(splitAtCommas(llvm::join(Values, ",")), Chosen);
    if (Wrong.empty())
      Layer.Looked = Chosen;
    return Wrong;
  }
  if (!isSetting(Key)) {
    std::vector<std::string> Keys;
    forEachSetting([&](const char *Known, auto...) { Keys.push_back(Known); });
    return ("'" + Key + "' is no setting (" + llvm::join(Keys, ", ") + ")").str();
  }
  if (Values.size() != 1)
    return ("'" + Key + "' takes one value").str();
  const std::string &Text = Values[0];
  if (Key == "check.trigger")
    return setTrigger(Layer, Text);
  if (Key == "unroll")
    return setNumber(Layer.Unroll, Key, Text, 1, 1000000);
  if (Key == "jobs")
    return setNumber(Layer.Jobs, Key, Text, 0, 4096);
  if (Key == "engine")
    return setEngine(Layer, Text);
  if (Key == "races")
    return setWord(Layer.Races, Key, Text, raceReportingNamed, "default, error, warning, off");
  if (Key == "volatile")
    return setWord(Layer.Volatile, Key, Text, volatileMeaningNamed, "plain, relaxed");
  if (Key == "nondet") {
    Layer.Nondet = Text;
    return Text.empty() || parseRange(Text) ? "" : noValue(Key, Text, "a range, such as 0..2");
  }
  if (Key == "release-sequences")
    return setWord(Layer.Sequences, Key, Text, releaseSequencesNamed, "c++20, c11");
  if (Key == "target") {
    Layer.Targets = targetChoiceNamed(StringRef(Text).lower());
    return Layer.Targets ? "" : noValue(Key, Text, "model, host");
  }
  if (Key == "robustness" || Key == "fixes" || Key == "relax") {
    if (Text != "true" && Text != "false")
      return noValue(Key, Text, "true, false");
    (Key == "robustness" ? Layer.Robustness : Key == "fixes" ? Layer.Fixes : Layer.Relax) = Text == "true";
    return "";
  }
  if (Key == "timeout") {
    Layer.TimeoutSeconds = parseSeconds(Text);
    return Layer.TimeoutSeconds ? "" : noValue(Key, Text, "20, 20s, 2m, 500ms; 0: none");
  }
  Layer.MemoryBytes = parseBytes(Text);
  return Layer.MemoryBytes && *Layer.MemoryBytes > 0 ? "" : noValue(Key, Text, "512M, 2G");
}

bool isSetting(StringRef Key) {
  bool Found = false;
  forEachSetting([&](const char *Known, auto...) { Found |= Key == Known; });
  return Found;
}

void apply(Settings &To, const SettingsLayer &Nearer) {
  if (Nearer.Models)
    To.ModelsNamed = Nearer.ModelsNamed;
  forEachSetting([&](const char *, auto Said, auto Field, auto) { To.*Field = (Nearer.*Said).value_or(To.*Field); });
}

void apply(SettingsLayer &To, const SettingsLayer &Nearer) {
  if (Nearer.Models)
    To.ModelsNamed = Nearer.ModelsNamed;
  forEachSetting([&](const char *, auto Said, auto, auto) {
    if (Nearer.*Said)
      To.*Said = Nearer.*Said;
  });
}

void apply(CheckOptions &To, const SettingsLayer &Nearer) {
  if (Nearer.Models)
    To.ModelsNamed = Nearer.ModelsNamed;
  forEachSetting([&](const char *, auto Said, auto, auto Option) {
    if constexpr (!std::is_null_pointer_v<decltype(Option)>)
      To.*Option = (Nearer.*Said).value_or(To.*Option);
  });
}

static std::vector<std::string> flagsOf(const std::vector<std::string> &Flags, const std::vector<std::string> &Stubs,
                                        const std::vector<std::string> &StubFiles, const std::string &Nondet) {
  std::vector<std::string> All = Flags;
  for (const std::string &Stub : Stubs)
    All.push_back("-fpicket-stub=" + Stub);
  for (const std::string &File : StubFiles)
    All.push_back("-fpicket-stubs=" + File);
  if (!Nondet.empty())
    All.push_back("-fpicket-nondet=" + Nondet);
  return All;
}

std::vector<std::string> flagsOf(const Settings &S) { return flagsOf(S.Flags, S.Stubs, S.StubFiles, S.Nondet); }

std::vector<std::string> flagsOf(const SettingsLayer &Layer) {
  const std::vector<std::string> None;
  return flagsOf(Layer.Flags.value_or(None), Layer.Stubs.value_or(None), Layer.StubFiles.value_or(None),
                 Layer.Nondet.value_or(""));
}

CheckOptions checkOptionsOf(const Settings &S) {
  CheckOptions Options;
  forEachSetting([&](const char *, auto, auto Field, auto Option) {
    if constexpr (!std::is_null_pointer_v<decltype(Option)>)
      Options.*Option = S.*Field;
  });
  Options.ModelsNamed = S.ModelsNamed;
  Options.Counterexamples = 4;
  Options.Samples = true;                       // for hovers
  Options.MostWitnesses = S.Robustness ? 8 : 0; // stores that can be late are shown with one each
  return Options;
}

/// What follows "picket:" at the beginning of a comment; nothing if the line is something else.
static std::optional<StringRef> settingsIn(StringRef Line) {
  Line = Line.trim();
  if (!Line.consume_front("//") && !Line.consume_front("/*") && !Line.consume_front("*"))
    return std::nullopt;
  Line = Line.ltrim("/* \t");
  if (!Line.consume_front("picket:"))
    return std::nullopt;
  return Line.take_front(Line.find("*/"));
}

SettingsLayer layerOfComment(StringRef Text, std::vector<SettingsProblem> &Problems) {
  SettingsLayer Layer;
  for (uint32_t Line = 1; Line <= FirstLines && !Text.empty(); ++Line) {
    StringRef First;
    std::tie(First, Text) = Text.split('\n');
    std::optional<StringRef> Found = settingsIn(First);
    if (!Found)
      continue;
    llvm::SmallVector<StringRef> Words;
    llvm::SplitString(*Found, Words);
    bool IsWith = false; // the last key
    for (StringRef Word : Words) {
      auto [Key, Value] = Word.split('=');
      if (Word == BenignRace) // about the text there
        continue;
      if (IsWith && !Word.contains('=')) {
        for (std::string &File : splitAtCommas(Word))
          Layer.With->push_back(std::move(File));
        continue;
      }
      if (Value.empty()) {
        Problems.push_back({Line, ("'" + Word + "' is no setting: write key=value").str()});
        continue;
      }
      const bool List = Key == "models" || Key == "checks" || Key == "flags" || Key == "fix-in" || Key == "not-in" ||
                        Key == "stub" || Key == "stubs" || Key == "with";
      if (std::string Wrong = set(Layer, Key, List ? splitAtCommas(Value) : std::vector{Value.str()}); !Wrong.empty())
        Problems.push_back({Line, Wrong});
      IsWith = Key == "with" && Layer.With;
    }
  }
  return Layer;
}

/// An entry of [program]. What is said of some files counts for them rather than what is said of all.
static std::string setProgram(const TomlEntry &E, StringRef Pattern, const std::string &For,
                              std::optional<std::vector<std::string>> &OfFile, SettingsLayer &Layer) {
  if (Pattern == "with")
    return set(Layer, "with", E.Values);
  if (const std::string Problem = problemOfPattern(Pattern.str()); !Problem.empty())
    return ("'" + Pattern + "' is no pattern of files: " + Problem).str();
  SettingsLayer Named;
  std::string Wrong = set(Named, "with", E.Values);
  if (Wrong.empty() && !For.empty() && matches(Pattern.str(), For))
    OfFile = Named.With;
  return Wrong;
}

SettingsLayer layerOfToml(StringRef Text, std::vector<SettingsProblem> &Problems, const std::string &For) {
  SettingsLayer Layer;
  std::optional<std::vector<std::string>> OfFile;
  TomlText Read = readToml(Text);
  for (TomlProblem &P : Read.Problems)
    Problems.push_back({P.Line, std::move(P.Message)});
  for (const TomlEntry &E : Read.Entries) {
    StringRef Key = E.Key;
    const bool IsProgram = Key.consume_front("program.");
    if (std::string Wrong = IsProgram ? setProgram(E, Key, For, OfFile, Layer) : set(Layer, Key, E.Values);
        !Wrong.empty())
      Problems.push_back({E.Line, Wrong});
  }
  if (OfFile)
    Layer.With = std::move(OfFile);
  return Layer;
}

/// Files that settings name from the folder that these are in.
static void completePaths(std::optional<std::vector<std::string>> &Files, StringRef Folder) {
  if (!Files)
    return;
  for (std::string &Named : *Files)
    if (!llvm::sys::path::is_absolute(Named)) {
      llvm::SmallString<256> Path(Folder);
      llvm::sys::path::append(Path, Named);
      Named = Path.str().str();
    }
}

SettingsLayer layerOfTomlFile(const std::string &Toml, const std::string &For, std::vector<SettingsProblem> &Problems) {
  constexpr uint64_t LargestToml = 1 << 20;
  llvm::sys::fs::file_status Status;
  if (!llvm::sys::fs::status(Toml, Status) &&
      (Status.type() != llvm::sys::fs::file_type::regular_file || Status.getSize() > LargestToml)) {
    Problems.push_back({0, "this is not a settings file"});
    return {};
  }
  if (auto Buffer = llvm::MemoryBuffer::getFile(Toml, /*IsText=*/true)) {
    SettingsLayer Layer = layerOfToml((*Buffer)->getBuffer(), Problems, For);
    completePaths(Layer.StubFiles, llvm::sys::path::parent_path(Toml));
    completePaths(Layer.With, llvm::sys::path::parent_path(Toml));
    return Layer;
  } else
    Problems.push_back({0, "cannot read the file: " + Buffer.getError().message()});
  return {};
}

std::string findToml(const std::string &File) {
  for (StringRef Folder = llvm::sys::path::parent_path(File); !Folder.empty();
       Folder = llvm::sys::path::parent_path(Folder)) {
    llvm::SmallString<256> Path(Folder);
    llvm::sys::path::append(Path, ".picket.toml");
    if (llvm::sys::fs::is_regular_file(Path)) // reading a pipe would wait
      return Path.str().str();
  }
  return "";
}

} // namespace picket
