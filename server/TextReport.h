// Check reports for people: verdicts in words, places with the source line and a caret.
#pragma once

#include "check/Check.h"

#include "llvm/Support/raw_ostream.h"

namespace picket {

/// The compiler's diagnostics, one below the other, as Clang writes them.
void printDiagnostics(llvm::raw_ostream &Out, const std::vector<Diagnostic> &Diagnostics, const std::string &NamedFile);

/// Verdict and bugs per model. `Unroll` is the loop bound the check ran with.
void printText(llvm::raw_ostream &Out, const CheckReport &Report, unsigned Unroll);

/// One line per model: executions, blocked, bounded, seconds, executions per second. Then, for several models, their
/// executions side by side, and under which ones the program is robust (which only complete explorations tell).
void printCounts(llvm::raw_ostream &Out, const std::vector<CheckReport> &Reports, bool Exhaustive);

} // namespace picket
