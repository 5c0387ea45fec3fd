// BrokenPromise: the ways in which a program promises the compiler that something never happens. Breaking one is a bug.
#pragma once

#include <cstdint>

namespace picket {

enum class BrokenPromise : uint8_t { Unreachable, Assumption, MissingReturn };

} // namespace picket
