// What the terminal can do.
#pragma once

namespace picket {

enum class ColorMode { Auto, Always, Never };

/// Whether standard output and standard error show colours from now on. Auto: on terminals, unless NO_COLOR is set
/// (https://no-color.org).
void setColors(ColorMode Mode);

/// Columns of the terminal; 80 if there is none.
unsigned terminalWidth();

} // namespace picket
