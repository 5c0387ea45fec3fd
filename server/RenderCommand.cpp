#include "RenderCommand.h"

#include "trace/Svg.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <sys/resource.h>

namespace picket {

int renderCommand() {
  // Whoever started this also has a limit, but may be gone.
  const rlimit OneMinute = {60, 60};
  setrlimit(RLIMIT_CPU, &OneMinute);
  const rlimit NoCoreDump = {0, 0};
  setrlimit(RLIMIT_CORE, &NoCoreDump);
  const std::string Dot((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  const bool Several = Dot.find('\0') != std::string::npos;
  for (size_t Begin = 0; Begin <= Dot.size();) {
    const size_t End = std::min(Dot.find('\0', Begin), Dot.size());
    const SvgResult Result = renderSvgInProcess(Dot.substr(Begin, End - Begin));
    if (!Result.Ok && !Several) {
      std::cerr << Result.Error << "\n";
      return 1;
    }
    if (Begin > 0)
      std::cout << '\0';
    std::cout << Result.Svg;
    Begin = End + 1;
  }
  std::cout << std::flush;
  return std::cout ? 0 : 1;
}

} // namespace picket
