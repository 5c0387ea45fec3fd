// The one door of the engine: a CheckRequest goes in, a CheckReport comes out.
#pragma once

#include "check/CheckReport.h"
#include "memory/Axioms.h"
#include "source/compile/Compile.h"

#include <atomic>
#include <functional>

namespace picket {

/// How programs are looked at whose loops do not end by themselves.
enum class Engine : uint8_t {
  Auto,    // bounded; where that leaves SC, TSO or PSO at the bound, their states are searched for a while
  Bounded, // executions, with loops followed up to the bound
  Lazy     // SC, TSO and PSO by their states, without a bound; POWER as ever
};
const char *nameOf(Engine E); // "auto", "bounded", "lazy"

/// Hears a few times a second how a check gets on, and at the end of each model: from the threads that check, several of
/// which may call at the same time.
using ProgressListener = std::function<void(const Progress &)>;
/// Hears of each model when it is done, with all that are done by then, as long as something is left to be done; one call at
/// a time, from the checking threads.
using ModelListener = std::function<void(const CheckReport &SoFar)>;

/// How many of these models are checked side by side on `Jobs` cores (0: all there are).
unsigned modelsAtOnce(const std::vector<MemoryModel> &Models, unsigned Jobs);

/// A model that is not in the table of models.
struct OtherModel {
  GraphModel Axioms; // executions are always explored as graphs
  std::string Title;
};

struct CheckOptions {
  std::vector<MemoryModel> Models = {MemoryModel::SC};
  /// Instead of Models, which then has one only: the one whose meaning of C11's orders and of fences this one has.
  std::shared_ptr<const OtherModel> Other;
  bool ModelsNamed = false; // somebody asked for these very models: one that cannot check the program counts
  Checks Looked;            // the kinds of bugs that are looked for
  Engine Search = Engine::Bounded;
  Equivalence OnePer = Equivalence::ShashaSnir; // of SC, TSO and PSO: which executions need not be told apart
  bool Exhaustive = false;                      // go on after the first bug, so that the counts are total
  unsigned Unroll = 8;                          // iterations of a loop that does not end by itself
  double TimeoutSeconds = 0;                    // per model; 0: none
  uint64_t MaxMemoryBytes = 4ull << 30;         // models that are checked side by side share it
  unsigned Jobs = 0;                            // cores to use; 0: all
  unsigned Counterexamples = 8;                 // bugs per model that are explained with a trace
  bool Samples = false;                         // executions are written down also where there is no bug
  bool Monitor = true; // look during SC whether the program is robust; where it is, TSO and PSO need no exploration
  unsigned MostWitnesses = 1; // violations of SC per model that are shown with an execution
  bool Spurious = true;       // weak compare-and-swaps fail and waits end for no reason where the program can tell
};

struct CheckRequest {
  CompileRequest Text;
  CheckOptions Options;
};

/// Checks one file. The listeners may be empty. Setting `Cancel` ends the check soon, but not immediately; unfinished models
/// are then Inconclusive. `OnCompiled` (may be empty) is called when the file is compiled and exploring begins.
CheckReport check(const CheckRequest &Request, const ProgressListener &OnProgress = {},
                  const std::atomic<bool> *Cancel = nullptr, const std::function<void()> &OnCompiled = {},
                  const ModelListener &OnModel = {});

/// The second half of `check`, for callers that want to look at the compiled program first. No model waits for POWER, which
/// can take much longer than the others.
CheckReport checkCompiled(const std::string &File, CompileResult Compiled, const CheckOptions &Options,
                          const ProgressListener &OnProgress = {}, const std::atomic<bool> *Cancel = nullptr,
                          const ModelListener &OnModel = {});

/// How a text is compiled for a check: what some kinds of bugs need is put into the program.
CompileRequest textToCheck(CompileRequest Text, const CheckOptions &Options);

/// The report of a program that cannot be run, or of none: the models are listed without an answer. True: it can be run.
bool beginReport(CheckReport &Report, const std::string &File, CompileResult &Compiled, const CheckOptions &Options);

/// POWER refuses some programs that the other models check. Where nobody asked for it by name, it is skipped then, and
/// marked so: also in a report of some models only.
void skipRefused(CheckReport &Report, const CheckOptions &Options);

} // namespace picket
