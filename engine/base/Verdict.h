// What a check comes to.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace picket {

enum class Verdict : uint8_t {
  Verified,     // every execution was seen and none is wrong
  Bounded,      // the same, but some loop was cut at the bound
  Violation,    // a bug
  Inconclusive, // a limit (time, memory, steps) ended the check before the answer
  Unsupported,  // the program does something Picket does not model
  CompileError
};
const char *nameOf(Verdict V); // "verified", "bounded", "violation", "inconclusive", "unsupported", "compile-error"
std::optional<Verdict> verdictNamed(std::string_view Name);

} // namespace picket
