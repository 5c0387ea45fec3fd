#include "source/compile/ProjectCommand.h"

#include "base/UntrustedJson.h"

#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace clang::tooling;

namespace picket {

static constexpr uint64_t MaxDatabaseSize = 256u << 20;

/// The text of a regular file. What else there may be by that name is not opened: reading a pipe waits.
static std::unique_ptr<MemoryBuffer> readRegular(StringRef Path, std::vector<std::string> &Notes) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) || Status.type() == sys::fs::file_type::directory_file)
    return nullptr;
  const bool IsRegular = Status.type() == sys::fs::file_type::regular_file;
  if (!IsRegular || Status.getSize() > MaxDatabaseSize) {
    Notes.push_back("'" + Path.str() + "' is ignored: it is " + (IsRegular ? "too large" : "not a regular file"));
    return nullptr;
  }
  auto Buffer = MemoryBuffer::getFile(Path);
  return Buffer ? std::move(*Buffer) : nullptr;
}

/// Where build systems leave a compile_commands.json, below the folder of the project.
static constexpr const char *BuildFolders[] = {
    "build",         "out",       "builddir",  "_build",      "build/debug",       "build/release",      "build/Debug",
    "build/Release", "out/build", "out/Debug", "out/Release", "cmake-build-debug", "cmake-build-release"};

/// The text of a compile_commands.json. Not Clang's own way to load one, which reads the response files that commands name.
static std::unique_ptr<JSONCompilationDatabase> parse(StringRef Path, StringRef Text, std::vector<std::string> &Notes) {
  // Clang's reader prints what it does not like about the text, so that is found out before.
  std::string Problem;
  std::unique_ptr<JSONCompilationDatabase> Found;
  if (Expected<json::Value> Parsed = parseUntrusted(Text))
    Found = JSONCompilationDatabase::loadFromBuffer(Text, Problem, JSONCommandLineSyntax::AutoDetect);
  else
    Problem = toString(Parsed.takeError());
  if (!Found)
    Notes.push_back("'" + Path.str() + "' is ignored: " + StringRef(Problem).trim().str());
  return Found;
}

/// That of a build folder counts if it has C files: others say nothing about C.
static std::unique_ptr<CompilationDatabase> loadOfBuild(StringRef Folder, std::vector<std::string> &Notes) {
  for (const char *Build : BuildFolders) {
    SmallString<256> Listed(Folder);
    sys::path::append(Listed, Build, "compile_commands.json");
    std::unique_ptr<MemoryBuffer> Text = readRegular(Listed, Notes);
    std::unique_ptr<JSONCompilationDatabase> Found = Text ? parse(Listed, Text->getBuffer(), Notes) : nullptr;
    if (Found && any_of(Found->getAllFiles(), [](StringRef File) { return File.ends_with(".c"); }))
      return inferMissingCompileCommands(std::move(Found));
  }
  return nullptr;
}

static std::unique_ptr<CompilationDatabase> load(const std::string &File, std::vector<std::string> &Notes) {
  for (StringRef Folder = sys::path::parent_path(File); !Folder.empty(); Folder = sys::path::parent_path(Folder)) {
    SmallString<256> Listed(Folder), Fixed(Folder);
    sys::path::append(Listed, "compile_commands.json");
    sys::path::append(Fixed, "compile_flags.txt");
    std::string Problem;
    if (std::unique_ptr<MemoryBuffer> Text = readRegular(Listed, Notes)) {
      std::unique_ptr<JSONCompilationDatabase> Found = parse(Listed, Text->getBuffer(), Notes);
      return Found ? inferMissingCompileCommands(std::move(Found)) : nullptr;
    }
    if (std::unique_ptr<MemoryBuffer> Text = readRegular(Fixed, Notes))
      return FixedCompilationDatabase::loadFromBuffer(Folder, Text->getBuffer(), Problem);
    if (std::unique_ptr<CompilationDatabase> Found = loadOfBuild(Folder, Notes))
      return Found;
  }
  return nullptr;
}

ProjectCommand findProjectCommand(const std::string &Given) {
  // "above" is meant of where the file is, not of the folders that its path goes through.
  SmallString<256> Path(Given);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  const std::string File = Path.str().str();
  ProjectCommand Result;
  std::unique_ptr<CompilationDatabase> Database = load(File, Result.Notes);
  if (!Database)
    return Result;
  std::vector<CompileCommand> Known = Database->getCompileCommands(File);
  if (Known.empty() || Known[0].CommandLine.empty() || Known[0].CommandLine[0].empty())
    return Result;
  Result.Program = Known[0].CommandLine[0];
  Result.Words.assign(Known[0].CommandLine.begin() + 1, Known[0].CommandLine.end());
  Result.Directory = Known[0].Directory;
  return Result;
}

} // namespace picket
