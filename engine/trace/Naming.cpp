#include "trace/Naming.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace picket {

namespace {

using Wide = unsigned __int128;

std::string decimal(Wide Value) {
  std::string Digits;
  do
    Digits += static_cast<char>('0' + static_cast<int>(Value % 10));
  while (Value /= 10);
  std::reverse(Digits.begin(), Digits.end());
  return Digits;
}

std::string hexadecimal(Wide Value) {
  std::string Digits;
  do
    Digits += "0123456789abcdef"[static_cast<int>(Value % 16)];
  while (Value /= 16);
  std::reverse(Digits.begin(), Digits.end());
  return "0x" + Digits;
}

std::string plainNumber(Wide Value) { return Value < 4096 ? decimal(Value) : hexadecimal(Value); }

bool isNegative(Wide Value, unsigned Width) { return (Value >> (Width * 8 - 1)) & 1; }

std::string signedNumber(Wide Value, unsigned Width) {
  if (!isNegative(Value, Width))
    return decimal(Value);
  Wide Magnitude = ~Value + 1;
  if (Width < 16)
    Magnitude &= (Wide(1) << (Width * 8)) - 1;
  return "-" + decimal(Magnitude);
}

/// Whether a number has more than 64 digits in binary, without its sign: it is not readable in decimal.
bool isLong(Wide Value, unsigned Width, bool Signed) {
  if (Width <= 8)
    return false;
  return (Signed && isNegative(Value, Width) ? ~Value + 1 : Value) >> 64 != 0;
}

std::string character(Wide Value) {
  if (Value < 32 || Value > 126)
    return signedNumber(Value, 1);
  char C = static_cast<char>(Value);
  std::string Quoted = C == '\'' || C == '\\' ? std::string("\\") + C : std::string(1, C);
  return "'" + Quoted + "' (" + decimal(Value) + ")";
}

/// The shortest text that reads back as the same number.
template <typename Float> std::string floating(Wide Value) {
  Float Number;
  std::memcpy(&Number, &Value, sizeof(Number));
  char Text[64];
  return std::string(Text, std::to_chars(Text, std::end(Text), Number).ptr);
}

std::string floatingOf(Wide Value, unsigned Width) {
  if (Width == sizeof(float))
    return floating<float>(Value);
  if (Width == sizeof(double))
    return floating<double>(Value);
  return Width == sizeof(long double) ? floating<long double>(Value) : plainNumber(Value);
}

std::string enumerator(const SourceType &T, Wide Value, unsigned Width) {
  int64_t Number = static_cast<int64_t>(Value);
  if (Width < 8 && isNegative(Value, Width))
    Number -= int64_t(1) << (Width * 8);
  for (auto &[Known, Name] : T.Enumerators)
    if (Known == Number || static_cast<Wide>(static_cast<uint64_t>(Known)) == Value)
      return Name;
  bool AnyNegative = std::any_of(T.Enumerators.begin(), T.Enumerators.end(), [](auto &E) { return E.first < 0; });
  return AnyNegative ? signedNumber(Value, Width) : decimal(Value);
}

/// "{p = &node#1, tag = 2}". A bit-field is the number its bits are.
std::string structText(const SourceNames &Names, const SourceType &T, Wide Value,
                       const std::function<std::string(uint64_t)> &PointerName) {
  std::string Text;
  for (const SourceType::Field &F : T.Fields) {
    const uint32_t Size = Names.Types[F.Type].Size;
    if (F.Offset + Size > T.Size)
      return plainNumber(Value);
    const Wide Part = Value >> (8 * F.Offset);
    Text += (Text.empty() ? "" : ", ") + (F.Name.empty() ? "" : F.Name + " = ") +
            (F.BitWidth ? decimal(Part >> F.BitOffset & ((Wide(1) << F.BitWidth) - 1))
                        : valueText(Names, F.Type, static_cast<uint64_t>(Part), static_cast<uint64_t>(Part >> 64), Size,
                                    PointerName));
  }
  return Text.empty() ? plainNumber(Value) : "{" + Text + "}";
}

} // namespace

std::string valueText(const SourceNames &Names, uint32_t Type, uint64_t Low, uint64_t High, unsigned Width,
                      const std::function<std::string(uint64_t)> &PointerName) {
  Wide Value = Width > 8 ? (Wide(High) << 64) | Low : Wide(Low);
  if (Width < 16)
    Value &= (Wide(1) << (Width * 8)) - 1;
  const SourceType &T = Names.Types[Type];
  if (T.Size != Width)
    return plainNumber(Value);
  switch (T.What) {
  case SourceType::Bool: return Value == 0 ? "false" : Value == 1 ? "true" : decimal(Value);
  case SourceType::Char: return character(Value);
  case SourceType::Signed: return isLong(Value, Width, true) ? hexadecimal(Value) : signedNumber(Value, Width);
  case SourceType::Unsigned: return isLong(Value, Width, false) ? hexadecimal(Value) : decimal(Value);
  case SourceType::Float: return floatingOf(Value, Width);
  case SourceType::Pointer: {
    if (Value == 0)
      return "NULL";
    const std::string Name = PointerName(static_cast<uint64_t>(Value));
    return Name.empty() ? plainNumber(Value) : Name;
  }
  case SourceType::Enum: return enumerator(T, Value, Width);
  case SourceType::Struct: return structText(Names, T, Value, PointerName);
  case SourceType::Unknown:
  case SourceType::Union:
  case SourceType::Array: break;
  }
  return plainNumber(Value);
}

} // namespace picket
