#include "litmus/X86Operands.h"

#include "litmus/LitmusText.h"

#include <algorithm>
#include <set>

namespace picket {

bool isSizedX86(std::string_view Name) {
  static const std::set<std::string_view> Names = {"mov", "xchg", "add", "sub",  "and",  "or",     "xor",
                                                   "inc", "dec",  "cmp", "test", "xadd", "cmpxchg"};
  return Names.count(Name) != 0;
}

std::optional<X86Register> x86RegisterIn(std::string_view Text) {
  std::string Name = lower(Text);
  if (!Name.empty() && Name[0] == '%')
    Name.erase(0, 1);
  static const std::set<std::string> Letters = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
  if (Name.size() == 3 && (Name[0] == 'r' || Name[0] == 'e') && Letters.count(Name.substr(1)))
    return X86Register{"r" + Name.substr(1), static_cast<uint8_t>(Name[0] == 'r' ? 64 : 32)};
  if (Name.size() < 2 || Name[0] != 'r')
    return std::nullopt;
  const bool Half = Name.back() == 'd';
  const std::string Digits = Name.substr(1, Name.size() - 1 - Half);
  const std::optional<uint32_t> Number = threadNumber(Digits);
  if (!Number || *Number < 8 || *Number > 15 || std::to_string(*Number) != Digits)
    return std::nullopt;
  return X86Register{"r" + Digits, static_cast<uint8_t>(Half ? 32 : 64)};
}

std::optional<std::string> x86WideRegister(std::string_view Text) {
  auto Found = x86RegisterIn(Text);
  return Found ? std::optional(Found->Name) : std::nullopt;
}

X86Instruction::X86Instruction(const LitmusInstruction &I, bool IsWide) {
  splitPrefix(I);
  if (IsWide)
    normalise(I);
}

/// The instruction itself stands in front of the first operand of 'lock'.
void X86Instruction::splitPrefix(const LitmusInstruction &I) {
  Mnemonic = I.Mnemonic;
  Name = lower(I.Mnemonic);
  Operands = I.Operands;
  Locked = Name == "lock";
  if (!Locked)
    return;
  if (Operands.empty())
    failLitmus(I.Line, "'lock' stands alone");
  std::string_view First = I.Operands[0];
  const size_t End = First.find_first_of(" \t\r\n");
  Mnemonic += " " + std::string(First.substr(0, End));
  Name = lower(First.substr(0, End));
  Operands[0] = End == std::string_view::npos ? "" : std::string(trimmed(First.substr(End)));
  if (Operands.size() == 1 && Operands[0].empty())
    Operands.clear();
}

static bool isAtt(const std::string &Operand) {
  return Operand.find('%') != std::string::npos || (!Operand.empty() && Operand.back() == ')');
}

/// "qword ptr [x]" is "[x]" with 64 bits.
static uint8_t takeSize(std::string &Operand) {
  const std::string Low = lower(Operand);
  for (auto [Word, Size] : {std::pair<std::string_view, uint8_t>{"dword ptr", 32}, {"qword ptr", 64}})
    if (Low.rfind(Word, 0) == 0) {
      Operand = trimmed(std::string_view(Operand).substr(Word.size()));
      return Size;
    }
  return 0;
}

void X86Instruction::normalise(const LitmusInstruction &I) {
  if (std::any_of(Operands.begin(), Operands.end(), isAtt))
    std::reverse(Operands.begin(), Operands.end());
  uint8_t Given = 0;
  auto Note = [&](uint8_t Size) {
    if (Size && Given && Size != Given)
      failLitmus(I.Line, "the operands of " + quoted(I.Mnemonic) + " have different sizes");
    Given = Size ? Size : Given;
  };
  if (!isSizedX86(Name) && Name.size() > 1 && isSizedX86(std::string_view(Name).substr(0, Name.size() - 1)) &&
      (Name.back() == 'l' || Name.back() == 'q')) {
    Note(Name.back() == 'l' ? 32 : 64);
    Name.pop_back();
  }
  for (std::string &Operand : Operands) {
    Note(takeSize(Operand));
    if (auto Register = x86RegisterIn(Operand))
      Note(Register->Bits);
  }
  if (Given)
    Bits = Given;
}

bool X86Instruction::isMemory(std::string_view Operand) {
  return !Operand.empty() && (Operand.back() == ']' || Operand.back() == ')');
}

namespace {

/// The parts of an address, in either spelling.
class AddressReader {
public:
  AddressReader(std::string_view Text, uint32_t Line) : Text(Text), Line(Line) {}

  X86Address read() {
    if (Text.back() == ']')
      readIntel();
    else
      readAtt();
    return Result;
  }

private:
  void readIntel() {
    if (Text.front() != '[')
      refuseLitmus(Line, Text);
    for (std::string_view Rest = Text.substr(1, Text.size() - 2);;) {
      const size_t End = Rest.find_first_of("+-", 1);
      addTerm(trimmed(Rest.substr(0, End)));
      if (End == std::string_view::npos)
        break;
      Rest.remove_prefix(Rest[End] == '+' ? End + 1 : End);
    }
  }

  /// "x", "8", "rax", "rbx*4"
  void addTerm(std::string_view Term) {
    const size_t Star = Term.find('*');
    const std::string_view Factor = trimmed(Term.substr(0, Star));
    if (Star != std::string_view::npos) {
      setIndex(Factor, trimmed(Term.substr(Star + 1)));
    } else if (auto Register = x86RegisterIn(Factor)) {
      if (Result.Base.empty())
        Result.Base = wide(*Register);
      else
        setIndex(Factor, "1");
    } else if (lower(Factor) != "rip") {
      addConstant(Factor);
    }
  }

  void addConstant(std::string_view Part) {
    if (looksLikeNumber(Part))
      Result.Offset += litmusNumber(Part, Line);
    else if (isName(Part) && Result.Location.empty())
      Result.Location = Part;
    else
      refuseLitmus(Line, Text);
  }

  void setIndex(std::string_view Register, std::string_view Scale) {
    auto Found = x86RegisterIn(Register);
    if (!Found || !Result.Index.empty())
      refuseLitmus(Line, Text);
    Result.Index = wide(*Found);
    Result.Scale = litmusNumber(Scale, Line);
    if (Result.Scale != 1 && Result.Scale != 2 && Result.Scale != 4 && Result.Scale != 8)
      failLitmus(Line, "an index is scaled by 1, 2, 4 or 8, not by " + quoted(Scale));
  }

  std::string wide(const X86Register &R) const {
    if (R.Bits != 64)
      failLitmus(Line, "an address has 64 bits: " + quoted(Text) + " should name registers of 64 bits");
    return R.Name;
  }

  void readAtt() {
    const size_t Open = Text.find('(');
    if (Open == std::string_view::npos)
      refuseLitmus(Line, Text);
    if (const std::string_view Front = trimmed(Text.substr(0, Open)); !Front.empty())
      addConstant(Front);
    std::vector<std::string_view> Parts;
    for (std::string_view Rest = Text.substr(Open + 1, Text.size() - Open - 2);;) {
      const size_t Comma = Rest.find(',');
      Parts.push_back(trimmed(Rest.substr(0, Comma)));
      if (Comma == std::string_view::npos)
        break;
      Rest.remove_prefix(Comma + 1);
    }
    if (Parts.size() > 3)
      refuseLitmus(Line, Text);
    if (auto Base = x86RegisterIn(Parts[0]))
      Result.Base = wide(*Base);
    else if (lower(Parts[0]) != "%rip" && !Parts[0].empty())
      addConstant(Parts[0]);
    if (Parts.size() > 1)
      setIndex(Parts[1], Parts.size() == 3 ? Parts[2] : "1");
  }

  std::string_view Text;
  uint32_t Line;
  X86Address Result;
};

} // namespace

X86Address X86Instruction::addressIn(std::string_view Operand, uint32_t Line) {
  return AddressReader(Operand, Line).read();
}

} // namespace picket
