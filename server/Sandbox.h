// What a process that compiles and explores may do: read files, compute, answer. Its input is text that anybody may
// have written, so that the kernel is asked to keep it to that.
#pragma once

#include <string>

namespace picket {

/// What the kernel does for the sandbox.
struct SandboxState {
  int Landlock = 0;     // the version of Landlock that is active; 0: none
  bool Seccomp = false; // system calls are filtered
  bool isComplete() const { return Landlock > 0 && Seccomp; }
  /// "Landlock 7, seccomp"
  std::string text() const;
};

/// What the running kernel has to offer.
SandboxState sandboxSupport();

/// Confines this process and its children for good: files can be read and nothing else. No file is written, made,
/// removed, renamed or changed in its rights, times or attributes; no program is run; there are no sockets, name
/// spaces, signals to other processes, io_uring and the like (docs/security.md has the list). What is open stays open,
/// except files that are open for writing beyond standard error and `Keep`. To be called while there is one thread
/// only. Says what is active: as much as the kernel has the means for.
SandboxState enterSandbox(int Keep = -1);

} // namespace picket
