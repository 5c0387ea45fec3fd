#include "base/Verdict.h"

namespace picket {

const char *nameOf(Verdict V) {
  switch (V) {
  case Verdict::Verified: return "verified";
  case Verdict::Bounded: return "bounded";
  case Verdict::Violation: return "violation";
  case Verdict::Inconclusive: return "inconclusive";
  case Verdict::Unsupported: return "unsupported";
  case Verdict::CompileError: return "compile-error";
  }
  return "?";
}

std::optional<Verdict> verdictNamed(std::string_view Name) {
  for (Verdict V : {Verdict::Verified, Verdict::Bounded, Verdict::Violation, Verdict::Inconclusive,
                    Verdict::Unsupported, Verdict::CompileError})
    if (Name == nameOf(V))
      return V;
  return std::nullopt;
}

} // namespace picket
