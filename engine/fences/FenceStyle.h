// How changes are written: apart, so that Clang's headers are not needed to say it.
#pragma once

#include <cstdint>

namespace picket {

/// In whose words fences are written.
enum class FenceStyle : uint8_t {
  OfFile,   // those of the file
  Portable, // the same, but for several architectures: assembly of one is not used
  Standard  // C11's or the compiler's, since those of the file were tried and are no fence somewhere
};

struct EditStyle {
  FenceStyle Fences = FenceStyle::OfFile;
  /// An order in the body of a macro may be changed although the macro has other uses: that is right for all of them if
  /// the order becomes stronger.
  bool SharedMacros = true;
};

} // namespace picket
