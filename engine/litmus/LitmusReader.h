// Reads .litmus text (PPC, X86, X86_64, AArch64, C) into a LitmusTest.
#pragma once

#include "litmus/LitmusTest.h"

#include <optional>
#include <string_view>

namespace picket {

struct LitmusReading {
  std::optional<LitmusTest> Test;
  // Without a test: why.
  std::string Problem; // a sentence with the line: "not supported: 'dcbz' (line 12)"
  uint32_t Line = 0;
  bool Unsupported = false; // not an error in the text: something that is not modelled
};

/// `File` is only a name. Any text gets an answer.
LitmusReading readLitmus(std::string_view Text, const std::string &File);

} // namespace picket
