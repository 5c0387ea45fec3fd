// The command line a C file is compiled with: what the checker needs on top of the user's own flags.
#pragma once

#include <string>
#include <vector>

namespace picket {

/// The command of a file that no compile_commands.json speaks of. The first element is the program.
std::vector<std::string> defaultCommand(const std::string &File);

/// The level of LLVM's optimiser ("O1", "O2") that Picket's own flag -fpicket-optimize= asks for, which is removed: the
/// last one counts. Empty: none. False: it is not known.
bool takeOptimization(std::vector<std::string> &Flags, std::string &Level);

/// Adds the flags that every check needs, then `UserFlags` (so that the user has the last word about all but the
/// optimisation level), before the "--" that may stand in front of the file.
void addCheckerFlags(std::vector<std::string> &Command, const std::vector<std::string> &UserFlags);

/// Removes the flags that make Clang's driver print something or do something else than compile.
void removeDriverModes(std::vector<std::string> &Command);

/// Checks run on the host's data layout, with the host's headers. Removes a request for another machine from the
/// command, with everything that only makes sense for that machine. Returns the name of what was asked for, empty if
/// the command was for this machine anyway.
std::string removeForeignTarget(std::vector<std::string> &Command);

} // namespace picket
