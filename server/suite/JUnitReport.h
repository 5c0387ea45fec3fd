// A test suite as JUnit's XML, which services that run tests read: a suite per program, a test case per memory model.
#pragma once

#include "suite/SuiteRun.h"

namespace picket {

/// A violation is a failure; what cannot be checked, or came to a limit, is an error; what was skipped or not begun is
/// skipped. Programs that start no threads are left out.
std::string junitText(const std::vector<SuiteProgram> &Programs,
                      const std::vector<std::optional<ProgramResult>> &Results);

} // namespace picket
