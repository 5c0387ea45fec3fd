// What relaxation costs where it changes nothing: a table of the robust programs of tests/programs, those with the same
// number of executions under SC, TSO and PSO, with the time of an exploration relative to SC.
#pragma once

#include <string>

namespace picket {

/// Only programs whose name contains `Filter`. Returns what the process is to return.
int printRelaxation(const std::string &Filter);

} // namespace picket
