// `picket replay`: runs a counterexample again.
#pragma once

#include "TraceJson.h"

namespace picket {

struct ReplayCommand {
  /// Exit codes. Those of `picket check` that make sense here are the same.
  enum Outcome : int { NoLongerFails = 0, FailsAgain = 1, BadInput = 2, CannotBeRun = 3, NoLongerMatches = 4 };

  std::string TraceFile;               // "-": standard input
  std::string Source;                  // instead of the file that the trace names; may be empty
  std::vector<std::string> ClangFlags; // behind those of the trace

  int run() const;

private:
  llvm::Expected<SavedTrace> load() const;
};

} // namespace picket
