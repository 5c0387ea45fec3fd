// What the simulated process remembers beside its threads, as words of one hidden memory object, so that it is undone
// like any other memory.
#pragma once

#include <cstdint>

namespace picket::process {

constexpr uint32_t ExitCalled = 0;
constexpr uint32_t NumAtExit = 1;
constexpr uint32_t AtExitFunctions = 2; // MaxAtExit addresses
constexpr uint32_t MaxAtExit = 32;
constexpr uint32_t NumKeys = AtExitFunctions + MaxAtExit;
constexpr uint32_t KeyDestructors = NumKeys + 1; // MaxKeys addresses
constexpr uint32_t MaxKeys = 64;
constexpr uint32_t Words = KeyDestructors + MaxKeys;

} // namespace picket::process
