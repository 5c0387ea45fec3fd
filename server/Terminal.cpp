#include "Terminal.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

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

static bool JsonErrors = false;

void setJsonErrors(bool Wanted) { JsonErrors = Wanted; }

void tellError(const std::string &Sentence) {
  llvm::errs() << "picket: " << Sentence << '\n';
  if (!JsonErrors)
    return;
  llvm::json::OStream J(llvm::outs(), /*IndentSize=*/2);
  J.object([&] { J.attribute("error", llvm::json::fixUTF8(Sentence)); });
  llvm::outs() << '\n';
}

void occupyStandardFiles() {
  for (int File : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(File, F_GETFD) < 0)
      open("/dev/null", File == STDERR_FILENO ? O_WRONLY : O_RDONLY); // the lowest number that is free
}

int finishOutput(int Code, int Failed) {
  llvm::raw_fd_ostream &Out = llvm::outs();
  Out.flush();
  std::cout.flush();
  const std::error_code Error = Out.error();
  Out.clear_error(); // otherwise it ends the program by itself
  if (!Error && std::cout)
    return Code;
  llvm::errs() << "picket: cannot write to standard output" << (Error ? ": " + Error.message() : "") << '\n';
  return Failed;
}

} // namespace picket
