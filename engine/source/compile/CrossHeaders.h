// The headers of the C library for programs that are compiled for another architecture than the host's: Debian's cross
// headers if they are installed, else the host's own with the target's macros.
#pragma once

#include "program/Architecture.h"

#include <map>
#include <string>
#include <vector>

namespace picket {

struct CrossHeaders {
  std::vector<std::string> Flags;           // for Clang
  std::map<std::string, std::string> Files; // that Clang is to find besides those on the disk, by their paths
  bool Installed = false;                   // they are those of the architecture
};

/// `Root`: "/usr".
CrossHeaders crossHeaders(Architecture For, const std::string &Root);

} // namespace picket
