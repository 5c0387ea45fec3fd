// What monitoring costs: the time of SC with monitors relative to SC without, and of the three verdicts (SC, TSO, PSO) of a
// robust program relative to SC alone.
#pragma once

#include <string>

namespace picket {

/// Only programs whose name contains `Filter`. Returns what the process is to return.
int printMonitoring(const std::string &Filter);

} // namespace picket
