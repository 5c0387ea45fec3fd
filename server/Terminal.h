// What the terminal can do.
#pragma once

#include <string>

namespace picket {

enum class ColorMode { Auto, Always, Never };

/// Whether standard output and standard error show colours from now on. Auto: on terminals, unless NO_COLOR is set
/// (https://no-color.org).
void setColors(ColorMode Mode);

/// Columns of the terminal; 80 if there is none.
unsigned terminalWidth();

/// Errors of the command are also a JSON object on standard output, {"error": "..."}: whoever reads it expects JSON.
void setJsonErrors(bool Wanted);

/// Says that the command cannot do what it was asked to. Only while nothing was printed.
void tellError(const std::string &Sentence);

/// Descriptors 0, 1 and 2 are not given to files that are opened later. What is written to a closed standard output fails.
void occupyStandardFiles();

/// Writes what is still to be written. The exit code is `Code`, or `Failed` if standard output could not be written.
int finishOutput(int Code, int Failed);

} // namespace picket
