// The command line that compiles a C file: the checker's own flags around those of the project and the user.
#pragma once

#include "program/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace picket {

/// The folder of <picket.h>. It exists only in the compiler's virtual file system.
inline constexpr const char *ProgramHeaderFolder = "/picket/include";

/// The flags of a file that no compile_commands.json speaks of.
std::vector<std::string> defaultFlags();

/// The level of LLVM's optimiser ("O1", "O2") that Picket's own flag -fpicket-optimize= asks for, which is removed: the
/// last one counts. Empty: none. False: it is not known.
bool takeOptimization(std::vector<std::string> &Flags, std::string &Level);

/// The same for -fpicket-arm-march=, which says what processors ARM64 stands for: armv8-a, armv8.1-a or armv8.3-a; or
/// any, which is as without it.
bool takeArmMarch(std::vector<std::string> &Flags, ArmInstructions &Found);

/// The range of values from outside that "LO..HI" says; none: it is not understood.
std::optional<ValueRange> parseRange(const std::string &Text);
/// The same for Picket's own flag -fpicket-nondet=LO..HI.
bool takeNondet(std::vector<std::string> &Flags, std::optional<ValueRange> &Found);

/// Whether a project asks for signed arithmetic that wraps. Before: what earlier flags said.
bool wrapsOverflow(const std::vector<std::string> &Flags, bool Before = false);

/// What every check needs; the user's own flags follow them and may say otherwise.
std::vector<std::string> checkerFlags();

/// What every check needs, whatever the user says: these are the last.
std::vector<std::string> lastFlags();

/// The machine a compiler is for: "powerpc64-linux-gnu" for "/usr/bin/powerpc64-linux-gnu-gcc-12". Empty for "gcc".
std::string targetOfProgram(const std::string &Program);

/// Whether a compiler is for C++ if nobody says what language a file is in: "g++", "clang++-22", "c++".
bool isCxxProgram(const std::string &Program);

/// Whether code for this target (a triple, or the name of an architecture) is also code for the machine Picket runs on.
bool isForThisMachine(const std::string &Target);

/// The one of Picket's architectures that code for this target runs on; none for others, and for other systems than
/// Linux.
std::optional<Architecture> architectureOf(const std::string &Target);

/// Whether pointers of a target have fewer than 64 bits. False if the target is not known.
bool isNarrow(const std::string &Target);

} // namespace picket
