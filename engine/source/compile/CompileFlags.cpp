#include "source/compile/CompileFlags.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using llvm::StringRef;

namespace picket {

std::vector<std::string> defaultFlags() { return {"-std=gnu17", "-pthread"}; }

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

bool takeArmMarch(std::vector<std::string> &Flags, ArmInstructions &Found) {
  bool Known = true;
  std::erase_if(Flags, [&](StringRef Flag) {
    if (!Flag.consume_front("-fpicket-arm-march="))
      return false;
    const std::optional<ArmInstructions> Named = llvm::StringSwitch<std::optional<ArmInstructions>>(Flag)
                                                     .Case("any", ArmInstructions())
                                                     .Case("armv8-a", ArmInstructions{ArmUpdates::Exclusive, false})
                                                     .Case("armv8.1-a", ArmInstructions{ArmUpdates::Single, false})
                                                     .Case("armv8.3-a", ArmInstructions{ArmUpdates::Single, true})
                                                     .Default(std::nullopt);
    Known &= Named.has_value();
    Found = Named.value_or(Found);
    return true;
  });
  return Known;
}

std::optional<ValueRange> parseRange(const std::string &Text) {
  auto [From, To] = StringRef(Text).split("..");
  ValueRange Range;
  if (From.getAsInteger(0, Range.Least) || To.getAsInteger(0, Range.Most) || Range.Most < Range.Least)
    return std::nullopt;
  return Range;
}

bool takeNondet(std::vector<std::string> &Flags, std::optional<ValueRange> &Found) {
  bool Known = true;
  std::erase_if(Flags, [&](StringRef Flag) {
    if (!Flag.consume_front("-fpicket-nondet="))
      return false;
    const std::optional<ValueRange> Range = parseRange(Flag.str());
    Known &= Range.has_value();
    Found = Range ? Range : Found;
    return true;
  });
  return Known;
}

bool wrapsOverflow(const std::vector<std::string> &Flags, bool Before) {
  bool Wraps = Before;
  for (StringRef Flag : Flags) {
    if (Flag == "-fwrapv" || Flag == "-fno-strict-overflow")
      Wraps = true;
    else if (Flag == "-fno-wrapv" || Flag == "-fstrict-overflow")
      Wraps = false;
  }
  return Wraps;
}

std::vector<std::string> checkerFlags() {
  return {
      // Every access has its line and column, every value its name.
      "-g", "-gcolumn-info", "-fno-discard-value-names",
      // Programs can tell that they are checked, and include <picket.h>.
      "-D__PICKET__=1", "-idirafter", ProgramHeaderFolder,
      // Nothing is instrumented, whatever the project's build does.
      "-U_FORTIFY_SOURCE",
      // Assertions are what is checked.
      "-UNDEBUG",
      // Clang refuses these since version 16 or later, older code relies on them; and a project's -Werror is about its own
      // compiler's warnings.
      "-Wno-error", "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
      "-Wno-error=incompatible-pointer-types", "-Wno-error=incompatible-function-pointer-types",
      "-Wno-unknown-warning-option", "-Wno-unused-command-line-argument", "-Wno-null-dereference",
      // Headers of libraries are right about these.
      "-Wno-asm-operand-widths", "-Wno-static-in-inline"};
}

std::vector<std::string> lastFlags() {
  return {// An overflow wraps and a store through null is a store: passes must not reason from undefined behaviour.
          "-fwrapv", "-fno-delete-null-pointer-checks",
          // The checker's own pipeline decides what is optimised.
          "-O0"};
}

std::string targetOfProgram(const std::string &Program) {
  StringRef Name = llvm::sys::path::filename(Program);
  for (StringRef Compiler : {"-gcc", "-clang", "-cc", "-g++"})
    if (size_t At = Name.find(Compiler); At != StringRef::npos)
      if (llvm::Triple(Name.take_front(At)).getArch() != llvm::Triple::UnknownArch)
        return Name.take_front(At).str();
  return "";
}

bool isCxxProgram(const std::string &Program) {
  StringRef Name = llvm::sys::path::filename(Program);
  return Name.rtrim("0123456789.-").ends_with("++");
}

bool isForThisMachine(const std::string &Target) {
  llvm::Triple Host(llvm::sys::getDefaultTargetTriple());
  llvm::Triple Wanted(llvm::Triple::normalize(Target));
  return Wanted.getArch() == Host.getArch() && Wanted.getOS() == Host.getOS() &&
         Wanted.getEnvironment() == Host.getEnvironment();
}

std::optional<Architecture> architectureOf(const std::string &Target) {
  const llvm::Triple Wanted(llvm::Triple::normalize(Target));
  if (!Wanted.isOSLinux() || Wanted.isAndroid() || isNarrow(Target))
    return std::nullopt;
  switch (Wanted.getArch()) {
  case llvm::Triple::x86_64: return Architecture::X86_64;
  case llvm::Triple::aarch64: return Architecture::Aarch64;
  case llvm::Triple::ppc64le: return Architecture::Powerpc64le;
  default: return std::nullopt;
  }
}

bool isNarrow(const std::string &Target) {
  llvm::Triple Wanted(llvm::Triple::normalize(Target));
  return Wanted.getArch() != llvm::Triple::UnknownArch &&
         (!Wanted.isArch64Bit() || Wanted.isX32() || Wanted.getEnvironment() == llvm::Triple::GNUABIN32 ||
          Wanted.getEnvironment() == llvm::Triple::GNUILP32);
}

} // namespace picket
