// Reads the threads of a litmus test in C: functions P0, P1, ... whose parameters point to the shared locations.
#pragma once

#include "litmus/LitmusCode.h"
#include "litmus/LitmusText.h"

namespace picket {

/// Any name can be that of a variable.
std::optional<std::string> cRegister(std::string_view Text);

/// Reads one function, which must have this name, and writes its code. Plain accesses are not atomic, whatever the type
/// of the location; the others have the orders that are written. Throws LitmusError.
void readCThread(LitmusCursor &Text, const std::string &Name, LitmusThread &Code);

} // namespace picket
