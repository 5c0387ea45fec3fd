#include "machine/FormatLength.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace picket {

namespace {

class Formatter {
public:
  Formatter(const std::string &Format, const std::vector<uint64_t> &Arguments,
            const std::function<std::optional<std::string>(uint64_t, size_t)> &ReadText)
      : Format(Format), Arguments(Arguments), ReadText(ReadText) {}

  FormatLength run() {
    FormatLength Result;
    while (At < Format.size()) {
      if (Format[At] != '%') {
        ++Result.Bytes;
        ++At;
        continue;
      }
      const size_t Begin = At++;
      const std::optional<uint64_t> Bytes = conversion();
      if (!Bytes) {
        Result.Unknown = Format.substr(Begin, At - Begin);
        return Result;
      }
      Result.Bytes += *Bytes;
    }
    return Result;
  }

private:
  uint64_t next() { return Next < Arguments.size() ? Arguments[Next++] : 0; }
  std::string take(const char *Set) {
    const size_t Begin = At;
    while (At < Format.size() && std::strchr(Set, Format[At]))
      ++At;
    return Format.substr(Begin, At - Begin);
  }
  /// A width or precision: digits, or an argument.
  std::optional<int> size() {
    if (At < Format.size() && Format[At] == '*') {
      ++At;
      return static_cast<int>(next());
    }
    const std::string Digits = take("0123456789");
    constexpr size_t MostDigits = 6;
    return Digits.empty() || Digits.size() > MostDigits ? std::nullopt : std::optional(std::stoi(Digits));
  }

  /// The length of what one conversion prints; nothing if that is not known.
  std::optional<uint64_t> conversion() {
    std::string Flags = take("-+ #0");
    const int Width = size().value_or(0);
    int Precision = -1;
    if (At < Format.size() && Format[At] == '.') {
      ++At;
      Precision = size().value_or(0);
    }
    const std::string Length = take("hlqjzt");
    if (At == Format.size())
      return std::nullopt;
    const char Kind = Format[At++];
    auto Print = [&](const char *Type, auto Value) -> std::optional<uint64_t> {
      const std::string How = "%" + Flags + "*.*" + Type;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
      const int Bytes = std::snprintf(nullptr, 0, How.c_str(), Width, Precision, Value);
#pragma clang diagnostic pop
      return Bytes < 0 ? std::nullopt : std::optional<uint64_t>(static_cast<uint64_t>(Bytes));
    };
    const char Type[] = {'l', 'l', Kind, 0};
    switch (Kind) {
    case '%': return 1;
    case 'c': return Length.empty() ? (next(), std::max(1, std::abs(Width))) : std::optional<uint64_t>();
    case 'd':
    case 'i': return Print(Type, signedArgument(Length));
    case 'u':
    case 'x':
    case 'X':
    case 'o': return Print(Type, unsignedArgument(Length));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return Print(Type + 2, std::bit_cast<double>(next()));
    case 's': {
      if (!Length.empty())
        return std::nullopt;
      const std::optional<std::string> Text =
          ReadText(next(), Precision < 0 ? ~size_t(0) : static_cast<size_t>(Precision));
      return Text ? Print("s", Text->c_str()) : std::nullopt;
    }
    default: return std::nullopt;
    }
  }

  long long signedArgument(const std::string &Length) {
    const uint64_t Bits = next();
    return Length == "hh"   ? static_cast<int8_t>(Bits)
           : Length == "h"  ? static_cast<int16_t>(Bits)
           : Length.empty() ? static_cast<int32_t>(Bits)
                            : static_cast<int64_t>(Bits);
  }
  unsigned long long unsignedArgument(const std::string &Length) {
    const uint64_t Bits = next();
    return Length == "hh"   ? static_cast<uint8_t>(Bits)
           : Length == "h"  ? static_cast<uint16_t>(Bits)
           : Length.empty() ? static_cast<uint32_t>(Bits)
                            : Bits;
  }

  const std::string &Format;
  const std::vector<uint64_t> &Arguments;
  const std::function<std::optional<std::string>(uint64_t, size_t)> &ReadText;
  size_t At = 0, Next = 0;
};

} // namespace

FormatLength formatLength(const std::string &Format, const std::vector<uint64_t> &Arguments,
                          const std::function<std::optional<std::string>(uint64_t, size_t)> &ReadText) {
  return Formatter(Format, Arguments, ReadText).run();
}

} // namespace picket
