// What a file is checked with in the terminal: the command line has the last word, then a comment in the file, then the
// .picket.toml beside or above it.
#pragma once

#include "fences/EditScope.h"
#include "settings/ProgramFiles.h"

namespace picket {

struct FileSettings {
  CheckOptions Options;
  std::vector<std::string> Flags;  // for Clang
  std::vector<ProgramFile> Others; // of the program
  EditScope Scope;                 // of fixes
};

/// `Defaults` and `Flags` hold where nobody says anything else; `Given` is what the command line says. What is wrong in
/// the file's own settings is told on standard error.
FileSettings settingsOf(const std::string &File, const CheckOptions &Defaults, const std::vector<std::string> &Flags,
                        const SettingsLayer &Given);

} // namespace picket
