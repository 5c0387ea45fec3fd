// What is known about single lines, for whoever points at them.
#pragma once

#include "lsp/Outcome.h"

namespace picket {

/// The place of an event in the user's text: its own, or that of the innermost call that lies there. Line 0: none.
SourceLocation userLocation(const TraceEvent &E);

/// Who accesses which shared variable on a line, past what it was reordered, what happened there in the
/// counterexamples, loops that were cut and notes: one fact per line and subject.
std::vector<LineFact> factsOf(const CheckReport &Report, const CheckOptions &Options);

} // namespace picket
