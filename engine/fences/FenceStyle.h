// How fences are written: apart, so that Clang's headers are not needed to say it.
#pragma once

#include <cstdint>

namespace picket {

/// In whose words fences are written.
enum class FenceStyle : uint8_t {
  OfFile,   // those of the file
  Portable, // the same, but for several architectures: assembly of one is not used
  Standard  // C11's or the compiler's, since those of the file were tried and are no fence somewhere
};

} // namespace picket
