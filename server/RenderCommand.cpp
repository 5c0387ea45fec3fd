#include "RenderCommand.h"

#include "draw/graphviz/Graphviz.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <sys/resource.h>

namespace picket {

std::string drawAll(const std::string &Dot, std::string &Error) {
  const bool Several = Dot.find('\0') != std::string::npos;
  std::string Pictures;
  for (size_t Begin = 0; Begin <= Dot.size();) {
    const size_t End = std::min(Dot.find('\0', Begin), Dot.size());
    const SvgResult Result = renderSvgInProcess(Dot.substr(Begin, End - Begin));
    if (!Result.Ok && !Several) {
      Error = Result.Error.empty() ? "drawing failed" : Result.Error;
      return "";
    }
    if (Begin > 0)
      Pictures += '\0';
    Pictures += Result.Svg;
    Begin = End + 1;
  }
  return Pictures;
}

int renderCommand() {
  // Whoever started this also has a limit, but may be gone.
  const rlimit OneMinute = {60, 60};
  setrlimit(RLIMIT_CPU, &OneMinute);
  const rlimit NoCoreDump = {0, 0};
  setrlimit(RLIMIT_CORE, &NoCoreDump);
  const std::string Dot((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  std::string Error;
  std::cout << drawAll(Dot, Error) << std::flush;
  if (!Error.empty())
    std::cerr << Error << "\n";
  return Error.empty() && std::cout ? 0 : 1;
}

} // namespace picket
