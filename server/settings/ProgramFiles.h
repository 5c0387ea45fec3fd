// The files of a program besides the checked one: which ones the settings name, and the flags of each.
#pragma once

#include "settings/Settings.h"

#include <map>

namespace picket {

/// The files that `With` names, from the folder of the checked file; that one itself is left out. Each is compiled with the
/// flags of its own comment, else of the .picket.toml nearest to it, else with `Flags`; those of the command line (`Last`)
/// follow. `Unsaved`: texts by path, as in CompileRequest.
std::vector<ProgramFile> programFilesOf(const std::string &Checked, const std::vector<std::string> &With,
                                        const std::vector<std::string> &Flags = {},
                                        const std::vector<std::string> &Last = {},
                                        const std::map<std::string, std::string> &Unsaved = {});

/// The other files that a file's own settings name: its comment, or the nearest .picket.toml.
std::vector<std::string> filesNamedBy(const std::string &File, llvm::StringRef Text);

} // namespace picket
