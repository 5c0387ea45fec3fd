#include "programs/MainFunction.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace picket {

/// Where the line that `At` is in ends, without its line break.
static size_t lineEnd(StringRef Text, size_t At) { return std::min(Text.find_first_of("\r\n", At), Text.size()); }

/// Behind the comment or literal that begins at `At`; `At` if none begins there.
static size_t skipOpaque(StringRef Text, size_t At) {
  StringRef Rest = Text.substr(At);
  if (Rest.starts_with("//") || Rest.starts_with("#")) // a directive's continuation lines are read as code
    return lineEnd(Text, At);
  if (Rest.starts_with("/*"))
    return std::min(Text.find("*/", At + 2), Text.size() - 2) + 2;
  if (!Rest.starts_with("\"") && !Rest.starts_with("'"))
    return At;
  for (size_t K = At + 1; K < Text.size() && Text[K] != '\n'; ++K)
    if (Text[K] == '\\')
      ++K;
    else if (Text[K] == Text[At])
      return K + 1;
  return lineEnd(Text, At);
}

std::optional<size_t> findMain(StringRef Text) {
  unsigned Depth = 0;
  auto IsName = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (size_t K = 0; K < Text.size();) {
    if (size_t Behind = skipOpaque(Text, K); Behind > K) {
      K = Behind;
      continue;
    }
    if (Text[K] == '{')
      ++Depth;
    else if (Text[K] == '}' && Depth > 0)
      --Depth;
    if (!IsName(Text[K])) {
      ++K;
      continue;
    }
    const StringRef Word = Text.substr(K).take_while(IsName);
    if (Depth == 0 && Word == "main" && Text.substr(K + Word.size()).ltrim().starts_with("("))
      return K;
    K += Word.size();
  }
  return std::nullopt;
}

} // namespace picket
