// Small random programs whose loops have no bound, but whose states are finitely many.
#pragma once

#include <random>
#include <string>

namespace picket::testing {

std::string makeLoopingProgram(std::mt19937 &Random);

} // namespace picket::testing
