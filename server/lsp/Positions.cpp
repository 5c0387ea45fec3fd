#include "lsp/Positions.h"

#include "llvm/Support/ConvertUTF.h"

#include <algorithm>

using llvm::StringRef;

namespace picket {

/// Where the line that begins at `Begin` ends, without its line break.
static size_t lineEnd(StringRef Text, size_t Begin) { return std::min(Text.find_first_of("\r\n", Begin), Text.size()); }

/// Where the next line begins; `End` is the end of this one. Nothing if this is the last.
static std::optional<size_t> nextLine(StringRef Text, size_t End) {
  if (End >= Text.size())
    return std::nullopt;
  return Text.substr(End).starts_with("\r\n") ? End + 2 : End + 1;
}

/// The bytes of the character at `At`. Those that are not UTF-8 count as one each.
static size_t characterLength(StringRef Text, size_t At) {
  const auto *Bytes = reinterpret_cast<const llvm::UTF8 *>(Text.data());
  return std::max(1u, llvm::getUTF8SequenceSize(Bytes + At, Bytes + Text.size()));
}

static uint32_t columnsOf(size_t Length, PositionEncoding Encoding) {
  if (Encoding == PositionEncoding::Utf8)
    return static_cast<uint32_t>(Length);
  return Length == 4 ? 2 : 1;
}

static size_t lineBegin(StringRef Text, uint32_t Line) {
  size_t Begin = 0;
  for (uint32_t K = 0; K < Line; ++K) {
    std::optional<size_t> Next = nextLine(Text, lineEnd(Text, Begin));
    if (!Next)
      return Text.size();
    Begin = *Next;
  }
  return Begin;
}

size_t offsetOf(StringRef Text, TextPosition Position, PositionEncoding Encoding) {
  size_t At = lineBegin(Text, Position.Line);
  const size_t End = lineEnd(Text, At);
  for (uint32_t Column = 0; At < End;) {
    const size_t Length = characterLength(Text, At);
    Column += columnsOf(Length, Encoding);
    if (Column > Position.Column)
      break;
    At += Length;
  }
  return std::min(At, End);
}

TextPosition positionOf(StringRef Text, size_t Offset, PositionEncoding Encoding) {
  Offset = std::min(Offset, Text.size());
  TextPosition Result;
  size_t Begin = 0;
  for (std::optional<size_t> Next; (Next = nextLine(Text, lineEnd(Text, Begin))) && *Next <= Offset; ++Result.Line)
    Begin = *Next;
  Offset = std::min(Offset, lineEnd(Text, Begin));
  for (size_t At = Begin; At < Offset;) {
    const size_t Length = characterLength(Text, At);
    if (At + Length > Offset)
      break;
    Result.Column += columnsOf(Length, Encoding);
    At += Length;
  }
  return Result;
}

void applyChange(std::string &Text, const TextChange &Change, PositionEncoding Encoding) {
  if (!Change.Range) {
    Text = Change.Text;
    return;
  }
  const size_t Begin = offsetOf(Text, Change.Range->Start, Encoding);
  const size_t End = std::max(Begin, offsetOf(Text, Change.Range->End, Encoding));
  Text.replace(Begin, End - Begin, Change.Text);
}

/// The end of a line's code: without a comment behind it and spaces.
static size_t codeEnd(StringRef Text, size_t Begin) {
  const StringRef Line = Text.slice(Begin, lineEnd(Text, Begin));
  size_t End = 0; // behind the last character that belongs to the code
  char Quote = 0;
  for (size_t K = 0; K < Line.size(); ++K) {
    const StringRef Rest = Line.substr(K);
    if (!Quote && Rest.starts_with("//"))
      break;
    if (!Quote && Rest.starts_with("/*")) {
      const size_t Close = Line.find("*/", K + 2);
      if (Close == StringRef::npos)
        break;
      K = Close + 1;
      continue;
    }
    if (Quote && Line[K] == '\\')
      ++K;
    else if (Quote)
      Quote = Line[K] == Quote ? 0 : Quote;
    else if (Line[K] == '"' || Line[K] == '\'')
      Quote = Line[K];
    if (K >= Line.size() || (Line[K] != ' ' && Line[K] != '\t'))
      End = std::min(K + 1, Line.size());
  }
  return Begin + End;
}

TextRange rangeOf(StringRef Text, const SourceLocation &Where, PositionEncoding Encoding) {
  const size_t Line = lineBegin(Text, Where.Line ? Where.Line - 1 : 0);
  size_t Begin = std::min(Line + (Where.Column ? Where.Column - 1 : 0), lineEnd(Text, Line));
  if (!Where.Column) // the line as a whole: from its first character on
    Begin = std::min(Text.find_first_not_of(" \t", Begin), lineEnd(Text, Line));
  size_t End = Begin;
  if (Where.EndLine >= Where.Line && Where.EndColumn) {
    const size_t Last = lineBegin(Text, Where.EndLine - 1);
    End = std::min(Last + Where.EndColumn - 1, lineEnd(Text, Last));
  }
  if (End <= Begin)
    End = std::max(Begin, codeEnd(Text, Line));
  if (End == Begin)
    End = lineEnd(Text, Line);
  return {positionOf(Text, Begin, Encoding), positionOf(Text, End, Encoding)};
}

} // namespace picket
