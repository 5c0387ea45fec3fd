// `picket render-svg`: the helper process behind renderSvg (engine/trace/Svg.h). Not for people, so no help mentions
// it.
#pragma once

namespace picket {

/// Graphviz text on standard input to SVG on standard output; returns the exit code, not 0 if it could not be drawn.
int renderCommand();

} // namespace picket
