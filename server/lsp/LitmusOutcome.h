// What there is to say about a litmus test in an editor: under each of its models, how often its condition holds.
#pragma once

#include "litmus/LitmusRun.h"
#include "lsp/Outcome.h"

namespace picket {

bool isLitmus(llvm::StringRef File);

/// Reads and runs a test under the models of its architecture. A text that cannot be read is answered where it is
/// wrong.
Outcome litmusOutcome(const std::string &File, llvm::StringRef Text, const LitmusOptions &Options);

} // namespace picket
