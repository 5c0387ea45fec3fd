#include "suite/TestCommand.h"

#include "FileWriting.h"
#include "Terminal.h"
#include "suite/JUnitReport.h"
#include "suite/SarifMerge.h"
#include "suite/SuiteText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

#include <chrono>
#include <filesystem>
#include <set>
#include <unistd.h>

using llvm::StringRef;

namespace picket {

namespace fs = std::filesystem;

namespace {

constexpr size_t WidestName = 48; // longer ones are not aligned

/// Without a slash at the end.
std::string wholePath(const std::string &Path) {
  std::error_code Ignored;
  std::string Whole = fs::absolute(Path, Ignored).lexically_normal().string();
  while (Whole.size() > 1 && Whole.back() == '/')
    Whole.pop_back();
  return Whole;
}

/// A file below a folder, as the user would name it: "tests/queue.c" below "tests".
std::string shownPath(const std::string &File, const std::string &Whole, const std::string &Folder) {
  const std::string Below = File.substr(Whole.size() + (Whole.back() == '/' ? 0 : 1));
  const fs::path Named = fs::path(Folder).lexically_normal();
  return Named == "." || Named == "./" ? Below : (Named / Below).string();
}

/// What is shown below the results while others are being checked.
class StatusLine {
public:
  explicit StatusLine(size_t All) : All(All), Shown(isatty(STDOUT_FILENO)) {}
  bool isShown() const { return Shown; }

  void show(size_t Done, const std::vector<std::string> &Running, const std::string &Progress) {
    std::string Text = std::to_string(Done) + " of " + std::to_string(All) + " done · " + Running.front();
    if (!Progress.empty())
      Text += ": " + Progress;
    if (Running.size() > 1)
      Text += ", and " + std::to_string(Running.size() - 1) + " more";
    Text = printable(Text, /*Colors=*/false);
    std::replace(Text.begin(), Text.end(), '\n', '?');
    while (llvm::sys::unicode::columnWidthUTF8(Text) >= static_cast<int>(terminalWidth()))
      cutLast(Text);
    llvm::outs() << "\r\033[K" << Text;
    llvm::outs().flush();
  }
  void clear() {
    if (Shown)
      llvm::outs() << "\r\033[K";
  }

private:
  /// A whole character.
  static void cutLast(std::string &Text) {
    while (!Text.empty() && (Text.back() & 0xC0) == 0x80)
      Text.pop_back();
    if (!Text.empty())
      Text.pop_back();
  }

  const size_t All;
  const bool Shown;
};

/// Warnings that several programs have are told once.
class Warnings {
public:
  void tell(StringRef Text) {
    for (StringRef Line : llvm::split(Text, '\n'))
      if (!Line.empty() && Told.insert(Line.str()).second)
        llvm::errs() << printable(Line, /*Colors=*/false) << '\n';
  }

private:
  std::set<std::string> Told;
};

} // namespace

ExitCode TestCommand::findPrograms() {
  if (Paths.empty())
    Paths.push_back(".");
  std::vector<std::pair<std::string, std::string>> Folders; // as whole paths, and as they were named
  std::set<std::string> Known;
  for (const std::string &Path : Paths) {
    std::error_code Failed;
    const fs::file_status Status = fs::status(Path, Failed);
    if (!fs::exists(Status)) {
      tellError("cannot read '" + Path + "': " + (Failed ? Failed.message() : "No such file or directory"));
      return BadUsage;
    }
    const std::string Whole = wholePath(Path);
    if (fs::is_directory(Status))
      Folders.emplace_back(Whole, Path);
    else if (Known.insert(Whole).second)
      Programs.push_back({Path, Whole, /*Named=*/true});
  }
  if (Folders.empty())
    return NothingFound;
  std::vector<std::string> Whole;
  for (const auto &[Folder, Named] : Folders)
    Whole.push_back(Folder);
  bool Limited = false;
  std::string Problem;
  const std::optional<std::vector<std::string>> Found = programsBelow(Whole, Limited, Problem);
  if (!Found) {
    tellError(Problem.empty() ? "cancelled while looking for programs" : Problem);
    return Problem.empty() ? LimitReached : CannotBeChecked;
  }
  if (Limited)
    llvm::errs() << "picket: warning: there are too many files to look at; name the folders with programs\n";
  for (const std::string &File : *Found)
    for (const auto &[Folder, Named] : Folders)
      if (StringRef(File).starts_with(Folder == "/" ? Folder : Folder + "/")) {
        if (Known.insert(File).second)
          Programs.push_back({shownPath(File, Folder, Named), File, /*Named=*/false});
        break;
      }
  return NothingFound;
}

TestCommand::Results TestCommand::checkAll(SuiteCounts &Counts) {
  ResultCache Cache(NoCache ? "" : ResultCache::defaultFolder());
  size_t Width = 0;
  for (const SuiteProgram &P : Programs)
    if (const int Columns = llvm::sys::unicode::columnWidthUTF8(P.File); Columns > 0)
      Width = std::max(Width, std::min(static_cast<size_t>(Columns), WidestName));
  StatusLine Status(Programs.size());
  Warnings Said;
  SuiteListener Listener;
  if (Status.isShown())
    Listener.OnProgress = [&](size_t Done, const std::vector<std::string> &Running, const std::string &Progress) {
      Status.show(Done, Running, Progress);
    };
  Listener.OnResult = [&](const SuiteProgram &Program, const ProgramResult &Result) {
    Counts.add(Result);
    Status.clear();
    llvm::outs().flush();
    Said.tell(Result.Warning);
    if (Result.StartsThreads)
      printResult(llvm::outs(), Program, Result, Width, !Check.Text.Quiet);
    llvm::outs().flush();
  };
  Results All = runSuite(Programs, Check, Suite, Cache, Listener);
  Status.clear();
  for (const std::optional<ProgramResult> &Result : All)
    Counts.NotBegun += !Result;
  return All;
}

bool TestCommand::writeReports(const Results &All, ExitCode Code) const {
  std::vector<FileChange> Files;
  if (!JUnit.empty())
    Files.push_back({JUnit, junitText(Programs, All)});
  if (!Sarif.empty()) {
    std::vector<const llvm::json::Value *> Logs;
    for (const std::optional<ProgramResult> &Result : All)
      if (Result && Result->Sarif)
        Logs.push_back(&*Result->Sarif);
    Files.push_back({Sarif, mergedSarif(Logs, Code)});
  }
  if (Files.empty())
    return true;
  const std::string Problem = writeFiles(Files);
  if (!Problem.empty())
    llvm::errs() << "picket: " << Problem << '\n';
  return Problem.empty();
}

int TestCommand::run() {
  const auto Start = std::chrono::steady_clock::now();
  Suite.Sarif = !Sarif.empty();
  if (!Suite.Sarif)
    Check.Options.Counterexamples = Check.Options.MostWitnesses = 0; // nobody would see them
  cancelOnInterrupt();
  if (const ExitCode Code = findPrograms(); Code != NothingFound)
    return Code;
  SuiteCounts Counts;
  const Results All = checkAll(Counts);
  ExitCode Worst = Counts.NotBegun ? LimitReached : NothingFound;
  for (const std::optional<ProgramResult> &Result : All)
    if (Result)
      Worst = graverOf(Worst, Result->code());
  const bool None = Counts.begun() + Counts.NotBegun == 0;
  if (None)
    Worst = BadUsage;
  llvm::raw_ostream &Out = llvm::outs();
  if (interrupted())
    Out << "Cancelled: " << Counts.NotBegun << " of " << Programs.size() << " programs not begun\n";
  if (!None)
    Out << summaryText(Counts, std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count()) << '\n';
  if (Counts.WithoutThreads)
    Out << Counts.WithoutThreads
        << (Counts.WithoutThreads == 1 ? " other file with 'main' starts" : " other files with 'main' start")
        << " no threads\n";
  Out.flush();
  const bool Written = writeReports(All, Worst);
  if (None)
    tellError("no programs found in '" + llvm::join(Paths, "', '") +
              "': a program is a C file with a 'main' that starts threads");
  return Written ? Worst : BadUsage;
}

} // namespace picket
