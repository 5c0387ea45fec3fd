// Check reports for people: verdicts in words, places with the source line and a caret.
#pragma once

#include "SourceText.h"
#include "Steps.h"
#include "check/Check.h"

#include "llvm/Support/raw_ostream.h"

namespace picket {

struct TextOptions {
  unsigned Unroll = 8;        // the loop bound the check ran with
  bool Quiet = false;         // verdicts and places, but no steps
  bool DefaultModels = false; // nobody named models
  StepsOptions Steps;
};

/// The compiler's diagnostics, one below the other, as Clang writes them.
void printDiagnostics(llvm::raw_ostream &Out, const std::vector<Diagnostic> &Diagnostics, const std::string &NamedFile,
                      SourceTexts &Sources);

/// "queue.c:12:3", for people.
std::string locationText(const SourceLocation &Where, const std::string &NamedFile);

/// "verified: no execution goes wrong (12 executions)"
std::string verdictText(const ModelReport &M, const std::string &NamedFile, unsigned Unroll);

/// Verdict and bugs per model, with the steps that lead to them. A bug that an earlier model has too is told once, with the
/// steps under that one. In colour if the stream's colours are enabled.
void printText(llvm::raw_ostream &Out, const CheckReport &Report, SourceTexts &Sources, const TextOptions &Options);

/// Whether the program is robust against the models, by a report of SC alone, with an execution that shows why not.
void printRobustness(llvm::raw_ostream &Out, const CheckReport &Report, const std::vector<MemoryModel> &Against,
                     SourceTexts &Sources, const TextOptions &Options);

/// Where one execution per reads-from relation was asked for: why there is one per trace.
std::string wholeTracesText(const ModelReport &M);

/// Names the kinds of bugs that were not looked for, although they are by default.
void printLeftOut(llvm::raw_ostream &Out, const std::string &File, const Checks &Looked);

/// One line per model: executions, blocked, bounded, seconds, executions per second. Then, for several models, their
/// executions side by side, and under which ones the program is robust (which only complete explorations tell).
void printCounts(llvm::raw_ostream &Out, const std::vector<CheckReport> &Reports, bool Exhaustive);

} // namespace picket
