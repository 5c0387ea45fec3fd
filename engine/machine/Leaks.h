// The search for heap blocks that are lost: never freed, and nothing that is still there when the process ends points to
// them, be it by way of other blocks. What is still there are global variables, the thread-local variables, locals and
// registers of threads that have not ended, and those of the thread that called exit. Variables of `main` are gone once
// it returned.
#pragma once

#include "machine/BugLog.h"
#include "machine/ThreadObjects.h"
#include "machine/ThreadTable.h"

namespace picket {

class LeakSearch {
public:
  LeakSearch(const Program &Prog, const MachineOptions &Options, ThreadTable &Threads, Memory &Mem,
             ThreadObjects &Objects, BugLog &Bugs, RunEffects &Effects);

  /// T calls exit: its frames are about to go, but the process ends with them in place. What T can still name is kept in
  /// a hidden object of its own.
  void keepRoots(Thread &T);
  /// The process has ended: records the blocks that were lost. False: there are none, or nobody asks.
  bool report();

private:
  std::vector<bool> findReachable() const;

  const Program &Prog;
  const MachineOptions &Options;
  ThreadTable &Threads;
  Memory &Mem;
  ThreadObjects &Objects;
  BugLog &Bugs;
  RunEffects &Effects;
  std::unique_ptr<const LiveSlots> OwnLive; // where leaks are looked for and Options.Live is not given
};

} // namespace picket
