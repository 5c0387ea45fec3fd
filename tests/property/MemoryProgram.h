// Small random programs whose threads use their own memory and that of other threads, depending on the values they
// read: they allocate, publish, move and free blocks, publish local variables, and create threads. Many of them have
// bugs.
#pragma once

#include <random>
#include <string>

namespace picket::testing {

/// With so many statements per thread at the most, or one less where there are three threads.
std::string makeMemoryProgram(std::mt19937 &Random, unsigned MaxStatements);

} // namespace picket::testing
