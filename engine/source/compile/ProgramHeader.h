// The text of include/picket.h, which programs include. The build embeds it.
#pragma once

#include <string_view>

namespace picket::header {

extern const std::string_view Text;

} // namespace picket::header
