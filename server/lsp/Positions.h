// Places in texts: lines and columns as editors count them, and byte offsets.
#pragma once

#include "base/Diagnostic.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace picket {

/// What a column of the protocol counts: bytes, or UTF-16 code units.
enum class PositionEncoding : uint8_t { Utf16, Utf8 };

/// Both count from 0.
struct TextPosition {
  uint32_t Line = 0, Column = 0;
  bool operator==(const TextPosition &) const = default;
};

struct TextRange {
  TextPosition Start, End;
  bool operator==(const TextRange &) const = default;
};

/// An edit. Without a range `Text` is the whole new text.
struct TextChange {
  std::optional<TextRange> Range;
  std::string Text;
};

/// The byte a position stands for. What lies behind the end of a line means the line's end, what lies behind the last
/// line the end of the text; a position within a character means its beginning. Lines end with "\n", "\r\n" or "\r".
size_t offsetOf(llvm::StringRef Text, TextPosition Position, PositionEncoding Encoding);

/// The position of a byte; the end of the text if it lies behind it.
TextPosition positionOf(llvm::StringRef Text, size_t Offset, PositionEncoding Encoding);

/// A range whose end lies before its start counts as empty.
void applyChange(std::string &Text, const TextChange &Change, PositionEncoding Encoding);

/// What to underline for a place. Where its end is not known, it goes up to the end of the line's code; line 0 is the
/// first line.
TextRange rangeOf(llvm::StringRef Text, const SourceLocation &Where, PositionEncoding Encoding);

} // namespace picket
