#include "LitmusCommand.h"

#include "CheckCommand.h"
#include "InputFile.h"
#include "Supervision.h"
#include "Terminal.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace picket {

bool LitmusCommand::findFiles(std::vector<std::string> &Files) const {
  for (const std::string &Path : Paths) {
    std::error_code Error;
    if (!fs::is_directory(Path, Error)) {
      Files.push_back(Path);
      continue;
    }
    std::vector<std::string> Found;
    for (fs::recursive_directory_iterator At(Path, Error), End; !Error && At != End; At.increment(Error))
      if (At->path().extension() == ".litmus" && At->is_regular_file(Error))
        Found.push_back(At->path().string());
    if (Error || Found.empty()) {
      tellError(Error ? "'" + Path + "' cannot be read: " + Error.message()
                      : "there is no .litmus file in '" + Path + "'");
      return false;
    }
    std::sort(Found.begin(), Found.end());
    Files.insert(Files.end(), Found.begin(), Found.end());
  }
  return true;
}

LitmusReport LitmusCommand::runFile(const std::string &File) const {
  LitmusReport Report;
  Report.File = File;
  constexpr size_t MostBytes = 16 << 20;
  const std::optional<std::string> Text = readInput(File, MostBytes, Options.TimeoutSeconds, Report.Reading.Problem);
  if (!Text)
    return Report;
  Report.Reading = readLitmus(*Text, File);
  if (!Report.Reading.Test)
    return Report;
  const LitmusTest &Test = *Report.Reading.Test;
  if (TextModel) {
    runCat(*TextModel, Test, Report);
    return Report;
  }
  for (MemoryModel M : Models.empty() ? modelsFor(Test.Architecture) : Models)
    Report.Results.push_back(runLitmus(Test, M, Options));
  return Report;
}

static cat::Architecture architectureOf(LitmusArchitecture A) {
  switch (A) {
  case LitmusArchitecture::PPC: return cat::Architecture::PPC;
  case LitmusArchitecture::X86:
  case LitmusArchitecture::X86_64: return cat::Architecture::X86;
  case LitmusArchitecture::AArch64: return cat::Architecture::AArch64;
  case LitmusArchitecture::C: return cat::Architecture::C11;
  }
  return cat::Architecture::X86;
}

/// False, with a word on standard error, if the text is a model for no architecture.
bool LitmusCommand::readCat() {
  std::string Problem;
  if (std::optional<CatFile> Read = CatFile::read(Cat, Options.TimeoutSeconds, Problem)) {
    for (cat::Architecture A :
         {cat::Architecture::X86, cat::Architecture::PPC, cat::Architecture::AArch64, cat::Architecture::C11})
      if (Read->compile(A).Found) {
        TextModel = std::move(Read);
        return true;
      }
    Problem = Read->compile(std::nullopt).Problem;
  }
  tellError(Problem);
  return false;
}

/// The text is compiled for each test: the flags it raises are those of the test.
void LitmusCommand::runCat(const CatFile &Model, const LitmusTest &Test, LitmusReport &Report) const {
  const cat::Architecture A = architectureOf(Test.Architecture);
  const MemoryModel Which = Models.empty() ? cat::ordersOf(A) : Models.front();
  const cat::Reading Read = Model.compile(A);
  LitmusResult Result;
  if (Read.Found) {
    LitmusOptions With = Options;
    With.Axioms = std::make_shared<const GraphModel>(cat::graphModelOf(Read.Found, true));
    Result = runLitmus(Test, Which, With);
    Result.Flags = Read.Found->raisedFlags();
  } else {
    Result.Which = Which;
    Result.Coverage = Verdict::Unsupported;
    Result.Reason = Read.Problem;
  }
  Result.Model = Model.title();
  Report.Results.push_back(std::move(Result));
}

std::vector<LitmusReport> LitmusCommand::runAll(const std::vector<std::string> &Files) const {
  std::vector<LitmusReport> Reports(Files.size());
  std::vector<bool> Done(Files.size());
  size_t NumDone = 0, NumPrinted = 0;
  std::atomic<size_t> Next = 0;
  std::mutex Mutex;
  const bool Prints = !Json && Expected.empty(), Shows = Files.size() > 1 && isatty(STDERR_FILENO);

  // Reports are printed in the order of the files, each as soon as all before it are there.
  auto Finish = [&](size_t K) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Done[K] = true;
    ++NumDone;
    if (Shows)
      llvm::errs() << "\r\033[K";
    for (; Prints && NumPrinted < Files.size() && Done[NumPrinted]; ++NumPrinted)
      printLitmusText(llvm::outs(), Reports[NumPrinted], Quiet);
    llvm::outs().flush();
    if (Shows && NumDone < Files.size())
      llvm::errs() << NumDone << " of " << Files.size() << " tests: " << Files[K];
  };
  auto Work = [&] {
    for (size_t K = Next++; K < Files.size(); K = Next++) {
      Reports[K] = runFile(Files[K]);
      Finish(K);
    }
  };
  std::vector<std::thread> Others;
  const unsigned Wanted = Jobs ? Jobs : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned K = 1; K < Wanted && K < Files.size(); ++K)
    Others.emplace_back(Work);
  Work();
  for (std::thread &T : Others)
    T.join();
  return Reports;
}

/// Without a table no answer is wrong.
static ExitCode exitCodeOf(const std::vector<LitmusReport> &Reports, const LitmusComparison *Comparison) {
  if (Comparison && !Comparison->Mismatches.empty())
    return ViolationFound;
  bool Refused = false, Limited = false;
  for (const LitmusReport &Report : Reports) {
    Refused |= !Report.Reading.Test;
    for (const LitmusResult &R : Report.Results) {
      Limited |= !R.answered() && R.Coverage != Verdict::Unsupported;
      Refused |= R.Coverage == Verdict::Unsupported;
    }
  }
  return Refused ? CannotBeChecked : Limited ? LimitReached : NothingFound;
}

int LitmusCommand::run() {
  std::optional<LitmusTable> Table;
  if (!Expected.empty()) {
    std::string Error;
    Table = LitmusTable::read(Expected, Options.TimeoutSeconds, Error);
    if (!Table) {
      tellError(Error);
      return BadUsage;
    }
  }
  if (!Cat.empty()) {
    if (Models.size() > 1 || (Table && Models.empty())) {
      tellError("with --cat, --model names one model: the one whose rows of the table are compared");
      return BadUsage;
    }
    if (!readCat())
      return BadUsage;
  }
  const bool Everything = Paths.empty();
  if (Everything && !Table) {
    tellError("no litmus test is named");
    llvm::errs() << "Run 'picket litmus --help' for usage.\n";
    return BadUsage;
  }
  if (Everything)
    Paths.push_back(Table->directory());
  std::vector<std::string> Files;
  if (!findFiles(Files))
    return CannotBeChecked;

  const std::vector<LitmusReport> Reports = runAll(Files);
  std::optional<LitmusComparison> Comparison;
  if (Table) {
    Comparison.emplace(*Table);
    for (const LitmusReport &Report : Reports)
      Comparison->add(Report);
    if (Everything)
      Comparison->noteMissing(Models);
    else
      Comparison->noteAbsent();
  }
  const LitmusComparison *Compared = Comparison ? &*Comparison : nullptr;
  outputBegins();
  if (Json)
    printLitmusJson(llvm::outs(), Reports, Compared);
  else if (Compared || Files.size() > 1)
    printLitmusSummary(llvm::outs(), Reports, Compared);
  return exitCodeOf(Reports, Compared);
}

} // namespace picket
