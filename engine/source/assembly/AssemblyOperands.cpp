#include "source/assembly/AssemblyOperands.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace picket {

namespace {

[[noreturn]] void refuseOperand(StringRef Text) {
  std::string Shown = Text.str();
  llvm::erase_if(Shown, [](char C) { return C == OperandEnd; });
  std::replace(Shown.begin(), Shown.end(), OperandBegin, '%');
  throw AssemblyRefused{"the operand '" + Shown + "' is not modelled"};
}

/// A reference to an operand of the statement: its number and its modifier.
bool takeReference(StringRef Text, unsigned &Number, StringRef &Modifier) {
  if (!Text.consume_front(StringRef(&OperandBegin, 1)) || !Text.consume_back(StringRef(&OperandEnd, 1)) ||
      Text.contains(OperandBegin))
    return false;
  auto [First, Second] = Text.split(':');
  Modifier = Second;
  return !First.getAsInteger(10, Number);
}

std::optional<AssemblyRegister> x86Register(StringRef Name) {
  struct Names {
    const char *Whole, *Four, *Two, *One, *High;
  };
  static constexpr Names Old[] = {{"rax", "eax", "ax", "al", "ah"}, {"rbx", "ebx", "bx", "bl", "bh"},
                                  {"rcx", "ecx", "cx", "cl", "ch"}, {"rdx", "edx", "dx", "dl", "dh"},
                                  {"rsi", "esi", "si", "sil", ""},  {"rdi", "edi", "di", "dil", ""},
                                  {"rbp", "ebp", "bp", "bpl", ""},  {"rsp", "esp", "sp", "spl", ""}};
  if (Name.empty())
    return std::nullopt;
  for (const Names &N : Old) {
    unsigned Bits = Name == N.Whole ? 64 : Name == N.Four ? 32 : Name == N.Two ? 16 : 0;
    const bool IsHigh = Name == N.High;
    Bits = Name == N.One || IsHigh ? 8 : Bits;
    if (Bits)
      return AssemblyRegister{-1, N.Whole, Bits, IsHigh ? 8u : 0u};
  }
  StringRef Digits = Name;
  unsigned Number = 0;
  if (!Digits.consume_front("r") || Digits.consumeInteger(10, Number) || Number < 8 || Number > 15)
    return std::nullopt;
  const unsigned Bits = Digits.empty() ? 64 : Digits == "d" ? 32 : Digits == "w" ? 16 : Digits == "b" ? 8 : 0;
  return Bits ? std::optional(AssemblyRegister{-1, "r" + std::to_string(Number), Bits}) : std::nullopt;
}

std::optional<AssemblyRegister> armRegister(StringRef Name) {
  if (Name == "xzr" || Name == "wzr")
    return AssemblyRegister{-1, "", Name[0] == 'x' ? 64u : 32u};
  unsigned Number = 0;
  if (Name.size() < 2 || (Name[0] != 'x' && Name[0] != 'w') || Name.drop_front().getAsInteger(10, Number) ||
      Number > 30)
    return std::nullopt;
  return AssemblyRegister{-1, "x" + std::to_string(Number), Name[0] == 'x' ? 64u : 32u};
}

std::optional<AssemblyRegister> powerRegister(StringRef Name) {
  unsigned Number = 0;
  if (!Name.consume_front("r") || Name.getAsInteger(10, Number) || Number > 31)
    return std::nullopt;
  return AssemblyRegister{-1, "r" + std::to_string(Number), 64};
}

std::optional<int64_t> numberIn(StringRef Text) {
  int64_t Value = 0;
  uint64_t Large = 0;
  if (!Text.getAsInteger(0, Value))
    return Value;
  if (!Text.getAsInteger(0, Large))
    return static_cast<int64_t>(Large);
  return std::nullopt;
}

} // namespace

std::optional<AssemblyRegister> AssemblyOperandReader::registerNamed(Architecture For, StringRef Name) {
  const std::string Lower = Name.lower();
  switch (For) {
  case Architecture::X86_64: return x86Register(Lower);
  case Architecture::Aarch64: return armRegister(Lower);
  case Architecture::Powerpc64le: return powerRegister(Lower);
  case Architecture::Other: break;
  }
  return std::nullopt;
}

std::optional<AssemblyRegister> AssemblyOperandReader::registerIn(StringRef Text) const {
  unsigned Number = 0;
  StringRef Modifier;
  if (takeReference(Text, Number, Modifier)) {
    if (Number >= IsMemory.size() || IsMemory[Number])
      return std::nullopt;
    AssemblyRegister R;
    R.Operand = static_cast<int>(Number);
    if (Modifier.empty())
      R.Bits = For == Architecture::X86_64 ? 0 : 64;
    else if (For == Architecture::X86_64 && Modifier.size() == 1 && StringRef("bhwkq").contains(Modifier[0])) {
      R.Bits = Modifier == "q" ? 64 : Modifier == "k" ? 32 : Modifier == "w" ? 16 : 8;
      R.From = Modifier == "h" ? 8 : 0;
    } else if (For == Architecture::Aarch64 && (Modifier == "w" || Modifier == "x"))
      R.Bits = Modifier == "w" ? 32 : 64;
    else if (For == Architecture::Aarch64 && Modifier == "H") {
      R.Bits = 64;
      R.SecondHalf = true;
    } else if (For == Architecture::X86_64 && (Modifier == "c" || Modifier == "P")) // a number
      R.Bits = 0;
    else
      refuseOperand(Text);
    return R;
  }
  if (For == Architecture::X86_64 && !Text.consume_front("%"))
    return std::nullopt;
  if (For == Architecture::Powerpc64le)
    Text.consume_front("%");
  return registerNamed(For, Text);
}

AssemblyOperand AssemblyOperandReader::read(StringRef Text) const {
  AssemblyOperand Read;
  if (std::optional<AssemblyRegister> Register = registerIn(Text)) {
    Read.What = AssemblyOperand::Register;
    Read.Reg = *Register;
    return Read;
  }
  StringRef Digits = Text;
  const bool IsX86 = For == Architecture::X86_64;
  const bool IsMarked = IsX86 ? Digits.consume_front("$") : For == Architecture::Aarch64 && Digits.consume_front("#");
  if (IsMarked || !IsX86) {
    if (std::optional<int64_t> Number = numberIn(Digits)) {
      Read.What = AssemblyOperand::Number;
      Read.Value = *Number;
      return Read;
    }
    // A number that is an operand: #%0
    if (std::optional<AssemblyRegister> Register = IsMarked ? registerIn(Digits) : std::nullopt) {
      Read.What = AssemblyOperand::Register;
      Read.Reg = *Register;
      return Read;
    }
  }
  if (IsX86 && (Text.contains('(') || Text.contains(OperandBegin)))
    return readX86Memory(Text);
  if (For == Architecture::Aarch64 && (Text.starts_with("[") || Text.contains(OperandBegin)))
    return readArmMemory(Text);
  if (For == Architecture::Powerpc64le && (Text.contains('(') || Text.contains(OperandBegin)))
    return readPowerMemory(Text);
  if (Text.find_first_of("%$[](){}#:") != StringRef::npos || Text.contains(OperandBegin))
    refuseOperand(Text);
  Read.Text = Text.str();
  return Read;
}

/// 8(%rax), (%rax,%rbx,4), %0, 8+%0, %0+8
AssemblyOperand AssemblyOperandReader::readX86Memory(StringRef Text) const {
  AssemblyOperand Read;
  Read.What = AssemblyOperand::Memory;
  unsigned Number = 0;
  StringRef Modifier;
  auto Reference = [&](StringRef Part) {
    if (!takeReference(Part.trim(), Number, Modifier) || !Modifier.empty() || Number >= IsMemory.size() ||
        !IsMemory[Number])
      return false;
    Read.MemoryOperand = static_cast<int>(Number);
    return true;
  };
  if (Reference(Text))
    return Read;
  if (auto [First, Second] = Text.split('+'); !Second.empty()) {
    std::optional<int64_t> Added = numberIn(First.trim());
    if (Added ? Reference(Second) : Reference(First) && (Added = numberIn(Second.trim()))) {
      Read.Value = *Added;
      return Read;
    }
  }
  auto [Displacement, Rest] = Text.split('(');
  SmallVector<StringRef, 3> Parts;
  if (!Rest.consume_back(")"))
    refuseOperand(Text);
  Rest.split(Parts, ',');
  const std::optional<int64_t> Added = Displacement.trim().empty() ? 0 : numberIn(Displacement.trim());
  const std::optional<AssemblyRegister> Base = registerIn(Parts[0].trim());
  if (!Added || !Base || Parts.size() > 3)
    refuseOperand(Text);
  Read.Value = *Added;
  Read.Reg = *Base;
  Read.HasBase = true;
  if (Parts.size() > 1) {
    const std::optional<AssemblyRegister> Index = registerIn(Parts[1].trim());
    if (!Index || (Parts.size() > 2 && Parts[2].trim().getAsInteger(10, Read.Scale)))
      refuseOperand(Text);
    Read.Index = *Index;
    Read.HasIndex = true;
  }
  return Read;
}

/// [x0], [x0, #8], [x0, x1], %0
AssemblyOperand AssemblyOperandReader::readArmMemory(StringRef Text) const {
  AssemblyOperand Read;
  Read.What = AssemblyOperand::Memory;
  unsigned Number = 0;
  StringRef Modifier;
  if (takeReference(Text, Number, Modifier) && Modifier.empty() && Number < IsMemory.size() && IsMemory[Number]) {
    Read.MemoryOperand = static_cast<int>(Number);
    return Read;
  }
  StringRef Inside = Text;
  if (!Inside.consume_front("[") || !Inside.consume_back("]"))
    refuseOperand(Text);
  auto [First, Second] = Inside.split(',');
  const std::optional<AssemblyRegister> Base = registerIn(First.trim());
  if (!Base || Base->isZero() || Base->Bits != 64)
    refuseOperand(Text);
  Read.Reg = *Base;
  Read.HasBase = true;
  Second = Second.trim();
  if (Second.empty())
    return Read;
  if (std::optional<AssemblyRegister> Index = registerIn(Second); Index && Index->Bits == 64) {
    Read.Index = *Index;
    Read.HasIndex = true;
    return Read;
  }
  Second.consume_front("#");
  const std::optional<int64_t> Added = numberIn(Second);
  if (!Added)
    refuseOperand(Text);
  Read.Value = *Added;
  return Read;
}

/// 8(3), %0; and %y0, which stands for two operands
AssemblyOperand AssemblyOperandReader::readPowerMemory(StringRef Text) const {
  AssemblyOperand Read;
  Read.What = AssemblyOperand::Memory;
  unsigned Number = 0;
  StringRef Modifier;
  if (takeReference(Text, Number, Modifier) && (Modifier.empty() || Modifier == "y") && Number < IsMemory.size() &&
      IsMemory[Number]) {
    Read.MemoryOperand = static_cast<int>(Number);
    return Read;
  }
  auto [Displacement, Rest] = Text.split('(');
  if (!Rest.consume_back(")"))
    refuseOperand(Text);
  std::string Name = Rest.trim().str();
  if (numberIn(Name)) // registers are numbers here
    Name = "r" + Name;
  const std::optional<int64_t> Added = Displacement.trim().empty() ? 0 : numberIn(Displacement.trim());
  const std::optional<AssemblyRegister> Base = registerIn(Name);
  if (!Added || !Base || Base->Name == "r0") // which is zero here
    refuseOperand(Text);
  Read.Value = *Added;
  Read.Reg = *Base;
  Read.HasBase = true;
  return Read;
}

} // namespace picket
