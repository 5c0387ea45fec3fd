#include "SandboxProbe.h"

#include "base/ChildProcess.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <linux/sched.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>

namespace picket {

namespace {

using Attempt = std::function<bool()>; // whether it succeeded

/// In a copy of this process: exit code 1 says that it was possible.
EscapeAttempt tryOut(std::string Name, const Attempt &What) {
  const pid_t Child = fork();
  if (Child == 0) {
    alarm(10);
    _exit(What() ? 1 : 0);
  }
  const int Status = Child > 0 ? waitForEnd(Child) : 0;
  using Answer = EscapeAttempt::Answer;
  const Answer Found = Child < 0                  ? Answer::Refused
                       : WIFSIGNALED(Status)      ? Answer::Killed
                       : WEXITSTATUS(Status) == 0 ? Answer::Refused
                                                  : Answer::Possible;
  return {std::move(Name), Found};
}

bool opens(const std::string &Path, int Flags) { return open(Path.c_str(), Flags | O_CLOEXEC, 0600) >= 0; }

/// A program that was run reports with the exit code of one that succeeds.
bool runs(const std::function<void()> &Execute) {
  const pid_t Child = fork();
  if (Child == 0) {
    Execute();
    _exit(99);
  }
  int Status = 0;
  return Child > 0 && waitpid(Child, &Status, 0) == Child && WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
}

bool runsCopyInMemory() {
  const int Copy = memfd_create("copy", 0), True = open("/bin/true", O_RDONLY);
  if (Copy < 0 || True < 0)
    return false;
  char Buffer[1 << 16];
  for (ssize_t N; (N = read(True, Buffer, sizeof Buffer)) > 0;)
    if (write(Copy, Buffer, static_cast<size_t>(N)) != N)
      return false;
  return runs([&] {
    char Name[] = "true", *Arguments[] = {Name, nullptr}, *Environment[] = {nullptr};
    syscall(SYS_execveat, Copy, "", Arguments, Environment, AT_EMPTY_PATH);
  });
}

/// A copy in another name space; it ends immediately.
bool clones(unsigned long Flags) {
  const long Child = syscall(SYS_clone, Flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (Child == 0)
    _exit(0);
  return Child > 0;
}

bool clones3(uint64_t Flags) {
  clone_args Arguments = {};
  Arguments.flags = Flags;
  Arguments.exit_signal = SIGCHLD;
  const long Child = syscall(SYS_clone3, &Arguments, sizeof Arguments);
  if (Child == 0)
    _exit(0);
  return Child > 0;
}

bool setsUpRing() {
  char Parameters[256] = {};
  return syscall(SYS_io_uring_setup, 4, Parameters) >= 0;
}

bool connectsAbstract() {
  const int Socket = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un Name = {};
  Name.sun_family = AF_UNIX;
  std::memcpy(Name.sun_path + 1, "picket-nobody", 13);
  return Socket >= 0 &&
         (connect(Socket, reinterpret_cast<sockaddr *>(&Name), sizeof Name) == 0 || errno == ECONNREFUSED);
}

bool bindsInDirectory(const std::string &Path) {
  const int Socket = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un Name = {};
  Name.sun_family = AF_UNIX;
  std::strncpy(Name.sun_path, Path.c_str(), sizeof Name.sun_path - 1);
  return Socket >= 0 && bind(Socket, reinterpret_cast<sockaddr *>(&Name), sizeof Name) == 0;
}

bool readsMemoryOf(pid_t Process) {
  char Byte;
  iovec Here = {&Byte, 1}, There = {reinterpret_cast<void *>(0x1000), 1};
  return process_vm_readv(Process, &Here, 1, &There, 1, 0) >= 0 || errno == EFAULT;
}

bool signalsByHandle(pid_t Process) {
  int Handle = static_cast<int>(syscall(SYS_pidfd_open, Process, 0));
  if (Handle < 0) // its directory is as good
    Handle = open(("/proc/" + std::to_string(Process)).c_str(), O_RDONLY | O_DIRECTORY);
  return Handle >= 0 && syscall(SYS_pidfd_send_signal, Handle, 0, nullptr, 0) == 0;
}

bool signalsByFile(pid_t Process) { // which is told of what can be read
  int Ends[2];
  return pipe(Ends) == 0 && fcntl(Ends[0], F_SETOWN, Process) == 0;
}

bool queuesSignal(pid_t Process) {
  siginfo_t Info = {};
  Info.si_code = SI_QUEUE;
  return syscall(SYS_rt_sigqueueinfo, Process, 0, &Info) == 0;
}

bool typesIntoTerminal() {
  char Letter = ' ';
  const int Terminal = open("/dev/tty", O_RDONLY | O_NOCTTY);
  return ioctl(Terminal >= 0 ? Terminal : STDIN_FILENO, TIOCSTI, &Letter) == 0 || (errno != EPERM && errno != EACCES);
}

constexpr const char *Loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};

std::string loader() { return access(Loaders[0], F_OK) == 0 ? Loaders[0] : Loaders[1]; }

void addFiles(std::vector<std::pair<std::string, Attempt>> &All, const std::string &Directory) {
  const std::string Victim = Directory + "/victim", New = Directory + "/new";
  All.insert(
      All.end(),
      {
          {"open for writing", [=] { return opens(Victim, O_WRONLY); }},
          {"open for reading and writing", [=] { return opens(Victim, O_RDWR); }},
          {"open for appending", [=] { return opens(Victim, O_WRONLY | O_APPEND); }},
          {"open and truncate", [=] { return opens(Victim, O_RDONLY | O_TRUNC); }},
          {"make a file", [=] { return opens(New, O_WRONLY | O_CREAT); }},
          {"make a file to read", [=] { return opens(New, O_RDONLY | O_CREAT); }},
          {"make a file without a name", [=] { return opens(Directory, O_RDWR | O_TMPFILE); }},
          {"creat", [=] { return creat(New.c_str(), 0600) >= 0; }},
          {"openat2",
           [=] {
             const uint64_t How[3] = {O_WRONLY, 0, 0};
             return syscall(SYS_openat2, AT_FDCWD, Victim.c_str(), How, sizeof How) >= 0;
           }},
          {"truncate", [=] { return truncate(Victim.c_str(), 0) == 0; }},
          {"chmod", [=] { return chmod(Victim.c_str(), 0777) == 0; }},
          {"fchmod",
           [=] {
             const int Open = open(Victim.c_str(), O_RDONLY);
             return fchmod(Open, 0777) == 0;
           }},
          {"chown", [=] { return chown(Victim.c_str(), getuid(), getgid()) == 0; }},
          {"utimensat", [=] { return utimensat(AT_FDCWD, Victim.c_str(), nullptr, 0) == 0; }},
          {"setxattr", [=] { return setxattr(Victim.c_str(), "user.picket", "x", 1, 0) == 0 || errno == ENOTSUP; }},
          {"removexattr",
           [=] { return removexattr(Victim.c_str(), "user.picket") == 0 || errno == ENODATA || errno == ENOTSUP; }},
          {"link", [=] { return link(Victim.c_str(), New.c_str()) == 0; }},
          {"symlink", [=] { return symlink("victim", New.c_str()) == 0; }},
          {"rename", [=] { return rename(Victim.c_str(), New.c_str()) == 0; }},
          {"unlink", [=] { return unlink((Directory + "/other").c_str()) == 0 || errno == ENOENT; }},
          {"mkdir", [=] { return mkdir(New.c_str(), 0700) == 0; }},
          {"rmdir", [=] { return rmdir((Directory + "/other").c_str()) == 0 || errno == ENOENT; }},
          {"make a pipe in the directory", [=] { return mkfifo(New.c_str(), 0600) == 0; }},
      });
}

void addPrograms(std::vector<std::pair<std::string, Attempt>> &All) {
  All.insert(
      All.end(),
      {
          {"run a program", [] { return runs([] { execl("/bin/true", "true", static_cast<char *>(nullptr)); }); }},
          {"run a program by the loader",
           [] { return runs([] { execl(loader().c_str(), "ld.so", "/bin/true", static_cast<char *>(nullptr)); }); }},
          {"make a file in memory", [] { return memfd_create("file", 0) >= 0; }},
          {"run a file in memory", [] { return runsCopyInMemory(); }},
          {"io_uring", [] { return setsUpRing(); }},
          {"clone a user name space", [] { return clones(CLONE_NEWUSER); }},
          {"clone3 a user name space", [] { return clones3(CLONE_NEWUSER); }},
          {"clone beside the parent", [] { return clones(CLONE_PARENT); }},
          {"unshare the user name space", [] { return unshare(CLONE_NEWUSER) == 0; }},
          {"mount", [] { return mount("none", "/nowhere", "tmpfs", 0, nullptr) == 0 || errno == ENOENT; }},
          {"chroot", [] { return chroot("/") == 0; }},
          {"bpf", [] { return syscall(SYS_bpf, 0, nullptr, 0) >= 0 || (errno != EPERM && errno != ENOSYS); }},
          {"perf_event_open",
           [] { return syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0) >= 0 || errno == EFAULT; }},
          {"userfaultfd", [] { return syscall(SYS_userfaultfd, 0) >= 0; }},
          {"keys", [] { return syscall(SYS_keyctl, 0, -3, 0) >= 0; }},
          {"shared memory", [] { return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0; }},
          {"inet socket", [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
          {"datagram socket", [] { return socket(AF_INET6, SOCK_DGRAM, 0) >= 0; }},
          {"netlink socket", [] { return socket(AF_NETLINK, SOCK_RAW, 0) >= 0; }},
          {"abstract socket", [] { return connectsAbstract(); }},
          {"type into the terminal", [] { return typesIntoTerminal(); }},
      });
}

void addOthers(std::vector<std::pair<std::string, Attempt>> &All, pid_t Outside) {
  const std::string Process = "/proc/" + std::to_string(Outside);
  All.insert(All.end(), {
                            {"kill", [=] { return kill(Outside, 0) == 0; }},
                            {"tgkill", [=] { return syscall(SYS_tgkill, Outside, Outside, 0) == 0; }},
                            {"tkill", [=] { return syscall(SYS_tkill, Outside, 0) == 0; }},
                            {"queue a signal", [=] { return queuesSignal(Outside); }},
                            {"signal by handle", [=] { return signalsByHandle(Outside); }},
                            {"signal by file", [=] { return signalsByFile(Outside); }},
                            {"trace a process", [=] { return ptrace(PTRACE_SEIZE, Outside, nullptr, nullptr) == 0; }},
                            {"read a process", [=] { return readsMemoryOf(Outside); }},
                            {"open the memory of a process", [=] { return opens(Process + "/mem", O_RDONLY); }},
                            {"read the environment of a process",
                             [=] {
                               char Byte;
                               const int File = open((Process + "/environ").c_str(), O_RDONLY);
                               return File >= 0 && read(File, &Byte, 1) >= 0;
                             }},
                            {"priority of a process",
                             [=] { // the one it has
                               const auto Id = static_cast<id_t>(Outside);
                               return setpriority(PRIO_PROCESS, Id, getpriority(PRIO_PROCESS, Id)) == 0;
                             }},
                            {"limits of a process",
                             [=] {
                               rlimit Old;
                               return prlimit(Outside, RLIMIT_CORE, nullptr, &Old) == 0;
                             }},
                            {"cores of a process",
                             [=] {
                               cpu_set_t Cores;
                               return sched_getaffinity(0, sizeof Cores, &Cores) == 0 &&
                                      sched_setaffinity(Outside, sizeof Cores, &Cores) == 0;
                             }},
                        });
}

} // namespace

const char *nameOf(EscapeAttempt::Answer Answer) {
  switch (Answer) {
  case EscapeAttempt::Refused: return "refused";
  case EscapeAttempt::Killed: return "killed";
  case EscapeAttempt::Possible: return "possible";
  }
  return "?";
}

std::vector<EscapeAttempt> tryToEscape(const std::string &Directory, pid_t Outside) {
  std::vector<std::pair<std::string, Attempt>> All;
  addFiles(All, Directory);
  All.push_back({"socket in the directory", [=] { return bindsInDirectory(Directory + "/new"); }});
  addPrograms(All);
  addOthers(All, Outside);
  std::vector<EscapeAttempt> Results;
  for (const auto &[Name, What] : All)
    Results.push_back(tryOut(Name, What));
  return Results;
}

std::vector<EscapeAttempt> tryToWork(const std::string &Directory) {
  std::vector<EscapeAttempt> Results;
  Results.push_back(tryOut("read a file", [=] {
    char Byte;
    const int File = open((Directory + "/victim").c_str(), O_RDONLY);
    return File >= 0 && read(File, &Byte, 1) == 1;
  }));
  Results.push_back(tryOut("start a thread", [] {
    int Done = 0;
    std::thread([&] { Done = 1; }).join();
    return Done == 1;
  }));
  Results.push_back(tryOut("copy the process", [] {
    int Status = 1;
    const pid_t Child = fork();
    if (Child == 0)
      _exit(0);
    return Child > 0 && waitpid(Child, &Status, 0) == Child && Status == 0;
  }));
  Results.push_back(tryOut("take memory", [] {
    const size_t Size = 64u << 20;
    void *Memory = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return Memory != MAP_FAILED && munmap(Memory, Size) == 0;
  }));
  return Results;
}

} // namespace picket
