// Counterexamples as JSON: docs/counterexample-json.md.
#pragma once

#include "SourceText.h"
#include "base/UntrustedJson.h"
#include "source/compile/Compile.h"
#include "trace/Counterexample.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace picket {

/// What a counterexample is told with besides itself.
struct TraceContext {
  std::string NamedFile;                // the checked file as it was named
  std::vector<std::string> Flags;       // those it was compiled with
  SourceTexts *Sources = nullptr;       // where "sources" comes from
  std::vector<ProgramFile> Others = {}; // of the program
};

/// Executions of more events are not written into files: nobody can look at them, and they would take hundreds of megabytes. Their
/// first and last steps are shown in the terminal.
constexpr size_t MostEventsInFiles = 4000;
inline bool isTooLong(const Counterexample &C) { return C.Run.Events.size() > MostEventsInFiles; }

/// Writes one object. The pictures of both views take time: each is drawn by a helper process (draw/Svg.h). One that
/// cannot be drawn is left out.
void writeTrace(llvm::json::OStream &J, const Counterexample &C, const TraceContext &Context, bool Pictures);

/// What a JSON file says about an execution: all that is needed to run it again.
struct SavedTrace {
  Recording Run;
  std::vector<uint32_t> Order; // the events in the order of the steps
  std::vector<std::string> Flags;
  std::vector<ProgramFile> Others;
};

/// Reads one counterexample. The error is a sentence that names the part of the JSON that is wrong. What comes back
/// does not contradict itself: every number points to something. Keys it does not know are skipped.
llvm::Expected<SavedTrace> readTrace(const llvm::json::Value &Json);

/// The first counterexample in what `picket check` writes: alone, in an array, or in a report. Null if there is none.
const llvm::json::Value *findTrace(const llvm::json::Value &Json);

} // namespace picket
