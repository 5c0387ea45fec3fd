// Writes text in the syntax of Graphviz.
#pragma once

#include <string>

namespace picket {

/// A quoted string that comes out of Graphviz, and of the SVG it writes, as the very characters of `Text`. What XML or
/// a reader could not cope with (control characters, text direction marks, bytes that are no UTF-8) becomes U+FFFD.
std::string dotLabel(const std::string &Text);   // on one line
std::string dotTooltip(const std::string &Text); // keeps its lines

} // namespace picket
