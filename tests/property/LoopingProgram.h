// Small random programs whose loops have no bound, but whose states are finitely many.
#pragma once

#include <random>
#include <string>

namespace picket::testing {

/// `Barriers`: also with release stores, release fences and relaxed read-modify-writes.
std::string makeLoopingProgram(std::mt19937 &Random, bool Barriers = false);

} // namespace picket::testing
