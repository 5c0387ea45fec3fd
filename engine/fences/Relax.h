// Fences and orders that a program does not need.
#pragma once

#include "fences/Fix.h"

namespace picket {

/// Something that may be weaker, with all the others of the report.
struct Weakening {
  SourceChange Change;  // RemoveFence or ChangeOrder
  std::string Sentence; // "this fence is not needed under TSO and PSO"
  SourceLocation Where;
  std::vector<TextEdit> Edits = {}; // of this one alone; none if it cannot be written
};

struct RelaxReport : EditReport {
  std::vector<Weakening> Weaker;    // in the order of the text
  std::vector<TextEdit> Edits;      // all of them together
  std::vector<ModelReport> Models;  // the checks that the edited text passed
  bool Complete = true;             // everything was tried; otherwise a limit came first
  std::vector<Weakening> Unwritten; // those that are not needed either, but that cannot be edited
};

/// Weakens and removes as much as possible, one thing after the other, the most expensive first, while the program
/// passes under the asked models.
RelaxReport relax(const CompileRequest &Text, const FixOptions &Options, const std::atomic<bool> *Cancel = nullptr);

/// Everything in the user's text that could be weaker, and what it could be instead, the weakest first. The most
/// expensive comes first.
struct Weakenable {
  std::vector<uint32_t> Copies; // instructions
  SourceLocation Where;
  std::vector<ProgramEdit> Steps;    // what to try
  std::vector<SourceChange> Changes; // the same in the text
  uint32_t Cost = 0;
};
std::vector<Weakenable> weakenable(const Program &Compiled, const EditScope &Scope = {});

} // namespace picket
