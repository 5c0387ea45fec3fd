// Commands of the terminal in a process of their own, which the kernel confines (Sandbox.h) and which can be ended.
//
// The supervisor has read the command line. It writes files for the others, watches their time and memory, ends them, and
// passes the exit code on. It reads nothing that others may have written.
//
// The confined process compiles, explores and prints. Before each file it makes a copy of itself that goes on, and stays
// behind: if the copy is lost (a limit, a crash), it goes on itself, with what it knew before the file.
#pragma once

#include "FileWriting.h"
#include "check/Check.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace picket {

struct Supervised {
  std::function<int()> Work; // returns the exit code
  /// Whether the confined process may ask for these to be written.
  std::function<bool(const std::vector<FileChange> &)> MayWrite;
  /// Says that the process is lost, as an error of the command. Not called where a copy that stayed behind went on.
  std::function<void(const std::string &Sentence)> Complain;
  int CodeOfCrash = 3, CodeOfLimit = 4;
};

/// Runs the work confined and returns the exit code. To be called while there is one thread only.
int runSupervised(const Supervised &What);

/// Writes files: by the supervisor if there is one. The sentence says what went wrong.
std::string writeFilesOutside(const std::vector<FileChange> &Changes);

/// Why a copy came to no end.
struct Loss {
  enum Reason : uint8_t { Time, Memory, Interrupted, Crash } Why = Crash;
  std::string Sentence; // "the time limit was reached while compiling"
  double Seconds = 0;   // that the copy had
};

enum class Stage : uint8_t { Compiling, Checking };

/// Does the work in a copy of this process, and returns in the copy. It returns in this process, with the reason, only
/// if the copy was lost: then nothing the work did has happened. Without a supervisor the work is simply done.
std::optional<Loss> runWatched(const std::function<void()> &Work);

/// Within the above: limits from now on. No seconds: there is no limit of time.
void watch(Stage What, double Seconds, uint64_t Bytes);

/// The same for a compilation with these limits, and for a check that keeps its limits itself: it is ended if it does
/// not.
void watchCompiling(double Timeout, uint64_t MaxMemory);
void watchChecking(const CheckOptions &Options);

/// Whether somebody wants the command to come to an end (Ctrl-C). All processes of the command share it.
std::atomic<bool> &interrupted();

/// Within the work: from here on standard output holds something, so that nobody adds an error to it.
void outputBegins();

} // namespace picket
