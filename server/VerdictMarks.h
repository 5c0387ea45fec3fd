// Verdicts as signs, for status lines, lenses and lists.
#pragma once

#include "base/Verdict.h"

#include <string>
#include <vector>

namespace picket {

/// "✓", "✓ up to 8" (`Unroll`), "✗", "?", "not checked"
std::string markOf(Verdict V, unsigned Unroll);

struct MarkedModel {
  std::string Title, Mark;
};

/// "SC ✓  TSO ✗  ARM64, POWER not checked". Neighbours of the same mark share it if it is more than a sign, so that all
/// models fit into a line.
std::string marksText(const std::vector<MarkedModel> &Models);

} // namespace picket
