// What the simulated process remembers beside its threads, as words of one hidden memory object, so that it is undone
// like any other memory.
#pragma once

#include <cstdint>

namespace picket::process {

constexpr uint32_t NumKeys = 0;
constexpr uint32_t KeyDestructors = NumKeys + 1; // MaxKeys addresses
constexpr uint32_t MaxKeys = 64;
constexpr uint32_t UncheckedError = KeyDestructors + MaxKeys; // not zero: a thread ended in one
constexpr uint32_t Words = UncheckedError + 1;

} // namespace picket::process
