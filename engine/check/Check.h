// The one door of the engine: a CheckRequest goes in, a CheckReport comes out.
#pragma once

#include "explore/Equivalence.h"
#include "source/Compile.h"
#include "trace/Counterexample.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace picket {

enum class Model : uint8_t { SC, TSO, PSO, Power };
const char *nameOf(Model M); // "sc", "tso", "pso", "power"

enum class Verdict : uint8_t {
  Verified,     // every execution was seen and none is wrong
  Bounded,      // the same, but some loop was cut at the bound
  Violation,    // a bug
  Inconclusive, // a limit (time, memory, steps) ended the check before the answer
  Unsupported,  // the program does something Picket does not model
  CompileError
};
const char *nameOf(Verdict V); // "verified", "bounded", "violation", "inconclusive", "unsupported", "compile-error"

/// How programs are looked at whose loops other threads can keep going.
enum class Engine : uint8_t {
  Auto,    // bounded; where that leaves SC or TSO at the bound, their states are searched for a while
  Bounded, // executions, with loops followed up to the bound
  Lazy     // SC and TSO by their states, without a bound; the other models as ever
};
const char *nameOf(Engine E); // "auto", "bounded", "lazy"

struct CheckOptions {
  std::vector<Model> Models = {Model::SC};
  Engine Search = Engine::Bounded;
  Equivalence OnePer = Equivalence::ShashaSnir; // of SC, TSO and PSO: which executions need not be told apart
  bool Exhaustive = false;                      // go on after the first bug, so that the counts are total
  unsigned Unroll = 8;                          // iterations of a loop that other threads can keep going
  double TimeoutSeconds = 0;                    // per model; 0: none
  uint64_t MaxMemoryBytes = 4ull << 30;
  unsigned Jobs = 0;            // cores to use; 0: all
  unsigned Counterexamples = 8; // bugs per model that are explained with a trace
  bool Samples = false;         // executions are written down also where there is no bug
  bool Monitor = true;   // look during SC whether the program is robust; where it is, TSO and PSO need no exploration
  bool Witnesses = true; // an execution is shown where it is not robust
  bool RobustnessOnly = false;               // SC is monitored for its own sake: also where no other model is asked for
  bool AgainstTso = true, AgainstPso = true; // RobustnessOnly: the models that matter
};

struct Bug {
  std::string Kind;    // "assertion", "deadlock", "use-after-free", ...: see machine/Bug.h
  std::string Message; // one sentence
  Place Where;
  std::string Thread;                          // "main", "worker", "worker#2"
  std::shared_ptr<const Counterexample> Trace; // how it comes about; null if not asked for
};

/// Whether the same goes wrong at the same place in the same thread, be it in another execution or under another model.
inline bool isSame(const Bug &A, const Bug &B) {
  return A.Kind == B.Kind && A.Thread == B.Thread && isSame(A.Where, B.Where);
}

/// A loop that was cut at the bound in some execution.
struct CutLoop {
  Place Where;
};

/// Something that is no bug, but that the verdict relies on.
struct Note {
  std::string Message;
  Place Where;
};

/// Whether every execution of a model is one of SC.
struct Robustness {
  Model Against = Model::TSO;
  enum Answer : uint8_t { Unknown, Robust, NotRobust } Known = Unknown;
  bool Bounded = false;    // robust as far as loops were followed
  unsigned Iterations = 0; // Bounded: how far that was
  // NotRobust: a store, a later access of its thread that can take effect first, and the access that can tell.
  Place Store, Overtaker, Observer;
  std::string Message;                           // one sentence about the store
  std::shared_ptr<const Counterexample> Witness; // an execution that is none of SC; null if there is none to show
};

/// A search through all states of a program, in which loops have no bound. TSO is searched in rounds: as SC, then with
/// the delays of stores that were found to matter.
struct StateCounts {
  uint64_t States = 0, Transitions = 0; // of all rounds
  uint64_t Bytes = 0;                   // that the largest set of states took up
  unsigned Rounds = 1;
  size_t Delays = 0;   // TSO: stores delayed past loads that matter, as pairs of places
  bool Robust = false; // TSO: verified, and there is no such delay
  double Seconds = 0;
};

struct ModelReport {
  Model Which = Model::SC;
  Verdict Result = Verdict::Verified;
  uint64_t Executions = 0;                      // complete ones: every thread finished, or the bug reached
  uint64_t Blocked = 0;                         // ended by an await or assume that cannot be satisfied
  uint64_t CutShort = 0;                        // ended by the loop bound ("bounded" in the JSON)
  uint64_t StepsTaken = 0;                      // for all of them; unknown under POWER, and with reads-from relations
  Equivalence OnePer = Equivalence::ShashaSnir; // what there is one execution of
  std::string WhyNotReadsFrom;                  // asked for, but not possible: a phrase
  double Seconds = 0;
  std::vector<Bug> Bugs; // each distinct (kind, place, thread) once
  std::vector<CutLoop> Loops;
  std::vector<Note> Notes;           // each place once, in the order of the text
  std::vector<Robustness> Robust;    // SC: against TSO and PSO; those: their own. Empty: not looked at
  bool FromSc = false;               // not explored: robust, so that what holds of SC holds
  std::optional<StateCounts> States; // the verdict is that of a search through states
  std::vector<std::shared_ptr<const Recording>> Samples; // what is accessed and overtaken where, as far as it was seen
  std::string Reason;                                    // why unsupported or inconclusive: a sentence
  Place ReasonPlace;
};

struct CheckReport {
  std::string File;
  std::vector<Diagnostic> Diagnostics; // the compiler's
  std::vector<ModelReport> Models;     // in the order asked for
  double CompileSeconds = 0;
  std::vector<std::string> Flags = {}; // for Clang, besides those of the project
};

struct CheckRequest {
  CompileRequest Text;
  CheckOptions Options;
};

struct Progress {
  Model Which = Model::SC;
  uint64_t Executions = 0;
  double Explored =
      -1;              // about which share of the model's executions is done; negative: not known; 1: the model is over
  double Seconds = 0;  // since the model's exploration began
  uint64_t States = 0; // seen so far, where these are searched and not executions
};

/// Checks one file. `OnProgress` (may be empty) is called a few times a second, and at the end of each
/// model, from the threads that check: several may do so at the same time.
/// Setting `Cancel` ends the check soon; unfinished models are then Inconclusive.
CheckReport check(const CheckRequest &Request, const std::function<void(const Progress &)> &OnProgress = {},
                  const std::atomic<bool> *Cancel = nullptr);

/// The second half of `check`, for who wants to look at the compiled program first. `OnModel` (may be empty) hears of
/// each model when it is done, with all that are done by then, as long as something is left to be done; one call at a
/// time, from the checking threads.
CheckReport checkCompiled(const std::string &File, CompileResult Compiled, const CheckOptions &Options,
                          const std::function<void(const Progress &)> &OnProgress = {},
                          const std::atomic<bool> *Cancel = nullptr,
                          const std::function<void(const CheckReport &SoFar)> &OnModel = {});

} // namespace picket
