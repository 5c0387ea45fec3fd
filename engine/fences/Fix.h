// From a text with a bug to texts without it: repairs found on the program, written into the text, compiled and checked
// once more.
#pragma once

#include "fences/EditSearch.h"

namespace picket {

/// Edits of the user's text that were proved to work, on the text itself.
struct Fix {
  std::vector<SourceChange> Changes;
  std::vector<TextEdit> Edits; // sorted by file and place, without overlaps
  uint64_t Cost = 0;
  bool Minimal = false;            // nothing of it can be left out
  bool Cheapest = false;           // nothing cheaper works: said only on request
  bool CheapestWanted = false;     // a proof of that was asked for; there may be none
  bool ChangesTest = false;        // the file with `main`, although there is a library beside it
  std::vector<ModelReport> Models; // the checks that the edited text passed, and models that were skipped

  bool isBounded() const; // some loop was cut at the bound
};

/// The models of these that were not skipped: what is shown of a text is shown for them.
std::vector<MemoryModel> modelsChecked(const std::vector<ModelReport> &Models);
/// Adds those of the models that could not check the program and were skipped, each once, in the order of the table.
void addSkipped(std::vector<ModelReport> &To, const std::vector<ModelReport> &Models);

struct FixReport : EditReport {
  std::vector<Fix> Fixes; // the best first
};

FixReport findFixes(const CompileRequest &Text, const FixOptions &Options, const std::atomic<bool> *Cancel = nullptr);

/// "line 9", and of other files than the checked one (if that is given) "lock.h line 4".
std::string lineText(const SourceLocation &At, const std::string &Checked);
/// "Add 2 fences (verified for TSO and PSO, minimal)". `Unroll`: the loop bound of the check.
std::string titleOf(const Fix &F, unsigned Unroll);
/// What a title says of a fix that changes the test, "; no fix in the library was found: ..."; empty for others.
std::string aboutTest(const Fix &F);
/// "verified for TSO and PSO", "verified up to 8 iterations for TSO and PSO".
std::string coverageOf(const std::vector<ModelReport> &Models, unsigned Unroll);
/// "a full fence after line 9", "the order at line 12: relaxed becomes release". Of other files than the checked one (if
/// that is given) it says which: "a full fence after lock.h line 4".
std::string describe(const SourceChange &Change, const std::string &Checked = {});

} // namespace picket
