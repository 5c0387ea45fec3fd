// The `picket` program: command line in, exit code out.
#include "CheckCommand.h"
#include "ClangFlags.h"
#include "DoctorCommand.h"
#include "LitmusCommand.h"
#include "ProgramOptions.h"
#include "RenderCommand.h"
#include "ReplayCommand.h"
#include "Supervision.h"
#include "Terminal.h"
#include "draw/Svg.h"
#include "lsp/LspCommand.h"
#include "lsp/WorkerCommand.h"
#include "settings/Units.h"

#include "llvm/ADT/StringExtras.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <utility>
#include <vector>

using namespace picket;

static const char *const Description =
    "Picket checks every execution of a concurrent C program, and shows one that goes wrong.";

static const char *const CheckHelp =
    R"(Flags for Clang (-D -U -I -std= -include -isystem -W... -f... -m...) are passed on; so is all that follows '--'. Flags
that do not change what the text means are dropped, some of them with a note (docs/security.md).
Flags are also taken from a compile_commands.json beside or above the file, or in a build folder there; models, checks, target, unroll, timeout,
memory, jobs, flags and the other files of a program (with) also from a .picket.toml there, and from a comment on the
file's first lines (// picket: unroll=5 with=queue.c).
-fpicket-optimize=O1 (or O2) is Picket's own flag: LLVM optimises the program before it is checked. So is
-fpicket-arm-march=, the same as --arm-march, for places where only flags can stand.

Exit codes: 0 nothing found, 1 violation, 2 bad usage or a file that cannot be written,
            3 cannot be checked, 4 a limit was reached first.
With --fix and --relax: 0 also if there is a fix, 1 a violation that fences cannot fix.

Examples:
  picket check queue.c
  picket check --unroll 3 --timeout 20s -DTHREADS=3 queue.c
  picket check --program test_queue.c queue.c
  picket check --checks assertion,memory queue.c
  picket check --exhaustive --json lock.c > lock.json
  picket check --count examples/*.c
  picket check --engine lazy --model tso spinlock.c
  picket check --model tso --html dekker.html examples/dekker.c
  picket check --svg - --trace shasha-snir dekker.c > dekker.svg
  picket check --format sarif src/*.c > picket.sarif
  picket check --fix dekker.c | patch -p1
  picket check --relax --model tso --apply lock.c
)";

static const char *const ReplayHelp =
    R"(FILE is what --trace-json wrote, or a report of --format json: then its first counterexample is meant.
The program is compiled with the flags of the recorded check, plus any flags given here. Without SOURCE, the file that
the counterexample names is read from the working directory.

Exit codes: 0 no longer fails, 1 fails again, 2 bad usage or JSON, 3 cannot be compiled or run,
            4 no longer matches: at some step the program behaves differently.

Examples:
  picket check --trace-json bug.json queue.c
  picket replay bug.json
  picket replay bug.json queue_fixed.c
)";

static const char *const LitmusHelp =
    R"(FILE is a .litmus test (PPC, X86, X86_64, AArch64 or C) or a directory that contains such tests. Default models:
power and sc for PPC, sc, tso and pso for X86 and X86_64, armv8 and sc for AArch64, c11 and sc for C. A table (--expected)
has a row per test and model with the columns test, model, quantifier, holds, fails, states and executions. Without
FILE, all tests of the table's directory are run.

Exit codes: 0 every test was run, 1 a result differs from the table, 2 bad usage,
            3 a test cannot be read or run, 4 a limit was reached first.

Examples:
  picket litmus MP+syncs.litmus
  picket litmus --model sc,power --format json tests/ > results.json
  picket litmus --cat models/power.cat MP+syncs.litmus
  picket litmus --expected litmus/expected.tsv
)";

static constexpr const char *RobustHelp = R"(
A program is robust against a memory model if each of its executions is also possible under sequential consistency
(SC). Whatever holds under SC then holds under that model. For a program that is not robust, the output lists each store
that can be delayed, the accesses that it can be delayed past and the accesses that can observe the reordering, and it
shows one execution. The check ends when the answer is known. The list may then be incomplete; the output says so.

Exit codes: 0 robust, 1 not robust, 2 bad usage, 3 a file cannot be checked, 4 a limit was reached first.

Examples:
  picket robust dekker.c
  picket robust --all dekker.c
  picket robust --model tso --json queue.c
)";

/// The names of a list; empty ones as well, which are then not known.
static std::vector<std::string> namesIn(llvm::StringRef List) {
  const auto Names = llvm::split(List, ',');
  return {Names.begin(), Names.end()};
}

static std::vector<MemoryModel> parseModels(const std::string &Text) {
  std::string Wrong;
  std::vector<MemoryModel> Models = modelsNamed(namesIn(Text), Wrong);
  if (!Wrong.empty())
    throw CLI::ValidationError("--model", Wrong);
  return Models;
}

static std::vector<MemoryModel> graphModels() {
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

/// An option whose value is one of some words. (CLI11's transformers would take the numbers behind them, too.)
template <typename Value, typename Setter>
static CLI::Option *addChoice(CLI::App *Command, const char *Name,
                              const std::vector<std::pair<std::string, Value>> &Words, Setter Set,
                              const std::string &Description) {
  return Command
      ->add_option_function<std::string>(
          Name,
          [Words, Set](const std::string &Text) {
            Set(std::find_if(Words.begin(), Words.end(), [&](const auto &W) { return W.first == Text; })->second);
          },
          Description)
      ->check(CLI::IsMember(Words))
      ->type_name("");
}

/// The enumerators by their names.
template <typename Enum> static std::vector<std::pair<std::string, Enum>> wordsOf(std::initializer_list<Enum> All) {
  std::vector<std::pair<std::string, Enum>> Words;
  for (Enum Each : All)
    Words.emplace_back(nameOf(Each), Each);
  return Words;
}

static void addEngineOption(CLI::App *Command, std::optional<Engine> &Search) {
  addChoice(
      Command, "--engine", wordsOf({Engine::Auto, Engine::Bounded, Engine::Lazy}), [&Search](Engine E) { Search = E; },
      "How unbounded loops are checked. bounded: explore executions, loops up to --unroll; lazy: search the states of " +
          titlesOf(modelsThat([](const MemoryModelInfo &M) { return M.Searched; })) +
          ",\n"
          "without a bound; auto: bounded, then for some seconds lazy where a loop was cut [auto]");
}

static void addTargetOption(CLI::App *Command, std::optional<TargetChoice> &Targets) {
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

template <typename Number> static void addTimeoutOption(CLI::App *Command, Number &Seconds) {
  Command->add_option_function<std::string>(
      "--timeout",
      [&Seconds](const std::string &Text) {
        auto Parsed = parseSeconds(Text);
        if (!Parsed)
          throw CLI::ValidationError("--timeout", "'" + Text + "' is no time (20, 20s, 2m, 500ms)");
        Seconds = *Parsed;
      },
      "Time limit per model: 20, 20s, 2m, 500ms [none]");
}

template <typename Number> static void addMemoryOption(CLI::App *Command, Number &Bytes) {
  Command->add_option_function<std::string>(
      "--max-memory",
      [&Bytes](const std::string &Text) {
        auto Parsed = parseBytes(Text);
        if (!Parsed)
          throw CLI::ValidationError("--max-memory", "'" + Text + "' is no size (512M, 2G)");
        Bytes = *Parsed;
      },
      "Memory limit: 512M, 2G [4G]");
}

/// How executions are told.
static void addStepsOptions(CLI::App *Check, CheckCommand &Command) {
  Check->add_option_function<std::string>(
      "--steps",
      [&Command](const std::string &Text) {
        size_t Steps = 0;
        if (Text != "all" && (llvm::StringRef(Text).getAsInteger(0, Steps) || Steps == 0))
          throw CLI::ValidationError("--steps", "'" + Text + "' is no number of steps (30, all)");
        Command.Text.Steps.MaxSteps = Steps;
      },
      "Steps to print per bug, or 'all' [30]");
  Check->add_flag("-q,--quiet", Command.Text.Quiet, "Print verdicts and locations only, no steps");
  addChoice<ColorMode>(
      Check, "--color", {{"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}},
      setColors, "When to use colors: auto (on terminals, unless NO_COLOR is set), always or never [auto]");
}

/// How the report looks, and the files that are made of counterexamples.
static void addReportOptions(CLI::App *Check, CheckCommand &Command) {
  addStepsOptions(Check, Command);
  TraceFiles &Traces = Command.Traces;
  const char *const Group = "Files to write the first counterexample to ('-': standard output)";
  Check->add_option("--html", Traces.Html, "An HTML page with all counterexamples of the run")
      ->type_name("FILE")
      ->group(Group);
  Check->add_option("--svg", Traces.Svg, "A picture of the trace")->type_name("FILE")->group(Group);
  Check->add_option("--dot", Traces.Dot, "The picture as Graphviz text")->type_name("FILE")->group(Group);
  Check->add_option("--trace-json", Traces.Json, "The complete counterexample, for 'picket replay' and other programs")
      ->type_name("FILE")
      ->group(Group);
  addChoice<View>(
      Check, "--trace", {{"chronological", View::Chronological}, {"shasha-snir", View::ShashaSnir}},
      [&Traces](View Which) { Traces.Which = Which; },
      "The trace that --svg and --dot show: chronological or shasha-snir [chronological]")
      ->group(Group);
}

/// Names of files and folders: those that are there are meant as they are seen from here.
static CLI::Option *addPatternOption(CLI::App *Check, const char *Name,
                                     std::optional<std::vector<std::string>> &Patterns, const char *Help) {
  return Check
      ->add_option_function<std::vector<std::string>>(
          Name,
          [Name, &Patterns](const std::vector<std::string> &Given) {
            Patterns.emplace();
            for (const std::string &Text : Given) {
              if (const std::string Problem = problemOfPattern(Text); !Problem.empty())
                throw CLI::ValidationError(Name, "'" + Text + "': " + Problem);
              std::error_code Ignored;
              Patterns->push_back(std::filesystem::exists(Text, Ignored)
                                      ? std::filesystem::absolute(Text, Ignored).lexically_normal().string()
                                      : Text);
            }
          },
          Help)
      ->allow_extra_args(false);
}

/// Changes of the program instead of a report.
static void addFixOptions(CLI::App *Check, FixCommand &Fixes, SettingsLayer &Given) {
  const char *const Group = "Verified changes of the program, as a diff on standard output";
  Check
      ->add_flag(
          "--fix{acceptable}", Fixes.Named,
          "Add fences and stronger memory orders that make the program pass: a minimal set, in a library rather\n"
          "than in the file with 'main'; a minimal set wherever it is (--fix=minimal), the cheapest set\n"
          "(--fix=cheapest), or a set that makes the program robust (--fix=robust)")
      ->check([&Fixes](const std::string &Text) {
        return Fixes.parse(Text) ? "" : "'" + Text + "' is none of acceptable, minimal, cheapest, robust";
      })
      ->group(Group);
  Check->add_flag("--relax", Fixes.Relax, "Remove or weaken fences and memory orders that the program does not need")
      ->group(Group);
  Check->add_flag("--apply", Fixes.Apply, "Write the changes to the files instead of printing a diff")->group(Group);
  addPatternOption(Check, "--fix-in", Given.FixIn, "Change only this file, or files in this folder (repeatable)")
      ->type_name("PATH")
      ->group(Group);
  addPatternOption(Check, "--not-in", Given.NotIn,
                   "Change no file that matches this, and none in such a folder (repeatable)")
      ->type_name("GLOB")
      ->group(Group);
}

static void addLitmusCommand(CLI::App &App, LitmusCommand &Command) {
  CLI::App *Litmus = App.add_subcommand("litmus", "Run litmus tests");
  Litmus->footer(LitmusHelp);
  Litmus->add_option("FILE", Command.Paths, "Litmus tests, or directories of them");
  Litmus->add_option_function<std::string>(
      "--model", [&Command](const std::string &Text) { Command.Models = parseModels(Text); },
      "Memory models, comma separated: " + modelNames() + " [by architecture]");
  Litmus
      ->add_option("--cat", Command.Cat,
                   "A memory model as text, in the language of herd's cat files, instead of those of Picket. With\n"
                   "--expected, --model names the model whose rows are compared")
      ->type_name("FILE");
  Litmus->add_option("--expected", Command.Expected, "A table of expected results; report the differences")
      ->type_name("FILE");
  Litmus
      ->add_option("--unroll", Command.Options.Unroll, "Iterations to follow of a loop that does not end by itself [8]")
      ->check(CLI::Range(1u, 1000000u))
      ->type_name("N");
  addTimeoutOption(Litmus, Command.Options.TimeoutSeconds);
  addMemoryOption(Litmus, Command.Options.MaxMemoryBytes);
  Litmus->add_option("-j,--jobs", Command.Jobs, "Number of tests to run in parallel [number of cores]")
      ->check(CLI::Range(0u, 4096u))
      ->type_name("N");
  addChoice<bool>(
      Litmus, "--format", {{"text", false}, {"json", true}}, [&Command](bool Json) { Command.Json = Json; },
      "Output: text or json [text]");
  Litmus->add_flag_callback("--json", [&Command] { Command.Json = true; }, "The same as --format json");
  Litmus->add_flag("--graphs", Command.Options.Graphs,
                   "Explore execution graphs under every model, not only under " + titlesOf(graphModels()) +
                       ", to cross-check the results");
  Litmus->add_flag("-q,--quiet", Command.Quiet, "Print verdicts and counts only, no final states");
}

static void addReplayCommand(CLI::App &App, ReplayCommand &Command) {
  CLI::App *Replay = App.add_subcommand("replay", "Run a counterexample again");
  Replay->footer(ReplayHelp);
  Replay->add_option("FILE", Command.TraceFile, "The counterexample as JSON ('-': standard input)")->required();
  Replay->add_option("SOURCE", Command.Source, "The C file to run, if it is not the one named in FILE");
}

/// Describes `picket check` to the parser; the values end up in `Command`.
static void addCheckCommand(CLI::App &App, CheckCommand &Command) {
  CLI::App *Check = App.add_subcommand("check", "Check C files");
  Check->footer(CheckHelp);
  CheckOptions &Options = Command.Options;
  SettingsLayer &Given = Command.Given;
  addFileOptions(Check, Command);
  Check->add_option_function<std::string>(
      "--model",
      [&Given, &Command](const std::string &Text) {
        if (llvm::StringRef(Text).ends_with(".cat")) {
          Command.Cat = Text;
          return;
        }
        Given.Models = parseModels(Text);
        Given.ModelsNamed = true;
      },
      "Memory models, comma separated: " + modelNames() + " [" +
          (defaultModels() == allModels() ? "all" : namesOf(defaultModels(), ", ")) +
          "].\nOr FILE.cat: a memory model as text");
  Check
      ->add_option_function<std::string>(
          "--cat-arch",
          [&Command](const std::string &Text) {
            Command.CatEvents = cat::architectureNamed(Text);
            if (!Command.CatEvents)
              throw CLI::ValidationError("--cat-arch", "'" + Text + "' is none of x86, ppc, aarch64, c11");
          },
          "With --model FILE.cat: whose instructions C becomes: x86, ppc, aarch64 or c11 [as the text's title says]")
      ->type_name("ARCH");
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
  Check->add_flag("--exhaustive", Options.Exhaustive, "Continue after the first bug, so that the counts are complete");
  addTimeoutOption(Check, Given.TimeoutSeconds);
  addMemoryOption(Check, Given.MemoryBytes);
  Check
      ->add_option("-j,--jobs", Given.Jobs,
                   "Cores to use, to check models in parallel and to explore one model with several workers [all]")
      ->check(CLI::Range(0u, 4096u))
      ->type_name("N");
  using Format = CheckCommand::Format;
  addChoice<Format>(
      Check, "--format", {{"text", Format::Text}, {"json", Format::Json}, {"sarif", Format::Sarif}},
      [&Command](Format Output) { Command.Output = Output; }, "Output: text, json or sarif [text]");
  Check->add_flag_callback(
      "--json", [&Command] { Command.Output = CheckCommand::Format::Json; }, "The same as --format json");
  Check->add_flag("--count", Command.Count, "Print a table: executions, blocked, bounded, seconds, executions/s");
  Check->add_flag("--dump-bytecode", Command.DumpBytecode, "Print the compiled bytecode and do not check the program");
  addReportOptions(Check, Command);
  addFixOptions(Check, Command.Fixes, Given);
}

static constexpr unsigned AllWitnesses = 64; // --all: executions that are shown, per model

/// `picket robust`: SC is explored and monitored, nothing else.
static void addRobustCommand(CLI::App &App, CheckCommand &Command) {
  CLI::App *Robust = App.add_subcommand("robust", "Tell whether relaxed memory makes a difference to C files");
  Robust->footer(RobustHelp);
  CheckOptions &Options = Command.Options;
  Command.Given.Models = {{MemoryModel::SC}};
  Options.Search = Engine::Auto;
  RobustnessOptions &Question = Command.Robust.emplace();
  addFileOptions(Robust, Command);
  Robust->add_option_function<std::string>(
      "--model",
      [&Question](const std::string &Text) {
        Question.Against = parseModels(Text);
        for (MemoryModel M : Question.Against)
          if (!infoOf(M).Monitored)
            throw CLI::ValidationError("--model", "robustness is known for " + namesOf(monitoredModels(), " and "));
      },
      "Memory models, comma separated: " + namesOf(monitoredModels(), ", ") + " [both]");
  addTargetOption(Robust, Command.Given.Targets);
  addStubOptions(Robust, Command);
  Robust->add_option("--unroll", Command.Given.Unroll, "Iterations to follow of a loop that does not end by itself [8]")
      ->check(CLI::Range(1u, 1000000u))
      ->type_name("N");
  Robust->add_flag("!--no-spurious", Options.Spurious,
                   "No spurious failures of weak compare-and-swaps and no spurious wakeups of condition variables");
  Robust->add_flag_callback(
      "--all",
      [&Question, &Options] {
        Question.EveryViolation = true;
        Options.MostWitnesses = AllWitnesses;
      },
      "Find all violations of SC, and show an execution for each (at most 64 per model)");
  addEngineOption(Robust, Command.Given.Search);
  addTimeoutOption(Robust, Command.Given.TimeoutSeconds);
  addMemoryOption(Robust, Command.Given.MemoryBytes);
  Robust->add_flag_callback("--json", [&Command] { Command.Output = CheckCommand::Format::Json; }, "Output as JSON");
  addStepsOptions(Robust, Command);
}

/// Whether whoever reads standard output expects JSON, also if the rest of the command line cannot be understood.
static bool wantsJson(const std::vector<std::string> &Arguments) {
  for (size_t K = 0; K < Arguments.size(); ++K)
    if (Arguments[K] == "--json" || Arguments[K] == "--format=json" ||
        (Arguments[K] == "json" && K > 0 && Arguments[K - 1] == "--format"))
      return true;
  return false;
}

/// The files that the command line names, and with --apply the texts that were checked.
static bool mayWrite(const CheckCommand &Check, const std::vector<FileChange> &Changes) {
  const TraceFiles &Named = Check.Traces;
  return std::all_of(Changes.begin(), Changes.end(), [&](const FileChange &C) {
    if (C.Expected)
      return Check.Fixes.Apply;
    return !C.File.empty() &&
           (C.File == Named.Json || C.File == Named.Dot || C.File == Named.Svg || C.File == Named.Html);
  });
}

/// The command in a confined process.
static int runConfined(const CheckCommand &Check, const std::function<int()> &Command) {
  for (const std::string &Sentence : recoverFiles())
    std::cerr << "picket: " << Sentence << '\n';
  Supervised What;
  What.Work = [&] { return finishOutput(Command(), BadUsage); };
  What.MayWrite = [&](const std::vector<FileChange> &Changes) { return mayWrite(Check, Changes); };
  What.Complain = tellError;
  What.CodeOfCrash = CannotBeChecked;
  What.CodeOfLimit = LimitReached;
  return finishOutput(runSupervised(What), BadUsage);
}

int main(int argc, char **argv) {
  occupyStandardFiles();
  if (argc == 2 && std::string_view(argv[1]) == "render-svg")
    return renderCommand();
  setRendererFunction(drawAll);
  if (argc == 2 && std::string_view(argv[1]) == "worker")
    return workerCommand();
  if (argc >= 2 && std::string_view(argv[1]) == "lsp")
    return lspCommand(std::vector<std::string>(argv + 2, argv + argc));
  setColors(ColorMode::Auto);
  CLI::App App(Description, "picket");
  App.set_version_flag("--version", "picket " PICKET_VERSION " (LLVM " PICKET_LLVM_VERSION ")");
  App.require_subcommand(1);
  CheckCommand Check;
  addCheckCommand(App, Check);
  ReplayCommand Replay;
  addReplayCommand(App, Replay);
  LitmusCommand Litmus;
  addLitmusCommand(App, Litmus);
  CheckCommand Robust;
  addRobustCommand(App, Robust);
  App.add_subcommand("lsp", "The language server for editors"); // for the help: it has its own parser
  App.add_subcommand("doctor", "Report whether the sandbox works on this system");

  SplitArguments Arguments = splitClangFlags(std::vector<std::string>(argv + 1, argv + argc));
  setJsonErrors(wantsJson(Arguments.Own));
  Check.ClangFlags = Replay.ClangFlags = Robust.ClangFlags = Arguments.Clang;
  try {
    if (!Arguments.Own.empty() && Arguments.Own[0][0] != '-' && Arguments.Own[0] != "check" &&
        Arguments.Own[0] != "replay" && Arguments.Own[0] != "litmus" && Arguments.Own[0] != "robust" &&
        Arguments.Own[0] != "doctor")
      throw CLI::ExtrasError({Arguments.Own[0]});
    std::reverse(Arguments.Own.begin(), Arguments.Own.end()); // the order CLI11 wants a vector in
    App.parse(Arguments.Own);
  } catch (const CLI::Success &HelpOrVersion) {
    return finishOutput(App.exit(HelpOrVersion), BadUsage);
  } catch (const CLI::ParseError &Error) {
    tellError(Error.what());
    std::cerr << "Run 'picket " << (App.get_subcommands().empty() ? "check" : App.get_subcommands()[0]->get_name())
              << " --help' for usage.\n";
    return finishOutput(BadUsage, BadUsage);
  }
  if (App.got_subcommand("doctor"))
    return finishOutput(doctorCommand(), BadUsage);
  if (App.got_subcommand("replay"))
    return runConfined(Check, [&] { return Replay.run(); });
  if (App.got_subcommand("robust"))
    return runConfined(Robust, [&] { return Robust.run(); });
  if (App.got_subcommand("litmus"))
    return runConfined(Check, [&] { return Litmus.run(); });
  return runConfined(Check, [&] { return Check.run(); });
}
