// Text to Program: Clang in this process, then lowering. Nothing here prints; everything that can go wrong with a
// user's text comes back as diagnostics.
#pragma once

#include "base/Diagnostic.h"
#include "program/Program.h"

#include <map>
#include <optional>

namespace picket {

/// One more file of a program, and the flags that it is compiled with (besides those of its project).
struct ProgramFile {
  std::string File; // as in CompileRequest
  std::vector<std::string> Flags = {};
  bool operator==(const ProgramFile &) const = default;
};

struct CompileRequest {
  std::string File;                           // absolute or relative to the working directory; need not exist on disk
  std::map<std::string, std::string> Unsaved; // absolute path -> text, for every open document (headers too)
  std::vector<std::string> Flags;             // appended to the command: -D, -I, -std=, ...
  std::vector<ProgramFile> Others;            // the other files of the program, which are linked with this one
  bool UseCompileCommands = true;             // look for compile_commands.json beside and above the file
  Architecture For = HostArchitecture;        // unless the command names a target
  std::string HeaderRoot = "/usr";            // where the headers of other architectures are looked for
  bool FindOverflows = false;                 // signed arithmetic that overflows and shifts that are too wide are bugs
};

struct CompileResult {
  std::optional<Program> Compiled; // empty if the text could not be compiled
  std::vector<Diagnostic> Diagnostics;
};

/// A request for each file of the program, without others: the first is that of CompileRequest::File. A file that is
/// named twice is there once.
std::vector<CompileRequest> requestsOfFiles(const CompileRequest &Program);

/// Compiles a program: one C file, or several that are linked. Safe to call from several threads at once; a crash of the compiler becomes a diagnostic.
CompileResult compileProgram(const CompileRequest &Request);

} // namespace picket
