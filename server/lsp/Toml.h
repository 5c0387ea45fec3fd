// The part of TOML that settings need: tables, dotted keys, strings, numbers, booleans and arrays of them.
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
  uint32_t Line = 0;
  std::string Message;
};

struct TomlText {
  std::vector<TomlEntry> Entries;
  std::vector<TomlProblem> Problems;
};

/// A line that is wrong is reported and skipped; the others count.
TomlText readToml(llvm::StringRef Text);

} // namespace picket
