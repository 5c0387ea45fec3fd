#include "lsp/Sandbox.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace picket {

#if defined(__x86_64__)
constexpr unsigned Architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned Architecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned Architecture = 0;
#endif

/// Files: all may be read, none written or made, and only Picket itself and the libraries it is linked with run.
static void restrictFiles() {
  landlock_ruleset_attr Handled = {};
  Handled.handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                              LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                              LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  const int Rules = static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &Handled, offsetof(landlock_ruleset_attr, handled_access_fs) + 8, 0));
  if (Rules < 0)
    return; // an older kernel, or switched off
  auto Allow = [&](const char *Path, unsigned long long Access) {
    landlock_path_beneath_attr Beneath = {};
    Beneath.allowed_access = Access;
    Beneath.parent_fd = open(Path, O_PATH | O_CLOEXEC);
    if (Beneath.parent_fd < 0)
      return;
    syscall(SYS_landlock_add_rule, Rules, LANDLOCK_RULE_PATH_BENEATH, &Beneath, 0);
    close(Beneath.parent_fd);
  };
  Allow("/proc/self/exe", LANDLOCK_ACCESS_FS_EXECUTE); // it draws
  for (const char *Loader : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"})
    Allow(Loader, LANDLOCK_ACCESS_FS_EXECUTE); // which the kernel runs for it
  Allow("/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
  syscall(SYS_landlock_restrict_self, Rules, 0);
  close(Rules);
}

/// System calls that nothing here has a use for. They fail as if the user had no right to them.
static void restrictCalls() {
  constexpr unsigned Forbidden[] = {
      SYS_socket,  SYS_socketpair, SYS_connect, SYS_bind,   SYS_listen,      SYS_accept,           SYS_accept4,
      SYS_ptrace,  SYS_mount,      SYS_umount2, SYS_bpf,    SYS_setns,       SYS_unshare,          SYS_init_module,
      SYS_keyctl,  SYS_chroot,     SYS_reboot,  SYS_swapon, SYS_kexec_load,  SYS_process_vm_readv, SYS_process_vm_writev,
      SYS_syslog,  SYS_acct,       SYS_quotactl, SYS_add_key, SYS_request_key, SYS_perf_event_open, SYS_userfaultfd,
  };
  constexpr unsigned short Count = sizeof Forbidden / sizeof *Forbidden;
  constexpr unsigned Refuse = SECCOMP_RET_ERRNO | EPERM;
  sock_filter Filter[Count + 6] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, Architecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, Refuse), // another architecture's numbers mean other calls
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (unsigned short K = 0; K < Count; ++K)
    Filter[4 + K] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, Forbidden[K], static_cast<unsigned char>(Count - K), 0);
  Filter[4 + Count] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  Filter[5 + Count] = BPF_STMT(BPF_RET | BPF_K, Refuse);
  const sock_fprog Program = {Count + 6, Filter};
  if (Architecture)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program);
}

void enterSandbox() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return; // the others are refused without it
  restrictFiles();
  restrictCalls();
}

static void tell(const char *What, bool Possible) {
  std::fprintf(stderr, "%s: %s\n", What, Possible ? "possible" : "refused");
}

static bool runs(const char *Program) {
  const pid_t Child = fork();
  if (Child == 0) {
    execl(Program, Program, static_cast<char *>(nullptr));
    _exit(99);
  }
  int Status = 0;
  return Child > 0 && waitpid(Child, &Status, 0) == Child && WIFEXITED(Status) && WEXITSTATUS(Status) != 99;
}

void tellWhatIsPossible(const char *File) {
  tell("landlock", syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0);
  tell("seccomp", prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER);
  for (auto [Name, Flags] : {std::pair{"write", O_WRONLY}, std::pair{"make", O_WRONLY | O_CREAT | O_EXCL}}) {
    const std::string Path = std::string(File) + (Flags & O_CREAT ? ".made" : "");
    const int Opened = open(Path.c_str(), Flags | O_CLOEXEC, 0600);
    tell(Name, Opened >= 0);
    if (Opened >= 0)
      close(Opened);
  }
  const int Read = open(File, O_RDONLY | O_CLOEXEC);
  tell("read", Read >= 0);
  if (Read >= 0)
    close(Read);
  const int Socket = socket(AF_INET, SOCK_STREAM, 0);
  tell("connect", Socket >= 0);
  if (Socket >= 0)
    close(Socket);
  tell("run", runs("/bin/true"));
}

} // namespace picket
