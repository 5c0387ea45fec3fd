// Renders Graphviz text as SVG.
//
// Graphviz is not thread-safe, and a graph that it cannot handle ends the process. So a helper process draws, and a
// crash costs only one picture.
#pragma once

#include <string>
#include <vector>

namespace picket {

struct SvgResult {
  bool Ok = false;
  std::string Svg, Error; // one of them
};

/// Which program draws: it is run with the one argument `render-svg`, the Graphviz text on its standard input, and
/// writes the SVG to its standard output. Of several texts with a zero byte between them it makes as many pictures,
/// likewise, with nothing where one cannot be drawn. `picket` names itself. There is no default, since a program that
/// does not know the argument would run all of itself.
void setRendererProgram(std::string Path);

/// Draws in copies of this process instead (fork), which need not be allowed to run programs. `Draw` gets the texts as above
/// and returns the pictures likewise; an empty result of a single text means that it failed, with the reason in `Error`.
using RendererFunction = std::string (*)(const std::string &Dots, std::string &Error);
void setRendererFunction(RendererFunction Draw);

/// Draws in the helper process. May be called from several threads concurrently.
SvgResult renderSvg(const std::string &Dot, double TimeoutSeconds = 10);
/// Draws several in one process, which takes little longer than one. If that fails, each by itself.
std::vector<SvgResult> renderSvgs(const std::vector<std::string> &Dots, double TimeoutSeconds = 10);

} // namespace picket
