// `picket worker`: the process that compiles and explores for the language server. Not for people, so no help mentions
// it.
#pragma once

namespace picket {

/// Answers requests (WorkerProtocol.h) from standard input on standard output until there are no more. Returns the exit
/// code.
int workerCommand();

} // namespace picket
