// Finds the compile command of a file: the nearest compile_commands.json or compile_flags.txt, beside it or above, or a
// compile_commands.json in a build folder there.
#pragma once

#include <string>
#include <vector>

namespace picket {

struct ProjectCommand {
  std::string Program;            // empty if the project says nothing about the file
  std::vector<std::string> Words; // of the command, without the program; as they are written, so not to be trusted
  std::string Directory;
  std::vector<std::string> Notes; // about what was found but cannot be used
};

/// `File` is absolute. A file that is not listed has the command of a neighbour. Nothing that a command names is read.
ProjectCommand findProjectCommand(const std::string &File);

} // namespace picket
