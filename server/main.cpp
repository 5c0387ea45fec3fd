// The `picket` program: command line in, exit code out.
#include "CheckCommand.h"
#include "CheckingOptions.h"
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
#include "suite/TestCommand.h"

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

static const char *const TestHelp =
    R"(PATH is a folder, or a C file. Without PATH, programs are looked for in the working directory. A program is a C file with
a 'main' that starts threads, together with the files that it is linked with (with). Build folders and hidden ones are
left out. Each program is checked with the settings that 'picket check' would use. Results of programs that have not
changed since they were checked with the same options are kept in $XDG_CACHE_HOME/picket or ~/.cache/picket.

Ctrl+C cancels what is running and reports what is known by then.

Exit codes: 0 nothing found, 1 violation, 2 bad usage, no programs, or a file that cannot be written,
            3 a program that cannot be checked, 4 a limit was reached first, or cancelled.

Examples:
  picket test
  picket test --model tso,pso tests/
  picket test -j 4 --timeout 60s --junit picket.xml tests/ examples/ring.c
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

static void addTerminalOptions(CLI::App *Check, CheckCommand &Command, const std::string &Quiet) {
  Check->add_flag("-q,--quiet", Command.Text.Quiet, Quiet);
  addChoice<ColorMode>(
      Check, "--color", {{"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}},
      setColors, "When to use colors: auto (on terminals, unless NO_COLOR is set), always or never [auto]");
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
  addTerminalOptions(Check, Command, "Print verdicts and locations only, no steps");
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
  addTimeoutOption(Litmus, [&Command](double Seconds) { Command.Options.TimeoutSeconds = Seconds; });
  addMemoryOption(Litmus, [&Command](uint64_t Bytes) { Command.Options.MaxMemoryBytes = Bytes; });
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
  addCheckingOptions(Check, Command);
  Check->add_flag("--exhaustive", Command.Options.Exhaustive,
                  "Continue after the first bug, so that the counts are complete");
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

/// `picket test`: the options of `picket check` that make sense for many programs.
static void addTestCommand(CLI::App &App, TestCommand &Command) {
  CLI::App *Test = App.add_subcommand("test", "Check all programs of a folder");
  Test->footer(TestHelp);
  CheckCommand &Check = Command.Check;
  Test->add_option("PATH", Command.Paths, "Folders with programs, or C files [.]");
  Test->add_option_function<std::string>(
      "--model",
      [&Check](const std::string &Text) {
        Check.Given.Models = parseModels(Text);
        Check.Given.ModelsNamed = true;
      },
      "Memory models, comma separated: " + modelNames() + " [all]");
  addCheckingOptions(Test, Check);
  Test->add_option("-j,--jobs", Command.Suite.Together,
                   "Programs to check side by side; each uses the cores that are left [number of cores]")
      ->check(CLI::Range(0u, 4096u))
      ->type_name("N");
  Test->add_flag("--no-cache", Command.NoCache, "Check all programs, and keep no results");
  addTerminalOptions(Test, Check, "Print one line per program and no reports");
  const char *const Group = "Files to write the results to";
  Test->add_option("--junit", Command.JUnit, "JUnit XML: a test suite per program, a test case per memory model")
      ->type_name("FILE")
      ->group(Group);
  Test->add_option("--sarif", Command.Sarif, "SARIF 2.1.0: bugs with their executions")
      ->type_name("FILE")
      ->group(Group);
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
  addTimeoutOption(Robust, [&Command](double Seconds) { Command.Given.TimeoutSeconds = Seconds; });
  addMemoryOption(Robust, [&Command](uint64_t Bytes) { Command.Given.MemoryBytes = Bytes; });
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

static void tellRecovered() {
  for (const std::string &Sentence : recoverFiles())
    std::cerr << "picket: " << Sentence << '\n';
}

/// The command in a confined process.
static int runConfined(const CheckCommand &Check, const std::function<int()> &Command) {
  tellRecovered();
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
  TestCommand Test;
  addTestCommand(App, Test);
  App.add_subcommand("lsp", "The language server for editors"); // for the help: it has its own parser
  App.add_subcommand("doctor", "Report whether the sandbox works on this system");

  SplitArguments Arguments = splitClangFlags(std::vector<std::string>(argv + 1, argv + argc));
  setJsonErrors(wantsJson(Arguments.Own));
  Check.ClangFlags = Replay.ClangFlags = Robust.ClangFlags = Test.Check.ClangFlags = Arguments.Clang;
  try {
    if (!Arguments.Own.empty() && Arguments.Own[0][0] != '-' && Arguments.Own[0] != "check" &&
        Arguments.Own[0] != "replay" && Arguments.Own[0] != "litmus" && Arguments.Own[0] != "robust" &&
        Arguments.Own[0] != "test" && Arguments.Own[0] != "doctor")
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
  if (App.got_subcommand("test")) {
    tellRecovered();
    return finishOutput(Test.run(), BadUsage);
  }
  if (App.got_subcommand("litmus"))
    return runConfined(Check, [&] { return Litmus.run(); });
  return runConfined(Check, [&] { return Check.run(); });
}
