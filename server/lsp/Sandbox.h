// What a worker process may do: read files, compute, answer, and have pictures drawn. It compiles and runs text that anybody
// may have written, so that the kernel is asked to keep it to that.
#pragma once

namespace picket {

/// Forbids this process, its threads to come and its children, for good: connections, writing and making files anywhere,
/// programs but Picket itself, and looking into or stopping other processes. What is open stays open. As far as the
/// kernel has the means (Landlock, seccomp); where it has not, nothing happens.
void enterSandbox();

/// For tests: tries what is forbidden and writes a line for each to standard error: "connect: refused", "write: possible".
/// The lines "landlock" and "seccomp" say whether the kernel has the means.
void tellWhatIsPossible(const char *File);

} // namespace picket
