// The C files of this folder. The texts are generated at build time: see CMakeLists.txt.
#pragma once

#include <string_view>

namespace picket::models {

extern const std::string_view Foundations, Threads, Library, Numbers, System, Futex, Process;

} // namespace picket::models
