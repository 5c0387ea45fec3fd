#include "DoctorCommand.h"

#include "FileWriting.h"
#include "Sandbox.h"
#include "SandboxProbe.h"
#include "base/ChildProcess.h"
#include "source/compile/Compile.h"
#include "source/compile/CrossHeaders.h"

#include "llvm/Support/raw_ostream.h"

#include <filesystem>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

namespace picket {

namespace {

/// A directory that whoever escapes could do something to.
class ProbeDirectory {
public:
  ProbeDirectory() {
    std::error_code Failed;
    std::string Pattern = (std::filesystem::temp_directory_path(Failed) / "picket-doctor-XXXXXX").string();
    if (mkdtemp(Pattern.data()) && writeFiles({{Pattern + "/victim", "text\n"}}).empty())
      Path = Pattern;
  }
  ~ProbeDirectory() {
    std::error_code Failed;
    if (!Path.empty())
      std::filesystem::remove_all(Path, Failed);
  }
  ProbeDirectory(const ProbeDirectory &) = delete;
  ProbeDirectory &operator=(const ProbeDirectory &) = delete;
  std::string Path;
};

bool compiles(Architecture For) {
  CompileRequest Request;
  Request.For = For;
  Request.File = "/picket-doctor.c";
  Request.UseCompileCommands = false;
  Request.Unsaved[Request.File] = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
                                  "atomic_int x;\nint main(void) { assert(x == 0); return 0; }\n";
  return compileProgram(Request).Compiled.has_value();
}

/// In a confined process: prints and returns whether all is well.
bool examine(const std::string &Directory, pid_t Outside) {
  llvm::raw_ostream &Out = llvm::outs();
  const SandboxState Active = enterSandbox();
  Out << "sandbox: " << Active.text() << '\n';
  if (Active.Landlock == 0)
    Out << "  Landlock is not there: it takes Linux 5.13 or newer, with 'landlock' among the kernel's lsm=\n";
  if (!Active.Seccomp)
    Out << "  system calls are not filtered: it takes a kernel with CONFIG_SECCOMP_FILTER\n";
  bool Well = Active.isComplete();
  if (Directory.empty()) {
    Out << "  what it keeps out was not tried: there is no temporary directory\n";
  } else {
    unsigned Refused = 0, Killed = 0;
    std::string Possible;
    for (const EscapeAttempt &A : tryToEscape(Directory, Outside)) {
      Refused += A.Found == EscapeAttempt::Refused;
      Killed += A.Found == EscapeAttempt::Killed;
      if (A.Found == EscapeAttempt::Possible)
        Possible += "  possible: " + A.Name + "\n";
    }
    Out << "  attempts to leave it: " << Refused << " refused, " << Killed << " ended the process\n" << Possible;
    Well &= Possible.empty();
    for (const EscapeAttempt &A : tryToWork(Directory))
      if (A.Found != EscapeAttempt::Possible) {
        Out << "  does not work in it: " << A.Name << '\n';
        Well = false;
      }
  }
  bool Compiles = compiles(HostArchitecture);
  Out << "compiling: "
      << (Compiles ? "works\n" : "does not work: are the headers of the C library and of Clang installed?\n");
  for (const ArchitectureInfo &A : Architectures) {
    if (A.Which == Architecture::Other || A.Which == HostArchitecture)
      continue;
    const bool Other = compiles(A.Which);
    const std::string Headers =
        crossHeaders(A.Which, "/usr").Installed
            ? "with its own headers"
            : std::string("with the headers of this machine (") + A.Headers + " is not installed)";
    Out << "compiling for " << A.Name << ": " << (Other ? "works, " : "does not work ") << Headers << '\n';
    Compiles &= Other;
  }
  Out.flush();
  return Well && Compiles;
}

} // namespace

int doctorCommand() {
  llvm::outs() << "picket " PICKET_VERSION " (LLVM " PICKET_LLVM_VERSION ")\n";
  llvm::outs().flush();
  const ProbeDirectory Directory;
  const pid_t Outside = getpid(), Child = fork();
  if (Child == 0)
    _exit(examine(Directory.Path, Outside) ? 0 : 1);
  const int Status = Child > 0 ? waitForEnd(Child) : 0;
  if (Child < 0 || !WIFEXITED(Status)) {
    llvm::outs() << "sandbox: a confined process does not run\n";
    return 1;
  }
  return WEXITSTATUS(Status);
}

} // namespace picket
