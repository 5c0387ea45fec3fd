// Texts of source files as the reports quote them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace picket {

/// Reads files, each once. Texts that were never saved come from the map a CompileRequest has them in.
class SourceTexts {
public:
  SourceTexts() = default;
  explicit SourceTexts(std::map<std::string, std::string> Unsaved) : Unsaved(std::move(Unsaved)) {}

  /// Null if the file cannot be read (any more).
  const std::string *textOf(const std::string &File);
  /// A line without its end, counted from 1. Empty if there is no such line.
  std::optional<std::string> lineOf(const std::string &File, uint32_t Line);

private:
  struct Read {
    std::optional<std::string> Text;
    std::vector<size_t> Begins; // of lines
  };
  const Read &read(const std::string &File);

  std::map<std::string, std::string> Unsaved;
  std::map<std::string, Read> Known;
};

/// A column in UTF-16 code units, both counted from 1, from one in bytes of a line of UTF-8. Bytes that are not UTF-8
/// count as one unit each.
uint32_t utf16Column(const std::string &Line, uint32_t ByteColumn);

} // namespace picket
