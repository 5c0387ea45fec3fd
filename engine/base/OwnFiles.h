// Which files belong to the people who check a program: those of its project, without the headers of the system and
// the copies of other projects. Bugs are shown in these files, and only these are edited.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picket {

/// The components of a path, without "." and empty ones; ".." takes back the one before it.
std::vector<std::string> componentsOf(std::string_view Path);

class OwnFiles {
public:
  /// `Checked`: the absolute path of the file with the program. The project is the folder with the nearest `.git` in or
  /// above the file's own; without one, that with the nearest compile_commands.json or .picket.toml. Without any of
  /// them it is not known where the project ends: then files of all folders belong to it.
  explicit OwnFiles(std::string_view Checked);
  /// Everything but the files of the system.
  OwnFiles() = default;

  /// `File`: an absolute path. Not the files of the system, those outside of the project, and those in folders called
  /// third_party, vendor, external and the like, unless the checked file is in that folder, too.
  bool isOwn(std::string_view File) const;

private:
  std::vector<std::string> Folder; // of the checked file
  size_t Root = 0;                 // so many of these name the project
};

} // namespace picket
