// Check reports as JSON. The shape is stable: scripts rely on it. New fields only ever come after the old ones.
#pragma once

#include "SourceText.h"
#include "TraceJson.h"
#include "check/Check.h"

#include "llvm/Support/raw_ostream.h"

namespace picket {

/// One object for one report, an array for several. Bugs have their counterexamples with them, without the pictures.
void printJson(llvm::raw_ostream &Out, const std::vector<CheckReport> &Reports, SourceTexts &Sources);

/// One bug as one object, as it is in a report.
void writeBug(llvm::json::OStream &J, const Bug &B, const TraceContext &Context);

} // namespace picket
