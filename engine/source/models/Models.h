// The part of the C library that is written in C. What a program needs of it is linked to the program.
#pragma once

#include <string>
#include <string_view>

namespace picket {

/// ModelsFile, for those that work on LLVM's modules and do not include Program.h.
std::string_view modelsFileName();

/// C text that defines `__picket_model_NAME` for each modelled function NAME; a call of a NAME that the program does
/// not define goes there. Every other name it declares, but for the functions it stands on, begins with `__picket` too,
/// so that it cannot meet a name of the program. It includes nothing.
const std::string &modelsText();

/// The functions of the text that run what atexit and at_quick_exit noted.
inline constexpr const char *ExitFunctions = "__picket_exit_functions",
                            *QuickExitFunctions = "__picket_quick_exit_functions";

/// Whether the text defines a model of the function. Searches the text: for a handful of undefined names per program.
bool hasModel(std::string_view Name);

} // namespace picket
