#include "base/ChildProcess.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace picket {

int Descriptor::release() { return std::exchange(Number, -1); }

void Descriptor::reset(int Other) {
  if (Number >= 0)
    close(Number);
  Number = Other;
}

bool makePipe(Descriptor &Read, Descriptor &Write) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC) != 0)
    return false;
  Read.reset(Ends[0]);
  Write.reset(Ends[1]);
  return true;
}

bool writeAll(int File, std::string_view Text) {
  while (!Text.empty()) {
    const ssize_t Written = write(File, Text.data(), Text.size());
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written <= 0)
      return false;
    Text.remove_prefix(static_cast<size_t>(Written));
  }
  return true;
}

int spawn(const ChildProgram &What, pid_t &Child) {
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  posix_spawn_file_actions_adddup2(&Files, What.In, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&Files, What.Out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&Files, What.Err, STDERR_FILENO);
  if (!What.Directory.empty())
    posix_spawn_file_actions_addchdir_np(&Files, What.Directory.c_str());
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  sigset_t None, Defaults;
  sigemptyset(&None);
  sigemptyset(&Defaults);
  sigaddset(&Defaults, SIGPIPE); // a server ignores it
  posix_spawnattr_setsigmask(&Attributes, &None);
  posix_spawnattr_setsigdefault(&Attributes, &Defaults);
  posix_spawnattr_setpgroup(&Attributes, 0);
  const int Group = What.OwnGroup ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(&Attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | Group));
  std::string Name = What.Program, Argument = What.Argument;
  char *Arguments[] = {Name.data(), Argument.data(), nullptr};
  const int Error = posix_spawn(&Child, What.Program.c_str(), &Files, &Attributes, Arguments, environ);
  posix_spawnattr_destroy(&Attributes);
  posix_spawn_file_actions_destroy(&Files);
  return Error;
}

int waitForEnd(pid_t Child) {
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return Status;
}

} // namespace picket
