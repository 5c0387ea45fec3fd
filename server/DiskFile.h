// Files on disk, by system calls: what writing them safely is made of.
#pragma once

#include <optional>
#include <string>
#include <sys/stat.h>

namespace picket {

/// All that can be read from the beginning on; empty if reading fails.
std::optional<std::string> contentsOf(int File);
/// Of a regular file that is no symbolic link.
std::optional<std::string> contentsOf(const std::string &Path);

bool writeAll(int File, const std::string &Text);

/// So that names in its directory survive a loss of power.
void syncDirectoryOf(const std::string &Path);

/// Letters and digits that nobody can foresee.
std::string randomName();

/// The path with the symbolic links of its last part followed, also if they lead nowhere.
std::string followLinks(std::string Path);

/// Exchanges two files in one step. False: `errno` says why, and nothing has happened.
bool exchange(const std::string &A, const std::string &B);

/// Makes a file like another one, except for its text, which is synced: mode, owner, extended attributes. 0: done, else
/// the error; the file is then gone again. EPERM: the owner cannot be kept.
int makeLike(const std::string &Path, const std::string &Text, int Model, const struct stat &Status);

/// Overwrites a file where it is, first of all making sure that there is room for it. Between two of its steps the file
/// holds the beginning of one text and the end of the other. 0: done, else the error; the file is then as it was, as
/// far as that is possible.
int overwrite(const std::string &Path, const std::string &Text, const std::string &Old);

/// Whether a text is what an interrupted `overwrite` leaves.
bool isBetween(const std::string &Found, const std::string &Text, const std::string &Old);

} // namespace picket
