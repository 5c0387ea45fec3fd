// File names as the person at the terminal knows them.
#pragma once

#include <string>

namespace picket {

/// The file as it was named on the command line if it is that file, else relative to the working directory if it lies
/// below it, else unchanged.
std::string displayPath(const std::string &File, const std::string &NamedFile);

} // namespace picket
