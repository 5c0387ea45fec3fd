// What `picket check --fix` and `--relax` found, for people and for scripts.
#pragma once

#include "TextReport.h"
#include "TraceJson.h"
#include "fences/Relax.h"

#include "llvm/Support/JSON.h"

namespace picket {

/// The difference that edits make to all files they touch.
std::string diffOf(const CompileRequest &Text, const std::vector<TextEdit> &Edits);

/// Sentences only: the diff is another matter.
void printFixes(llvm::raw_ostream &Out, const std::string &File, const FixReport &Report, SourceTexts &Sources,
                const TextOptions &Options);
void printWeaker(llvm::raw_ostream &Out, const std::string &File, const RelaxReport &Report, SourceTexts &Sources,
                 const TextOptions &Options);

/// One object each.
void writeFixes(llvm::json::OStream &J, const CompileRequest &Text, const FixReport &Report, unsigned Unroll,
                const TraceContext &Context);
void writeWeaker(llvm::json::OStream &J, const CompileRequest &Text, const RelaxReport &Report, unsigned Unroll,
                 const TraceContext &Context);

} // namespace picket
