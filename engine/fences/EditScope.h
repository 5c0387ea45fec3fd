// Which files a change of the text may be made in, and in which of them it is better made.
#pragma once

#include "base/OwnFiles.h"
#include "program/Program.h"

#include <string>
#include <vector>

namespace picket {

/// What the user says about it. A pattern is one or more components of a path with wildcards ("lib", "src/queue.h",
/// "*_atomic.h"): it stands for the files and folders whose path has these components one after the other. One that begins
/// with "/" is a path as a whole.
struct EditScope {
  std::vector<std::string> FixIn; // only files of these are changed; empty: all that are the user's own
  std::vector<std::string> NotIn; // no file of these
  /// A change in a library is preferred to one in the file with `main`, whatever it costs.
  bool PreferLibrary = true;
  bool operator==(const EditScope &) const = default;
};

/// Whether a pattern stands for a file, or for a folder that the file is in. A pattern that is none stands for nothing.
bool matches(const std::string &Pattern, const std::string &File);
/// What is wrong with a pattern, or nothing.
std::string problemOfPattern(const std::string &Pattern);

enum class FileRank : uint8_t {
  Library, // the best place for a change
  Test,    // the file with `main`, where there are other files to change
  Never
};

/// The files of one program.
class FileRanks {
public:
  FileRanks(const Program &Compiled, const EditScope &Scope);

  FileRank operator[](uint32_t File) const { return Ranks[File]; } // index into Program::Files
  /// FixIn or NotIn leave out files that would be changed otherwise.
  bool isNarrowed() const { return Narrowed; }
  /// There is a library beside the file with `main`.
  bool hasTest() const { return HasTest; }

private:
  std::vector<FileRank> Ranks;
  bool Narrowed = false, HasTest = false;
};

} // namespace picket
