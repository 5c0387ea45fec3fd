// What a user is told about a text: a severity, a place and a sentence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace picket {

enum class Severity : uint8_t { Error, Warning, Note };

/// A range in a file. Lines and columns count from 1, columns in bytes; line 0 means the file as a whole.
struct Place {
  std::string File;
  uint32_t Line = 0, Column = 0;
  uint32_t EndLine = 0, EndColumn = 0;
};

/// Whether two places begin at the same one.
inline bool isSame(const Place &A, const Place &B) {
  return A.Line == B.Line && A.Column == B.Column && A.File == B.File;
}

struct Diagnostic {
  Severity Level = Severity::Error;
  Place Where;
  std::string Message;
  std::vector<Diagnostic> Notes;
};

} // namespace picket
