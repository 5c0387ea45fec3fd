// FlagFilter: selects the flags of a compile command that reach Clang. Commands come from untrusted repositories, so it
// is a list of allowed flags: those that change the meaning of the text. Flags that name a file to write, a program to
// run, a plug-in to load or a file to read that is not a header are dropped.
#pragma once

#include "program/Architecture.h"

#include <string>
#include <vector>

namespace picket {

struct FilteredFlags {
  std::vector<std::string> Kept;    // for Clang's driver
  std::vector<std::string> Dropped; // as they were written, to be told; without those that every build has
  std::string Language;             // the last -x; empty if there is none
  std::string Target;               // the last --target= or -arch; empty if there is none
  std::string Width;                // the last of -m16, -m32, -mx32, -m64; empty if there is none
};

/// `Words` are those of a command without its program. Files to compile are neither kept nor told. Instruction sets are
/// kept that the architecture can have.
FilteredFlags filterFlags(const std::vector<std::string> &Words, Architecture For = HostArchitecture);

/// Removes what only makes sense on another machine: instruction sets, ABIs and system roots.
void removeMachineFlags(std::vector<std::string> &Kept);

/// Removes system roots that are not there: a command may be from another machine.
void removeMissingRoots(std::vector<std::string> &Kept);

/// A word of a command, short enough to be read, whatever it is.
std::string shownWord(const std::string &Word);

/// A sentence about dropped flags, short enough to be read, whatever they are. Empty if there are none.
std::string describeDropped(const std::vector<std::string> &Dropped);

} // namespace picket
