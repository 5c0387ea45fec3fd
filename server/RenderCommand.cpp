#include "RenderCommand.h"

#include "trace/Svg.h"

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
  const SvgResult Result = renderSvgInProcess(Dot);
  if (!Result.Ok) {
    std::cerr << Result.Error << "\n";
    return 1;
  }
  std::cout << Result.Svg << std::flush;
  return std::cout ? 0 : 1;
}

} // namespace picket
