// Check reports as JSON. The shape is stable: scripts rely on it. New fields only ever come after the old ones.
#pragma once

#include "check/Check.h"

#include "llvm/Support/raw_ostream.h"

namespace picket {

/// One object for one report, an array for several.
void printJson(llvm::raw_ostream &Out, const std::vector<CheckReport> &Reports);

} // namespace picket
