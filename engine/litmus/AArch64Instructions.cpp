#include "litmus/AArch64Forms.h"
#include "litmus/LitmusText.h"

namespace picket {

std::optional<std::string> aarch64Register(std::string_view Text) {
  if (Text.size() < 2 || Text.size() > 3 || (lower(Text)[0] != 'x' && lower(Text)[0] != 'w'))
    return std::nullopt;
  const std::optional<uint32_t> Number = threadNumber(Text.substr(1));
  if (!Number || *Number > 30 || std::to_string(*Number) != Text.substr(1))
    return std::nullopt;
  return "X" + std::to_string(*Number);
}

namespace {

uint8_t bits(Order O) { return static_cast<uint8_t>(O); }

/// One instruction of a thread. Registers hold 64 bits; what is written as W is zero-extended.
class AArch64Writer {
public:
  AArch64Writer(const LitmusInstruction &I, LitmusThread &Code) : Instr(I), Code(Code), Name(AArch64Form::nameOf(I)) {}

  void write() {
    if (!writeMemory() && !writeFence() && !writeMove() && !writeArithmetic() && !writeSelection() && !writeControl())
      refuseLitmus(Instr.Line, Instr.Mnemonic);
  }

private:
  struct Register {
    std::string Name; // empty: XZR or WZR
    uint8_t Bits;
    bool isZero() const { return Name.empty(); }
  };

  static std::optional<Register> registerIn(std::string_view Text) {
    const std::string Low = lower(Text);
    const uint8_t Bits = !Low.empty() && Low[0] == 'x' ? 64 : 32;
    if (Low == "xzr" || Low == "wzr")
      return Register{"", Bits};
    auto Known = aarch64Register(Text);
    return Known ? std::optional(Register{*Known, Bits}) : std::nullopt;
  }
  Register reg(size_t K) const {
    if (auto Found = registerIn(Instr.Operands[K]))
      return *Found;
    failLitmus(Instr.Line, quoted(Instr.Operands[K]) + " is no register");
  }
  /// A register as wide as another one of the instruction.
  Register reg(size_t K, uint8_t Bits) const {
    Register R = reg(K);
    if (R.Bits != Bits)
      failLitmus(Instr.Line,
                 quoted(Instr.Operands[K]) + " should have " + std::to_string(Bits) + " bits, as the others");
    return R;
  }
  Operand valueOf(const Register &R) const {
    if (R.isZero())
      return Code.constant(0);
    const int32_t Slot = Code.slotOf(R.Name);
    return R.Bits == 32 && Code.exceedsWord(R.Name) ? Code.truncated(Slot) : Slot;
  }
  int32_t destination(const Register &R) const { return R.isZero() ? Code.temporary() : Code.slotOf(R.Name); }

  bool isImmediate(size_t K) const { return Instr.Operands[K].starts_with('#') || looksLikeNumber(Instr.Operands[K]); }
  static int64_t numberIn(std::string_view Text, uint32_t Line) {
    if (!Text.empty() && Text.front() == '#')
      Text.remove_prefix(1);
    return wideLitmusNumber(trimmed(Text), Line);
  }
  Operand immediate(size_t K, uint8_t Bits) const {
    const int64_t Number = numberIn(Instr.Operands[K], Instr.Line);
    if (Bits == 32 && Number != static_cast<int32_t>(Number) &&
        Number != static_cast<int64_t>(static_cast<uint32_t>(Number)))
      failLitmus(Instr.Line, "the number " + quoted(Instr.Operands[K]) + " needs more than 32 bits");
    return Code.truncated(Code.constant(static_cast<uint64_t>(Number)), Bits / 8);
  }

  /// "SXTW", "UXTW #2", "LSL #3" applied to a register.
  Operand modified(const Register &R, std::string_view Modifier, uint8_t Bits) const {
    const size_t End = Modifier.find_first_of(" #");
    const std::string How = lower(Modifier.substr(0, End));
    const std::string_view Amount = End == std::string_view::npos ? "" : trimmed(Modifier.substr(End));
    const int64_t Shift = Amount.empty() ? 0 : numberIn(Amount, Instr.Line);
    if (Shift < 0 || Shift >= Bits)
      failLitmus(Instr.Line, quoted(Modifier) + " shifts too far");
    Operand Value = valueOf(R);
    if (How == "sxtw" || How == "uxtw") {
      if (R.Bits != 32)
        failLitmus(Instr.Line, quoted(Modifier) + " needs a W register");
      if (How == "sxtw" && Bits == 64) {
        const int32_t Extended = Code.temporary();
        Code.emit({.Op = Opcode::SignExtend, .Width = 32, .Dst = Extended, .A = Value, .C = 64});
        Value = Extended;
      }
    } else if (How == "lsl") {
      if (R.Bits != Bits)
        failLitmus(Instr.Line, quoted(Modifier) + " needs a register of " + std::to_string(Bits) + " bits");
    } else {
      refuseLitmus(Instr.Line, Modifier);
    }
    if (!Shift)
      return Value;
    const int32_t Shifted = Code.temporary();
    Code.binary(Opcode::Shl, Shifted, Value, Code.constant(static_cast<uint64_t>(Shift)), Bits);
    return Shifted;
  }

  struct Place {
    Operand Where;
    int64_t Offset;
  };

  /// [Xn], [Xn,#4], [Xn,Xm], [Xn,Wm,SXTW]
  Place place(size_t K, bool Plain) const {
    const std::vector<std::string> Parts = AArch64Form::partsOfAddress(Instr.Operands[K], Instr.Line);
    auto Base = registerIn(Parts[0]);
    if (!Base || Base->isZero())
      failLitmus(Instr.Line, quoted(Parts[0]) + " is no register");
    if (Base->Bits != 64)
      failLitmus(Instr.Line, "an address has 64 bits: " + quoted(Parts[0]) + " should be an X register");
    const int32_t Slot = Code.slotOf(Base->Name);
    if (Parts.size() == 1)
      return {Slot, 0};
    auto Index = registerIn(Parts[1]);
    if (!Index) {
      const int64_t Offset = numberIn(Parts[1], Instr.Line);
      if (Parts.size() > 2 || (Offset && !Plain))
        refuseLitmus(Instr.Line, Instr.Operands[K]);
      return {Slot, Offset};
    }
    if (!Plain)
      refuseLitmus(Instr.Line, Instr.Operands[K]);
    if (Parts.size() == 2 && Index->Bits != 64)
      failLitmus(Instr.Line, quoted(Parts[1]) + " needs SXTW or UXTW after it, or should be an X register");
    const Operand Added = Parts.size() == 2 ? valueOf(*Index) : modified(*Index, Parts[2], 64);
    const int32_t Sum = Code.temporary();
    Code.binary(Opcode::Add, Sum, Slot, Added);
    return {Sum, 0};
  }

  bool writeMemory() {
    const std::optional<AArch64Form> Form = AArch64Form::of(Name);
    if (!Form)
      return false;
    if (const size_t Count = Form->numOperands();
        Instr.Operands.size() == Count + 1 && Instr.Operands[Count - 1].ends_with(']'))
      refuseLitmus(Instr.Line, Instr.Operands[Count - 1] + "," + Instr.Operands[Count]); // it also changes the register
    wantOperands(Instr, Form->numOperands());
    const Register Data = reg(Form->dataOperand());
    const uint8_t Width = Form->Narrow ? Form->Narrow : Data.Bits / 8;
    if (Form->Narrow && Data.Bits != 32)
      failLitmus(Instr.Line, quoted(Instr.Operands[0]) + " should be a W register");
    const Place At = place(Instr.Operands.size() - 1, Form->What == AArch64Form::Plain);
    const uint8_t Flags = bits(Form->Ordering);
    switch (Form->What) {
    case AArch64Form::Plain:
    case AArch64Form::Ordered:
      if (Form->Loads)
        Code.emit({.Op = Opcode::Load,
                   .Width = Width,
                   .Flags = Flags,
                   .Dst = destination(Data),
                   .A = At.Where,
                   .Imm = At.Offset});
      else
        Code.emit({.Op = Opcode::Store,
                   .Width = Width,
                   .Flags = Flags,
                   .A = At.Where,
                   .B = Code.truncated(valueOf(Data), Width),
                   .Imm = At.Offset});
      break;
    case AArch64Form::Exclusive:
      if (Form->Loads)
        Code.emit({.Op = Opcode::LoadReserve, .Width = Width, .Flags = Flags, .Dst = destination(Data), .A = At.Where});
      else
        storeExclusive(At, Data, Width, Flags);
      break;
    case AArch64Form::Update: update(*Form, At, Data, Width); break;
    case AArch64Form::CompareSwap: compareSwap(*Form, At, Data, Width); break;
    }
    return true;
  }

  /// The status is 0 if it was done.
  void storeExclusive(const Place &At, const Register &Data, uint8_t Width, uint8_t Flags) const {
    const Register Status = reg(0, 32);
    const int32_t Done = Code.temporary();
    Code.emit({.Op = Opcode::StoreConditional,
               .Width = Width,
               .Flags = Flags,
               .Dst = Done,
               .A = At.Where,
               .B = valueOf(Data)});
    Code.binary(Opcode::Xor, destination(Status), Done, Code.constant(1), 32);
  }

  void update(const AArch64Form &Form, const Place &At, const Register &Data, uint8_t Width) const {
    const bool Unused = !Form.Loads || reg(1, Data.Bits).isZero();
    Operand Value = valueOf(Data);
    if (Form.Clears) { // the bits that are given
      const int32_t Kept = Code.temporary();
      Code.binary(Opcode::Xor, Kept, Value, Code.truncated(Code.constant(~0ull), Width), Data.Bits);
      Value = Kept;
    }
    Code.emit({.Op = Opcode::Rmw,
               .Width = Width,
               .Flags = Form.flags(Unused),
               .Dst = Unused ? Code.temporary() : destination(reg(1)),
               .A = At.Where,
               .B = Value,
               .C = static_cast<int32_t>(Form.Op)});
  }

  void compareSwap(const AArch64Form &Form, const Place &At, const Register &Expected, uint8_t Width) const {
    const Register New = reg(1, Expected.Bits);
    const Operand Compared = valueOf(Expected), Written = valueOf(New);
    const int32_t Old = Code.temporary();
    Code.temporary(); // whether it was done stands behind the old value
    const uint8_t Flags = Form.flags(Expected.isZero());
    const auto Success = static_cast<Order>(Flags & OrderMask);
    // One that fails is only a read.
    const Order Failure = Success == Order::Acquire || Success == Order::AcqRel ? Order::Acquire : Order::Relaxed;
    Code.emit({.Op = Opcode::CmpXchg,
               .Width = Width,
               .Flags = Flags,
               .Dst = Old,
               .A = At.Where,
               .B = Compared,
               .C = Written,
               .Imm = static_cast<int64_t>(Failure)});
    if (!Expected.isZero())
      Code.move(Code.slotOf(Expected.Name), Old);
  }

  bool writeFence() {
    if (Name != "dmb" && Name != "dsb" && Name != "isb")
      return false;
    if (Instr.Operands.empty() && Name == "isb") {
      Code.fence(FenceKind::Isb);
      return true;
    }
    wantOperands(Instr, 1);
    static const std::map<std::string_view, size_t> Options = {{"sy", 0}, {"ish", 0},   {"osh", 0},   {"nsh", 0},
                                                               {"ld", 1}, {"ishld", 1}, {"oshld", 1}, {"nshld", 1},
                                                               {"st", 2}, {"ishst", 2}, {"oshst", 2}, {"nshst", 2}};
    auto Found = Options.find(lower(Instr.Operands[0]));
    if (Found == Options.end() || (Name == "isb" && Found->first != "sy"))
      failLitmus(Instr.Line, quoted(Instr.Mnemonic) + " has no option " + quoted(Instr.Operands[0]));
    static constexpr FenceKind Dmb[] = {FenceKind::Full, FenceKind::DmbLd, FenceKind::DmbSt};
    static constexpr FenceKind Dsb[] = {FenceKind::Dsb, FenceKind::DsbLd, FenceKind::DsbSt};
    Code.fence(Name == "isb" ? FenceKind::Isb : (Name == "dmb" ? Dmb : Dsb)[Found->second]);
    return true;
  }

  bool writeMove() {
    if (Name == "nop")
      return true;
    const bool Negates = Name == "neg", Inverts = Name == "mvn";
    if (Name != "mov" && Name != "movz" && !Negates && !Inverts)
      return false;
    wantOperands(Instr, 2);
    const Register To = reg(0);
    const Operand From = isImmediate(1) ? immediate(1, To.Bits) : valueOf(reg(1, To.Bits));
    if (Negates)
      Code.binary(Opcode::Sub, destination(To), Code.constant(0), From, To.Bits);
    else if (Inverts)
      Code.binary(Opcode::Xor, destination(To), From, Code.truncated(Code.constant(~0ull), To.Bits / 8), To.Bits);
    else
      Code.move(destination(To), From);
    return true;
  }

  /// What stands behind the first operands: #1, W2, or W2,SXTW.
  Operand lastValue(size_t K, uint8_t Bits) const {
    if (Instr.Operands.size() == K + 2)
      return modified(reg(K), Instr.Operands[K + 1], Bits);
    wantOperands(Instr, K + 1);
    return isImmediate(K) ? immediate(K, Bits) : valueOf(reg(K, Bits));
  }

  bool writeArithmetic() {
    static const std::map<std::string_view, Opcode> Binaries = {
        {"add", Opcode::Add},  {"sub", Opcode::Sub}, {"subs", Opcode::Sub}, {"eor", Opcode::Xor}, {"and", Opcode::And},
        {"ands", Opcode::And}, {"orr", Opcode::Or},  {"mul", Opcode::Mul},  {"lsl", Opcode::Shl}, {"lsr", Opcode::LShr},
        {"asr", Opcode::AShr}, {"cmp", Opcode::Sub}, {"tst", Opcode::And}};
    auto Found = Binaries.find(Name);
    if (Found == Binaries.end())
      return false;
    const bool Compares = Name == "cmp" || Name == "tst";
    const size_t First = Compares ? 0 : 1; // of the operands that are read
    if (Instr.Operands.size() < First + 2)
      wantOperands(Instr, First + 2);
    const uint8_t Bits = reg(0).Bits;
    if ((Name == "lsl" || Name == "lsr" || Name == "asr") &&
        (!isImmediate(2) || numberIn(Instr.Operands[2], Instr.Line) < 0 ||
         numberIn(Instr.Operands[2], Instr.Line) >= Bits))
      refuseLitmus(Instr.Line, Instr.Mnemonic + " by " + Instr.Operands[2]);
    const Operand A = valueOf(reg(First, Bits)), B = lastValue(First + 1, Bits);
    if (Name == "cmp" || Name == "subs")
      Code.compare(A, B, Bits);
    // The flags come first: the destination may be one of the operands.
    const int32_t To = Compares ? Code.temporary() : destination(reg(0));
    if (Name != "cmp")
      Code.binary(Found->second, To, A, B, Bits);
    if (Name == "tst" || Name == "ands") { // there is no borrow and no overflow
      Code.compare(To, Code.constant(0), Bits);
      Code.setFlag(LitmusFlag::Lower, true);
      Code.setFlag(LitmusFlag::Higher, false);
    }
    return true;
  }

  AArch64Condition condition(std::string_view Text) const {
    if (auto Found = AArch64Condition::named(lower(Text)))
      return *Found;
    refuseLitmus(Instr.Line, "condition " + std::string(Text));
  }

  bool writeSelection() {
    if (Name == "cset") {
      wantOperands(Instr, 2);
      const AArch64Condition If = condition(Instr.Operands[1]);
      select(reg(0), If, Code.constant(1), Code.constant(0));
    } else if (Name == "csel") {
      wantOperands(Instr, 4);
      const AArch64Condition If = condition(Instr.Operands[3]);
      const Register To = reg(0);
      const Operand A = valueOf(reg(1, To.Bits)), B = valueOf(reg(2, To.Bits));
      select(To, If, A, B);
    } else {
      return false;
    }
    return true;
  }
  void select(const Register &To, const AArch64Condition &If, Operand Yes, Operand No) const {
    Code.emit({.Op = Opcode::Select,
               .Dst = destination(To),
               .A = Code.flagSlot(If.Flag),
               .B = If.Set ? Yes : No,
               .C = If.Set ? No : Yes});
  }

  bool writeControl() {
    if (Name == "b") {
      wantOperands(Instr, 1);
      Code.jump(Instr.Operands[0]);
    } else if (Name == "ret") {
      wantOperands(Instr, 0);
      Code.leave();
    } else if (Name == "cbz" || Name == "cbnz") {
      wantOperands(Instr, 2);
      Code.branch(valueOf(reg(0)), Name == "cbnz", Instr.Operands[1]);
    } else if (Name == "tbz" || Name == "tbnz") {
      wantOperands(Instr, 3);
      const Register Tested = reg(0);
      const int64_t Bit = numberIn(Instr.Operands[1], Instr.Line);
      if (Bit < 0 || Bit >= Tested.Bits)
        failLitmus(Instr.Line, quoted(Instr.Operands[0]) + " has no bit " + std::to_string(Bit));
      const int32_t Found = Code.temporary();
      Code.binary(Opcode::And, Found, valueOf(Tested), Code.constant(1ull << Bit), Tested.Bits);
      Code.branch(Found, Name == "tbnz", Instr.Operands[2]);
    } else if (Name.rfind("b.", 0) == 0) {
      wantOperands(Instr, 1);
      const AArch64Condition If = condition(std::string_view(Name).substr(2));
      Code.branch(If.Flag, If.Set, Instr.Operands[0]);
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

void prepareAArch64(const LitmusInstruction &I, LitmusThread &Code) {
  const std::string Name = AArch64Form::nameOf(I);
  auto IsWide = [&](size_t K) { return K < I.Operands.size() && lower(I.Operands[K])[0] == 'x'; };
  auto MarkWide = [&](size_t K) {
    if (auto Register = IsWide(K) ? aarch64Register(I.Operands[K]) : std::nullopt)
      Code.markWide(*Register);
  };
  const std::string Condition = Name.rfind("b.", 0) == 0                                    ? Name.substr(2)
                                : (Name == "csel" || Name == "cset") && !I.Operands.empty() ? lower(I.Operands.back())
                                                                                            : "";
  if (auto Found = AArch64Condition::named(Condition))
    Code.needFlag(Found->Flag);
  const std::optional<AArch64Form> Form = AArch64Form::of(Name);
  if (!Form) {
    if (Name != "cmp" && Name != "tst" && Name[0] != 'b' && Name.rfind("cb", 0) != 0 && Name.rfind("tb", 0) != 0)
      MarkWide(0);
    return;
  }
  if (Form->Loads)
    MarkWide(Form->What == AArch64Form::Update ? 1 : 0);
  if (I.Operands.size() != Form->numOperands() || !IsWide(Form->dataOperand()))
    return;
  if (auto Base = aarch64Register(AArch64Form::partsOfAddress(I.Operands.back(), I.Line)[0]))
    Code.widenTarget(*Base);
}

void writeAArch64(const LitmusInstruction &I, LitmusThread &Code) { AArch64Writer(I, Code).write(); }

} // namespace picket
