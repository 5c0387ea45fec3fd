#include "program/SourceNames.h"

#include <algorithm>
#include <tuple>

namespace picket {

const SourceNames::Expression *SourceNames::expressionAt(uint32_t File, uint32_t Line, uint32_t Column, bool Write,
                                                         uint32_t Size, uint32_t PartType) const {
  auto Key = [](const Expression &E) { return std::tuple(E.File, E.Line, E.Column, E.Write); };
  auto Wanted = std::tuple(File, Line, Column, Write);
  auto First = std::lower_bound(Expressions.begin(), Expressions.end(), Wanted,
                                [&](const Expression &E, const auto &Value) { return Key(E) < Value; });
  // How well it fits: by type, by size, or only by place.
  auto Fit = [&](const Expression &E) {
    if (PartType != 0 && (E.Type == PartType || Types[E.Type].Name == Types[PartType].Name))
      return 3;
    return Size != 0 && Types[E.Type].Size == Size ? 2 : 1;
  };
  const Expression *Best = nullptr;
  int BestFit = 0;
  bool Unclear = false;
  for (auto It = First; It != Expressions.end() && Key(*It) == Wanted; ++It) {
    int This = Fit(*It);
    if (This < BestFit)
      continue;
    Unclear = This == BestFit && (Unclear || It->Text != Best->Text);
    Best = &*It;
    BestFit = This;
  }
  return Unclear ? nullptr : Best;
}

} // namespace picket
