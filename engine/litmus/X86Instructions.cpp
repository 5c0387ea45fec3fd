#include "litmus/LitmusText.h"
#include "litmus/X86Operands.h"

#include <set>

namespace picket {

std::optional<std::string> x86Register(std::string_view Text) {
  static const std::set<std::string> Registers = {"eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp"};
  std::string Name = lower(Text);
  if (!Registers.count(Name))
    return std::nullopt;
  for (char &C : Name)
    C = static_cast<char>(C - 'a' + 'A');
  return Name;
}

namespace {

std::optional<LitmusBranch> branchOf(std::string_view Name) {
  static const std::map<std::string_view, LitmusBranch> Branches = {
      {"je", {LitmusFlag::Equal, true}},   {"jz", {LitmusFlag::Equal, true}},    {"jne", {LitmusFlag::Equal, false}},
      {"jnz", {LitmusFlag::Equal, false}}, {"jl", {LitmusFlag::Less, true}},     {"jge", {LitmusFlag::Less, false}},
      {"jg", {LitmusFlag::Greater, true}}, {"jle", {LitmusFlag::Greater, false}}};
  auto Found = Branches.find(Name);
  return Found == Branches.end() ? std::nullopt : std::optional(Found->second);
}

struct Arithmetic {
  Opcode Op;
  RmwOp Locked;
};

const std::map<std::string_view, Arithmetic> Binaries = {{"add", {Opcode::Add, RmwOp::Add}},
                                                         {"sub", {Opcode::Sub, RmwOp::Sub}},
                                                         {"and", {Opcode::And, RmwOp::And}},
                                                         {"or", {Opcode::Or, RmwOp::Or}},
                                                         {"xor", {Opcode::Xor, RmwOp::Xor}}};

/// One instruction of a thread. Registers of X86 hold words sign-extended; those of X86_64 hold 64 bits, and 32 that
/// are written are zero-extended.
class X86Writer {
public:
  X86Writer(const LitmusInstruction &Text, LitmusThread &Code, bool IsWide)
      : Text(Text), Instr(Text, IsWide), Code(Code), IsWide(IsWide) {}

  void write() {
    const bool Known =
        Instr.Locked ? writeLocked() : writeMove() || writeArithmetic() || writeControl() || writeFence();
    if (!Known)
      refuseLitmus(Text.Line, Instr.Mnemonic);
  }

private:
  struct Place {
    enum Kind { Register, Memory, Immediate } What;
    Operand Where; // the slot, the address, or the number
    Operand Value; // what can be read without an access
    int64_t Offset = 0;
  };

  void wantOperands(size_t Count) const {
    picket::wantOperands({.Mnemonic = Instr.Mnemonic, .Operands = Instr.Operands, .Line = Text.Line}, Count);
  }

  Place place(size_t K) const { return IsWide ? widePlace(Instr.Operands[K]) : wordPlace(Instr.Operands[K]); }

  Place wordPlace(std::string_view Written) const {
    std::string_view Text = Written;
    if (auto Register = x86Register(Text))
      return {Place::Register, Code.slotOf(*Register), Code.slotOf(*Register)};
    if (Text.size() >= 2 && Text.front() == '[' && Text.back() == ']') {
      Text = trimmed(Text.substr(1, Text.size() - 2));
      if (auto Register = x86Register(Text))
        return {Place::Memory, Code.slotOf(*Register), 0};
      if (isName(Text))
        return {Place::Memory, Code.addressOf(Text), 0};
      refuseLitmus(this->Text.Line, Written);
    }
    return immediate(Written);
  }

  Place widePlace(const std::string &Written) const {
    if (auto Register = x86RegisterIn(Written)) {
      const int32_t Slot = Code.slotOf(Register->Name);
      return {Place::Register, Slot,
              Instr.Bits == 32 && Code.exceedsWord(Register->Name) ? Code.truncated(Slot) : Slot};
    }
    return X86Instruction::isMemory(Written) ? memory(X86Instruction::addressIn(Written, Text.Line))
                                             : immediate(Written);
  }

  Place memory(const X86Address &Address) const {
    Operand Where = Address.Location.empty() ? Code.constant(0) : Code.addressOf(Address.Location);
    auto Add = [&](Operand Part) {
      const int32_t Sum = Code.temporary();
      Code.binary(Opcode::Add, Sum, Where, Part);
      Where = Sum;
    };
    if (!Address.Base.empty() && Address.Location.empty())
      Where = Code.slotOf(Address.Base);
    else if (!Address.Base.empty())
      Add(Code.slotOf(Address.Base));
    if (!Address.Index.empty()) {
      const int32_t Scaled = Code.temporary();
      Code.binary(Opcode::Mul, Scaled, Code.slotOf(Address.Index), Code.constant(static_cast<uint64_t>(Address.Scale)));
      Add(Scaled);
    }
    return {Place::Memory, Where, 0, Address.Offset};
  }

  Place immediate(std::string_view Written) const {
    std::string_view Number = Written;
    if (!Number.empty() && Number.front() == '$')
      Number.remove_prefix(1);
    if (!looksLikeNumber(Number))
      failLitmus(Text.Line, quoted(Written) + " is no register, number or [location]");
    const Operand Value = !IsWide            ? Code.number(litmusNumber(Number, Text.Line))
                          : Instr.Bits == 64 ? Code.constant(static_cast<uint64_t>(wideLitmusNumber(Number, Text.Line)))
                                             : Code.truncated(Code.number(litmusNumber(Number, Text.Line)));
    return {Place::Immediate, Value, Value};
  }

  // The differences between X86 and X86_64 are in these.
  void load(int32_t To, const Place &P) const {
    if (IsWide)
      Code.emit({.Op = Opcode::Load, .Width = bytes(), .Dst = To, .A = P.Where, .Imm = P.Offset});
    else
      Code.load(To, P.Where);
  }
  void store(const Place &P, Operand Value) const {
    if (IsWide)
      Code.emit({.Op = Opcode::Store, .Width = bytes(), .A = P.Where, .B = Value, .Imm = P.Offset});
    else
      Code.store(P.Where, Value);
  }
  void binary(Opcode Op, int32_t To, Operand A, Operand B) const {
    Code.binary(Op, To, A, B, IsWide ? Instr.Bits : 64);
  }
  void compare(Operand A, Operand B) const { Code.compare(A, B, IsWide ? Instr.Bits : 64); }
  void readModifyWrite(RmwOp Op, int32_t To, const Place &P, Operand Value) const {
    if (IsWide)
      Code.emit({.Op = Opcode::Rmw,
                 .Width = bytes(),
                 .Flags = static_cast<uint8_t>(Order::SeqCst),
                 .Dst = To,
                 .A = whole(P),
                 .B = Value,
                 .C = static_cast<int32_t>(Op)});
    else
      Code.readModifyWrite(Op, To, P.Where, Value);
  }
  void compareExchange(const Place &P, Operand New) const {
    const int32_t Accumulator = Code.slotOf(IsWide ? "rax" : "EAX");
    if (!IsWide)
      return Code.compareExchange(Accumulator, P.Where, Accumulator, New);
    const Operand Expected = widePlace(Instr.Bits == 64 ? "rax" : "eax").Value;
    const int32_t Old = Code.temporary();
    Code.temporary(); // whether it was done stands behind the old value
    Code.emit({.Op = Opcode::CmpXchg,
               .Width = bytes(),
               .Flags = static_cast<uint8_t>(Order::SeqCst),
               .Dst = Old,
               .A = whole(P),
               .B = Expected,
               .C = New,
               .Imm = static_cast<int64_t>(Order::SeqCst)});
    compare(Expected, Old);
    Code.move(Accumulator, Old);
  }
  uint8_t bytes() const { return Instr.Bits / 8; }
  /// The address with its offset.
  Operand whole(const Place &P) const {
    if (!P.Offset)
      return P.Where;
    const int32_t Sum = Code.temporary();
    Code.binary(Opcode::Add, Sum, P.Where, Code.constant(static_cast<uint64_t>(P.Offset)));
    return Sum;
  }

  /// What the operand holds.
  Operand read(const Place &P) const {
    if (P.What != Place::Memory)
      return P.Value;
    const int32_t Value = Code.temporary();
    load(Value, P);
    return Value;
  }

  void write(const Place &P, Operand Value) const {
    if (P.What == Place::Register)
      Code.move(P.Where, Value);
    else
      store(P, Value);
  }

  /// Two operands, the first of which can be written.
  std::pair<Place, Place> destinationAndSource() const {
    wantOperands(2);
    std::pair<Place, Place> Both = {place(0), place(1)};
    if (Both.first.What == Place::Immediate)
      failLitmus(Text.Line, quoted(Instr.Mnemonic) + " cannot write to a number");
    if (Both.first.What == Place::Memory && Both.second.What == Place::Memory)
      failLitmus(Text.Line, quoted(Instr.Mnemonic) + " cannot have two operands in memory");
    return Both;
  }

  bool writeMove() {
    if (Instr.Name == "mov") {
      auto [To, From] = destinationAndSource();
      if (To.What == Place::Register && From.What == Place::Memory)
        load(To.Where, From);
      else
        write(To, From.Value);
      return true;
    }
    return Instr.Name == "xchg" && exchange();
  }

  /// With memory it is atomic, lock or not.
  bool exchange() {
    auto [A, B] = destinationAndSource();
    if (B.What == Place::Immediate)
      failLitmus(Text.Line, quoted(Instr.Mnemonic) + " cannot write to a number");
    if (A.What == Place::Register)
      std::swap(A, B);
    if (A.What == Place::Memory) {
      readModifyWrite(RmwOp::Xchg, B.Where, A, B.Value);
      return true;
    }
    const int32_t Kept = Code.temporary();
    Code.move(Kept, A.Value);
    Code.move(A.Where, B.Value);
    Code.move(B.Where, Kept);
    return true;
  }

  bool writeArithmetic() {
    if (auto Found = Binaries.find(Instr.Name); Found != Binaries.end()) {
      auto [To, From] = destinationAndSource();
      calculate(Found->second.Op, To, From);
    } else if (Instr.Name == "inc" || Instr.Name == "dec") {
      wantOperands(1);
      Instr.Operands.push_back("$1");
      auto [To, From] = destinationAndSource();
      calculate(Instr.Name == "inc" ? Opcode::Add : Opcode::Sub, To, From);
    } else if (Instr.Name == "cmp") {
      wantOperands(2);
      const Operand A = read(place(0)), B = read(place(1));
      compare(A, B);
    } else if (Instr.Name == "test") {
      wantOperands(2);
      const int32_t Both = Code.temporary();
      const Operand A = read(place(0)), B = read(place(1));
      binary(Opcode::And, Both, A, B);
      compare(Both, Code.constant(0));
    } else {
      return false;
    }
    return true;
  }

  void calculate(Opcode Op, const Place &To, const Place &From) const {
    const Operand Old = read(To), Other = read(From);
    const int32_t Result = To.What == Place::Register ? To.Where : Code.temporary();
    binary(Op, Result, Old, Other);
    if (To.What == Place::Memory)
      store(To, Result);
    compare(Result, Code.constant(0));
  }

  bool writeControl() {
    if (Instr.Name == "jmp") {
      wantOperands(1);
      Code.jump(Instr.Operands[0]);
      return true;
    }
    auto Branch = branchOf(Instr.Name);
    if (!Branch && Instr.Name == "ret") {
      wantOperands(0);
      Code.leave();
      return true;
    }
    if (!Branch)
      return Instr.Name == "nop" || Instr.Name == "endbr64";
    wantOperands(1);
    Code.branch(Branch->Flag, Branch->Set, Instr.Operands[0]);
    return true;
  }

  bool writeFence() {
    static const std::map<std::string_view, FenceKind> Fences = {
        {"mfence", FenceKind::Full}, {"sfence", FenceKind::StoreStore}, {"lfence", FenceKind::Acquire}};
    auto Found = Fences.find(Instr.Name);
    if (Found == Fences.end())
      return false;
    wantOperands(0);
    Code.fence(Found->second);
    return true;
  }

  bool writeLocked() {
    if (Instr.Name == "xchg")
      return exchange();
    if (Instr.Name == "inc" || Instr.Name == "dec") {
      wantOperands(1);
      Instr.Operands.push_back("$1");
      Instr.Name = Instr.Name == "inc" ? "add" : "sub";
    }
    auto Found = Binaries.find(Instr.Name);
    if (Found == Binaries.end() && Instr.Name != "xadd" && Instr.Name != "cmpxchg")
      return false;
    auto [To, From] = destinationAndSource();
    if (To.What != Place::Memory)
      failLitmus(Text.Line, quoted(Instr.Mnemonic) + " needs memory as its first operand");
    if (Found != Binaries.end()) {
      const int32_t Old = Code.temporary();
      readModifyWrite(Found->second.Locked, Old, To, From.Value);
      compareResult(Found->second.Op, Old, From.Value);
      return true;
    }
    if (From.What != Place::Register)
      failLitmus(Text.Line, quoted(Instr.Mnemonic) + " needs a register as its second operand");
    if (Instr.Name == "cmpxchg") {
      compareExchange(To, From.Value);
      return true;
    }
    const int32_t Added = Code.temporary();
    Code.move(Added, From.Value);
    readModifyWrite(RmwOp::Add, From.Where, To, Added);
    compareResult(Opcode::Add, From.Where, Added);
    return true;
  }

  void compareResult(Opcode Op, Operand Old, Operand Other) const {
    const int32_t Result = Code.temporary();
    binary(Op, Result, Old, Other);
    compare(Result, Code.constant(0));
  }

  const LitmusInstruction &Text;
  X86Instruction Instr;
  LitmusThread &Code;
  const bool IsWide;
};

} // namespace

void prepareX86(const LitmusInstruction &I, LitmusThread &Code) {
  if (auto Branch = branchOf(lower(I.Mnemonic)))
    Code.needFlag(Branch->Flag);
}

void prepareX86Wide(const LitmusInstruction &Text, LitmusThread &Code) {
  prepareX86(Text, Code);
  const X86Instruction I(Text, true);
  if (!isSizedX86(I.Name) || I.Bits != 64)
    return;
  for (const std::string &Operand : I.Operands) {
    if (auto Register = x86RegisterIn(Operand)) {
      Code.markWide(Register->Name);
    } else if (X86Instruction::isMemory(Operand)) {
      const X86Address Address = X86Instruction::addressIn(Operand, Text.Line);
      if (!Address.Location.empty())
        Code.widenLocation(Address.Location);
      else if (!Address.Base.empty())
        Code.widenTarget(Address.Base);
    }
  }
  if (I.Name == "cmpxchg")
    Code.markWide("rax");
}

void writeX86(const LitmusInstruction &I, LitmusThread &Code) { X86Writer(I, Code, false).write(); }
void writeX86Wide(const LitmusInstruction &I, LitmusThread &Code) { X86Writer(I, Code, true).write(); }

} // namespace picket
