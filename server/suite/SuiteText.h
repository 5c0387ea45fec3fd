// A test suite on the terminal: a line per program, the reports of those that fail, and a summary.
#pragma once

#include "suite/SuiteRun.h"

#include "llvm/Support/raw_ostream.h"

namespace picket {

/// Text of others as a terminal may be given it: control characters become '?', except for tabs, ends of lines and, if
/// `Colors`, sequences that choose a colour. Without `Colors`, these are left out.
std::string printable(llvm::StringRef Text, bool Colors);

/// How many programs came to which end.
struct SuiteCounts {
  size_t Passed = 0, Cached = 0, Failed = 0, CannotCheck = 0, AtLimit = 0;
  size_t WithoutThreads = 0; // not counted as programs
  size_t NotBegun = 0;       // when somebody pressed Ctrl+C

  size_t begun() const { return Passed + Failed + CannotCheck + AtLimit; }
  void add(const ProgramResult &Result);
};

/// "queue.c        SC ✓  TSO ✗  ... · 0.42 s", and below it what `picket check --quiet` would print, if `Report` and if
/// something is wrong. `Width`: of names, so that what follows is aligned.
void printResult(llvm::raw_ostream &Out, const SuiteProgram &Program, const ProgramResult &Result, size_t Width,
                 bool Report);

/// "6 programs: 4 passed (1 cached), 2 failed · 3.1 s"
std::string summaryText(const SuiteCounts &Counts, double Seconds);

} // namespace picket
