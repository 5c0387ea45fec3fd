// The entries of a TOML text, read with toml++: keys with the texts that settings are made of, and what is wrong with it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace picket {

struct TomlEntry {
  std::string Key;                 // "check.trigger": with its table
  std::vector<std::string> Values; // of an array; otherwise one. Strings without their quotes
  uint32_t Line = 0;               // from 1
};

struct TomlProblem {
  uint32_t Line = 0; // from 1
  std::string Message;
};

struct TomlText {
  std::vector<TomlEntry> Entries;    // in the order of the text
  std::vector<TomlProblem> Problems; // the same
};

/// An entry that is wrong is reported and skipped; the others count, unless there are so many problems that the text is
/// something else.
TomlText readToml(llvm::StringRef Text);

} // namespace picket
