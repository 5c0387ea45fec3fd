#include "CheckingOptions.h"

#include "ProgramOptions.h"
#include "settings/Units.h"

#include "llvm/ADT/StringExtras.h"

#include <initializer_list>
#include <utility>

namespace picket {

/// The names of a list; empty ones as well, which are then not known.
static std::vector<std::string> namesIn(llvm::StringRef List) {
  const auto Names = llvm::split(List, ',');
  return {Names.begin(), Names.end()};
}

std::vector<MemoryModel> parseModels(const std::string &Text) {
  std::string Wrong;
  std::vector<MemoryModel> Models = modelsNamed(namesIn(Text), Wrong);
  if (!Wrong.empty())
    throw CLI::ValidationError("--model", Wrong);
  return Models;
}

std::vector<MemoryModel> graphModels() {
  return modelsThat([](const MemoryModelInfo &M) { return isExploredAsGraphs(M.Model); });
}

static void addChecksOption(CLI::App *Command, std::optional<Checks> &Looked) {
  std::string Groups;
  for (const CheckGroupInfo &G : CheckGroups)
    Groups += std::string("\n  ") + G.Name + (G.ByDefault ? "" : " (off by default)") + ": " + G.Meaning;
  Command
      ->add_option_function<std::string>(
          "--checks",
          [&Looked](const std::string &Text) {
            Checks Chosen;
            if (std::string Wrong = parseChecks(namesIn(Text), Chosen); !Wrong.empty())
              throw CLI::ValidationError("--checks", Wrong);
            Looked = Chosen;
          },
          "Kinds of bugs to look for, comma separated. 'memory,leak': only these. 'default,leak': the default\n"
          "ones and leaks. 'no-deadlock': the default ones without deadlocks. Also 'all' and 'none':" +
              Groups)
      ->type_name("LIST");
}

/// An option with one of a few words as its value.
template <typename Value>
static CLI::Option *addWordOption(CLI::App *Command, const std::string &Name, std::optional<Value> &Into,
                                  std::optional<Value> (*Named)(std::string_view), const std::string &Words,
                                  const std::string &Meaning) {
  return Command->add_option_function<std::string>(
      Name,
      [&Into, Name, Named, Words](const std::string &Text) {
        Into = Named(Text);
        if (!Into)
          throw CLI::ValidationError(Name, "'" + Text + "' is none of " + Words);
      },
      Meaning);
}

/// What C11 leaves open, and what becomes of data races.
static void addLanguageOptions(CLI::App *Check, CheckCommand &Command) {
  SettingsLayer &Given = Command.Given;
  Check
      ->add_flag(
          "--races{error}", Command.Races,
          "Data races: error; warning: reported, and the execution goes on; off: not looked for. Looked for under C11\n"
          "or, if --races is given and C11 is not checked, in the executions of SC [error]")
      ->check([&Given](const std::string &Text) -> std::string {
        Given.Races = raceReportingNamed(Text);
        return Given.Races ? "" : "'" + Text + "' is none of error, warning, off";
      });
  addWordOption(Check, "--volatile", Given.Volatile, volatileMeaningNamed, "plain, relaxed",
                "What volatile accesses are under C11: plain, as the standard says, or relaxed atomic [plain]");
  addWordOption(Check, "--release-sequences", Given.Sequences, releaseSequencesNamed, "c++20, c11",
                "Which release sequences C11 has: c++20, or c11 (also later writes of the same thread) [c++20]");
}

/// The enumerators by their names.
template <typename Enum> static std::vector<std::pair<std::string, Enum>> wordsOf(std::initializer_list<Enum> All) {
  std::vector<std::pair<std::string, Enum>> Words;
  for (Enum Each : All)
    Words.emplace_back(nameOf(Each), Each);
  return Words;
}

void addEngineOption(CLI::App *Command, std::optional<Engine> &Search) {
  addChoice(
      Command, "--engine", wordsOf({Engine::Auto, Engine::Bounded, Engine::Lazy}), [&Search](Engine E) { Search = E; },
      "How unbounded loops are checked. bounded: explore executions, loops up to --unroll; lazy: search the states of " +
          titlesOf(modelsThat([](const MemoryModelInfo &M) { return M.Searched; })) +
          ",\n"
          "without a bound; auto: bounded, then for some seconds lazy where a loop was cut [auto]");
}

void addTargetOption(CLI::App *Command, std::optional<TargetChoice> &Targets) {
  Command->add_option_function<std::string>(
      "--target",
      [&Targets](const std::string &Text) {
        Targets = targetChoiceNamed(Text);
        if (!Targets)
          throw CLI::ValidationError("--target",
                                     "'" + Text + "' is none of model, host; flags for Clang go after '--'");
      },
      "What programs are compiled for. model: the architecture of each memory model, with its own choices by #ifdef;\n"
      "host: this machine, under all models [model]");
}

void addTimeoutOption(CLI::App *Command, const std::function<void(double)> &Set) {
  Command->add_option_function<std::string>(
      "--timeout",
      [Set](const std::string &Text) {
        auto Parsed = parseSeconds(Text);
        if (!Parsed)
          throw CLI::ValidationError("--timeout", "'" + Text + "' is no time (20, 20s, 2m, 500ms)");
        Set(*Parsed);
      },
      "Time limit per model: 20, 20s, 2m, 500ms [none]");
}

void addMemoryOption(CLI::App *Command, const std::function<void(uint64_t)> &Set) {
  Command->add_option_function<std::string>(
      "--max-memory",
      [Set](const std::string &Text) {
        auto Parsed = parseBytes(Text);
        if (!Parsed)
          throw CLI::ValidationError("--max-memory", "'" + Text + "' is no size (512M, 2G)");
        Set(*Parsed);
      },
      "Memory limit: 512M, 2G [4G]");
}

void addCheckingOptions(CLI::App *Check, CheckCommand &Command) {
  CheckOptions &Options = Command.Options;
  SettingsLayer &Given = Command.Given;
  addTargetOption(Check, Given.Targets);
  addChecksOption(Check, Given.Looked);
  Check
      ->add_option_function<std::string>(
          "--arm-march",
          [&Command](const std::string &Name) { Command.ClangFlags.push_back("-fpicket-arm-march=" + Name); },
          "ARM64: processors that the program is built for: any, armv8-a, armv8.1-a (LSE), armv8.3-a (LDAPR) [any]")
      ->check(CLI::IsMember({"any", "armv8-a", "armv8.1-a", "armv8.3-a"}));
  addStubOptions(Check, Command);
  addLanguageOptions(Check, Command);
  Check->add_option("--unroll", Given.Unroll, "Iterations to follow of a loop that does not end by itself [8]")
      ->check(CLI::Range(1u, 1000000u))
      ->type_name("N");
  addEngineOption(Check, Given.Search);
  addChoice(
      Check, "--equivalence", wordsOf({Equivalence::ShashaSnir, Equivalence::ReadsFrom}),
      [&Options](Equivalence E) { Options.OnePer = E; },
      "Which executions count as the same under " +
          titlesOf(modelsThat([](const MemoryModelInfo &M) { return !isExploredAsGraphs(M.Model); })) +
          ": those\nwith the same Shasha-Snir trace, or with the same reads-from relation (fewer executions).\nNo effect for " +
          titlesOf(graphModels()) + " or where states are searched [shasha-snir]");
  Check->add_flag("!--no-monitor", Options.Monitor,
                  "Explore " + titlesOf(monitoredModels()) + " even if SC shows that the program is robust");
  Check->add_flag("!--no-spurious", Options.Spurious,
                  "No spurious failures of weak compare-and-swaps and no spurious wakeups of condition variables");
  addTimeoutOption(Check, [&Given](double Seconds) { Given.TimeoutSeconds = Seconds; });
  addMemoryOption(Check, [&Given](uint64_t Bytes) { Given.MemoryBytes = Bytes; });
}

} // namespace picket
