// The steps of a counterexample for a terminal.
#pragma once

#include "SourceText.h"
#include "trace/Counterexample.h"

#include "llvm/Support/raw_ostream.h"

namespace picket {

struct StepsOptions {
  size_t MaxSteps = 30; // more are folded: out-of-order steps and the last ones stay. 0: all are shown
  unsigned Width = 80;  // of the terminal
};

/// Words in lines of at most `Width` columns. The first line goes on at `Column`, others begin at `Indent`; the last
/// one is ended too.
void printWrapped(llvm::raw_ostream &Out, llvm::StringRef Text, unsigned Indent, unsigned Column, unsigned Width);

/// The sentence that explains a counterexample, and its steps, one below the other.
void printSteps(llvm::raw_ostream &Out, const Counterexample &C, const std::string &NamedFile, SourceTexts &Sources,
                const StepsOptions &Options);

} // namespace picket
