#include "FixCommand.h"

#include "CheckCommand.h"
#include "FixReport.h"
#include "Supervision.h"
#include "fences/TextDiff.h"

namespace picket {

namespace {

/// The gravest counts, as for checks.
int gravest(int A, int B) {
  for (int Code : {BadUsage, ViolationFound, CannotBeChecked, LimitReached})
    if (A == Code || B == Code)
      return Code;
  return NothingFound;
}

int exitCodeOf(const EditReport &R) {
  switch (R.What) {
  case EditOutcome::Found:
  case EditOutcome::NothingToDo: return NothingFound;
  case EditOutcome::Refused: return R.Shown ? ViolationFound : CannotBeChecked;
  case EditOutcome::GaveUp: return LimitReached;
  case EditOutcome::CannotBeChecked: return CannotBeChecked;
  }
  return CannotBeChecked;
}

const std::vector<TextEdit> &editsOf(const FixReport &R) {
  static const std::vector<TextEdit> None;
  return R.Fixes.empty() ? None : R.Fixes.front().Edits;
}
const std::vector<TextEdit> &editsOf(const RelaxReport &R) { return R.Edits; }

/// All or none, and not if a text is another one by now: edits are good for the texts that were checked.
bool apply(const CompileRequest &Text, const std::vector<TextEdit> &Edits) {
  std::vector<FileChange> Changes;
  for (const auto &[File, Edited] : editedTexts(Text, Edits))
    Changes.push_back({File, Edited, textOf(Text, File)});
  if (Changes.empty())
    return true;
  const std::string Failed = writeFilesOutside(Changes);
  if (!Failed.empty())
    llvm::errs() << "picket: " << Failed << '\n';
  return Failed.empty();
}

void explain(EditReport &R, const Loss &Lost) {
  R.What = Lost.Why == Loss::Crash ? EditOutcome::CannotBeChecked : EditOutcome::GaveUp;
  R.Reason = Lost.Sentence;
}

/// Runs one of the two over all files.
class Run {
public:
  Run(const FixCommand &Command, FixCommand::Context With) : Command(Command), With(std::move(With)) {
    if (this->With.Json)
      Output.emplace(llvm::outs(), /*IndentSize=*/2);
  }

  int all() {
    const bool Several = With.Files.size() != 1;
    if (With.Json && Several)
      Output->arrayBegin();
    for (const std::string &File : With.Files) {
      one(File);
      if (With.Cancel && *With.Cancel)
        break;
    }
    if (With.Json && Several)
      Output->arrayEnd();
    if (With.Json)
      llvm::outs() << '\n';
    return Code;
  }

private:
  void one(const std::string &File) {
    if (Command.Relax)
      find<RelaxReport>(File, relax, printWeaker, writeWeaker);
    else
      find<FixReport>(File, findFixes, printFixes, writeFixes);
  }

  /// In a copy of this process, as checks are done (Supervision.h).
  template <typename Report, typename Search, typename Printer, typename Writer>
  void find(const std::string &File, Search Find, Printer Print, Writer Write) {
    CompileRequest Text;
    Text.File = File;
    Report Found;
    Checks Looked;
    const std::optional<Loss> Lost = runWatched([&] {
      With.Watch(); // the settings are read too
      const FileSettings Settings = With.SettingsOf(File);
      Looked = Settings.Options.Looked;
      watchChecking(Settings.Options);
      Text.Flags = Settings.Flags;
      Text.Others = Settings.Others;
      FixOptions Options;
      Options.Check = Settings.Options;
      Options.Check.TimeoutSeconds = 0;
      Options.TimeoutSeconds = Settings.Options.TimeoutSeconds;
      Options.Cheapest = Command.Fix == FixCommand::Aim::Cheapest;
      Options.Scope = Settings.Scope;
      Options.Scope.PreferLibrary = Command.Fix != FixCommand::Aim::Minimal;
      With.Text.Unroll = Settings.Options.Unroll;
      With.Text.DefaultModels = !Settings.Options.ModelsNamed;
      if (Command.Fix == FixCommand::Aim::Robust)
        Options.Aim = [&](const CheckOptions &Check, Thoroughness) { return robustChecker(File, Check, With.Cancel); };
      Found = Find(Text, Options, With.Cancel);
    });
    if (Lost)
      explain(Found, *Lost);
    for (auto &[Name, Checked] : Found.Texts)
      Text.Unsaved[Name] = Checked;
    outputBegins();
    if (!With.Json)
      printLeftOut(llvm::errs(), File, Looked);
    tell(Text, Found, Print, Write, TraceContext{File, Text.Flags, &With.Sources, Text.Others});
  }

  template <typename Report, typename Printer, typename Writer>
  void tell(const CompileRequest &Text, const Report &R, Printer Print, Writer Write, const TraceContext &Context) {
    Code = gravest(Code, exitCodeOf(R));
    if (With.Json) {
      Write(*Output, Text, R, With.Text.Unroll, Context);
    } else {
      printDiagnostics(llvm::errs(), R.Diagnostics, Text.File, With.Sources);
      Print(llvm::errs(), Text.File, R, With.Sources, With.Text);
      if (!Command.Apply)
        llvm::outs() << diffOf(Text, editsOf(R));
      llvm::outs().flush();
    }
    if (Command.Apply && !apply(Text, editsOf(R)))
      Code = BadUsage;
  }

  const FixCommand &Command;
  FixCommand::Context With;
  std::optional<llvm::json::OStream> Output; // if that is asked for
  int Code = NothingFound;
};

} // namespace

bool FixCommand::parse(const std::string &Name) {
  Fix = Name == "acceptable" ? Aim::Acceptable
        : Name == "minimal"  ? Aim::Minimal
        : Name == "cheapest" ? Aim::Cheapest
        : Name == "robust"   ? Aim::Robust
                             : Aim::None;
  return Fix != Aim::None;
}

int FixCommand::run(const Context &With) const { return Run(*this, With).all(); }

} // namespace picket
