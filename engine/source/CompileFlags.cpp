#include "source/CompileFlags.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

using llvm::StringRef;

namespace picket {

std::vector<std::string> defaultCommand(const std::string &File) {
  return {"clang", "-xc", "-std=gnu17", "-pthread", "-c", "--", File};
}

bool takeOptimization(std::vector<std::string> &Flags, std::string &Level) {
  bool Known = true;
  std::erase_if(Flags, [&](StringRef Flag) {
    if (!Flag.consume_front("-fpicket-optimize="))
      return false;
    Known &= Flag == "none" || Flag == "O1" || Flag == "O2";
    Level = Flag == "none" ? "" : Flag.str();
    return true;
  });
  return Known;
}

void addCheckerFlags(std::vector<std::string> &Command, const std::vector<std::string> &UserFlags) {
  std::vector<std::string> Added = {
      // Every access has its line and column, every value its name.
      "-g", "-gcolumn-info", "-fno-discard-value-names",
      // Nothing is instrumented, whatever the project's build does.
      "-U_FORTIFY_SOURCE", "-fno-sanitize=all", "-fno-profile-instr-generate", "-fno-lto",
      // An overflow wraps and a store through null is a store: passes must not reason from undefined behaviour.
      "-fwrapv", "-fno-delete-null-pointer-checks",
      // Assertions are what is checked.
      "-UNDEBUG",
      // Clang refuses these since version 16, older code relies on them; and a project's -Werror is about its own
      // compiler's warnings.
      "-Wno-error", "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
      "-Wno-error=incompatible-function-pointer-types", "-Wno-unknown-warning-option",
      "-Wno-unused-command-line-argument", "-Wno-null-dereference"};
  Added.insert(Added.end(), UserFlags.begin(), UserFlags.end());
  Added.push_back("-O0"); // the checker's own pipeline decides what is optimised
  Command.insert(std::find(Command.begin(), Command.end(), "--"), Added.begin(), Added.end());
}

void removeDriverModes(std::vector<std::string> &Command) {
  auto IsMode = [](StringRef Flag) {
    return Flag == "-v" || Flag == "--verbose" || Flag == "-###" || Flag == "-help" || Flag == "--help" ||
           Flag == "--help-hidden" || Flag == "--version" || Flag == "-E" || Flag == "-S" || Flag == "-emit-llvm" ||
           Flag == "-emit-ast" || Flag == "--analyze" || Flag.starts_with("-print-") || Flag.starts_with("--print-") ||
           Flag.starts_with("-dump") || Flag.starts_with("-save-temps");
  };
  // The words behind "--" are files.
  auto End = std::find(Command.begin(), Command.end(), "--");
  Command.erase(std::remove_if(Command.begin() + 1, End, IsMode), End);
}

/// "powerpc64-linux-gnu" for "/usr/bin/powerpc64-linux-gnu-gcc-12"; empty for "gcc".
static StringRef targetInProgramName(StringRef Program) {
  StringRef Name = llvm::sys::path::filename(Program);
  for (StringRef Compiler : {"-gcc", "-clang", "-cc", "-g++"})
    if (size_t At = Name.find(Compiler); At != StringRef::npos)
      if (llvm::Triple(Name.take_front(At)).getArch() != llvm::Triple::UnknownArch)
        return Name.take_front(At);
  return "";
}

static bool isForThisMachine(StringRef Name) {
  llvm::Triple Host(llvm::sys::getDefaultTargetTriple());
  llvm::Triple Wanted(llvm::Triple::normalize(Name));
  return Wanted.getArch() == Host.getArch() && Wanted.getOS() == Host.getOS() &&
         Wanted.getEnvironment() == Host.getEnvironment();
}

std::string removeForeignTarget(std::vector<std::string> &Command) {
  std::string Foreign;
  if (StringRef Name = targetInProgramName(Command[0]); !Name.empty() && !isForThisMachine(Name))
    Foreign = Name.str();
  std::vector<std::string> Kept;
  for (size_t I = 0; I < Command.size(); ++I) {
    StringRef Flag = Command[I];
    bool HasNext = I + 1 < Command.size();
    if (Flag.starts_with("--target=") || (Flag == "-target" && HasNext)) {
      StringRef Name = Flag == "-target" ? StringRef(Command[++I]) : Flag.substr(Flag.find('=') + 1);
      if (!isForThisMachine(Name))
        Foreign = Name.str();
    } else if (Flag == "-arch" && HasNext) {
      Foreign = Command[++I];
    } else if (Flag == "-m32" || Flag == "-m16" || Flag == "-mx32") {
      Foreign = Flag.str();
    } else {
      Kept.push_back(Command[I]);
    }
  }
  if (!Foreign.empty()) {
    // Instruction sets, ABIs and system roots of the other machine.
    auto IsMachineFlag = [](StringRef Flag) {
      return (Flag.starts_with("-m") && Flag != "-mllvm") || Flag.starts_with("--sysroot=") ||
             Flag.starts_with("--gcc-toolchain=");
    };
    Kept.erase(std::remove_if(Kept.begin() + 1, Kept.end(), IsMachineFlag), Kept.end());
    for (size_t I = 1; I + 1 < Kept.size(); ++I)
      if (Kept[I] == "--sysroot" || Kept[I] == "-isysroot") {
        Kept.erase(Kept.begin() + I, Kept.begin() + I + 2);
        --I;
      }
  }
  Command = std::move(Kept);
  return Foreign;
}

} // namespace picket
