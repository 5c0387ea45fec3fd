#include "litmus/LitmusInstructions.h"
#include "litmus/LitmusText.h"

namespace picket {

void wantOperands(const LitmusInstruction &I, size_t Count) {
  if (I.Operands.size() != Count)
    failLitmus(I.Line, quoted(I.Mnemonic) + " takes " + std::to_string(Count) +
                           (Count == 1 ? " operand" : " operands") + ", not " + std::to_string(I.Operands.size()));
}

std::optional<std::string> ppcRegister(std::string_view Text) {
  if (Text.size() < 2 || Text.size() > 3 || (Text[0] != 'r' && Text[0] != 'R') || !looksLikeNumber(Text.substr(1)) ||
      (Text.size() == 3 && (Text[1] == '0' || !looksLikeNumber(Text.substr(2)))))
    return std::nullopt;
  const std::string Number(Text.substr(1));
  if (std::stoi(Number) > 31)
    return std::nullopt;
  return "r" + Number;
}

namespace {

std::optional<LitmusBranch> branchOf(std::string_view Name) {
  static const std::map<std::string_view, LitmusBranch> Branches = {
      {"beq", {LitmusFlag::Equal, true}}, {"bne", {LitmusFlag::Equal, false}},  {"blt", {LitmusFlag::Less, true}},
      {"bge", {LitmusFlag::Less, false}}, {"bgt", {LitmusFlag::Greater, true}}, {"ble", {LitmusFlag::Greater, false}},
  };
  if (!Name.empty() && (Name.back() == '+' || Name.back() == '-')) // hints for the predictor
    Name.remove_suffix(1);
  auto Found = Branches.find(Name);
  return Found == Branches.end() ? std::nullopt : std::optional(Found->second);
}

/// One instruction of a thread.
class PpcWriter {
public:
  PpcWriter(const LitmusInstruction &I, LitmusThread &Code) : Instr(I), Code(Code), Name(lower(I.Mnemonic)) {}

  void write() {
    if (!writeFence() && !writeMemory() && !writeArithmetic() && !writeControl())
      refuseLitmus(Instr.Line, Instr.Mnemonic);
  }

private:
  int32_t slot(size_t K) const {
    if (auto Register = ppcRegister(Instr.Operands[K]))
      return Code.slotOf(*Register);
    failLitmus(Instr.Line, quoted(Instr.Operands[K]) + " is no register");
  }
  /// Register 0 in the place of a base means the number zero.
  Operand base(std::string_view Text) const {
    auto Register = ppcRegister(Text);
    if (!Register && Text != "0")
      failLitmus(Instr.Line, quoted(Text) + " is no register");
    return !Register || *Register == "r0" ? Code.constant(0) : Code.slotOf(*Register);
  }
  int32_t immediate(size_t K) const { return litmusNumber(Instr.Operands[K], Instr.Line); }

  /// rA + rB: operands 1 and 2.
  Operand indexed() const {
    wantOperands(Instr, 3);
    const Operand Base = base(Instr.Operands[1]), Index = slot(2);
    if (Base < 0)
      return Index;
    const int32_t Sum = Code.temporary();
    Code.binary(Opcode::Add, Sum, Base, Index);
    return Sum;
  }

  /// offset(rA): operand 1.
  std::pair<Operand, int32_t> displaced() const {
    wantOperands(Instr, 2);
    const std::string &Text = Instr.Operands[1];
    const size_t Open = Text.find('(');
    if (Open == std::string::npos || Text.back() != ')')
      failLitmus(Instr.Line, quoted(Text) + " is no address of the form offset(register)");
    std::string_view Offset = trimmed(std::string_view(Text).substr(0, Open));
    std::string_view Base = trimmed(std::string_view(Text).substr(Open + 1, Text.size() - Open - 2));
    return {base(Base), Offset.empty() ? 0 : litmusNumber(Offset, Instr.Line)};
  }

  bool writeFence() {
    static const std::map<std::string_view, FenceKind> Fences = {{"sync", FenceKind::Full},
                                                                 {"hwsync", FenceKind::Full},
                                                                 {"lwsync", FenceKind::LwSync},
                                                                 {"isync", FenceKind::ISync},
                                                                 {"eieio", FenceKind::StoreStore}};
    auto Found = Fences.find(Name);
    if (Found == Fences.end())
      return false;
    wantOperands(Instr, 0);
    Code.fence(Found->second);
    return true;
  }

  bool writeMemory() {
    struct Plain {
      bool Loads;
      uint8_t Width;
      bool Indexed;
    };
    static const std::map<std::string_view, Plain> Accesses = {
        {"lbz", {true, 1, false}},  {"lhz", {true, 2, false}},  {"lwz", {true, 4, false}},  {"lbzx", {true, 1, true}},
        {"lhzx", {true, 2, true}},  {"lwzx", {true, 4, true}},  {"stb", {false, 1, false}}, {"sth", {false, 2, false}},
        {"stw", {false, 4, false}}, {"stbx", {false, 1, true}}, {"sthx", {false, 2, true}}, {"stwx", {false, 4, true}}};
    if (auto Found = Accesses.find(Name); Found != Accesses.end()) {
      const Plain &A = Found->second;
      const auto [Where, Offset] = A.Indexed ? std::pair<Operand, int32_t>(indexed(), 0) : displaced();
      if (A.Loads)
        Code.load(slot(0), Where, Offset, false, A.Width);
      else
        Code.store(Where, slot(0), Offset, A.Width);
    } else if (Name == "lwarx") {
      const Operand Where = indexed();
      Code.load(slot(0), Where, 0, true);
    } else if (Name == "stwcx.") {
      const Operand Where = indexed();
      Code.storeConditional(Where, slot(0));
    } else {
      return false;
    }
    return true;
  }

  bool writeArithmetic() {
    static const std::map<std::string_view, Opcode> Binaries = {{"add", Opcode::Add},  {"sub", Opcode::Sub},
                                                                {"subf", Opcode::Sub}, {"and", Opcode::And},
                                                                {"or", Opcode::Or},    {"xor", Opcode::Xor}};
    if (auto Found = Binaries.find(Name); Found != Binaries.end()) {
      wantOperands(Instr, 3);
      const bool Swapped = Name == "subf"; // subtracts from
      Code.binary(Found->second, slot(0), slot(Swapped ? 2 : 1), slot(Swapped ? 1 : 2));
    } else if (Name == "li") {
      wantOperands(Instr, 2);
      Code.move(slot(0), Code.number(immediate(1)));
    } else if (Name == "mr") {
      wantOperands(Instr, 2);
      Code.move(slot(0), slot(1));
    } else if (Name == "addi") {
      wantOperands(Instr, 3);
      Code.binary(Opcode::Add, slot(0), base(Instr.Operands[1]), Code.number(immediate(2)));
    } else if (Name == "lis") {
      wantOperands(Instr, 2);
      Code.move(slot(0), Code.number(shifted(1)));
    } else if (Name == "addis") {
      wantOperands(Instr, 3);
      Code.binary(Opcode::Add, slot(0), base(Instr.Operands[1]), Code.number(shifted(2)));
    } else if (Name == "extsw") {
      wantOperands(Instr, 2);
      signExtend(slot(0), slot(1));
    } else if (Name == "clrldi") {
      wantOperands(Instr, 3);
      const int32_t Masked = Code.temporary();
      Code.binary(Opcode::And, Masked, slot(1), Code.constant(~0ull >> bitNumber(2, 63)));
      signExtend(slot(0), Masked);
    } else if (Name == "rlwinm") {
      wantOperands(Instr, 5);
      rotateAndMask();
    } else {
      return Name == "nop";
    }
    return true;
  }

  /// An immediate for the upper half of a word.
  int32_t shifted(size_t K) const {
    const int32_t Number = immediate(K);
    if (Number < -0x8000 || Number > 0xffff)
      failLitmus(Instr.Line, "the number " + quoted(Instr.Operands[K]) + " needs more than 16 bits");
    return static_cast<int32_t>(static_cast<uint32_t>(Number) << 16);
  }
  unsigned bitNumber(size_t K, unsigned Most) const {
    const int32_t Number = immediate(K);
    if (Number < 0 || static_cast<unsigned>(Number) > Most)
      failLitmus(Instr.Line, quoted(Instr.Operands[K]) + " is not between 0 and " + std::to_string(Most));
    return static_cast<unsigned>(Number);
  }
  /// Registers hold words with their sign.
  void signExtend(int32_t To, Operand From) const {
    Code.emit({.Op = Opcode::SignExtend, .Width = 32, .Dst = To, .A = Code.truncated(From), .C = 64});
  }

  /// rA = rS rotated left by SH, of which only the bits MB to ME stay. Bit 0 is the highest.
  void rotateAndMask() const {
    const unsigned Shift = bitNumber(2, 31), First = bitNumber(3, 31), Last = bitNumber(4, 31);
    const uint32_t FromFirst = ~0u >> First, UpToLast = ~0u << (31 - Last);
    const uint32_t Mask = First <= Last ? FromFirst & UpToLast : FromFirst | UpToLast;
    Operand Word = Code.truncated(slot(1));
    if (Shift) {
      const int32_t High = Code.temporary(), Low = Code.temporary(), Both = Code.temporary();
      Code.binary(Opcode::Shl, High, Word, Code.constant(Shift), 32);
      Code.binary(Opcode::LShr, Low, Word, Code.constant(32 - Shift), 32);
      Code.binary(Opcode::Or, Both, High, Low, 32);
      Word = Both;
    }
    const int32_t Masked = Code.temporary();
    Code.binary(Opcode::And, Masked, Word, Code.constant(Mask), 32);
    signExtend(slot(0), Masked);
  }

  /// Operand `First` of a comparison or branch, behind the condition register, which can only be the first one.
  size_t skipConditionRegister(size_t Count) {
    if (Instr.Operands.size() != Count + 1) {
      wantOperands(Instr, Count);
      return 0;
    }
    if (lower(Instr.Operands[0]) != "cr0")
      refuseLitmus(Instr.Line, Instr.Operands[0]);
    return 1;
  }

  bool writeControl() {
    if (Name == "cmpw" || Name == "cmpwi") {
      const size_t First = skipConditionRegister(2);
      const int32_t Left = slot(First);
      Code.compare(Left, Name == "cmpw" ? slot(First + 1) : Code.number(immediate(First + 1)));
    } else if (Name == "cmplw" || Name == "cmplwi") {
      const size_t First = skipConditionRegister(2);
      const int32_t Left = slot(First);
      Code.compareUnsigned(Left, Name == "cmplw" ? slot(First + 1) : Code.number(immediate(First + 1)));
    } else if (Name == "blr") {
      wantOperands(Instr, 0);
      Code.leave();
    } else if (Name == "b") {
      wantOperands(Instr, 1);
      Code.jump(Instr.Operands[0]);
    } else if (auto Branch = branchOf(Name)) {
      const size_t First = skipConditionRegister(1);
      Code.branch(Branch->Flag, Branch->Set, Instr.Operands[First]);
    } else {
      return false;
    }
    return true;
  }

  const LitmusInstruction &Instr;
  LitmusThread &Code;
  const std::string Name;
};

} // namespace

void preparePpc(const LitmusInstruction &I, LitmusThread &Code) {
  if (auto Branch = branchOf(lower(I.Mnemonic)))
    Code.needFlag(Branch->Flag);
}

void writePpc(const LitmusInstruction &I, LitmusThread &Code) { PpcWriter(I, Code).write(); }

} // namespace picket
