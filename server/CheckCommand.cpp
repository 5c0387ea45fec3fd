#include "CheckCommand.h"

#include "JsonReport.h"
#include "TextReport.h"

#include <csignal>
#include <unistd.h>

namespace picket {

namespace {

std::atomic<bool> Interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free); // it is set in a signal handler

/// The first Ctrl-C ends the check and still reports; the second one ends the program.
void cancelOnInterrupt() {
  struct sigaction Action = {};
  Action.sa_handler = [](int) { Interrupted = true; };
  Action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &Action, nullptr);
}

/// A line that counts executions, on a terminal only.
class ProgressLine {
public:
  explicit ProgressLine(bool Wanted) : Shown(Wanted && isatty(STDERR_FILENO)) {}
  ~ProgressLine() {
    if (Shown)
      llvm::errs() << "\r\033[K";
  }
  void show(const std::string &File, const Progress &P) const {
    if (Shown)
      llvm::errs() << "\r\033[K" << File << ": " << nameOf(P.Which) << ": " << P.Executions << " executions";
  }

private:
  bool Shown;
};

ExitCode exitCodeOf(Verdict V) {
  switch (V) {
  case Verdict::Verified:
  case Verdict::Bounded:
    return NothingFound;
  case Verdict::Violation:
    return ViolationFound;
  case Verdict::Inconclusive:
    return LimitReached;
  case Verdict::Unsupported:
  case Verdict::CompileError:
    return CannotBeChecked;
  }
  return CannotBeChecked;
}

int gravityOf(ExitCode Code) {
  switch (Code) {
  case NothingFound:
    return 0;
  case LimitReached:
    return 1;
  case CannotBeChecked:
    return 2;
  case ViolationFound:
    return 3;
  case BadUsage:
    return 4;
  }
  return 4;
}

ExitCode gravest(const std::vector<CheckReport> &Reports) {
  ExitCode Worst = NothingFound;
  for (const CheckReport &R : Reports)
    for (const ModelReport &M : R.Models)
      if (ExitCode Code = exitCodeOf(M.Result); gravityOf(Code) > gravityOf(Worst))
        Worst = Code;
  return Worst;
}

} // namespace

CheckReport CheckCommand::checkFile(const std::string &File) const {
  CheckRequest Request;
  Request.Text.File = File;
  Request.Text.Flags = ClangFlags;
  Request.Options = Options;
  ProgressLine Line(Output == Format::Text);
  CheckReport Report = check(Request, [&](const Progress &P) { Line.show(File, P); }, &Interrupted);
  Report.File = File; // as it was named
  return Report;
}

int CheckCommand::run() const {
  if (DumpBytecode)
    return dumpBytecode();
  cancelOnInterrupt();
  std::vector<CheckReport> Reports;
  for (const std::string &File : Files) {
    Reports.push_back(checkFile(File));
    if (Output == Format::Text) {
      printDiagnostics(llvm::errs(), Reports.back().Diagnostics, File);
      if (!Count)
        printText(llvm::outs(), Reports.back(), Options.Unroll);
      llvm::outs().flush();
    }
    if (Interrupted)
      break;
  }
  if (Output == Format::Json)
    printJson(llvm::outs(), Reports);
  else if (Count)
    printCounts(llvm::outs(), Reports, Options.Exhaustive);
  return gravest(Reports);
}

int CheckCommand::dumpBytecode() const {
  ExitCode Code = NothingFound;
  for (const std::string &File : Files) {
    CompileRequest Request;
    Request.File = File;
    Request.Flags = ClangFlags;
    CompileResult Result = compileProgram(Request);
    printDiagnostics(llvm::errs(), Result.Diagnostics, File);
    if (Result.Compiled)
      llvm::outs() << toString(*Result.Compiled);
    else
      Code = CannotBeChecked;
  }
  return Code;
}

} // namespace picket
