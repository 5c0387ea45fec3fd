#include "settings/Units.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using llvm::StringRef;

namespace picket {

/// A plain decimal number and what follows it. Signs, exponents and words like "inf" are no amounts.
static std::optional<double> takeNumber(StringRef &Text) {
  StringRef Digits = Text.take_while([](char C) { return (C >= '0' && C <= '9') || C == '.'; });
  double Number = 0;
  if (Digits.empty() || Digits.getAsDouble(Number))
    return std::nullopt;
  Text = Text.drop_front(Digits.size());
  return Number;
}

std::optional<double> parseSeconds(const std::string &Text) {
  StringRef Unit = Text;
  std::optional<double> Number = takeNumber(Unit);
  double Factor =
      llvm::StringSwitch<double>(Unit).Cases({"", "s"}, 1).Case("ms", 1e-3).Case("m", 60).Case("h", 3600).Default(0);
  if (!Number || Factor == 0)
    return std::nullopt;
  return *Number * Factor;
}

std::optional<uint64_t> parseBytes(const std::string &Text) {
  StringRef Unit = Text;
  std::optional<double> Number = takeNumber(Unit);
  if (!Unit.consume_back_insensitive("iB"))
    Unit.consume_back_insensitive("B");
  int Shift = llvm::StringSwitch<int>(Unit)
                  .Case("", 0)
                  .CaseLower("k", 10)
                  .CaseLower("m", 20)
                  .CaseLower("g", 30)
                  .CaseLower("t", 40)
                  .Default(-1);
  if (!Number || Shift < 0)
    return std::nullopt;
  double Bytes = std::ldexp(*Number, Shift);
  if (Bytes >= std::ldexp(1.0, 63))
    return std::nullopt;
  return static_cast<uint64_t>(Bytes);
}

} // namespace picket
