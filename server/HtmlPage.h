// The page that shows counterexamples: one HTML file that needs nothing else.
#pragma once

#include <string>

namespace picket {

/// `Json` is an array of counterexamples with their pictures (TraceJson.h).
std::string htmlPage(const std::string &Json);

} // namespace picket
