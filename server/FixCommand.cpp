#include "FixCommand.h"

#include "CheckCommand.h"
#include "FixReport.h"
#include "fences/TextDiff.h"

#include <filesystem>
#include <fstream>

namespace picket {

namespace {

/// The gravest counts, as for checks.
int gravest(int A, int B) {
  for (int Code : {BadUsage, ViolationFound, CannotBeChecked, LimitReached})
    if (A == Code || B == Code)
      return Code;
  return NothingFound;
}

int exitCodeOf(const FixReport &R) {
  switch (R.What) {
  case FixReport::Outcome::Fixed:
  case FixReport::Outcome::NothingToDo: return NothingFound;
  case FixReport::Outcome::Refused: return R.Shown ? ViolationFound : CannotBeChecked;
  case FixReport::Outcome::GaveUp: return LimitReached;
  case FixReport::Outcome::CannotBeChecked: return CannotBeChecked;
  }
  return CannotBeChecked;
}

int exitCodeOf(const RelaxReport &R) {
  switch (R.What) {
  case RelaxReport::Outcome::Found:
  case RelaxReport::Outcome::NothingToDo: return NothingFound;
  case RelaxReport::Outcome::Refused: return R.Shown ? ViolationFound : CannotBeChecked;
  case RelaxReport::Outcome::GaveUp: return LimitReached;
  case RelaxReport::Outcome::CannotBeChecked: return CannotBeChecked;
  }
  return CannotBeChecked;
}

const std::vector<TextEdit> &editsOf(const FixReport &R) {
  static const std::vector<TextEdit> None;
  return R.Fixes.empty() ? None : R.Fixes.front().Edits;
}
const std::vector<TextEdit> &editsOf(const RelaxReport &R) { return R.Edits; }

using FileTime = std::filesystem::file_time_type;

/// Not if the text is another one by now: edits are good for the text that was checked.
bool writeFiles(const CompileRequest &Text, const std::vector<TextEdit> &Edits, FileTime CheckedSince) {
  const std::map<std::string, std::string> Texts = editedTexts(Text, Edits);
  for (const auto &[File, Edited] : Texts) {
    std::error_code Unknown;
    if (std::filesystem::last_write_time(File, Unknown) > CheckedSince || Unknown) {
      llvm::errs() << "picket: '" << File << "' was changed during the check and is left as it is\n";
      return false;
    }
  }
  for (const auto &[File, Edited] : Texts) {
    std::ofstream Out(File, std::ios::binary | std::ios::trunc);
    if (!(Out << Edited) || !Out.flush()) {
      llvm::errs() << "picket: cannot write '" << File << "'\n";
      return false;
    }
  }
  return true;
}

/// Runs one of the two over all files.
class Run {
public:
  Run(const FixCommand &Command, FixCommand::Context With) : Command(Command), With(std::move(With)) {
    if (this->With.Json)
      J.emplace(llvm::outs(), /*IndentSize=*/2);
  }

  int all() {
    const bool Several = With.Files.size() != 1;
    if (With.Json && Several)
      J->arrayBegin();
    for (const std::string &File : With.Files) {
      one(File);
      if (With.Cancel && *With.Cancel)
        break;
    }
    if (With.Json && Several)
      J->arrayEnd();
    if (With.Json)
      llvm::outs() << '\n';
    return Code;
  }

private:
  void one(const std::string &File) {
    const FileSettings Settings = With.SettingsOf(File);
    Began = FileTime::clock::now();
    CompileRequest Text;
    Text.File = File;
    Text.Flags = Settings.Flags;
    FixOptions Options;
    Options.Check = Settings.Options;
    Options.Check.TimeoutSeconds = 0;
    Options.TimeoutSeconds = Settings.Options.TimeoutSeconds;
    Options.Cheapest = Command.Fix == FixCommand::Aim::Cheapest;
    With.Text.Unroll = Settings.Options.Unroll;
    const TraceContext Context{File, Settings.Flags, &With.Sources};
    if (Command.Relax) {
      const RelaxReport Report = relax(Text, Options, With.Cancel);
      tell(Text, Report, printWeaker, writeWeaker, Context);
      return;
    }
    if (Command.Fix == FixCommand::Aim::Robust)
      Options.Aim = [&](Thoroughness) { return robustChecker(File, Settings.Options, With.Cancel); };
    const FixReport Report = findFixes(Text, Options, With.Cancel);
    tell(Text, Report, printFixes, writeFixes, Context);
  }

  template <typename Report, typename Printer, typename Writer>
  void tell(const CompileRequest &Text, const Report &R, Printer Print, Writer Write, const TraceContext &Context) {
    Code = gravest(Code, exitCodeOf(R));
    if (With.Json) {
      Write(*J, Text, R, With.Text.Unroll, Context);
    } else {
      printDiagnostics(llvm::errs(), R.Diagnostics, Text.File, With.Sources);
      Print(llvm::errs(), Text.File, R, With.Sources, With.Text);
      if (!Command.Apply)
        llvm::outs() << diffOf(Text, editsOf(R));
      llvm::outs().flush();
    }
    if (Command.Apply && !writeFiles(Text, editsOf(R), Began))
      Code = BadUsage;
  }

  const FixCommand &Command;
  FixCommand::Context With;
  std::optional<llvm::json::OStream> J; // if that is asked for
  FileTime Began;
  int Code = NothingFound;
};

} // namespace

bool FixCommand::parse(const std::string &Name) {
  Fix = Name == "minimal"    ? Aim::Minimal
        : Name == "cheapest" ? Aim::Cheapest
        : Name == "robust"   ? Aim::Robust
                             : Aim::None;
  return Fix != Aim::None;
}

int FixCommand::run(const Context &With) const { return Run(*this, With).all(); }

} // namespace picket
