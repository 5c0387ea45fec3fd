// What the checker found out about a file, as an editor wants to know it. A worker makes it of a CheckReport; it
// travels to the server as JSON (OutcomeJson.cpp).
#pragma once

#include "check/Check.h"

#include "llvm/Support/JSON.h"

#include <variant>

namespace picket {

/// A step of a counterexample, at its place in the text.
struct OutcomeStep {
  SourceLocation Where;
  std::string Text; // "3. left: stores 1 to flag0: it waits in the store buffer"
  bool OutOfOrder = false;
};

/// What a finding is about, if it is neither a kind of bug nor a verdict.
enum class OtherFinding : uint8_t {
  NotRobust, // a store that can be late
  Litmus,    // an answer to a litmus test, or what is wrong with its text
  Crash      // the worker ended
};
using FindingCode = std::variant<BugKind, Verdict, OtherFinding>;
const char *nameOf(const FindingCode &Code); // "assertion", "inconclusive", "not-robust", ...
std::optional<FindingCode> findingCodeNamed(llvm::StringRef Name);

/// One thing to underline.
struct Finding {
  Severity Level = Severity::Error;
  FindingCode Code;
  std::string Message;
  SourceLocation Where;
  std::string Sentence; // what happened, in plain words; empty if there is no counterexample
  std::vector<OutcomeStep> Steps;
  int64_t Trace = -1;   // index into Outcome::Traces
  std::string Log = {}; // Crash: the file with the worker's last words

  bool is(OtherFinding What) const { return Code == FindingCode(What); }
};

struct ModelOutcome {
  MemoryModel Model = MemoryModel::SC;
  std::optional<Verdict> Result; // none: it is still being checked
  uint64_t Executions = 0, Blocked = 0, Bounded = 0;
  double Seconds = 0;
  std::string Reason;
  uint64_t States = 0;                    // where the verdict comes from a search through states, without a bound
  bool Skipped = false;                   // it cannot check the program, and nobody asked for it: no finding
  Architecture Target = HostArchitecture; // what the program was compiled for

  /// What is told as the verdict of a model that is still being checked.
  static constexpr const char *Pending = "checking";
  bool isPending() const { return !Result; }
};

/// Something to tell about a line, as Markdown.
struct LineFact {
  SourceLocation Where;
  std::string Text;
};

/// A counterexample as docs/counterexample-json.md has it, without pictures.
struct OutcomeTrace {
  MemoryModel Model = MemoryModel::SC;
  FindingCode Code;
  std::string Json;
};

struct Outcome {
  bool Compiled = true;
  bool HasMain = true;
  bool StartsThreads = true;
  unsigned Unroll = 8;
  double CompileSeconds = 0;
  std::vector<std::string> LeftOut; // kinds of bugs that are on by default and were not looked for
  std::vector<ModelOutcome> Models;
  std::vector<Finding> Findings;
  std::vector<LineFact> Facts;
  std::vector<OutcomeTrace> Traces;

  /// Says of the models that are still being checked that there will be no answer.
  void endPending(const std::string &Reason);

  /// A program that is of no interest: it cannot be run, or has nothing to interleave.
  bool isQuiet() const { return Compiled && (!HasMain || !StartsThreads); }
};

/// ["sc", "tso"]
llvm::json::Array modelsJson(const std::vector<MemoryModel> &Models);
/// For whatever has one: a second pair of these functions in another file would be another one for llvm::json's templates.
llvm::json::Value toJSON(const SourceLocation &P);
bool fromJSON(const llvm::json::Value &Json, SourceLocation &P, llvm::json::Path At);
llvm::json::Value toJSON(const ModelOutcome &M);
llvm::json::Value toJSON(const Outcome &O);
bool fromJSON(const llvm::json::Value &Json, Outcome &O, llvm::json::Path Path);

/// "PSO", "PSO and POWER", "TSO, PSO and POWER"
std::string listed(const std::vector<std::string> &Names);

/// What is to be said about a report. Findings without a place of their own stand in its file. `WriteTrace` makes the
/// JSON of a counterexample; without it there are no traces. Models of the options that the report does not have are
/// pending.
Outcome outcomeOf(const CheckReport &Report, const CheckOptions &Options,
                  const std::function<std::string(const Counterexample &)> &WriteTrace = {});

} // namespace picket
