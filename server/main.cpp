// The `picket` program: command line in, exit code out.
#include "CheckCommand.h"
#include "ClangFlags.h"
#include "Units.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

using namespace picket;

static const char *const Description =
    "Picket checks concurrent C programs: every execution, or the one that goes wrong.";

static const char *const CheckHelp =
    R"(Flags for Clang (-D -U -I -std= -include -isystem -W... -f... -m...) are passed on; so is all that follows '--'.
Flags are also taken from a compile_commands.json beside or above the file.

Exit codes: 0 nothing found, 1 violation, 2 bad usage, 3 cannot be checked, 4 a limit was reached first.

Examples:
  picket check queue.c
  picket check --unroll 3 --timeout 20s -DTHREADS=3 queue.c
  picket check --exhaustive --json lock.c > lock.json
  picket check --count examples/*.c
)";

static std::vector<Model> parseModels(const std::string &Text) {
  std::vector<Model> Models;
  for (const std::string &Name : CLI::detail::split(Text, ',')) {
    bool Known = false;
    for (Model M : {Model::SC, Model::TSO, Model::PSO, Model::Power})
      if (CLI::detail::to_lower(Name) == nameOf(M)) {
        Known = true;
        if (std::find(Models.begin(), Models.end(), M) == Models.end())
          Models.push_back(M);
      }
    if (!Known)
      throw CLI::ValidationError("--model", "'" + Name + "' is no memory model (sc, tso, pso, power)");
  }
  return Models;
}

/// Describes `picket check` to the parser; the values end up in `Command`.
static CLI::App *addCheckCommand(CLI::App &App, CheckCommand &Command) {
  CLI::App *Check = App.add_subcommand("check", "Check C files");
  Check->footer(CheckHelp);
  CheckOptions &Options = Command.Options;
  Check->add_option("FILE", Command.Files, "C files, each a program of its own")->required();
  Check->add_option_function<std::string>(
      "--model", [&Options](const std::string &Text) { Options.Models = parseModels(Text); },
      "Memory models, comma separated: sc, tso, pso [all of them]");
  Check->add_option("--unroll", Options.Unroll, "Iterations of a loop that other threads can keep going [8]")
      ->check(CLI::Range(1u, 1000000u))
      ->type_name("N");
  Check->add_flag("--exhaustive", Options.Exhaustive, "Go on after the first bug, so that the counts are total");
  Check->add_option_function<std::string>(
      "--timeout",
      [&Options](const std::string &Text) {
        auto Seconds = parseSeconds(Text);
        if (!Seconds)
          throw CLI::ValidationError("--timeout", "'" + Text + "' is no time (20, 20s, 2m, 500ms)");
        Options.TimeoutSeconds = *Seconds;
      },
      "Time limit per model: 20, 20s, 2m, 500ms [none]");
  Check->add_option_function<std::string>(
      "--max-memory",
      [&Options](const std::string &Text) {
        auto Bytes = parseBytes(Text);
        if (!Bytes)
          throw CLI::ValidationError("--max-memory", "'" + Text + "' is no size (512M, 2G)");
        Options.MaxMemoryBytes = *Bytes;
      },
      "Memory limit: 512M, 2G [4G]");
  Check->add_option("-j,--jobs", Options.Jobs, "Models checked side by side [number of cores]")
      ->check(CLI::Range(0u, 4096u))
      ->type_name("N");
  Check->add_option_function<std::string>(
      "--format",
      [&Command](const std::string &Text) {
        if (Text != "text" && Text != "json")
          throw CLI::ValidationError("--format", "'" + Text + "' is no format (text, json)");
        Command.Output = Text == "json" ? CheckCommand::Format::Json : CheckCommand::Format::Text;
      },
      "Output: text or json [text]");
  Check->add_flag_callback(
      "--json", [&Command] { Command.Output = CheckCommand::Format::Json; }, "The same as --format json");
  Check->add_flag("--count", Command.Count, "Print a table: executions, blocked, bounded, seconds, executions/s");
  Check->add_flag("--dump-bytecode", Command.DumpBytecode, "Print the compiled program and do not check it");
  return Check;
}

int main(int argc, char **argv) {
  CLI::App App(Description, "picket");
  App.set_version_flag("--version", "picket " PICKET_VERSION " (LLVM " PICKET_LLVM_VERSION ")");
  App.require_subcommand(1);
  CheckCommand Check;
  addCheckCommand(App, Check);

  SplitArguments Arguments = splitClangFlags(std::vector<std::string>(argv + 1, argv + argc));
  Check.ClangFlags = Arguments.Clang;
  try {
    if (!Arguments.Own.empty() && Arguments.Own[0][0] != '-' && Arguments.Own[0] != "check")
      throw CLI::ExtrasError({Arguments.Own[0]});
    std::reverse(Arguments.Own.begin(), Arguments.Own.end()); // the order CLI11 wants a vector in
    App.parse(Arguments.Own);
  } catch (const CLI::Success &HelpOrVersion) {
    return App.exit(HelpOrVersion);
  } catch (const CLI::ParseError &Error) {
    std::cerr << "picket: " << Error.what() << "\nRun 'picket check --help' for usage.\n";
    return BadUsage;
  }
  return Check.run();
}
