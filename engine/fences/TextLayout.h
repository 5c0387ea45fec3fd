// Lines and blanks of a text, for edits that keep its looks.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace picket {

/// The line end of a file, from its first line.
inline const char *lineEnd(llvm::StringRef Text) {
  size_t At = Text.find('\n');
  return At != llvm::StringRef::npos && At > 0 && Text[At - 1] == '\r' ? "\r\n" : "\n";
}

inline uint32_t lineBegin(llvm::StringRef Text, uint32_t Offset) {
  size_t Before = Text.take_front(Offset).rfind('\n');
  return Before == llvm::StringRef::npos ? 0 : static_cast<uint32_t>(Before + 1);
}

/// The first byte of the next line; the end of the text on its last line.
inline uint32_t nextLine(llvm::StringRef Text, uint32_t Offset) {
  size_t At = Text.find('\n', Offset);
  return static_cast<uint32_t>(At == llvm::StringRef::npos ? Text.size() : At + 1);
}

/// The blanks that the line of a byte begins with.
inline std::string indentation(llvm::StringRef Text, uint32_t Offset) {
  llvm::StringRef Line = Text.substr(lineBegin(Text, Offset));
  return Line.take_while([](char C) { return C == ' ' || C == '\t'; }).str();
}

inline bool beginsLine(llvm::StringRef Text, uint32_t Offset) {
  return lineBegin(Text, Offset) + indentation(Text, Offset).size() == Offset;
}

/// Where the line ends, if nothing but blanks and a comment comes behind a byte.
inline std::optional<uint32_t> endOfLineBehind(llvm::StringRef Text, uint32_t Offset) {
  llvm::StringRef Rest = Text.substr(Offset);
  Rest = Rest.take_front(Rest.find('\n')).rtrim('\r');
  llvm::StringRef Code = Rest.trim();
  bool Comment = Code.starts_with("//") || (Code.starts_with("/*") && Code.find("*/") == Code.size() - 2);
  if ((!Code.empty() && !Comment) || Rest.ends_with("\\"))
    return std::nullopt;
  return Offset + static_cast<uint32_t>(Rest.size());
}

} // namespace picket
