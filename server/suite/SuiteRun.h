// Checks the programs of a test suite, several side by side, each in a confined process of its own.
#pragma once

#include "suite/ProgramCheck.h"
#include "suite/ResultCache.h"

namespace picket {

struct SuiteProgram {
  std::string File;     // as it is shown
  std::string Absolute; // the same file
  bool Named = false;   // by the user, not found in a folder
};

/// Hears of the suite, on the thread that runs it.
struct SuiteListener {
  /// A few times a second, if wanted.
  std::function<void(size_t Done, const std::vector<std::string> &Running, const std::string &Progress)> OnProgress;
  /// In the order of the programs, each as soon as it and those before it are done.
  std::function<void(const SuiteProgram &Program, const ProgramResult &Result)> OnResult;
};

struct SuiteOptions {
  unsigned Together = 0; // programs side by side; 0: one per core
  bool Sarif = false;
};

/// Returns a result per program, and none for those that were not begun when somebody pressed Ctrl+C. Those that run then
/// are cancelled, and tell what is known of them.
std::vector<std::optional<ProgramResult>> runSuite(const std::vector<SuiteProgram> &Programs, const CheckCommand &How,
                                                   const SuiteOptions &Options, ResultCache &Cache,
                                                   const SuiteListener &Listener);

/// The programs below folders (absolute), found by a confined process. Nothing: that was cancelled, or `Problem` says why
/// not. `Limited`: there are more files than are read.
std::optional<std::vector<std::string>> programsBelow(const std::vector<std::string> &Folders, bool &Limited,
                                                      std::string &Problem);

} // namespace picket
