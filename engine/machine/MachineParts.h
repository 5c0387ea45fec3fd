// What a machine consists of, one class for each subject. The interpreters and Machine work on it; everybody else uses
// Machine.
#pragma once

#include "machine/BugLog.h"
#include "machine/Leaks.h"
#include "machine/LoopLog.h"
#include "machine/MachineOptions.h"
#include "machine/Memory.h"
#include "machine/Process.h"
#include "machine/RunEffects.h"
#include "machine/Sharing.h"
#include "machine/SpuriousFailures.h"
#include "machine/StateDescription.h"
#include "machine/ThreadObjects.h"
#include "machine/ThreadPoints.h"
#include "machine/ThreadTable.h"
#include "machine/UnwrittenReads.h"

#include <functional>

namespace picket {

struct MachineParts {
  static constexpr uint32_t MaxThreads = 2'000, MaxNestedCreations = 500;

  MachineParts(const Program &Prog, Sharing &Shared, const MachineOptions &Options);

  /// Ends a thread with the bug that a synchronisation object found.
  void failSync(ThreadId T, const SyncResult &Misuse);

  const Program &Prog;
  Sharing &Shared;
  MachineOptions Options;
  UndoLog Undo;
  Memory Mem{Undo};
  ThreadTable Threads;
  ProcessWords Process{Mem};
  RunEffects Effects;
  BugLog Bugs{Options.Looked, Process, Effects};
  ThreadPoints Points{Options, Undo, Mem, Shared, Threads, Effects};
  UnwrittenReads Unwritten{Prog, Effects, Bugs, Points};
  SpuriousFailures Failures{Prog, Threads, Effects};
  StateDescription States{Prog, Options, Threads, Mem, Process};
  ThreadObjects Objects{Prog, Options, Mem, Shared, States};
  LeakSearch Leaks{Prog, Options, Threads, Mem, Objects, Bugs, Effects};
  LoopLog Loops;
  /// The last atomic section that was run.
  struct {
    std::vector<AccessedBytes> Accesses;
    bool IsBlocked = false; // something in it has to wait
  } Section;
  uint32_t NestedCreations = 0;                    // threads that are run to their first step while another is
  std::function<void(ThreadId, int64_t)> OnChoice; // of a value from outside; may be empty
  std::function<void()> WhileRunning;              // called now and then while a thread runs on and on; it may throw
};

} // namespace picket
