// What the searches for fixes and for weakenings share: both look for edits of a text, prove them on the edited text, and
// end in the same ways.
#pragma once

#include "fences/Repair.h"

namespace picket {

enum class EditOutcome : uint8_t {
  Found,
  NothingToDo, // no bug under the asked models; all that is there is needed, or there is nothing
  Refused,     // fences cannot help, or cannot be written; the program does not pass as it is: Reason
  GaveUp,      // a limit, or cancelled: Reason
  CannotBeChecked
};
/// `IfFound` for Found; "nothing-to-do", "refused", "gave-up", "cannot-be-checked".
const char *nameOf(EditOutcome What, const char *IfFound);
std::optional<EditOutcome> editOutcomeNamed(std::string_view Name, const char *IfFound);

struct EditReport {
  using Outcome = EditOutcome;
  Outcome What = Outcome::NothingToDo;
  std::string Reason;
  std::optional<Bug> Shown; // what the program does as it is, or what cannot be fixed
  MemoryModel ShownUnder = MemoryModel::SC;
  std::vector<ModelReport> Skipped; // models that could not check the program: the answer is about the others
  std::vector<Diagnostic> Diagnostics;
  std::map<std::string, std::string> Texts = {}; // of the files as they were checked: the edits are good for these
  unsigned Rounds = 0;                           // checks of edited programs
  double Seconds = 0;
};

struct FixOptions {
  CheckOptions Check;        // the models, and how each check is done
  bool Cheapest = false;     // prove that nothing cheaper works, if that does not take too long (POWER)
  double TimeoutSeconds = 0; // for everything together; 0: none
  unsigned MaxAlternatives = 3;
  RepairCosts Costs;
  EditScope Scope;
  /// What the program has to pass; the default is that no check finds a bug. Called anew for the text that was edited.
  std::function<RoundChecker(const CheckOptions &Check, Thoroughness)> Aim;
};

/// One of the programs of a text, and how it is checked: the models that are checked on it.
struct CheckedProgram {
  const Program *Code;
  Architecture For; // to read the text's syntax tree for
  CheckOptions Check;
};

/// The programs of a text that differ. Programs of several targets that are the same but for their names are one.
struct CheckedPrograms {
  std::vector<CheckedProgram> All; // that of the strongest model first
  std::vector<ModelReport> Left;   // models whose target the text does not compile for
};
CheckedPrograms programsOf(TargetPrograms &Programs, const CheckOptions &Options);

/// Keeps the time, and proves edits on the text itself.
class EditSearch {
protected:
  EditSearch(const CompileRequest &Text, const CheckedPrograms &Programs, const FixOptions &Options,
             const std::atomic<bool> *Cancel)
      : Programs(Programs), Text(Text), Options(Options), Cancel(Cancel) {}

  RoundChecker checker(const CheckOptions &Check, Thoroughness How) const;
  /// For a check; 0: without limit.
  double secondsLeft() const;
  bool isCancelled() const { return Cancel && *Cancel; }
  /// Cancelled, or the time is over.
  bool isOver() const;
  /// Compiles the text with these edits and checks it. The texts of the edited files are kept: what is proved is proved
  /// for these.
  RoundReport prove(const std::vector<TextEdit> &Edits, Thoroughness How);
  /// The same without that. GaveUp if it does not compile any more.
  RoundReport checkEdited(const std::vector<TextEdit> &Edits, Thoroughness How) const;
  /// The edits of changes that each program asks for, in its own syntax tree; one set of changes after the other, with as
  /// many lists as there are programs. `OwnFences`: in the words of the file, if it has any.
  using ChangesPerProgram = std::vector<std::vector<SourceChange>>;
  std::vector<PlacedChange> place(const std::vector<ChangesPerProgram> &Alternatives, bool OwnFences = true) const;

  const CheckedPrograms &Programs;
  CompileRequest Text;      // with the texts of the edited files
  bool SharedMacros = true; // as in EditStyle
  const FixOptions &Options;
  const std::atomic<bool> *Cancel;

private:
  void addLeft(RoundReport &Round) const;

  const std::chrono::steady_clock::time_point Start = std::chrono::steady_clock::now();
};

/// Compiles a text and has `Search` make a report about the program, if there is one that can be run.
template <typename Report, typename Function>
Report searchEdits(const CompileRequest &Given, const FixOptions &Options, Function Search) {
  const auto Start = std::chrono::steady_clock::now();
  const CompileRequest Text = textToCheck(Given, Options.Check);
  TargetPrograms Programs(Text);
  const std::vector<Architecture> Targets = targetsOf(Options.Check);
  const CompileResult &First = Programs.get(Targets.empty() ? HostArchitecture : Targets.front());
  Report Result;
  Result.What = EditOutcome::CannotBeChecked;
  if (First.Compiled && First.Compiled->Main >= 0) {
    const CheckedPrograms Checked = programsOf(Programs, Options.Check);
    if (Checked.Left.empty() || !Options.Check.ModelsNamed)
      Result = Search(Text, Checked);
    else
      Result.Reason = Checked.Left.front().Reason;
  } else {
    Result.Reason = First.Compiled ? "there is no 'main' to run" : "the file does not compile";
  }
  Result.Diagnostics = First.Diagnostics;
  Result.Seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  return Result;
}

} // namespace picket
