// Parses untrusted JSON. LLVM's reader is recursive, so text with excessive nesting is refused before it is parsed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace picket {

inline llvm::Expected<llvm::json::Value> parseUntrusted(llvm::StringRef Text) {
  constexpr unsigned MaxDepth = 64;
  unsigned Depth = 0;
  bool InString = false;
  for (size_t K = 0; K < Text.size(); ++K) {
    const char C = Text[K];
    if (InString && C == '\\')
      ++K;
    else if (C == '"')
      InString = !InString;
    else if (!InString && (C == '[' || C == '{') && ++Depth > MaxDepth)
      return llvm::createStringError("it is nested too deeply");
    else if (!InString && (C == ']' || C == '}') && Depth > 0)
      --Depth;
  }
  return llvm::json::parse(Text);
}

} // namespace picket
