// Small random programs with unbounded loops and finitely many states.
#pragma once

#include <random>
#include <string>

namespace picket::testing {

/// `Barriers`: also with release stores, release fences and relaxed read-modify-writes.
std::string makeLoopingProgram(std::mt19937 &Random, bool Barriers = false);

} // namespace picket::testing
