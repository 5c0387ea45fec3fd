// Amounts with units as people write them on a command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace picket {

/// "20", "20s", "2m", "1h", "500ms" in seconds.
std::optional<double> parseSeconds(const std::string &Text);

/// "4096", "512K", "512M", "2G", "2GiB" in bytes.
std::optional<uint64_t> parseBytes(const std::string &Text);

} // namespace picket
