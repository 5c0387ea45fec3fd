// Files that a command reads whole, whatever they are: a pipe may have no writer, and a device no end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace picket {

/// The contents of a file, or null and why not: "the file cannot be read: ...". Waits for what others write into a pipe,
/// for `Seconds` at most (0: for as long as it takes).
std::optional<std::string> readInput(const std::string &File, size_t MostBytes, double Seconds, std::string &Error);

} // namespace picket
