// Joins the SARIF logs of several programs into one with one run.
#pragma once

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace picket {

/// The logs come from processes that were confined, and may hold anything: what is no part of a log as Picket writes it is
/// left out. What the log says of the tool is not taken from them.
std::string mergedSarif(const std::vector<const llvm::json::Value *> &Logs, int ExitCode);

} // namespace picket
