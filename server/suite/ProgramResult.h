// The result of checking one program of a test suite, as it travels from the process that checks it and as it is cached.
#pragma once

#include "CheckCommand.h"

#include "llvm/Support/JSON.h"

namespace picket {

struct ModelResult {
  std::string Name, Title; // "armv8", "ARM64"
  Verdict Result = Verdict::Verified;
  bool Skipped = false;
  std::string Text;    // the verdict as a sentence
  std::string Message; // what goes wrong, a line per bug; empty if nothing does
  double Seconds = 0;
};

struct ProgramResult {
  std::vector<ModelResult> Models;
  std::string Text;    // the report of `picket check --quiet`, in colour
  std::string Warning; // what the process wrote to standard error; not cached
  std::string Lost;    // why there is no result, if there are no models
  unsigned Unroll = 8;
  double Seconds = 0;
  bool StartsThreads = true;              // otherwise it is no program to check, and nothing else is known
  bool Cached = false;                    // read from the cache
  bool WasCancelled = false;              // Lost: by Ctrl+C
  std::optional<llvm::json::Value> Sarif; // if asked for

  /// What `picket check` would end with.
  ExitCode code() const;
  /// The same answer would be found another time: no limit came first, nothing was cancelled.
  bool isFinal() const;
};

struct ResultDetails {
  TextOptions Text;
  bool Sarif = false;
};
ProgramResult resultOf(const CheckReport &Report, SourceTexts &Sources, const ResultDetails &Wanted);

llvm::json::Value toJSON(const ProgramResult &Result);
bool fromJSON(const llvm::json::Value &Json, ProgramResult &Result, llvm::json::Path Path);

} // namespace picket
