// The built counterexample-page/. The texts are generated at build time: see cmake/CounterexamplePage.cmake.
#pragma once

#include <string_view>

namespace picket::bundle {

extern const std::string_view Template, Style, Script;

} // namespace picket::bundle
