#include "draw/DotText.h"

#include <cctype>
#include <cstdint>

namespace picket {

namespace {

constexpr const char *Replacement = "\xef\xbf\xbd"; // U+FFFD

/// Reads a character at `Begin`. Returns its length, 0 if the bytes are not (the shortest) UTF-8.
size_t decode(const std::string &Text, size_t Begin, uint32_t &Code) {
  const auto Byte = [&](size_t I) -> uint32_t { return I < Text.size() ? static_cast<unsigned char>(Text[I]) : 0; };
  const uint32_t First = Byte(Begin);
  const size_t Length = First < 0x80 ? 1 : First >> 5 == 6 ? 2 : First >> 4 == 14 ? 3 : First >> 3 == 30 ? 4 : 0;
  if (Length == 0)
    return 0;
  Code = Length == 1 ? First : First & (0x7f >> Length);
  for (size_t I = 1; I < Length; ++I) {
    if (Byte(Begin + I) >> 6 != 2)
      return 0;
    Code = Code << 6 | (Byte(Begin + I) & 0x3f);
  }
  constexpr uint32_t Smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool Surrogate = Code >= 0xd800 && Code <= 0xdfff;
  return Code < Smallest[Length] || Code > 0x10ffff || Surrogate ? 0 : Length;
}

bool isShowable(uint32_t Code) {
  const bool Control = Code < 0x20 || (Code >= 0x7f && Code < 0xa0);
  const bool Direction = (Code >= 0x202a && Code <= 0x202e) || (Code >= 0x2066 && Code <= 0x2069);
  return !Control && !Direction && Code != 0xfffe && Code != 0xffff;
}

/// Would Graphviz take the ampersand here for the begin of an XML entity?
bool looksLikeEntity(const std::string &Text, size_t Ampersand) {
  size_t I = Ampersand + 1;
  if (I < Text.size() && Text[I] == '#')
    ++I;
  const size_t NameBegin = I;
  while (I < Text.size() && std::isalnum(static_cast<unsigned char>(Text[I])))
    ++I;
  return I > NameBegin && I < Text.size() && Text[I] == ';';
}

std::string quote(const std::string &Text, const char *Newline, const char *Backslash) {
  std::string Quoted = "\"";
  for (size_t I = 0; I < Text.size();) {
    uint32_t Code = 0;
    const size_t Length = decode(Text, I, Code);
    if (Length == 0) {
      Quoted += Replacement;
      ++I;
      continue;
    }
    switch (Code) {
    case '"': Quoted += "\\\""; break;
    case '\\': Quoted += Backslash; break;
    case '\n': Quoted += Newline; break;
    case '\t': Quoted += ' '; break;
    case '&':
      // A space of no width keeps them apart. Encoding the ampersand would not do: versions of Graphviz decode it
      // once, twice or never.
      Quoted += looksLikeEntity(Text, I) ? "&\xe2\x80\x8b" : "&";
      break;
    default:
      if (isShowable(Code))
        Quoted.append(Text, I, Length);
      else
        Quoted += Replacement;
    }
    I += Length;
  }
  return Quoted + '"';
}

} // namespace

std::string dotLabel(const std::string &Text) { return quote(Text, " ", R"(\\)"); }
// Graphviz takes escapes out of tooltips twice.
std::string dotTooltip(const std::string &Text) { return quote(Text, R"(\n)", R"(\\\\)"); }

} // namespace picket
