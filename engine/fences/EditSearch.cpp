#include "fences/EditSearch.h"

#include "fences/TextDiff.h"

#include <algorithm>

namespace picket {

const char *nameOf(EditOutcome What, const char *IfFound) {
  switch (What) {
  case EditOutcome::Found: return IfFound;
  case EditOutcome::NothingToDo: return "nothing-to-do";
  case EditOutcome::Refused: return "refused";
  case EditOutcome::GaveUp: return "gave-up";
  case EditOutcome::CannotBeChecked: return "cannot-be-checked";
  }
  return "?";
}

std::optional<EditOutcome> editOutcomeNamed(std::string_view Name, const char *IfFound) {
  for (EditOutcome What : {EditOutcome::Found, EditOutcome::NothingToDo, EditOutcome::Refused, EditOutcome::GaveUp,
                           EditOutcome::CannotBeChecked})
    if (Name == nameOf(What, IfFound))
      return What;
  return std::nullopt;
}

RoundChecker EditSearch::checker(Thoroughness How) const {
  return Options.Aim ? Options.Aim(How) : bugChecker(Text.File, Options.Check, How, Cancel);
}

double EditSearch::secondsLeft() const {
  const double Passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  return Options.TimeoutSeconds > 0 ? std::max(0.001, Options.TimeoutSeconds - Passed) : 0;
}

bool EditSearch::isOver() const { return isCancelled() || (Options.TimeoutSeconds > 0 && secondsLeft() <= 0.001); }

RoundReport EditSearch::prove(const std::vector<TextEdit> &Edits, const RoundChecker &Check) {
  keepTexts(Text, Edits);
  return checkEdited(Text, Edits, Check, secondsLeft());
}

RoundReport checkEdited(const CompileRequest &Text, const std::vector<TextEdit> &Edits, const RoundChecker &Check,
                        double Seconds) {
  CompileRequest Edited = Text;
  for (auto &[File, NewText] : editedTexts(Text, Edits))
    Edited.Unsaved[File] = NewText;
  const CompileResult Compiled = compileProgram(Edited);
  if (Compiled.Compiled)
    return Check(*Compiled.Compiled, Seconds);
  RoundReport Round;
  Round.What = RoundReport::Result::GaveUp;
  Round.Reason = "the edited text does not compile";
  return Round;
}

} // namespace picket
