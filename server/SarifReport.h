// Check reports as SARIF 2.1.0, the format that code-scanning services and editors read.
#pragma once

#include "SourceText.h"
#include "check/Check.h"

#include "llvm/Support/raw_ostream.h"

namespace picket {

/// One run for all reports. A bug that several models have is one result with a code flow per model; each thread of the
/// counterexample is a thread flow. What could not be compiled or checked is a notification.
void printSarif(llvm::raw_ostream &Out, const std::vector<CheckReport> &Reports, SourceTexts &Sources, int ExitCode);

} // namespace picket
