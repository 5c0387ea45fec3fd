#include "VerdictMarks.h"

namespace picket {

std::string markOf(Verdict V, unsigned Unroll) {
  switch (V) {
  case Verdict::Verified: return "✓";
  case Verdict::Bounded: return "✓ up to " + std::to_string(Unroll);
  case Verdict::Violation: return "✗";
  case Verdict::Inconclusive: return "?";
  case Verdict::Unsupported:
  case Verdict::CompileError: return "not checked";
  }
  return "?";
}

std::string marksText(const std::vector<MarkedModel> &Models) {
  std::string Text;
  for (size_t K = 0; K < Models.size(); ++K) {
    const std::string &Mark = Models[K].Mark;
    Text += (Text.empty() ? "" : "  ") + Models[K].Title;
    if (Mark.find(' ') != std::string::npos)
      for (; K + 1 < Models.size() && Models[K + 1].Mark == Mark; ++K)
        Text += ", " + Models[K + 1].Title;
    Text += " " + Mark;
  }
  return Text;
}

} // namespace picket
