// Options of the command line that say what a program consists of.
#pragma once

#include "CheckCommand.h"

namespace CLI {
class App;
} // namespace CLI

namespace picket {

/// The files of programs.
void addFileOptions(CLI::App *Check, CheckCommand &Command);
/// What stands for functions that a program calls and does not define, and for values from outside.
void addStubOptions(CLI::App *Check, CheckCommand &Command);

} // namespace picket
