// What a check found out: about a file, about each of its models, and how a check that goes on gets on. Plain data.
#pragma once

#include "base/Verdict.h"
#include "explore/Equivalence.h"
#include "machine/Checks.h"
#include "machine/LanguageRules.h"
#include "memory/MemoryModel.h"
#include "source/compile/Compile.h"
#include "trace/Counterexample.h"

#include <memory>
#include <optional>

namespace picket {

/// The access that another one is in a data race with.
struct RacePartner {
  SourceLocation Where;
  std::string Thread;
  bool Writes = false, IsAtomic = false;
  bool EitherVolatile = false; // this access or the one it is in a race with
};

/// "atomic write in thread 'f'"
std::string describe(const RacePartner &Access);

struct Bug {
  BugKind Kind = BugKind::Assertion;
  std::string Message; // one sentence
  SourceLocation Where;
  std::string Thread;                          // "main", "worker", "worker#2"
  std::shared_ptr<const Counterexample> Trace; // how it comes about; null if not asked for
  std::optional<RacePartner> Other = {};       // a data race: the access that came first
};

/// Whether the same goes wrong at the same place in the same thread, be it in another execution or under another model.
/// Data races are the same if they are between the same two places, whatever threads come there, and in which order.
inline bool isSame(const Bug &A, const Bug &B) {
  if (A.Kind != B.Kind || A.Other.has_value() != B.Other.has_value())
    return false;
  if (!A.Other)
    return A.Thread == B.Thread && isSame(A.Where, B.Where);
  return (isSame(A.Where, B.Where) && isSame(A.Other->Where, B.Other->Where)) ||
         (isSame(A.Where, B.Other->Where) && isSame(A.Other->Where, B.Where));
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

/// Something that is not modelled, and where the program may come to it.
struct Unmodelled {
  std::string What; // "call to 'foo'"
  std::vector<SourceLocation> Places;
};

/// A way in which a relaxed model violates SC: a store that can be late, and an access of another thread that can observe
/// that. Each pair of source locations is there once.
struct ScViolation {
  SourceLocation Store, Observer;
  std::vector<SourceLocation>
      Overtakers; // later accesses of its thread that the store can be delayed past; in text order
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
  std::string Title;              // of a model that is not in the table
  std::vector<std::string> Flags; // with which that marks executions of the program
  Verdict Result = Verdict::Verified;
  Architecture Target = HostArchitecture; // what the program was compiled for
  std::vector<std::string> Stubs;         // functions that stubs stood for
  std::optional<Note> AboutTarget;        // why the answer may be another one for other machines
  uint64_t Executions = 0;                // complete ones: every thread finished, or the bug reached
  uint64_t Blocked = 0;                   // ended by an await or assume that cannot be satisfied
  uint64_t CutShort = 0;                  // ended by the loop bound ("bounded" in the JSON)
  uint64_t Unchecked = 0;                 // ended in an error of a kind that is not looked for
  uint64_t Rejected = 0;                  // begun, and then no execution: the axioms of the model did not allow them
  uint64_t StepsTaken = 0;                // for all of them; unknown for graphs, and with reads-from relations
  Equivalence OnePer = Equivalence::ShashaSnir; // which executions count as the same
  std::string WhyNotReadsFrom;                  // asked for, but not possible: a phrase
  double Seconds = 0;
  std::vector<Bug> Bugs;     // each distinct (kind, place, thread) once
  std::vector<Bug> Warnings; // the same of data races, where they are no bugs
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
  std::vector<Unmodelled> NotModelled; // Unsupported: what an execution came to, and all else that one may come to
};

inline std::string titleOf(const ModelReport &M) { return M.Title.empty() ? titleOf(M.Which) : M.Title; }
inline std::string nameOf(const ModelReport &M) { return M.Title.empty() ? nameOf(M.Which) : M.Title; }

struct CheckReport {
  std::string File;
  std::vector<Diagnostic> Diagnostics; // the compiler's
  std::vector<ModelReport> Models;     // in the order asked for
  Checks Looked = {};                  // the kinds of bugs that were looked for
  double CompileSeconds = 0;
  std::vector<std::string> Flags = {};  // for Clang, besides those of the project
  std::vector<ProgramFile> Others = {}; // the program's other files
  RaceReporting Races = RaceReporting::Default;
  LanguageRules Language = {}; // C11
};

struct Progress {
  MemoryModel Which = MemoryModel::SC;
  uint64_t Executions = 0;
  /// About which share of the model's executions is done; negative: not known; 1: the model is over.
  double Explored = -1;
  double Seconds = 0;  // since the model's exploration began
  uint64_t States = 0; // seen so far, where these are searched and not executions
};

} // namespace picket
