#include "CheckCommand.h"

#include "CheckEstimate.h"
#include "JsonReport.h"
#include "SarifReport.h"
#include "Supervision.h"
#include "Terminal.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace picket {

namespace {

/// A line that says how far the check has come, on a terminal only.
class ProgressLine {
public:
  ProgressLine(bool Wanted, const CheckOptions &Options)
      : Shown(Wanted && isatty(STDERR_FILENO)),
        Estimate(Options.Models, Options.Jobs ? Options.Jobs : std::thread::hardware_concurrency(),
                 Options.TimeoutSeconds) {}
  ~ProgressLine() {
    if (Shown)
      llvm::errs() << "\r\033[K";
  }
  /// May be called by several threads at a time.
  void show(const std::string &File, const Progress &P) {
    if (!Shown)
      return;
    std::lock_guard<std::mutex> Lock(Mutex);
    Estimate.add(P);
    if (P.Explored < 1)
      llvm::errs() << "\r\033[K" << File << ": " << progressText(P, Estimate);
  }

private:
  const bool Shown;
  std::mutex Mutex;
  CheckEstimate Estimate;
};

ExitCode gravest(const std::vector<CheckReport> &Reports) {
  ExitCode Worst = NothingFound;
  for (const CheckReport &R : Reports)
    for (const ModelReport &M : R.Models)
      if (!M.Skipped)
        Worst = graverOf(Worst, exitCodeOf(M.Result));
  return Worst;
}

/// Of the question whether programs are robust. Bugs do not count: only differences from SC do.
ExitCode gravest(const std::vector<CheckReport> &Reports, const std::vector<MemoryModel> &Against) {
  ExitCode Worst = NothingFound;
  for (const CheckReport &R : Reports) {
    const ModelReport &Sc = R.Models.front();
    for (MemoryModel M : Against) {
      auto Answer =
          std::find_if(Sc.Robust.begin(), Sc.Robust.end(), [&](const Robustness &Known) { return Known.Against == M; });
      ExitCode Code = Answer == Sc.Robust.end()                ? exitCodeOf(Sc.Result)
                      : Answer->Known == Robustness::NotRobust ? ViolationFound
                                                               : NothingFound;
      Worst = graverOf(Worst, Code);
    }
  }
  return Worst;
}

} // namespace

void cancelOnInterrupt() {
  struct sigaction Action = {};
  Action.sa_handler = [](int) { interrupted() = true; };
  Action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &Action, nullptr);
}

ExitCode exitCodeOf(Verdict V) {
  switch (V) {
  case Verdict::Verified:
  case Verdict::Bounded: return NothingFound;
  case Verdict::Violation: return ViolationFound;
  case Verdict::Inconclusive: return LimitReached;
  case Verdict::Unsupported:
  case Verdict::CompileError: return CannotBeChecked;
  }
  return CannotBeChecked;
}

static int gravityOf(ExitCode Code) {
  switch (Code) {
  case NothingFound: return 0;
  case LimitReached: return 1;
  case CannotBeChecked: return 2;
  case ViolationFound: return 3;
  case BadUsage: return 4;
  }
  return 4;
}

ExitCode graverOf(ExitCode A, ExitCode B) { return gravityOf(B) > gravityOf(A) ? B : A; }

CheckReport reportOfLoss(const std::string &File, const std::vector<MemoryModel> &Models, const Loss &Lost) {
  CheckReport Report;
  Report.File = File;
  for (MemoryModel M : Models) {
    ModelReport &R = Report.Models.emplace_back();
    R.Which = M;
    R.Result = Lost.Why == Loss::Crash ? Verdict::Unsupported : Verdict::Inconclusive;
    R.Reason = Lost.Sentence;
    R.Seconds = Lost.Seconds;
  }
  return Report;
}

CheckReport CheckCommand::checkHere(const std::string &File, const FileSettings &With) const {
  CheckRequest Request;
  Request.Text.File = File;
  Request.Text.Flags = With.Flags;
  Request.Text.Others = With.Others;
  Request.Options = With.Options;
  ProgressLine Line(Output == Format::Text, With.Options);
  watchCompiling(With.Options.TimeoutSeconds, With.Options.MaxMemoryBytes);
  const ProgressListener Show = [&](const Progress &P) {
    if (!Model) // whose name it does not know
      Line.show(File, P);
  };
  auto Watch = [&] { watchChecking(With.Options); };
  CheckReport Report =
      Model    ? checkWithCat(*Model, Request, Show, Watch)
      : Robust ? checkRobustness(Request.Text, robustnessOptions(With), Show, &interrupted(), Watch).Explored
               : check(Request, Show, &interrupted(), Watch);
  Report.File = File; // as it was named
  return Report;
}

/// The model is compiled for each file: the flags it raises are those of the program.
CheckReport CheckCommand::checkWithCat(const CatFile &With, CheckRequest Request, const ProgressListener &Show,
                                       const std::function<void()> &Watch) const {
  const cat::Reading Text = With.compile(CatEvents);
  CheckOptions &Options = Request.Options;
  if (!Text.Found) { // it could be read before, and has changed
    CheckReport Unread{Request.Text.File, {}, {{}}};
    Unread.Models.front().Title = With.title();
    Unread.Models.front().Result = Verdict::Unsupported;
    Unread.Models.front().Reason = Text.Problem;
    return Unread;
  }
  Options.Models = {cat::ordersOf(Text.Found->compiled().Events)};
  Options.ModelsNamed = true;
  Options.Other = std::make_shared<OtherModel>(OtherModel{cat::graphModelOf(Text.Found), With.title()});
  Options.Search = Engine::Bounded;
  Options.Monitor = false;
  Options.OnePer = Equivalence::ShashaSnir;
  Options.Counterexamples = 0;
  const Checks Asked = Options.Looked;
  Options.Looked.set(CheckGroup::Race, false); // what a race is, the text says
  CheckReport Report = check(Request, Show, &interrupted(), Watch);
  if (Output == Format::Text) // nobody asked for that
    Report.Looked = Asked;
  ModelReport &Answer = Report.Models.front();
  Answer.Flags = Text.Found->raisedFlags();
  if (Text.Found->isUndefined() && (Answer.Result == Verdict::Verified || Answer.Result == Verdict::Bounded)) {
    Answer.Result = Verdict::Unsupported;
    Answer.Reason = "the model gives the program no meaning";
  }
  return Report;
}

ExitCode CheckCommand::readCat() {
  if (Fixes.wanted() || Fixes.Apply || Traces.wanted() || Output == Format::Sarif) {
    tellError("a model as text only gives verdicts, as text or JSON: no fixes, pictures or counterexamples");
    return BadUsage;
  }
  std::string Problem;
  if (std::optional<CatFile> Read = CatFile::read(Cat, Given.TimeoutSeconds.value_or(0), Problem)) {
    const cat::Reading Text = Read->compile(CatEvents);
    Problem = Text.Problem;
    if (Text.Found && !Text.Found->compiled().NamesArchitecture && !CatEvents)
      Problem = Cat + ": the title names no architecture (X86, PPC, AArch64 or C): name it with --cat-arch";
    Model = std::move(Read);
  }
  if (Problem.empty())
    return NothingFound;
  tellError(Problem);
  return BadUsage;
}

RobustnessOptions CheckCommand::robustnessOptions(const FileSettings &With) const {
  RobustnessOptions Asked = robustnessOptionsOf(With.Options);
  Asked.Against = modelsThat([&](const MemoryModelInfo &M) { return llvm::is_contained(Robust->Against, M.Model); });
  Asked.EveryViolation = Robust->EveryViolation;
  return Asked;
}

CheckReport CheckCommand::lostReport(const std::string &File, const Loss &Lost) const {
  if (Output == Format::Text && isatty(STDERR_FILENO))
    llvm::errs() << "\r\033[K"; // what the line of progress said last
  std::vector<MemoryModel> Models = Given.Models.value_or(Options.Models);
  if (Model)
    Models.resize(1);
  CheckReport Report = reportOfLoss(File, Models, Lost);
  Report.Flags = ClangFlags;
  if (Model)
    for (ModelReport &R : Report.Models)
      R.Title = Model->title();
  return Report;
}

CheckReport CheckCommand::checkFile(const std::string &File) {
  CheckReport Report;
  const std::optional<Loss> Lost = runWatched([&] {
    // Before the settings are known: they are read from files as well.
    watchCompiling(Given.TimeoutSeconds.value_or(0), Given.MemoryBytes.value_or(Options.MaxMemoryBytes));
    const FileSettings With = settingsOf(File);
    Text.Unroll = With.Options.Unroll;
    Text.DefaultModels = !With.Options.ModelsNamed;
    Report = checkHere(File, With);
  });
  if (!Lost)
    return Report;
  if (Lost->Why == Loss::Interrupted)
    interrupted() = true;
  return lostReport(File, *Lost);
}

/// The first file stands for the program: its settings count, and it is named in the report.
void CheckCommand::joinFiles() {
  std::vector<std::string> With = Given.With.value_or(std::vector<std::string>());
  for (auto File = Files.begin() + 1; File != Files.end(); ++File) {
    std::error_code Ignored;
    With.push_back(std::filesystem::absolute(*File, Ignored).string());
  }
  Files.resize(1);
  Given.With = std::move(With);
}

int CheckCommand::run() {
  if (OneProgram)
    joinFiles();
  if (DumpBytecode)
    return dumpBytecode();
  const unsigned ToStandardOutput = Traces.toStandardOutput() + (Output != Format::Text);
  if (ToStandardOutput > 1) {
    tellError("only one thing can be written to standard output");
    return BadUsage;
  }
  cancelOnInterrupt();
  if (!Cat.empty() && readCat() != NothingFound)
    return BadUsage;
  Text.Steps.Width = terminalWidth();
  if (Fixes.wanted() || Fixes.Apply)
    return runFixes();
  if (!Traces.wanted() && Output == Format::Text && (Count || Text.Quiet))
    Options.Counterexamples = Options.MostWitnesses = 0; // nobody would see them
  // What a script reads from standard output is not mixed with words for people.
  llvm::raw_fd_ostream &Out = Traces.toStandardOutput() ? llvm::errs() : llvm::outs();
  std::vector<CheckReport> Reports;
  for (const std::string &File : Files) {
    Reports.push_back(checkFile(File));
    if (Output == Format::Text) {
      printDiagnostics(llvm::errs(), Reports.back().Diagnostics, File, Sources);
      if (Robust)
        printRobustness(Out, Reports.back(), Robust->Against, Sources, Text);
      else if (!Count)
        printText(Out, Reports.back(), Sources, Text);
      Out.flush();
    }
    if (interrupted())
      break;
  }
  outputBegins();
  const ExitCode Code = Robust ? gravest(Reports, Robust->Against) : gravest(Reports);
  if (Output == Format::Json)
    printJson(Out, Reports, Sources);
  else if (Output == Format::Sarif)
    printSarif(Out, Reports, Sources, Code);
  else if (Count)
    printCounts(Out, Reports, Options.Exhaustive);
  if (Traces.wanted() && !Traces.write(Reports, Sources))
    return BadUsage;
  return Code;
}

int CheckCommand::runFixes() {
  Options.Search = Engine::Bounded; // fences are placed by executions
  Options.OnePer = Equivalence::ShashaSnir;
  if (Output == Format::Sarif || Count || Traces.wanted() || (Fixes.Relax && Fixes.Fix != FixCommand::Aim::None)) {
    tellError("--fix and --relax go with --format text and json only, and not with each other");
    return BadUsage;
  }
  if (!Fixes.wanted()) {
    tellError("--apply goes with --fix or --relax");
    return BadUsage;
  }
  auto With = [this](const std::string &File) { return settingsOf(File); };
  auto Watch = [this] {
    watchCompiling(Given.TimeoutSeconds.value_or(0), Given.MemoryBytes.value_or(Options.MaxMemoryBytes));
  };
  return Fixes.run({Files, With, Output == Format::Json, Text, Sources, &interrupted(), Watch});
}

int CheckCommand::dumpBytecode() {
  ExitCode Code = NothingFound;
  for (const std::string &File : Files) {
    CompileResult Result;
    const std::optional<Loss> Lost = runWatched([&] {
      watchCompiling(Given.TimeoutSeconds.value_or(0), Given.MemoryBytes.value_or(Options.MaxMemoryBytes));
      CompileRequest Request;
      Request.File = File;
      const FileSettings With = settingsOf(File);
      Request.Flags = With.Flags;
      Request.Others = With.Others;
      for (const Architecture Target : targetsOf(With.Options)) {
        Request.For = Target;
        break;
      }
      Result = compileProgram(textToCheck(Request, With.Options));
    });
    if (Lost) {
      llvm::errs() << "picket: " << File << ": " << Lost->Sentence << '\n';
      Code = Lost->Why == Loss::Crash ? CannotBeChecked : LimitReached;
      continue;
    }
    SourceTexts Texts;
    printDiagnostics(llvm::errs(), Result.Diagnostics, File, Texts);
    if (Result.Compiled)
      llvm::outs() << toString(*Result.Compiled);
    else
      Code = CannotBeChecked;
  }
  return Code;
}

} // namespace picket
