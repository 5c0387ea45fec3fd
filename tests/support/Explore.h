// Helpers for tests of the engine: explore C text, or a file of tests/programs, and return the result.
#pragma once

#include "check/Check.h"
#include "explore/OptimalDpor.h"
#include "source/compile/Compile.h"
#include "support/TraceKey.h"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace picket::testing {

/// With store buffers.
constexpr MemoryModel AllModels[] = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};

inline CompileRequest requestForText(const std::string &Text, std::vector<std::string> Flags = {}) {
  CompileRequest Request;
  Request.File = "/test.c";
  Request.Unsaved["/test.c"] = Text;
  Request.Flags = std::move(Flags);
  Request.UseCompileCommands = false;
  return Request;
}

/// Name: of a file in tests/programs, without ".c".
inline CompileRequest requestForProgram(const std::string &Name, std::vector<std::string> Flags = {}) {
  CompileRequest Request;
  Request.File = std::string(PICKET_SOURCE_DIR) + "/tests/programs/" + Name + ".c";
  Request.Flags = std::move(Flags);
  Request.UseCompileCommands = false;
  return Request;
}

inline Program compile(const CompileRequest &Request) {
  CompileResult Result = compileProgram(Request);
  if (Result.Compiled)
    return std::move(*Result.Compiled);
  std::string Why = Request.File + " does not compile";
  for (const Diagnostic &D : Result.Diagnostics)
    Why += "\nline " + std::to_string(D.Where.Line) + ": " + D.Message;
  throw std::runtime_error(Why);
}

/// Listens to nothing.
struct Silent : ExplorationObserver {
  void ended(Execution &, Ending) override {}
};

/// Keeps the key of every trace, and how often it was seen.
struct Traces : ExplorationObserver {
  std::map<TraceKey, unsigned> Complete, Blocked, Cut, Unchecked;

  void ended(Execution &E, Ending How) override {
    ++(How == Ending::Blocked     ? Blocked
       : How == Ending::Cut       ? Cut
       : How == Ending::Unchecked ? Unchecked
                                  : Complete)[traceKeyOf(E, E.cells())];
  }
  void restarted() override {
    Complete.clear();
    Blocked.clear();
    Cut.clear();
    Unchecked.clear();
  }

  /// How many executions were not the first of their trace.
  uint64_t repeated() const {
    uint64_t Times = 0;
    for (const auto *Kind : {&Complete, &Blocked, &Cut, &Unchecked})
      for (const auto &[Key, Seen] : *Kind)
        Times += Seen - 1;
    return Times;
  }
};

inline ExplorationOptions exhaustively(MemoryModel Buffers, unsigned Unroll = 64) {
  ExplorationOptions Options;
  Options.Model = Buffers;
  Options.Exhaustive = true;
  Options.Machine.Unroll = Unroll;
  return Options;
}

inline ExplorationResult explore(const Program &P, MemoryModel Buffers, unsigned Unroll = 64) {
  Silent Nobody;
  return exploreOptimally(P, exhaustively(Buffers, Unroll), Nobody);
}

/// Checks a text with the options of `picket check`.
inline CheckReport checkText(const std::string &Text, const CheckOptions &Options = {}) {
  return check({requestForText(Text), Options});
}

} // namespace picket::testing
