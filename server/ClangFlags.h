// Which words of a command line are Clang's and not Picket's.
#pragma once

#include <string>
#include <vector>

namespace picket {

struct SplitArguments {
  std::vector<std::string> Own;   // for Picket's own parser, in order
  std::vector<std::string> Clang; // handed to Clang; paths in them are absolute
};

/// Takes out Clang's flags (-D, -U, -I, -std=, -include, -isystem, -W, -f, -m and the like) and everything behind "--".
/// Paths are made absolute, because compile_commands.json may move the compilation to another directory.
SplitArguments splitClangFlags(const std::vector<std::string> &Arguments);

} // namespace picket
