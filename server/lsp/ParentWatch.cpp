#include "lsp/ParentWatch.h"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace picket {

constexpr int LookEveryMilliseconds = 200;

static bool isGone(pid_t Process, int Handle) {
  if (Handle < 0) { // no pidfd on this system
    usleep(LookEveryMilliseconds * 1000);
    return kill(Process, 0) != 0 && errno == ESRCH;
  }
  pollfd File = {Handle, POLLIN, 0};
  return poll(&File, 1, LookEveryMilliseconds) > 0;
}

std::thread watchParent(std::optional<int64_t> Process, const std::atomic<bool> &Leaving,
                        std::function<void()> CleanUp) {
  if (!Process || *Process <= 0 || *Process > INT32_MAX)
    return {};
  const auto Id = static_cast<pid_t>(*Process);
  if (kill(Id, 0) != 0 && errno == ESRCH)
    return {}; // an editor on another machine or in another container
  return std::thread([Id, &Leaving, CleanUp = std::move(CleanUp)] {
    const int Handle = static_cast<int>(syscall(SYS_pidfd_open, Id, 0));
    while (!Leaving)
      if (isGone(Id, Handle)) {
        CleanUp();
        _exit(1); // the workers notice that their pipes are closed
      }
    if (Handle >= 0)
      close(Handle);
  });
}

} // namespace picket
