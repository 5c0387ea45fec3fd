#include "Terminal.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

namespace picket {

void setColors(ColorMode Mode) {
  const char *NoColor = std::getenv("NO_COLOR");
  const bool Unwanted = NoColor && *NoColor;
  for (llvm::raw_fd_ostream *Out : {&llvm::outs(), &llvm::errs()})
    Out->enable_colors(Mode == ColorMode::Always || (Mode == ColorMode::Auto && !Unwanted && Out->has_colors()));
}

unsigned terminalWidth() {
  const unsigned Columns = llvm::sys::Process::StandardOutColumns();
  return Columns ? std::clamp(Columns, 40u, 160u) : 80;
}

} // namespace picket
