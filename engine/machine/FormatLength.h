// How many bytes printf prints.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace picket {

struct FormatLength {
  uint64_t Bytes = 0;
  std::string Unknown; // not empty: a conversion that is not modelled, as the format writes it
};

/// `Arguments` are the bits of what follows the format; those that are missing count as 0. `ReadText` reads a text by
/// its address, up to so many bytes; nothing if others may write it.
FormatLength formatLength(const std::string &Format, const std::vector<uint64_t> &Arguments,
                          const std::function<std::optional<std::string>(uint64_t, size_t)> &ReadText);

} // namespace picket
