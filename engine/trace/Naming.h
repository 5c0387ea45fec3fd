// Names memory as in the source: the names of its parts, and values in the types of the variables that hold them.
#pragma once

#include "program/SourcePaths.h"

#include <functional>
#include <string>

namespace picket {

/// The value of `Width` bytes (1 to 16) read as the given type: "-1", "'a' (97)", "true", "RED", "0.5", "NULL",
/// "{p = NULL, tag = 1}". Addresses that are not null are left to `PointerName`. Where the type is not known, or the
/// bytes are not all of it, the value is a number, in hexadecimal if it is large.
std::string valueText(const SourceNames &Names, uint32_t Type, uint64_t Low, uint64_t High, unsigned Width,
                      const std::function<std::string(uint64_t)> &PointerName);

} // namespace picket
