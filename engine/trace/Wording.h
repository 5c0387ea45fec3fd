// Describes events, threads, variables and source locations in words.
#pragma once

#include "trace/Recording.h"

namespace picket {

/// Whether a place is in the file that was checked, which may be named in another way there.
bool inMainFile(const Recording &R, const SourceLocation &P);
/// "line 9", "queue.h line 12" for other files than the recording's.
std::string lineText(const Recording &R, const SourceLocation &P);
/// "thread 'left'", "main"
std::string threadText(const Recording &R, uint32_t Thread);
/// "`flag[1]`", with the expression of the source if that says more: "`q->head` (node#1.next)"
std::string variableText(const Recording &R, const TraceEvent &E, const TraceAccess &A);
/// "the store to x at line 9", "the load of y at line 10"
std::string describeAccess(const Recording &R, uint32_t Event);
/// What the event does, without its thread: "stores 1 to x: it waits in the store buffer"
std::string describeEvent(const Recording &R, uint32_t Event);
/// " (by 'atomic32_write_rlx' in atomics.h)", where the place of the event calls something that is not shown.
std::string throughText(const TraceEvent &E);

} // namespace picket
