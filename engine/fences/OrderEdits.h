// Memory orders changed and fences taken out, in the text.
#pragma once

#include "fences/FenceIdiom.h"

namespace picket {

struct OrderEdit {
  std::vector<TextEdit> Edits;
  std::optional<std::pair<clang::FileID, uint32_t>> NeedsInclude; // of <stdatomic.h>, in front of this place
};

std::variant<OrderEdit, Refusal> changeOrder(const SourceTree &Tree, const FenceIdiom &Idiom,
                                             const ChangeOrder &Wanted);

std::variant<OrderEdit, Refusal> removeFence(const SourceTree &Tree, const RemoveFence &Wanted);

} // namespace picket
