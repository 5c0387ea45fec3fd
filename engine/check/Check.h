// The one door of the engine: a CheckRequest goes in, a CheckReport comes out.
#pragma once

#include "explore/Equivalence.h"
#include "machine/Checks.h"
#include "memory/MemoryModel.h"
#include "source/Compile.h"
#include "trace/Counterexample.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace picket {

enum class Verdict : uint8_t {
  Verified,     // every execution was seen and none is wrong
  Bounded,      // the same, but some loop was cut at the bound
  Violation,    // a bug
  Inconclusive, // a limit (time, memory, steps) ended the check before the answer
  Unsupported,  // the program does something Picket does not model
  CompileError
};
const char *nameOf(Verdict V); // "verified", "bounded", "violation", "inconclusive", "unsupported", "compile-error"
std::optional<Verdict> verdictNamed(std::string_view Name);

/// How programs are looked at whose loops do not end by themselves.
enum class Engine : uint8_t {
  Auto,    // bounded; where that leaves SC, TSO or PSO at the bound, their states are searched for a while
  Bounded, // executions, with loops followed up to the bound
  Lazy     // SC, TSO and PSO by their states, without a bound; POWER as ever
};
const char *nameOf(Engine E); // "auto", "bounded", "lazy"

/// How many of these models are checked side by side on `Jobs` cores (0: all there are).
unsigned modelsAtOnce(const std::vector<MemoryModel> &Models, unsigned Jobs);

struct CheckOptions {
  std::vector<MemoryModel> Models = {MemoryModel::SC};
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
  bool Monitor = true;   // look during SC whether the program is robust; where it is, TSO and PSO need no exploration
  bool Witnesses = true; // an execution is shown where it is not robust
  unsigned MostWitnesses = 1;  // violations of SC per model that are shown with an execution
  bool Spurious = true;        // weak compare-and-swaps fail and waits end for no reason where the program can tell
  bool RobustnessOnly = false; // SC is monitored for its own sake: also where no other model is asked for
  bool EveryViolation = false; // RobustnessOnly: go on when the answer is known, for the complete list
  std::vector<MemoryModel> Against = monitoredModels(); // RobustnessOnly: the models that matter
};

struct Bug {
  BugKind Kind = BugKind::Assertion;
  std::string Message; // one sentence
  SourceLocation Where;
  std::string Thread;                          // "main", "worker", "worker#2"
  std::shared_ptr<const Counterexample> Trace; // how it comes about; null if not asked for
};

/// Whether the same goes wrong at the same place in the same thread, be it in another execution or under another model.
inline bool isSame(const Bug &A, const Bug &B) {
  return A.Kind == B.Kind && A.Thread == B.Thread && isSame(A.Where, B.Where);
}

/// A loop that was cut at the bound in some execution.
struct CutLoop {
  SourceLocation Where;
};

/// Something that is no bug, but that the verdict relies on.
struct Note {
  std::string Message;
  SourceLocation Where;
};

/// A way in which a relaxed model violates SC: a store that can be late, and an access of another thread that can observe
/// that. Each pair of source locations is there once.
struct ScViolation {
  SourceLocation Store, Observer;
  std::vector<SourceLocation>
      Overtakers; // later accesses of the store's thread that it can be delayed past; in text order
  std::vector<SourceLocation> Previous;          // accesses of the observer's thread that came directly before it
  std::shared_ptr<const Counterexample> Witness; // an execution that is none of SC, if there is one to show
};

/// Whether every execution of a model is one of SC.
struct Robustness {
  MemoryModel Against = MemoryModel::TSO;
  enum Answer : uint8_t { Unknown, Robust, NotRobust } Known = Unknown;
  bool Bounded = false;    // robust as far as loops were followed
  unsigned Iterations = 0; // how far that was; 0: no loop was cut
  // NotRobust: a store, a later access of its thread that can take effect first, and the access that can tell.
  SourceLocation Store, Overtaker, Observer;
  std::string Message;                           // one sentence about the store
  std::shared_ptr<const Counterexample> Witness; // an execution that is none of SC; null if there is none to show
  // NotRobust: all that were found, the one above first; at most `MostWitnesses` have an execution.
  std::vector<ScViolation> Violations;
  bool Complete = false; // there are no others; if loops were cut, none up to `Iterations` of these
};

/// A search through all states of a program, in which loops have no bound. TSO and PSO are searched in rounds: as SC,
/// then with the delays of stores that were found to matter.
struct StateCounts {
  uint64_t States = 0, Transitions = 0; // of all rounds
  uint64_t Bytes = 0;                   // that the largest set of states took up
  unsigned Rounds = 1;
  size_t Delays = 0;   // TSO, PSO: stores delayed past later accesses that matter, as pairs of places
  bool Robust = false; // TSO, PSO: verified, and there is no such delay
  double Seconds = 0;
};

struct ModelReport {
  MemoryModel Which = MemoryModel::SC;
  Verdict Result = Verdict::Verified;
  uint64_t Executions = 0;                      // complete ones: every thread finished, or the bug reached
  uint64_t Blocked = 0;                         // ended by an await or assume that cannot be satisfied
  uint64_t CutShort = 0;                        // ended by the loop bound ("bounded" in the JSON)
  uint64_t Unchecked = 0;                       // ended in an error of a kind that is not looked for
  uint64_t Rejected = 0;                        // begun, and then no execution: the axioms of POWER did not allow them
  uint64_t StepsTaken = 0;                      // for all of them; unknown under POWER, and with reads-from relations
  Equivalence OnePer = Equivalence::ShashaSnir; // what there is one execution of
  std::string WhyNotReadsFrom;                  // asked for, but not possible: a phrase
  double Seconds = 0;
  std::vector<Bug> Bugs; // each distinct (kind, place, thread) once
  std::vector<CutLoop> Loops;
  std::vector<Note> Notes;           // each place once, in the order of the text
  std::vector<Note> BehindBound;     // what is not modelled and may be come to where executions were cut
  std::vector<Robustness> Robust;    // SC: against TSO and PSO; those: their own. Empty: not looked at
  bool FromSc = false;               // not explored: robust, so that what holds of SC holds
  bool Skipped = false;              // Unsupported, and nobody asked for the model: the others' verdicts are the answer
  bool MayChange = false;            // told before the end: a search through states may still decide it
  std::optional<StateCounts> States; // the verdict is that of a search through states
  std::vector<std::shared_ptr<const Recording>> Samples; // what is accessed and overtaken where, as far as it was seen
  std::string Reason;                                    // why unsupported or inconclusive: a sentence
  SourceLocation ReasonLocation;
};

struct CheckReport {
  std::string File;
  std::vector<Diagnostic> Diagnostics; // the compiler's
  std::vector<ModelReport> Models;     // in the order asked for
  Checks Looked = {};                  // the kinds of bugs that were looked for
  double CompileSeconds = 0;
  std::vector<std::string> Flags = {}; // for Clang, besides those of the project
};

struct CheckRequest {
  CompileRequest Text;
  CheckOptions Options;
};

struct Progress {
  MemoryModel Which = MemoryModel::SC;
  uint64_t Executions = 0;
  double Explored =
      -1;              // about which share of the model's executions is done; negative: not known; 1: the model is over
  double Seconds = 0;  // since the model's exploration began
  uint64_t States = 0; // seen so far, where these are searched and not executions
};

/// Checks one file. `OnProgress` (may be empty) is called a few times a second, and at the end of each
/// model, from the threads that check: several may do so at the same time.
/// Setting `Cancel` ends the check soon; unfinished models are then Inconclusive.
/// `OnCompiled` (may be empty) is called when the file is compiled and exploring begins, `OnModel` as below.
CheckReport check(const CheckRequest &Request, const std::function<void(const Progress &)> &OnProgress = {},
                  const std::atomic<bool> *Cancel = nullptr, const std::function<void()> &OnCompiled = {},
                  const std::function<void(const CheckReport &SoFar)> &OnModel = {});

/// How a text is compiled for a check: what some kinds of bugs need is put into the program.
CompileRequest textToCheck(CompileRequest Text, const CheckOptions &Options);

/// POWER refuses some programs that the other models check. Where nobody asked for it by name, it is skipped then, and
/// marked so: also in a report of some models only.
void skipRefused(CheckReport &Report, const CheckOptions &Options);

/// The second half of `check`, for callers that want to look at the compiled program first. `OnModel` (may be empty)
/// hears of each model when it is done, with all that are done by then, as long as something is left to be done; one
/// call at a time, from the checking threads. No model waits for POWER, which can take much longer than the others.
CheckReport checkCompiled(const std::string &File, CompileResult Compiled, const CheckOptions &Options,
                          const std::function<void(const Progress &)> &OnProgress = {},
                          const std::atomic<bool> *Cancel = nullptr,
                          const std::function<void(const CheckReport &SoFar)> &OnModel = {});

} // namespace picket
