// Graphviz text to SVG with Graphviz' library.
#pragma once

#include "draw/Svg.h"

namespace picket {

/// Draws in this process, one picture at a time: what the helper process of renderSvg does.
SvgResult renderSvgInProcess(const std::string &Dot);

} // namespace picket
