// Which local variables end where a thread stands, and which of them other threads have seen.
#pragma once

#include "machine/Memory.h"
#include "machine/Sharing.h"
#include "machine/Thread.h"

namespace picket {

/// Returning from main ends the process; its variables stay while other threads are on their way out.
inline bool endsProcess(const Thread &T, const ThreadState &S) {
  return T.Id == 0 && S.Depth == 1 && S.Phase == ThreadState::Running;
}

/// The first of the thread's stack objects, up to the last one, that end at its pc.
uint32_t firstEnding(const Program &Prog, const Thread &T, const ThreadView &Here);

/// Appends the local variables that end at the thread's pc and that others may have seen.
void findSeenEnds(const Program &Prog, const Memory &Mem, const Sharing &Shared, const Thread &T,
                  const ThreadView &Here, std::vector<AccessedBytes> &Ends);

} // namespace picket
