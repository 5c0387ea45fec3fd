// Texts that models include by name, and that come with Picket: fences as relations, filters, and the coherence order.
#pragma once

#include <optional>
#include <string_view>

namespace picket::cat {

/// What every model begins with.
std::string_view standardLibrary();

struct LibraryText {
  std::string_view Name, Text;
  bool Always = false; // also if there is a file of that name: it is what the explorer does itself
};

/// "cos.cat". Null if there is none.
const LibraryText *libraryText(std::string_view Name);

} // namespace picket::cat
