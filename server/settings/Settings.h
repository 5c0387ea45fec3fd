// What a check is run with, and the places where people say so: the editor's configuration, a .picket.toml beside or
// above the file, and a comment on the file's first lines. The nearest wins, setting by setting.
#pragma once

#include "check/Check.h"

#include "llvm/ADT/StringRef.h"

namespace picket {

/// When a file is checked without being asked.
enum class Trigger : uint8_t {
  Save,   // when it is opened and when it is saved
  Change, // also a moment after each edit
  Manual  // never
};
const char *nameOf(Trigger T); // "save", "change", "manual"

struct Settings {
  Trigger When = Trigger::Save;
  std::vector<MemoryModel> Models = defaultModels();
  bool ModelsNamed = false; // somebody asked for these very models
  Checks Looked;            // the kinds of bugs that are looked for
  RaceReporting Races = RaceReporting::Default;
  VolatileMeaning Volatile = VolatileMeaning::Plain;
  ReleaseSequences Sequences = ReleaseSequences::Cpp20;
  TargetChoice Targets = TargetChoice::Model;
  unsigned Unroll = 8;
  double TimeoutSeconds = 20;        // per model; 0: none
  uint64_t MemoryBytes = 2ull << 30; // of the process that checks
  unsigned Jobs = 0;                 // cores that a check may use; 0: all
  Engine Search = Engine::Auto;
  bool Robustness = true;                // tell where a program that is right otherwise is not robust
  bool Fixes = true;                     // look for fences once a bug is found
  bool Relax = false;                    // look for fences that are not needed once nothing is found
  std::vector<std::string> FixIn, NotIn; // the files that fixes may change (EditScope.h)
  std::vector<std::string> With;         // the other files of the program: absolute, or from the file's folder
  std::vector<std::string> Flags;        // for Clang
  std::vector<std::string> Stubs;        // NAME or NAME=VALUE: functions that do nothing but return a number
  std::vector<std::string> StubFiles;    // C texts with functions that the program does not define
  std::string Nondet;                    // the range of values from outside: "0..2"
  /// Models that are explored at the same time.
  unsigned together() const;
  bool operator==(const Settings &) const = default;
};

/// What one of the places says; what it does not speak of is left to the others.
struct SettingsLayer {
  std::optional<Trigger> When;
  std::optional<std::vector<MemoryModel>> Models;
  bool ModelsNamed = false; // Models is no default that an editor fills in
  std::optional<Checks> Looked;
  std::optional<RaceReporting> Races;
  std::optional<VolatileMeaning> Volatile;
  std::optional<ReleaseSequences> Sequences;
  std::optional<TargetChoice> Targets;
  std::optional<unsigned> Unroll;
  std::optional<double> TimeoutSeconds;
  std::optional<uint64_t> MemoryBytes;
  std::optional<unsigned> Jobs;
  std::optional<Engine> Search;
  std::optional<bool> Robustness, Fixes, Relax;
  std::optional<std::vector<std::string>> FixIn, NotIn;
  std::optional<std::vector<std::string>> With, Flags, Stubs, StubFiles;
  std::optional<std::string> Nondet;
  bool operator==(const SettingsLayer &) const = default;
};

/// The one list of settings: Do(key, &SettingsLayer::X, &Settings::X, &CheckOptions::X) for each, with nullptr for what
/// a check has no option for.
template <typename F> void forEachSetting(F Do) {
  Do("check.trigger", &SettingsLayer::When, &Settings::When, nullptr);
  Do("models", &SettingsLayer::Models, &Settings::Models, &CheckOptions::Models);
  Do("checks", &SettingsLayer::Looked, &Settings::Looked, &CheckOptions::Looked);
  Do("races", &SettingsLayer::Races, &Settings::Races, &CheckOptions::Races);
  Do("volatile", &SettingsLayer::Volatile, &Settings::Volatile, &CheckOptions::Volatile);
  Do("release-sequences", &SettingsLayer::Sequences, &Settings::Sequences, &CheckOptions::Sequences);
  Do("target", &SettingsLayer::Targets, &Settings::Targets, &CheckOptions::Targets);
  Do("unroll", &SettingsLayer::Unroll, &Settings::Unroll, &CheckOptions::Unroll);
  Do("timeout", &SettingsLayer::TimeoutSeconds, &Settings::TimeoutSeconds, &CheckOptions::TimeoutSeconds);
  Do("memory", &SettingsLayer::MemoryBytes, &Settings::MemoryBytes, &CheckOptions::MaxMemoryBytes);
  Do("jobs", &SettingsLayer::Jobs, &Settings::Jobs, &CheckOptions::Jobs);
  Do("engine", &SettingsLayer::Search, &Settings::Search, &CheckOptions::Search);
  Do("robustness", &SettingsLayer::Robustness, &Settings::Robustness, nullptr);
  Do("fixes", &SettingsLayer::Fixes, &Settings::Fixes, nullptr);
  Do("relax", &SettingsLayer::Relax, &Settings::Relax, nullptr);
  Do("fix-in", &SettingsLayer::FixIn, &Settings::FixIn, nullptr);
  Do("not-in", &SettingsLayer::NotIn, &Settings::NotIn, nullptr);
  Do("with", &SettingsLayer::With, &Settings::With, nullptr);
  Do("flags", &SettingsLayer::Flags, &Settings::Flags, nullptr);
  Do("stub", &SettingsLayer::Stubs, &Settings::Stubs, nullptr);
  Do("stubs", &SettingsLayer::StubFiles, &Settings::StubFiles, nullptr);
  Do("nondet", &SettingsLayer::Nondet, &Settings::Nondet, nullptr);
}
bool isSetting(llvm::StringRef Key);

/// Something that was meant as a setting and is none.
struct SettingsProblem {
  uint32_t Line = 0; // from 1; 0: not in a text
  std::string Message;
  bool operator==(const SettingsProblem &) const = default;
};

/// Sets one of them. Returns what is wrong, or nothing.
std::string set(SettingsLayer &Layer, llvm::StringRef Key, const std::vector<std::string> &Values);

/// The flags that a text is compiled with: those for Clang, and Picket's own for stubs.
std::vector<std::string> flagsOf(const Settings &S);
std::vector<std::string> flagsOf(const SettingsLayer &Layer);

/// How a check with these settings is done.
CheckOptions checkOptionsOf(const Settings &S);

/// `Nearer` has the last word.
void apply(Settings &To, const SettingsLayer &Nearer);
void apply(SettingsLayer &To, const SettingsLayer &Nearer);
void apply(CheckOptions &To, const SettingsLayer &Nearer);

/// "// picket: models=tso,pso unroll=5 timeout=20s" on one of the first lines of a file, also within /* */. A list may have
/// commas, and that of `with` also blanks.
SettingsLayer layerOfComment(llvm::StringRef Text, std::vector<SettingsProblem> &Problems);

/// The text of a .picket.toml, for a file: in [program], the key `with` is for all files, others are patterns as in EditScope
/// for some.
SettingsLayer layerOfToml(llvm::StringRef Text, std::vector<SettingsProblem> &Problems,
                          const std::string &For = std::string());

/// The same from a file, which must be an ordinary one: reading a pipe would wait, and a device may have no end.
SettingsLayer layerOfTomlFile(const std::string &Toml, const std::string &For, std::vector<SettingsProblem> &Problems);

/// The .picket.toml nearest to a file, in its directory or above; empty if there is none.
std::string findToml(const std::string &File);

} // namespace picket
