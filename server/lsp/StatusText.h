// Verdicts in a few words, for status lines and lenses.
#pragma once

#include "lsp/DocumentStatus.h"

namespace picket {

/// "SC ✓ up to 8  TSO ✗  PSO ?  POWER …": the last one is being checked
std::string verdictsText(const Outcome &O);

/// One line about a document: "SC ✓  TSO ✗  PSO ✗ · 4 executions", "checking", "no threads".
std::string statusText(const DocumentStatus &Status);

} // namespace picket
