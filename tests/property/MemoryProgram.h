// Small random programs whose threads do different things to memory of their own and of others, depending on what they
// read: they allocate, publish, move and free blocks, give local variables away, create threads. Many of them have
// bugs.
#pragma once

#include <random>
#include <string>

namespace picket::testing {

/// With so many statements per thread at the most, or one less where there are three threads.
std::string makeMemoryProgram(std::mt19937 &Random, unsigned MaxStatements);

} // namespace picket::testing
