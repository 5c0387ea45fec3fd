// Runs a copy of this process and stops it at its n-th system call: before the call, or immediately after it.
#pragma once

#include <csignal>
#include <functional>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace picket::testing {

enum class Reached { Stop, End, Untraceable };

/// Runs `Work` in a copy of this process up to the `Stop`-th time that it enters or leaves a system call, and calls
/// `Then` with it stopped there. If that returns false the copy is killed, otherwise it runs to its end.
inline Reached stopAtSystemCall(unsigned Stop, const std::function<void()> &Work,
                                const std::function<bool(pid_t)> &Then) {
  const pid_t Child = fork();
  if (Child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      _exit(77);
    raise(SIGSTOP);
    Work();
    _exit(0);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  if (!WIFSTOPPED(Status))
    return Reached::Untraceable;
  ptrace(PTRACE_SETOPTIONS, Child, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  for (unsigned K = 0; K < Stop;) {
    ptrace(PTRACE_SYSCALL, Child, nullptr, nullptr);
    waitpid(Child, &Status, 0);
    if (!WIFSTOPPED(Status))
      return Reached::End;
    K += WSTOPSIG(Status) == (SIGTRAP | 0x80);
  }
  if (Then(Child))
    ptrace(PTRACE_DETACH, Child, nullptr, nullptr);
  else
    kill(Child, SIGKILL);
  waitpid(Child, &Status, 0);
  return Reached::Stop;
}

inline Reached killAtSystemCall(unsigned Stop, const std::function<void()> &Work) {
  return stopAtSystemCall(Stop, Work, [](pid_t) { return false; });
}

} // namespace picket::testing
