// Removes the parts of Graphviz's SVG that the page must not have.
#pragma once

#include <string>

namespace picket {

/// An <svg> element alone that takes the size it is given: without XML prolog, document type, comments, width and
/// height. The tooltips that the graph asks for become <title> elements; the names of nodes, which Graphviz puts there,
/// go.
std::string cleanSvg(const std::string &Svg);

} // namespace picket
