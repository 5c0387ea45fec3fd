// `picket test`: finds the programs below folders and checks them as a test suite.
#pragma once

#include "suite/SuiteRun.h"

namespace picket {

struct SuiteCounts;

/// Runs outside of the sandbox: everything that reads the programs is a confined process that it starts.
struct TestCommand {
  std::vector<std::string> Paths; // folders and C files; none: the working directory
  CheckCommand Check;             // the options of a check
  SuiteOptions Suite;
  std::string JUnit, Sarif; // files to write
  bool NoCache = false;

  /// Returns the exit code: as of `picket check` with all programs. BadUsage if there are none.
  int run();

private:
  using Results = std::vector<std::optional<ProgramResult>>;

  ExitCode findPrograms();
  Results checkAll(SuiteCounts &Counts);
  bool writeReports(const Results &All, ExitCode Code) const;

  std::vector<SuiteProgram> Programs;
};

} // namespace picket
