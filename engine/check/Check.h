// The one door of the engine: a CheckRequest goes in, a CheckReport comes out.
#pragma once

#include "check/CheckReport.h"
#include "memory/Axioms.h"
#include "source/compile/TargetPrograms.h"

#include <atomic>
#include <functional>

namespace picket {

/// How programs are looked at whose loops do not end by themselves.
enum class Engine : uint8_t {
  Auto,    // bounded; where that leaves SC, TSO or PSO at the bound, their states are searched for a while
  Bounded, // executions, with loops followed up to the bound
  Lazy     // SC, TSO and PSO by their states, without a bound; the others as ever
};
const char *nameOf(Engine E); // "auto", "bounded", "lazy"

/// What programs are compiled for.
enum class TargetChoice : uint8_t {
  Model, // the architecture that the model needs
  Host   // the machine Picket runs on, under all models
};
const char *nameOf(TargetChoice T); // "model", "host"
std::optional<TargetChoice> targetChoiceNamed(std::string_view Name);
/// Unless the command that compiles a text names another target.
constexpr Architecture targetOf(MemoryModel M, TargetChoice T) {
  return T == TargetChoice::Host ? HostArchitecture : infoOf(M).Target;
}

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
  bool Partly = false;      // the question is about other models as well, which are checked apart
  Checks Looked;            // the kinds of bugs that are looked for
  RaceReporting Races = RaceReporting::Default;
  VolatileMeaning Volatile = VolatileMeaning::Plain;    // under C11
  ReleaseSequences Sequences = ReleaseSequences::Cpp20; // the same
  TargetChoice Targets = TargetChoice::Model;
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
  bool RaceFree =
      true; // models that are explored as graphs: race-free programs are checked by their executions under SC
  unsigned MostWitnesses = 1; // violations of SC per model that are shown with an execution
  bool Spurious = true;       // weak compare-and-swaps fail and waits end for no reason where the program can tell
};

/// The kinds of bugs that are looked for: without data races, if these are off.
Checks checksOf(const CheckOptions &Options);
/// Whether data races are looked for under a model: always under C11; in executions of SC if somebody asks for data races
/// and not for C11, of which these are executions, too.
bool looksForRaces(const CheckOptions &Options, MemoryModel Model);

struct CheckRequest {
  CompileRequest Text;
  CheckOptions Options;
};

/// Checks one file. The listeners may be empty. Setting `Cancel` ends the check soon, but not immediately; unfinished models
/// are then Inconclusive. `OnCompiled` (may be empty) is called when the file is compiled and exploring begins.
CheckReport check(const CheckRequest &Request, const ProgressListener &OnProgress = {},
                  const std::atomic<bool> *Cancel = nullptr, const std::function<void()> &OnCompiled = {},
                  const ModelListener &OnModel = {});

/// The second half of `check`, for callers that want to look at the compiled programs first. What is not compiled yet
/// is compiled when it is needed. No model waits for those that are explored as graphs, which can take much longer than
/// the others.
CheckReport checkPrograms(const std::string &File, TargetPrograms &Programs, const CheckOptions &Options,
                          const ProgressListener &OnProgress = {}, const std::atomic<bool> *Cancel = nullptr,
                          const ModelListener &OnModel = {});

/// The same with one program for all models.
CheckReport checkCompiled(const std::string &File, CompileResult Compiled, const CheckOptions &Options,
                          const ProgressListener &OnProgress = {}, const std::atomic<bool> *Cancel = nullptr,
                          const ModelListener &OnModel = {});

/// How a text is compiled for a check: what some kinds of bugs need is put into the program.
CompileRequest textToCheck(CompileRequest Text, const CheckOptions &Options);

/// The targets of the models, the first one to compile for first: that of the strongest model.
std::vector<Architecture> targetsOf(const CheckOptions &Options);

/// The report of a program that cannot be run, or of none: the models are listed without an answer. True: it can be run.
bool beginReport(CheckReport &Report, const std::string &File, const CompileResult &Compiled,
                 const CheckOptions &Options);

/// What can be done about data races that are bugs because C11 is among the models, in the words of a note. Empty if the
/// model has none.
std::string wayOutOfRaces(const CheckReport &Report, const ModelReport &M);

/// Why a program cannot be run for its target, with a place if there is one. None: it can be.
std::optional<Note> whyNotRun(const CompileResult &Compiled, Architecture For);

/// Models that are explored as graphs (ARM64, POWER, C11) refuse some programs that the others check. Where nobody asked for
/// them by name, they are skipped then, and marked so: also in a report of some models only.
void skipRefused(CheckReport &Report, const CheckOptions &Options);

} // namespace picket
