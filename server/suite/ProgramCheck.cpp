#include "suite/ProgramCheck.h"

#include "CheckEstimate.h"
#include "ProgramDigest.h"
#include "base/ChildProcess.h"
#include "programs/ProgramIndex.h"

#include <cerrno>
#include <chrono>
#include <mutex>
#include <unistd.h>

using llvm::json::Object;
using llvm::json::Value;

namespace picket {

namespace {

using Clock = std::chrono::steady_clock;

std::string lineOf(Object Message) {
  std::string Text = "\n";
  llvm::raw_string_ostream(Text) << Value(std::move(Message)) << '\n';
  return Text;
}

void say(Object Message) {
  if (!writeAll(STDOUT_FILENO, lineOf(std::move(Message))))
    _exit(0); // nobody listens any more
}

/// All options that an answer depends on. A new option does not compile here until it is looked at.
void addOptions(Digest &D, const CheckOptions &Options) {
  const auto &[Models, Other, ModelsNamed, Partly, Looked, Races, Volatile, Sequences, Targets, Search, OnePer,
               Exhaustive, Unroll, TimeoutSeconds, MaxMemoryBytes, Jobs, Counterexamples, Samples, Monitor, RaceFree,
               MostWitnesses, Spurious] = Options;
  (void)Jobs; // makes no difference
  for (const MemoryModel M : Models)
    D.number(static_cast<uint64_t>(M));
  D.text(Other ? Other->Title : "").number(ModelsNamed).number(Partly).texts(Looked.names());
  D.number(static_cast<uint64_t>(Races))
      .number(static_cast<uint64_t>(Volatile))
      .number(static_cast<uint64_t>(Sequences));
  D.number(static_cast<uint64_t>(Targets)).number(static_cast<uint64_t>(Search)).number(static_cast<uint64_t>(OnePer));
  D.number(Exhaustive).number(Unroll).text(std::to_string(TimeoutSeconds)).number(MaxMemoryBytes);
  D.number(Counterexamples).number(Samples).number(Monitor).number(RaceFree).number(MostWitnesses).number(Spurious);
}

class Checking {
public:
  Checking(const ProgramToCheck &Which, const CheckCommand &How) : Which(Which), How(How) {
    Defaults = How.Options;
    Defaults.Jobs = Which.Cores;
  }

  /// In a copy of the process, which may be lost.
  void run() {
    // Before the settings are known: they are read from files as well.
    watchCompiling(How.Given.TimeoutSeconds.value_or(0), How.Given.MemoryBytes.value_or(Defaults.MaxMemoryBytes));
    With = settingsOf(Which.File, Defaults, How.ClangFlags, How.Given);
    const CheckOptions &Options = With.Options;
    watchCompiling(Options.TimeoutSeconds, Options.MaxMemoryBytes);
    CompileRequest Text;
    Text.File = Which.File;
    Text.Flags = With.Flags;
    Text.Others = With.Others;
    TargetPrograms Programs(textToCheck(Text, Options));
    const Clock::time_point Start = Clock::now();
    const CompileResult &First = Programs.get(targetsOf(Options).front());
    const double CompileSeconds = secondsSince(Start);
    if (First.Compiled && !Which.Named && (First.Compiled->Main < 0 || !First.Compiled->StartsThreads)) {
      ProgramResult None;
      None.StartsThreads = false;
      return say(Object{{"result", toJSON(None)}, {"final", false}});
    }
    if (First.Compiled && Which.AskIfKnown && isKnown(Programs))
      return;
    watchChecking(Options);
    CheckReport Report = checkPrograms(Which.File, Programs, Options, listener(), &interrupted());
    Report.CompileSeconds = CompileSeconds;
    Report.Flags = With.Flags;
    Report.Others = With.Others;
    tell(Report, secondsSince(Start), First.Compiled.has_value());
  }

  void tellLoss(const Loss &Lost) {
    if (Lost.Why == Loss::Interrupted)
      interrupted() = true;
    tell(reportOfLoss(Which.File, How.Given.Models.value_or(Defaults.Models), Lost), Lost.Seconds, false);
  }

private:
  static double secondsSince(Clock::time_point Start) {
    return std::chrono::duration<double>(Clock::now() - Start).count();
  }

  ProgressListener listener() {
    if (!Which.TellProgress)
      return {};
    Estimate = CheckEstimate(With.Options.Models, With.Options.Jobs, With.Options.TimeoutSeconds);
    return [this](const Progress &P) {
      std::lock_guard<std::mutex> Lock(Mutex);
      Estimate.add(P);
      if (P.Explored < 1)
        say(Object{{"progress", progressText(P, Estimate)}});
    };
  }

  void tell(const CheckReport &Report, double Seconds, bool MayBeFinal) {
    ResultDetails Wanted;
    Wanted.Sarif = Which.Sarif;
    Wanted.Text = How.Text;
    Wanted.Text.Quiet = true;
    Wanted.Text.Unroll = With.Options.Unroll;
    Wanted.Text.DefaultModels = !With.Options.ModelsNamed;
    ProgramResult Result = resultOf(Report, Sources, Wanted);
    Result.Seconds = Seconds;
    say(Object{{"result", toJSON(Result)}, {"final", MayBeFinal && Result.isFinal() && !interrupted()}});
  }

  bool isKnown(TargetPrograms &Programs) {
    Digest Key, Texts;
    addOptions(Key, With.Options);
    Key.text(Which.File).number(Which.Sarif).texts(With.Flags).number(With.Others.size());
    for (const ProgramFile &Other : With.Others)
      Key.text(Other.File).texts(Other.Flags);
    addText(Texts, Which.File);
    for (const CompileResult *Compiled : allPrograms(Programs, With.Options)) {
      addProgram(Key, *Compiled);
      if (Compiled->Compiled)
        for (const std::string &File : Compiled->Compiled->Files)
          addText(Texts, File);
      for (const Diagnostic &Told : Compiled->Diagnostics)
        addDiagnostic(Texts, Told);
    }
    say(Object{{"key", Key.result()}, {"texts", Texts.result()}});
    char Answer = IsUnknown;
    ssize_t N;
    while ((N = read(STDIN_FILENO, &Answer, 1)) < 0 && errno == EINTR)
      ;
    return N == 1 && Answer == IsKnown;
  }

  void addText(Digest &D, const std::string &File) {
    const std::string *Text = Sources.textOf(File);
    D.text(File).text(Text ? *Text : "");
  }

  void addDiagnostic(Digest &D, const Diagnostic &Told) {
    D.text(Told.Message).number(Told.Where.Line).number(Told.Where.Column);
    addText(D, Told.Where.File);
    for (const Diagnostic &Note : Told.Notes)
      addDiagnostic(D, Note);
  }

  const ProgramToCheck &Which;
  const CheckCommand &How;
  CheckOptions Defaults;
  FileSettings With;
  SourceTexts Sources;
  std::mutex Mutex; // of the estimate
  CheckEstimate Estimate;
};

} // namespace

int checkProgram(const ProgramToCheck &Which, const CheckCommand &How) {
  cancelOnInterrupt();
  Checking It(Which, How);
  if (const std::optional<Loss> Lost = runWatched([&] { It.run(); }))
    It.tellLoss(*Lost);
  return 0;
}

std::string lostLine(const std::string &Sentence) { return lineOf(Object{{"lost", llvm::json::fixUTF8(Sentence)}}); }

int findPrograms(const std::vector<std::string> &Folders) {
  ProgramIndex Index([] {});
  Index.setFolders(Folders);
  Index.blockUntilRead();
  const ProgramIndex::Found Found = Index.programs();
  std::string Text = Found.Limited ? std::string(1, '\0') : "";
  for (const std::string &File : Found.Programs)
    Text += File + '\0';
  writeAll(STDOUT_FILENO, Text);
  return 0;
}

} // namespace picket
