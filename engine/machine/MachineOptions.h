// The limits and switches of a machine, and what it throws when it cannot go on with a program.
#pragma once

#include "machine/Checks.h"
#include "machine/Identities.h"
#include "machine/LanguageRules.h"
#include "machine/Operation.h"
#include "program/LiveSlots.h"

#include <string>

namespace picket {

/// Limits and switches of one exploration.
struct MachineOptions {
  Checks Looked;          // the kinds of bugs that are reported
  bool RacesGoOn = false; // a data race does not end an execution
  LanguageRules Language; // C11
  unsigned Unroll = 8;
  bool BoundEveryLoop = false;          // iterations count whatever is read in them, unless the thread is alone
  uint64_t MaxLocalSteps = 100'000'000; // instructions between two visible operations
  uint64_t MaxObjectBytes = 1ull << 30;
  uint64_t MaxMemoryBytes = 4ull << 30;
  bool QuietAccesses = true; // accesses that can race with nothing take no step (off in some tests)
  bool StopAtFences = false; // make fences and create wait for the scheduler
  bool StopAtExit = false;   // the end of the process is a step, and nothing happens after it (in some tests)
  bool Speculative = false;  // a SpeculativeInterpreter runs the threads, ahead of their loads
  /// With Speculative: threads wait for what they read instead, since the memory model keeps their order. What nobody else
  /// sees orders nothing then, and takes no step (if QuietAccesses).
  bool InOrder = false;
  bool LargeGraphs = false; // execution graphs are those for long executions from the start (in tests)
  /// For searches that compare states: objects that nothing can name any more lend their slot to new ones, so that
  /// loops that allocate come back to where they were. Null: every object has a slot of its own.
  const LiveSlots *Live = nullptr;
  Identities *Names = nullptr; // where several machines run the program side by side
  bool ShowAll = false; // for recordings: no access is quiet, nor left out because nobody else is there (any more)
  /// Threads go to points they have been at before without being run (see ThreadPoints.h).
  enum class Points : uint8_t { Off, Distrusted, On } Points = Points::On; // Distrusted: run, and compared

  /// What nobody else sees can still order what others do: accesses of it are steps, too.
  bool showsOwnAccesses() const { return Speculative && !(InOrder && QuietAccesses); }
  /// The search that uses the machine compares states: threads run without a bound.
  bool comparesStates() const { return Live != nullptr; }
};

/// Thrown when the machine cannot go on with the program as a whole: something is not modelled, or a limit is reached.
struct MachineStop {
  enum Reason : uint8_t { Unsupported, Limit } Why;
  uint32_t Pc;
  ThreadId Thread;
  std::string Message;
};

[[noreturn]] void stopUnsupported(ThreadId T, uint32_t Pc, const std::string &What);
[[noreturn]] void stopAtLimit(ThreadId T, uint32_t Pc, const std::string &What);

} // namespace picket
