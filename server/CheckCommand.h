// `picket check`: checks files one after the other and reports on the terminal, as JSON or as SARIF.
#pragma once

#include "CatFile.h"
#include "FileSettings.h"
#include "FixCommand.h"
#include "Supervision.h"
#include "TextReport.h"
#include "TraceFiles.h"
#include "check/RobustnessCheck.h"

namespace picket {

/// Exit codes of the program.
enum ExitCode : int {
  NothingFound = 0, // verified, or verified up to the bound: the text says which
  ViolationFound = 1,
  BadUsage = 2,        // or a file that cannot be written
  CannotBeChecked = 3, // does not compile, or does something that is not modelled
  LimitReached = 4
};

ExitCode exitCodeOf(Verdict V);
/// What a command with both results ends with: violation, cannot be checked, limit, nothing.
ExitCode graverOf(ExitCode A, ExitCode B);

/// The first Ctrl-C ends the check and still reports; the second one ends the program.
void cancelOnInterrupt();

/// The report of a file whose check was lost: no model has an answer.
CheckReport reportOfLoss(const std::string &File, const std::vector<MemoryModel> &Models, const Loss &Lost);

struct CheckCommand {
  enum class Format { Text, Json, Sarif };

  std::vector<std::string> Files;
  bool OneProgram = false; // Files are those of one program; otherwise each is a program
  std::vector<std::string> ClangFlags;
  CheckOptions Options = defaultOptions();    // where nobody says anything else
  SettingsLayer Given;                        // what the command line says
  std::string Races;                          // --races, as it was written
  std::string Cat;                            // a model as text, instead of others
  std::optional<cat::Architecture> CatEvents; // whose instructions the program becomes; else its title says that
  Format Output = Format::Text;
  TextOptions Text;
  TraceFiles Traces;                       // besides the output
  bool Count = false;                      // a table of numbers instead of the report
  bool DumpBytecode = false;               // the compiled program instead of a check
  std::optional<RobustnessOptions> Robust; // only whether the program is robust; limits are those of Options
  FixCommand Fixes;                        // changes instead of a report

  /// Returns the exit code: the gravest of all files' (violation, cannot be checked, limit, nothing).
  int run();

private:
  static CheckOptions defaultOptions() {
    CheckOptions Options;
    Options.Models = defaultModels();
    Options.Search = Engine::Auto;
    return Options;
  }
  /// In a copy of this process (Supervision.h): a file that breaks a limit or the compiler costs no more than its own report.
  CheckReport checkFile(const std::string &File);
  CheckReport checkHere(const std::string &File, const FileSettings &With) const;
  RobustnessOptions robustnessOptions(const FileSettings &With) const;
  CheckReport lostReport(const std::string &File, const Loss &Lost) const;
  FileSettings settingsOf(const std::string &File) const {
    return picket::settingsOf(File, Options, ClangFlags, Given);
  }
  void joinFiles();
  int dumpBytecode();
  int runFixes();
  ExitCode readCat();
  CheckReport checkWithCat(const CatFile &With, CheckRequest Request, const ProgressListener &Show,
                           const std::function<void()> &Watch) const;

  SourceTexts Sources;
  std::optional<CatFile> Model; // Cat
};

} // namespace picket
