// How a program told the compiler what never happens, for the bug that it happens.
#pragma once

#include <cstdint>

namespace picket {

enum class BrokenPromise : uint8_t { Unreachable, Assumption, MissingReturn };

} // namespace picket
