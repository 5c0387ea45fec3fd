// `picket render-svg`: the helper process behind renderSvg (engine/draw/Svg.h). Not for people, so no help mentions
// it.
#pragma once

#include <string>

namespace picket {

/// Graphviz text on standard input to SVG on standard output; returns the exit code, not 0 if it could not be drawn.
int renderCommand();

/// The pictures of one or several texts, as setRendererFunction asks for them.
std::string drawAll(const std::string &Dots, std::string &Error);

} // namespace picket
