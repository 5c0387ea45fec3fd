#include "source/compile/CrossHeaders.h"

#include "llvm/Support/FileSystem.h"

namespace picket {

/// Headers of the C library and of the kernel that say what the host's architecture has. The layout of locks is among
/// it, which the architectures share; where they do not, a program that can tell is a program of the kernel's.
static constexpr const char *HostHeaders[] = {"bits/a.out.h",
                                              "bits/dl_find_object.h",
                                              "bits/environments.h",
                                              "bits/fcntl.h",
                                              "bits/fenv.h",
                                              "bits/flt-eval-method.h",
                                              "bits/ipctypes.h",
                                              "bits/link.h",
                                              "bits/math-vector.h",
                                              "bits/procfs.h",
                                              "bits/pthreadtypes-arch.h",
                                              "bits/setjmp.h",
                                              "bits/sigcontext.h",
                                              "bits/siginfo-arch.h",
                                              "bits/struct_mutex.h",
                                              "bits/struct_rwlock.h",
                                              "bits/struct_stat.h",
                                              "bits/timesize.h",
                                              "bits/typesizes.h",
                                              "bits/wordsize.h",
                                              "gnu/lib-names.h",
                                              "sys/elf.h",
                                              "sys/ptrace.h",
                                              "sys/reg.h",
                                              "sys/ucontext.h",
                                              "sys/user.h",
                                              "asm/bitsperlong.h",
                                              "asm/msgbuf.h",
                                              "asm/posix_types.h",
                                              "asm/ptrace.h",
                                              "asm/sembuf.h",
                                              "asm/shmbuf.h",
                                              "asm/sigcontext.h",
                                              "asm/siginfo.h",
                                              "asm/signal.h",
                                              "asm/stat.h",
                                              "asm/ucontext.h",
                                              "asm/unistd.h"};

static std::string hostMacro() {
  switch (HostArchitecture) {
  case Architecture::X86_64: return "__x86_64__";
  case Architecture::Aarch64: return "__aarch64__";
  case Architecture::Powerpc64le: return "__powerpc64__";
  case Architecture::Other: return "";
  }
  return "";
}

/// The host's header of that name, read as if the text were compiled for the host.
static std::string asOnHost(const std::string &Name) {
  const std::string Macro = hostMacro();
  std::string Include = "#include_next <" + Name + ">\n";
  if (Macro.empty())
    return Include;
  return "#ifdef " + Macro + "\n" + Include + "#else\n#define " + Macro + " 1\n" + Include + "#undef " + Macro +
         "\n#endif\n";
}

/// The kernel's numbers of the system calls that are modelled (source/models/Futex.c): the host's are other ones.
static std::string systemCalls(Architecture For) {
  struct Call {
    const char *Name;
    int Aarch64, Powerpc64le;
  };
  static constexpr Call Calls[] = {{"futex", 98, 221},
                                   {"gettid", 178, 207},
                                   {"getpid", 172, 20},
                                   {"sched_yield", 124, 158},
                                   {"membarrier", 283, 365}};
  std::string Text;
  for (const Call &C : Calls)
    if (For == Architecture::Aarch64 || For == Architecture::Powerpc64le)
      Text += std::string("#undef __NR_") + C.Name + "\n#define __NR_" + C.Name + " " +
              std::to_string(For == Architecture::Aarch64 ? C.Aarch64 : C.Powerpc64le) + "\n";
  return Text;
}

/// Which floating-point types there are depends on the compiler: only x86 has __float128 everywhere.
static constexpr const char *FloatTypes = "#ifndef _BITS_FLOATN_H\n"
                                          "#define _BITS_FLOATN_H\n"
                                          "#include <features.h>\n"
                                          "#define __HAVE_FLOAT128 0\n"
                                          "#define __HAVE_DISTINCT_FLOAT128 0\n"
                                          "#define __HAVE_FLOAT64X 0\n"
                                          "#define __HAVE_FLOAT64X_LONG_DOUBLE 0\n"
                                          "#include <bits/floatn-common.h>\n"
                                          "#endif\n";

CrossHeaders crossHeaders(Architecture For, const std::string &Root) {
  CrossHeaders Result;
  const std::string Own = infoOf(For).Multiarch, Host = infoOf(HostArchitecture).Multiarch;
  std::vector<std::string> Folders = {Root + "/local/include"};
  const std::string Cross = Root + "/" + Own + "/include";
  Result.Installed = llvm::sys::fs::exists(Cross + "/features.h");
  if (Result.Installed) {
    Folders.insert(Folders.end(), {Cross, Root + "/include/" + Own, Root + "/include"});
    if (!Host.empty()) // other libraries, where only those of the host are installed
      Folders.push_back(Root + "/include/" + Host);
  } else {
    const std::string InFront = "/usr/include/picket/" + Own; // a folder of the system's, so that nobody is shown it
    for (const char *Name : HostHeaders)
      Result.Files[InFront + "/" + Name] = asOnHost(Name);
    Result.Files[InFront + "/asm/unistd.h"] += systemCalls(For);
    Result.Files[InFront + "/bits/floatn.h"] = FloatTypes;
    Result.Files[InFront + "/gnu/stubs.h"] = "\n"; // which functions the host does not have
    Folders.insert(Folders.begin(), InFront);
    if (!Host.empty())
      Folders.push_back("/usr/include/" + Host);
    Folders.push_back("/usr/include");
  }
  Result.Flags.push_back("-nostdlibinc");
  for (const std::string &Folder : Folders)
    Result.Flags.insert(Result.Flags.end(), {"-idirafter", Folder});
  return Result;
}

} // namespace picket
