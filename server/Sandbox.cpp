#include "Sandbox.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace picket {

namespace {

/// Landlock as the kernel defines it. The headers a distribution has may be older than the kernel that runs.
namespace landlock {
constexpr uint32_t AskVersion = 1;
constexpr uint64_t ReadFile = 1u << 2, ReadDir = 1u << 3;
constexpr int Newest = 7; // what is known here
struct Ruleset {
  uint64_t Files, Net, Scoped;
};
/// Everything that a version can forbid, except reading.
Ruleset everything(int Version) {
  const unsigned Rights = Version >= 5   ? 16
                          : Version >= 3 ? 15
                          : Version >= 2 ? 14
                                         : 13; // ioctl on devices, truncate, refer
  return {((1ull << Rights) - 1) & ~(ReadFile | ReadDir), Version >= 4 ? 3ull : 0, Version >= 6 ? 3ull : 0};
}
size_t sizeOf(int Version) { return Version >= 6 ? 24 : Version >= 4 ? 16 : 8; }
long version() { return syscall(SYS_landlock_create_ruleset, nullptr, 0, AskVersion); }
constexpr int SignalsScoped = 6; // from here on signals do not leave the sandbox
} // namespace landlock

int restrictFiles() {
  const long Known = landlock::version();
  if (Known < 1)
    return 0; // an older kernel, or switched off
  const int Version = static_cast<int>(std::min<long>(Known, landlock::Newest));
  const landlock::Ruleset Forbidden = landlock::everything(Version);
  const int Rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &Forbidden, landlock::sizeOf(Version), 0));
  if (Rules < 0)
    return 0;
  const bool Done = syscall(SYS_landlock_restrict_self, Rules, 0) == 0; // no rule: there are no exceptions
  close(Rules);
  return Done ? Version : 0;
}

/// What Picket, Clang, LLVM, Graphviz and the C library need once they run. Everything that is not here is refused.
constexpr int Allowed[] = {
    // memory and threads
    SCMP_SYS(brk),
    SCMP_SYS(mmap),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(mprotect),
    SCMP_SYS(madvise),
    SCMP_SYS(mincore),
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(get_robust_list),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(rseq),
    SCMP_SYS(membarrier),
    SCMP_SYS(arch_prctl),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(getcpu),
    SCMP_SYS(gettid),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(wait4),
    SCMP_SYS(waitid),
    // files that are open, and looking at others
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(preadv),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(close_range),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(pipe),
    SCMP_SYS(pipe2),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(select),
    SCMP_SYS(pselect6),
    SCMP_SYS(fstat),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(statfs),
    SCMP_SYS(fstatfs),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getcwd),
    SCMP_SYS(getdents64),
    SCMP_SYS(fadvise64),
    // the process itself, time, signals to itself
    SCMP_SYS(getpid),
    SCMP_SYS(getppid),
    SCMP_SYS(getpgrp),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(uname),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getrandom),
    SCMP_SYS(getrlimit),
    SCMP_SYS(setrlimit),
    SCMP_SYS(getrusage),
    SCMP_SYS(times),
    SCMP_SYS(getpriority),
    SCMP_SYS(umask),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(alarm),
    SCMP_SYS(setitimer),
    SCMP_SYS(getitimer),
    SCMP_SYS(pause),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigsuspend),
    SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(sigaltstack),
};

/// No library asks for these by mistake: whoever does is ended.
constexpr int Deadly[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(bpf),
    SCMP_SYS(setns),
    SCMP_SYS(unshare),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(reboot),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(pidfd_getfd),
};

/// Their place is taken by older calls, which the filter can look into.
constexpr int Unknown[] = {SCMP_SYS(clone3), SCMP_SYS(openat2)};

class Filter {
public:
  Filter() : Rules(seccomp_init(SCMP_ACT_ERRNO(EPERM))) {}
  ~Filter() {
    if (Rules)
      seccomp_release(Rules);
  }
  Filter(const Filter &) = delete;
  Filter &operator=(const Filter &) = delete;

  /// `SignalsScoped`: Landlock keeps signals inside.
  bool load(bool SignalsScoped) {
    if (!Rules)
      return false;
    seccomp_attr_set(Rules, SCMP_FLTATR_CTL_OPTIMIZE, 2); // a search tree: it is passed at every call
    for (int Call : Allowed)
      add(SCMP_ACT_ALLOW, Call);
    for (int Call : Deadly)
      add(SCMP_ACT_KILL_PROCESS, Call);
    for (int Call : Unknown)
      add(SCMP_ACT_ERRNO(ENOSYS), Call);
    allowReading();
    allowCopies();
    allowAboutItself(SignalsScoped);
    return Ok && seccomp_load(Rules) == 0;
  }

private:
  template <typename... Arguments> void add(uint32_t Action, int Call, Arguments... Compared) {
    const scmp_arg_cmp All[] = {Compared..., scmp_arg_cmp{}};
    const int Failed = seccomp_rule_add_array(Rules, Action, Call, sizeof...(Compared), All);
    Ok &= Failed == 0 || Failed == -EDOM; // a call that this architecture does not have
  }

  static scmp_arg_cmp is(unsigned Argument, uint64_t Value) {
    return {Argument, SCMP_CMP_MASKED_EQ, UINT32_MAX, Value & UINT32_MAX}; // ints: the upper half is anything
  }
  static scmp_arg_cmp hasNone(unsigned Argument, uint64_t Bits) { return {Argument, SCMP_CMP_MASKED_EQ, Bits, 0}; }

  /// Opening is for reading.
  void allowReading() {
    constexpr uint64_t Writing = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY) | O_APPEND;
    add(SCMP_ACT_ALLOW, SCMP_SYS(openat), hasNone(2, Writing));
    add(SCMP_ACT_ALLOW, SCMP_SYS(open), hasNone(1, Writing));
    for (int Question : {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC})
      add(SCMP_ACT_ALLOW, SCMP_SYS(fcntl), is(1, static_cast<uint64_t>(Question)));
    for (uint64_t Question : {uint64_t{TCGETS}, uint64_t{TIOCGWINSZ}, uint64_t{FIONREAD}})
      add(SCMP_ACT_ALLOW, SCMP_SYS(ioctl), is(1, Question)); // not TIOCSTI: it types into the terminal
  }

  /// Threads and copies of the process, in the same name spaces.
  void allowCopies() {
    constexpr uint64_t Escaping = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                  CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE | CLONE_UNTRACED | CLONE_PARENT;
    add(SCMP_ACT_ALLOW, SCMP_SYS(clone), hasNone(0, Escaping));
    add(SCMP_ACT_ALLOW, SCMP_SYS(fork));
  }

  void allowAboutItself(bool SignalsScoped) {
    for (uint64_t Option : {PR_SET_NAME, PR_GET_NAME, PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_GET_SECCOMP,
                            PR_GET_DUMPABLE, PR_GET_NO_NEW_PRIVS})
      add(SCMP_ACT_ALLOW, SCMP_SYS(prctl), is(0, Option));
    add(SCMP_ACT_ALLOW, SCMP_SYS(setpriority), is(0, PRIO_PROCESS), is(1, 0));
    add(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), is(0, 0));
    // abort(): without it the process ends all the same, less politely.
    if (SignalsScoped)
      add(SCMP_ACT_ALLOW, SCMP_SYS(tgkill));
    else
      add(SCMP_ACT_ALLOW, SCMP_SYS(tgkill), is(0, static_cast<uint64_t>(getpid())));
  }

  scmp_filter_ctx Rules;
  bool Ok = true;
};

/// The superuser keeps one right: to read whatever there is.
void dropCapabilities() {
  __user_cap_header_struct Header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct Sets[2] = {};
  if (syscall(SYS_capget, &Header, Sets) != 0)
    return;
  const uint32_t Reading = Sets[0].permitted & (1u << CAP_DAC_READ_SEARCH);
  Sets[0] = {Reading, Reading, 0};
  Sets[1] = {};
  syscall(SYS_capset, &Header, Sets);
}

/// What a shell or a build tool left open for writing is none of Picket's business.
void closeWritable(int Keep) {
  DIR *Open = opendir("/proc/self/fd");
  if (!Open)
    return;
  std::vector<int> Found;
  while (const dirent *Entry = readdir(Open))
    if (const int File = std::atoi(Entry->d_name); File > STDERR_FILENO && File != Keep && File != dirfd(Open))
      if (const int Flags = fcntl(File, F_GETFL); Flags >= 0 && !(Flags & O_PATH) && (Flags & O_ACCMODE) != O_RDONLY)
        Found.push_back(File);
  closedir(Open);
  for (int File : Found)
    close(File);
}

} // namespace

std::string SandboxState::text() const {
  return (Landlock ? "Landlock " + std::to_string(Landlock) : std::string("no Landlock")) +
         (Seccomp ? ", seccomp" : ", no seccomp");
}

SandboxState sandboxSupport() {
  SandboxState State;
  State.Landlock = static_cast<int>(std::clamp<long>(landlock::version(), 0, landlock::Newest));
  State.Seccomp = seccomp_api_get() >= 1 && prctl(PR_GET_SECCOMP) >= 0;
  return State;
}

SandboxState enterSandbox(int Keep) {
  SandboxState State;
  const rlimit NoCoreDump = {0, 0};
  setrlimit(RLIMIT_CORE, &NoCoreDump);
  closeWritable(Keep);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return State; // the others are refused without it
  dropCapabilities();
  State.Landlock = restrictFiles();
  State.Seccomp = Filter().load(State.Landlock >= landlock::SignalsScoped);
  return State;
}

} // namespace picket
