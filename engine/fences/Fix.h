// From a text with a bug to texts without it: repairs found on the program, written into the text, compiled and checked
// once more.
#pragma once

#include "fences/Repair.h"

namespace picket {

struct FixOptions {
  CheckOptions Check;        // the models to fix, and how each check is done
  bool Cheapest = false;     // prove that nothing cheaper works, if that does not take too long (POWER)
  double TimeoutSeconds = 0; // for everything together; 0: none
  unsigned MaxAlternatives = 3;
  RepairCosts Costs;
  /// What the program has to pass; the default is that no check finds a bug. Called anew for the text that was edited.
  std::function<RoundChecker(Thoroughness)> Aim;
};

/// Edits of the user's text that were proved to work, on the text itself.
struct Fix {
  std::vector<SourceChange> Changes;
  std::vector<TextEdit> Edits; // sorted by file and place, without overlaps
  uint64_t Cost = 0;
  bool Minimal = false;            // nothing of it can be left out
  bool Cheapest = false;           // nothing cheaper works: said only on request
  bool CheapestWanted = false;     // a proof of that was asked for; there may be none
  std::vector<ModelReport> Models; // the checks that the edited text passed, and models that were skipped

  bool isBounded() const; // some loop was cut at the bound
};

/// The models of these that were not skipped: what is shown of a text is shown for them.
std::vector<MemoryModel> modelsChecked(const std::vector<ModelReport> &Models);
/// A model of these that could not check the program and was skipped; null if there is none.
const ModelReport *skippedOf(const std::vector<ModelReport> &Models);

struct FixReport {
  enum class Outcome : uint8_t {
    Fixed,
    NothingToDo, // no bug under the asked models
    Refused,     // fences cannot help, or cannot be written: Reason
    GaveUp,      // a limit, or cancelled: Reason
    CannotBeChecked
  } What = Outcome::NothingToDo;
  std::vector<Fix> Fixes; // the best first
  std::string Reason;
  std::optional<Bug> Shown; // what cannot be fixed
  MemoryModel ShownUnder = MemoryModel::SC;
  std::optional<ModelReport> Skipped; // a model that could not check the program: the fixes are for the others
  std::vector<Diagnostic> Diagnostics;
  std::map<std::string, std::string> Texts = {}; // of the files as they were checked: the edits are good for these
  unsigned Rounds = 0;                           // checks of edited programs
  double Seconds = 0;
};

const char *nameOf(FixReport::Outcome What); // "fixed", "nothing-to-do", "refused", "gave-up", "cannot-be-checked"
std::optional<FixReport::Outcome> fixOutcomeNamed(std::string_view Name);

FixReport findFixes(const CompileRequest &Text, const FixOptions &Options, const std::atomic<bool> *Cancel = nullptr);

/// Compiles a text with the edits done and checks it; GaveUp if it does not compile.
RoundReport checkEdited(const CompileRequest &Text, const std::vector<TextEdit> &Edits, const RoundChecker &Check,
                        double Seconds);

/// "Add 2 fences (verified for TSO and PSO, minimal)". `Unroll`: the loop bound of the check.
std::string titleOf(const Fix &F, unsigned Unroll);
/// "verified for TSO and PSO", "verified up to 8 iterations for TSO and PSO".
std::string coverageOf(const std::vector<ModelReport> &Models, unsigned Unroll);
/// "a full fence after line 9", "the order at line 12: relaxed becomes release". Of other files than the checked one (if
/// that is given) it says which: "a full fence after lock.h line 4".
std::string describe(const SourceChange &Change, const std::string &Checked = {});

} // namespace picket
